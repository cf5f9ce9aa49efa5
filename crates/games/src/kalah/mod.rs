//! Kalah.

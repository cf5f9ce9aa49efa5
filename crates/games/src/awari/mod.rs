//! Awari.

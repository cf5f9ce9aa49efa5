//! Retrograde analysis on one machine.
pub mod fixpoint;
pub mod progress;

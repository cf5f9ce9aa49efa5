//! Retrograde analysis on one machine.

pub mod check;
mod conversions;
pub mod fixpoint;
mod parallel;
pub mod plan;
pub mod progress;
pub mod solve;
pub mod stats;

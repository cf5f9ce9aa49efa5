//! The commands, one file each.

pub mod games;
pub mod probe;
pub mod solve;
pub mod stats;
pub mod verify;

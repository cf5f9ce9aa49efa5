//! The commands, one file each.

pub mod book;
pub mod experiment;
pub mod games;
pub mod plan;
pub mod probe;
pub mod solve;
pub mod stats;
pub mod tune;
pub mod verify;

//! Boards that several games share.

pub mod grid;
pub mod halves;

//! The games of Nutcracker, one folder each, and their list.

pub mod awari;
pub mod halves;
pub mod kalah;
pub mod krk;
pub mod othello;
mod registry;

pub use registry::GAMES;

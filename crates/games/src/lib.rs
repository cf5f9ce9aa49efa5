//! The games of Nutcracker, one folder each, and their list.

pub mod awari;
pub mod connect_four;
pub mod grid;
pub mod halves;
pub mod kalah;
pub mod krk;
pub mod othello;
pub mod piles;
pub mod subtraction;
pub mod tic_tac_toe;
pub mod wythoff;
mod registry;

pub use registry::GAMES;

//! The games of Nutcracker, one folder each, and their list.

pub mod awari;
pub mod connect_four;
pub mod dobutsu;
pub mod grid;
pub mod halves;
pub mod kalah;
pub mod krk;
pub mod othello;
pub mod piles;
mod registry;
pub mod subtraction;
pub mod tic_tac_toe;
pub mod wythoff;

pub use registry::GAMES;

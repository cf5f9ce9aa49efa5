//! The games of Nutcracker and their list.
//!
//! Games that are solved for minutes have crates of their own, in which solvers are compiled for
//! them; the others are here, and are solved by virtual calls.

pub use nutcracker_boards::{grid, halves};
pub use {
    nutcracker_awari as awari, nutcracker_checkers as checkers, nutcracker_chess as chess,
    nutcracker_connect_four as connect_four, nutcracker_dobutsu as dobutsu,
    nutcracker_kalah as kalah, nutcracker_morris as morris, nutcracker_sowing as sowing,
};

mod files;
pub mod fox_and_hounds;
pub mod krk;
pub mod othello;
pub mod piles;
mod registry;
pub mod subtraction;
pub mod tic_tac_toe;
pub mod wythoff;

pub use registry::GAMES;

//! The rules, numberings and evaluations of all games.

mod any;
mod awari;
mod checkers;
mod checkers_published;
mod compact;
mod connect_four;
mod dobutsu;
mod evaluate;
mod fox_and_hounds;
mod kalah;
mod krk;
mod morris;
mod othello;
mod oware;
mod solved;
mod sowing;
mod subtraction;
mod tic_tac_toe;
mod wythoff;

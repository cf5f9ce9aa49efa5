//! The rules, numberings and evaluations of all games.

mod any;
mod awari;
mod evaluate;
mod kalah;
mod krk;
mod othello;

//! The rules, numberings and evaluations of all games.

mod awari;
mod evaluate;
mod kalah;
mod krk;
mod othello;

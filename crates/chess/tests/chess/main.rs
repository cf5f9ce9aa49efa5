//! Chess: rules, notation, laws, and lines of play counted by other programs.

mod clock;
mod fifty;
mod five;
mod laws;
mod notation;
mod perft;
mod recogniser;
mod rule;
mod solved;
mod stockfish;

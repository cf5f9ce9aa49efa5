//! The commands as a user meets them: what they print, what they refuse, and their exit codes.

mod book;
mod book_games;
mod cluster;
mod damage;
mod documented;
mod endure;
mod experiment;
mod expert;
mod fleet;
mod games;
mod harness;
mod help;
mod interrupt;
mod jobs;
mod licences;
mod listed;
mod metrics;
mod moves;
mod notation;
mod othello;
mod plan;
mod planted;
mod player;
#[cfg(unix)]
mod postgres;
mod probe;
mod prove;
mod published;
mod serve;
mod solve;
mod sowing;
mod stats;
mod tls_relay;
mod tune;
mod verify;
mod window;

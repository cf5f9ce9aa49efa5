//! The engine protocol from both sides, records and matches.

mod client;
mod contest;
mod dialect;
mod expert;
mod grammar;
mod learning;
mod lines;
mod record;
mod server;
mod transcript;

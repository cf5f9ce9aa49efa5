//! The engine protocol from both sides, records and matches.

mod client;
mod contest;
mod grammar;
mod record;
mod server;

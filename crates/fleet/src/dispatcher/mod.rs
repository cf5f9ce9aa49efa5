//! The server side of a fleet: the [`Desk`] answers workers, the [`Keeper`] tends the book.
//!
//! The desk touches the job table and a little state in memory, never the book, so that it answers
//! at once whatever the book does. The keeper is one thread that fills the table with leaves of the
//! book, and applies what came back.

mod apply;
mod audit;
mod desk;
mod keeper;
mod monitor;
mod propose;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nutcracker_book::BookError;
use thiserror::Error;

use crate::table::TableError;

pub use desk::Desk;
pub use keeper::Keeper;

/// How a fleet is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a job is a worker's without a heartbeat.
    pub lease: Duration,
    /// How often workers send heartbeats.
    pub beat: Duration,
    /// The share of jobs with guesses that go to another account again.
    pub audit: f64,
    /// Whether anyone may propose positions.
    pub public_proposals: bool,
    /// The program and its version.
    pub program: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            lease: Duration::from_mins(10),
            beat: Duration::from_mins(2),
            audit: 0.03,
            public_proposals: false,
            program: String::new(),
        }
    }
}

/// Why a request of a worker is refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The request makes no sense; a sentence.
    #[error("{0}")]
    Bad(String),
    /// The account is suspended; a sentence.
    #[error("{0}")]
    Suspended(String),
    /// There is no room; a sentence.
    #[error("{0}")]
    Full(String),
    /// There is no such account.
    #[error("there is no account {0:?} that was seen; the list of workers has all")]
    NoAccount(String),
    /// The table failed.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Why a book stopped growing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FleetError {
    /// The book failed.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The table failed.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The server's databases or its expert failed.
    #[error("the server cannot check the results of workers: {0}")]
    Authority(String),
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

/// A random number from 0 to 1.
pub(crate) fn chance() -> f64 {
    let mut bytes = [0_u8; 4];
    // Without random numbers everything is audited.
    match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX),
        Err(_) => 0.0,
    }
}

/// The account of a worker `account/name`.
pub(crate) fn account_of(worker: &str) -> &str {
    worker.split_once('/').map_or(worker, |(account, _)| account)
}

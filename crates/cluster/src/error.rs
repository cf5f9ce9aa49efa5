//! Why machines do not work together.

use std::io;
use std::time::Duration;

use nutcracker_retro::{SolveError, Stopped};
use thiserror::Error;

/// Why machines do not work together. Each text is one sentence.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The port is taken, or not allowed.
    #[error("cannot listen on {address}: {source}; use another port, on all machines")]
    Listen {
        /// Where.
        address: String,
        /// Why not.
        source: io::Error,
    },
    /// A machine did not appear.
    #[error("{machine} is missing: {reason} for {} seconds", patience.as_secs())]
    Missing {
        /// Which.
        machine: String,
        /// What happened instead.
        reason: String,
        /// How long it was waited for.
        patience: Duration,
    },
    /// A machine does not know the token.
    #[error("{machine} has another token; give all machines the same")]
    Token {
        /// Which.
        machine: String,
    },
    /// A machine, or the first one on behalf of all, says why it ends.
    #[error("{0}")]
    Told(String),
    /// The random numbers of the operating system are not available.
    #[error("the operating system gives no random numbers: {0}")]
    Random(String),
    /// The caller requested a stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<ClusterError> for SolveError {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Stopped(stopped) => stopped.into(),
            error => SolveError::Machine(error.to_string()),
        }
    }
}

//! Errors of a connection.

use std::error::Error as _;

use thiserror::Error;
use tokio_postgres::error::SqlState;

/// Why an operation failed. No text contains a password.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is not the address of a database.
    #[error("{0}; an address looks like postgres://user:password@host/database")]
    Address(String),
    /// No connection could be made.
    #[error("cannot connect to {server}: {why}")]
    Connect {
        /// The address, without its password.
        server: String,
        /// What the operating system or the server said.
        why: String,
    },
    /// The connection was lost. If this happens while a transaction is committed, it is unknown
    /// whether it was.
    #[error("the connection to {server} was lost: {why}")]
    Lost {
        /// The address, without its password.
        server: String,
        /// What the operating system or the server said.
        why: String,
    },
    /// The server refused a statement.
    #[error("PostgreSQL refused a statement: {message}")]
    Statement {
        /// The SQLSTATE, five letters or digits; empty if the client failed.
        code: String,
        /// What the server said.
        message: String,
    },
    /// The thread of the connection could not be started.
    #[error("cannot start the thread of a connection: {0}")]
    Thread(std::io::Error),
}

impl Error {
    /// Whether the connection was lost, so that the operation can be tried on another one.
    pub fn is_lost(&self) -> bool {
        matches!(self, Error::Lost { .. })
    }

    /// The SQLSTATE of a statement that the server refused.
    pub fn code(&self) -> Option<&str> {
        match self {
            Error::Statement { code, .. } => Some(code),
            _ => None,
        }
    }
}

/// What a statement's failure means.
pub(crate) fn failed(server: &str, error: &tokio_postgres::Error) -> Error {
    if ends_session(error) {
        return Error::Lost { server: server.to_owned(), why: text(error) };
    }
    let code = error.code().map_or(String::new(), |code| code.code().to_owned());
    Error::Statement { code, message: text(error) }
}

/// Whether a new attempt to connect may succeed without anything being changed by the user: the
/// server starts, stops, or has no connection left.
pub(crate) fn passes(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS)
        || error.code().is_some() && ends_session(error)
}

/// Whether a session cannot be used any more after this error.
pub(crate) fn ends_session(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        let io = |source: &(dyn std::error::Error + 'static)| source.is::<std::io::Error>();
        return error.is_closed() || error.source().is_some_and(io);
    };
    // 08: connection exceptions; 57P0n: shutdown, crash, start-up, idle for too long; 25P03: a
    // transaction was idle for too long.
    let code = code.code();
    code.starts_with("08") || code.starts_with("57P") || code == "25P03"
}

/// What the server said, or the chain of causes.
pub(crate) fn text(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return match said.detail() {
            Some(detail) => format!("{} ({detail})", said.message()),
            None => said.message().to_owned(),
        };
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

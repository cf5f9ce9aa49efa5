//! Why a query about a game fails. Independent of HTTP.

use std::fmt;

use nutcracker_any::UnknownGame;
use nutcracker_book::BookError;
use nutcracker_table::{ErrorKind, TableError};

/// Why a query about a game fails. Messages are one sentence for the client and name no path of the
/// server, but that of `--data` where clients are on the same machine; what only its operator may read
/// is in the sources.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExplorerError {
    /// There is no such game, or it has no such options.
    UnknownGame(UnknownGame),
    /// The request makes no sense for this game.
    Request(String),
    /// The text is not a position of the game.
    BadPosition(String),
    /// The move is not legal in the position.
    IllegalMove(String),
    /// No database here has the position.
    NoDatabase(String),
    /// No position matches the filters.
    NoMatch(String),
    /// There is no book, or it does not have the position.
    NotInBook(String),
    /// The book is open in another process.
    BookInUse(String),
    /// The book is kept by its growth for longer than a request waits.
    Busy(String),
    /// The time limit was exceeded.
    TimedOut(&'static str),
    /// A database cannot be read.
    Table(TableError),
    /// A book cannot be read.
    Book(BookError),
    /// The system refused something that the server needs.
    System(std::io::Error),
}

impl fmt::Display for ExplorerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ExplorerError::UnknownGame(error) => return error.fmt(f),
            ExplorerError::Request(text)
            | ExplorerError::BadPosition(text)
            | ExplorerError::IllegalMove(text)
            | ExplorerError::NoDatabase(text)
            | ExplorerError::NoMatch(text)
            | ExplorerError::NotInBook(text)
            | ExplorerError::BookInUse(text)
            | ExplorerError::Busy(text) => text,
            ExplorerError::TimedOut(text) => text,
            ExplorerError::Table(_) => {
                "a database of this game cannot be read; `nutcracker verify` names it"
            }
            ExplorerError::Book(_) => {
                "the book cannot be read; `nutcracker book check` reports why"
            }
            ExplorerError::System(_) => "the server lacks resources; try again later",
        })
    }
}

impl std::error::Error for ExplorerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ExplorerError::Table(error) => Some(error),
            ExplorerError::Book(error) => Some(error),
            ExplorerError::System(error) => Some(error),
            _ => None,
        }
    }
}

impl From<UnknownGame> for ExplorerError {
    fn from(error: UnknownGame) -> Self {
        ExplorerError::UnknownGame(error)
    }
}

impl From<TableError> for ExplorerError {
    fn from(error: TableError) -> Self {
        match error.kind() {
            ErrorKind::NotHere => {
                ExplorerError::NoDatabase("there is no database for this position here".to_owned())
            }
            ErrorKind::Usage => ExplorerError::Request(error.to_string()),
            ErrorKind::DataBroken | ErrorKind::Io => ExplorerError::Table(error),
        }
    }
}

//! Errors of a book.

use thiserror::Error;

use crate::store::Location;

/// Why an operation on a book failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookError {
    /// Another process has the book open, and one of the two writes it.
    #[error("the book {0} is in use by another process; end that process first")]
    Locked(Location),
    /// There is no book.
    #[error("there is no book {0}; make one with `book new`")]
    Missing(Location),
    /// There is a book already.
    #[error("{0} already exists; choose another name or delete it")]
    Exists(Location),
    /// The process that last wrote the book did not close it, and this one cannot repair it.
    #[error(
        "the book {0} was not closed when it was last written, and cannot be repaired where it \
         cannot be written; copy it to where it can be, or open it there once"
    )]
    Unclean(Location),
    /// The store failed.
    #[error("the book's file cannot be read or written: {0}")]
    Store(String),
    /// The database that contains the book failed.
    #[error("the book's database cannot be used: {0}")]
    Database(String),
    /// Another process has opened the book for writing meanwhile; nothing was written since.
    #[error("another process has taken over the book {0}; open it again to go on")]
    TakenOver(Location),
    /// The book was changed while the connection of a reader was lost.
    #[error("the book {0} has changed while the connection to it was lost; open it again")]
    Changed(Location),
    /// The file contains something that a book does not write.
    #[error("the book is damaged: {0}; restore it from a copy")]
    Corrupt(String),
    /// The book was written by a later version.
    #[error("the book has format {0}; this program reads formats up to {1}; use a newer version")]
    Version(u32, u32),
    /// The book is of another game.
    #[error("the book is for {found}, not for {expected}; use the same game and options")]
    OtherGame {
        /// The game of the book.
        found: String,
        /// The game expected.
        expected: String,
    },
    /// The expert failed.
    #[error("the engine failed: {0}")]
    Expert(String),
    /// Two proofs contradict each other.
    #[error(
        "the proofs of {0} contradict each other; the engine or a database that the book used is \
         wrong"
    )]
    Contradiction(String),
    /// A proof cannot be written.
    #[error("the value of {0} cannot be shown to others: {1}")]
    Unproven(String, String),
    /// A position is not in the book.
    #[error("the position {0} is not in the book; choose one that is")]
    NotInBook(String),
    /// A move or game is not legal.
    #[error("{0}")]
    Illegal(String),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, BookError>;

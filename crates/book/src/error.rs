//! Errors of a book.

use std::path::PathBuf;

use thiserror::Error;

/// Why an operation on a book failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookError {
    /// Another process has the file open.
    #[error("the book {} is in use by another process; end that process first", .0.display())]
    Locked(PathBuf),
    /// There is no book.
    #[error("there is no book {}; make one with `book new`", .0.display())]
    Missing(PathBuf),
    /// There is a book already.
    #[error("{} already exists; choose another file or delete it", .0.display())]
    Exists(PathBuf),
    /// The store failed.
    #[error("the book's file cannot be read or written: {0}")]
    Store(String),
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
    /// A position is not in the book.
    #[error("the position {0} is not in the book; choose one that is")]
    NotInBook(String),
    /// A move or game is not legal.
    #[error("{0}")]
    Illegal(String),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, BookError>;

//! What can be wrong with a finished slice.

use std::io;
use std::path::PathBuf;

use nutcracker_game::{Metric, Score};
use nutcracker_mem::OutOfMemory;
use nutcracker_table::{ErrorKind, TableError};
use thiserror::Error;

use crate::parallel::ThreadError;
use crate::progress::Stopped;

/// Why the check of a slice failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A file cannot be read, is damaged, or differs from its manifest entry.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A score is wrong.
    #[error("{file} is wrong: {fault}")]
    Wrong {
        /// The file with the score.
        file: String,
        /// What is wrong with which position.
        fault: Discrepancy,
    },
    /// The file holds a metric that this program does not know.
    #[error("{file} holds values of metric {metric}, which this program does not know")]
    UnknownMetric {
        /// The file.
        file: String,
        /// The metric in its header.
        metric: String,
    },
    /// The check needs more memory than there is.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// A thread could not be started, or panicked.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The temporary file with the marks of founded positions cannot be used.
    #[error("the check cannot use its temporary file {}: {source}", path.display())]
    Marks {
        /// Where the file was made.
        path: PathBuf,
        /// What failed.
        source: io::Error,
    },
    /// The caller requested a stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl CheckError {
    /// The party that has to act: the caller, the owner of the files, or the operator of the
    /// machine.
    pub fn kind(&self) -> ErrorKind {
        match self {
            CheckError::Table(error) => error.kind(),
            CheckError::Wrong { .. } | CheckError::UnknownMetric { .. } => ErrorKind::DataBroken,
            CheckError::Memory(_)
            | CheckError::Threads(_)
            | CheckError::Marks { .. }
            | CheckError::Stopped(_) => ErrorKind::Io,
        }
    }
}

/// What is wrong with a position's score.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Discrepancy {
    /// It is not the best of what its moves lead to.
    #[error(
        "position {position} (number {index}) has score {stored}, and its best move is worth {best}"
    )]
    NotBest {
        /// The position, in the game's notation.
        position: String,
        /// Its number in the slice.
        index: u64,
        /// The score in the file.
        stored: i8,
        /// The best of its moves by the scores in the files.
        best: Score,
    },
    /// The game is over, with another result.
    #[error(
        "position {position} (number {index}) has score {stored}, and the game ends there with {outcome}"
    )]
    NotOutcome {
        /// The position, in the game's notation.
        position: String,
        /// Its number in the slice.
        index: u64,
        /// The score in the file.
        stored: i8,
        /// The score by the rules.
        outcome: Score,
    },
    /// It loses, in more plies than a table can store.
    #[error(
        "position {position} (number {index}) has value {stored}, and is lost in more moves than a \
         table can hold"
    )]
    TooFar {
        /// The position, in the game's notation.
        position: String,
        /// Its number in the slice.
        index: u64,
        /// The value in the file.
        stored: i8,
    },
    /// A table with another metric does not fit.
    #[error(
        "position {position} (number {index}) has {first} {a} and {second} {b}, which cannot both be \
         right"
    )]
    OtherMetric {
        /// The position, in the game's notation.
        position: String,
        /// Its number in the slice.
        index: u64,
        /// The metric of the file.
        first: Metric,
        /// The value in the file.
        a: i8,
        /// The metric of the other file.
        second: Metric,
        /// The value in the other file.
        b: i8,
    },
    /// The file counts other positions than there are.
    #[error("the file counts other positions or values than the rules give, holes left out")]
    Counts,
    /// Scores support each other in a cycle.
    #[error(
        "position {position} (number {index}) has score {stored}, which rests on repeated positions \
         alone and so should be 0; {count} positions are like this"
    )]
    Unfounded {
        /// The first such position, in the game's notation.
        position: String,
        /// Its number in the slice.
        index: u64,
        /// The score in the file.
        stored: i8,
        /// How many there are in the slice.
        count: u64,
    },
    /// Bounds support each other in a cycle.
    #[error(
        "position {position} (number {index}) has the lower bound {stored}, and one of its bounds \
         rests on repeated positions alone; {count} positions are like this"
    )]
    Unforced {
        /// The first such position, in the game's notation.
        position: String,
        /// Its number in the slice.
        index: u64,
        /// The lower bound in the file.
        stored: i8,
        /// How many there are in the slice.
        count: u64,
    },
}

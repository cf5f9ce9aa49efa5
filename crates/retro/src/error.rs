//! Why a slice could not be solved.

use nutcracker_game::{Metric, SliceId};
use nutcracker_mem::OutOfMemory;
use nutcracker_table::{ErrorKind, Table, TableError};
use thiserror::Error;

use crate::check_error::CheckError;
use crate::options::SolverName;
use crate::parallel::ThreadError;
use crate::progress::Stopped;
use crate::store::disk::WorkFileError;

/// Why a slice could not be solved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A file cannot be read or written, or is damaged.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A finished file failed its check: memory or disk is faulty, or this program is.
    #[error(transparent)]
    Check(CheckError),
    /// The caller requested a stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// A thread could not be started, or panicked.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// A work file cannot be used.
    #[error(transparent)]
    WorkFile(#[from] WorkFileError),
    /// Another machine is lost, or could not do its share.
    #[error("{0}")]
    Machine(String),
    /// The game has no such slice.
    #[error("{game} has slices up to {last}, so {requested} cannot be solved")]
    NoSuchSlice {
        /// The game.
        game: String,
        /// The slice requested.
        requested: SliceId,
        /// The last one of the game.
        last: SliceId,
    },
    /// The memory is too small for the solver requested, or for every solver.
    #[error(
        "{slice} of {game} needs at least {needed} bytes of memory with solver {solver}, and \
         {given} are given"
    )]
    TooLittleMemory {
        /// The game.
        game: String,
        /// The slice.
        slice: String,
        /// The solver requested, or the one that needs least.
        solver: SolverName,
        /// Bytes it needs.
        needed: u64,
        /// Bytes it may use.
        given: u64,
    },
    /// The solver requested does not support this game or slice.
    #[error("{slice} of {game} cannot be solved by solver {solver}: {reason}")]
    Unfit {
        /// The game.
        game: String,
        /// The slice.
        slice: String,
        /// The solver requested.
        solver: SolverName,
        /// Why not.
        reason: Unfit,
    },
    /// The game has no tables of this metric.
    #[error("tables of {game} hold {offered}, not {metric}")]
    NoMetric {
        /// The game.
        game: String,
        /// The metric requested.
        metric: Metric,
        /// What there is.
        offered: String,
    },
    /// A distance does not fit the file format.
    #[error(
        "slice {slice} of {game} has positions that are lost in more than 126 moves, and a file \
         holds no larger distance"
    )]
    TooFar {
        /// The game.
        game: String,
        /// The slice.
        slice: String,
    },
    /// The game claims that no position of the slice repeats, but one does.
    #[error("positions of slice {slice} of {game} repeat, but the game claims that none does")]
    Cycle {
        /// The game.
        game: String,
        /// The slice.
        slice: String,
    },
    /// Scores do not fit the file format.
    #[error("scores of slice {slice} of {game} reach {max}, and a file holds up to 127")]
    ScoreTooLarge {
        /// The game.
        game: String,
        /// The slice.
        slice: SliceId,
        /// The largest score.
        max: i16,
    },
}

/// Why a solver does not support a game or slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Unfit {
    /// It is for several machines, but there is only this one.
    #[error("it is for several machines, and none are given")]
    Alone,
    /// It follows un-moves, but the game has none.
    #[error("it needs un-moves, and the game has none")]
    NoUnmoves,
    /// It works on rows of boards, but the game is not one of sowing on two halves.
    #[error("it is for games of sowing on two halves")]
    NoRows,
    /// It computes scores, but distances are requested.
    #[error("it does not compute distances")]
    NoDistances,
    /// It counts every move inside a slice, but zeroing moves end the count.
    #[error("it does not compute dtz")]
    NoZeroing,
    /// It computes one score, but the game has two bounds of it.
    #[error("it computes one score, and here a repetition leaves two bounds of it")]
    TwoBounds,
    /// It works in memory where a position has two bounds, but rows are to be streamed.
    #[error("rows of two bounds are not streamed from disk")]
    TwoBoundsStreamed,
    /// It computes bounds, but the game has scores.
    #[error("it is for games in which a repetition is worth something")]
    OneScore,
    /// It takes one pass, but positions of the slice may repeat.
    #[error("it is for slices in which no position repeats")]
    Cyclic,
    /// A position has too many moves for its states.
    #[error("a position may have too many moves for the two bytes of its state")]
    TooManyMoves,
    /// The options request rows streamed from disk.
    #[error("rows are to be streamed from disk")]
    Streamed,
}

impl From<CheckError> for SolveError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Stopped(stopped) => SolveError::Stopped(stopped),
            error => SolveError::Check(error),
        }
    }
}

impl SolveError {
    /// Whether this very file is wrong.
    pub(crate) fn refuses(&self, table: &Table) -> bool {
        let name = table.path().display().to_string();
        match self {
            SolveError::Check(CheckError::Wrong { file, .. }) => *file == name,
            SolveError::Table(TableError::Damaged { path, .. })
            | SolveError::Check(CheckError::Table(TableError::Damaged { path, .. })) => {
                path == table.path()
            }
            _ => false,
        }
    }

    /// The party that has to act: the caller, the owner of the files, or the operator of the
    /// machine. `None` for a stop on request, which is no failure.
    pub fn kind(&self) -> Option<ErrorKind> {
        Some(match self {
            SolveError::Stopped(_) => return None,
            SolveError::Table(error) => error.kind(),
            SolveError::Check(error) => error.kind(),
            SolveError::Memory(_)
            | SolveError::WorkFile(_)
            | SolveError::Threads(_)
            | SolveError::Machine(_) => ErrorKind::Io,
            SolveError::NoSuchSlice { .. }
            | SolveError::TooLittleMemory { .. }
            | SolveError::Unfit { .. }
            | SolveError::NoMetric { .. }
            | SolveError::TooFar { .. }
            | SolveError::Cycle { .. }
            | SolveError::ScoreTooLarge { .. } => ErrorKind::Usage,
        })
    }
}

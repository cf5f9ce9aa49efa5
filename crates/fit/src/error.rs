//! Why nothing could be fitted.

use nutcracker_game::SliceId;
use nutcracker_table::TableError;
use thiserror::Error;

/// Why nothing could be fitted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FitError {
    /// The last of the slices has no database.
    #[error("there is no database of {game} for slice {}; solve that slice first", slice.0)]
    Missing {
        /// The game.
        game: String,
        /// The slice.
        slice: SliceId,
    },
    /// A database does not have every score.
    #[error(
        "the database of {game} for slice {} has clipped scores only, and a fit needs exact ones; \
         solve it without a window, or leave it out",
        slice.0
    )]
    Clipped {
        /// The game.
        game: String,
        /// The slice.
        slice: SliceId,
    },
    /// A game in which positions repeat is not solved by search.
    #[error(
        "games of {game} repeat positions, so that they cannot be solved to the end; use its \
         databases"
    )]
    Repeats {
        /// The game.
        game: String,
    },
    /// There is nothing to fit to.
    #[error("there are too few positions to fit to; take more slices or games")]
    TooFew,
    /// Not one thread could be started.
    #[error("the system starts no more threads")]
    Threads,
    /// A database cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
}

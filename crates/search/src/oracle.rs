//! Where a search finds scores that are known.

use std::convert::Infallible;

use nutcracker_game::{Children, Score, SliceId};

/// The scores of some slices, such as those a directory of databases holds.
///
/// A search asks [`covers`](Oracle::covers) first and ranks a position only where the answer is
/// yes. What an oracle says is taken as the truth.
///
/// ```
/// use std::collections::HashMap;
/// use std::convert::Infallible;
///
/// use nutcracker_game::{Score, SliceId};
/// use nutcracker_search::Oracle;
///
/// struct InMemory(HashMap<SliceId, Vec<i8>>);
///
/// impl Oracle for InMemory {
///     type Error = Infallible;
///     fn covers(&self, slice: SliceId) -> bool {
///         self.0.contains_key(&slice)
///     }
///     fn score(&self, slice: SliceId, index: u64) -> Result<Score, Infallible> {
///         Ok(Score::from(self.0[&slice][index as usize]))
///     }
/// }
/// ```
pub trait Oracle {
    /// Why a score of a covered slice cannot be had.
    type Error;

    /// Whether the scores of this slice are known; the same answer every time.
    fn covers(&self, slice: SliceId) -> bool;

    /// The score of the position with this rank, asked only of slices that are covered.
    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error>;
}

impl<O: Oracle + ?Sized> Oracle for &O {
    type Error = O::Error;

    fn covers(&self, slice: SliceId) -> bool {
        (**self).covers(slice)
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        (**self).score(slice, index)
    }
}

/// The oracle that knows nothing: every line of play is searched to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Empty;

impl Oracle for Empty {
    type Error = Infallible;

    fn covers(&self, _: SliceId) -> bool {
        false
    }

    fn score(&self, slice: SliceId, _: u64) -> Result<Score, Infallible> {
        unreachable!("slice {slice} is not covered")
    }
}

/// The slices from 0 to `last` of anything solvers read finished slices from.
#[derive(Clone, Copy, Debug)]
pub struct UpTo<C> {
    /// The scores.
    pub children: C,
    /// The last slice there is.
    pub last: SliceId,
}

impl<C: Children> Oracle for UpTo<C> {
    type Error = C::Error;

    fn covers(&self, slice: SliceId) -> bool {
        slice <= self.last
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        self.children.score(slice, index)
    }
}

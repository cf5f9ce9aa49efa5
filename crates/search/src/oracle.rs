//! Sources of known scores for a search.

use std::convert::Infallible;
use std::sync::Arc;

use nutcracker_game::{Children, Metric, Score, SliceId, WinDistance};

/// The scores of some slices, such as those a directory of databases holds.
///
/// A search calls [`covers`](Oracle::covers) first and ranks a position only if that is true. An
/// oracle's scores are trusted. An oracle that also knows the number of moves to a win gives it by
/// [`metric`](Oracle::metric) and [`value`](Oracle::value). Where a repetition is worth something,
/// databases hold bounds, not scores: such slices are not covered, and
/// [`bounds`](Oracle::bounds) tells of them.
///
/// References, an [`Arc`] and an [`Option`] of an oracle are oracles; `None` covers nothing.
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
    /// Why a score of a covered slice cannot be read.
    type Error;

    /// Whether the scores of this slice are known; the same answer every time.
    fn covers(&self, slice: SliceId) -> bool;

    /// The score of the position with this rank, called only for slices that are covered.
    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error>;

    /// The metric of the values of a covered slice.
    fn metric(&self, _slice: SliceId) -> Result<Metric, Self::Error> {
        Ok(Metric::Score)
    }

    /// The value of the position with this rank in the slice's metric.
    fn value(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        self.score(slice, index)
    }

    /// Whether what the mover can force is known for the positions of this slice
    /// ([`Metric::Forced`]); then their scores are not, and it is not covered.
    fn bounds(&self, _slice: SliceId) -> bool {
        false
    }

    /// What the mover of the position with this rank can force without history, called only for
    /// slices of which [`bounds`](Oracle::bounds) tells.
    fn lower(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        self.score(slice, index)
    }

    /// How far away a win and a loss are at most in a covered slice that counts moves, for the side to
    /// move; as far as databases can hold where that is not known.
    fn farthest(&self, _slice: SliceId) -> Result<[u16; 2], Self::Error> {
        Ok([127; 2])
    }

    /// In how many moves the position with this rank is won or lost, where that is known.
    fn distance(&self, slice: SliceId, index: u64) -> Result<Option<WinDistance>, Self::Error> {
        let metric = self.metric(slice)?;
        if !metric.is_distance() {
            return Ok(None);
        }
        Ok(metric.distance(self.value(slice, index)?))
    }
}

/// Forwards to the oracle behind a pointer.
macro_rules! behind {
    ($pointer:ty) => {
        impl<O: Oracle + ?Sized> Oracle for $pointer {
            type Error = O::Error;

            fn covers(&self, slice: SliceId) -> bool {
                (**self).covers(slice)
            }

            fn score(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
                (**self).score(slice, index)
            }

            fn metric(&self, slice: SliceId) -> Result<Metric, Self::Error> {
                (**self).metric(slice)
            }

            fn value(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
                (**self).value(slice, index)
            }

            fn bounds(&self, slice: SliceId) -> bool {
                (**self).bounds(slice)
            }

            fn lower(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
                (**self).lower(slice, index)
            }

            fn farthest(&self, slice: SliceId) -> Result<[u16; 2], Self::Error> {
                (**self).farthest(slice)
            }

            fn distance(
                &self,
                slice: SliceId,
                index: u64,
            ) -> Result<Option<WinDistance>, Self::Error> {
                (**self).distance(slice, index)
            }
        }
    };
}

behind!(&O);
behind!(Arc<O>);

impl<O: Oracle> Oracle for Option<O> {
    type Error = O::Error;

    fn covers(&self, slice: SliceId) -> bool {
        self.as_ref().is_some_and(|oracle| oracle.covers(slice))
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        there(self.as_ref(), slice).score(slice, index)
    }

    fn metric(&self, slice: SliceId) -> Result<Metric, Self::Error> {
        there(self.as_ref(), slice).metric(slice)
    }

    fn value(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        there(self.as_ref(), slice).value(slice, index)
    }

    fn bounds(&self, slice: SliceId) -> bool {
        self.as_ref().is_some_and(|oracle| oracle.bounds(slice))
    }

    fn lower(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        there(self.as_ref(), slice).lower(slice, index)
    }

    fn farthest(&self, slice: SliceId) -> Result<[u16; 2], Self::Error> {
        there(self.as_ref(), slice).farthest(slice)
    }

    fn distance(&self, slice: SliceId, index: u64) -> Result<Option<WinDistance>, Self::Error> {
        there(self.as_ref(), slice).distance(slice, index)
    }
}

fn there<O>(oracle: Option<&O>, slice: SliceId) -> &O {
    let Some(oracle) = oracle else { unreachable!("slice {slice} is not covered") };
    oracle
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

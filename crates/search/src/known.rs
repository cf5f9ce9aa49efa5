//! The score of a position where databases have it.

use nutcracker_game::{Game, Score};

use crate::Oracle;

/// The score of a position: from its slice, or through its moves where the index leaves the
/// position out. `None` where the slice of the position, or of one of those moves, is not covered.
///
/// ```
/// use nutcracker_game::{Rules, Score, SliceId, toy::Heap};
/// use nutcracker_search::{Empty, Oracle, known};
///
/// struct Small;
/// impl Oracle for Small {
///     type Error = std::convert::Infallible;
///     fn covers(&self, slice: SliceId) -> bool { slice < SliceId(4) }
///     fn score(&self, slice: SliceId, _: u64) -> Result<Score, Self::Error> {
///         Ok(if slice == SliceId(0) { -1 } else { 1 })
///     }
/// }
///
/// assert_eq!(known(&Heap, &Small, &3), Ok(Some(1)));
/// assert_eq!(known(&Heap, &Small, &4), Ok(None));
/// assert_eq!(known(&Heap, &Empty, &3), Ok(None));
/// ```
#[inline]
pub fn known<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    position: &G::Position,
) -> Result<Option<Score>, O::Error> {
    let slice = game.slice_of(position);
    if !oracle.covers(slice) {
        return Ok(None);
    }
    if game.is_indexed(position) {
        return oracle.score(slice, game.rank(position)).map(Some);
    }
    through_moves(game, oracle, position)
}

/// The score of a position that has no number.
#[cold]
fn through_moves<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    position: &G::Position,
) -> Result<Option<Score>, O::Error> {
    if let Some(score) = game.outcome(position) {
        return Ok(Some(score));
    }
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    let mut best = None;
    for step in steps {
        let Some(score) = known(game, oracle, &step.next)? else { return Ok(None) };
        best = best.max(Some(step.value(score)));
    }
    Ok(best)
}

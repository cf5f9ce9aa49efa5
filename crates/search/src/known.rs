//! The score of a position where databases have it.

use nutcracker_game::{Game, Score};
use nutcracker_proof::{Claim, Reply};

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

/// What a strategy does at a claim by databases alone: it rests on the score of the position, or,
/// where the index leaves the position out, plays the move that keeps enough. `None` where databases
/// do not decide the claim, or decide it otherwise.
pub fn database_reply<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    claim: &Claim<G::Position>,
) -> Result<Option<Reply>, O::Error> {
    let suffices = |claim: &Claim<G::Position>| {
        let score = known(game, oracle, &claim.position)?;
        let score = score.map(|score| if claim.proving { score } else { -score });
        Ok(score.is_some_and(|score| score >= claim.need))
    };
    if !suffices(claim)? {
        return Ok(None);
    }
    if game.is_indexed(&claim.position) {
        return Ok(Some(Reply::Database));
    }
    if !claim.proving {
        return Ok(Some(Reply::Any));
    }
    let mut steps = Vec::new();
    game.steps(&claim.position, &mut steps);
    for (place, step) in steps.iter().enumerate() {
        if suffices(&claim.after(step))? {
            return Ok(Some(Reply::Play(place)));
        }
    }
    Ok(None)
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

//! What each side can force where a repetition is worth something.
//!
//! Where a position that repeats is not worth 0 ([`Rules::repeated`]), what a position is worth
//! depends on the positions before it. What does not is the score that a side can force without
//! relying on a repetition, whatever was played before and however the opponent replies. Of the
//! mover it is the *lower* bound of the score, of the opponent, with the other sign, the *upper*
//! one:
//!
//! - lower(p) is the best over the moves of gain - upper(next);
//! - upper(p) is the best over the moves of gain - lower(next);
//!
//! and of all solutions of these equations the one with the least lower and the largest upper
//! bounds: whoever relies on a cycle gets nothing from it. Where the two bounds meet, the score is
//! exact. Tables hold lower bounds ([`Metric::Forced`](crate::Metric::Forced)); upper ones follow
//! from those of the next positions.

use crate::{Children, Numbering, Rules, Score, Turn, is_internal};

/// The upper bound of a position's score, from the lower bounds of positions.
///
/// ```
/// use nutcracker_game::{toy::Heap, upper_bound};
///
/// // Two counters: a move takes both and wins, whatever a single one is worth.
/// let lower = |heap: &u32| Ok::<_, ()>(if *heap == 0 { -1 } else { 0 });
/// assert_eq!(upper_bound(&Heap, &2, &mut { lower }), Ok(1));
/// ```
pub fn upper_bound<G: Rules, E>(
    game: &G,
    position: &G::Position,
    lower: &mut impl FnMut(&G::Position) -> Result<Score, E>,
) -> Result<Score, E> {
    let mut steps = Vec::new();
    if let Some(score) = game.expand(position, &mut steps) {
        return Ok(score);
    }
    let mut best = Score::MIN;
    for step in steps {
        best = best.max(match step.turn {
            Turn::Passes => step.gain - lower(&step.next)?,
            Turn::Stays => step.gain + upper_bound(game, &step.next, lower)?,
        });
    }
    Ok(best)
}

/// What a position's moves out of its slice say about its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoundExits {
    /// The best lower bound through an exit, or the result where the game is over;
    /// [`BoundExits::NONE`] where there is neither.
    pub lower: i8,
    /// The best upper bound through an exit, or the result; [`BoundExits::NONE`] likewise.
    pub upper: i8,
    /// The number of internal moves.
    pub internal: u16,
}

impl BoundExits {
    /// Less than every bound.
    pub const NONE: i8 = i8::MIN;
}

/// The exits of one position; `children` has the lower bounds of smaller slices, so that the upper
/// bounds of an exit take one ply more.
pub fn bound_exits<G: Numbering, C: Children>(
    game: &G,
    position: &G::Position,
    children: &C,
) -> Result<BoundExits, C::Error> {
    let mut steps = Vec::new();
    if let Some(score) = game.expand(position, &mut steps) {
        return Ok(BoundExits { lower: score as i8, upper: score as i8, internal: 0 });
    }
    let slice = game.slice_of(position);
    let mut read = |next: &G::Position| children.score(game.slice_of(next), game.rank(next));
    let mut exits = BoundExits { lower: BoundExits::NONE, upper: BoundExits::NONE, internal: 0 };
    for step in steps {
        if is_internal(game, slice, &step) {
            exits.internal += 1;
            continue;
        }
        let (lower, upper) = (read(&step.next)?, upper_bound(game, &step.next, &mut read)?);
        let (lower, upper) = match step.turn {
            Turn::Passes => (step.gain - upper, step.gain - lower),
            Turn::Stays => (step.gain + lower, step.gain + upper),
        };
        exits.lower = exits.lower.max(lower as i8);
        exits.upper = exits.upper.max(upper as i8);
    }
    Ok(exits)
}

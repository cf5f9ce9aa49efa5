//! What databases know of each side where a repetition is worth something.

use nutcracker_game::{Game, Score, Side, Situation, Step, Turn};

use crate::{Oracle, Worth};

/// The bounds of a position without history: what its mover can force, and with the other sign
/// what the opponent can. `None` where the slice of the position, or of one of its moves, has no
/// database of bounds.
///
/// ```
/// use nutcracker_game::{Rules, Score, SliceId, toy::Heap};
/// use nutcracker_search::{Empty, Oracle, known_bounds};
///
/// /// Of one counter and of two it is known only that they are not lost.
/// struct Bounds;
/// impl Oracle for Bounds {
///     type Error = std::convert::Infallible;
///     fn covers(&self, _: SliceId) -> bool { false }
///     fn score(&self, slice: SliceId, _: u64) -> Result<Score, Self::Error> {
///         unreachable!("slice {slice} is not covered")
///     }
///     fn bounds(&self, slice: SliceId) -> bool { slice <= SliceId(2) }
///     fn lower(&self, slice: SliceId, _: u64) -> Result<Score, Self::Error> {
///         Ok(if slice == SliceId(0) { -1 } else { 0 })
///     }
/// }
///
/// assert_eq!(known_bounds(&Heap, &Bounds, &2), Ok(Some((0, 1))));
/// assert_eq!(known_bounds(&Heap, &Bounds, &3), Ok(None));
/// assert_eq!(known_bounds(&Heap, &Empty, &2), Ok(None));
/// ```
pub fn known_bounds<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    position: &G::Position,
) -> Result<Option<(Score, Score)>, O::Error> {
    let Some(lower) = forced(game, oracle, position, true)? else { return Ok(None) };
    let other = forced(game, oracle, position, false)?;
    Ok(other.map(|other| (lower, -other)))
}

/// What a side can force at a position without history: its mover, or else the opponent. `None`
/// where databases do not tell.
pub(crate) fn forced<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    position: &G::Position,
    mover: bool,
) -> Result<Option<Score>, O::Error> {
    let slice = game.slice_of(position);
    if !oracle.bounds(slice) {
        return Ok(None);
    }
    if mover && game.is_indexed(position) {
        return oracle.lower(slice, game.rank(position)).map(Some);
    }
    let mut steps = Vec::new();
    if let Some(score) = game.expand(position, &mut steps) {
        return Ok(Some(if mover { score } else { -score }));
    }
    let mut best: Option<Score> = None;
    for step in &steps {
        let Some(through) = forced_through(game, oracle, step, mover)? else { return Ok(None) };
        // The mover takes the move that leaves it most, and the opponent least.
        let better = |best: Score| if mover { best.max(through) } else { best.min(through) };
        best = Some(best.map_or(through, better));
    }
    Ok(best)
}

/// The same after a move, for the side that made it or else for its opponent: what it banks with
/// the move, and what it can force then.
pub(crate) fn forced_through<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    step: &Step<G::Position>,
    mover: bool,
) -> Result<Option<Score>, O::Error> {
    let moves_next = (step.turn == Turn::Stays) == mover;
    let next = forced(game, oracle, &step.next, moves_next)?;
    Ok(next.map(|next| if mover { step.gain + next } else { next - step.gain }))
}

/// What each side can force, in words, where the rest depends on a repetition: `South can force 23,
/// North 22, 3 seeds depend on a repetition`. Without what was captured before, seeds on the board
/// count. `None` where the score is known, and where a repetition is worth nothing.
pub fn forced_in_words<G: Game>(
    game: &G,
    situation: &Situation<G::Position>,
    value: Worth,
) -> Option<String> {
    let (lower, upper) = value.lower.zip(value.upper).filter(|(lower, upper)| lower < upper)?;
    if !game.depends_on_history() || value.guess.is_some() {
        return None;
    }
    let banked = situation.banked.or(Some([0, 0]));
    let situation = Situation { banked, ..*situation };
    let (at_least, at_most) =
        (game.final_result(&situation, lower)?, game.final_result(&situation, upper)?);
    let (first, second) = match situation.mover {
        Side::First => (at_least[0], at_most[1]),
        Side::Second => (at_most[0], at_least[1]),
    };
    let open = at_least[0] + at_least[1] - first - second;
    let unit = game.slice_unit();
    let depend = match unit.strip_suffix('s') {
        Some(one) if (open - 1.0).abs() < 0.5 => format!("1 {one} depends"),
        _ => format!("{open} {unit} depend"),
    };
    let name = |side| capital(game.side_name(side));
    let [one, other] = [name(Side::First), name(Side::Second)];
    Some(format!("{one} can force {first}, {other} {second}, {depend} on a repetition"))
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

//! Play by databases of bounds, where a repetition ends the game and is worth something.
//!
//! What a side can force from a position without history is a bound that it reaches by moves of
//! decreasing distance to an exit. Positions of the game so far can be in the way: to enter one ends
//! the game, and each side gets what the rules give there. So after a game the bound is what can be
//! forced around these *closed* positions, found by the same search that finds the way
//! ([`hold`]). It is proven whatever that search leaves out, and
//! - it is the bound without history where no closed position is worth as much to the side, by its
//!   own bound, unless a repetition there gives it enough: its way never leads there;
//! - a move of which the search says that the bound can be forced afterwards, the position itself
//!   being closed, keeps it: the positions on the way are nearer to the exit than that one.

use std::cmp::Reverse;

use nutcracker_game::{Game, Score, Step};

use super::perfect::{Keeping, Perfect, PlayerError, Valued, missing};
use super::realise::{Closed, Stake, Way, hold};
use crate::forced::{forced, forced_through};
use crate::{Oracle, Worth};

/// The bounds of one move examine this part of the positions that the choice of a move may.
const SHARE: usize = 100;

/// What a side can force at a position without history: its mover, or else the opponent.
fn held<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    position: &G::Position,
    mover: bool,
) -> Result<Score, PlayerError<O::Error>> {
    let level = forced(game, oracle, position, mover).map_err(PlayerError::Oracle)?;
    level.ok_or_else(|| PlayerError::NoDatabase { slice: missing(game, oracle, position) })
}

/// The same after a move, for the side that made it or else for its opponent.
pub(super) fn held_through<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    step: &Step<G::Position>,
    mover: bool,
) -> Result<Score, PlayerError<O::Error>> {
    let level = forced_through(game, oracle, step, mover).map_err(PlayerError::Oracle)?;
    level.ok_or_else(|| PlayerError::NoDatabase { slice: missing(game, oracle, &step.next) })
}

/// What a side is certain to get, and the way there where it was searched.
struct Certain<P> {
    level: Score,
    way: Way<P>,
}

impl<G: Game, O: Oracle> Perfect<G, O> {
    /// Every move with the bounds that hold after the game so far.
    pub(super) fn bounded_values(
        &self,
        position: &G::Position,
        seen: &Closed<G::Position>,
        moves: &[G::Move],
    ) -> Result<Vec<Valued<G>>, PlayerError<O::Error>> {
        // As the opponent sees them, with this position among them.
        let mut closed: Closed<_> = seen.iter().map(|(before, same)| (*before, !same)).collect();
        closed.insert((*position, false));
        let mut values = Vec::with_capacity(moves.len());
        for &mv in moves {
            let step = self.game.play(position, &mv);
            let inside = self.is_inside(position, &step);
            let repeats = inside && seen.contains(&(step.next, false));
            let alone = held_through(&self.game, &self.oracle, &step, true)?;
            let (value, most) = if repeats {
                let score = step.value(self.game.repeated(&step.next));
                (score, score)
            } else if inside {
                let certain = |mover| self.certain(&step.next, mover, &closed);
                (step.gain + certain(false)?, step.gain - certain(true)?)
            } else {
                (alone, -held_through(&self.game, &self.oracle, &step, false)?)
            };
            values.push(Valued { mv, step, value, most, alone, repeats });
        }
        Ok(values)
    }

    /// What both sides can force at a position after the game so far. Its moves may leave more open:
    /// each needs a search of its own, which the position itself may do without.
    pub(super) fn bounded_worth(
        &self,
        position: &G::Position,
        closed: &Closed<G::Position>,
    ) -> Result<Worth, PlayerError<O::Error>> {
        let (lower, upper) =
            (self.certain(position, true, closed)?, -self.certain(position, false, closed)?);
        Ok(Worth::between(lower, upper))
    }

    /// What a side is certain to force at a position, past those that are closed.
    fn certain(
        &self,
        position: &G::Position,
        attacks: bool,
        closed: &Closed<G::Position>,
    ) -> Result<Score, PlayerError<O::Error>> {
        let most = held(&self.game, &self.oracle, position, attacks)?;
        if self.unbarred(most, attacks, closed)? == most {
            return Ok(most);
        }
        let limit = self.distances.limit / SHARE;
        Ok(self.way_to_hold(position, attacks, closed, limit)?.level)
    }

    /// What a side is certain to force at a position, past those that are closed, and how.
    fn way_to_hold(
        &self,
        position: &G::Position,
        attacks: bool,
        closed: &Closed<G::Position>,
        limit: usize,
    ) -> Result<Certain<G::Position>, PlayerError<O::Error>> {
        let most = held(&self.game, &self.oracle, position, attacks)?;
        let least = self.unbarred(most, attacks, closed)?;
        let mut found = Certain { level: least, way: Way::Unknown };
        // Whoever forces a level forces all below it; mostly it is the first one.
        let (mut low, mut high, mut level) = (least, most, most);
        loop {
            let stake = Stake { position: *position, attacks, level };
            let way = hold(&self.game, &self.oracle, stake, closed, limit)?;
            if matches!(way, Way::Forced { .. }) {
                found = Certain { level, way };
                low = level + 1;
            } else {
                high = level - 1;
            }
            if low > high {
                return Ok(found);
            }
            level = low + (high - low) / 2;
        }
    }

    /// As much of a side's level as no closed position can be in the way of: none that the side
    /// enters on its way there, and gets less.
    fn unbarred(
        &self,
        level: Score,
        attacks: bool,
        closed: &Closed<G::Position>,
    ) -> Result<Score, PlayerError<O::Error>> {
        let mut bars = Vec::with_capacity(closed.len());
        for (before, same_mover) in closed {
            let mover = *same_mover == attacks;
            let repeated = self.game.repeated(before);
            let repeated = if mover { repeated } else { -repeated };
            if repeated < level {
                bars.push((repeated, held(&self.game, &self.oracle, before, mover)?));
            }
        }
        bars.sort_unstable_by_key(|&(repeated, _)| Reverse(repeated));
        let bar = |level: Score, (repeated, held): (Score, Score)| {
            if repeated < level && level <= held { repeated } else { level }
        };
        Ok(bars.into_iter().fold(level, bar))
    }

    /// The moves that keep what can be forced after the game so far, from the values of all moves or
    /// without them. Of those the ones that leave most open, and of these the ones that force it
    /// soonest.
    pub(super) fn hold(
        &self,
        position: &G::Position,
        history: &[G::Position],
        values: Option<Vec<Valued<G>>>,
    ) -> Result<Keeping<G::Move>, PlayerError<O::Error>> {
        let closed = self.seen(position, history);
        let Certain { level, way } =
            self.way_to_hold(position, true, &closed, self.distances.limit)?;
        let moves = match values {
            Some(values) => values,
            None => self.values(position, history)?,
        };
        let best = moves.iter().map(|valued| valued.value).max().unwrap_or(level);
        let value = level.max(best);
        let (plies, nearest): (Option<u32>, Vec<G::Move>) = match &way {
            Way::Forced { plies, next } if level == value => {
                (Some(*plies), self.nearest(position, &moves, next, level))
            }
            _ => (None, Vec::new()),
        };
        let is_near = |valued: &Valued<G>| nearest.contains(&valued.mv);
        let keeps = |valued: &&Valued<G>| valued.value == value || is_near(valued);
        let mut keeping: Vec<&Valued<G>> = moves.iter().filter(keeps).collect();
        if let Some(most) = keeping.iter().map(|valued| valued.most).max() {
            keeping.retain(|valued| valued.most == most);
            let near = keeping.iter().any(|valued| is_near(valued));
            keeping.retain(|valued| !near || is_near(valued));
            let moves = keeping.iter().map(|valued| valued.mv).collect();
            return Ok(Keeping { value, moves, plies: plies.filter(|_| near) });
        }
        // More positions than allowed lie between here and the exit.
        let mut likely = Vec::with_capacity(moves.len());
        for valued in &moves {
            let inside = self.is_inside(position, &valued.step);
            let level = if valued.repeats { valued.value } else { valued.alone };
            likely.push(((Reverse(level), valued.repeats, inside), valued.mv));
        }
        likely.sort_by_key(|(key, _)| *key);
        let first = likely.first().map(|(key, _)| *key);
        likely.retain(|(key, _)| Some(*key) == first);
        Ok(Keeping { value, moves: likely.into_iter().map(|(_, mv)| mv).collect(), plies: None })
    }

    /// The moves that a search says lead to a level soonest: if it lists no position inside the
    /// slice, those that end the matter at once.
    fn nearest(
        &self,
        position: &G::Position,
        moves: &[Valued<G>],
        next: &[G::Position],
        level: Score,
    ) -> Vec<G::Move> {
        let leads = |valued: &&Valued<G>| {
            if self.is_inside(position, &valued.step) && !valued.repeats {
                next.contains(&valued.step.next)
            } else {
                next.is_empty() && valued.value >= level
            }
        };
        moves.iter().filter(leads).map(|valued| valued.mv).collect()
    }
}

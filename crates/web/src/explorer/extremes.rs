//! Remarkable positions of a slice.

use std::sync::Arc;

use nutcracker_game::{Evaluate, Score, Side, Situation, SliceId};
use nutcracker_search::TableOracle;
use nutcracker_search::player::Perfect;
use serde::Serialize;
use utoipa::ToSchema;

use super::random::Dice;
use super::{Budget, Handle, Kind};
use crate::problem::{self, Problem};

/// Slices with at most so many positions are looked at in full, of larger ones so many positions.
const EXAMINED: u64 = 200_000;
/// Best lines followed to find a long one.
const LINES: u64 = 200;
/// Moves of a line at most.
const PLIES: usize = 300;

/// Remarkable positions of a slice.
#[derive(Debug, Serialize, ToSchema)]
pub struct Extremes {
    /// The slice.
    pub slice: u32,
    /// How many positions were looked at.
    pub examined: u64,
    /// Whether these are all.
    pub all: bool,
    /// The side to move gets most.
    pub richest: Option<Extreme>,
    /// One move saves the most: the difference to the second best is largest.
    pub luckiest: Option<Extreme>,
    /// The best line found that takes longest to its end; of a few hundred lines.
    pub longest: Option<Extreme>,
}

/// A remarkable position.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Extreme {
    /// The position.
    pub position: String,
    /// Its score.
    pub score: Score,
    /// What makes it remarkable: the score, the difference, or the number of moves.
    pub measure: i64,
}

impl<G: Evaluate> Handle<G> {
    pub(super) fn find_extremes(
        &self,
        slice: u32,
        budget: &Budget,
    ) -> Result<Arc<Extremes>, Problem> {
        let lock = || self.extremes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = lock().get(&slice) {
            return Ok(Arc::clone(known));
        }
        let table = self.set.get(slice).map_err(|error| self.explain(error))?;
        let len = table.positions();
        let all = len <= EXAMINED;
        let mut extremes = Extremes {
            slice,
            examined: len.min(EXAMINED),
            all,
            richest: None,
            luckiest: None,
            longest: None,
        };
        // The same positions each time: an answer does not depend on when it was asked for.
        let mut dice = Dice(u64::from(slice));
        for turn in 0..extremes.examined {
            if turn % 256 == 0 && budget.is_over() {
                return Err(Problem::new(
                    problem::Kind::TooSlow,
                    "the slice could not be looked at in the time allowed; try again later",
                ));
            }
            let index = if all { turn } else { dice.below(len) };
            self.look_at(slice, index, &mut extremes)?;
        }
        let mut player = self.perfect()?;
        for _ in 0..LINES.min(extremes.examined) {
            if budget.is_over() {
                break;
            }
            self.follow(&mut player, slice, dice.below(len), &mut extremes)?;
        }
        let extremes = Arc::new(extremes);
        lock().insert(slice, Arc::clone(&extremes));
        Ok(extremes)
    }

    fn look_at(&self, slice: u32, index: u64, extremes: &mut Extremes) -> Result<(), Problem> {
        let position = self.game.unrank(SliceId(slice), index);
        if self.game.outcome(&position).is_some() {
            return Ok(());
        }
        let options = self.options(&position)?;
        let mut values: Vec<Score> = options
            .iter()
            .filter_map(|option| option.value)
            .filter(|value| value.kind == Kind::Exact)
            .map(|value| value.score)
            .collect();
        if values.is_empty() || values.len() < options.len() {
            return Ok(());
        }
        values.sort_unstable();
        let best = values[values.len() - 1];
        self.enter(&mut extremes.richest, &position, best, best.into());
        if let [.., second, _] = values[..] {
            self.enter(&mut extremes.luckiest, &position, best, i64::from(best - second));
        }
        Ok(())
    }

    fn follow(
        &self,
        player: &mut Perfect<G, TableOracle>,
        slice: u32,
        index: u64,
        extremes: &mut Extremes,
    ) -> Result<(), Problem> {
        let position = self.game.unrank(SliceId(slice), index);
        let Some(found) = self.known(&position)? else { return Ok(()) };
        let start = Situation::new(position, Side::First);
        let line = match self.play_perfectly(player, start, PLIES) {
            // Clipped scores do not tell how to realise them.
            Err(error) if error.kind == problem::Kind::NoDatabase => return Ok(()),
            line => line?,
        };
        if line.over {
            let moves = line.nodes.len() as i64 - 1;
            self.enter(&mut extremes.longest, &position, found.score, moves);
        }
        Ok(())
    }

    fn enter(
        &self,
        place: &mut Option<Extreme>,
        position: &G::Position,
        score: Score,
        measure: i64,
    ) {
        if place.as_ref().is_none_or(|known| known.measure < measure) {
            let position = self.game.format(&Situation::new(*position, Side::First));
            *place = Some(Extreme { position, score, measure });
        }
    }
}

//! Remarkable positions of a slice.

use std::sync::Arc;
use std::time::Duration;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Numbering, Random, Rules, Score, Side, Situation, SliceId};
use nutcracker_search::player::Perfect;
use nutcracker_search::{TableOracle, Worth};
use nutcracker_table::Table;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::random::{Filters, RandomPosition};
use super::{Budget, Explorer};

/// Positions examined: all of a slice, or a sample of this size.
const EXAMINED: u64 = 200_000;
/// Best lines followed to find a long one.
const LINES: u64 = 200;
/// How long lines are followed where databases do not count moves, and a search has to.
const LINES_TIME: Duration = Duration::from_secs(5);
/// Of the wins that are farthest away, as many are shown.
const LONGEST: u64 = 5;
/// Moves of a line at most.
const PLIES: usize = 300;

/// Remarkable positions of a slice.
#[derive(Debug, Serialize, ToSchema)]
pub struct Extremes {
    /// The name of the slice.
    pub slice: String,
    /// How many positions it has.
    pub positions: u64,
    /// How many of them were examined for the luckiest; a random sample if not all.
    pub examined: u64,
    /// Whether these are all.
    pub all: bool,
    /// How many best lines were followed for the longest.
    pub lines: u64,
    /// The side to move gets most; of all positions, unless the scores are clipped.
    pub richest: Option<Extreme>,
    /// One move saves the most: the difference to the second best is largest.
    pub luckiest: Option<Extreme>,
    /// The best line found that takes longest to its end.
    pub longest: Option<Extreme>,
    /// With databases of distances, some of the wins that are farthest away of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub longest_wins: Vec<LongWin>,
}

/// A win that takes as long as any of its slice.
#[derive(Debug, Serialize, ToSchema)]
pub struct LongWin {
    /// The position.
    pub position: String,
    /// What it is worth to the side to move.
    pub value: Worth,
    /// The moves of best play.
    pub line: Vec<String>,
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

impl Explorer {
    /// Remarkable positions of a slice.
    pub fn extremes(&self, slice: &str, budget: &Budget) -> Result<Arc<Extremes>, ExplorerError> {
        let slice = self.slice_named(slice)?;
        let here = self.databases();
        let lock = || here.extremes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = lock().get(&slice) {
            return Ok(Arc::clone(known));
        }
        let table = here.set.get(slice.0).map_err(|error| self.explain(error))?;
        let len = table.positions();
        let all = len <= EXAMINED;
        let mut extremes = Extremes {
            slice: self.game.slice_name(slice),
            positions: len,
            examined: len.min(EXAMINED),
            all,
            lines: 0,
            richest: None,
            luckiest: None,
            longest: None,
            longest_wins: Vec::new(),
        };
        // The same positions each time: a response does not depend on when it is requested.
        let mut dice = Random::new(slice.0.into());
        for turn in 0..extremes.examined {
            if turn % 256 == 0 && budget.is_over() {
                return Err(ExplorerError::TimedOut(
                    "the slice could not be examined in the time allowed; try again later",
                ));
            }
            let index = if all { turn } else { dice.below(len) };
            self.examine(slice, index, &mut extremes)?;
        }
        let mut player = self.perfect()?;
        let lines = &budget.at_most(LINES_TIME);
        for _ in 0..LINES.min(extremes.examined) {
            if lines.is_over() {
                break;
            }
            extremes.lines += 1;
            self.follow(&mut player, slice, dice.below(len), lines, &mut extremes)?;
        }
        if !all && table.header().reach.is_exact() {
            self.find_richest(&table, slice, budget, &mut extremes)?;
        }
        if here.metric.is_distance() {
            extremes.longest_wins = self.longest_wins(&mut player, &table, slice, budget)?;
        }
        let extremes = Arc::new(extremes);
        lock().insert(slice, Arc::clone(&extremes));
        Ok(extremes)
    }

    /// The histogram knows the highest score of all positions: what is left is to find one.
    fn find_richest(
        &self,
        table: &Table,
        slice: SliceId,
        budget: &Budget,
        extremes: &mut Extremes,
    ) -> Result<(), ExplorerError> {
        let mut scores: Vec<Score> =
            table.histogram().iter().map(|(score, _)| score.into()).collect();
        scores.sort_unstable();
        for score in scores.into_iter().rev() {
            let filters = Filters {
                slice: Some(self.game.slice_name(slice)),
                score: Some(score),
                seed: Some(slice.0.into()),
                ..Filters::default()
            };
            match self.random(&filters, budget) {
                Ok(RandomPosition { position, .. }) => {
                    let measure = score.into();
                    extremes.richest = Some(Extreme { position, score, measure });
                    break;
                }
                // In all positions with this score the game is over.
                Err(ExplorerError::NoMatch(_)) if !budget.is_over() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The histogram knows the longest distance: the first positions with it, and their lines.
    fn longest_wins(
        &self,
        player: &mut Perfect<AnyGame, TableOracle>,
        table: &Table,
        slice: SliceId,
        budget: &Budget,
    ) -> Result<Vec<LongWin>, ExplorerError> {
        let (mut found, mut values) = (Vec::new(), Vec::new());
        let wins = table.histogram().iter().filter(|&(value, count)| value > 0 && count > 0);
        let Some((farthest, count)) = wins.min() else { return Ok(found) };
        for block in 0..table.blocks() {
            if found.len() as u64 == count.min(LONGEST) || budget.is_over() {
                break;
            }
            values.resize(table.header().block_len(block), 0);
            self.set().block(table, block, &mut values)?;
            let start = block * u64::from(table.header().block_positions);
            for (index, &value) in (start..).zip(&values) {
                if value != farthest || found.len() as u64 == LONGEST {
                    continue;
                }
                let Some(position) = self.game.unrank(slice, index) else { continue };
                let situation = Situation::new(position, Side::First);
                let line = self.play_perfectly(player, situation, PLIES, budget)?;
                let played = line.nodes.into_iter().filter_map(|node| node.played);
                found.push(LongWin {
                    position: self.game.format(&situation),
                    value: self.probe_position(&position)?.worth,
                    line: played.map(|played| played.name).collect(),
                });
            }
        }
        Ok(found)
    }

    fn examine(
        &self,
        slice: SliceId,
        index: u64,
        extremes: &mut Extremes,
    ) -> Result<(), ExplorerError> {
        let Some(position) = self.game.unrank(slice, index) else { return Ok(()) };
        if self.game.outcome(&position).is_some() {
            return Ok(());
        }
        let options = self.candidates(&position)?;
        let mut values: Vec<Score> =
            options.iter().filter_map(|option| option.value?.score()).collect();
        if values.is_empty() || values.len() < options.len() {
            return Ok(());
        }
        values.sort_unstable();
        let best = values[values.len() - 1];
        self.keep_largest(&mut extremes.richest, &position, best, best.into());
        if let [.., second, _] = values[..] {
            self.keep_largest(&mut extremes.luckiest, &position, best, i64::from(best - second));
        }
        Ok(())
    }

    fn follow(
        &self,
        player: &mut Perfect<AnyGame, TableOracle>,
        slice: SliceId,
        index: u64,
        budget: &Budget,
        extremes: &mut Extremes,
    ) -> Result<(), ExplorerError> {
        let Some(position) = self.game.unrank(slice, index) else { return Ok(()) };
        let Some(found) = self.known(&position)? else { return Ok(()) };
        let start = Situation::new(position, Side::First);
        let line = match self.play_perfectly(player, start, PLIES, budget) {
            // A clipped score does not show how it is realised.
            Err(ExplorerError::NoDatabase(_)) => return Ok(()),
            line => line?,
        };
        if line.over {
            let moves = line.nodes.len() as i64 - 1;
            let score = found.worth.proven().unwrap_or(0);
            self.keep_largest(&mut extremes.longest, &position, score, moves);
        }
        Ok(())
    }

    fn keep_largest(
        &self,
        place: &mut Option<Extreme>,
        position: &AnyPosition,
        score: Score,
        measure: i64,
    ) {
        if place.as_ref().is_none_or(|known| known.measure < measure) {
            let position = self.game.format(&Situation::new(*position, Side::First));
            *place = Some(Extreme { position, score, measure });
        }
    }
}

//! Puzzles: positions of the databases in which one move alone holds the result, and which levels
//! find it.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use nutcracker_any::{AnyGame, AnyMove, AnyPosition};
use nutcracker_game::{Numbering, Random, Rules, Side, Situation, SliceId};
use nutcracker_search::player::{Adviser, Fallible, Level};
use nutcracker_search::{EngineOptions, Limits, TableOracle, Worth};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::error::ExplorerError;
use super::{Budget, Explorer, Outcome};

/// Positions that are looked at before none is found.
const SAMPLES: u64 = 200_000;
/// Positions between two checks of the budget.
const CHECK_EVERY: u64 = 64;
/// How long one is looked for.
const TIME: Duration = Duration::from_secs(5);
/// Memory of the search of a level.
const TABLE: usize = 4 << 20;
/// A choice among fewer moves is no puzzle.
const LEAST_MOVES: usize = 3;
/// A level misses a move that it finds less often than this.
const MISSES_BELOW: f64 = 0.5;

/// Filters for puzzles.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct PuzzleFilters {
    /// The name of the slice; without it, the last one with a database.
    #[param(max_length = 100)]
    pub slice: Option<String>,
    /// At least this many levels miss the move.
    #[param(minimum = 0, maximum = 10)]
    pub min_missed: Option<usize>,
    /// At most this many levels miss the move.
    #[param(minimum = 0, maximum = 10)]
    pub max_missed: Option<usize>,
    /// The same number gives the same puzzle as long as the databases are the same.
    pub seed: Option<u64>,
}

/// A position in which one move alone holds the result.
#[derive(Debug, Serialize, ToSchema)]
pub struct Puzzle {
    /// The position.
    pub position: String,
    /// The side to move.
    #[schema(example = "south")]
    pub mover: &'static str,
    /// What it is worth to the side to move.
    pub value: Worth,
    /// What the only move holds: a win or a draw.
    pub outcome: Outcome,
    /// The number of legal moves.
    pub choices: usize,
    /// How many of the levels miss it: they find it in less than half of all tries.
    #[schema(minimum = 0, maximum = 10)]
    pub missed: usize,
    /// The same in words: `levels 1 to 5 miss it`.
    #[schema(example = "levels 1 to 5 miss it")]
    pub difficulty: String,
    /// How often each level finds it, by its own search without databases.
    pub levels: Vec<Chance>,
    /// Positions examined.
    pub examined: u64,
}

/// How often a level finds the move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Chance {
    /// The level, from 1.
    #[schema(minimum = 1, maximum = 10)]
    pub level: usize,
    /// From 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub finds: f64,
}

/// The only move that holds the result of a position.
struct OnlyMove {
    mv: AnyMove,
    value: Worth,
    outcome: Outcome,
    choices: usize,
}

impl Explorer {
    /// Finds a puzzle.
    pub fn puzzle(
        &self,
        filters: &PuzzleFilters,
        budget: &Budget,
    ) -> Result<Puzzle, ExplorerError> {
        let slice = self.slice_or_last(filters.slice.as_deref())?;
        let table = self.set().get(slice.0).map_err(|error| self.explain(error))?;
        let seed = filters.seed.unwrap_or_else(|| RandomState::new().hash_one(slice.0));
        let mut dice = Random::new(seed);
        let budget = budget.at_most(TIME);
        let (least, most) = (filters.min_missed.unwrap_or(0), filters.max_missed.unwrap_or(10));
        let mut levels = self.levels();
        let mut nearest: Option<usize> = None;
        for examined in 1..=SAMPLES {
            if examined % CHECK_EVERY == 0 && budget.is_over() {
                break;
            }
            let Some(position) = self.game.unrank(slice, dice.below(table.positions())) else {
                continue;
            };
            let Some(only) = self.only_move(&position)? else { continue };
            let chances = self.chances(&mut levels, &position, &only.mv, &budget)?;
            if budget.is_over() {
                break;
            }
            let missed = chances.iter().filter(|one| one.finds < MISSES_BELOW).count();
            if !(least..=most).contains(&missed) {
                nearest =
                    Some(nearest.map_or(missed, |before| closer(before, missed, least, most)));
                continue;
            }
            let situation = Situation::new(position, Side::First);
            return Ok(Puzzle {
                position: self.game.format(&situation),
                mover: self.game.side_name(situation.mover),
                value: only.value,
                outcome: only.outcome,
                choices: only.choices,
                missed,
                difficulty: in_words(&chances),
                levels: chances,
                examined,
            });
        }
        let label = self.game.slice_label(slice);
        Err(ExplorerError::NoMatch(match nearest {
            None => format!("no position of {label} in which one move alone holds was found"),
            Some(missed) => format!(
                "no such puzzle of {label} was found in the time allowed; the nearest is missed by \
                 {missed} levels"
            ),
        }))
    }

    /// A slice by its name, or the last one with a database.
    pub(super) fn slice_or_last(&self, name: Option<&str>) -> Result<SliceId, ExplorerError> {
        match name {
            Some(name) => self.slice_named(name),
            None => self.present(&self.set())?.last().copied().ok_or_else(|| {
                let usual = nutcracker_retro::default_set(&self.game).last().copied();
                ExplorerError::NoDatabase(self.missing(usual.unwrap_or(SliceId(0))))
            }),
        }
    }

    /// A player that uses no databases: what levels see.
    fn levels(&self) -> Adviser<AnyGame, TableOracle> {
        let oracle = Arc::new(TableOracle::unused(self.set()));
        let options = EngineOptions { threads: 1, table_bytes: TABLE, ..EngineOptions::default() };
        Adviser::new(self.game.clone(), oracle, options)
    }

    /// The only move that holds a win or a draw, where there is one and all moves are known.
    fn only_move(&self, position: &AnyPosition) -> Result<Option<OnlyMove>, ExplorerError> {
        let game = &self.game;
        if game.outcome(position).is_some() {
            return Ok(None);
        }
        let situation = Situation::new(*position, Side::First);
        let Some(value) = self.known(position)?.map(|found| found.worth) else { return Ok(None) };
        let Some(outcome) = Outcome::of(game, &situation, value) else { return Ok(None) };
        if outcome == Outcome::Loss || !value.is_exact() {
            return Ok(None);
        }
        let (_, options) = self.known_after(&self.historian()?, position, &[])?;
        let reached: Option<Vec<Outcome>> = options
            .iter()
            .map(|option| option.value.and_then(|value| Outcome::of(game, &situation, value)))
            .collect();
        let Some(reached) = reached else { return Ok(None) };
        let mut holding = reached.iter().enumerate().filter(|(_, one)| **one == outcome);
        let (Some((at, _)), None) = (holding.next(), holding.next()) else { return Ok(None) };
        let choices = options.len();
        let only = OnlyMove { mv: options[at].mv, value, outcome, choices };
        Ok((choices >= LEAST_MOVES).then_some(only))
    }

    /// How often each level finds a move, by what its search sees.
    fn chances(
        &self,
        levels: &mut Adviser<AnyGame, TableOracle>,
        position: &AnyPosition,
        mv: &AnyMove,
        budget: &Budget,
    ) -> Result<Vec<Chance>, ExplorerError> {
        let mut chances = Vec::new();
        let (mut searched, mut values) = (None, Vec::new());
        for (level, number) in Level::all().zip(1..) {
            let depth = level.depth();
            if searched != Some(depth) {
                let (time, stop) = (Some(budget.left()), Some(budget.flag()));
                let limits = Limits { depth, time, stop, ..Limits::default() };
                // What it says of a position depends on nothing that was searched before.
                levels.forget();
                let advice = levels.moves(position, &[], &limits);
                let advice = advice.map_err(|error| self.player_error(error))?;
                let seen = advice.values.iter().map(|(mv, value)| (*mv, value.hundredths()));
                values = seen.collect();
                searched = Some(depth);
            }
            let all = Fallible::new(&self.game, level).probabilities(&values);
            let place = values.iter().position(|(other, _)| other == mv);
            let finds = place.map_or(0.0, |place| all[place]);
            chances.push(Chance { level: number, finds: (1000.0 * finds).round() / 1000.0 });
        }
        Ok(chances)
    }
}

/// Which of two numbers of levels is nearer to a range.
fn closer(before: usize, now: usize, least: usize, most: usize) -> usize {
    let distance = |number: usize| least.saturating_sub(number) + number.saturating_sub(most);
    if distance(now) < distance(before) { now } else { before }
}

/// Which levels miss the move, in words.
fn in_words(chances: &[Chance]) -> String {
    let missing: Vec<usize> =
        chances.iter().filter(|one| one.finds < MISSES_BELOW).map(|one| one.level).collect();
    match missing[..] {
        [] => "every level finds it".to_owned(),
        _ if missing.len() == chances.len() => "every level misses it".to_owned(),
        [one] => format!("level {one} misses it"),
        [one, two] => format!("levels {one} and {two} miss it"),
        [first, .., last] if last - first + 1 == missing.len() => {
            format!("levels {first} to {last} miss it")
        }
        _ => {
            let all: Vec<String> = missing.iter().map(ToString::to_string).collect();
            format!("levels {} miss it", all.join(", "))
        }
    }
}

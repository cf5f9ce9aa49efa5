//! Positions found by what they are like.

use std::hash::{BuildHasher, RandomState};

use nutcracker_game::{Evaluate, Score, Side, Situation, SliceId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::error::ExplorerError;
use super::{Budget, Handle, Value};

/// Positions tried at random before the slice is read in sequence.
const THROWS: u64 = 20_000;
/// Positions between two looks at the clock.
const PATIENCE: u64 = 256;

/// What a position must be like.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// The slice; without it the last one there is.
    pub slice: Option<u32>,
    /// The score of the side to move.
    #[param(minimum = -127, maximum = 127)]
    pub score: Option<Score>,
    /// Its score is this or more.
    #[param(minimum = -127, maximum = 127)]
    pub min_score: Option<Score>,
    /// Its score is this or less.
    #[param(minimum = -127, maximum = 127)]
    pub max_score: Option<Score>,
    /// Exactly one move wins, or exactly one keeps the score.
    pub only: Option<Only>,
    /// The best moves bank nothing, or each of them something.
    pub captures: Option<Captures>,
    /// A move that is not best banks more than every best one.
    pub tempting: Option<bool>,
    /// The same number gives the same position as long as the databases are the same.
    pub seed: Option<u64>,
}

/// Which move there must be only one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// The winning move.
    Winning,
    /// The best move.
    Best,
}

/// What the best moves bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Captures {
    /// Nothing.
    None,
    /// Something.
    Some,
}

/// A position that was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct Random {
    /// The position.
    pub position: String,
    /// What it is worth to the side to move.
    pub value: Value,
    /// How many positions were looked at.
    pub examined: u64,
}

/// Numbers that look random: splitmix64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dice(pub u64);

impl Dice {
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^= word >> 31;
        // The high half of the product: even to within bound / 2^64.
        ((u128::from(word) * u128::from(bound)) >> 64) as u64
    }
}

impl Wanted {
    fn allows(&self, score: Score) -> bool {
        self.score.is_none_or(|wanted| score == wanted)
            && self.min_score.is_none_or(|least| score >= least)
            && self.max_score.is_none_or(|most| score <= most)
    }

    fn asks_for_moves(&self) -> bool {
        self.only.is_some() || self.captures.is_some() || self.tempting == Some(true)
    }
}

impl<G: Evaluate> Handle<G> {
    pub(super) fn find_random(
        &self,
        wanted: &Wanted,
        budget: &Budget,
    ) -> Result<Random, ExplorerError> {
        let last = self.set.slices()?.last().copied();
        let slice = wanted
            .slice
            .or(last)
            .ok_or_else(|| ExplorerError::NoDatabase(self.missing(self.small_set())))?;
        let table = self.set.get(slice).map_err(|error| self.explain(error))?;
        let none = |detail: String| Err(ExplorerError::NoMatch(detail));
        if !table.histogram().iter().any(|(score, _)| wanted.allows(score.into())) {
            return none(format!("no position of {} has such a score", self.slice_name(slice)));
        }
        let len = table.positions();
        let seed = wanted.seed.unwrap_or_else(|| RandomState::new().hash_one(slice));
        let mut dice = Dice(seed);
        let mut examined = 0;
        for _ in 0..THROWS {
            let index = dice.below(len);
            examined += 1;
            let score = self.set.cache().probe(&table, index)?;
            if wanted.allows(score.into())
                && let Some(found) = self.fits(wanted, slice, index, examined)?
            {
                return Ok(found);
            }
            if examined % PATIENCE == 0 && budget.is_over() {
                return none("none was found in the time allowed; ask for less".to_owned());
            }
        }
        // Few are like that: read on from a random block, once round.
        let blocks = table.blocks();
        let first = dice.below(blocks);
        let mut scores = Vec::new();
        for block in (first..blocks).chain(0..first) {
            if budget.is_over() {
                return none("none was found in the time allowed; ask for less".to_owned());
            }
            scores.resize(table.header().block_len(block), 0);
            table.decode_block(block, &mut scores)?;
            let start = block * u64::from(table.header().block_positions);
            for (index, &score) in (start..).zip(&scores) {
                examined += 1;
                if !wanted.allows(score.into()) {
                    continue;
                }
                if examined % PATIENCE == 0 && budget.is_over() {
                    break;
                }
                if let Some(found) = self.fits(wanted, slice, index, examined)? {
                    return Ok(found);
                }
            }
        }
        none(format!("no position of {} is like that", self.slice_name(slice)))
    }

    /// The position with this number if the game goes on there and its moves are as wanted.
    fn fits(
        &self,
        wanted: &Wanted,
        slice: u32,
        index: u64,
        examined: u64,
    ) -> Result<Option<Random>, ExplorerError> {
        let game = &self.game;
        let Some(position) = game.unrank(SliceId(slice), index) else { return Ok(None) };
        if game.outcome(&position).is_some() {
            return Ok(None);
        }
        let found = || -> Result<_, ExplorerError> {
            let situation = Situation::new(position, Side::First);
            let value = Value::from(self.found(&position)?);
            Ok(Some(Random { position: game.format(&situation), value, examined }))
        };
        if !wanted.asks_for_moves() {
            return found();
        }
        let options = match self.options(&position) {
            Err(ExplorerError::NoDatabase(_)) => return Ok(None),
            options => options?,
        };
        if options.iter().any(|option| option.best.is_none()) {
            return Ok(None);
        }
        let best = || options.iter().filter(|option| option.best == Some(true));
        let wins = |value: Option<Value>| value.is_some_and(|value| value.score > 0);
        let only = match wanted.only {
            None => true,
            Some(Only::Best) => best().count() == 1,
            Some(Only::Winning) => options.iter().filter(|option| wins(option.value)).count() == 1,
        };
        let captures = match wanted.captures {
            None => true,
            Some(Captures::None) => best().all(|option| option.step.gain == 0),
            Some(Captures::Some) => best().all(|option| option.step.gain > 0),
        };
        let most = best().map(|option| option.step.gain).max();
        let tempting = wanted.tempting != Some(true)
            || options.iter().any(|option| {
                option.best == Some(false) && most.is_some_and(|most| option.step.gain > most)
            });
        if only && captures && tempting { found() } else { Ok(None) }
    }
}

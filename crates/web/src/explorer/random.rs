//! Random positions that match filters.

use std::hash::{BuildHasher, RandomState};

use nutcracker_game::{Numbering, Random, Rules, Score, Side, Situation, SliceId};
use nutcracker_search::Worth;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::error::ExplorerError;
use super::{Budget, Explorer};

/// Positions sampled before the slice is scanned.
const SAMPLES: u64 = 20_000;
/// Positions between two checks of the budget.
const CHECK_EVERY: u64 = 256;

/// Filters for positions.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Filters {
    /// The name of the slice; without it, any with a database, by how many positions there have such a
    /// score.
    pub slice: Option<String>,
    /// The score of the side to move; with databases of distances, the value as their histogram has
    /// it.
    #[param(value_type = Option<i16>, minimum = -127, maximum = 127)]
    pub score: Option<Score>,
    /// Its score is this or more.
    #[param(value_type = Option<i16>, minimum = -127, maximum = 127)]
    pub min_score: Option<Score>,
    /// Its score is this or less.
    #[param(value_type = Option<i16>, minimum = -127, maximum = 127)]
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

/// Which move must be unique.
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

/// A matching position.
#[derive(Debug, Serialize, ToSchema)]
pub struct RandomPosition {
    /// The position.
    pub position: String,
    /// What it is worth to the side to move.
    pub value: Worth,
    /// Positions examined.
    pub examined: u64,
}

/// What sampling has found.
#[derive(Debug)]
pub enum Sampled {
    /// A matching position.
    Found(RandomPosition),
    /// None: matches are rare, and the slice has to be scanned.
    Rare(Scan),
}

/// Where a scan begins.
#[derive(Debug)]
pub struct Scan {
    slice: SliceId,
    dice: Random,
    examined: u64,
}

impl Filters {
    fn allows(&self, score: Score) -> bool {
        self.score.is_none_or(|exact| score == exact)
            && self.min_score.is_none_or(|least| score >= least)
            && self.max_score.is_none_or(|most| score <= most)
    }

    fn concern_moves(&self) -> bool {
        self.only.is_some() || self.captures.is_some() || self.tempting == Some(true)
    }
}

impl Explorer {
    /// Looks for a position that matches filters among some thousand of the slice.
    pub fn sample(&self, filters: &Filters, budget: &Budget) -> Result<Sampled, ExplorerError> {
        let seed = filters.seed.unwrap_or_else(|| RandomState::new().hash_one(filters.score));
        let mut dice = Random::new(seed);
        let slice = self.slice_for(filters, &mut dice)?;
        let set = self.set();
        let table = set.get(slice.0).map_err(|error| self.explain(error))?;
        let none = |detail: String| Err(ExplorerError::NoMatch(detail));
        let len = table.positions();
        let mut examined = 0;
        for _ in 0..SAMPLES {
            let index = dice.below(len);
            examined += 1;
            let score = set.value(&table, index)?;
            if filters.allows(score.into())
                && let Some(found) = self.matching(filters, slice, index, examined)?
            {
                return Ok(Sampled::Found(found));
            }
            if examined % CHECK_EVERY == 0 && budget.is_over() {
                return none("nothing matched in the time allowed; relax the filters".to_owned());
            }
        }
        Ok(Sampled::Rare(Scan { slice, dice, examined }))
    }

    /// The slice with the name that filters have; without one, any, the more likely the more of its
    /// positions have such a score.
    fn slice_for(&self, filters: &Filters, dice: &mut Random) -> Result<SliceId, ExplorerError> {
        let set = self.set();
        let slices = match filters.slice.as_deref() {
            Some(name) => vec![self.slice_named(name)?],
            // An error where there is none at all.
            None => self.slice_or_last(None).and_then(|_| self.present(&set))?,
        };
        let mut counts = Vec::with_capacity(slices.len());
        for &slice in &slices {
            let table = set.get(slice.0).map_err(|error| self.explain(error))?;
            let allowed =
                table.histogram().iter().filter(|&(score, _)| filters.allows(score.into()));
            counts.push(allowed.map(|(_, count)| count).sum::<u64>());
        }
        let all: u64 = counts.iter().sum();
        if all == 0 {
            let label = match slices[..] {
                [only] => self.game.slice_label(only),
                _ => "any database".to_owned(),
            };
            let detail = format!("no position of {label} has such a score");
            return Err(ExplorerError::NoMatch(detail));
        }
        let mut place = if slices.len() > 1 { dice.below(all) } else { 0 };
        let chosen = counts.iter().position(|&count| {
            let here = place < count;
            place = place.saturating_sub(count);
            here
        });
        Ok(slices[chosen.unwrap_or_default()])
    }

    /// Finds a position that matches filters: by sampling, or by a scan.
    pub(super) fn random(
        &self,
        filters: &Filters,
        budget: &Budget,
    ) -> Result<RandomPosition, ExplorerError> {
        match self.sample(filters, budget)? {
            Sampled::Found(found) => Ok(found),
            Sampled::Rare(scan) => self.scan(filters, scan, budget),
        }
    }

    /// Looks for a position that matches filters in the whole slice, from a random block, once round.
    pub fn scan(
        &self,
        filters: &Filters,
        Scan { slice, mut dice, mut examined }: Scan,
        budget: &Budget,
    ) -> Result<RandomPosition, ExplorerError> {
        let none = |detail: String| Err(ExplorerError::NoMatch(detail));
        let set = self.set();
        let table = set.get(slice.0).map_err(|error| self.explain(error))?;
        let blocks = table.blocks();
        let first = dice.below(blocks);
        let mut scores = Vec::new();
        for block in (first..blocks).chain(0..first) {
            if budget.is_over() {
                return none("nothing matched in the time allowed; relax the filters".to_owned());
            }
            scores.resize(table.header().block_len(block), 0);
            set.block(&table, block, &mut scores)?;
            let start = block * u64::from(table.header().block_positions);
            for (index, &score) in (start..).zip(&scores) {
                examined += 1;
                if !filters.allows(score.into()) {
                    continue;
                }
                if examined % CHECK_EVERY == 0 && budget.is_over() {
                    break;
                }
                if let Some(found) = self.matching(filters, slice, index, examined)? {
                    return Ok(found);
                }
            }
        }
        none(format!("no position of {} matches the filters", self.game.slice_label(slice)))
    }

    /// Whether positions are wanted where the game is over: those that are lost in 0 moves, in a
    /// histogram of distances.
    fn wants_ended(&self, filters: &Filters) -> bool {
        let metric = self.databases().metric;
        metric.is_distance() && filters.score == Some(metric.over(-1)) && !filters.concern_moves()
    }

    /// The position with this number if its moves match; one that is terminal only where such are
    /// wanted.
    fn matching(
        &self,
        filters: &Filters,
        slice: SliceId,
        index: u64,
        examined: u64,
    ) -> Result<Option<RandomPosition>, ExplorerError> {
        let game = &self.game;
        // A number without a position, or a position where the game is over.
        let Some(position) = game.unrank(slice, index) else { return Ok(None) };
        if game.outcome(&position).is_some() && !self.wants_ended(filters) {
            return Ok(None);
        }
        let found = || -> Result<_, ExplorerError> {
            let situation = Situation::new(position, Side::First);
            let value = self.probe_position(&position)?.worth;
            Ok(Some(RandomPosition { position: game.format(&situation), value, examined }))
        };
        if !filters.concern_moves() {
            return found();
        }
        let options = match self.candidates(&position) {
            Err(ExplorerError::NoDatabase(_)) => return Ok(None),
            options => options?,
        };
        if options.iter().any(|option| option.best.is_none()) {
            return Ok(None);
        }
        let best = || options.iter().filter(|option| option.best == Some(true));
        let wins = |value: Option<Worth>| {
            value.is_some_and(|value| value.proven().is_some_and(|score| score > 0))
        };
        let only = match filters.only {
            None => true,
            Some(Only::Best) => best().count() == 1,
            Some(Only::Winning) => options.iter().filter(|option| wins(option.value)).count() == 1,
        };
        let captures = match filters.captures {
            None => true,
            Some(Captures::None) => best().all(|option| option.step.gain == 0),
            Some(Captures::Some) => best().all(|option| option.step.gain > 0),
        };
        let most = best().map(|option| option.step.gain).max();
        let tempting = filters.tempting != Some(true)
            || options.iter().any(|option| {
                option.best == Some(false) && most.is_some_and(|most| option.step.gain > most)
            });
        if only && captures && tempting { found() } else { Ok(None) }
    }
}

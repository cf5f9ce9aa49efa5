//! How often players err where databases count moves, by their model, over the positions of a class;
//! and so which competence makes a player of some strength there.

use std::collections::HashMap;
use std::sync::Arc;

use nutcracker_game::{Game, Random, SliceId, closure};

use super::distance::values_of_steps;
use super::{Fallible, Perfect, PlayerError, Prospect, Reference, SlicePart, part_of, reached};
use crate::Oracle;

/// Numbers that are tried for a sample of a class; not all of them stand for positions with moves.
const SAMPLE: u64 = 2_000;
/// In a class of at most this many numbers, rates are exact.
const EXACT: u64 = 100_000;
/// Halvings of an interval of competences.
const STEPS: u32 = 40;

/// What moves lead to in many positions of a class.
#[derive(Clone, Debug)]
pub struct Trials {
    /// How far away a win and a loss are at most.
    farthest: [u16; 2],
    /// For each position, what moves lead to, and how many lead there.
    positions: Vec<Vec<(Prospect, u32)>>,
}

impl Trials {
    /// Tries as many numbers of these parts as `tries` says, all of them if there are no more, else
    /// at random. `None` where databases do not count moves.
    pub fn new<G: Game, O: Oracle>(
        game: &G,
        oracle: &O,
        parts: &[SlicePart],
        tries: u64,
    ) -> Result<Option<Self>, PlayerError<O::Error>> {
        let mut trials = Trials { farthest: [0; 2], positions: Vec::new() };
        let all: u64 = parts.iter().map(|(_, range)| range.end - range.start).sum();
        let (mut random, mut steps) = (Random::new(1), Vec::new());
        for (slice, range) in parts.iter().cloned() {
            if !oracle.covers(slice) {
                return Ok(None);
            }
            let metric = oracle.metric(slice).map_err(PlayerError::Oracle)?;
            if !metric.counts_down() {
                return Ok(None);
            }
            let here = oracle.farthest(slice).map_err(PlayerError::Oracle)?;
            trials.farthest = [0, 1].map(|result| here[result].max(trials.farthest[result]));
            let len = range.end - range.start;
            let tries = if tries >= all { len } else { (tries * len).div_ceil(all) };
            for turn in 0..tries {
                let place = if tries == len { turn } else { random.below(len) };
                let Some(position) = game.unrank(slice, range.start + place) else { continue };
                if game.outcome(&position).is_some() {
                    continue;
                }
                steps.clear();
                game.steps(&position, &mut steps);
                let values = match values_of_steps(game, oracle, metric, &steps) {
                    Err(PlayerError::NoDatabase { .. }) => continue,
                    values => values?,
                };
                let Some(values) = values else { return Ok(None) };
                let mut counts: Vec<(Prospect, u32)> = Vec::new();
                for value in values {
                    let prospect = Prospect::of(metric, value);
                    match counts.iter_mut().find(|(other, _)| *other == prospect) {
                        Some((_, count)) => *count += 1,
                        None => counts.push((prospect, 1)),
                    }
                }
                trials.positions.push(counts);
            }
        }
        Ok(Some(trials))
    }

    /// How far away a win and a loss are at most.
    pub fn farthest(&self) -> [u16; 2] {
        self.farthest
    }

    /// The player of a competence in this class.
    pub fn player(&self, competence: f64) -> Reference {
        Reference::new(competence, self.farthest)
    }

    /// The sums over all positions of the chance of a move that is not the best, and of one that gives
    /// the result away.
    fn errors(&self, player: &Reference) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for counts in &self.positions {
            let best = counts.iter().map(|&(to, _)| to).max_by_key(|to| to.order());
            let Some(best) = best else { continue };
            let (mut all, mut errs) = (0.0, [0.0; 2]);
            for &(to, count) in counts {
                let weight = f64::from(count) * player.weight(to, best);
                all += weight;
                errs[0] += if to == best { 0.0 } else { weight };
                errs[1] += if to.result() == best.result() { 0.0 } else { weight };
            }
            sums = [sums[0] + errs[0] / all, sums[1] + errs[1] / all];
        }
        sums
    }

    /// How often a player errs: the chance of a move that is not the best, and of one that gives the
    /// result away.
    pub fn rates(&self, player: &Reference) -> [f64; 2] {
        self.errors(player).map(|sum| sum / self.positions.len().max(1) as f64)
    }

    /// The competence of a player whose moves are not the best this share as often as those of a blind
    /// one. The chance of a best move grows with the competence in every position, so there is one.
    pub fn competence(&self, share: f64) -> f64 {
        let slips = |competence: f64| self.rates(&self.player(competence))[0];
        let wanted = share * slips(0.0);
        let (mut low, mut high) = (0.0, 1.0);
        while slips(high) > wanted {
            (low, high) = (high, 2.0 * high);
            if high > 1e6 {
                return f64::INFINITY;
            }
        }
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            if slips(middle) > wanted { low = middle } else { high = middle }
        }
        high
    }
}

/// What was found before.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// By slice; `None` where databases do not count moves.
    trials: HashMap<SliceId, Option<Arc<Trials>>>,
    /// By slice, and the bits of the share of errors.
    players: HashMap<(SliceId, u64), Reference>,
}

impl<G: Game, O: Oracle> Perfect<G, O> {
    /// Positions of a slice and of those below it; the same ones every time. `None` where databases do
    /// not count moves.
    pub fn trials(&mut self, slice: SliceId) -> Result<Option<Arc<Trials>>, PlayerError<O::Error>> {
        if let Some(known) = self.known.trials.get(&slice) {
            return Ok(known.clone());
        }
        let below = closure(&self.game, [slice]).into_iter();
        let covered = below.filter(|&slice| self.oracle.covers(slice));
        let parts: Vec<SlicePart> =
            covered.map(|slice| (slice, 0..self.game.slice_len(slice))).collect();
        let found = Trials::new(&self.game, &self.oracle, &parts, SAMPLE)?.map(Arc::new);
        self.known.trials.insert(slice, found.clone());
        Ok(found)
    }

    /// A fallible player as it plays in a slice where databases count moves.
    pub fn reference(
        &mut self,
        slice: SliceId,
        fallible: &Fallible,
    ) -> Result<Option<Reference>, PlayerError<O::Error>> {
        let share = fallible.share();
        if let Some(&known) = self.known.players.get(&(slice, share.to_bits())) {
            return Ok(Some(known));
        }
        let Some(trials) = self.trials(slice)? else { return Ok(None) };
        let player = trials.player(trials.competence(share));
        self.known.players.insert((slice, share.to_bits()), player);
        Ok(Some(player))
    }

    /// How often a fallible player errs in these parts, by its model: the chance that a move is not the
    /// best, and the chance that it gives the result away; over all positions where they are few, else
    /// over a sample. `None` where databases do not count moves.
    pub fn error_rates(
        &mut self,
        parts: &[SlicePart],
        fallible: &Fallible,
    ) -> Result<Option<[f64; 2]>, PlayerError<O::Error>> {
        self.rates_until(parts, fallible, &|| false)
    }

    /// The same from a position on, in which the player is to move if it `begins`: over the parts in
    /// which it can be to move later. `None` also where `stop` ends the work before its time.
    pub fn error_rates_from(
        &mut self,
        start: &G::Position,
        begins: bool,
        fallible: &Fallible,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<[f64; 2]>, PlayerError<O::Error>> {
        let covered = self.oracle.covers(self.game.slice_of(start));
        let Some(part) = part_of(&self.game, start).filter(|_| covered) else { return Ok(None) };
        // Once it has to stop, nothing more is reached.
        let [own, others] = reached(&self.game, &part, &|_| !stop());
        self.rates_until(if begins { &own } else { &others }, fallible, stop)
    }

    fn rates_until(
        &mut self,
        parts: &[SlicePart],
        fallible: &Fallible,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<[f64; 2]>, PlayerError<O::Error>> {
        let all: u64 = parts.iter().map(|(_, range)| range.end - range.start).sum();
        let (mut sums, mut positions) = ([0.0; 2], 0);
        for part in parts {
            if stop() {
                return Ok(None);
            }
            let Some(player) = self.reference(part.0, fallible)? else { return Ok(None) };
            let len = part.1.end - part.1.start;
            let tries = if all <= EXACT { len } else { (SAMPLE * len).div_ceil(all) };
            let here = Trials::new(&self.game, &self.oracle, std::slice::from_ref(part), tries)?;
            let Some(here) = here else { return Ok(None) };
            let errors = here.errors(&player);
            sums = [sums[0] + errors[0], sums[1] + errors[1]];
            positions += here.positions.len();
        }
        Ok((positions > 0).then(|| sums.map(|sum| sum / positions as f64)))
    }
}

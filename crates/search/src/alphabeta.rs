//! Negamax.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use nutcracker_game::{Evaluate, Score, Turn};

use crate::{EngineOptions, Limits, Oracle, Report, SearchError, Value};

pub(crate) struct Worker<'a, G: Evaluate, O> {
    game: &'a G,
    oracle: &'a O,
    weights: Vec<f32>,
    limits: &'a Limits<'a>,
    path: Vec<G::Position>,
    nodes: u64,
    probes: u64,
}

/// A guess with the proven bounds around it.
struct Found {
    value: i32,
    lower: Score,
    upper: Score,
}

impl<'a, G: Evaluate, O: Oracle> Worker<'a, G, O> {
    pub(crate) fn new(
        game: &'a G,
        oracle: &'a O,
        options: &EngineOptions,
        limits: &'a Limits<'a>,
        history: &[G::Position],
    ) -> Self {
        let weights = options.weights.clone().unwrap_or_else(|| game.fitted().to_vec());
        Worker { game, oracle, weights, limits, path: history.to_vec(), nodes: 0, probes: 0 }
    }

    pub(crate) fn iterate(
        &mut self,
        root: &G::Position,
        depth: u32,
        started: Instant,
    ) -> Result<Option<Report<G::Move>>, SearchError<O::Error>> {
        let mut line = Vec::new();
        let length = self.path.len();
        let found = self.node(root, depth, started, depth > 0, &mut line);
        self.path.truncate(length);
        let Some(found) = found? else { return Ok(None) };
        if line.is_empty() {
            self.game.moves(root, &mut line);
            line.truncate(1);
        }
        let max = self.game.max_score(self.game.slice_of(root));
        Ok(Some(Report {
            depth,
            value: Value::of(found.value, found.lower, found.upper, max),
            bounds: (found.lower, found.upper),
            line,
            nodes: self.nodes,
            elapsed: started.elapsed(),
            table_permille: 0,
            probes: self.probes,
        }))
    }

    fn halted(&self, started: Instant) -> bool {
        self.limits.nodes.is_some_and(|nodes| self.nodes >= nodes)
            || self.limits.time.is_some_and(|time| started.elapsed() >= time)
            || self.limits.stop.is_some_and(|stop| stop.load(Relaxed))
    }

    fn node(
        &mut self,
        position: &G::Position,
        depth: u32,
        started: Instant,
        haltable: bool,
        line: &mut Vec<G::Move>,
    ) -> Result<Option<Found>, SearchError<O::Error>> {
        let exact =
            |score: Score| Found { value: 100 * i32::from(score), lower: score, upper: score };
        if haltable && self.halted(started) {
            return Ok(None);
        }
        self.nodes += 1;
        if let Some(score) = self.game.outcome(position) {
            return Ok(Some(exact(score)));
        }
        if self.path.contains(position) {
            return Ok(Some(exact(0)));
        }
        let slice = self.game.slice_of(position);
        if self.oracle.covers(slice) && depth == 0 {
            self.probes += 1;
            let score = self.oracle.score(slice, self.game.rank(position));
            return Ok(Some(exact(score.map_err(SearchError::Oracle)?)));
        }
        let max = self.game.max_score(slice);
        if depth == 0 {
            let value = self.game.evaluate(position, &self.weights);
            return Ok(Some(Found { value, lower: -max, upper: max }));
        }
        let mut moves = Vec::new();
        self.game.moves(position, &mut moves);
        let mut best = Found { value: i32::MIN, lower: -max, upper: -max };
        self.path.push(*position);
        for mv in moves {
            let step = self.game.play(position, &mv);
            let mut rest = Vec::new();
            let found = self.node(&step.next, depth - 1, started, true, &mut rest)?;
            let Some(found) = found else { return Ok(None) };
            let gain = 100 * i32::from(step.gain);
            let (value, lower, upper) = match step.turn {
                Turn::Passes => {
                    (gain - found.value, step.value(found.upper), step.value(found.lower))
                }
                Turn::Stays => {
                    (gain + found.value, step.value(found.lower), step.value(found.upper))
                }
            };
            if value > best.value {
                best.value = value;
                line.clear();
                line.push(mv);
                line.append(&mut rest);
            }
            best.lower = best.lower.max(lower);
            best.upper = best.upper.max(upper);
        }
        self.path.pop();
        Ok(Some(best))
    }
}

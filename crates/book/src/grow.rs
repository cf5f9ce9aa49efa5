//! The loop that grows a book: choose leaves, query experts, apply their values.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use nutcracker_game::Game;
use nutcracker_search::Worth;

use crate::error::Result;
use crate::expert::Expert;
use crate::facts::Facts;
use crate::graph::Book;
use crate::node::NodeId;
use crate::select::Strategy;
use crate::store::Store;
use crate::value::Value;

/// After an expert has taken this long, its values are written at once.
const COMMIT_AT_ONCE_FROM: Duration = Duration::from_millis(100);

/// While experts work, pending changes are written with this delay.
const COMMIT_INTERVAL: Duration = Duration::from_millis(50);
/// An expert that took less than this the last time is queried without a thread.
const INLINE_BELOW: Duration = Duration::from_millis(1);

/// How a book is grown.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// Strategies with their weights.
    pub mix: Vec<(Strategy, f64)>,
    /// Leaves chosen at once, so that several experts can work in parallel.
    pub at_once: usize,
    /// Expansions after which it ends.
    pub expansions: Option<u64>,
    /// Nodes in the book at which it ends.
    pub nodes: Option<u64>,
    /// When it ends.
    pub until: Option<Instant>,
    /// It ends soon after this becomes true.
    pub stop: Option<&'a AtomicBool>,
}

impl Plan<'_> {
    /// One strategy, one leaf at a time, without end.
    pub fn new(strategy: Strategy) -> Self {
        Plan {
            mix: vec![(strategy, 1.0)],
            at_once: 1,
            expansions: None,
            nodes: None,
            until: None,
            stop: None,
        }
    }
}

/// Why growth ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The start position is solved.
    Solved,
    /// The limit of the plan is reached.
    Planned,
    /// No open leaf is left that the start position depends on.
    Exhausted,
    /// It was stopped.
    Stopped,
}

/// The progress after each round.
#[derive(Clone, Copy, Debug)]
pub struct Status<'a> {
    /// Facts about the whole book.
    pub facts: &'a Facts,
    /// The value of the start position.
    pub value: Value,
    /// Expansions of this run.
    pub expansions: u64,
}

impl<G: Game, S: Store> Book<G, S> {
    /// Grows the book by a plan. Experts evaluate positions in parallel, one thread each; at the
    /// end all changes are committed.
    pub fn grow<E: Expert<G> + Send>(
        &mut self,
        experts: &mut [E],
        plan: &Plan<'_>,
        on_status: &mut dyn FnMut(&Status<'_>),
    ) -> Result<Ended> {
        let outcome = self.rounds(experts, plan, on_status);
        // What was found before a failure is kept.
        self.commit()?;
        outcome
    }

    fn rounds<E: Expert<G> + Send>(
        &mut self,
        experts: &mut [E],
        plan: &Plan<'_>,
        on_status: &mut dyn FnMut(&Status<'_>),
    ) -> Result<Ended> {
        let mut turns = Turns::new(&plan.mix);
        let mut expansions = 0;
        loop {
            let value = self.root_value()?;
            on_status(&Status { facts: &self.facts, value, expansions });
            if value.is_solved() {
                return Ok(Ended::Solved);
            }
            if plan.stop.is_some_and(|stop| stop.load(Relaxed)) {
                return Ok(Ended::Stopped);
            }
            let left = plan.expansions.map_or(u64::MAX, |most| most.saturating_sub(expansions));
            let full = plan.nodes.is_some_and(|most| self.facts.nodes >= most);
            if left == 0 || full || plan.until.is_some_and(|until| Instant::now() >= until) {
                return Ok(Ended::Planned);
            }
            let count = (plan.at_once.max(1) as u64).min(left) as usize;
            let mut leaves = self.choose(turns.next(), count)?;
            if leaves.is_empty() {
                // A book that seems finished may depend on cycles that have not been searched for.
                self.find_cycles()?;
                leaves = self.choose(turns.next(), count)?;
                if leaves.is_empty() {
                    let solved = self.root_value()?.is_solved();
                    return Ok(if solved { Ended::Solved } else { Ended::Exhausted });
                }
            }
            expansions += self.expand_all(&leaves, experts)?;
            if self.cycles_are_due() {
                self.find_cycles()?;
            }
        }
    }

    /// Expands leaves after experts have evaluated all new positions, each once.
    pub fn expand_all<E: Expert<G> + Send>(
        &mut self,
        leaves: &[NodeId],
        experts: &mut [E],
    ) -> Result<u64> {
        let mut wanted: Vec<(String, G::Position)> = Vec::new();
        let mut prepared = Vec::with_capacity(leaves.len());
        for &leaf in leaves {
            let leaf = self.prepare(leaf)?;
            let new = leaf.wanted(self.game());
            prepared.push(leaf);
            for (key, position) in new {
                if leaves.len() == 1 || !wanted.iter().any(|(known, _)| *known == key) {
                    wanted.push((key, position));
                }
            }
        }
        let began = Instant::now();
        let values = match experts {
            [expert] if self.last_evaluation < INLINE_BELOW => {
                wanted.into_iter().map(|(key, at)| Ok((key, expert.evaluate(&at)?))).collect()
            }
            _ => self.evaluate_in_parallel(experts, &wanted),
        }?;
        self.last_evaluation = began.elapsed();
        let expensive = self.last_evaluation >= COMMIT_AT_ONCE_FROM;
        for leaf in prepared {
            self.expand_prepared(leaf, &values)?;
        }
        if expensive {
            self.commit()?;
        } else {
            self.commit_if_due()?;
        }
        Ok(leaves.len() as u64)
    }

    /// Evaluates positions by experts, one thread each; meanwhile pending changes are written.
    fn evaluate_in_parallel<E: Expert<G> + Send>(
        &mut self,
        experts: &mut [E],
        wanted: &[(String, G::Position)],
    ) -> Result<HashMap<String, Worth>> {
        let next = AtomicUsize::new(0);
        let (sender, received) = mpsc::channel();
        std::thread::scope(|scope| {
            for expert in experts {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while let Some((key, position)) = wanted.get(next.fetch_add(1, Relaxed)) {
                        let opinion =
                            expert.evaluate(position).map(|opinion| (key.clone(), opinion));
                        if sender.send(opinion).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut values = HashMap::new();
            loop {
                match received.recv_timeout(COMMIT_INTERVAL) {
                    Ok(opinion) => values.extend([opinion?]),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(values),
                }
                self.commit_if_due()?;
            }
        })
    }
}

/// Takes strategies in turn, in proportion to their weights.
struct Turns<'a> {
    mix: &'a [(Strategy, f64)],
    credit: Vec<f64>,
}

impl<'a> Turns<'a> {
    fn new(mix: &'a [(Strategy, f64)]) -> Self {
        Turns { mix, credit: vec![0.0; mix.len()] }
    }

    fn next(&mut self) -> Strategy {
        let total: f64 = self.mix.iter().map(|(_, share)| share).sum();
        for (credit, (_, share)) in self.credit.iter_mut().zip(self.mix) {
            *credit += share;
        }
        let most = self.credit.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        match most.map(|(at, _)| at) {
            Some(at) => {
                self.credit[at] -= total;
                self.mix[at].0
            }
            None => Strategy::BestFirst,
        }
    }
}

#[cfg(test)]
mod tests;

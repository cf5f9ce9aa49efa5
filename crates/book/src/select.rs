//! Which leaf to expand next.

use std::collections::HashSet;

use nutcracker_game::{Game, Turn};

use crate::cache::NodeMap;
use crate::cost::toll;
use crate::effort::{Aim, REPEATS, Threshold, at_least};
use crate::error::Result;
use crate::graph::Book;
use crate::node::{Edge, Metric, NEVER, NodeId, State};
use crate::store::Store;
use crate::value::Hundredths;

/// How the next leaf is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strategy {
    /// The leaf at the end of the best moves of both sides.
    BestFirst,
    /// The leaf that an opponent would most like to reach to leave the book: near, and not much
    /// worse than the best.
    DropOut(Player),
    /// The leaf most likely to change the value of the root: the fewest that must change together.
    Conspiracy,
    /// The leaf that the smallest proof of the root's value needs.
    Proof,
}

/// Whose book is grown by [`Strategy::DropOut`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Player {
    /// Who moves in the start position.
    First,
    /// The other one.
    Second,
    /// Whoever has the nearer leaf.
    Both,
}

/// Guesses without the leaves that are claimed; `None` where nothing else is left.
type Without = NodeMap<Option<Hundredths>>;

/// How often a guess may change while a claim is worked in: enough unless it goes round.
const ROUNDS: u32 = 8;

impl<G: Game, S: Store> Book<G, S> {
    /// The leaves that a strategy would choose one after the other if expanding them changed
    /// nothing, at most `count`; none if the root is solved or no open leaf can be reached.
    pub fn choose(&mut self, strategy: Strategy, count: usize) -> Result<Vec<NodeId>> {
        let mut leaves = Vec::new();
        let mut without = Without::default();
        self.refresh_efforts()?;
        while leaves.len() < count && !self.root_value()?.is_solved() {
            let leaf = match strategy {
                Strategy::BestFirst => None,
                Strategy::DropOut(Player::First) => self.follow(Metric::Book)?,
                Strategy::DropOut(Player::Second) => self.follow(Metric::Opponent)?,
                Strategy::DropOut(Player::Both) => {
                    let root = self.root();
                    let node = self.node(root)?;
                    let first = node.cost(Metric::Book) <= node.cost(Metric::Opponent);
                    self.follow(if first { Metric::Book } else { Metric::Opponent })?
                }
                Strategy::Conspiracy => self.conspire()?,
                Strategy::Proof => self.prove()?,
            };
            // Where the costs know no leaf, such as behind a proven best move, the best one left
            // still brings the root nearer to its proof.
            let leaf = match leaf {
                Some(leaf) => Some(leaf),
                None => self.best_leaf(&without)?,
            };
            let Some(leaf) = leaf else { break };
            leaves.push(leaf);
            if leaves.len() < count {
                self.claim(leaf)?;
                self.efforts.ways = self.refresh_efforts()?;
                self.leave_out(&mut without, leaf)?;
            }
        }
        self.release_claims()?;
        Ok(leaves)
    }

    /// The leaf that a proof of what the root looks worth needs: that it is worth as much, or
    /// that it is not worth more, whatever is nearer.
    fn prove(&mut self) -> Result<Option<NodeId>> {
        let value = self.root_value()?;
        let score = score_like(value.estimate());
        let mut nearest = None;
        for (open, least, above) in [
            (i32::from(value.lower) < score, score, true),
            (i32::from(value.upper) > score, score + 1, false),
        ] {
            if open {
                self.consider(Aim::Prove, at_least(least), above, &mut nearest)?;
            }
        }
        let leaf = self.leaf_of(Aim::Prove, nearest)?;
        self.efforts.stuck |= leaf.is_none();
        Ok(leaf)
    }

    /// The leaf of the fewest that must change together to change the score that the root looks
    /// worth.
    fn conspire(&mut self) -> Result<Option<NodeId>> {
        let score = score_like(self.root_value()?.estimate());
        let mut nearest = None;
        for (least, above) in [(score + 1, true), (score, false)] {
            self.consider(Aim::Change, at_least(least), above, &mut nearest)?;
        }
        match self.leaf_of(Aim::Change, nearest)? {
            // Nothing but a repetition keeps the score as it is: it is settled, if not proven.
            None => self.prove(),
            found => Ok(found),
        }
    }

    fn consider(
        &mut self,
        aim: Aim,
        threshold: Threshold,
        above: bool,
        nearest: &mut Option<(u32, Threshold, bool)>,
    ) -> Result<()> {
        let effort = self.effort(aim, threshold)?;
        let effort = if above { effort.above } else { effort.below };
        if effort > 0 && effort < REPEATS && nearest.is_none_or(|(least, ..)| effort < least) {
            *nearest = Some((effort, threshold, above));
        }
        Ok(())
    }

    fn leaf_of(
        &mut self,
        aim: Aim,
        nearest: Option<(u32, Threshold, bool)>,
    ) -> Result<Option<NodeId>> {
        match nearest {
            Some((_, threshold, above)) => self.leaf_for(aim, threshold, above),
            None => Ok(None),
        }
    }

    /// Follows a cost from the root to the leaf that it rests on.
    fn follow(&mut self, metric: Metric) -> Result<Option<NodeId>> {
        let (mut id, mut metric) = (self.root(), metric);
        let mut path = HashSet::new();
        while path.insert(id) {
            let node = self.node(id)?;
            let cost = node.cost(metric);
            if cost == NEVER || node.value.is_solved() {
                return Ok(None);
            }
            if node.state == State::Leaf {
                return Ok(Some(id).filter(|leaf| !self.claimed.contains(leaf)));
            }
            let Some(at) = self.cheapest(id, metric)? else { return Ok(None) };
            let edge = self.node(id)?.edges[at];
            (id, metric) = (edge.child, metric.after(edge.turn));
        }
        Ok(None)
    }

    /// The move that a cost rests on.
    fn cheapest(&mut self, id: NodeId, metric: Metric) -> Result<Option<usize>> {
        let ways = self.options(id, metric)?;
        let tuning = self.facts.tuning;
        let best = ways.iter().map(|way| way.estimate).max();
        let open = ways.iter().enumerate().filter_map(|(at, way)| {
            let toll = toll(&tuning, metric, best?, way)?;
            (way.cost != NEVER).then(|| (way.cost.saturating_add(toll), -way.estimate, at))
        });
        Ok(open.min().map(|(_, _, at)| at))
    }

    /// The open leaf at the end of the best moves, claimed ones left out; where the best moves
    /// lead to none, the next best.
    fn best_leaf(&mut self, without: &Without) -> Result<Option<NodeId>> {
        let mut seen = HashSet::new();
        let mut stack = vec![self.root()];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) || self.claimed.contains(&id) {
                continue;
            }
            let node = self.node(id)?;
            if node.value.is_solved() {
                continue;
            }
            if node.state == State::Leaf {
                return Ok(Some(id));
            }
            let mut open = Vec::new();
            for edge in self.node(id)?.edges.clone() {
                if let Some(estimate) = self.estimate_without(without, &edge)? {
                    open.push((estimate, edge.child));
                }
            }
            // The last one is looked at first; of equal ones the first in the order of the rules.
            open.reverse();
            open.sort_by_key(|&(estimate, _)| estimate);
            stack.extend(open.into_iter().map(|(_, child)| child));
        }
        Ok(None)
    }

    /// What a move looks worth to its mover.
    fn estimate_without(&mut self, without: &Without, edge: &Edge) -> Result<Option<Hundredths>> {
        let estimate = match without.get(&edge.child) {
            Some(&estimate) => estimate,
            None => Some(self.node(edge.child)?.value.estimate()),
        };
        let gain = 100 * Hundredths::from(edge.gain);
        Ok(estimate.map(|estimate| match edge.turn {
            Turn::Passes => gain - estimate,
            Turn::Stays => gain + estimate,
        }))
    }

    /// Takes a leaf out of all guesses above it, as if it were not in the book.
    fn leave_out(&mut self, without: &mut Without, leaf: NodeId) -> Result<()> {
        without.insert(leaf, None);
        let mut open = self.node(leaf)?.parents.clone();
        let mut rounds: NodeMap<u32> = NodeMap::default();
        while let Some(id) = open.pop() {
            let round = rounds.entry(id).or_insert(0);
            *round += 1;
            if *round > ROUNDS {
                continue;
            }
            let mut best = None;
            for edge in self.node(id)?.edges.clone() {
                best = best.max(self.estimate_without(without, &edge)?);
            }
            let old = match without.get(&id) {
                Some(&old) => old,
                None => Some(self.node(id)?.value.estimate()),
            };
            if best != old {
                without.insert(id, best);
                open.extend(self.node(id)?.parents.iter().copied());
            }
        }
        Ok(())
    }
}

/// The score that an estimate looks like.
fn score_like(estimate: Hundredths) -> i32 {
    (estimate.abs() + 50) / 100 * estimate.signum()
}

//! Costs: how far it is to the leaf that should be expanded next, by each way of counting.
//!
//! A cost of a node is a function of its successors' costs that is larger than any of those it
//! rests on: the equations of shortest paths. So a change is worked in as Ramalingam and Reps do
//! it: where a cost has become too small, it is raised to [`NEVER`] and so is what rested on it;
//! then everything is settled from the nearest leaf on. A cycle cannot keep a cost alive that no
//! leaf supports any more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nutcracker_game::Game;

use crate::error::Result;
use crate::facts::Tuning;
use crate::graph::Book;
use crate::node::{Cost, Metric, NEVER, NodeId, State};
use crate::store::Store;
use crate::value::Hundredths;

/// A ply.
pub(crate) const WHOLE: Cost = 1000;
/// The depth of a forced move with fractional depth.
const FORCED: Cost = WHOLE / 100;

/// A move as costs see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub estimate: Hundredths,
    pub cost: Cost,
}

/// What a move costs by a metric, beside what its successor costs; `None` if the metric has no
/// use for it.
pub(crate) fn toll(tuning: &Tuning, metric: Metric, best: Hundredths, mv: &Way) -> Option<Cost> {
    let behind = best - mv.estimate;
    match metric {
        Metric::Book => (behind == 0).then_some(0),
        Metric::Opponent => Some((tuning.omega * f64::from(behind) * 10.0) as Cost),
    }
}

impl<G: Game, S: Store> Book<G, S> {
    /// The moves of a node with the costs of their successors.
    pub(crate) fn options(&mut self, id: NodeId, metric: Metric) -> Result<Vec<Way>> {
        let count = self.node(id)?.edges.len();
        let mut options = Vec::with_capacity(count);
        for at in 0..count {
            let edge = self.node(id)?.edges[at];
            let child = self.node(edge.child)?;
            let value = child.value.through(edge.gain, edge.turn);
            let cost = child.cost(metric.after(edge.turn));
            options.push(Way { estimate: value.estimate(), cost });
        }
        Ok(options)
    }

    /// A cost as it follows from the node's moves.
    pub(crate) fn computed_cost(&mut self, id: NodeId, metric: Metric) -> Result<Cost> {
        let claimed = self.claimed.contains(&id);
        let node = self.node(id)?;
        if node.value.is_solved() {
            return Ok(NEVER);
        }
        if node.state != State::Interior {
            return Ok(if claimed { NEVER } else { 0 });
        }
        let options = self.options(id, metric)?;
        let tuning = self.facts.tuning;
        let Some(best) = options.iter().map(|mv| mv.estimate).max() else { return Ok(NEVER) };
        let ways = options
            .iter()
            .filter_map(|mv| Some(mv.cost.saturating_add(toll(&tuning, metric, best, mv)?)));
        let step = step(&tuning, best, options.iter().map(|mv| mv.estimate));
        Ok(ways.min().map_or(NEVER, |way| way.saturating_add(step)))
    }

    /// Settles the costs of these nodes and of everything that depends on them.
    pub(crate) fn settle(&mut self, changed: &[NodeId]) -> Result<()> {
        let mut open: BinaryHeap<Reverse<(Cost, NodeId, usize)>> = BinaryHeap::new();
        for metric in Metric::ALL {
            for &id in changed {
                self.enqueue(&mut open, id, metric)?;
            }
        }
        while let Some(Reverse((key, id, metric))) = open.pop() {
            let metric = Metric::ALL[metric];
            let old = self.node(id)?.cost(metric);
            let new = self.computed_cost(id, metric)?;
            if old == new {
                continue;
            }
            if key < old.min(new) {
                // It has moved since it was put there.
                open.push(Reverse((old.min(new), id, metric as usize)));
                continue;
            }
            let raised = new > old;
            self.edit(id)?.costs[metric as usize] = if raised { NEVER } else { new };
            if raised {
                self.enqueue(&mut open, id, metric)?;
            }
            for at in 0..self.node(id)?.parents.len() {
                let parent = self.node(id)?.parents[at];
                // A move passes the turn or keeps it; few games have both.
                self.enqueue(&mut open, parent, metric.turned())?;
                if self
                    .node(parent)?
                    .edges
                    .iter()
                    .any(|edge| edge.child == id && edge.turn == nutcracker_game::Turn::Stays)
                {
                    self.enqueue(&mut open, parent, metric)?;
                }
            }
        }
        Ok(())
    }

    fn enqueue(
        &mut self,
        open: &mut BinaryHeap<Reverse<(Cost, NodeId, usize)>>,
        id: NodeId,
        metric: Metric,
    ) -> Result<()> {
        let new = self.computed_cost(id, metric)?;
        let old = self.node(id)?.cost(metric);
        if old != new {
            open.push(Reverse((old.min(new), id, metric as usize)));
        }
        Ok(())
    }

    /// Counts costs another way from now on: all of them are computed again.
    pub fn tune(&mut self, tuning: Tuning) -> Result<()> {
        if self.facts.tuning == tuning {
            return Ok(());
        }
        self.facts.tuning = tuning;
        self.settle_all()
    }

    /// Computes all costs again.
    pub(crate) fn settle_all(&mut self) -> Result<()> {
        self.release_claims()?;
        let mut leaves = Vec::new();
        let mut from = 0;
        while let Some(id) = self.next_node(from)? {
            from = id + 1;
            let costs = [NEVER; 2];
            if self.node(id)?.costs != costs {
                self.edit(id)?.costs = costs;
            }
            if self.node(id)?.state != State::Interior || self.node(id)?.value.is_solved() {
                leaves.push(id);
            }
        }
        // Interior nodes hear of it from what is below them.
        self.settle(&leaves)
    }

    /// Keeps a leaf from being chosen again before it is expanded.
    pub(crate) fn claim(&mut self, leaf: NodeId) -> Result<()> {
        self.claimed.insert(leaf);
        self.settle(&[leaf])
    }

    /// Lets all claimed leaves be chosen again.
    pub(crate) fn release_claims(&mut self) -> Result<()> {
        if self.claimed.is_empty() {
            return Ok(());
        }
        let mut claimed: Vec<NodeId> = self.claimed.drain().collect();
        claimed.sort_unstable();
        self.settle(&claimed)
    }
}

/// What a move adds to the depth.
fn step(
    tuning: &Tuning,
    best: Hundredths,
    estimates: impl ExactSizeIterator<Item = Hundredths>,
) -> Cost {
    let Some(scale) = tuning.fractional else { return WHOLE };
    if estimates.len() == 1 {
        return FORCED;
    }
    // The second best is as good as the best if there are two of them.
    let mut second = None;
    let mut bests = 0;
    for estimate in estimates {
        if estimate == best {
            bests += 1;
        } else {
            second = second.max(Some(estimate));
        }
    }
    let lead = if bests > 1 { 0 } else { second.map_or(scale, |second| best - second) };
    let lead = f64::from(lead.min(scale)) / f64::from(scale.max(1));
    WHOLE - (lead * (WHOLE - FORCED) as f64) as Cost
}

//! Costs: the distance to the leaf that should be expanded next, by several metrics.
//!
//! A cost of a node is a function of its successors' costs that is larger than any of those it
//! depends on: the equations of shortest paths. They are updated incrementally as by Ramalingam and
//! Reps: where a cost has become too small, it is raised to [`NEVER`], together with the costs that
//! depend on it; then all are recomputed from the nearest leaf outward. A cycle cannot keep a cost
//! alive that no leaf supports any more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nutcracker_game::{Game, Score, Turn};

use super::Valued;
use super::moves::Move;
use crate::error::Result;
use crate::facts::{Aim, Tuning};
use crate::graph::NodeWalk;
use crate::node::{Cost, CostKind, Costs, METRICS, NEVER, NodeId, State};
use crate::store::Store;
use crate::value::{Hundredths, Value};

/// One ply.
const PLY: Cost = 1000;
/// The depth of a forced move, with fractional depth.
const FORCED: Cost = PLY / 100;

/// A cost in plies.
pub fn plies(cost: Cost) -> f64 {
    cost as f64 / PLY as f64
}

/// For best-first, each hundredth conceded on the path to a leaf costs as much as a thousand plies.
const GIVEN_AWAY: Cost = 1000 * PLY;

/// Which moves of a node a metric uses, and what each costs apart from its successor's cost.
#[derive(Clone, Copy, Debug)]
pub struct Tolls {
    tuning: Tuning,
    /// The best estimate of a move.
    best: Hundredths,
    /// The mover's proven bound: to solve the start position, a move that is proven to be no better
    /// leads nowhere.
    lower: Option<Score>,
    /// The score that the book's player keeps, if a move is proven to keep it.
    kept: Option<Score>,
}

impl Tolls {
    /// For a node with a value, by the moves that are considered; `None` without moves.
    pub fn new(tuning: &Tuning, value: &Value, moves: &[Move]) -> Option<Self> {
        let best = moves.iter().map(|mv| mv.estimate).max()?;
        let keeps = |score: &Score| moves.iter().any(|mv| mv.value.lower >= *score);
        Some(match tuning.aim {
            Aim::Solve => Tolls { tuning: *tuning, best, lower: Some(value.lower), kept: None },
            Aim::Play => {
                Tolls { tuning: *tuning, best, lower: None, kept: value.score().filter(keeps) }
            }
        })
    }

    /// The toll of a move; `None` if the metric does not use it.
    pub fn of(&self, metric: CostKind, mv: &Move) -> Option<Cost> {
        if self.lower.is_some_and(|lower| mv.value.upper <= lower) {
            return None;
        }
        let behind = self.best - mv.estimate;
        match (metric, self.kept) {
            (CostKind::Book, Some(score)) => (mv.value.lower >= score).then_some(0),
            (CostKind::Book, None) => (behind == 0).then_some(0),
            (CostKind::Opponent, _) => Some((self.tuning.omega * f64::from(behind) * 10.0) as Cost),
            (CostKind::Best, _) => Some(behind.max(0) as Cost * GIVEN_AWAY),
        }
    }
}

/// Costs to be recomputed, the smallest first.
type Open = BinaryHeap<Reverse<(Cost, NodeId, usize)>>;

impl<G: Game, S: Store> Valued<G, S> {
    /// All costs in use, as they follow from the node's moves.
    pub fn computed_costs(&mut self, id: NodeId) -> Result<Costs> {
        let mut costs = [NEVER; METRICS];
        let excluded = self.excluded.contains(&id);
        let metrics = self.graph.metrics();
        let tuning = self.graph.facts.tuning;
        let node = self.graph.node(id)?;
        let (value, state) = (node.value, node.state);
        if value.is_solved() && (tuning.aim == Aim::Solve || state != State::Interior) {
            return Ok(costs);
        }
        if state != State::Interior {
            if !excluded {
                for &metric in metrics {
                    costs[metric as usize] = 0;
                }
            }
            return Ok(costs);
        }
        let moves = self.moves.of(&mut self.graph, id)?;
        let Some(tolls) = Tolls::new(&tuning, &value, moves) else { return Ok(costs) };
        let step = step(&tuning, moves);
        for &metric in metrics {
            let cost =
                |mv: &Move| Some(mv.costs[metric as usize].saturating_add(tolls.of(metric, mv)?));
            let least = moves.iter().filter_map(cost).min();
            costs[metric as usize] = least.map_or(NEVER, |cost| cost.saturating_add(step));
        }
        Ok(costs)
    }

    /// Recomputes the costs of these nodes and of everything that depends on them.
    pub fn settle(&mut self, changed: &[NodeId]) -> Result<()> {
        self.moves.clear();
        self.settle_seen(changed)
    }

    /// [Recomputes](Valued::settle) costs with the cached moves, which are up to date.
    pub fn settle_seen(&mut self, changed: &[NodeId]) -> Result<()> {
        let mut open = Open::new();
        self.graph.prefetch(changed)?;
        for &id in changed {
            self.enqueue(&mut open, id, self.graph.metrics())?;
        }
        // Every move adds at least this much.
        let least = if self.graph.facts.tuning.fractional.is_some() { FORCED } else { PLY };
        while let Some(Reverse((key, id, metric))) = open.pop() {
            let metric = CostKind::ALL[metric];
            let new = self.computed_costs(id)?[metric as usize];
            let old = self.graph.node(id)?.cost(metric);
            if old == new {
                continue;
            }
            if key < old.min(new) {
                // It has moved since it was queued.
                open.push(Reverse((old.min(new), id, metric as usize)));
                continue;
            }
            let raised = new > old;
            let slot = self.graph.slot(id)?;
            self.graph.cache.edit(slot).costs[metric as usize] = if raised { NEVER } else { new };
            if raised && new != NEVER {
                open.push(Reverse((new, id, metric as usize)));
            }
            // A cost below this depends on something else.
            let bound = old.min(new).saturating_add(least);
            let mut parents = std::mem::take(&mut self.parents);
            parents.clear();
            parents.extend_from_slice(&self.graph.cache.at(slot).parents);
            for &parent in &parents {
                self.moves.update(parent, id, self.graph.cache.at(slot));
            }
            self.graph.prefetch(&parents)?;
            for &parent in &parents {
                let node = self.graph.node(parent)?;
                let passed = metric.turned();
                let depends = |metric: CostKind| {
                    let cost = node.cost(metric);
                    if raised { cost != NEVER && cost >= bound } else { cost > bound }
                };
                // A move passes the turn or keeps it; few games have both.
                let kept = passed != metric
                    && depends(metric)
                    && node.edges.iter().any(|edge| edge.child == id && edge.turn == Turn::Stays);
                if depends(passed) {
                    self.enqueue(&mut open, parent, &[passed])?;
                }
                if kept {
                    self.enqueue(&mut open, parent, &[metric])?;
                }
            }
            self.parents = parents;
        }
        Ok(())
    }

    fn enqueue(&mut self, open: &mut Open, id: NodeId, metrics: &[CostKind]) -> Result<()> {
        let new = self.computed_costs(id)?;
        let old = self.graph.node(id)?.costs;
        for at in metrics.iter().map(|&metric| metric as usize) {
            if old[at] != new[at] {
                open.push(Reverse((old[at].min(new[at]), id, at)));
            }
        }
        Ok(())
    }

    /// Keeps the costs of best-first from now on.
    pub fn keep_best(&mut self) -> Result<()> {
        if self.graph.facts.best {
            return Ok(());
        }
        self.graph.facts.best = true;
        self.settle_all()
    }

    /// Changes the parameters of costs: all costs are recomputed.
    pub fn tune(&mut self, tuning: Tuning) -> Result<()> {
        if self.graph.facts.tuning == tuning {
            return Ok(());
        }
        self.graph.facts.tuning = tuning;
        self.settle_all()
    }

    /// Recomputes all costs.
    pub fn settle_all(&mut self) -> Result<()> {
        let mut leaves = Vec::new();
        let mut walk = NodeWalk::default();
        while let Some(id) = walk.next(&self.graph)? {
            let costs = [NEVER; METRICS];
            if self.graph.node(id)?.costs != costs {
                self.graph.edit(id)?.costs = costs;
            }
            if self.graph.node(id)?.state != State::Interior
                || self.graph.node(id)?.value.is_solved()
            {
                leaves.push(id);
            }
        }
        // Interior nodes are updated from their successors.
        self.settle(&leaves)
    }

    /// Excludes a leaf from the choices that follow: costs lead past it.
    pub fn exclude(&mut self, leaf: NodeId) -> Result<()> {
        if self.excluded.insert(leaf) { self.settle(&[leaf]) } else { Ok(()) }
    }

    /// Lets an excluded leaf be chosen again.
    pub fn include(&mut self, leaf: NodeId) -> Result<()> {
        if self.excluded.remove(&leaf) { self.settle(&[leaf]) } else { Ok(()) }
    }
}

/// The depth that a move adds.
pub fn step(tuning: &Tuning, moves: &[Move]) -> Cost {
    let Some(scale) = tuning.fractional else { return PLY };
    let [_, _, ..] = moves else { return FORCED };
    let best = moves.iter().map(|mv| mv.estimate).max().unwrap_or_default();
    // The second best is as good as the best if two moves are best.
    let mut second = None;
    let mut bests = 0;
    for estimate in moves.iter().map(|mv| mv.estimate) {
        if estimate == best {
            bests += 1;
        } else {
            second = second.max(Some(estimate));
        }
    }
    let lead = if bests > 1 { 0 } else { second.map_or(scale, |second| best - second) };
    let lead = f64::from(lead.min(scale)) / f64::from(scale.max(1));
    PLY - (lead * (PLY - FORCED) as f64) as Cost
}

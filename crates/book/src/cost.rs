//! Costs: the distance to the leaf that should be expanded next, by several metrics.
//!
//! A cost of a node is a function of its successors' costs that is larger than any of those it
//! depends on: the equations of shortest paths. They are updated incrementally as by Ramalingam and
//! Reps: where a cost has become too small, it is raised to [`NEVER`], together with the costs that
//! depend on it; then all are recomputed from the nearest leaf outward. A cycle cannot keep a cost
//! alive that no leaf supports any more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nutcracker_game::{Game, Turn};

use crate::cache::NodeMap;
use crate::error::Result;
use crate::facts::Tuning;
use crate::graph::Book;
use crate::node::{Cost, CostKind, Edge, METRICS, NEVER, Node, NodeId, State};
use crate::store::Store;
use crate::value::{Hundredths, Value};

/// One ply.
pub(crate) const PLY: Cost = 1000;
/// The depth of a forced move, with fractional depth.
const FORCED: Cost = PLY / 100;

/// For best-first, each hundredth conceded on the path to a leaf costs as much as a thousand plies.
const GIVEN_AWAY: Cost = 1000 * PLY;

/// A move from its mover's point of view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub edge: Edge,
    pub value: Value,
    pub estimate: Hundredths,
    /// The costs of its successor, by the metrics of the mover.
    pub costs: Costs,
}

impl Way {
    fn new(edge: Edge, child: &Node) -> Self {
        let value = child.value.through(edge.gain, edge.turn);
        let costs = CostKind::ALL.map(|metric| child.cost(metric.after(edge.turn)));
        Way { edge, value, estimate: value.estimate(), costs }
    }
}

/// Cached moves of nodes: during a propagation a node is recomputed repeatedly, and its successors
/// are read once.
#[derive(Debug, Default)]
pub(crate) struct Views {
    places: NodeMap<usize>,
    lists: Vec<Vec<Way>>,
}

impl Views {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.places.clear();
    }

    /// A node's moves, if cached.
    fn get(&self, id: NodeId) -> Option<usize> {
        self.places.get(&id).copied()
    }

    /// A buffer for a node's moves, with its old contents.
    fn place(&mut self, id: NodeId) -> (usize, Vec<Way>) {
        if self.places.len() >= VIEWS {
            self.clear();
        }
        let place = self.places.len();
        if place == self.lists.len() {
            self.lists.push(Vec::new());
        }
        self.places.insert(id, place);
        (place, std::mem::take(&mut self.lists[place]))
    }

    /// Updates the cached moves that lead to a changed node.
    pub fn update(&mut self, parent: NodeId, id: NodeId, node: &Node) {
        if let Some(&place) = self.places.get(&parent) {
            for way in &mut self.lists[place] {
                if way.edge.child == id {
                    *way = Way::new(way.edge, node);
                }
            }
        }
    }
}

/// The largest number of nodes whose moves are cached.
const VIEWS: usize = 10_000;

/// The cost of a move by a metric, without that of its successor; `None` if the metric does not use
/// the move.
pub(crate) fn toll(tuning: &Tuning, metric: CostKind, best: Hundredths, mv: &Way) -> Option<Cost> {
    let behind = best - mv.estimate;
    match metric {
        CostKind::Book => (behind == 0).then_some(0),
        CostKind::Opponent => Some((tuning.omega * f64::from(behind) * 10.0) as Cost),
        CostKind::Best => Some(behind.max(0) as Cost * GIVEN_AWAY),
    }
}

/// Costs by metric.
type Costs = [Cost; METRICS];
/// Costs to be recomputed, the smallest first.
type Open = BinaryHeap<Reverse<(Cost, NodeId, usize)>>;

impl<G: Game, S: Store> Book<G, S> {
    /// The metrics in use.
    pub(crate) fn metrics(&self) -> &'static [CostKind] {
        if self.facts.best { &CostKind::ALL } else { &CostKind::ALL[..2] }
    }

    /// The moves of a node with the costs of their successors; replaces the contents of `ways`.
    pub(crate) fn options(&mut self, id: NodeId, ways: &mut Vec<Way>) -> Result<()> {
        ways.clear();
        self.each_move(id, |&edge, child| ways.push(Way::new(edge, child)))
    }

    /// The moves of a node during a propagation; see [`Views`].
    pub(crate) fn view(&mut self, id: NodeId) -> Result<&[Way]> {
        if let Some(place) = self.views.get(id) {
            return Ok(&self.views.lists[place]);
        }
        let (place, mut ways) = self.views.place(id);
        if let Err(error) = self.options(id, &mut ways) {
            self.views.clear();
            return Err(error);
        }
        self.views.lists[place] = ways;
        Ok(&self.views.lists[place])
    }

    /// All costs in use, as they follow from the node's moves.
    ///
    /// A move that is proven to be no better than what the mover already has leads nowhere.
    pub(crate) fn computed_costs(&mut self, id: NodeId) -> Result<Costs> {
        let mut costs = [NEVER; METRICS];
        let claimed = self.claimed.contains(&id);
        let metrics = self.metrics();
        let node = self.node(id)?;
        let lower = node.value.lower;
        if node.value.is_solved() {
            return Ok(costs);
        }
        if node.state != State::Interior {
            if !claimed {
                for &metric in metrics {
                    costs[metric as usize] = 0;
                }
            }
            return Ok(costs);
        }
        let tuning = self.facts.tuning;
        let ways = self.view(id)?;
        let Some(best) = ways.iter().map(|mv| mv.estimate).max() else { return Ok(costs) };
        let step = step(&tuning, ways);
        for &metric in metrics {
            let open = ways.iter().filter(|mv| mv.value.upper > lower);
            let least = open
                .filter_map(|mv| {
                    let cost = mv.costs[metric as usize];
                    Some(cost.saturating_add(toll(&tuning, metric, best, mv)?))
                })
                .min();
            costs[metric as usize] = least.map_or(NEVER, |cost| cost.saturating_add(step));
        }
        Ok(costs)
    }

    /// Recomputes the costs of these nodes and of everything that depends on them.
    pub(crate) fn settle(&mut self, changed: &[NodeId]) -> Result<()> {
        self.views.clear();
        self.settle_seen(changed)
    }

    /// [Recomputes](Book::settle) costs with the cached moves, which are up to date.
    pub(crate) fn settle_seen(&mut self, changed: &[NodeId]) -> Result<()> {
        let mut open = Open::new();
        for &id in changed {
            self.enqueue(&mut open, id, self.metrics())?;
        }
        // Every move adds at least this much.
        let least = if self.facts.tuning.fractional.is_some() { FORCED } else { PLY };
        while let Some(Reverse((key, id, metric))) = open.pop() {
            let metric = CostKind::ALL[metric];
            let new = self.computed_costs(id)?[metric as usize];
            let old = self.node(id)?.cost(metric);
            if old == new {
                continue;
            }
            if key < old.min(new) {
                // It has moved since it was queued.
                open.push(Reverse((old.min(new), id, metric as usize)));
                continue;
            }
            let raised = new > old;
            let slot = self.slot(id)?;
            self.cache.edit(slot).costs[metric as usize] = if raised { NEVER } else { new };
            if raised && new != NEVER {
                open.push(Reverse((new, id, metric as usize)));
            }
            // A cost below this depends on something else.
            let bound = old.min(new).saturating_add(least);
            let mut parents = std::mem::take(&mut self.scratch.parents);
            parents.clear();
            parents.extend_from_slice(&self.cache.at(slot).parents);
            for &parent in &parents {
                self.views.update(parent, id, self.cache.at(slot));
            }
            for &parent in &parents {
                let node = self.node(parent)?;
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
            self.scratch.parents = parents;
        }
        Ok(())
    }

    fn enqueue(&mut self, open: &mut Open, id: NodeId, metrics: &[CostKind]) -> Result<()> {
        let new = self.computed_costs(id)?;
        let old = self.node(id)?.costs;
        for at in metrics.iter().map(|&metric| metric as usize) {
            if old[at] != new[at] {
                open.push(Reverse((old[at].min(new[at]), id, at)));
            }
        }
        Ok(())
    }

    /// Keeps the costs of best-first from now on.
    pub(crate) fn keep_best(&mut self) -> Result<()> {
        if self.facts.best {
            return Ok(());
        }
        let claimed = std::mem::take(&mut self.claimed);
        self.facts.best = true;
        self.settle_all()?;
        claimed.into_iter().try_for_each(|leaf| self.claim(leaf))
    }

    /// Changes the parameters of costs: all costs are recomputed.
    pub fn tune(&mut self, tuning: Tuning) -> Result<()> {
        if self.facts.tuning == tuning {
            return Ok(());
        }
        self.facts.tuning = tuning;
        self.settle_all()
    }

    /// Recomputes all costs.
    pub(crate) fn settle_all(&mut self) -> Result<()> {
        self.release_claims()?;
        let mut leaves = Vec::new();
        let mut from = 0;
        while let Some(id) = self.next_node(from)? {
            from = id + 1;
            let costs = [NEVER; METRICS];
            if self.node(id)?.costs != costs {
                self.edit(id)?.costs = costs;
            }
            if self.node(id)?.state != State::Interior || self.node(id)?.value.is_solved() {
                leaves.push(id);
            }
        }
        // Interior nodes are updated from their successors.
        self.settle(&leaves)
    }

    /// Excludes a leaf from the choices that follow within one selection.
    pub(crate) fn claim(&mut self, leaf: NodeId) -> Result<()> {
        self.claimed.insert(leaf);
        self.settle(&[leaf])
    }

    /// Lets all excluded leaves be chosen again.
    pub(crate) fn release_claims(&mut self) -> Result<()> {
        if self.claimed.is_empty() {
            return Ok(());
        }
        let mut claimed: Vec<NodeId> = self.claimed.drain().collect();
        claimed.sort_unstable();
        self.settle(&claimed)
    }
}

/// The depth that a move adds.
pub(crate) fn step(tuning: &Tuning, ways: &[Way]) -> Cost {
    let Some(scale) = tuning.fractional else { return PLY };
    let [_, _, ..] = ways else { return FORCED };
    let best = ways.iter().map(|mv| mv.estimate).max().unwrap_or_default();
    // The second best is as good as the best if two moves are best.
    let mut second = None;
    let mut bests = 0;
    for estimate in ways.iter().map(|mv| mv.estimate) {
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

//! Propagation of values from a changed node to its predecessors.

use std::collections::BinaryHeap;

use nutcracker_game::Game;

use super::Valued;
use super::moves::Move;
use crate::cache::{NodeMap, NodeSet};
use crate::error::{BookError, Result};
use crate::graph::Graph;
use crate::node::{NodeId, ProofDepth, State};
use crate::store::Store;
use crate::value::{Value, propagate_open};

/// A value that has changed this often during one propagation is circulating in a cycle.
const ROUNDS: u32 = 8;

impl<G: Game, S: Store> Valued<G, S> {
    /// The values of a node's moves, from its mover's point of view.
    pub fn move_values(&mut self, id: NodeId) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        self.graph
            .each_move(id, |edge, child| values.push(child.value.through(edge.gain, edge.turn)))?;
        Ok(values)
    }

    /// The value of a node that follows from its moves, and how deep the proofs of its bounds are.
    ///
    /// What is proven stays proven: bounds only ever become tighter.
    pub fn computed_value(&mut self, id: NodeId) -> Result<(Value, ProofDepth)> {
        let node = self.graph.node(id)?;
        let (own, old, held, proof) = (node.own, node.value, node.marks.held, node.proof);
        if node.state != State::Interior {
            return Ok((own, ProofDepth::default()));
        }
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        let moves = self.moves.of(&mut self.graph, id)?;
        values.extend(moves.iter().map(|mv| mv.value.normal()));
        let value = propagate_open(&values).map_or(own, Value::normal);
        self.values = values;
        let (lower, upper) = (own.lower.max(old.lower), own.upper.min(old.upper));
        let Some(value) = value.within(lower, upper) else {
            return Err(BookError::Contradiction(self.graph.node(id)?.position.clone()));
        };
        let mut proof = proof;
        if value.lower != old.lower {
            proof.lower = lower_depth(&mut self.graph, &value, &own, moves)?;
        }
        if value.upper != old.upper {
            proof.upper = upper_depth(&mut self.graph, &value, &own, moves)?;
        }
        Ok((if held { hold(value) } else { value }, proof))
    }

    /// Recomputes the values of these nodes, of all predecessors of what has changed, and then the
    /// costs that depend on them.
    ///
    /// Bounds only ever become tighter, so that part terminates. Guesses can circulate in a cycle;
    /// one that changes too often is held at 0 until the next search for cycles.
    pub fn back_up(&mut self, changed: &[NodeId]) -> Result<()> {
        self.moves.clear();
        let mut open = BinaryHeap::new();
        let mut queued = NodeSet::default();
        let mut rounds: NodeMap<u32> = NodeMap::default();
        self.graph.prefetch(changed)?;
        for &id in changed {
            if queued.insert(id) {
                open.push((self.graph.node(id)?.depth, id));
            }
        }
        let mut touched: Vec<NodeId> = changed.to_vec();
        // The deepest first: without cycles, each node is computed once.
        while let Some((_, id)) = open.pop() {
            queued.remove(&id);
            let (mut value, proof) = self.computed_value(id)?;
            if value == self.graph.node(id)?.value {
                continue;
            }
            let round = rounds.entry(id).or_insert(0);
            *round += 1;
            if *round > ROUNDS && !self.graph.node(id)?.marks.held {
                self.graph.edit(id)?.marks.held = true;
                value = hold(value);
            }
            self.graph.set_value(id, value, proof)?;
            touched.push(id);
            let from = touched.len();
            let slot = self.graph.slot(id)?;
            let node = self.graph.cache.at(slot);
            touched.extend_from_slice(&node.parents);
            for &parent in &touched[from..] {
                self.moves.update(parent, id, node);
            }
            self.graph.prefetch(&touched[from..])?;
            for &parent in &touched[from..] {
                if queued.insert(parent) {
                    open.push((self.graph.node(parent)?.depth, parent));
                }
            }
        }
        touched.sort_unstable();
        touched.dedup();
        self.settle_seen(&touched)
    }
}

/// How deep the proof of a new lower bound is: one move more than that of the nearest move that has
/// it.
fn lower_depth<G: Game, S: Store>(
    graph: &mut Graph<G, S>,
    value: &Value,
    own: &Value,
    moves: &[Move],
) -> Result<u32> {
    let needs_none = value.lower <= 0 && !graph.game.depends_on_history();
    if needs_none || own.lower >= value.lower {
        return Ok(0);
    }
    let mut least = u32::MAX;
    for mv in moves.iter().filter(|mv| mv.value.lower >= value.lower) {
        least = least.min(graph.proof_of(&mv.edge)?.lower);
    }
    Ok(least.saturating_add(1))
}

/// How deep the proof of a new upper bound is: one move more than that of the farthest move which
/// has no better bound.
fn upper_depth<G: Game, S: Store>(
    graph: &mut Graph<G, S>,
    value: &Value,
    own: &Value,
    moves: &[Move],
) -> Result<u32> {
    let needs_none = value.upper >= 0 && !graph.game.depends_on_history();
    if needs_none || own.upper <= value.upper {
        return Ok(0);
    }
    let mut most = 0;
    for mv in moves.iter().filter(|mv| mv.value.upper >= value.upper) {
        most = most.max(graph.proof_of(&mv.edge)?.upper);
    }
    Ok(most.saturating_add(1))
}

/// A guess of 0, clamped to the proven bounds.
pub(super) fn hold(value: Value) -> Value {
    Value { heuristic: 0, cycle: None, ..value }.normal()
}

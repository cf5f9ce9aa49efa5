//! Propagation of values from a changed node to its predecessors.

use std::collections::BinaryHeap;

use nutcracker_game::Game;

use crate::cache::{NodeMap, NodeSet};
use crate::error::{BookError, Result};
use crate::graph::Book;
use crate::node::{NodeId, State};
use crate::store::Store;
use crate::value::{Value, propagate_open};

/// A value that has changed this often during one propagation is circulating in a cycle.
const ROUNDS: u32 = 8;

impl<G: Game, S: Store> Book<G, S> {
    /// The values of a node's moves, from its mover's point of view.
    pub fn move_values(&mut self, id: NodeId) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        self.each_move(id, |edge, child| values.push(child.value.through(edge.gain, edge.turn)))?;
        Ok(values)
    }

    /// The value of a node that follows from its moves.
    ///
    /// What is proven stays proven: bounds only ever become tighter.
    pub(crate) fn computed_value(&mut self, id: NodeId) -> Result<Value> {
        let node = self.node(id)?;
        let (own, old, held) = (node.own, node.value, node.marks.held);
        if node.state != State::Interior {
            return Ok(own);
        }
        let mut values = std::mem::take(&mut self.scratch.values);
        values.clear();
        values.extend(self.view(id)?.iter().map(|way| way.value.normal()));
        let value = propagate_open(&values).map_or(own, Value::normal);
        self.scratch.values = values;
        let (lower, upper) = (own.lower.max(old.lower), own.upper.min(old.upper));
        let Some(value) = value.within(lower, upper) else {
            return Err(BookError::Contradiction(self.node(id)?.position.clone()));
        };
        Ok(if held { hold(value) } else { value })
    }

    pub(crate) fn set_value(&mut self, id: NodeId, value: Value) -> Result<()> {
        let node = self.edit(id)?;
        let before = node.value.is_solved();
        node.value = value;
        self.facts.solved -= u64::from(before);
        self.facts.solved += u64::from(value.is_solved());
        Ok(())
    }

    /// Recomputes the values of these nodes, of all predecessors of what has changed, and then the
    /// costs that depend on them.
    ///
    /// Bounds only ever become tighter, so that part terminates. Guesses can circulate in a cycle;
    /// one that changes too often is held at 0 until the next search for cycles.
    pub fn back_up(&mut self, changed: &[NodeId]) -> Result<()> {
        self.views.clear();
        let mut open = BinaryHeap::new();
        let mut queued = NodeSet::default();
        let mut rounds: NodeMap<u32> = NodeMap::default();
        for &id in changed {
            if queued.insert(id) {
                open.push((self.node(id)?.depth, id));
            }
        }
        let mut touched: Vec<NodeId> = changed.to_vec();
        // The deepest first: without cycles, each node is computed once.
        while let Some((_, id)) = open.pop() {
            queued.remove(&id);
            let mut value = self.computed_value(id)?;
            if value == self.node(id)?.value {
                continue;
            }
            let round = rounds.entry(id).or_insert(0);
            *round += 1;
            if *round > ROUNDS && !self.node(id)?.marks.held {
                self.edit(id)?.marks.held = true;
                value = hold(value);
            }
            self.set_value(id, value)?;
            touched.push(id);
            let from = touched.len();
            let slot = self.slot(id)?;
            let node = self.cache.at(slot);
            touched.extend_from_slice(&node.parents);
            for &parent in &touched[from..] {
                self.views.update(parent, id, node);
            }
            for &parent in &touched[from..] {
                if queued.insert(parent) {
                    open.push((self.node(parent)?.depth, parent));
                }
            }
        }
        touched.sort_unstable();
        touched.dedup();
        self.settle_seen(&touched)
    }
}

/// A guess of 0, clamped to the proven bounds.
fn hold(value: Value) -> Value {
    Value { heuristic: 0, cycle: None, ..value }.normal()
}

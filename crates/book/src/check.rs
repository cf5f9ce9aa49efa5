//! Consistency check, node by node.

use nutcracker_game::Game;

use crate::error::Result;
use crate::graph::Book;
use crate::node::{CostKind, NodeId, State};
use crate::store::Store;

/// A flaw of a node or of the book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The node, if the flaw is about one.
    pub node: Option<NodeId>,
    /// What is wrong.
    pub what: String,
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Nodes checked.
    pub nodes: u64,
    /// The first flaws, at most [`MOST`].
    pub flaws: Vec<Flaw>,
}

/// A check ends after this many flaws.
pub const MOST: usize = 20;

impl<G: Game, S: Store> Book<G, S> {
    /// Checks the whole book: every position is found, moves are those of the rules and are linked
    /// in both directions, values and costs follow from the successors, and the totals are correct.
    /// Calls back with the number of nodes done.
    pub fn check(&mut self, on_node: &mut dyn FnMut(u64)) -> Result<Checked> {
        self.commit()?;
        let mut checked = Checked::default();
        let (mut interior, mut solved) = (0, 0);
        let mut from = 0;
        while let Some(id) = self.next_node(from)? {
            from = id + 1;
            checked.nodes += 1;
            on_node(checked.nodes);
            let node = self.node(id)?;
            interior += u64::from(node.state == State::Interior);
            solved += u64::from(node.value.is_solved());
            if let Some(what) = self.flaw(id)? {
                checked.flaws.push(Flaw { node: Some(id), what });
                if checked.flaws.len() >= MOST {
                    return Ok(checked);
                }
            }
        }
        let facts = self.facts();
        let totals = [
            ("nodes", facts.nodes, checked.nodes),
            ("nodes with moves", facts.interior, interior),
            ("solved nodes", facts.solved, solved),
            ("positions", self.stored_positions()?, checked.nodes),
        ];
        for (name, recorded, counted) in totals {
            if recorded != counted {
                let what = format!("the book records {recorded} {name}, but there are {counted}");
                checked.flaws.push(Flaw { node: None, what });
            }
        }
        Ok(checked)
    }

    fn flaw(&mut self, id: NodeId) -> Result<Option<String>> {
        let node = self.node(id)?.clone();
        let Ok(position) = self.parse(&node.position) else {
            return Ok(Some(format!("its position {:?} cannot be read", node.position)));
        };
        if self.key(&position) != node.position || self.find_key(&node.position)? != Some(id) {
            return Ok(Some(format!("its position {} is not found", node.position)));
        }
        if node.parents.is_empty() && id != self.root() {
            return Ok(Some("it has no predecessor".to_owned()));
        }
        let over = self.game().outcome(&position).is_some();
        if over != (node.state == State::Over) {
            return Ok(Some("its state contradicts the rules: terminal or not".to_owned()));
        }
        let steps = if node.state == State::Interior { self.steps(&position) } else { Vec::new() };
        if steps.len() != node.edges.len() {
            let what = format!("it has {} moves, not {}", node.edges.len(), steps.len());
            return Ok(Some(what));
        }
        for (step, edge) in steps.iter().zip(&node.edges) {
            let key = self.key(&step.next);
            let child = self.node(edge.child)?;
            let (known, depth) = (child.parents.contains(&id), child.depth);
            let right = edge.gain == step.gain && edge.turn == step.turn && known;
            if !right || child.position != key {
                return Ok(Some(format!("its move to node {} is wrong", edge.child)));
            }
            if depth > node.depth + 1 {
                return Ok(Some(format!("the depth of node {} is too large", edge.child)));
            }
        }
        for &parent in &node.parents {
            if !self.node(parent)?.edges.iter().any(|edge| edge.child == id) {
                return Ok(Some(format!("its predecessor {parent} has no move to it")));
            }
        }
        self.views.clear();
        let value = self.computed_value(id)?;
        if value != node.value {
            let what = format!("its value is {:?} and should be {value:?}", node.value);
            return Ok(Some(what));
        }
        let costs = self.computed_costs(id)?;
        for metric in CostKind::ALL {
            let (recorded, cost) = (node.cost(metric), costs[metric as usize]);
            if recorded != cost {
                return Ok(Some(format!("its cost {metric:?} is {recorded} and should be {cost}")));
            }
        }
        Ok(None)
    }
}

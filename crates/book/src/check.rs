//! Check of a whole book: consistency node by node, and every proven bound derived again from what
//! experts said, by code that shares nothing with what derived it first.

mod bounds;

use bounds::{Bounds, Contradicts};

use nutcracker_game::{Game, Score};

use crate::book::Book;
use crate::error::Result;
use crate::graph::NodeWalk;
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

/// Nodes whose positions are looked up together.
const TOGETHER: usize = 100;

impl<G: Game, S: Store> Book<G, S> {
    /// [Checks](Book::check_with) the whole book without databases.
    pub fn check(&mut self, on_node: &mut dyn FnMut(u64)) -> Result<Checked> {
        self.check_with(&mut |_| Ok(None), on_node)
    }

    /// Checks the whole book: every position is found, moves are those of the rules and are linked
    /// in both directions, values and costs follow from the successors, every proven bound follows
    /// from what experts said, and the totals are correct. Calls back with the number of nodes done.
    ///
    /// `known` looks scores up in databases, where there are some: experts must agree with them.
    pub fn check_with(
        &mut self,
        known: &mut dyn FnMut(&G::Position) -> Result<Option<Score>>,
        on_node: &mut dyn FnMut(u64),
    ) -> Result<Checked> {
        let mut checked = Checked::default();
        let (mut interior, mut solved) = (0, 0);
        let mut bounds = Bounds::default();
        let mut claims = Vec::new();
        let mut walk = NodeWalk::default();
        loop {
            let together = self.take_together(&mut walk)?;
            if together.is_empty() {
                break;
            }
            for (id, found) in together {
                checked.nodes += 1;
                on_node(checked.nodes);
                let node = self.node(id)?;
                interior += u64::from(node.state == State::Interior);
                solved += u64::from(node.value.is_solved());
                claims.push((node.value.lower, node.value.upper));
                bounds.add(id, (node.own.lower, node.own.upper), &node.edges);
                if let Some(what) = self.flaw(id, found, known)? {
                    checked.flaws.push(Flaw { node: Some(id), what });
                    if checked.flaws.len() >= MOST {
                        return Ok(checked);
                    }
                }
            }
        }
        self.check_bounds(bounds, &claims, &mut checked)?;
        let facts = self.facts();
        let totals = [
            ("nodes", facts.nodes, checked.nodes),
            ("nodes with moves", facts.interior, interior),
            ("solved nodes", facts.solved, solved),
            ("positions", self.valued.graph.positions()?, checked.nodes),
        ];
        for (name, recorded, counted) in totals {
            if recorded != counted {
                let what = format!("the book records {recorded} {name}, but there are {counted}");
                checked.flaws.push(Flaw { node: None, what });
            }
        }
        Ok(checked)
    }

    /// The next nodes of a walk, with the nodes that their positions are found to have: read
    /// together with their neighbours, as single reads take most of the time where the store is a
    /// server.
    fn take_together(&mut self, walk: &mut NodeWalk) -> Result<Vec<(NodeId, Option<NodeId>)>> {
        let (mut ids, mut positions, mut near) = (Vec::new(), Vec::new(), Vec::new());
        while ids.len() < TOGETHER
            && let Some(id) = walk.next(&self.valued.graph)?
        {
            let node = self.node(id)?;
            positions.push(node.position.clone());
            near.extend(
                node.edges.iter().map(|edge| edge.child).chain(node.parents.iter().copied()),
            );
            ids.push(id);
        }
        self.valued.graph.prefetch(&near)?;
        let positions: Vec<&str> = positions.iter().map(String::as_str).collect();
        let found = self.valued.graph.find_keys(&positions)?;
        Ok(ids.into_iter().zip(found).collect())
    }

    /// Compares the bounds that the book claims with those that can be derived.
    fn check_bounds(
        &mut self,
        mut bounds: Bounds,
        claims: &[(Score, Score)],
        checked: &mut Checked,
    ) -> Result<()> {
        // Where a repetition is worth something, staying proves nothing, and every bound needs progress.
        let by_history = self.valued.graph.game.depends_on_history();
        if let Err(Contradicts(id)) = bounds.derive(claims, !by_history) {
            let what = "what experts have proven about it contradicts itself".to_owned();
            checked.flaws.push(Flaw { node: Some(id), what });
            return Ok(());
        }
        let mut walk = NodeWalk::default();
        while let Some(id) = walk.next(&self.valued.graph)? {
            if checked.flaws.len() >= MOST {
                break;
            }
            let node = self.node(id)?;
            let (value, proof, edges) = (node.value, node.proof, node.edges.clone());
            let own = node.own;
            let (lower, upper) = bounds.of(id).unwrap_or((Score::MIN, Score::MAX));
            self.valued.graph.prefetch_children(id)?;
            let mut flaws = Vec::new();
            if value.lower > lower {
                flaws.push(format!("it claims at least {}, but {lower} is proven", value.lower));
            }
            if value.upper < upper {
                flaws.push(format!("it claims at most {}, but {upper} is proven", value.upper));
            }
            let (mut kept, mut held) = (own.lower >= value.lower, true);
            for edge in &edges {
                let (mv, depth) = {
                    let child = self.node(edge.child)?;
                    (child.value.through(edge.gain, edge.turn), child.proof.through(edge.turn))
                };
                kept |= mv.lower >= value.lower && depth.lower < proof.lower.max(1);
                held &= mv.upper < value.upper || depth.upper < proof.upper.max(1);
            }
            let stuck = (value.lower > 0 || by_history) && !kept
                || (value.upper < 0 || by_history) && !held && own.upper > value.upper;
            if stuck && self.facts().depths {
                flaws.push("no move makes progress towards its score".to_owned());
            }
            checked.flaws.extend(flaws.into_iter().map(|what| Flaw { node: Some(id), what }));
        }
        Ok(())
    }

    fn flaw(
        &mut self,
        id: NodeId,
        found: Option<NodeId>,
        known: &mut dyn FnMut(&G::Position) -> Result<Option<Score>>,
    ) -> Result<Option<String>> {
        let node = self.node(id)?.clone();
        let mut near: Vec<NodeId> = node.edges.iter().map(|edge| edge.child).collect();
        near.extend(&node.parents);
        self.valued.graph.prefetch(&near)?;
        let Ok(position) = self.valued.graph.parse(&node.position) else {
            return Ok(Some(format!("its position {:?} cannot be read", node.position)));
        };
        if self.key(&position) != node.position || found != Some(id) {
            return Ok(Some(format!("its position {} is not found", node.position)));
        }
        if node.parents.is_empty() && !self.facts().roots.contains(&id) {
            return Ok(Some("it has no predecessor".to_owned()));
        }
        let outcome = self.game().outcome(&position);
        if outcome.is_some() != (node.state == State::Over) {
            return Ok(Some("its state contradicts the rules: terminal or not".to_owned()));
        }
        let score = match outcome {
            Some(score) => Some(score),
            None => known(&position)?,
        };
        if score.is_some_and(|score| node.own.within(score, score).is_none()) {
            return Ok(Some("its own value contradicts the rules or a database".to_owned()));
        }
        let steps = if node.state == State::Interior {
            self.valued.graph.steps(&position)
        } else {
            Vec::new()
        };
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
        let (value, costs) = self.valued.recomputed(id)?;
        if value != node.value {
            let what = format!("its value is {:?} and should be {value:?}", node.value);
            return Ok(Some(what));
        }
        for metric in CostKind::ALL {
            let (recorded, cost) = (node.cost(metric), costs[metric as usize]);
            if recorded != cost {
                return Ok(Some(format!("its cost {metric:?} is {recorded} and should be {cost}")));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;

//! Values of positions in cycles.
//!
//! Propagation alone is not enough in a cycle: its guesses can be consistent and wrong. So, from
//! time to time, the value of every unsolved position is rebuilt from scratch, starting as a cycle
//! without exits. Strongly connected components of the book are processed one after the other, in
//! reverse topological order, so that only positions of one component depend on each other; within
//! a component values are recomputed until none changes. Exits that are not worse than staying make
//! it an ordinary position again, the others become attributes of the cycle.
//!
//! This terminates: a value that has changed a hundred times is held, as during propagation.
//!
//! In addition, bounds are proven for each component: a player that can stay in it forever or leave
//! with at least k has at least k, for k up to 0, the value of a repetition.
//!
//! Where a repetition is worth something, as in oware, none of this holds: what it gives depends on
//! the position, and a bound is what a side can force without relying on one. Then nothing follows
//! from cycles but that guesses which circulated in them are to be propagated again.

use std::collections::{HashSet, VecDeque};

use nutcracker_game::{Game, Score, Turn};

use super::Valued;
use super::values::hold;
use crate::cache::NodeMap;
use crate::error::{BookError, Result};
use crate::graph::NodeWalk;
use crate::node::{Edge, NodeId, ProofDepth, State};
use crate::store::Store;
use crate::value::{Value, propagate_open};

/// A value changes at most this often; a component with n positions settles within n rounds if it
/// settles at all, in practice within a handful.
const ROUNDS: u32 = 100;

/// The result of a search for cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Strongly connected components with a cycle.
    pub parts: u64,
    /// The positions in them.
    pub positions: u64,
    /// Positions whose value changed.
    pub changed: u64,
    /// Positions that were solved.
    pub solved: u64,
    /// Positions whose value did not settle.
    pub held: u64,
}

/// A strongly connected component, with all moves of its positions.
struct Part {
    ids: Vec<NodeId>,
    /// A move leads to a position of the component, or out of it to a value.
    moves: Vec<Vec<(Edge, Target)>>,
    parents: Vec<Vec<usize>>,
    values: Vec<Value>,
}

#[derive(Clone, Copy)]
enum Target {
    Inside(usize),
    Outside(Value),
}

impl<G: Game, S: Store> Valued<G, S> {
    /// Whether enough moves may have closed a cycle since the last search; `stuck` if everything
    /// left to expand depends on cycles.
    pub fn cycles_are_due(&self, stuck: bool) -> bool {
        if self.graph.game.depends_on_history() {
            return false;
        }
        let share = if stuck { 256 } else { 16 };
        self.graph.facts.closing > 32 + self.graph.facts.interior / share
    }

    /// Searches the whole book for cycles and sets the values of their positions.
    ///
    /// It takes memory for a few numbers for each unsolved position.
    pub fn find_cycles(&mut self) -> Result<Found> {
        // It may take a while; pending changes must not wait that long.
        self.commit()?;
        if self.graph.game.depends_on_history() {
            return self.release();
        }
        let solved = self.graph.facts.solved;
        let mut found = Found::default();
        let mut changed = Vec::new();
        let mut walk = Walk::default();
        let mut nodes = NodeWalk::default();
        while let Some(id) = nodes.next(&self.graph)? {
            self.walk(&mut walk, id, &mut |book, part| {
                book.value_part(part, &mut found, &mut changed)
            })?;
        }
        self.graph.facts.closing = 0;
        found.changed = changed.len() as u64;
        self.back_up(&changed)?;
        found.solved = self.graph.facts.solved - solved;
        Ok(found)
    }

    /// Propagates guesses again that were held; those that still circulate are held again.
    fn release(&mut self) -> Result<Found> {
        let mut held = Vec::new();
        let mut nodes = NodeWalk::default();
        while let Some(id) = nodes.next(&self.graph)? {
            if self.graph.node(id)?.marks.held {
                self.graph.edit(id)?.marks.held = false;
                held.push(id);
            }
        }
        self.graph.facts.closing = 0;
        self.back_up(&held)?;
        Ok(Found { changed: held.len() as u64, ..Found::default() })
    }

    /// The nodes below a node that cycles can contain.
    fn inner(&mut self, id: NodeId) -> Result<Vec<NodeId>> {
        let mut inner = Vec::new();
        self.graph.prefetch_children(id)?;
        for edge in self.graph.node(id)?.edges.clone() {
            if self.is_unsolved_interior(edge.child)? {
                inner.push(edge.child);
            }
        }
        Ok(inner)
    }

    fn is_unsolved_interior(&mut self, id: NodeId) -> Result<bool> {
        let node = self.graph.node(id)?;
        Ok(node.state == State::Interior && !node.value.is_solved())
    }

    /// Tarjan's algorithm from a node: every component not visited yet, in reverse topological
    /// order.
    fn walk(
        &mut self,
        walk: &mut Walk,
        from: NodeId,
        visit: &mut dyn FnMut(&mut Self, &[NodeId]) -> Result<()>,
    ) -> Result<()> {
        if walk.marks.contains_key(&from) || !self.is_unsolved_interior(from)? {
            return Ok(());
        }
        let mut path = vec![(from, self.inner(from)?)];
        walk.enter(from);
        while let Some((id, rest)) = path.last_mut() {
            let id = *id;
            if let Some(next) = rest.pop() {
                match walk.marks.get(&next) {
                    None => {
                        let inner = self.inner(next)?;
                        walk.enter(next);
                        path.push((next, inner));
                    }
                    Some(mark) if mark.on_stack => {
                        let order = mark.order;
                        walk.lower(id, order);
                    }
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            let low = walk.marks[&id].low;
            if let Some((parent, _)) = path.last() {
                walk.lower(*parent, low);
            }
            if low == walk.marks[&id].order {
                let part = walk.leave(id);
                visit(self, &part)?;
            }
        }
        Ok(())
    }

    /// Sets the values of a component; everything below it has its values.
    fn value_part(
        &mut self,
        ids: &[NodeId],
        found: &mut Found,
        changed: &mut Vec<NodeId>,
    ) -> Result<()> {
        let looped =
            ids.len() > 1 || self.graph.node(ids[0])?.edges.iter().any(|edge| edge.child == ids[0]);
        if !looped {
            let id = ids[0];
            if self.graph.node(id)?.marks.held {
                self.graph.edit(id)?.marks.held = false;
            }
            self.moves.clear();
            let (value, proof) = self.computed_value(id)?;
            return self.revalue(id, value, proof, changed);
        }
        found.parts += 1;
        found.positions += ids.len() as u64;
        let mut part = self.part(ids)?;
        let proven = part.proven();
        let held = part
            .spread()
            .map_err(|at| BookError::Contradiction(format!("node {}", part.ids[at])))?;
        for (at, &id) in part.ids.iter().enumerate() {
            let (lower, upper) = proven[at];
            let Some(value) = part.values[at].within_open(lower, upper) else {
                return Err(BookError::Contradiction(self.graph.node(id)?.position.clone()));
            };
            let keep = held.contains(&at);
            found.held += u64::from(keep);
            if self.graph.node(id)?.marks.held != keep {
                self.graph.edit(id)?.marks.held = keep;
            }
            let value = if keep { hold(value) } else { value.normal() };
            let proof = self.graph.node(id)?.proof;
            let value = self.only_by_staying(id, value)?;
            self.revalue(id, value, proof, changed)?;
        }
        Ok(())
    }

    /// A new value without new bounds above 0: those are proven by moves, and the propagation that
    /// follows finds how deep their proofs are.
    fn only_by_staying(&mut self, id: NodeId, value: Value) -> Result<Value> {
        let old = self.graph.node(id)?.value;
        let lower = if value.lower > 0 { old.lower } else { value.lower };
        let upper = if value.upper < 0 { old.upper } else { value.upper };
        if (lower, upper) == (value.lower, value.upper) {
            return Ok(value);
        }
        Ok(Value { lower, upper, heuristic: value.estimate(), cycle: None }.normal())
    }

    fn revalue(
        &mut self,
        id: NodeId,
        value: Value,
        proof: ProofDepth,
        changed: &mut Vec<NodeId>,
    ) -> Result<()> {
        if self.graph.node(id)?.value != value {
            self.graph.set_value(id, value, proof)?;
            changed.push(id);
            changed.extend(self.graph.node(id)?.parents.clone());
        }
        Ok(())
    }

    fn part(&mut self, ids: &[NodeId]) -> Result<Part> {
        let places: NodeMap<usize> = ids.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let mut part = Part {
            ids: ids.to_vec(),
            moves: Vec::new(),
            parents: vec![Vec::new(); ids.len()],
            values: Vec::new(),
        };
        for (at, &id) in ids.iter().enumerate() {
            let mut moves = Vec::new();
            self.graph.prefetch_children(id)?;
            for edge in self.graph.node(id)?.edges.clone() {
                let to = if let Some(&place) = places.get(&edge.child) {
                    part.parents[place].push(at);
                    Target::Inside(place)
                } else {
                    let value = self.graph.node(edge.child)?.value;
                    Target::Outside(value.through(edge.gain, edge.turn))
                };
                moves.push((edge, to));
            }
            part.moves.push(moves);
            let value = self.graph.node(id)?.value;
            part.values.push(Value { cycle: None, ..value });
        }
        Ok(part)
    }
}

impl Part {
    /// The bounds that can be proven by staying: see the documentation of this module.
    fn proven(&self) -> Vec<(Score, Score)> {
        let mut proven: Vec<(Score, Score)> =
            self.values.iter().map(|v| (v.lower, v.upper)).collect();
        let passes = |(edge, to): &(Edge, Target)| {
            matches!(to, Target::Outside(_)) || edge.gain == 0 && edge.turn == Turn::Passes
        };
        if !self.moves.iter().flatten().all(passes) {
            return proven;
        }
        let least = self.values.iter().map(|v| v.lower.min(-v.upper)).min().unwrap_or(0);
        for k in (least + 1..=0).rev() {
            let [mover, other] = self.safe(k);
            for (at, (lower, upper)) in proven.iter_mut().enumerate() {
                if mover[at] {
                    *lower = k.max(*lower);
                }
                if other[at] {
                    *upper = (-k).min(*upper);
                }
            }
        }
        proven
    }

    /// The positions where the mover has at least `k`, and those where the opponent has.
    fn safe(&self, k: Score) -> [Vec<bool>; 2] {
        let count = self.ids.len();
        // Everything is safe until it is shown not to be.
        let mut safe = [vec![true; count], vec![true; count]];
        let mut open: VecDeque<usize> = (0..count).collect();
        let mut queued = vec![true; count];
        while let Some(at) = open.pop_front() {
            queued[at] = false;
            let holds = |(_, to): &(Edge, Target)| match *to {
                Target::Inside(place) => safe[1][place],
                Target::Outside(value) => value.lower >= k,
            };
            let mover = self.values[at].lower >= k || self.moves[at].iter().any(holds);
            let holds = |(_, to): &(Edge, Target)| match *to {
                Target::Inside(place) => safe[0][place],
                Target::Outside(value) => value.upper <= -k,
            };
            let other = self.values[at].upper <= -k || self.moves[at].iter().all(holds);
            if (mover, other) != (safe[0][at], safe[1][at]) {
                (safe[0][at], safe[1][at]) = (mover, other);
                for &parent in &self.parents[at] {
                    if !queued[parent] {
                        queued[parent] = true;
                        open.push_back(parent);
                    }
                }
            }
        }
        safe
    }

    /// Starts from cycles without exits and recomputes until nothing changes; returns what did not
    /// settle. The error is a position whose bounds contradict each other.
    fn spread(&mut self) -> std::result::Result<HashSet<usize>, usize> {
        let bounds: Vec<(Score, Score)> = self.values.iter().map(|v| (v.lower, v.upper)).collect();
        for value in &mut self.values {
            *value = if value.is_solved() {
                Value::exact(value.lower)
            } else {
                let cycle = Value::cycle(None, None, 0).cycle;
                Value { heuristic: 0, cycle, ..*value }
            };
        }
        let count = self.ids.len();
        let mut held = HashSet::new();
        let mut rounds = vec![0; count];
        let mut open: VecDeque<usize> = (0..count).collect();
        let mut queued = vec![true; count];
        while let Some(at) = open.pop_front() {
            queued[at] = false;
            if self.values[at].is_solved() {
                continue;
            }
            let moves: Vec<Value> = self.moves[at]
                .iter()
                .map(|&(edge, to)| match to {
                    Target::Inside(place) => self.values[place].through(edge.gain, edge.turn),
                    Target::Outside(value) => value.normal(),
                })
                .collect();
            let Some(mut value) = propagate_open(&moves) else { continue };
            value.lower = value.lower.max(bounds[at].0);
            value.upper = value.upper.min(bounds[at].1);
            if value.lower > value.upper {
                return Err(at);
            }
            if value.is_solved() {
                value = value.normal();
            }
            if held.contains(&at) {
                value = hold(value);
            }
            if value != self.values[at] {
                rounds[at] += 1;
                if rounds[at] > ROUNDS {
                    held.insert(at);
                    value = hold(value);
                }
                self.values[at] = value;
                for &parent in &self.parents[at] {
                    if !queued[parent] {
                        queued[parent] = true;
                        open.push_back(parent);
                    }
                }
            }
        }
        if !held.is_empty() {
            // Where something did not settle, a missing attribute proves nothing.
            for (at, value) in self.values.iter().enumerate() {
                if value.cycle.is_some_and(|c| c.other.is_none() || c.own.is_none()) {
                    held.insert(at);
                }
            }
        }
        Ok(held)
    }
}

/// The state of Tarjan's algorithm.
#[derive(Default)]
struct Walk {
    marks: NodeMap<Mark>,
    stack: Vec<NodeId>,
}

struct Mark {
    order: u32,
    low: u32,
    on_stack: bool,
}

impl Walk {
    fn enter(&mut self, id: NodeId) {
        let order = self.marks.len() as u32;
        self.marks.insert(id, Mark { order, low: order, on_stack: true });
        self.stack.push(id);
    }

    fn lower(&mut self, id: NodeId, to: u32) {
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.low = mark.low.min(to);
        }
    }

    fn leave(&mut self, id: NodeId) -> Vec<NodeId> {
        let start = self.stack.iter().rposition(|&on| on == id).unwrap_or(0);
        let part = self.stack.split_off(start);
        for id in &part {
            if let Some(mark) = self.marks.get_mut(id) {
                mark.on_stack = false;
            }
        }
        part
    }
}

#[cfg(test)]
mod tests;

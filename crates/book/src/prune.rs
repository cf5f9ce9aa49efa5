//! Pruning: changes by hand, and nodes that a new database makes superfluous.

use std::collections::HashSet;

use nutcracker_game::{Game, Score};

use crate::error::{BookError, Result};
use crate::graph::Book;
use crate::node::{NodeId, State};
use crate::store::Store;
use crate::value::Value;

impl<G: Game, S: Store> Book<G, S> {
    /// Turns all positions for which `known` has a score into leaves, and drops nodes that become
    /// unreachable. Returns the number of nodes dropped.
    pub fn prune(
        &mut self,
        known: &mut dyn FnMut(&G::Position) -> Result<Option<Score>>,
    ) -> Result<u64> {
        let before = self.facts.nodes;
        self.efforts.clear();
        let mut changed = Vec::new();
        let mut from = 0;
        while let Some(id) = self.next_node(from)? {
            from = id + 1;
            let node = self.node(id)?;
            let (state, value) = (node.state, node.value);
            if state == State::Over || state == State::Leaf && value.is_solved() {
                continue;
            }
            let position = self.position(id)?;
            let Some(score) = known(&position)? else { continue };
            if value.within(score, score).is_none() {
                return Err(BookError::Contradiction(self.node(id)?.position.clone()));
            }
            self.cut(id)?;
            self.edit(id)?.own = Value::exact(score);
            changed.push(id);
        }
        self.back_up(&changed)?;
        self.sweep()?;
        self.commit()?;
        Ok(before - self.facts.nodes)
    }

    /// Removes a node's moves: it becomes a leaf again.
    pub(crate) fn cut(&mut self, id: NodeId) -> Result<()> {
        if self.node(id)?.state != State::Interior {
            return Ok(());
        }
        let node = self.edit(id)?;
        node.state = State::Leaf;
        node.marks.held = false;
        let edges = std::mem::take(&mut node.edges);
        self.facts.interior -= 1;
        for edge in edges {
            self.edit(edge.child)?.parents.retain(|&parent| parent != id);
        }
        Ok(())
    }

    /// Drops nodes that cannot be reached from the root.
    fn sweep(&mut self) -> Result<()> {
        let mut reached = HashSet::from([self.root()]);
        let mut open = vec![self.root()];
        while let Some(id) = open.pop() {
            for edge in &self.node(id)?.edges {
                if reached.insert(edge.child) {
                    open.push(edge.child);
                }
            }
        }
        let mut lost = Vec::new();
        let mut from = 0;
        while let Some(id) = self.next_node(from)? {
            from = id + 1;
            if !reached.contains(&id) {
                lost.push(id);
            }
        }
        for &id in &lost {
            self.cut(id)?;
        }
        lost.into_iter().try_for_each(|id| self.forget(id))
    }

    /// Replaces the expert's value of a node, and recomputes the whole book: bounds that rest on
    /// the old value must not survive.
    pub fn set_own(&mut self, id: NodeId, own: Value) -> Result<()> {
        self.edit(id)?.own = own;
        self.rebuild()
    }

    /// Recomputes all values and costs from the experts' values.
    pub fn rebuild(&mut self) -> Result<()> {
        self.efforts.clear();
        let mut all: Vec<(u32, NodeId)> = Vec::new();
        let mut from = 0;
        while let Some(id) = self.next_node(from)? {
            from = id + 1;
            let own = self.node(id)?.own;
            if self.node(id)?.marks.held {
                self.edit(id)?.marks.held = false;
            }
            if self.node(id)?.value != own {
                self.set_value(id, own)?;
            }
            all.push((self.node(id)?.depth, id));
        }
        let all: Vec<NodeId> = all.into_iter().map(|(_, id)| id).collect();
        self.back_up(&all)?;
        self.find_cycles()?;
        self.settle_all()
    }
}

#[cfg(test)]
mod tests {
    use crate::toy::{Toy, ToyBook};
    use crate::value::Value;

    fn toy() -> Toy {
        // 4 is reached on two paths, 5 on one.
        Toy::new(&[(0, &[1, 2]), (1, &[3, 4]), (2, &[4, 5]), (5, &[6]), (4, &[7, 8])]).guesses(&[
            (3, 10),
            (6, 20),
            (7, -5),
            (8, 5),
        ])
    }

    #[test]
    fn positions_in_a_database_are_pruned() {
        let mut book = toy().book(&[0, 1, 2, 5, 4]);
        assert_eq!(book.facts().nodes, 9);
        // 2 is known: what is reached only through it is dropped, 4 stays.
        let gone = book.prune(&mut |&at| Ok((at == 2).then_some(0))).unwrap();
        assert_eq!(gone, 2);
        assert!(book.find(&5).unwrap().is_none() && book.find(&4).unwrap().is_some());
        assert_eq!(book.root_value().unwrap().lower, 0);
        let checked = book.check(&mut |_| {}).unwrap();
        assert_eq!((checked.nodes, checked.flaws), (7, vec![]));
        // Dropped positions can be added again.
        let gone = book.prune(&mut |&at| Ok((at == 1).then_some(1))).unwrap();
        assert_eq!(gone, 4);
        assert!(book.root_value().unwrap().is_solved());
    }

    #[test]
    fn a_manual_change_recomputes_the_book() {
        let mut book = toy().book(&[0, 1, 2, 5, 4]);
        let three = book.find(&3).unwrap().unwrap();
        book.set_own(three, Value::exact(-1)).unwrap();
        assert_eq!(book.node(1).unwrap().value.score(), Some(1));
        book.set_own(three, Value::guess(10, 1)).unwrap();
        assert_eq!(book.node(1).unwrap().value.score(), None);
        assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
    }
}

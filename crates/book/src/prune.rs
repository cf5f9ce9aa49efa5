//! Pruning: changes by hand, and nodes that a new database makes superfluous.

use std::collections::HashSet;

use nutcracker_game::{Game, Score};

use crate::book::Book;
use crate::error::{BookError, Result};
use crate::graph::NodeWalk;
use crate::node::{NodeId, State};
use crate::store::Store;
use crate::value::Value;

impl<G: Game, S: Store> Book<G, S> {
    /// Turns all positions for which `known` has a score into leaves, and drops nodes that become
    /// unreachable. Returns the number of nodes dropped. If that fails, nothing is changed.
    pub fn prune(
        &mut self,
        known: &mut dyn FnMut(&G::Position) -> Result<Option<Score>>,
    ) -> Result<u64> {
        self.commit()?;
        let before = self.facts().nodes;
        self.chooser.clear();
        self.atomically(|book| {
            book.replace_known(known)?;
            book.sweep()
        })?;
        self.commit()?;
        Ok(before - self.facts().nodes)
    }

    /// Turns all positions for which `known` has a score into leaves.
    fn replace_known(
        &mut self,
        known: &mut dyn FnMut(&G::Position) -> Result<Option<Score>>,
    ) -> Result<()> {
        let mut changed = Vec::new();
        let mut walk = NodeWalk::default();
        while let Some(id) = walk.next(&self.valued.graph)? {
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
            self.valued.graph.cut(id)?;
            self.valued.graph.edit(id)?.own = Value::exact(score);
            changed.push(id);
        }
        self.valued.back_up(&changed)
    }

    /// Drops nodes that cannot be reached from the root.
    fn sweep(&mut self) -> Result<()> {
        let mut open = self.facts().roots.clone();
        let mut reached: HashSet<NodeId> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            for edge in &self.node(id)?.edges {
                if reached.insert(edge.child) {
                    open.push(edge.child);
                }
            }
        }
        let mut lost = Vec::new();
        let mut walk = NodeWalk::default();
        while let Some(id) = walk.next(&self.valued.graph)? {
            if !reached.contains(&id) {
                lost.push(id);
            }
        }
        for &id in &lost {
            self.valued.graph.cut(id)?;
        }
        lost.into_iter().try_for_each(|id| self.valued.graph.forget(id))
    }

    /// Replaces the expert's value of a node, and recomputes the whole book: bounds that rest on
    /// the old value must not survive. If that fails, nothing is changed.
    pub fn set_own(&mut self, id: NodeId, own: Value) -> Result<()> {
        if self.node(id)?.state == State::Over {
            return Err(BookError::Illegal("the game is over here: its score is fixed".to_owned()));
        }
        let position = self.position(id)?;
        let max = self.valued.graph.max_score(&position);
        if own.lower < -max || own.upper > max {
            return Err(BookError::Illegal(format!("a score here is within ±{max}")));
        }
        self.commit()?;
        self.atomically(|book| {
            book.valued.graph.edit(id)?.own = own;
            book.valued.rebuild()
        })?;
        self.chooser.clear();
        Ok(())
    }

    /// Recomputes all values and costs from the experts' values. If that fails, nothing is changed.
    pub fn rebuild(&mut self) -> Result<()> {
        self.commit()?;
        self.atomically(|book| book.valued.rebuild())?;
        self.chooser.clear();
        Ok(())
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

    /// A score that contradicts what is proven is refused, and nothing is changed by it.
    #[test]
    fn a_refused_score_prunes_nothing() {
        let toy = Toy::new(&[(0, &[1, 2]), (1, &[3]), (2, &[4])]).over(&[(4, 1)]);
        let mut book = toy.book(&[0, 1, 2]);
        let nodes = |book: &mut crate::Book<_, _>| {
            (0..5).map(|id| book.node(id).unwrap().clone()).collect::<Vec<crate::node::Node>>()
        };
        let before = nodes(&mut book);
        // 1 could be anything, but 2 is proven to be lost.
        let known = |at: &u32| Ok([None, Some(1), Some(1), None, None][*at as usize]);
        assert!(book.prune(&mut { known }).is_err());
        assert_eq!(nodes(&mut book), before);
        book.commit().unwrap();
        assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
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

    /// A value that contradicts what is proven is refused, and nothing is changed by it.
    #[test]
    fn a_refused_value_changes_nothing() {
        let toy = Toy::new(&[(0, &[1, 2]), (1, &[3])]).over(&[(3, 1)]).guesses(&[(2, 10)]);
        let mut book = toy.book(&[0, 1]);
        let nodes = |book: &mut crate::Book<_, _>| {
            (0..4).map(|id| book.node(id).unwrap().clone()).collect::<Vec<crate::node::Node>>()
        };
        let before = nodes(&mut book);
        assert_eq!(before[0].value, Value::exact(1));
        for own in [Value::exact(-1), Value::exact(0), Value::exact(9)] {
            assert!(book.set_own(0, own).is_err());
            assert_eq!(nodes(&mut book), before, "{own:?}");
        }
        // The score of a terminal position is that of the rules.
        let end = book.find(&3).unwrap().unwrap();
        assert!(book.set_own(end, Value::exact(0)).is_err());
        book.commit().unwrap();
        assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
    }
}

//! Merging: what experts said, from another book or from a file, is added to a book.

use std::collections::HashMap;

use nutcracker_game::{Game, Score};

use crate::book::Book;
use crate::error::{BookError, Result};
use crate::facts::Tuning;
use crate::graph::{Graph, NodeWalk};
use crate::node::{Marks, NodeId, State};
use crate::store::Store;
use crate::value::Value;

/// A position with what experts said of it. Moves follow from the rules, and everything else is
/// derived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry<P> {
    /// The position.
    pub position: P,
    /// The expert's value.
    pub own: Value,
    /// Whether all its moves are in the book.
    pub expanded: bool,
    /// Whether the book starts there.
    pub start: bool,
    /// Whether it occurred in games; nothing else of its marks counts.
    pub marks: Marks,
}

impl<P> Entry<P> {
    /// The same with its proven bounds as far as they are confirmed by `score`, which is that of
    /// the rules or a database: unconfirmed ones only guide a guess. `None` if they contradict it.
    #[must_use]
    pub fn confirmed(self, score: Option<Score>, max: Score) -> Option<Self> {
        let own = match score {
            Some(score) => self.own.within(score, score)?,
            None => Value::guess(self.own.estimate(), max),
        };
        Some(Entry { own, ..self })
    }
}

/// The depth of a position to which no path is known yet: larger than any, and no sum overflows.
const UNREACHED: u32 = u32::MAX / 2;

impl<G: Game, S: Store> Book<G, S> {
    /// A book with these positions.
    pub fn from_entries(
        game: G,
        store: S,
        tuning: Tuning,
        entries: &[Entry<G::Position>],
    ) -> Result<Self> {
        let mut graph = Graph::empty(game, store);
        graph.facts.tuning = tuning;
        graph.facts.roots.clear();
        let mut book = Self::with(graph);
        book.combine(entries)?;
        book.commit()?;
        Ok(book)
    }

    /// All positions, in the order of their nodes.
    pub fn entries(&mut self) -> Result<Vec<Entry<G::Position>>> {
        let mut entries = Vec::new();
        let mut walk = NodeWalk::default();
        while let Some(id) = walk.next(&self.valued.graph)? {
            let position = self.position(id)?;
            let start = self.facts().roots.contains(&id);
            let node = self.node(id)?;
            entries.push(Entry {
                position,
                own: node.own,
                expanded: node.state == State::Interior,
                start,
                marks: node.marks,
            });
        }
        Ok(entries)
    }

    /// Adds positions with all their moves, and derives every value again. Returns the number of
    /// positions that are new.
    ///
    /// Where the book has a position already, proven bounds are intersected and its own guess is
    /// kept; start positions and marks are united. After an error, as where proofs contradict each
    /// other, the book is as it was.
    pub fn merge(&mut self, entries: &[Entry<G::Position>]) -> Result<u64> {
        self.commit()?;
        let before = self.facts().nodes;
        self.atomically(|book| book.combine(entries))?;
        self.chooser.clear();
        self.commit()?;
        Ok(self.facts().nodes - before)
    }

    fn combine(&mut self, entries: &[Entry<G::Position>]) -> Result<()> {
        let mut ids = Vec::with_capacity(entries.len());
        for entry in entries {
            ids.push(self.add_entry(entry)?);
        }
        for (entry, &id) in entries.iter().zip(&ids) {
            if entry.expanded
                && let Some(prepared) = self.valued.graph.prepare(id)?
            {
                if let Some((missing, _)) = prepared.wanted(self.game()).first() {
                    let key = self.key(&entry.position);
                    let what = format!("{key} has a move to {missing}, which is missing; add it");
                    return Err(BookError::Illegal(what));
                }
                self.valued.graph.link_moves(prepared, &HashMap::new())?;
            }
        }
        let graph = &mut self.valued.graph;
        for (_, &id) in entries.iter().zip(&ids).filter(|(entry, _)| entry.start) {
            graph.bring_nearer(id, 0)?;
            if !graph.facts.roots.contains(&id) {
                graph.facts.roots.push(id);
            }
        }
        for &id in &ids {
            let node = graph.node(id)?;
            if node.depth >= UNREACHED {
                return Err(BookError::Illegal(format!(
                    "no moves lead from a start position to {}; add what is missing",
                    node.position
                )));
            }
        }
        if graph.facts.roots.is_empty() {
            return Err(BookError::Illegal("no position is a start; add one".to_owned()));
        }
        self.valued.rebuild()
    }

    /// The node of a position, with what is said of it here and there.
    fn add_entry(&mut self, entry: &Entry<G::Position>) -> Result<NodeId> {
        let graph = &mut self.valued.graph;
        let key = graph.key(&entry.position);
        let said = match graph.game.outcome(&entry.position) {
            Some(score) => entry.own.within(score, score),
            None => Some(entry.own),
        };
        let known = graph.find_key(&key)?;
        let own = match (known, said) {
            (Some(id), Some(said)) => graph.node(id)?.own.within(said.lower, said.upper),
            (_, said) => said,
        };
        let Some(own) = own else { return Err(BookError::Contradiction(key)) };
        let id = known.unwrap_or_else(|| graph.add(&entry.position, key, UNREACHED, own));
        let node = graph.node(id)?;
        let marks = Marks {
            held: node.marks.held,
            public: node.marks.public || entry.marks.public,
            played: node.marks.played || entry.marks.played,
        };
        if (node.own, node.marks) != (own, marks) {
            let node = graph.edit(id)?;
            (node.own, node.marks) = (own, marks);
        }
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;
    use crate::toy::{Toy, ToyBook};

    fn toy() -> Toy {
        // 5 closes a cycle; 6 ends the game.
        let moves = [(0, &[1, 2][..]), (1, &[3, 4]), (2, &[4, 5]), (4, &[6, 7]), (5, &[0, 8])];
        let guesses = [(1, 5), (2, -5), (3, 10), (4, 40), (5, 2), (7, -20), (8, 30)];
        Toy::new(&moves).over(&[(6, 0)]).guesses(&guesses)
    }

    fn nodes(book: &mut Book<Toy, MemoryStore>) -> Vec<(String, Value, Value, u32, usize)> {
        let mut nodes = Vec::new();
        for entry in book.entries().unwrap() {
            let id = book.find(&entry.position).unwrap().unwrap();
            let node = book.node(id).unwrap();
            let (own, value) = (node.own, node.value);
            nodes.push((node.position.clone(), own, value, node.depth, node.edges.len()));
        }
        nodes.sort_by(|a, b| a.0.cmp(&b.0));
        nodes
    }

    fn in_order(book: &mut Book<Toy, MemoryStore>) {
        assert_eq!(book.check(&mut |_| {}).unwrap().flaws, vec![]);
    }

    #[test]
    fn a_book_is_made_of_its_entries() {
        let mut book = toy().book(&[0, 1, 2, 4, 5]);
        book.find_cycles().unwrap();
        let (entries, tuning) = (book.entries().unwrap(), book.facts().tuning);
        let mut again = Book::from_entries(toy(), MemoryStore::new(), tuning, &entries).unwrap();
        assert_eq!(nodes(&mut again), nodes(&mut book));
        assert_eq!(again.entries().unwrap(), entries);
        in_order(&mut again);
    }

    #[test]
    fn two_books_become_one() {
        let (mut left, mut right) = (toy().book(&[0, 1, 4]), toy().book(&[0, 2, 5]));
        let two = right.find(&2).unwrap().unwrap();
        right.valued.graph.edit(two).unwrap().marks.played = true;
        let one = right.find(&1).unwrap().unwrap();
        right.set_own(one, Value::guess(99, 1)).unwrap();
        right.add_start(&4, &mut toy().expert()).unwrap();
        let new = left.merge(&right.entries().unwrap()).unwrap();
        assert_eq!(new, 2);
        let mut whole = toy().book(&[0, 1, 2, 4, 5]);
        whole.add_start(&4, &mut toy().expert()).unwrap();
        whole.rebuild().unwrap();
        // The guess of the book that is added to is kept.
        assert_eq!(nodes(&mut left), nodes(&mut whole));
        assert_eq!(left.facts().roots.len(), 2);
        assert!(left.node(left.find(&2).unwrap().unwrap()).unwrap().marks.played);
        in_order(&mut left);
    }

    #[test]
    fn proofs_that_contradict_change_nothing() {
        let (mut left, mut right) = (toy().book(&[0, 1]), toy().book(&[0, 1, 2]));
        let set = |book: &mut Book<Toy, MemoryStore>, own| {
            let three = book.find(&3).unwrap().unwrap();
            book.set_own(three, own).unwrap();
        };
        set(&mut left, Value::at_least(0, 10, 1));
        set(&mut right, Value::at_most(0, 20, 1));
        let before = nodes(&mut left);
        let mut entries = right.entries().unwrap();
        left.merge(&entries).unwrap();
        let three = left.find(&3).unwrap().unwrap();
        assert_eq!(left.node(three).unwrap().own, Value::exact(0));
        assert!(nodes(&mut left).len() > before.len());
        in_order(&mut left);

        let before = nodes(&mut left);
        let place = entries.iter().position(|entry| entry.position == 3).unwrap();
        entries[place].own = Value::exact(1);
        assert!(matches!(left.merge(&entries), Err(BookError::Contradiction(_))));
        assert_eq!(nodes(&mut left), before);
        in_order(&mut left);
    }

    #[test]
    fn entries_must_be_complete() {
        let mut entries = toy().book(&[0, 1]).entries().unwrap();
        let make = |entries: &[Entry<u32>]| {
            Book::from_entries(toy(), MemoryStore::new(), Tuning::default(), entries)
        };
        // 4 and 3 are the moves of 1.
        let last = entries.pop().unwrap();
        assert!(matches!(make(&entries), Err(BookError::Illegal(_))));
        entries.push(last);
        entries[0].start = false;
        assert!(matches!(make(&entries), Err(BookError::Illegal(_))));
    }

    #[test]
    fn what_is_not_confirmed_becomes_a_guess() {
        let entry =
            |own| Entry { position: 0, own, expanded: false, start: true, marks: Marks::default() };
        let own = |said, score| entry(said).confirmed(score, 3).map(|entry| entry.own);
        assert_eq!(own(Value::exact(2), None), Some(Value::guess(200, 3)));
        assert_eq!(own(Value::at_least(1, 10, 3), None), Some(Value::guess(100, 3)));
        assert_eq!(own(Value::at_least(1, 10, 3), Some(2)), Some(Value::exact(2)));
        assert_eq!(own(Value::exact(2), Some(1)), None);
    }
}

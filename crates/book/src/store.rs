//! Where nodes are kept.
//!
//! A store keeps bytes by number and numbers by text, and changes only as a whole: a
//! [`Batch`] is there after a crash, or it is not. What the bytes mean is the business of
//! [`Node`](crate::node::Node).

mod memory;
mod redb;

pub use memory::MemoryStore;
pub use redb::RedbStore;

use crate::error::Result;
use crate::node::NodeId;

/// What changes together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Nodes written, new or not.
    pub nodes: Vec<(NodeId, Vec<u8>)>,
    /// Positions that are new, with their nodes.
    pub positions: Vec<(String, NodeId)>,
    /// Nodes that go, with their positions.
    pub removed: Vec<(NodeId, String)>,
    /// Facts about the whole book.
    pub facts: Option<Vec<u8>>,
}

/// Where nodes are kept.
pub trait Store {
    /// Facts about the whole book; `None` in an empty store.
    fn facts(&self) -> Result<Option<Vec<u8>>>;
    /// The node of a position.
    fn find(&self, position: &str) -> Result<Option<NodeId>>;
    /// Puts the bytes of a node in the place of what is in `bytes`; whether there is one.
    fn read(&self, id: NodeId, bytes: &mut Vec<u8>) -> Result<bool>;
    /// The bytes of a node.
    fn get(&self, id: NodeId) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        Ok(self.read(id, &mut bytes)?.then_some(bytes))
    }
    /// The first node with this number or a larger one: for walks through all of them.
    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>>;
    /// The number of positions that can be found.
    fn len(&self) -> Result<u64>;
    /// Whether nothing can be found.
    fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }
    /// Makes all changes of a batch durable, or none.
    fn commit(&mut self, batch: &Batch) -> Result<()>;
    /// Gives back what space it can.
    fn compact(&mut self) -> Result<()>;
}

/// What every store must do, for the tests of each.
#[cfg(test)]
pub(crate) mod suite {
    use super::{Batch, Store};

    /// Runs the suite on an empty store.
    pub fn run(mut store: impl Store) {
        assert_eq!(store.facts().unwrap(), None);
        assert!(store.is_empty().unwrap());
        assert_eq!(store.next(0).unwrap(), None);
        let first = Batch {
            nodes: vec![(0, b"zero".to_vec()), (7, b"seven".to_vec())],
            positions: vec![("a".to_owned(), 0), ("b".to_owned(), 7)],
            removed: Vec::new(),
            facts: Some(b"facts".to_vec()),
        };
        store.commit(&first).unwrap();
        assert_eq!(store.facts().unwrap().unwrap(), b"facts");
        assert_eq!(store.find("a").unwrap(), Some(0));
        assert_eq!(store.find("b").unwrap(), Some(7));
        assert_eq!(store.find("c").unwrap(), None);
        assert_eq!(store.get(7).unwrap().unwrap(), b"seven");
        assert_eq!(store.get(1).unwrap(), None);
        assert_eq!(store.next(1).unwrap(), Some((7, b"seven".to_vec())));
        assert_eq!(store.next(8).unwrap(), None);
        assert_eq!(store.len().unwrap(), 2);
        // The same node again is a change; facts stay where nothing is said of them.
        let second = Batch {
            nodes: vec![(7, b"SEVEN".to_vec()), (8, b"eight".to_vec())],
            positions: vec![("c".to_owned(), 8)],
            removed: vec![(0, "a".to_owned())],
            facts: None,
        };
        store.commit(&second).unwrap();
        assert_eq!(store.find("a").unwrap(), None);
        assert_eq!(store.get(0).unwrap(), None);
        assert_eq!(store.next(0).unwrap(), Some((7, b"SEVEN".to_vec())));
        assert_eq!(store.facts().unwrap().unwrap(), b"facts");
        store.compact().unwrap();
        assert_eq!(store.get(8).unwrap().unwrap(), b"eight");
        assert_eq!(store.len().unwrap(), 2);
    }
}

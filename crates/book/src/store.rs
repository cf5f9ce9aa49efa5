//! Stores: where a book's nodes are kept.
//!
//! A store maps ids to bytes and texts to ids, and changes atomically: after a crash a [`Batch`] is
//! present as a whole or not at all. The bytes are encoded by [`Node`](crate::node::Node).
//!
//! Books that outlive the process are sealed: every value read is compared with its
//! checksum. What keeps the sealed records is behind the trait `Tables`, so that
//! a kind of store consists of tables only.

mod guard;
mod location;
mod memory;
mod postgres;
mod redb;
mod seal;
mod sealed;
mod tables;

use std::fmt;

pub use guard::catches_panics;
pub use location::{InPostgres, Location};
pub use memory::MemoryStore;

use self::postgres::PostgresTables;
use self::redb::RedbTables;
use self::sealed::Sealed;
use crate::error::{BookError, Result};
use crate::node::NodeId;

/// What a book is opened for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Nothing is written; several processes can read a book at once, while none writes it. In
    /// PostgreSQL one may write it meanwhile: readers see a state of the book, and move to the
    /// newest by [`refresh`](Store::refresh).
    Read,
    /// No other process can open the book meanwhile, in PostgreSQL not for writing.
    Write,
}

/// A store of any kind.
pub type AnyStore = Box<dyn Store + Send>;

/// Opens the store of a book, with this much memory for its pages.
pub fn open(location: &Location, access: Access, cache_bytes: usize) -> Result<AnyStore> {
    match location {
        Location::File(path) => {
            Ok(Box::new(Sealed::open(RedbTables::open(path, access, cache_bytes)?)?))
        }
        Location::Postgres(place) => {
            Ok(Box::new(Sealed::open(PostgresTables::open(place, access)?)?))
        }
    }
}

/// Creates an empty store.
pub fn create(location: &Location, cache_bytes: usize) -> Result<AnyStore> {
    match location {
        Location::File(path) => Ok(Box::new(Sealed::open(RedbTables::create(path, cache_bytes)?)?)),
        Location::Postgres(place) => Ok(Box::new(Sealed::open(PostgresTables::create(place)?)?)),
    }
}

/// Whether there is a book, or something else of this name.
pub fn exists(location: &Location) -> Result<bool> {
    match location {
        Location::File(path) => Ok(path.exists()),
        Location::Postgres(place) => postgres::exists(place),
    }
}

/// Removes a book with everything in it.
pub fn remove(location: &Location) -> Result<()> {
    match location {
        Location::File(path) => {
            std::fs::remove_file(path).map_err(|error| BookError::Store(error.to_string()))
        }
        Location::Postgres(place) => postgres::remove(place),
    }
}

/// Changes that are made together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Nodes written, new or changed.
    pub nodes: Vec<(NodeId, Vec<u8>)>,
    /// Positions that are new, with their nodes.
    pub positions: Vec<(String, NodeId)>,
    /// Nodes removed, with their positions.
    pub removed: Vec<(NodeId, String)>,
    /// Facts about the whole book: lines of text, each with its end.
    pub facts: Option<Vec<u8>>,
}

/// A store of nodes.
pub trait Store {
    /// Facts about the whole book; `None` in an empty store.
    fn facts(&self) -> Result<Option<Vec<u8>>>;
    /// The node of a position.
    fn find(&self, position: &str) -> Result<Option<NodeId>>;
    /// Reads the bytes of a node into `bytes`, replacing its contents; returns whether it exists.
    fn read(&self, id: NodeId, bytes: &mut Vec<u8>) -> Result<bool>;
    /// Whether [`read_many`](Store::read_many) and [`find_many`](Store::find_many) are much faster
    /// than single reads.
    fn prefers_batches(&self) -> bool {
        false
    }
    /// The nodes of positions, in their order.
    fn find_many(&self, positions: &[&str]) -> Result<Vec<Option<NodeId>>> {
        positions.iter().map(|position| self.find(position)).collect()
    }
    /// The bytes of nodes, in the order of their ids.
    fn read_many(&self, ids: &[NodeId]) -> Result<Vec<Option<Vec<u8>>>> {
        ids.iter().map(|&id| self.get(id)).collect()
    }
    /// Moves a store opened for reading to the newest state, where others may write it meanwhile;
    /// returns whether that is another one. What was read before may then be out of date.
    fn refresh(&mut self) -> Result<bool> {
        Ok(false)
    }
    /// The bytes of a node.
    fn get(&self, id: NodeId) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        Ok(self.read(id, &mut bytes)?.then_some(bytes))
    }
    /// The first node with this id or a larger one: for walks through all of them. A walk from 0
    /// ends with `None`, or with an error if nodes are missing.
    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>>;
    /// The number of positions.
    fn len(&self) -> Result<u64>;
    /// Whether there are no positions.
    fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }
    /// Makes all changes of a batch durable, or none.
    fn commit(&mut self, batch: &Batch) -> Result<()>;
    /// Compacts the store as far as possible.
    fn compact(&mut self) -> Result<()>;
}

impl Store for AnyStore {
    fn facts(&self) -> Result<Option<Vec<u8>>> {
        (**self).facts()
    }

    fn find(&self, position: &str) -> Result<Option<NodeId>> {
        (**self).find(position)
    }

    fn read(&self, id: NodeId, bytes: &mut Vec<u8>) -> Result<bool> {
        (**self).read(id, bytes)
    }

    fn prefers_batches(&self) -> bool {
        (**self).prefers_batches()
    }

    fn find_many(&self, positions: &[&str]) -> Result<Vec<Option<NodeId>>> {
        (**self).find_many(positions)
    }

    fn read_many(&self, ids: &[NodeId]) -> Result<Vec<Option<Vec<u8>>>> {
        (**self).read_many(ids)
    }

    fn refresh(&mut self) -> Result<bool> {
        (**self).refresh()
    }

    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>> {
        (**self).next(from)
    }

    fn len(&self) -> Result<u64> {
        (**self).len()
    }

    fn commit(&mut self, batch: &Batch) -> Result<()> {
        (**self).commit(batch)
    }

    fn compact(&mut self) -> Result<()> {
        (**self).compact()
    }
}

impl fmt::Debug for dyn Store + Send {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a store")
    }
}

/// The test suite that every store must pass.
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
            facts: Some(b"facts\n".to_vec()),
        };
        store.commit(&first).unwrap();
        assert_eq!(store.facts().unwrap().unwrap(), b"facts\n");
        assert_eq!(store.find("a").unwrap(), Some(0));
        assert_eq!(store.find("b").unwrap(), Some(7));
        assert_eq!(store.find("c").unwrap(), None);
        assert_eq!(store.get(7).unwrap().unwrap(), b"seven");
        assert_eq!(store.get(1).unwrap(), None);
        assert_eq!(store.next(1).unwrap(), Some((7, b"seven".to_vec())));
        assert_eq!(store.next(8).unwrap(), None);
        assert_eq!(store.len().unwrap(), 2);
        let found = store.find_many(&["b", "c", "a", "b"]).unwrap();
        assert_eq!(found, [Some(7), None, Some(0), Some(7)]);
        let read = store.read_many(&[7, 1, 0]).unwrap();
        assert_eq!(read, [Some(b"seven".to_vec()), None, Some(b"zero".to_vec())]);
        assert_eq!(store.read_many(&[]).unwrap(), Vec::<Option<Vec<u8>>>::new());
        // Writing the same node again is a change; facts stay unless they are given.
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
        assert_eq!(store.facts().unwrap().unwrap(), b"facts\n");
        // The only writer is always at the newest state.
        assert!(!store.refresh().unwrap());
        store.compact().unwrap();
        assert_eq!(store.get(8).unwrap().unwrap(), b"eight");
        assert_eq!(store.len().unwrap(), 2);
    }
}

//! The interface of tables: sealed records, which are only kept here and not examined.

use super::Batch;
use super::seal::{self, Place, Tally};
use crate::error::Result;
use crate::node::NodeId;

/// The tables of a store.
pub(super) trait Tables {
    /// Whether the records have seals; an old book that is only read has none.
    fn are_sealed(&self) -> bool {
        true
    }
    /// The record of the facts; `None` in an empty store.
    fn facts(&self) -> Result<Option<Vec<u8>>>;
    /// The record of a position.
    fn find(&self, position: &str) -> Result<Option<Place>>;
    /// Reads the record of a node, replacing the contents of `record`; returns whether it exists.
    fn read(&self, id: NodeId, record: &mut Vec<u8>) -> Result<bool>;
    /// The record of the first node with this id or a larger one.
    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>>;
    /// See [`Store::prefers_batches`](super::Store::prefers_batches).
    fn prefers_batches(&self) -> bool {
        false
    }
    /// The records of positions, in their order.
    fn find_many(&self, positions: &[&str]) -> Result<Vec<Option<Place>>> {
        positions.iter().map(|position| self.find(position)).collect()
    }
    /// The records of nodes, in the order of their ids.
    fn read_many(&self, ids: &[NodeId]) -> Result<Vec<Option<Vec<u8>>>> {
        let read = |&id: &NodeId| {
            let mut record = Vec::new();
            Ok(self.read(id, &mut record)?.then_some(record))
        };
        ids.iter().map(read).collect()
    }
    /// See [`Store::refresh`](super::Store::refresh).
    fn refresh(&mut self) -> Result<bool> {
        Ok(false)
    }
    /// The number of positions.
    fn positions(&self) -> Result<u64>;
    /// Makes all changes durable, or none.
    fn commit(&mut self, changes: &mut Changes<'_>) -> Result<()>;
    /// Compacts the tables as far as possible.
    fn compact(&mut self) -> Result<()>;
}

/// Records that are written together.
pub(super) struct Changes<'a> {
    /// Records of nodes, new or changed.
    pub nodes: Vec<(NodeId, Vec<u8>)>,
    /// Records of positions.
    pub positions: Vec<(&'a str, Place)>,
    /// Nodes removed, with their positions.
    pub removed: &'a [(NodeId, String)],
    facts: &'a [u8],
    tally: Tally,
}

impl<'a> Changes<'a> {
    /// Seals a batch; `tally` is that of the store before.
    pub fn new(batch: &'a Batch, facts: &'a [u8], mut tally: Tally) -> Self {
        let sealed = |(id, bytes): &(NodeId, Vec<u8>)| (*id, seal::node(*id, bytes));
        let nodes: Vec<_> = batch.nodes.iter().map(sealed).collect();
        for (_, record) in &nodes {
            tally.add(record);
        }
        let positions = batch.positions.iter();
        Changes {
            nodes,
            positions: positions.map(|(text, id)| (&**text, seal::position(text, *id))).collect(),
            removed: &batch.removed,
            facts,
            tally,
        }
    }

    /// To be called with the tally from before if the changes are written once more.
    pub fn restart(&mut self, tally: Tally) {
        self.tally = tally;
    }

    /// To be called with the record of every node that is overwritten or removed; its seal, the
    /// last eight bytes, suffices.
    pub fn replaced(&mut self, record: &[u8]) {
        self.tally.remove(record);
    }

    /// The record of the facts, after everything that is [replaced](Changes::replaced) is known.
    pub fn facts(&self) -> Vec<u8> {
        seal::facts(self.facts, self.tally)
    }

    /// The tally of the store afterwards.
    pub fn tally(&self) -> Tally {
        self.tally
    }
}

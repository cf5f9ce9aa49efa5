//! A store in memory: for tests, and for temporary books.

use std::collections::{BTreeMap, HashMap};

use super::{Batch, Store};
use crate::error::Result;
use crate::node::NodeId;

/// A store in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    nodes: BTreeMap<NodeId, Vec<u8>>,
    positions: HashMap<String, NodeId>,
    facts: Option<Vec<u8>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Store for MemoryStore {
    fn facts(&self) -> Result<Option<Vec<u8>>> {
        Ok(self.facts.clone())
    }

    fn find(&self, position: &str) -> Result<Option<NodeId>> {
        Ok(self.positions.get(position).copied())
    }

    fn read(&self, id: NodeId, bytes: &mut Vec<u8>) -> Result<bool> {
        bytes.clear();
        let found = self.nodes.get(&id);
        bytes.extend_from_slice(found.map_or(&[], Vec::as_slice));
        Ok(found.is_some())
    }

    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>> {
        Ok(self.nodes.range(from..).next().map(|(&id, bytes)| (id, bytes.clone())))
    }

    fn len(&self) -> Result<u64> {
        Ok(self.positions.len() as u64)
    }

    fn commit(&mut self, batch: &Batch) -> Result<()> {
        for (id, position) in &batch.removed {
            self.nodes.remove(id);
            self.positions.remove(position);
        }
        self.nodes.extend(batch.nodes.iter().cloned());
        self.positions.extend(batch.positions.iter().cloned());
        if batch.facts.is_some() {
            self.facts.clone_from(&batch.facts);
        }
        Ok(())
    }

    fn compact(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn passes_the_store_suite() {
        super::super::suite::run(super::MemoryStore::new());
    }
}

//! Nodes and positions read several at a time, from stores where a single read takes long.

use nutcracker_game::Game;

use super::Graph;
use crate::error::Result;
use crate::node::NodeId;
use crate::store::Store;

/// The largest number of nodes read at once before they are needed.
const READ_AHEAD: usize = 1000;

impl<G: Game, S: Store> Graph<G, S> {
    /// Reads nodes that are about to be used, all at once if the store gains by that.
    pub fn prefetch(&mut self, ids: &[NodeId]) -> Result<()> {
        if !self.batches || ids.len() < 2 {
            return Ok(());
        }
        let absent = |id: &NodeId| !self.cache.contains(*id) && !self.gone.contains_key(id);
        let mut missing: Vec<NodeId> = ids.iter().copied().filter(absent).collect();
        missing.sort_unstable();
        missing.dedup();
        // Few enough that the first are not evicted before they are used.
        missing.truncate(READ_AHEAD.min(self.cache.room() / 4));
        if missing.len() < 2 {
            return Ok(());
        }
        let read = self.store.read_many(&missing)?;
        for (id, bytes) in missing.into_iter().zip(read) {
            // One that is not there is reported when it is used.
            if let Some(bytes) = bytes {
                self.cache.load(id, |node| node.read(&bytes))?;
            }
        }
        Ok(())
    }

    /// [Reads](Graph::prefetch) the successors of a node.
    pub fn prefetch_children(&mut self, id: NodeId) -> Result<()> {
        if !self.batches {
            return Ok(());
        }
        let children: Vec<NodeId> = self.node(id)?.edges.iter().map(|edge| edge.child).collect();
        self.prefetch(&children)
    }

    /// The nodes of positions, in their order; all at once if the store gains by that.
    pub fn find_keys(&self, keys: &[&str]) -> Result<Vec<Option<NodeId>>> {
        if !self.batches {
            return keys.iter().map(|key| self.find_key(key)).collect();
        }
        let unwritten = |key: &&str| self.fresh.contains_key(*key) || self.gone_keys.contains(*key);
        let asked: Vec<&str> = keys.iter().copied().filter(|key| !unwritten(key)).collect();
        let mut found = self.store.find_many(&asked)?.into_iter();
        let find = |key: &&str| {
            if unwritten(key) { self.find_key(key) } else { Ok(found.next().flatten()) }
        };
        keys.iter().map(find).collect()
    }
}

//! Nodes in memory: those in use, and those not yet written.
//!
//! Nodes are stored in one array of slots; a table of small integers maps a node to its slot. Nodes
//! that were added one after the other, like the successors of one position, are adjacent in both,
//! so that a walk over them waits for memory once and not at every step. A slot is reused with its
//! allocations.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::error::Result;
use crate::node::{Node, NodeId};

/// Consecutive numbers need no more than a mix of their bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stir(u64);

fn stirred(n: u64) -> u64 {
    let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

impl Hasher for Stir {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = stirred(self.0 ^ n);
    }
}

/// A map by node.
pub(crate) type NodeMap<V> = HashMap<NodeId, V, BuildHasherDefault<Stir>>;
/// A set of nodes.
pub(crate) type NodeSet = HashSet<NodeId, BuildHasherDefault<Stir>>;

/// Counters of accesses to nodes in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Nodes accessed.
    pub touched: u64,
    /// Of these, nodes read from the store.
    pub missed: u64,
}

/// A node with the cache's data about it; it begins with a cache line of its own.
#[derive(Debug)]
#[repr(C, align(64))]
struct Slot {
    node: Node,
    /// Changed since it was read or written.
    dirty: bool,
}

/// The number of consecutive slots that a search for a reusable one examines.
const SEARCH: usize = 256;
/// No slot.
const NONE: u32 = u32::MAX;

/// Nodes in memory. Changed nodes stay until they are written; of the others, approximately the
/// least recently used are evicted.
#[derive(Debug)]
pub(crate) struct Cache {
    slots: Vec<Slot>,
    /// The node in each slot; no node has the largest id.
    ids: Vec<NodeId>,
    /// Whether the node in a slot was accessed since the clock hand passed.
    used: Vec<bool>,
    /// Free slots.
    free: Vec<u32>,
    table: Table,
    dirty: Vec<NodeId>,
    /// The clock hand: where the search for a reusable slot continues.
    hand: usize,
    room: usize,
    pub traffic: Traffic,
}

impl Cache {
    pub fn new(room: usize) -> Self {
        Cache {
            slots: Vec::new(),
            ids: Vec::new(),
            used: Vec::new(),
            free: Vec::new(),
            table: Table::default(),
            dirty: Vec::new(),
            hand: 0,
            room: room.clamp(64, NONE as usize / 2),
            traffic: Traffic::default(),
        }
    }

    /// Forgets all nodes, changed or not.
    pub fn clear(&mut self) {
        *self = Cache { traffic: self.traffic, ..Cache::new(self.room) };
    }

    fn find(&self, id: NodeId) -> Option<usize> {
        self.table.find(&self.ids, id)
    }

    /// Whether a node is in memory.
    pub fn contains(&self, id: NodeId) -> bool {
        self.find(id).is_some()
    }

    /// The number of nodes that are kept, apart from changed ones.
    pub fn room(&self) -> usize {
        self.room
    }

    /// The slot of a node, marked as accessed, if it is in memory.
    pub fn slot(&mut self, id: NodeId) -> Option<usize> {
        self.traffic.touched += 1;
        let at = self.find(id)?;
        self.used[at] = true;
        Some(at)
    }

    /// The node in a slot.
    pub fn at(&self, slot: usize) -> &Node {
        &self.slots[slot].node
    }

    /// The node in a slot, for writing.
    pub fn edit(&mut self, slot: usize) -> &mut Node {
        let id = self.ids[slot];
        let slot = &mut self.slots[slot];
        if !slot.dirty {
            slot.dirty = true;
            self.dirty.push(id);
        }
        &mut slot.node
    }

    /// A node from the store; `read` decodes it into a reused node.
    pub fn load(
        &mut self,
        id: NodeId,
        read: impl FnOnce(&mut Node) -> Result<()>,
    ) -> Result<usize> {
        self.traffic.missed += 1;
        let at = self.vacant();
        if let Err(error) = read(&mut self.slots[at].node) {
            self.free.push(at as u32);
            return Err(error);
        }
        self.occupy(at, id);
        Ok(at)
    }

    /// A node that is not in the store.
    pub fn insert(&mut self, id: NodeId, node: Node) {
        let at = self.vacant();
        self.slots[at] = Slot { node, dirty: true };
        self.occupy(at, id);
        self.dirty.push(id);
    }

    pub fn remove(&mut self, id: NodeId) {
        if let Some(at) = self.find(id) {
            self.slots[at] = Slot { node: Node::default(), dirty: false };
            self.vacate(at);
            self.free.push(at as u32);
        }
    }

    fn occupy(&mut self, at: usize, id: NodeId) {
        self.ids[at] = id;
        self.used[at] = true;
        self.table.insert(&self.ids, at as u32);
    }

    fn vacate(&mut self, at: usize) {
        self.table.remove(&self.ids, self.ids[at]);
        self.ids[at] = NodeId::MAX;
        self.used[at] = false;
    }

    /// A free slot.
    fn vacant(&mut self) -> usize {
        if let Some(at) = self.free.pop() {
            return at as usize;
        }
        if self.slots.len() >= self.room
            && let Some(at) = self.superfluous(SEARCH)
        {
            self.vacate(at);
            return at;
        }
        self.slots.push(Slot { node: Node::default(), dirty: false });
        self.ids.push(NodeId::MAX);
        self.used.push(false);
        self.slots.len() - 1
    }

    /// A slot whose node can be evicted: the hand skips nodes accessed since it last passed, and
    /// changed ones.
    fn superfluous(&mut self, search: usize) -> Option<usize> {
        for _ in 0..search {
            let at = self.hand;
            self.hand = if at + 1 < self.slots.len() { at + 1 } else { 0 };
            let used = std::mem::take(&mut self.used[at]);
            if !used && self.ids[at] != NodeId::MAX && !self.slots[at].dirty {
                return Some(at);
            }
        }
        None
    }

    pub fn changes(&self) -> usize {
        self.dirty.len()
    }

    /// The nodes to be written, in ascending order of their ids.
    pub fn changed(&mut self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.dirty.sort_unstable();
        self.dirty.dedup();
        self.dirty.iter().filter_map(|&id| self.find(id).map(|at| (id, &self.slots[at].node)))
    }

    /// Marks all changes as written.
    pub fn written(&mut self) {
        for id in std::mem::take(&mut self.dirty) {
            if let Some(at) = self.find(id) {
                self.slots[at].dirty = false;
            }
        }
        // Changed nodes may have exceeded the limit: the surplus is dropped, with its allocations.
        while self.slots.len() - self.free.len() > self.room
            && let Some(at) = self.superfluous(2 * self.slots.len())
        {
            self.slots[at] = Slot { node: Node::default(), dirty: false };
            self.vacate(at);
            self.free.push(at as u32);
        }
    }
}

/// Which node is in which slot: an open-addressing table of slots, each near the place that its
/// node's id hashes to. Eight consecutive ids have consecutive places.
#[derive(Debug, Default)]
struct Table {
    places: Vec<u32>,
    count: usize,
}

impl Table {
    fn place(&self, id: NodeId) -> usize {
        (stirred(id >> 3) << 3 | id & 7) as usize & (self.places.len() - 1)
    }

    fn find(&self, ids: &[NodeId], id: NodeId) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let mut place = self.place(id);
        loop {
            let slot = self.places[place];
            if slot == NONE {
                return None;
            }
            if ids[slot as usize] == id {
                return Some(slot as usize);
            }
            place = (place + 1) & (self.places.len() - 1);
        }
    }

    fn insert(&mut self, ids: &[NodeId], slot: u32) {
        if 2 * (self.count + 1) > self.places.len() {
            let larger = vec![NONE; (2 * self.places.len()).max(64)];
            for slot in std::mem::replace(&mut self.places, larger) {
                if slot != NONE {
                    self.put(ids, slot);
                }
            }
        }
        self.count += 1;
        self.put(ids, slot);
    }

    fn put(&mut self, ids: &[NodeId], slot: u32) {
        let mut place = self.place(ids[slot as usize]);
        while self.places[place] != NONE {
            place = (place + 1) & (self.places.len() - 1);
        }
        self.places[place] = slot;
    }

    /// Removes a node; entries displaced by it move up.
    fn remove(&mut self, ids: &[NodeId], id: NodeId) {
        if self.count == 0 {
            return;
        }
        let mask = self.places.len() - 1;
        let mut gap = self.place(id);
        loop {
            match self.places[gap] {
                NONE => return,
                slot if ids[slot as usize] == id => break,
                _ => gap = (gap + 1) & mask,
            }
        }
        self.count -= 1;
        let mut place = gap;
        loop {
            place = (place + 1) & mask;
            let slot = self.places[place];
            if slot == NONE {
                break;
            }
            let home = self.place(ids[slot as usize]);
            // An entry may move if its own place is not between the gap and its current place.
            if place.wrapping_sub(home) & mask >= place.wrapping_sub(gap) & mask {
                self.places[gap] = slot;
                gap = place;
            }
        }
        self.places[gap] = NONE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    proptest! {
        /// The table behaves as a map under any sequence of insertions and removals.
        #[test]
        fn the_table_is_a_map(ops in proptest::collection::vec((0..200_u64, 0..3_u8), 1..600)) {
            let mut table = Table::default();
            let mut ids: Vec<NodeId> = vec![NodeId::MAX; 200];
            for (id, op) in ops {
                let slot = (id * 7 % 200) as usize;
                let there = ids[slot] == id;
                prop_assert_eq!(table.find(&ids, id), there.then_some(slot));
                if op > 0 && !there {
                    ids[slot] = id;
                    table.insert(&ids, slot as u32);
                } else if op == 0 && there {
                    table.remove(&ids, id);
                    ids[slot] = NodeId::MAX;
                }
            }
            let count = ids.iter().filter(|&&id| id != NodeId::MAX).count();
            prop_assert_eq!(table.count, count);
        }

        /// Changed nodes stay until they are written; the limit holds again afterwards.
        #[test]
        fn changed_nodes_stay(ops in proptest::collection::vec((0..400_u64, 0..40_u8), 1..2000)) {
            let mut cache = Cache::new(64);
            let mut dirty: NodeMap<u32> = NodeMap::default();
            let mut stored: NodeMap<u32> = NodeMap::default();
            for (n, (id, op)) in ops.into_iter().enumerate() {
                let n = n as u32;
                let there = cache.slot(id).map(|at| cache.at(at).depth);
                let known = dirty.get(&id).or(stored.get(&id)).copied();
                prop_assert!(there.is_none() || there == known);
                match (op, there, known) {
                    (0, ..) => {
                        let written: Vec<NodeId> = cache.changed().map(|(id, _)| id).collect();
                        prop_assert_eq!(written.len(), dirty.len());
                        cache.written();
                        stored.extend(dirty.drain());
                        prop_assert!(cache.slots.len() - cache.free.len() <= 64);
                    }
                    (_, None, None) => {
                        cache.insert(id, Node { depth: n, ..Node::default() });
                        dirty.insert(id, n);
                    }
                    (_, None, Some(depth)) => {
                        prop_assert!(!dirty.contains_key(&id));
                        let read = |node: &mut Node| {
                            node.depth = depth;
                            Ok(())
                        };
                        let at = cache.load(id, read).unwrap();
                        prop_assert_eq!(cache.at(at).depth, depth);
                    }
                    (1..20, Some(_), _) => {
                        let at = cache.slot(id).unwrap();
                        cache.edit(at).depth = n;
                        dirty.insert(id, n);
                    }
                    (20, Some(_), _) => {
                        cache.remove(id);
                        dirty.remove(&id);
                        stored.remove(&id);
                    }
                    _ => {}
                }
            }
        }
    }
}

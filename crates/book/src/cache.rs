//! Nodes in memory: those at work, and those not yet in the file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use crate::node::{Node, NodeId};

/// Numbers in sequence need no more than their bits stirred.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stir(u64);

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
        let mixed = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// A map by node.
pub(crate) type NodeMap<V> = HashMap<NodeId, V, BuildHasherDefault<Stir>>;

#[derive(Debug)]
struct Slot {
    node: Node,
    /// Changed since it was read or written.
    dirty: bool,
    /// Looked at since the last sweep.
    used: bool,
}

/// Nodes in memory. Changed ones stay until they are written; of the others those go that nobody
/// looked at.
#[derive(Debug)]
pub(crate) struct Cache {
    slots: NodeMap<Slot>,
    dirty: Vec<NodeId>,
    room: usize,
}

impl Cache {
    pub fn new(room: usize) -> Self {
        Cache { slots: NodeMap::default(), dirty: Vec::new(), room: room.max(64) }
    }

    pub fn get(&mut self, id: NodeId) -> Option<&Node> {
        self.slots.get_mut(&id).map(|slot| {
            slot.used = true;
            &slot.node
        })
    }

    pub fn contains(&self, id: NodeId) -> bool {
        self.slots.contains_key(&id)
    }

    /// A node to be changed.
    pub fn edit(&mut self, id: NodeId) -> Option<&mut Node> {
        let slot = self.slots.get_mut(&id)?;
        if !slot.dirty {
            slot.dirty = true;
            self.dirty.push(id);
        }
        slot.used = true;
        Some(&mut slot.node)
    }

    /// A node from the store.
    pub fn load(&mut self, id: NodeId, node: Node) {
        if let Entry::Vacant(place) = self.slots.entry(id) {
            place.insert(Slot { node, dirty: false, used: true });
        }
    }

    /// A node that the store does not have.
    pub fn insert(&mut self, id: NodeId, node: Node) {
        self.slots.insert(id, Slot { node, dirty: true, used: true });
        self.dirty.push(id);
    }

    pub fn remove(&mut self, id: NodeId) {
        self.slots.remove(&id);
    }

    pub fn changes(&self) -> usize {
        self.dirty.len()
    }

    /// The nodes to be written, in the order of their numbers.
    pub fn changed(&mut self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.dirty.sort_unstable();
        self.dirty.iter().filter_map(|id| self.slots.get(id).map(|slot| (*id, &slot.node)))
    }

    /// All changes are in the file.
    pub fn written(&mut self) {
        for id in self.dirty.drain(..) {
            if let Some(slot) = self.slots.get_mut(&id) {
                slot.dirty = false;
            }
        }
        self.sweep();
    }

    /// Makes room where there is none left; changed nodes stay.
    pub fn sweep(&mut self) {
        if self.slots.len() <= self.room {
            return;
        }
        self.slots.retain(|_, slot| slot.dirty || std::mem::take(&mut slot.used));
        // If everything was used, anything goes: half of the room is for what comes.
        let mut surplus = self.slots.len().saturating_sub(self.room / 2);
        self.slots.retain(|_, slot| {
            let stays = slot.dirty || surplus == 0;
            surplus -= usize::from(!stays);
            stays
        });
    }

    pub fn is_full(&self) -> bool {
        self.slots.len() > self.room
    }
}

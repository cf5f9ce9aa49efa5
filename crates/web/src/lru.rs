//! A small map that evicts the least recently used value.

use std::collections::HashMap;
use std::hash::Hash;

/// A bounded number of values; the least recently used one is evicted.
#[derive(Debug)]
pub struct Lru<K, V> {
    capacity: usize,
    /// Each value with the time of its last use.
    entries: HashMap<K, (V, u64)>,
    /// Counts uses.
    clock: u64,
}

impl<K: Clone + Eq + Hash, V> Lru<K, V> {
    /// A map that keeps `capacity` values, one at least.
    pub fn new(capacity: usize) -> Self {
        Lru { capacity: capacity.max(1), entries: HashMap::new(), clock: 0 }
    }

    /// A value, which counts as used.
    pub fn get(&mut self, key: &K) -> Option<&V> {
        self.clock += 1;
        let (value, used) = self.entries.get_mut(key)?;
        *used = self.clock;
        Some(value)
    }

    /// The value of a key, which is `value` if there was none.
    pub fn get_or_insert(&mut self, key: K, value: V) -> &V {
        self.clock += 1;
        if !self.entries.contains_key(&key) && self.entries.len() >= self.capacity {
            let oldest = self.entries.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.entries.remove(&oldest);
            }
        }
        let (value, used) = self.entries.entry(key).or_insert((value, 0));
        *used = self.clock;
        value
    }

    /// All values, in no order. They do not count as used.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.values().map(|(value, _)| value)
    }
}

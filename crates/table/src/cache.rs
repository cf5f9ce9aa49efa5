//! The cache of decoded blocks.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::reader::Table;

/// Shards, so that threads seldom contend.
const MAX_SHARDS: usize = 64;
/// A shard should hold many blocks, or a few hot ones would evict each other.
const MIN_SHARD_BYTES: usize = 1 << 20;
/// The approximate overhead of a block beside its scores.
const OVERHEAD: usize = 96;

/// A cache of decoded blocks for any number of tables and threads. Blocks that were not used since
/// the clock hand last passed are evicted first.
#[derive(Debug)]
pub struct BlockCache {
    shards: Box<[Mutex<Shard>]>,
    capacity: usize,
}

/// Counters of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Hits.
    pub hits: u64,
    /// Misses: blocks that had to be decoded.
    pub misses: u64,
    /// Bytes in use.
    pub bytes: u64,
}

/// Table and block.
type Key = (u64, u64);

#[derive(Debug, Default)]
struct Shard {
    places: HashMap<Key, usize, BuildHasherDefault<Mix>>,
    slots: Vec<Slot>,
    hand: usize,
    stats: CacheStats,
}

#[derive(Debug)]
struct Slot {
    key: Key,
    used: bool,
    values: Box<[i8]>,
}

impl BlockCache {
    /// A cache of about `capacity` bytes; 0 keeps nothing.
    pub fn new(capacity: usize) -> Self {
        let shards = (capacity / MIN_SHARD_BYTES).clamp(1, MAX_SHARDS);
        Self { shards: (0..shards).map(|_| Mutex::default()).collect(), capacity }
    }

    /// The score of a position.
    pub fn probe(&self, table: &Table, index: u64) -> Result<i8> {
        let (block, within) = table.locate(index)?;
        self.with_block(table, block, |values| values[within])
    }

    /// The scores of the positions from `start` on, as many as `out` holds.
    pub fn read(&self, table: &Table, start: u64, out: &mut [i8]) -> Result<()> {
        table.for_blocks(start, out, |block, skip, part| {
            self.with_block(table, block, |values| {
                part.copy_from_slice(&values[skip..skip + part.len()]);
            })
        })
    }

    /// Hits and misses so far, and the bytes in use.
    pub fn stats(&self) -> CacheStats {
        self.shards.iter().map(|shard| lock(shard).stats).fold(CacheStats::default(), |sum, one| {
            CacheStats {
                hits: sum.hits + one.hits,
                misses: sum.misses + one.misses,
                bytes: sum.bytes + one.bytes,
            }
        })
    }

    fn with_block<T>(
        &self,
        table: &Table,
        block: u64,
        use_values: impl FnOnce(&[i8]) -> T,
    ) -> Result<T> {
        let key = (table.id(), block);
        let shard = &self.shards[(mix(mix(0, key.0), key.1) >> 32) as usize % self.shards.len()];
        {
            let mut shard = lock(shard);
            if let Some(&place) = shard.places.get(&key) {
                shard.stats.hits += 1;
                let slot = &mut shard.slots[place];
                slot.used = true;
                return Ok(use_values(&slot.values));
            }
            shard.stats.misses += 1;
        }
        // Decoded without the lock: others need not wait, at the cost of decoding twice at times.
        let mut values = vec![0; table.header().block_len(block)].into_boxed_slice();
        table.decode_block(block, &mut values)?;
        let result = use_values(&values);
        lock(shard).insert(key, values, self.capacity / self.shards.len());
        Ok(result)
    }
}

impl Shard {
    fn insert(&mut self, key: Key, values: Box<[i8]>, capacity: usize) {
        let cost = cost(&values);
        if cost > capacity as u64 || self.places.contains_key(&key) {
            return;
        }
        while self.stats.bytes + cost > capacity as u64 {
            self.evict();
        }
        self.stats.bytes += cost;
        self.places.insert(key, self.slots.len());
        self.slots.push(Slot { key, used: false, values });
    }

    /// Evicts the first block at or after the hand that was not used. There must be a block.
    fn evict(&mut self) {
        loop {
            if self.hand >= self.slots.len() {
                self.hand = 0;
            }
            if !std::mem::take(&mut self.slots[self.hand].used) {
                break;
            }
            self.hand += 1;
        }
        let slot = self.slots.swap_remove(self.hand);
        self.places.remove(&slot.key);
        self.stats.bytes -= cost(&slot.values);
        if let Some(moved) = self.slots.get(self.hand) {
            self.places.insert(moved.key, self.hand);
        }
        // The block moved here from the end is the newest: it is examined in the next round.
        self.hand += 1;
    }
}

fn cost(values: &[i8]) -> u64 {
    (values.len() + OVERHEAD) as u64
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

fn mix(state: u64, word: u64) -> u64 {
    let product = (state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 29)
}

/// A hash for keys that are not chosen by an attacker: several times faster than the default.
#[derive(Clone, Copy, Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }

    fn finish(&self) -> u64 {
        mix(self.0, 0)
    }
}

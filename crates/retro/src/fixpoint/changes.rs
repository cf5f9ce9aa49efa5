//! Which parts of a slice a sweep can leave out: nothing they depend on has changed.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Which chunks a sweep must look at.
#[derive(Debug)]
pub struct Changes {
    chunk: u64,
    /// The time at which each block of the random side last changed.
    changed: Vec<AtomicU64>,
    /// The time at which each chunk was last looked at; 0 if it must be.
    seen: Vec<AtomicU64>,
    /// For each chunk, which blocks its open positions' successors are in: bits in words.
    depends: Vec<AtomicU64>,
    words: usize,
    now: AtomicU64,
}

/// Chunks are large enough that there are no more than this many, and the table of which depends on
/// which stays small.
const MOST_CHUNKS: u64 = 4096;

impl Changes {
    /// Nothing has been looked at.
    pub fn new(len: u64) -> Self {
        let chunk = len.div_ceil(MOST_CHUNKS).next_multiple_of(64).max(1 << 12);
        let chunks = len.div_ceil(chunk) as usize;
        let words = chunks.div_ceil(64);
        let zeros = |count: usize| (0..count).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        Changes {
            chunk,
            changed: zeros(chunks),
            seen: zeros(chunks),
            depends: zeros(chunks * words),
            words,
            now: AtomicU64::new(1),
        }
    }

    /// Positions in a chunk, and in a block of the random side.
    pub fn chunk(&self) -> u64 {
        self.chunk
    }

    /// The bytes it takes.
    pub fn memory(len: u64) -> u64 {
        let chunks = len.div_ceil(MOST_CHUNKS).next_multiple_of(64).max(1 << 12);
        let chunks = len.div_ceil(chunks);
        chunks * (16 + chunks / 8 + 8)
    }

    pub(crate) fn note_change(&self, index: u64) {
        self.changed[(index / self.chunk) as usize].store(self.now.load(Relaxed), Relaxed);
    }

    pub(crate) fn note_dependence(&self, chunk: u64, index: u64) {
        let block = (index / self.chunk) as usize;
        let word = &self.depends[chunk as usize * self.words + block / 64];
        let bit = 1 << (block % 64);
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    pub(crate) fn must_look(&self, chunk: u64) {
        self.seen[chunk as usize].store(0, Relaxed);
    }

    /// Whether anything a chunk depends on changed since it was looked at.
    pub(crate) fn is_due(&self, chunk: u64) -> bool {
        let seen = self.seen[chunk as usize].load(Relaxed);
        if seen == 0 {
            return true;
        }
        let first = chunk as usize * self.words;
        (0..self.words).any(|word| {
            let mut bits = self.depends[first + word].load(Relaxed);
            while bits != 0 {
                let block = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if self.changed[block].load(Relaxed) >= seen {
                    return true;
                }
            }
            false
        })
    }

    pub(crate) fn look(&self, chunk: u64) {
        let time = self.now.fetch_add(1, Relaxed) + 1;
        self.seen[chunk as usize].store(time, Relaxed);
    }
}

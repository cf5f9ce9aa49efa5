//! Which chunks of a slice a sweep can skip: nothing they depend on has changed.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_mem::{OutOfMemory, Words};

/// Which chunks a sweep must scan.
#[derive(Debug)]
pub(super) struct Changes {
    chunk: u64,
    /// The time at which each block of the random side last changed.
    changed: Words,
    /// The time at which each chunk was last scanned; 0 if it must be.
    scanned: Words,
    /// For each chunk, which blocks its open positions' successors are in: bits in words.
    depends: Words,
    words: usize,
    now: AtomicU64,
}

/// Chunks are large enough that there are no more than this many, and the table of which depends on
/// which stays small.
const MOST_CHUNKS: u64 = 4096;

/// Positions in a chunk.
fn chunk_len(len: u64) -> u64 {
    len.div_ceil(MOST_CHUNKS).next_multiple_of(64).max(1 << 12)
}

/// The number of chunks, and the words that have a bit for each.
fn chunks(len: u64) -> (usize, usize) {
    let chunks = len.div_ceil(chunk_len(len)) as usize;
    (chunks, chunks.div_ceil(64))
}

impl Changes {
    /// Nothing has been scanned.
    pub(super) fn new(len: u64) -> Result<Self, OutOfMemory> {
        let (chunks, words) = chunks(len);
        Ok(Changes {
            chunk: chunk_len(len),
            changed: Words::zeroed(chunks)?,
            scanned: Words::zeroed(chunks)?,
            depends: Words::zeroed(chunks * words)?,
            words,
            now: AtomicU64::new(1),
        })
    }

    /// Positions in a chunk, and in a block of the random side.
    pub(super) fn chunk(&self) -> u64 {
        self.chunk
    }

    /// The bytes it takes.
    pub(super) fn bytes(len: u64) -> u64 {
        let (chunks, words) = chunks(len);
        (chunks * (2 + words) * size_of::<AtomicU64>()) as u64
    }

    pub(super) fn note_change(&self, index: u64) {
        self.changed.as_slice()[(index / self.chunk) as usize]
            .store(self.now.load(Relaxed), Relaxed);
    }

    pub(super) fn note_dependence(&self, chunk: u64, index: u64) {
        let block = (index / self.chunk) as usize;
        let word = &self.depends.as_slice()[chunk as usize * self.words + block / 64];
        let bit = 1 << (block % 64);
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    pub(super) fn must_scan(&self, chunk: u64) {
        self.scanned.as_slice()[chunk as usize].store(0, Relaxed);
    }

    /// Whether anything a chunk depends on changed since it was scanned.
    pub(super) fn is_due(&self, chunk: u64) -> bool {
        let scanned = self.scanned.as_slice()[chunk as usize].load(Relaxed);
        if scanned == 0 {
            return true;
        }
        let first = chunk as usize * self.words;
        (0..self.words).any(|word| {
            let mut bits = self.depends.as_slice()[first + word].load(Relaxed);
            while bits != 0 {
                let block = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if self.changed.as_slice()[block].load(Relaxed) >= scanned {
                    return true;
                }
            }
            false
        })
    }

    pub(super) fn begin_scan(&self, chunk: u64) {
        let time = self.now.fetch_add(1, Relaxed) + 1;
        self.scanned.as_slice()[chunk as usize].store(time, Relaxed);
    }
}

//! One bit a position on disk, through a cache of bounded size, numbered by the second index.

use std::ops::Range;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Mutex, RwLock, RwLockReadGuard};

use nutcracker_mem::{OutOfMemory, Packed};

use super::disk::{WorkFile, WorkFileError};
use super::{Session, Wins};

/// Which block leaves the cache for a new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// The one that was used least recently, up to one turn of a clock hand.
    #[default]
    Clock,
    /// The one that came first.
    Fifo,
}

/// How the cache is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paging {
    /// Bytes of a block; a power of two of at least 64.
    pub block_bytes: u64,
    /// Bytes of all blocks in memory.
    pub cache_bytes: u64,
    /// Which block leaves.
    pub policy: Policy,
}

/// Bits on disk, some of them in memory.
#[derive(Debug)]
pub struct Paged {
    file: WorkFile,
    /// The cached blocks, one after another, in frames.
    bits: Packed<1>,
    block_bits: u64,
    /// The frame of each block, or [`NOWHERE`].
    frames: Vec<AtomicU32>,
    policy: Policy,
    /// Whether each frame was used since the hand passed.
    used: Vec<AtomicBool>,
    dirty: Vec<AtomicBool>,
    /// Sessions hold it for reading; exchanging blocks takes it for writing.
    gate: RwLock<()>,
    /// Whether a thread waits to take it for writing.
    waiting: AtomicBool,
    /// The block in each frame, and the clock hand; locked by the thread that brings in a block.
    hand: Mutex<Hand>,
    misses: AtomicU64,
}

#[derive(Debug)]
struct Hand {
    blocks: Vec<u32>,
    at: usize,
}

const NOWHERE: u32 = u32::MAX;

impl Paged {
    /// Bits for `len` positions in a file of zeros.
    pub fn new(file: WorkFile, len: u64, paging: Paging) -> Result<Self, OutOfMemory> {
        let block_bits = paging.block_bytes.next_power_of_two().max(64) * 8;
        let blocks = len.div_ceil(block_bits).max(1);
        let count = (paging.cache_bytes * 8 / block_bits).clamp(2, blocks.max(2));
        Ok(Paged {
            file,
            bits: Packed::zeroed(count * block_bits)?,
            block_bits,
            frames: (0..blocks).map(|_| AtomicU32::new(NOWHERE)).collect(),
            policy: paging.policy,
            used: (0..count).map(|_| AtomicBool::new(false)).collect(),
            dirty: (0..count).map(|_| AtomicBool::new(false)).collect(),
            gate: RwLock::new(()),
            waiting: AtomicBool::new(false),
            hand: Mutex::new(Hand { blocks: vec![NOWHERE; count as usize], at: 0 }),
            misses: AtomicU64::new(0),
        })
    }

    /// The bytes of the file behind `len` positions.
    pub fn file_bytes(len: u64, block_bytes: u64) -> u64 {
        let block_bits = block_bytes.next_power_of_two().max(64) * 8;
        len.div_ceil(block_bits).max(1) * block_bits / 8
    }

    /// How often a block had to be brought in.
    pub fn misses(&self) -> u64 {
        self.misses.load(Relaxed)
    }

    /// Brings in a block. Other threads continue during the disk access; they are locked out only
    /// for the moment in which one block replaces the other.
    ///
    /// If reading or writing fails, other threads continue for a while: the cache is consistent at
    /// every moment.
    fn bring(&self, block: u64) -> Result<(), WorkFileError> {
        let mut hand = self.hand.lock().expect("no thread panics");
        if self.frames[block as usize].load(Relaxed) != NOWHERE {
            return Ok(());
        }
        self.misses.fetch_add(1, Relaxed);
        let bytes = self.block_bits / 8;
        let mut coming = vec![0; bytes as usize];
        self.file.read(block * bytes, &mut coming)?;
        let frame = loop {
            let at = hand.at;
            hand.at = (at + 1) % hand.blocks.len();
            let spared = self.policy == Policy::Clock && self.used[at].swap(false, Relaxed);
            if hand.blocks[at] == NOWHERE || !spared {
                break at;
            }
        };
        let place = frame as u64 * self.block_bits;
        let leaving = hand.blocks[frame];
        let mut buffer = Vec::new();
        let _alone = loop {
            // A session marks the block as changed after it has set a bit, so a bit that the copy
            // misses will be written again.
            if leaving != NOWHERE && self.dirty[frame].swap(false, Acquire) {
                buffer.resize(bytes as usize, 0);
                self.bits.copy_to(place, &mut buffer);
                if let Err(error) = self.file.write(u64::from(leaving) * bytes, &buffer) {
                    self.dirty[frame].store(true, Relaxed);
                    return Err(error);
                }
            }
            self.waiting.store(true, Relaxed);
            let alone = self.gate.write().expect("no thread panics");
            self.waiting.store(false, Relaxed);
            if !self.dirty[frame].load(Relaxed) {
                break alone;
            }
        };
        if leaving != NOWHERE {
            self.frames[leaving as usize].store(NOWHERE, Relaxed);
        }
        self.bits.copy_from(place, &coming);
        hand.blocks[frame] = block as u32;
        self.frames[block as usize].store(frame as u32, Relaxed);
        Ok(())
    }
}

impl Wins for Paged {
    const SECOND: bool = true;
    type Session<'a> = PagedSession<'a>;

    fn session(&self) -> PagedSession<'_> {
        PagedSession { paged: self, inside: None }
    }
}

/// A thread's access: while it is inside, no block leaves.
#[derive(Debug)]
pub struct PagedSession<'a> {
    paged: &'a Paged,
    inside: Option<RwLockReadGuard<'a, ()>>,
}

impl PagedSession<'_> {
    /// Where the bit of a position is in memory now.
    #[inline]
    fn place(&mut self, index: u64) -> Result<(u64, usize), WorkFileError> {
        let paged = self.paged;
        let block = index / paged.block_bits;
        loop {
            if paged.waiting.load(Relaxed) {
                self.inside = None;
            }
            if self.inside.is_none() {
                self.inside = Some(paged.gate.read().expect("no thread panics"));
            }
            let frame = paged.frames[block as usize].load(Relaxed);
            if frame != NOWHERE {
                let used = &paged.used[frame as usize];
                if !used.load(Relaxed) {
                    used.store(true, Relaxed);
                }
                let place = u64::from(frame) * paged.block_bits + index % paged.block_bits;
                return Ok((place, frame as usize));
            }
            self.inside = None;
            paged.bring(block)?;
        }
    }
}

impl Session for PagedSession<'_> {
    #[inline]
    fn is_won(&mut self, index: u64) -> Result<bool, WorkFileError> {
        let (place, _) = self.place(index)?;
        Ok(self.paged.bits.get(place) == 1)
    }

    #[inline]
    fn win(&mut self, index: u64) -> Result<bool, WorkFileError> {
        let (place, frame) = self.place(index)?;
        let new = self.paged.bits.update(place, |bit| (bit == 0).then_some(1)).is_some();
        if new {
            self.paged.dirty[frame].store(true, Release);
        }
        Ok(new)
    }

    fn each_won(
        &mut self,
        range: Range<u64>,
        visit: &mut dyn FnMut(u64),
    ) -> Result<(), WorkFileError> {
        let block_bits = self.paged.block_bits;
        let mut at = range.start;
        while at < range.end {
            let stop = ((at / block_bits + 1) * block_bits).min(range.end);
            let (place, _) = self.place(at)?;
            self.paged.bits.find_nonzero(place..place + (stop - at), |found| {
                visit(at + (found - place));
            });
            at = stop;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use super::*;
    use crate::store::folder::{Operation, Watch};

    #[test]
    fn the_cache_stays_consistent_when_the_disk_fails() {
        let dir = tempfile::tempdir().unwrap();
        let count = Arc::new(AtomicU64::new(0));
        let failing = Arc::clone(&count);
        let watch = Watch::new(move |operation, _| {
            let data = matches!(operation, Operation::Read | Operation::Write);
            let now = failing.fetch_add(u64::from(data), Relaxed);
            if data && now % 3 == 1 { Err(io::Error::other("the disk failed")) } else { Ok(()) }
        });
        let paging = Paging { block_bytes: 64, cache_bytes: 128, policy: Policy::Clock };
        let len = 8 * 512;
        let bytes = Paged::file_bytes(len, paging.block_bytes);
        let storage: Arc<dyn nutcracker_table::Storage> =
            Arc::new(nutcracker_table::Disk::default());
        let path = dir.path().join("wins.bin");
        let file = WorkFile::create(&storage, &path, bytes, "test", watch).unwrap();
        let paged = Paged::new(file, len, paging).unwrap();
        let mut won = vec![false; len as usize];
        let mut random = 1u64;
        let mut failed = 0;
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let index = (random >> 33) % len;
            let known = &mut won[index as usize];
            let mut session = paged.session();
            if random >> 63 == 0 {
                match session.win(index) {
                    Ok(new) => assert_eq!(new, !std::mem::replace(known, true)),
                    Err(_) => failed += 1,
                }
            } else {
                match session.is_won(index) {
                    Ok(is_won) => assert_eq!(is_won, *known),
                    Err(_) => failed += 1,
                }
            }
        }
        assert!(failed > 1000, "{failed} accesses failed");
    }
}

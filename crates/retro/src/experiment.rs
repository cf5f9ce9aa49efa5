//! Measurements behind the design: how often a cache of bits misses with one index and with two.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{ForwardView, Game, SliceId, Target};

/// The usual size of a cache block: 16 KiB, the bits of 131,072 positions.
pub const BLOCK_BYTES: u64 = 16 << 10;

/// Cache sizes, in percent of the bits, that show the shape of the curve.
pub const PERCENTS: [u32; 24] =
    [1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100];

/// Positions between two progress reports of a pass.
const CHUNK: u64 = 1 << 16;

/// The misses of least-recently-used caches of all sizes, from one run of accesses.
///
/// Such a cache of c blocks holds the c blocks used last, so an access hits if fewer than c other
/// blocks were used since the same block was: the distance of the access. One pass that counts
/// accesses by distance answers for every c (Mattson, Gecsei, Slutz and Traiger, 1970).
///
/// ```
/// use nutcracker_retro::experiment::Distances;
///
/// let mut distances = Distances::default();
/// for block in [0, 1, 0, 2, 1] {
///     distances.access(block);
/// }
/// assert_eq!((distances.accesses(), distances.blocks()), (5, 3));
/// assert_eq!([1, 2, 3].map(|cache| distances.misses(cache)), [5, 4, 3]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distances {
    /// Every block accessed so far, the last one first.
    recent: Vec<u32>,
    /// How many accesses found their block at each place of that list.
    found: Vec<u64>,
}

impl Distances {
    /// Counts an access.
    #[inline]
    pub fn access(&mut self, block: u32) {
        // Most accesses are near the front, so the blocks before the one found are shifted in
        // place.
        let mut moved = block;
        for (here, found) in self.recent.iter_mut().zip(&mut self.found) {
            std::mem::swap(here, &mut moved);
            if moved == block {
                *found += 1;
                return;
            }
        }
        self.recent.push(moved);
        self.found.push(0);
    }

    /// The number of different blocks accessed: each misses once, whatever the cache.
    pub fn blocks(&self) -> u64 {
        self.recent.len() as u64
    }

    /// The number of accesses.
    pub fn accesses(&self) -> u64 {
        self.blocks() + self.found.iter().sum::<u64>()
    }

    /// The misses of a cache of `cache` blocks.
    pub fn misses(&self, cache: u64) -> u64 {
        let beyond = usize::try_from(cache).unwrap_or(usize::MAX).min(self.found.len());
        self.blocks() + self.found[beyond..].iter().sum::<u64>()
    }
}

/// The numbering by which bits are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Index {
    /// The one by which the slice is walked.
    Same,
    /// The second one.
    Second,
}

/// The cache accesses of one pass over the bits of a slice, with one index and with two.
#[derive(Clone, Debug)]
pub struct CacheMisses {
    /// The slice.
    pub slice: SliceId,
    /// Its positions, each with one bit.
    pub positions: u64,
    /// The size of a cache block.
    pub block_bytes: u64,
    /// The number of blocks that hold all bits.
    pub blocks: u64,
    /// The bit of a position is where the position is in the walk.
    pub one: Distances,
    /// The bit of a position is stored at its second index.
    pub two: Distances,
}

/// The misses of one cache size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheRow {
    /// The size of the cache in percent of all bits.
    pub percent: u32,
    /// Its size in blocks.
    pub cache: u64,
    /// Misses with one index.
    pub one: u64,
    /// Misses with two.
    pub two: u64,
}

impl CacheRow {
    /// How many times more misses there are with one index.
    pub fn ratio(&self) -> f64 {
        self.one as f64 / self.two.max(1) as f64
    }
}

impl CacheMisses {
    /// The bits read in the pass: one for every internal move.
    pub fn accesses(&self) -> u64 {
        self.one.accesses()
    }

    /// The misses of a cache that holds `percent` of the bits, in whole blocks and at least one.
    pub fn at(&self, percent: u32) -> CacheRow {
        let cache = (self.blocks * u64::from(percent) / 100).max(1);
        CacheRow { percent, cache, one: self.one.misses(cache), two: self.two.misses(cache) }
    }

    /// The misses of caches of the usual sizes.
    pub fn rows(&self) -> impl Iterator<Item = CacheRow> {
        PERCENTS.into_iter().map(|percent| self.at(percent))
    }
}

/// Walks through a slice in the order of the first index and reads the bits of every position's
/// successors inside it, as a sweep of a solver with one bit a position does, once with the bits in
/// the order of the first index and once in that of the second.
///
/// `block_bytes` must be a power of two. `advance` is called with the number of positions done so
/// far, out of twice the slice's positions; with two threads or more, from two of them.
pub fn cache_misses<G: Game>(
    game: &G,
    slice: SliceId,
    block_bytes: u64,
    threads: usize,
    advance: impl Fn(u64) + Sync,
) -> CacheMisses {
    assert!(block_bytes.is_power_of_two(), "a block is a power of two bytes");
    let positions = game.slice_len(slice);
    let view = game.forward(slice);
    let done = AtomicU64::new(0);
    let pass = |index| {
        walk::<G>(&view, positions, block_bytes, index, |examined| {
            advance(done.fetch_add(examined, Relaxed) + examined);
        })
    };
    let (one, two) = if threads < 2 {
        (pass(Index::Same), pass(Index::Second))
    } else {
        std::thread::scope(|scope| {
            let other = scope.spawn(|| pass(Index::Second));
            (pass(Index::Same), other.join().expect("no thread panics"))
        })
    };
    let blocks = positions.div_ceil(8 * block_bytes);
    CacheMisses { slice, positions, block_bytes, blocks, one, two }
}

fn walk<G: Game>(
    view: &G::Forward,
    positions: u64,
    block_bytes: u64,
    index: Index,
    advance: impl Fn(u64),
) -> Distances {
    let shift = (8 * block_bytes).ilog2();
    let mut distances = Distances::default();
    let mut cursor = Default::default();
    for start in (0..positions).step_by(CHUNK as usize) {
        let end = (start + CHUNK).min(positions);
        for number in start..end {
            let Some(key) = view.key_at(&mut cursor, number) else { continue };
            if view.outcome(key).is_some() {
                continue;
            }
            let mut access = |bit: u64| distances.access((bit >> shift) as u32);
            match index {
                Index::Same => view.targets(key, |target| {
                    if let Target::Inside(next) | Target::Zeroing(next) = target {
                        access(next);
                    }
                }),
                Index::Second => view.inside_second(key, access),
            }
        }
        advance(end - start);
    }
    distances
}

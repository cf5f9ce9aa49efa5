//! The transposition table, shared by all threads of a search.
//!
//! An entry is two words. The second holds what is known, the first the position's check bits
//! combined with the second, so that an entry half written by one thread and half by another is
//! taken for another position's. Nothing is locked.
//!
//! | bits | what |
//! |---|---|
//! | 0–7 | proven lower bound of the score, -128 for none |
//! | 8–15 | proven upper bound of the score, -128 for none |
//! | 16–31 | guessed value in hundredths |
//! | 32–39 | the plies searched for the guess |
//! | 40–47 | the move to try first, by its place in the list of moves; 255 for none and for a place beyond 254, which costs time and no truth |
//! | 48–49 | the guess's bound: none, at most, at least, exact |
//! | 50–55 | the search that wrote it, modulo 64 |
//! | 56–63 | eight more check bits |
//!
//! # Two positions taken for one
//! An entry is compared on 72 bits of hash that are as good as independent of its place, so that a
//! probe of a bucket of four answers for another position with probability below 2^-70: once in
//! about 10^21 probes. Proven results rest on that, and on nothing less.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::Score;

use crate::hash::Key;

/// How a guess bounds the value a deeper search would give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    None,
    AtMost,
    AtLeast,
    Exact,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Proven bounds of the score, where there are any.
    pub lower: Option<Score>,
    pub upper: Option<Score>,
    pub value: i32,
    pub bound: Bound,
    pub depth: u8,
    /// The place of the move to try first in the list of moves; [`NO_MOVE`] for none.
    pub best: u16,
}

/// The place of no move.
pub(crate) const NO_MOVE: u16 = u16::MAX;

const NO_BOUND: i8 = i8::MIN;

impl Entry {
    /// Nothing known.
    pub(crate) const UNKNOWN: Entry =
        Entry { lower: None, upper: None, value: 0, bound: Bound::None, depth: 0, best: NO_MOVE };

    fn pack(self, generation: u8, check: u8) -> u64 {
        // Bounds that do not fit are forgotten or weakened, which leaves them true.
        let lower = self.lower.map_or(NO_BOUND, |score| match score {
            ..-127 => NO_BOUND,
            score => score.min(127) as i8,
        });
        let upper = self.upper.map_or(NO_BOUND, |score| match score {
            128.. => NO_BOUND,
            score => score.max(-127) as i8,
        });
        let fits = i16::try_from(self.value).is_ok();
        let (value, bound) = if fits { (self.value as i16, self.bound) } else { (0, Bound::None) };
        u64::from(lower as u8)
            | u64::from(upper as u8) << 8
            | u64::from(value as u16) << 16
            | u64::from(self.depth) << 32
            | u64::from(self.best.min(u8::MAX.into())) << 40
            | (bound as u64) << 48
            | u64::from(generation & 63) << 50
            | u64::from(check) << 56
    }

    fn unpack(data: u64) -> Self {
        let bound = |bits: u64| Some(bits as i8).filter(|&b| b != NO_BOUND).map(Score::from);
        Entry {
            lower: bound(data),
            upper: bound(data >> 8),
            value: i32::from((data >> 16) as i16),
            depth: (data >> 32) as u8,
            best: match (data >> 40) as u8 {
                u8::MAX => NO_MOVE,
                place => place.into(),
            },
            bound: match data >> 48 & 3 {
                0 => Bound::None,
                1 => Bound::AtMost,
                2 => Bound::AtLeast,
                _ => Bound::Exact,
            },
        }
    }
}

fn generation_of(data: u64) -> u8 {
    (data >> 50 & 63) as u8
}

#[derive(Default)]
struct Slot {
    /// Check bits, combined with `data`.
    check: AtomicU64,
    data: AtomicU64,
}

/// Entries that share a place: all but the last keep what was searched deepest, the last is always
/// replaced.
const BUCKET: usize = 4;

/// One cache line.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET]);

const _: () = assert!(size_of::<Slot>() == 16 && size_of::<Bucket>() == 64);

/// A table of fixed size.
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    generation: u8,
}

impl Table {
    /// A table of `bytes` bytes, rounded down to whole buckets; a smaller one where there is no
    /// memory for that. Without any bucket it keeps nothing.
    pub(crate) fn new(bytes: usize) -> Self {
        let all = bytes / size_of::<Bucket>();
        let mut count = all;
        let mut buckets = Vec::new();
        while buckets.try_reserve_exact(count).is_err() {
            count /= 2;
        }
        // If memory is scarce, the threads of the search need some too.
        if count < all {
            count /= 4;
            buckets = Vec::new();
            if buckets.try_reserve_exact(count).is_err() {
                count = 0;
            }
        }
        buckets.resize_with(count, Bucket::default);
        Table { buckets, generation: 0 }
    }

    /// From now on, entries stored before are replaced first.
    pub(crate) fn next_generation(&mut self) {
        self.generation = (self.generation + 1) & 63;
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.generation = 0;
    }

    /// What is known of a position.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<Entry> {
        let bucket = self.buckets.get(key.among(self.buckets.len()))?;
        bucket.0.iter().find_map(|slot| slot.read(key)).map(Entry::unpack)
    }

    /// Keeps what is known of a position.
    ///
    /// What was there of the same position is replaced. Else an entry goes to the first slots if
    /// one of them is empty, of an earlier search, or searched less deeply; else to the last.
    pub(crate) fn put(&self, key: Key, entry: Entry) {
        let Some(Bucket(bucket)) = self.buckets.get(key.among(self.buckets.len())) else { return };
        let data = entry.pack(self.generation, key.place as u8);
        if let Some(slot) = bucket.iter().find(|slot| slot.read(key).is_some()) {
            return slot.write(key, data);
        }
        let worth = |slot: &Slot| {
            let data = slot.data.load(Relaxed);
            let depth = u32::from((data >> 32) as u8) + u32::from(data != 0);
            // An age of one search weighs as much as any depth.
            depth + if generation_of(data) == self.generation { 512 } else { 0 }
        };
        let (least, slot) = bucket[..BUCKET - 1]
            .iter()
            .map(|slot| (worth(slot), slot))
            .min_by_key(|(worth, _)| *worth)
            .expect("a bucket has more than one slot");
        if least <= u32::from(entry.depth) + 512 {
            slot.write(key, data);
        } else {
            bucket[BUCKET - 1].write(key, data);
        }
    }

    /// How full it is with entries of this generation, in thousandths, sampled at its beginning.
    pub(crate) fn permille(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(250)];
        let used = sample
            .iter()
            .flat_map(|bucket| &bucket.0)
            .map(|slot| slot.data.load(Relaxed))
            .filter(|&data| data != 0 && generation_of(data) == self.generation)
            .count();
        (used * 1000 / (sample.len() * BUCKET).max(1)) as u32
    }
}

impl Slot {
    /// The data, if it is this position's.
    #[inline]
    fn read(&self, key: Key) -> Option<u64> {
        let data = self.data.load(Relaxed);
        let check = self.check.load(Relaxed) ^ data;
        // The lowest bits of the place are free: a place is chosen by the highest.
        (check == key.check && (data >> 56) as u8 == key.place as u8).then_some(data)
    }

    #[inline]
    fn write(&self, key: Key, data: u64) {
        self.check.store(key.check ^ data, Relaxed);
        self.data.store(data, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(depth: u8) -> Entry {
        Entry { depth, value: i32::from(depth), bound: Bound::Exact, ..Entry::UNKNOWN }
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(
            lower in proptest::option::of(-127i16..=127),
            upper in proptest::option::of(-127i16..=127),
            value in -32768i32..=32767,
            depth: u8,
            best in prop_oneof![0u16..255, Just(NO_MOVE)],
            bound in 0..4,
            generation in 0u8..64,
            check: u8,
        ) {
            let bounds = [Bound::None, Bound::AtMost, Bound::AtLeast, Bound::Exact];
            let entry = Entry { lower, upper, value, bound: bounds[bound as usize], depth, best };
            let data = entry.pack(generation, check);
            prop_assert_eq!(Entry::unpack(data), entry);
            prop_assert_eq!((generation_of(data), (data >> 56) as u8), (generation, check));
        }

        #[test]
        fn what_does_not_fit_stays_true(lower: i16, upper: i16, value: i32, best: u16) {
            let bounds = (Some(lower), Some(upper));
            let entry = Entry {
                lower: bounds.0, upper: bounds.1, value, bound: Bound::Exact, depth: 1, best,
            };
            let read = Entry::unpack(entry.pack(0, 0));
            prop_assert!(read.lower.is_none_or(|read| read <= lower));
            prop_assert!(read.upper.is_none_or(|read| read >= upper));
            prop_assert!(read.bound == Bound::None || read.value == value);
            prop_assert!(read.best == NO_MOVE || read.best == best);
        }
    }

    #[test]
    fn another_position_is_not_found() {
        let table = Table::new(64);
        for n in 0..100u32 {
            table.put(Key::of(&n), entry(1));
        }
        let found = (0..10_000u32).filter(|n| table.get(Key::of(n)).is_some()).count();
        assert_eq!(found, BUCKET);
    }

    #[test]
    fn the_deepest_stay_and_the_last_is_there() {
        let table = Table::new(64);
        for (n, depth) in [(0u32, 9), (1, 3), (2, 8), (3, 1), (4, 7), (5, 2)] {
            table.put(Key::of(&n), entry(depth));
        }
        let kept: Vec<u32> = (0..6).filter(|n| table.get(Key::of(n)).is_some()).collect();
        assert_eq!(kept, [0, 2, 4, 5]);
    }

    #[test]
    fn entries_of_earlier_searches_are_replaced() {
        let mut table = Table::new(64);
        for n in 0..4u32 {
            table.put(Key::of(&n), entry(200));
        }
        assert_eq!(table.permille(), 1000);
        table.next_generation();
        for n in 4..7u32 {
            table.put(Key::of(&n), entry(0));
        }
        assert!((4..7u32).all(|n| table.get(Key::of(&n)).is_some()));
        assert_eq!(table.permille(), 750);
        table.clear();
        assert!((0..7u32).all(|n| table.get(Key::of(&n)).is_none()));
    }

    /// Threads that overwrite each other never produce an entry that none of them wrote.
    #[test]
    fn torn_entries_are_not_read() {
        let table = Table::new(64);
        std::thread::scope(|scope| {
            for thread in 0..2u32 {
                let table = &table;
                scope.spawn(move || {
                    for round in 0..50_000u32 {
                        let n = (round * 7 + thread) % 8;
                        let depth = (n * 16 + round % 16) as u8;
                        table.put(Key::of(&n), entry(depth));
                        if let Some(read) = table.get(Key::of(&((n + 1) % 8))) {
                            assert_eq!(u32::from(read.depth) / 16, (n + 1) % 8);
                            assert_eq!(read.value, i32::from(read.depth));
                        }
                    }
                });
            }
        });
    }
}

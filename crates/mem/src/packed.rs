//! Arrays of small numbers that many threads change at once.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::map::{OutOfMemory, Words, prefetch};

/// An array of numbers of `BITS` bits each (1, 2, 4, 8, 16 or 32), zero at first.
///
/// They are stored in 64-bit words, and every access is to a whole word: so concurrent changes are
/// well defined, and a scan examines many numbers at once. All accesses are `Relaxed`; callers that
/// need ordering must supply it (barrier, join).
#[derive(Debug)]
pub struct Packed<const BITS: u32> {
    words: Words,
    len: u64,
}

impl<const BITS: u32> Packed<BITS> {
    /// Numbers in a word.
    pub const LANES: u64 = 64 / BITS as u64;
    const MASK: u64 = u64::MAX >> (64 - BITS);
    /// A one in every lane.
    const ONES: u64 = u64::MAX / Self::MASK;

    /// An array of `len` zeros.
    #[inline]
    pub fn zeroed(len: u64) -> Result<Self, OutOfMemory> {
        const { assert!(BITS.is_power_of_two() && BITS <= 32) };
        let words = Words::zeroed(len.div_ceil(Self::LANES) as usize)?;
        Ok(Packed { words, len })
    }

    /// The number of numbers.
    #[inline]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes it takes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.words.as_slice().len() as u64 * 8
    }

    /// All words.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        self.words.as_slice()
    }

    /// Gives the memory of some numbers back, as far as they fill pages: they mean nothing from then
    /// on.
    pub fn release(&mut self, range: std::ops::Range<u64>) {
        self.words.release(
            (range.start.div_ceil(Self::LANES)) as usize..(range.end / Self::LANES) as usize,
        );
    }

    #[inline(always)]
    fn word(&self, index: u64) -> (&AtomicU64, u32) {
        let word = &self.words.as_slice()[(index / Self::LANES) as usize];
        (word, (index % Self::LANES) as u32 * BITS)
    }

    /// The number at `index`.
    #[inline(always)]
    pub fn get(&self, index: u64) -> u64 {
        let (word, shift) = self.word(index);
        word.load(Relaxed) >> shift & Self::MASK
    }

    /// Stores a number.
    #[inline]
    pub fn set(&self, index: u64, value: u64) {
        self.update(index, |_| Some(value));
    }

    /// Replaces the number at `index` by the result of `change`, atomically; `None` leaves it.
    /// Returns the old number if it was changed.
    #[inline(always)]
    pub fn update(&self, index: u64, mut change: impl FnMut(u64) -> Option<u64>) -> Option<u64> {
        let (word, shift) = self.word(index);
        let mut whole = word.load(Relaxed);
        loop {
            let old = whole >> shift & Self::MASK;
            let new = change(old)?;
            let changed = whole ^ (old ^ new) << shift;
            match word.compare_exchange_weak(whole, changed, Relaxed, Relaxed) {
                Ok(_) => return Some(old),
                Err(now) => whole = now,
            }
        }
    }

    /// Like [`update`](Packed::update), for phases in which no other thread writes: no locked
    /// instruction, and so several times faster.
    #[inline(always)]
    pub fn update_alone(&self, index: u64, change: impl FnOnce(u64) -> Option<u64>) -> Option<u64> {
        let (word, shift) = self.word(index);
        let whole = word.load(Relaxed);
        let old = whole >> shift & Self::MASK;
        let new = change(old)?;
        word.store(whole ^ (old ^ new) << shift, Relaxed);
        Some(old)
    }

    /// Sets the lowest bit of the numbers at `start + i` for the bits i of `mask`, atomically;
    /// returns how many of them were not set.
    #[inline]
    pub fn set_low_bits(&self, start: u64, mask: u64) -> u32 {
        let (mut at, mut mask, mut new) = (start, mask, 0);
        while mask != 0 {
            let (word, shift) = self.word(at);
            let here = (Self::LANES - at % Self::LANES) as u32;
            let mut part = if here < 64 { mask & ((1 << here) - 1) } else { mask };
            let mut bits = 0;
            while part != 0 {
                bits |= 1 << (part.trailing_zeros() * BITS + shift);
                part &= part - 1;
            }
            if bits & !word.load(Relaxed) != 0 {
                new += (bits & !word.fetch_or(bits, Relaxed)).count_ones();
            }
            mask = mask.checked_shr(here).unwrap_or(0);
            at += u64::from(here);
        }
        new
    }

    /// Prefetches the number at `index`.
    #[inline(always)]
    pub fn prefetch(&self, index: u64) {
        prefetch(self.word(index).0);
    }

    /// Stores consecutive numbers from `start` on. Words shared with neighbours outside the run are
    /// changed atomically, so that threads may fill neighbouring runs.
    #[inline]
    pub fn fill(&self, start: u64, values: impl ExactSizeIterator<Item = u64>) {
        let words = self.words.as_slice();
        let end = start + values.len() as u64;
        let mut values = values;
        let mut at = start;
        while at < end {
            let stop = ((at / Self::LANES + 1) * Self::LANES).min(end);
            let (mut bits, mut mask) = (0, 0);
            for (lane, value) in
                (at % Self::LANES..).zip(values.by_ref().take((stop - at) as usize))
            {
                bits |= value << (lane as u32 * BITS);
                mask |= Self::MASK << (lane as u32 * BITS);
            }
            let word = &words[(at / Self::LANES) as usize];
            if mask == u64::MAX {
                word.store(bits, Relaxed);
            } else {
                // Two changes that each preserve the other lanes.
                word.fetch_and(!mask, Relaxed);
                word.fetch_or(bits, Relaxed);
            }
            at = stop;
        }
    }

    /// Reads whole words from `start` on, which begins a word, as little-endian bytes.
    #[inline]
    pub fn copy_to(&self, start: u64, bytes: &mut [u8]) {
        let words = &self.words.as_slice()[(start / Self::LANES) as usize..];
        for (word, bytes) in words.iter().zip(bytes.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&word.load(Relaxed).to_le_bytes());
        }
    }

    /// Writes whole words from `start` on, which begins a word, from little-endian bytes.
    #[inline]
    pub fn copy_from(&self, start: u64, bytes: &[u8]) {
        let words = &self.words.as_slice()[(start / Self::LANES) as usize..];
        for (word, bytes) in words.iter().zip(bytes.chunks_exact(8)) {
            word.store(u64::from_le_bytes(bytes.try_into().expect("eight bytes")), Relaxed);
        }
    }

    /// Visits the numbers of `range` in order.
    #[inline]
    pub fn for_each(&self, range: std::ops::Range<u64>, mut visit: impl FnMut(u64)) {
        let words = self.words.as_slice();
        let mut at = range.start;
        while at < range.end {
            let stop = ((at / Self::LANES + 1) * Self::LANES).min(range.end);
            let word = words[(at / Self::LANES) as usize].load(Relaxed);
            for lane in at % Self::LANES..at % Self::LANES + (stop - at) {
                visit(word >> (lane as u32 * BITS) & Self::MASK);
            }
            at = stop;
        }
    }

    /// Visits the indices of `range` whose number was one of `wanted` when its word was read.
    /// `range` must begin at a multiple of [`LANES`](Packed::LANES).
    #[inline]
    pub fn find<const N: usize>(
        &self,
        range: std::ops::Range<u64>,
        wanted: [u64; N],
        mut visit: impl FnMut(u64, u64),
    ) {
        debug_assert!(range.start.is_multiple_of(Self::LANES));
        let patterns = wanted.map(|value| value * Self::ONES);
        let words = self.words.as_slice();
        let (first, last) = (range.start / Self::LANES, range.end.div_ceil(Self::LANES));
        for (number, word) in (first..).zip(&words[first as usize..last as usize]) {
            let word = word.load(Relaxed);
            if patterns.iter().all(|pattern| !Self::has_zero_lane(word ^ pattern)) {
                continue;
            }
            for lane in 0..Self::LANES {
                let value = word >> (lane as u32 * BITS) & Self::MASK;
                let index = number * Self::LANES + lane;
                if wanted.contains(&value) && index < range.end {
                    visit(index, value);
                }
            }
        }
    }

    /// Visits the indices of `range` whose number was not 0 when its word was read.
    #[inline]
    pub fn find_nonzero(&self, range: std::ops::Range<u64>, mut visit: impl FnMut(u64)) {
        let words = self.words.as_slice();
        let mut at = range.start;
        while at < range.end {
            let stop = ((at / Self::LANES + 1) * Self::LANES).min(range.end);
            // The rest of the word from `at` on, up to `stop`.
            let mut word = words[(at / Self::LANES) as usize].load(Relaxed);
            word >>= (at % Self::LANES) as u32 * BITS;
            if stop - at < 64 / u64::from(BITS) {
                word &= (1 << ((stop - at) as u32 * BITS)) - 1;
            }
            while word != 0 {
                let lane = word.trailing_zeros() / BITS;
                visit(at + u64::from(lane));
                word &= !(Self::MASK << (lane * BITS));
            }
            at = stop;
        }
    }

    /// Visits the indices of `range` whose number had `bit` when its word was read. `range` must
    /// begin at a multiple of [`LANES`](Packed::LANES).
    #[inline]
    pub fn find_with(&self, range: std::ops::Range<u64>, bit: u64, visit: impl FnMut(u64)) {
        self.find_bits(range, bit, |word| word, visit);
    }

    /// As [`find_with`](Self::find_with), for the numbers that lacked it.
    #[inline]
    pub fn find_without(&self, range: std::ops::Range<u64>, bit: u64, visit: impl FnMut(u64)) {
        self.find_bits(range, bit, |word| !word, visit);
    }

    #[inline]
    fn find_bits(
        &self,
        range: std::ops::Range<u64>,
        bit: u64,
        wanted: impl Fn(u64) -> u64,
        mut visit: impl FnMut(u64),
    ) {
        debug_assert!(range.start.is_multiple_of(Self::LANES) && bit.is_power_of_two());
        let words = self.words.as_slice();
        let (first, last) = (range.start / Self::LANES, range.end.div_ceil(Self::LANES));
        for (number, word) in (first..).zip(&words[first as usize..last as usize]) {
            let mut found = wanted(word.load(Relaxed)) & (bit * Self::ONES);
            while found != 0 {
                let index = number * Self::LANES + u64::from(found.trailing_zeros() / BITS);
                found &= found - 1;
                if index < range.end {
                    visit(index);
                }
            }
        }
    }

    /// Whether some lane is zero. Exact: borrows between lanes can set a wrong bit only above a
    /// lane that really is zero.
    #[inline(always)]
    fn has_zero_lane(word: u64) -> bool {
        let high = Self::ONES << (BITS - 1);
        word.wrapping_sub(Self::ONES) & !word & high != 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn against_a_vector<const BITS: u32>(changes: &[(u64, u64)]) {
        let packed = Packed::<BITS>::zeroed(100).unwrap();
        let mut plain = vec![0; 100];
        for &(index, value) in changes {
            let value = value & Packed::<BITS>::MASK;
            assert_eq!(packed.update(index, |_| Some(value)), Some(plain[index as usize]));
            plain[index as usize] = value;
        }
        let mut seen = Vec::new();
        packed.for_each(0..100, |value| seen.push(value));
        assert_eq!(seen, plain);
        let mut found = Vec::new();
        packed.find(0..100, [1, 0], |index, value| found.push((index, value)));
        let expected: Vec<(u64, u64)> =
            (0..).zip(plain.iter().copied()).filter(|(_, value)| *value <= 1).collect();
        assert_eq!(found, expected);

        let mut even = Vec::new();
        packed.find_without(0..100, 1, |index| even.push(index));
        let expected: Vec<u64> =
            (0..100).filter(|&index| plain[index as usize].is_multiple_of(2)).collect();
        assert_eq!(even, expected);
        let mut odd = Vec::new();
        packed.find_with(0..100, 1, |index| odd.push(index));
        let expected: Vec<u64> = (0..100).filter(|index| !even.contains(index)).collect();
        assert_eq!(odd, expected);

        let copy = Packed::<BITS>::zeroed(100).unwrap();
        copy.fill(3, plain[3..97].iter().copied());
        for (index, &value) in (0..).zip(&plain) {
            assert_eq!(copy.get(index), if (3..97).contains(&index) { value } else { 0 });
        }
    }

    #[test]
    fn numbers_around_those_released_stay() {
        let mut packed = Packed::<8>::zeroed(300_000).unwrap();
        for index in 0..300_000 {
            packed.set(index, 7);
        }
        packed.release(10_001..250_003);
        for index in (0..10_001).chain(250_003..300_000) {
            assert_eq!(packed.get(index), 7, "{index}");
        }
        if cfg!(target_os = "linux") {
            assert_eq!(packed.get(150_000), 0);
        }
        packed.release(260_000..260_000);
        packed.release(260_001..260_002);
        assert_eq!(packed.get(260_001), 7);
    }

    #[test]
    fn finds_nonzero_numbers_in_any_range() {
        fn check<const BITS: u32>() {
            let numbers = Packed::<BITS>::zeroed(300).unwrap();
            let wanted = [0, 1, 9, 20, 21, 63, 64, 65, 127, 200, 299];
            for index in wanted {
                numbers.set(index, 1 << (BITS - 1));
            }
            for start in [0, 1, 20, 64, 100] {
                for end in [start, 64, 128, 200, 201, 300] {
                    let mut found = Vec::new();
                    numbers.find_nonzero(start..end, |index| found.push(index));
                    let expected: Vec<u64> =
                        wanted.into_iter().filter(|index| (start..end).contains(index)).collect();
                    assert_eq!(found, expected, "{BITS} bits, {start}..{end}");
                }
            }
        }
        check::<1>();
        check::<2>();
        check::<8>();
    }

    proptest! {
        #[test]
        fn behaves_like_a_vector(changes in prop::collection::vec((0u64..100, any::<u64>()), 0..200)) {
            against_a_vector::<1>(&changes);
            against_a_vector::<2>(&changes);
            against_a_vector::<4>(&changes);
            against_a_vector::<8>(&changes);
            against_a_vector::<16>(&changes);
        }
    }

    #[test]
    fn lowest_bits_are_set_in_runs() {
        fn check<const BITS: u32>() {
            for start in [0, 1, 7, 30, 63, 64] {
                for mask in [0, 1, 1 << 63, u64::MAX, 0x0123_4567_89AB_CDEF] {
                    let numbers = Packed::<BITS>::zeroed(200).unwrap();
                    numbers.set(64, 1);
                    let had = u32::from(
                        start <= 64 && mask.checked_shr(64 - start as u32).unwrap_or(0) & 1 == 1,
                    );
                    assert_eq!(numbers.set_low_bits(start, mask), mask.count_ones() - had);
                    for index in 0..200u64 {
                        let bit = index.checked_sub(start).filter(|bit| *bit < 64);
                        let set = bit.is_some_and(|bit| mask >> bit & 1 == 1) || index == 64;
                        assert_eq!(numbers.get(index), u64::from(set), "{start} {mask} {index}");
                    }
                }
            }
        }
        check::<1>();
        check::<8>();
        check::<16>();
    }

    #[test]
    fn concurrent_updates_are_not_lost() {
        let counters = Packed::<8>::zeroed(16).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for turn in 0..80 * 16 {
                        counters.update(turn % 16, |old| Some(old + 1));
                    }
                });
            }
        });
        assert!((0..16).all(|index| counters.get(index) == 240));
    }
}

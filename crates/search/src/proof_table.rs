//! The numbers of a proof search, and the table that keeps them.

use crate::hash::Key;

/// Proof and disproof number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbers {
    pub proof: u32,
    pub disproof: u32,
}

/// What cannot be reached: numbers take 28 bits.
pub(crate) const INFINITE: u32 = (1 << 28) - 1;

impl Numbers {
    pub(crate) const NEW: Numbers = Numbers { proof: 1, disproof: 1 };

    pub(crate) fn decided(yes: bool) -> Self {
        if yes {
            Numbers { proof: 0, disproof: INFINITE }
        } else {
            Numbers { proof: INFINITE, disproof: 0 }
        }
    }

    pub(crate) fn decision(self) -> Option<bool> {
        match self {
            Numbers { proof: 0, .. } => Some(true),
            Numbers { disproof: 0, .. } => Some(false),
            _ => None,
        }
    }
}

/// Numbers by state, in a fixed number of places.
///
/// An entry is the state's check bits and a word: 28 bits of proof number, 28 of disproof number,
/// and 8 bits that are, for decided states, the place of the decisive move, for others the
/// logarithm of the nodes spent on them.
pub(crate) struct Table {
    buckets: Vec<[Slot; BUCKET]>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    check: u64,
    data: u64,
}

const BUCKET: usize = 4;
const _: () = assert!(size_of::<[Slot; BUCKET]>() == 64);

/// What a decided state is worth keeping, as the logarithm of nodes.
const DECIDED: u8 = 12;

impl Slot {
    fn numbers(self) -> Numbers {
        let mask = u64::from(INFINITE);
        Numbers { proof: (self.data & mask) as u32, disproof: (self.data >> 28 & mask) as u32 }
    }

    fn extra(self) -> u8 {
        (self.data >> 56) as u8
    }

    fn worth(self) -> u8 {
        match self.data {
            0 => 0,
            _ if self.numbers().decision().is_some() => DECIDED,
            _ => 1 + self.extra(),
        }
    }
}

impl Table {
    /// A table of so many bytes, at least one bucket; a smaller one where there is no memory.
    pub(crate) fn new(bytes: usize) -> Self {
        let mut wanted = (bytes / size_of::<[Slot; BUCKET]>()).max(1);
        let mut buckets = Vec::new();
        while buckets.try_reserve_exact(wanted).is_err() && wanted > 1 {
            wanted /= 2;
        }
        buckets.resize(wanted, [Slot::default(); BUCKET]);
        Table { buckets }
    }

    pub(crate) fn get(&self, key: Key) -> Option<(Numbers, u8)> {
        let bucket = &self.buckets[key.among(self.buckets.len())];
        // No state has both numbers 0, so that a word of an entry is never 0.
        let slot = bucket.iter().find(|slot| slot.data != 0 && slot.check == key.check)?;
        Some((slot.numbers(), slot.extra()))
    }

    pub(crate) fn put(&mut self, key: Key, numbers: Numbers, extra: u8) {
        let place = key.among(self.buckets.len());
        let bucket = &mut self.buckets[place];
        let same = bucket.iter().position(|slot| slot.data != 0 && slot.check == key.check);
        let at = same.unwrap_or_else(|| {
            let least = (0..BUCKET).min_by_key(|&at| bucket[at].worth());
            least.expect("a bucket has slots")
        });
        let data =
            u64::from(numbers.proof) | u64::from(numbers.disproof) << 28 | u64::from(extra) << 56;
        bucket[at] = Slot { check: key.check, data };
    }
}

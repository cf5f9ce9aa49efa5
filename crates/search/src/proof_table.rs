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
/// and 8 bits that are, for decided states, the lower half of the decisive move's place, for others
/// the logarithm of the nodes spent on them. Of the numbers of a decided state one is 0 and the
/// other infinite, so that the place's upper half finds room in the infinite one.
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
const DECIDED: u16 = 12;

impl Slot {
    fn new(check: u64, numbers: Numbers, extra: u16) -> Self {
        let [low, high] = extra.to_le_bytes().map(u64::from);
        // With infinity as it is, a place below 256 changes nothing.
        let shift = match numbers.decision() {
            Some(true) => 28,
            Some(false) => 0,
            None => {
                debug_assert_eq!(high, 0, "only places are as large");
                0
            }
        };
        let words = u64::from(numbers.proof) | u64::from(numbers.disproof) << 28;
        Slot { check, data: words ^ high << shift | low << 56 }
    }

    /// Both numbers as they are stored.
    fn stored(self) -> Numbers {
        let mask = u64::from(INFINITE);
        Numbers { proof: (self.data & mask) as u32, disproof: (self.data >> 28 & mask) as u32 }
    }

    fn numbers(self) -> Numbers {
        let stored = self.stored();
        stored.decision().map_or(stored, Numbers::decided)
    }

    fn extra(self) -> u16 {
        let stored = self.stored();
        let high = match stored.decision() {
            Some(true) => stored.disproof ^ INFINITE,
            Some(false) => stored.proof ^ INFINITE,
            None => 0,
        };
        u16::from_le_bytes([(self.data >> 56) as u8, high as u8])
    }

    fn worth(self) -> u16 {
        match self.data {
            0 => 0,
            _ if self.numbers().decision().is_some() => DECIDED,
            _ => 1 + self.extra(),
        }
    }
}

impl Table {
    /// A table of `bytes` bytes, at least one bucket; a smaller one where memory is short.
    pub(crate) fn new(bytes: usize) -> Self {
        let mut count = (bytes / size_of::<[Slot; BUCKET]>()).max(1);
        let mut buckets = Vec::new();
        while buckets.try_reserve_exact(count).is_err() && count > 1 {
            count /= 2;
        }
        buckets.resize(count, [Slot::default(); BUCKET]);
        Table { buckets }
    }

    pub(crate) fn get(&self, key: Key) -> Option<(Numbers, u16)> {
        let bucket = &self.buckets[key.among(self.buckets.len())];
        // No state has both numbers 0, so that a word of an entry is never 0.
        let slot = bucket.iter().find(|slot| slot.data != 0 && slot.check == key.check)?;
        Some((slot.numbers(), slot.extra()))
    }

    pub(crate) fn put(&mut self, key: Key, numbers: Numbers, extra: u16) {
        let place = key.among(self.buckets.len());
        let bucket = &mut self.buckets[place];
        let same = bucket.iter().position(|slot| slot.data != 0 && slot.check == key.check);
        let at = same.unwrap_or_else(|| {
            let least = (0..BUCKET).min_by_key(|&at| bucket[at].worth());
            least.expect("a bucket has slots")
        });
        bucket[at] = Slot::new(key.check, numbers, extra);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_back() {
        let mut table = Table::new(1 << 10);
        let open = Numbers { proof: 7, disproof: INFINITE - 1 };
        let states = [Numbers::decided(true), Numbers::decided(false)];
        let places = [0, 1, 254, 255, 256, 299, u16::MAX];
        let places = states.into_iter().flat_map(|state| places.map(|place| (state, place)));
        for (n, (numbers, extra)) in places.chain([(open, 0), (open, 63)]).enumerate() {
            let key = Key::of(&n);
            table.put(key, numbers, extra);
            assert_eq!(table.get(key), Some((numbers, extra)));
        }
    }
}

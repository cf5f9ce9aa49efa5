//! A position as 128 bits.

use std::hash::{Hash, Hasher};

/// Two hashes of a value, as good as independent: one gives the place in a table, the other
/// identifies the entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    /// Where it belongs in a table.
    pub place: u64,
    /// Distinguishes it from others in the same place.
    pub check: u64,
}

impl Key {
    pub(crate) fn of<T: Hash>(value: &T) -> Self {
        let mut mixer = Mixer { a: 0x243F_6A88_85A3_08D3, b: 0x1319_8A2E_0370_7344 };
        value.hash(&mut mixer);
        Key { place: mixer.finish(), check: fold(mixer.b, 0xA409_3822_299F_31D1) }
    }

    /// Its place among `places`.
    #[inline]
    pub(crate) fn among(self, places: usize) -> usize {
        ((u128::from(self.place) * places as u128) >> 64) as usize
    }

    /// The key of this value together with a number.
    pub(crate) fn with(self, number: u64) -> Self {
        let mut mixer = Mixer { a: self.place, b: self.check };
        mixer.write_u64(number);
        Key { place: mixer.finish(), check: mixer.b }
    }
}

/// The high and the low half of a product, added without carry.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// A fast hash for the few bytes of a position, in two lanes.
struct Mixer {
    a: u64,
    b: u64,
}

impl Hasher for Mixer {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        // The odd constants have about as many ones as zeros in every byte.
        self.a = fold(self.a ^ word ^ 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB);
        self.b = fold(self.b.rotate_left(29) ^ word ^ 0x8EBC_6AF0_9C88_C6E3, 0x5896_36A3_1AFB_9B4F);
    }

    #[inline]
    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        fold(self.a, 0x9E37_79B9_7F4A_7C15)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Neither lane confuses a million neighbours, nor do few bits of both together.
    #[test]
    fn neighbours_differ() {
        let keys: Vec<Key> =
            (0..1_000_000u64).map(|n| Key::of(&[n % 1000, n / 1000 * 0x0101_0101])).collect();
        let checks: HashSet<u64> = keys.iter().map(|key| key.check).collect();
        let places: HashSet<u64> = keys.iter().map(|key| key.place).collect();
        assert_eq!((checks.len(), places.len()), (keys.len(), keys.len()));
        // Of 2^40 values of 20 bits of each, about half a pair among a million should meet.
        let both: HashSet<u64> =
            keys.iter().map(|key| (key.place >> 44) << 20 | key.check >> 44).collect();
        assert!(both.len() > keys.len() - 10, "{} of {}", both.len(), keys.len());
    }

    #[test]
    fn places_are_filled_evenly() {
        let mut counts = [0; 64];
        for n in 0..64_000u32 {
            counts[Key::of(&n).among(64)] += 1;
        }
        assert!(counts.iter().all(|&count| (850..1150).contains(&count)), "{counts:?}");
    }
}

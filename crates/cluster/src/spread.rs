//! Which worker owns a position: an invertible permutation of the indices of a slice.
//!
//! Indices are cut into blocks of equal length, and block b goes to place `b * factor mod blocks`;
//! places are dealt to the owners in turn. As the factor has no divisor in common with the number of
//! blocks, every place is taken once, so that owners have the same number of blocks, give or take
//! one. Positions that differ little have blocks far apart: the work, too, is spread evenly.

/// The longest block, as a power of two. Runs within a block travel and are read in sequence.
const LONGEST: u32 = 12;
/// As long as there are positions enough, every owner gets this many blocks.
const BLOCKS_EACH: u64 = 1 << 10;

/// How the positions of a slice are spread over owners.
///
/// ```
/// use nutcracker_cluster::{Place, Spread};
///
/// let spread = Spread::new(1_000_000, 3);
/// let Place { owner, local } = spread.place(123_456);
/// assert!(owner < 3 && local < spread.slots(owner));
/// assert_eq!(spread.index(owner, local), Some(123_456));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    len: u64,
    owners: u64,
    /// The length of a block is a power of two.
    shift: u32,
    blocks: u64,
    factor: u64,
    inverse: u64,
}

/// Where a position is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The worker that owns it.
    pub owner: u64,
    /// Its number there.
    pub local: u64,
}

impl Spread {
    /// Spreads `len` positions over `owners` workers.
    pub fn new(len: u64, owners: u64) -> Self {
        let owners = owners.max(1);
        let wanted = (len / (owners * BLOCKS_EACH)).max(1).ilog2().min(LONGEST);
        // Products of two numbers of blocks must fit 64 bits.
        let least = (u64::BITS - len.leading_zeros()).saturating_sub(31);
        let shift = wanted.max(least);
        let blocks = len.div_ceil(1 << shift).max(1);
        // Multiples of the golden ratio spread any run of neighbours evenly.
        let mut factor = ((blocks as f64 * 0.618_033_988_75) as u64).max(1);
        while divisor(factor, blocks) != 1 {
            factor += 1;
        }
        Spread { len, owners, shift, blocks, factor, inverse: inverse(factor, blocks) }
    }

    /// The number of positions.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of positions in a block.
    pub fn block(&self) -> u64 {
        1 << self.shift
    }

    /// Owner and local number of a position.
    #[inline]
    pub fn place(&self, index: u64) -> Place {
        let (block, within) = (index >> self.shift, index & (self.block() - 1));
        let place = block * self.factor % self.blocks;
        Place { owner: place % self.owners, local: ((place / self.owners) << self.shift) | within }
    }

    /// The position with this local number; `None` for a slot that no position has: the last block
    /// may not be full.
    #[inline]
    pub fn index(&self, owner: u64, local: u64) -> Option<u64> {
        let (place, within) =
            ((local >> self.shift) * self.owners + owner, local & (self.block() - 1));
        if place >= self.blocks {
            return None;
        }
        let block = place * self.inverse % self.blocks;
        let index = block << self.shift | within;
        (index < self.len).then_some(index)
    }

    /// How many local numbers an owner has.
    pub fn slots(&self, owner: u64) -> u64 {
        let blocks = self.blocks / self.owners + u64::from(owner < self.blocks % self.owners);
        blocks << self.shift
    }
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// The number that undoes a multiplication by `factor` modulo `modulus`.
fn inverse(factor: u64, modulus: u64) -> u64 {
    let modulus = i128::from(modulus);
    let (mut old, mut new) = ((i128::from(factor), 1), (modulus, 0));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old.1.rem_euclid(modulus) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_has_one_place() {
        for len in [0, 1, 2, 3, 63, 64, 65, 1000, 4097, 30_030, 100_000] {
            for owners in 1..=7 {
                let spread = Spread::new(len, owners);
                let mut seen: Vec<Vec<bool>> =
                    (0..owners).map(|owner| vec![false; spread.slots(owner) as usize]).collect();
                for index in 0..len {
                    let Place { owner, local } = spread.place(index);
                    assert_eq!(spread.index(owner, local), Some(index), "{len}, {owners}");
                    let seen = &mut seen[owner as usize][local as usize];
                    assert!(!*seen, "{index} of {len} with {owners}");
                    *seen = true;
                }
                let taken = seen.iter().flatten().filter(|seen| **seen).count() as u64;
                let slots = (0..owners).map(|owner| {
                    let slots = 0..spread.slots(owner);
                    slots.filter(|&local| spread.index(owner, local).is_some()).count() as u64
                });
                assert_eq!((taken, slots.sum::<u64>()), (len, len), "{len}, {owners}");
            }
        }
    }

    #[test]
    fn loads_are_even() {
        for len in [50_000_u64, 1_000_000, 77_558_760, 1 << 40] {
            for owners in [2, 3, 4, 7, 64] {
                let spread = Spread::new(len, owners);
                let fair = len as f64 / owners as f64;
                for owner in 0..owners {
                    let load = spread.slots(owner) as f64 / fair;
                    assert!((0.97..1.03).contains(&load), "{load} of {len} with {owners}");
                }
            }
        }
    }

    #[test]
    fn any_part_of_a_slice_is_spread_evenly() {
        // Work differs from one end of a slice to the other: every hundredth of it is shared.
        let (len, owners) = (10_000_000, 5);
        let spread = Spread::new(len, owners);
        for part in 0..100 {
            let mut counts = [0_u32; 5];
            let range = len / 100 * part..len / 100 * (part + 1);
            range.step_by(16).for_each(|index| counts[spread.place(index).owner as usize] += 1);
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(f64::from(*most) / f64::from(*least) < 1.5, "part {part}: {counts:?}");
        }
    }

    #[test]
    fn the_largest_slices_keep_their_places() {
        let len = (1 << 44) + 12_345;
        let spread = Spread::new(len, 48);
        for index in (0..len).step_by(len as usize / 1000) {
            let Place { owner, local } = spread.place(index);
            assert_eq!(spread.index(owner, local), Some(index));
        }
    }
}

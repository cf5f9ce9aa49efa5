//! Sets of one side's stones, up to the symmetries of the board.

use super::board::Board;
use super::sets::{binomial, next_set};

/// The sets of stones of one size, those that are images of one another counted once.
#[derive(Debug)]
pub(crate) struct Classes {
    /// For each set by its number the class, and in the lowest four bits the symmetry that leads to
    /// the class's own set.
    of: Vec<u32>,
    /// For each class its smallest set.
    sets: Vec<u32>,
    /// For each class the symmetries that keep that set, as bits.
    keep: Vec<u16>,
}

/// Only the identity.
pub(crate) const NO_OTHER: u16 = 1;

impl Classes {
    pub(crate) fn new(board: &Board, size: u32) -> Self {
        let number = binomial(board.points, size);
        let unknown = u32::MAX;
        let mut classes =
            Classes { of: vec![unknown; number as usize], sets: Vec::new(), keep: Vec::new() };
        let mut set: u32 = (1 << size) - 1;
        for number in 0..number {
            if number > 0 {
                set = next_set(set);
            }
            if classes.of[number as usize] != unknown {
                continue;
            }
            // Sets are in ascending order: the first of a class is its smallest.
            let class = classes.sets.len() as u32;
            let mut keep = 0;
            for symmetry in 0..board.symmetries() {
                let image = board.image(symmetry, set);
                let place = &mut classes.of[board.sets.number(image) as usize];
                if *place == unknown {
                    *place = class << 4 | u32::from(board.inverses[usize::from(symmetry)]);
                }
                if image == set {
                    keep |= 1 << symmetry;
                }
            }
            classes.sets.push(set);
            classes.keep.push(keep);
        }
        classes
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.sets.len() as u64
    }

    /// The class of stones, and the symmetry that leads to its set.
    #[inline]
    pub(crate) fn of(&self, board: &Board, stones: u32) -> (u32, u8) {
        let found = self.of[board.sets.number(stones) as usize];
        (found >> 4, found as u8 & 0xF)
    }

    /// The smallest set of a class.
    #[inline]
    pub(crate) fn set(&self, class: u32) -> u32 {
        self.sets[class as usize]
    }

    /// The symmetries that keep a class's set.
    #[inline]
    pub(crate) fn keep(&self, class: u32) -> u16 {
        self.keep[class as usize]
    }
}

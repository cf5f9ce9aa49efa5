//! Discs as bitboards, for boards of all sizes.
//!
//! Square a1 is bit 0, b1 bit 1, a2 bit 8: a smaller board is the upper left corner of the largest,
//! so that all sizes share their shifts, masks and rays. Squares beyond a smaller board are never
//! occupied, and so end every line as the edge does.

/// The discs from the point of view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Discs {
    /// The mover's.
    pub own: u64,
    /// The opponent's.
    pub other: u64,
}

/// Squares that a step along a rank or diagonal can cross without leaving the board sideways.
const INNER: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// The first file.
pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;

/// From every square, the squares in the four directions with larger numbers, nearest first, and
/// in the four opposite ones.
static RAYS: [[[u64; 4]; 2]; 64] = rays();

/// Steps to larger numbers as files and ranks.
const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

const fn rays() -> [[[u64; 4]; 2]; 64] {
    let mut rays = [[[0; 4]; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let (file, rank) = STEPS[direction];
            rays[square][0][direction] = ray(square as i32, file, rank);
            rays[square][1][direction] = ray(square as i32, -file, -rank);
            direction += 1;
        }
        square += 1;
    }
    rays
}

const fn ray(square: i32, file_step: i32, rank_step: i32) -> u64 {
    let (mut file, mut rank) = (square % 8 + file_step, square / 8 + rank_step);
    let mut squares = 0;
    while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
        squares |= 1 << (rank * 8 + file);
        file += file_step;
        rank += rank_step;
    }
    squares
}

impl Discs {
    /// The same board from the opponent's point of view.
    #[must_use]
    pub fn turned(self) -> Self {
        Discs { own: self.other, other: self.own }
    }

    /// The squares with a disc.
    pub fn occupied(self) -> u64 {
        self.own | self.other
    }

    /// The squares where the mover may place a disc; `area` is the board.
    #[inline]
    pub fn targets(self, area: u64) -> u64 {
        let Discs { own, other } = self;
        let inner = other & INNER;
        let found = beyond::<1>(own, inner)
            | beyond::<8>(own, other)
            | beyond::<7>(own, inner)
            | beyond::<9>(own, inner);
        found & area & !self.occupied()
    }

    /// The opponent's discs that a disc of the mover on an empty square flips.
    #[inline]
    pub fn flips(self, square: u8) -> u64 {
        let Discs { own, other } = self;
        let [up, down] = &RAYS[usize::from(square) % 64];
        let mut flips = 0;
        // Along a ray, the first square that is not the opponent's decides: if it is the mover's,
        // all before it are flipped. A line without one, or with an empty square there, has end = 0
        // and gives nothing.
        for &ray in up {
            let stop = ray & !other;
            let end = stop & stop.wrapping_neg() & own;
            flips |= ray & end.wrapping_sub(u64::from(end != 0));
        }
        for &ray in down {
            let stop = ray & !other;
            let end = (1 << 63 >> (stop | 1).leading_zeros()) & stop & own;
            flips |= ray & (end << 1).wrapping_neg();
        }
        flips
    }

    /// The board from the opponent's point of view after the mover has placed a disc there.
    #[inline]
    #[must_use]
    pub fn put(self, square: u8) -> Self {
        let flips = self.flips(square);
        Discs { own: self.other ^ flips, other: self.own | flips | 1 << square }
    }
}

/// The squares behind a run of `passed` squares that begins beside one of `from`, in the direction
/// of the step and in the opposite one. Six steps at most, by one, one, two and two.
#[inline]
fn beyond<const STEP: u32>(from: u64, passed: u64) -> u64 {
    let mut up = passed & from << STEP;
    let mut down = passed & from >> STEP;
    up |= passed & up << STEP;
    down |= passed & down >> STEP;
    let pairs_up = passed & passed << STEP;
    let pairs_down = passed & passed >> STEP;
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    up << STEP | down >> STEP
}

/// The neighbours of the given squares in all directions, including these.
pub(super) fn spread(squares: u64) -> u64 {
    let left = squares >> 1 & !(FILE_A << 7);
    let right = squares << 1 & !FILE_A;
    let row = squares | left | right;
    row | row << 8 | row >> 8
}

/// The squares of a set, lowest first.
pub(super) fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as u8;
        (set != 0).then(|| {
            set &= set - 1;
            square
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rule by its definition: walk over the opponent's discs up to one of the mover's.
    fn flips_by_walking(discs: Discs, square: u8) -> u64 {
        let mut flips = 0;
        for rank_step in -1i32..=1 {
            for file_step in -1i32..=1 {
                let mut run = 0;
                let (mut file, mut rank) = (i32::from(square % 8), i32::from(square / 8));
                loop {
                    (file, rank) = (file + file_step, rank + rank_step);
                    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
                    let bit = if on_board { 1u64 << (rank * 8 + file) } else { 0 };
                    if discs.other & bit != 0 {
                        run |= bit;
                    } else {
                        if discs.own & bit != 0 {
                            flips |= run;
                        }
                        break;
                    }
                }
            }
        }
        flips
    }

    proptest! {
        #[test]
        fn bits_do_what_the_rule_says(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
            for (taken, colour) in [(a, b), (a | c, b), (a | b | c, c)] {
                for area in [u64::MAX, 0x3F3F_3F3F_3F3F, 0x0F0F_0F0F] {
                    let taken = taken & area;
                    let discs = Discs { own: taken & colour, other: taken & !colour };
                    let mut targets = 0;
                    for square in squares(area & !taken) {
                        let flips = flips_by_walking(discs, square);
                        prop_assert_eq!(discs.flips(square), flips);
                        targets |= u64::from(flips != 0) << square;
                        let after = discs.put(square).turned();
                        prop_assert_eq!(after.own & after.other, 0);
                        prop_assert_eq!(after.occupied(), taken | 1 << square);
                    }
                    prop_assert_eq!(discs.targets(area), targets);
                }
            }
        }
    }

    #[test]
    fn neighbours_stay_on_the_board() {
        assert_eq!(spread(1), 0x0303);
        assert_eq!(spread(1 << 7), 0xC0C0);
        assert_eq!(spread(1 << 63), 0xC0C0_0000_0000_0000);
        assert_eq!(spread(0), 0);
    }
}

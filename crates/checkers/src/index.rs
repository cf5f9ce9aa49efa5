//! The number of a position among those with the same pieces, without holes.
//!
//! The mover's men stand on the first seven ranks, the opponent's on the last seven. They are counted
//! by how many of the mover's are on the home rank, where none of the opponent's can be; then come
//! the mover's kings on the free squares, then the opponent's. Sets of squares are in colexicographic
//! order, in which the number of a set does not depend on the size of the board.

use std::sync::OnceLock;

use super::board::{CheckersPosition, HOME, bits};
use super::led::LedMen;
use super::material::{Force, Side};

/// Squares of a rank.
pub(crate) const RANK: u32 = 4;
/// Squares where men of both sides may stand.
const SHARED: u32 = 24;
/// The squares of the opponent's men, moved to the right by one rank.
const OTHER_SQUARES: u32 = (1 << 28) - 1;

/// `n` over `k`, for n up to 32.
const BINOMIAL: [[u32; 13]; 33] = {
    let mut table = [[0; 13]; 33];
    let mut n = 0;
    while n <= 32 {
        table[n][0] = 1;
        let mut k = 1;
        while k < 13 && n > 0 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

pub(crate) fn binomial(n: u32, k: u8) -> u64 {
    BINOMIAL[n as usize][usize::from(k)].into()
}

/// Sets of up to this many squares are looked up.
const LISTED: usize = 4;

/// The sets of k squares in their order, for k from 0 to [`LISTED`].
fn sets() -> &'static [Vec<u32>; LISTED + 1] {
    static SETS: OnceLock<[Vec<u32>; LISTED + 1]> = OnceLock::new();
    SETS.get_or_init(|| {
        std::array::from_fn(|size| {
            let count = binomial(32, size as u8);
            (0..count).map(|number| search_set(number, size as u8)).collect()
        })
    })
}

/// The number of a set of the free squares.
pub(crate) fn set_number(squares: u32, free: u32) -> u64 {
    let mut number = 0;
    for (size, square) in (1..).zip(bits(squares)) {
        let place = (free & (square - 1)).count_ones();
        number += u64::from(BINOMIAL[place as usize][size as usize]);
    }
    number
}

/// The set of `size` places with a number.
fn search_set(mut number: u64, size: u8) -> u32 {
    let (mut set, mut place) = (0, 32);
    for size in (1..=size).rev() {
        while binomial(place, size) > number {
            place -= 1;
        }
        set |= 1 << place;
        number -= binomial(place, size);
    }
    set
}

pub(crate) fn set_with_number(number: u64, size: u8) -> u32 {
    match sets().get(usize::from(size)) {
        Some(sets) => sets[number as usize],
        None => search_set(number, size),
    }
}

/// Places among the free squares, as squares.
pub(crate) fn deposit(mut places: u32, mut free: u32) -> u32 {
    let mut squares = 0;
    while places != 0 {
        for _ in 0..places.trailing_zeros() {
            free &= free - 1;
        }
        squares |= free & free.wrapping_neg();
        free &= free - 1;
        places >>= places.trailing_zeros();
        places >>= 1;
    }
    squares
}

/// How the positions with given pieces are numbered, if a given side has the move.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The mover's pieces, and the opponent's.
    own: Force,
    other: Force,
    /// The numbers of men where both leaders are given.
    led: Option<LedMen>,
    /// Numbers of the men that have fewer of the mover's men on the home rank.
    starts: [u64; RANK as usize + 2],
    /// The ways to place the kings of each side.
    kings: [u64; 2],
}

impl Layout {
    /// The positions of these sides; all of them with these pieces, unless a leader is given.
    pub(crate) fn new([own_side, other_side]: [Side; 2]) -> Self {
        let (own, other) = (own_side.force, other_side.force);
        let led = own_side.lead != 0 || other_side.lead != 0;
        let led = led.then(|| LedMen::new([own.men, other.men], [own_side.lead, other_side.lead]));
        let men = u32::from(own.men) + u32::from(other.men);
        let free = 32 - men;
        let kings = [binomial(free, own.kings), binomial(free - u32::from(own.kings), other.kings)];
        let mut starts = [0; RANK as usize + 2];
        for home in 0..=RANK as u8 {
            let ways = own.men.checked_sub(home).map_or(0, |rest| {
                binomial(RANK, home)
                    * binomial(SHARED, rest)
                    * binomial(28 - u32::from(rest), other.men)
            });
            starts[usize::from(home) + 1] = starts[usize::from(home)] + ways;
        }
        Layout { own, other, led, starts, kings }
    }

    /// The ways to place all men.
    fn men(&self) -> u64 {
        self.led.as_ref().map_or(self.starts[self.starts.len() - 1], LedMen::len)
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> u64 {
        self.men() * self.kings[0] * self.kings[1]
    }

    /// The number of a position.
    pub(crate) fn rank(&self, position: &CheckersPosition) -> u64 {
        let CheckersPosition { men, kings, other_men, other_kings } = *position;
        let number = match &self.led {
            Some(led) => led.rank(men, other_men),
            None => self.rank_of_men(men, other_men),
        };
        let free = !(men | other_men);
        let number = number * self.kings[0] + set_number(kings, free);
        number * self.kings[1] + set_number(other_kings, free & !kings)
    }

    #[inline]
    fn rank_of_men(&self, men: u32, other_men: u32) -> u64 {
        let home = (men & HOME).count_ones();
        let rest = self.own.men - home as u8;
        let shared = men >> RANK;
        let of_men =
            set_number(men & HOME, HOME) * binomial(SHARED, rest) + set_number(shared, u32::MAX);
        let of_others = set_number(other_men >> RANK, !shared & OTHER_SQUARES);
        self.starts[home as usize]
            + of_men * binomial(28 - u32::from(rest), self.other.men)
            + of_others
    }

    /// The position with a number.
    pub(crate) fn unrank(&self, number: u64) -> CheckersPosition {
        self.walk_to(&mut Walk::default(), number)
    }

    /// The position with a number, and what the next numbers have in common with it.
    #[inline]
    pub(crate) fn walk_to(&self, walk: &mut Walk, number: u64) -> CheckersPosition {
        let (outer, of_other_kings) = (number / self.kings[1], number % self.kings[1]);
        if walk.outer != Some(outer) {
            self.enter(walk, outer);
        }
        let other_kings = set_with_number(of_other_kings, self.other.kings);
        CheckersPosition { other_kings: deposit(other_kings, walk.free), ..walk.position }
    }

    fn enter(&self, walk: &mut Walk, outer: u64) {
        let (number, of_kings) = (outer / self.kings[0], outer % self.kings[0]);
        let [men, other_men] = match &self.led {
            Some(led) => led.unrank(number),
            None => self.men_with_number(number),
        };
        let free = !(men | other_men);
        let kings = deposit(set_with_number(of_kings, self.own.kings), free);
        walk.outer = Some(outer);
        walk.position = CheckersPosition { men, kings, other_men, other_kings: 0 };
        walk.free = free & !kings;
    }

    fn men_with_number(&self, number: u64) -> [u32; 2] {
        let home = (1..=RANK as usize).take_while(|&home| self.starts[home] <= number).count();
        let rest = self.own.men - home as u8;
        let number = number - self.starts[home];
        let others = binomial(28 - u32::from(rest), self.other.men);
        let (of_men, of_others) = (number / others, number % others);
        let shares = binomial(SHARED, rest);
        let on_home = set_with_number(of_men / shares, home as u8);
        let shared = set_with_number(of_men % shares, rest);
        let men = on_home | shared << RANK;
        let other_places = set_with_number(of_others, self.other.men);
        [men, deposit(other_places, !shared & OTHER_SQUARES) << RANK]
    }
}

/// All but the opponent's kings of the last position of a walk through the numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    outer: Option<u64>,
    position: CheckersPosition,
    /// Squares for the opponent's kings.
    free: u32,
}

#[cfg(test)]
mod tests;

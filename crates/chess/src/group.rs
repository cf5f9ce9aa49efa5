//! Men of one kind and side: one digit of a number.

use crate::board::Role;

/// Men of one kind and side: one digit of the number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub role: Role,
    /// Of the first side of the class.
    pub first: bool,
    pub count: u8,
    pub len: u64,
}

impl Group {
    pub fn new(role: Role, first: bool, count: u8) -> Self {
        let squares = if role == Role::Pawn { 48 } else { 64 };
        let len = (0..u64::from(count)).fold(1, |len, n| len * (squares - n) / (n + 1));
        Group { role, first, count, len }
    }

    /// The digit of this group, the last of a number, and the number without it.
    #[inline(always)]
    pub fn split(self, number: u64) -> (u64, u64) {
        // Divisors that the compiler knows take no division.
        match self.len {
            64 => (number % 64, number / 64),
            48 => (number % 48, number / 48),
            2016 => (number % 2016, number / 2016),
            1128 => (number % 1128, number / 1128),
            len => (number % len, number / len),
        }
    }

    /// The number of a set of squares.
    #[inline(always)]
    pub fn rank(self, squares: u64) -> u64 {
        let mut squares = if self.role == Role::Pawn { squares >> 8 } else { squares };
        let mut number = 0;
        let mut place = 1;
        while squares != 0 {
            number += choose(u64::from(squares.trailing_zeros()), place);
            squares &= squares - 1;
            place += 1;
        }
        number
    }

    /// The squares of a number.
    #[inline(always)]
    pub fn unrank(self, mut number: u64) -> u64 {
        let mut squares = 0;
        let mut below = 64;
        if self.count == 2 {
            squares = TWO[number as usize];
            return if self.role == Role::Pawn { squares << 8 } else { squares };
        }
        for place in (1..=u64::from(self.count)).rev() {
            let mut square = below - 1;
            if place == 1 {
                square = number;
            } else {
                while choose(square, place) > number {
                    square -= 1;
                }
            }
            number -= choose(square, place);
            squares |= 1 << square;
            below = square;
        }
        if self.role == Role::Pawn { squares << 8 } else { squares }
    }
}

/// Two squares of 64, by their number.
static TWO: [u64; 2016] = {
    let mut table = [0; 2016];
    let (mut high, mut low, mut number) = (1, 0, 0);
    while number < table.len() {
        table[number] = 1 << high | 1 << low;
        low += 1;
        if low == high {
            (high, low) = (high + 1, 0);
        }
        number += 1;
    }
    table
};

/// The ways to choose `k` of `n`, for up to three.
#[inline(always)]
fn choose(n: u64, k: u64) -> u64 {
    match k {
        1 => n,
        2 => n * n.wrapping_sub(1) / 2,
        _ => n * n.wrapping_sub(1) * n.wrapping_sub(2) / 6,
    }
}

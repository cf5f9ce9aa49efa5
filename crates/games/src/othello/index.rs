//! The index of 4×4 boards: first which squares are empty, then the colours of the others.

use std::array;

use super::discs::{Discs, squares};

/// Squares of an indexed board.
const SQUARES: usize = 16;

/// C(n, k).
static BINOMIALS: [[u32; SQUARES + 2]; SQUARES + 1] = binomials();

const fn binomials() -> [[u32; SQUARES + 2]; SQUARES + 1] {
    let mut table = [[0; SQUARES + 2]; SQUARES + 1];
    let mut n = 0;
    while n <= SQUARES {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
}

/// The number of boards with this many empty squares.
pub(super) fn len(empty: usize) -> u64 {
    BINOMIALS[SQUARES].get(empty).map_or(0, |&ways| u64::from(ways) << (SQUARES - empty))
}

/// The index of a board among those with the same number of empty squares.
pub(super) fn rank(discs: Discs) -> u64 {
    let occupied = dense(discs.occupied());
    let own = dense(discs.own);
    let empty = squares(u64::from(!occupied));
    let place: u32 = empty.zip(1..).map(|(square, k)| BINOMIALS[usize::from(square)][k]).sum();
    let mut colours = 0;
    for (bit, square) in squares(u64::from(occupied)).enumerate() {
        colours |= u64::from(own >> square & 1) << bit;
    }
    u64::from(place) << occupied.count_ones() | colours
}

/// The board with this many empty squares and this index.
pub(super) fn unrank(empty: usize, index: u64) -> Discs {
    let discs = SQUARES - empty;
    let mut place = (index >> discs) as u32;
    let mut occupied = u16::MAX;
    let mut below = SQUARES;
    for k in (1..=empty).rev() {
        let square = (0..below).rev().find(|&square| BINOMIALS[square][k] <= place).unwrap_or(0);
        place -= BINOMIALS[square][k];
        occupied &= !(1 << square);
        below = square;
    }
    let mut own = 0;
    for (bit, square) in squares(u64::from(occupied)).enumerate() {
        own |= ((index >> bit & 1) as u16) << square;
    }
    Discs { own: sparse(own), other: sparse(occupied & !own) }
}

/// The sixteen squares without the gaps between their rows.
fn dense(set: u64) -> u16 {
    let rows: [u16; 4] = array::from_fn(|row| (set >> (8 * row) & 0xF) as u16);
    rows[0] | rows[1] << 4 | rows[2] << 8 | rows[3] << 12
}

fn sparse(set: u16) -> u64 {
    (0..4).map(|row| u64::from(set >> (4 * row) & 0xF) << (8 * row)).sum()
}

//! The squares that men attack, as sets of squares: bit 0 is a1, bit 1 b1, bit 8 a2.

use crate::board::Role;

/// Squares as the bits of a number.
pub(crate) type Set = u64;

/// Exchanges the ranks of a square, as the other side sees the board.
pub(crate) const FLIP: u8 = 0o70;

/// The directions of lines: four in which squares have larger numbers, then their opposites.
const DIRECTIONS: [(i8, i8); 8] =
    [(0, 1), (1, 0), (1, 1), (-1, 1), (0, -1), (-1, 0), (-1, -1), (1, -1)];
/// The directions of rooks and of bishops, by their places in [`DIRECTIONS`].
pub(crate) const STRAIGHT: [usize; 4] = [0, 1, 4, 5];
pub(crate) const DIAGONAL: [usize; 4] = [2, 3, 6, 7];

const KNIGHT_STEPS: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The squares one step away from each.
const fn steps<const N: usize>(steps: [(i8, i8); N]) -> [Set; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut step = 0;
        while step < N {
            let file = (square % 8) as i8 + steps[step].0;
            let rank = (square / 8) as i8 + steps[step].1;
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square] |= 1 << (rank * 8 + file);
            }
            step += 1;
        }
        square += 1;
    }
    table
}

/// All squares of each line, up to the edge.
const fn lines() -> [[Set; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut direction = 0;
    while direction < 8 {
        let one = steps([DIRECTIONS[direction]]);
        let mut square = 0;
        while square < 64 {
            let mut next = one[square];
            while next != 0 {
                table[direction][square] |= next;
                next = one[next.trailing_zeros() as usize];
            }
            square += 1;
        }
        direction += 1;
    }
    table
}

static LINES: [[Set; 64]; 8] = lines();
static KNIGHT: [Set; 64] = steps(KNIGHT_STEPS);
static KING: [Set; 64] = steps(DIRECTIONS);
static PAWN: [[Set; 64]; 2] = [steps([(-1, 1), (1, 1)]), steps([(-1, -1), (1, -1)])];

/// The squares of a set, ascending.
#[inline(always)]
pub(crate) fn squares(mut set: Set) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as u8;
        let more = set != 0;
        set &= set.wrapping_sub(1);
        more.then_some(square)
    })
}

#[inline(always)]
pub(crate) fn king(square: u8) -> Set {
    KING[usize::from(square) & 63]
}

#[inline(always)]
pub(crate) fn knight(square: u8) -> Set {
    KNIGHT[usize::from(square) & 63]
}

/// What a pawn attacks that moves up the board, or down.
#[inline(always)]
pub(crate) fn pawn(square: u8, up: bool) -> Set {
    PAWN[usize::from(!up)][usize::from(square) & 63]
}

/// Where a pawn that moves up the board can have come from, captures aside.
#[inline(always)]
pub(crate) fn pawn_sources(to: u8, occupied: Set) -> Set {
    let second = 0xFF00;
    let one = (1 << to) >> 8 & !occupied & !0xFF;
    one | if to / 8 == 3 { one >> 8 & second } else { 0 }
}

/// The line in a direction from a square, up to the first man on it and with that.
#[inline(always)]
pub(crate) fn line(direction: usize, square: u8, occupied: Set) -> Set {
    let lines = &LINES[direction];
    let line = lines[usize::from(square) & 63];
    let men = line & occupied;
    // The line of the last square, and of the first, is empty in these directions.
    let first = if direction < 4 { (men | 1 << 63).trailing_zeros() } else { (men | 1).ilog2() };
    line ^ lines[first as usize & 63]
}

#[inline(always)]
pub(crate) fn rook(square: u8, occupied: Set) -> Set {
    STRAIGHT.iter().fold(0, |set, &direction| set | line(direction, square, occupied))
}

/// What a man other than a pawn attacks.
#[inline(always)]
pub(crate) fn of(role: Role, square: u8, occupied: Set) -> Set {
    match role {
        Role::Pawn => 0,
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => bishop(square, occupied) | rook(square, occupied),
        Role::King => king(square),
    }
}

#[inline(always)]
pub(crate) fn bishop(square: u8, occupied: Set) -> Set {
    DIAGONAL.iter().fold(0, |set, &direction| set | line(direction, square, occupied))
}

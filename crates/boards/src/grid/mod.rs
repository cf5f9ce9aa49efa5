//! Boards on which two sides place stones in turn until one has a line of them: what tic-tac-toe
//! and connect four share.
//!
//! A board is a bit a square, column by column from the bottom up. A bit that is never set lies
//! above each column, so that a shift never carries a line from one column into the next.

mod notation;

use std::collections::HashSet;

use nutcracker_game::{Score, Side};

pub use notation::name;

/// The stones on a board as the side to move sees them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stones {
    /// The mover's stones.
    pub own: u64,
    /// The opponent's stones.
    pub other: u64,
}

impl Stones {
    /// The squares with a stone.
    pub fn occupied(self) -> u64 {
        self.own | self.other
    }

    /// The side to move: x places the first stone, and the sides take turns.
    pub fn mover(self) -> Side {
        if self.occupied().count_ones().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    /// After a stone of the mover on an empty square.
    #[must_use]
    pub fn put(self, square: u64) -> Self {
        Stones { own: self.other, other: self.own | square }
    }

    /// The stones of x and of o.
    pub fn by_side(self) -> [u64; 2] {
        match self.mover() {
            Side::First => [self.own, self.other],
            Side::Second => [self.other, self.own],
        }
    }
}

/// The bits of a set, one by one.
pub fn squares(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

/// The shape of a board, and how long a line wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    columns: u32,
    rows: u32,
    connect: u32,
}

impl Grid {
    /// A board of at least two columns whose bits, with one above each column, fit 64.
    pub const fn new(columns: u32, rows: u32, connect: u32) -> Self {
        assert!(columns >= 2 && columns * (rows + 1) <= 64);
        Grid { columns, rows, connect }
    }

    /// Columns.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Stones in a line that wins.
    pub fn connect(&self) -> u32 {
        self.connect
    }

    /// The number of squares.
    pub fn size(&self) -> u32 {
        self.columns * self.rows
    }

    /// A square; row 0 is at the bottom.
    pub fn square(&self, column: u32, row: u32) -> u64 {
        1 << (column * (self.rows + 1) + row)
    }

    /// The squares of a column.
    pub fn column(&self, column: u32) -> u64 {
        ((1 << self.rows) - 1) << (column * (self.rows + 1))
    }

    /// Column and row of a square.
    pub fn place(&self, square: u64) -> (u32, u32) {
        let bit = square.trailing_zeros();
        (bit / (self.rows + 1), bit % (self.rows + 1))
    }

    /// All squares.
    pub fn area(&self) -> u64 {
        (0..self.columns).fold(0, |area, column| area | self.column(column))
    }

    /// Distances between neighbours on a line: up, and to the right down, level and up.
    fn directions(&self) -> [u32; 4] {
        [1, self.rows, self.rows + 1, self.rows + 2]
    }

    /// Whether these stones contain a winning line.
    #[inline]
    pub fn has_line(&self, stones: u64) -> bool {
        self.directions().into_iter().any(|step| {
            let mut starts = stones;
            for _ in 1..self.connect {
                starts &= starts >> step;
            }
            starts != 0
        })
    }

    /// Every winning line.
    pub fn lines(&self) -> Vec<u64> {
        let area = self.area();
        let lines = self.directions().into_iter().flat_map(|step| {
            squares(area).filter_map(move |start| {
                if start.trailing_zeros() + step * (self.connect - 1) >= u64::BITS {
                    return None;
                }
                let line = (0..self.connect).fold(0, |line, i| line | start << (i * step));
                (line & !area == 0).then_some(line)
            })
        });
        lines.collect()
    }

    /// The score of the side to move if the game is over: the opponent has a line, or no square is
    /// left.
    #[inline]
    pub fn outcome(&self, stones: Stones) -> Option<Score> {
        if self.has_line(stones.other) {
            Some(-1)
        } else {
            (stones.occupied().count_ones() == self.size()).then_some(0)
        }
    }

    /// Whether play can lead to these stones; `last` gives the squares of a set from which the last
    /// stone may be taken back. The sides take turns, and nothing follows a line.
    pub fn arises(&self, stones: Stones, last: impl Fn(u64) -> u64) -> bool {
        let sides = stones.by_side();
        let (mut open, mut seen) = (vec![stones.occupied()], HashSet::new());
        while let Some(occupied) = open.pop() {
            if occupied == 0 {
                return true;
            }
            let mover = sides[usize::from(occupied.count_ones().is_multiple_of(2))];
            for square in squares(last(occupied) & mover) {
                let before = occupied ^ square;
                if !sides.iter().any(|side| self.has_line(side & before)) && seen.insert(before) {
                    open.push(before);
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_every_direction() {
        for (grid, count) in [
            (Grid::new(3, 3, 3), 8),
            (Grid::new(7, 6, 4), 69),
            (Grid::new(8, 7, 4), 107),
            (Grid::new(4, 4, 4), 10),
            (Grid::new(2, 5, 2), 8 + 5 + 4 + 4),
        ] {
            let lines = grid.lines();
            assert_eq!(lines.len(), count, "{grid:?}");
            for line in lines {
                assert_eq!(line.count_ones(), grid.connect());
                assert!(grid.has_line(line));
                assert!(squares(line).all(|square| !grid.has_line(line ^ square)));
            }
        }
    }

    #[test]
    fn lines_do_not_wrap() {
        let grid = Grid::new(7, 6, 4);
        let lines = grid.lines();
        let mut random = nutcracker_game::Random::new(1);
        for _ in 0..100_000 {
            let stones = random.bits() & random.bits() & grid.area();
            let expected = lines.iter().any(|line| line & !stones == 0);
            assert_eq!(grid.has_line(stones), expected, "{stones:x}");
        }
    }
}

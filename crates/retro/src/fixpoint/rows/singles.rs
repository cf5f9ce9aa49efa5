//! The moves of single rows, there and back.

use super::moves::{Kind, Moves};
use super::shape::{Shape, TILE};

/// A move between two rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    /// The row at the other end.
    pub(crate) row: u32,
    pub(crate) kind: Kind,
}

/// Moves by the row they come from, and by the row they lead to.
#[derive(Debug)]
pub(crate) struct Singles {
    from: Lists,
    to: Lists,
}

#[derive(Debug)]
struct Lists {
    /// By row, with one more at the end.
    first: Vec<u32>,
    list: Vec<Single>,
}

impl Singles {
    pub(crate) fn new(shape: &Shape, moves: &Moves) -> Self {
        let rows = shape.tiles() * TILE;
        let all = || {
            (0..shape.tiles()).flat_map(|tile| moves.of_tile(tile)).flat_map(|same| {
                moves.steps(same).iter().map(|step| (step.row, step.to, same.kind))
            })
        };
        Singles {
            from: Lists::new(rows, moves.len(), all),
            to: Lists::new(rows, moves.len(), || all().map(|(row, to, kind)| (to, row, kind))),
        }
    }

    /// Bytes for each move, and for each row.
    pub(crate) const BYTES: (u64, u64) = (16, 8);

    /// The moves of a row.
    #[inline(always)]
    pub(crate) fn of(&self, row: usize) -> &[Single] {
        self.from.of(row)
    }

    /// The moves that lead to a row, each with the row it comes from.
    #[inline(always)]
    pub(crate) fn before(&self, row: usize) -> &[Single] {
        self.to.of(row)
    }
}

impl Lists {
    /// Sorts moves by their first row, by counting.
    fn new<I: Iterator<Item = (u32, u32, Kind)>>(
        rows: usize,
        len: usize,
        all: impl Fn() -> I,
    ) -> Self {
        let mut first = vec![0; rows + 1];
        for (row, ..) in all() {
            first[row as usize] += 1;
        }
        let mut sum = 0;
        for place in &mut first {
            sum += *place;
            *place = sum;
        }
        let mut list = Vec::with_capacity(len);
        if let Some((_, row, kind)) = all().next() {
            list.resize(len, Single { row, kind });
        }
        for (row, other, kind) in all() {
            let place = &mut first[row as usize];
            *place -= 1;
            list[*place as usize] = Single { row: other, kind };
        }
        Lists { first, list }
    }

    #[inline(always)]
    fn of(&self, row: usize) -> &[Single] {
        &self.list[self.first[row] as usize..self.first[row + 1] as usize]
    }
}

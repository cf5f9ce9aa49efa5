//! The moves between single rows, in both directions.

use super::moves::{MoveKind, Moves};
use super::shape::{Shape, TILE};

/// A move between two rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The row at the other end.
    pub(crate) row: u32,
    pub(crate) kind: MoveKind,
}

/// Moves by the row they come from, and by the row they lead to.
#[derive(Debug)]
pub(crate) struct EdgeLists {
    from: Lists,
    to: Lists,
}

#[derive(Debug)]
struct Lists {
    /// By row, with one more at the end.
    first: Vec<u32>,
    list: Vec<Edge>,
}

impl EdgeLists {
    pub(crate) fn new(shape: &Shape, moves: &Moves) -> Self {
        let rows = shape.tiles() * TILE;
        let all = || {
            (0..shape.tiles()).flat_map(|tile| moves.groups_of_tile(tile)).flat_map(|group| {
                moves.edges(group).iter().map(|edge| (edge.row, edge.to, group.kind))
            })
        };
        EdgeLists {
            from: Lists::new(rows, moves.len(), all),
            to: Lists::new(rows, moves.len(), || all().map(|(row, to, kind)| (to, row, kind))),
        }
    }

    /// Bytes it takes, with a move a pit.
    pub(crate) fn bytes(shape: &Shape, pits: usize) -> u64 {
        let row = size_of::<u32>() + pits * size_of::<Edge>();
        (2 * shape.tiles() * TILE * row) as u64
    }

    /// The moves of a row.
    #[inline(always)]
    pub(crate) fn of(&self, row: usize) -> &[Edge] {
        self.from.of(row)
    }

    /// The moves that lead to a row, each with the row it comes from.
    #[inline(always)]
    pub(crate) fn before(&self, row: usize) -> &[Edge] {
        self.to.of(row)
    }
}

impl Lists {
    /// Sorts moves by their first row, by counting.
    fn new<I: Iterator<Item = (u32, u32, MoveKind)>>(
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
            list.resize(len, Edge { row, kind });
        }
        for (row, other, kind) in all() {
            let place = &mut first[row as usize];
            *place -= 1;
            list[*place as usize] = Edge { row: other, kind };
        }
        Lists { first, list }
    }

    #[inline(always)]
    fn of(&self, row: usize) -> &[Edge] {
        &self.list[self.first[row] as usize..self.first[row + 1] as usize]
    }
}

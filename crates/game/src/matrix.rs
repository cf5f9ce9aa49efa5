//! Moves of whole blocks of positions, for games in which they factor.

use crate::{Score, SliceId, Turn};

/// A block of positions in rows and columns whose moves factor: positions of one column share the
/// *lines* (runs of consecutive indices) that their moves lead to, positions of one row share the
/// places in these lines.
///
/// In a sowing game a row is a half board of the mover and a column one of the opponent: the
/// opponent's half determines what becomes of the stones that reach it, and so in which run of
/// indices the successor lies; the mover's half determines where in that run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveMatrix {
    /// The index of the position in the first row and column. Columns are consecutive indices.
    pub first: u64,
    /// The number of rows.
    pub rows: u64,
    /// The number of columns.
    pub columns: u64,
    /// The lengths of the lines, which are the same for every column.
    pub lengths: Vec<u32>,
    /// Places of every row; rows with fewer moves are padded with [`MoveMatrix::no_move`].
    pub width: usize,
    /// For every row, where its moves lead: `width` places in the lines laid end to end.
    pub places: Vec<u32>,
    /// Rows, ascending, with a move that leads to no line: their moves must come from the rules.
    pub irregular: Vec<u64>,
}

impl MoveMatrix {
    /// The place that stands for no move: the one after the last line.
    pub fn no_move(&self) -> u32 {
        self.lengths.iter().sum()
    }
}

/// Where the moves of a column lead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// To positions of the same slice, from this index on.
    Inside(u64),
    /// To positions of a finished slice.
    Outside {
        /// Which slice.
        slice: SliceId,
        /// The first index there.
        start: u64,
        /// What the mover banks.
        gain: Score,
        /// The side that moves next.
        turn: Turn,
        /// Whether the moves are [conversions](crate::Step::converts).
        converts: bool,
    },
    /// Nowhere: such moves are illegal. Where no other move is left, the rules decide.
    Illegal,
}

//! Games of sowing on a board of two halves, as far as the solver by rows needs them.

use std::fmt;

/// One side's pits in the order in which the game numbers them; pits beyond its number are empty.
pub type Pits = [u8; 8];

/// What a move does to every board with the same mover's half.
///
/// The mover's half becomes one fixed half, and the other half gets one fixed pattern of stones,
/// whatever it holds. Adding a pattern keeps the lexicographic order of halves: so the successors
/// of a row of boards, in order, are a part of another row, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowMove {
    /// The mover's half after the move.
    pub own: Pits,
    /// What the other half gets.
    pub added: Pits,
    /// For which other halves this is no internal move.
    pub leaves: Option<Leaves>,
}

/// The boards of a row for which a move leaves the slice, or is illegal: those on which one pit of
/// the other half holds, before the move, one of some numbers of stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Leaves {
    /// Which pit of the other half.
    pub pit: u8,
    /// Bit i: it leaves if the pit holds i stones.
    pub counts: u128,
}

/// A slice of a game of sowing.
///
/// Such a slice holds all boards of two halves with a fixed number of stones, numbered by the
/// stones in the mover's half, then by the rank of the mover's half, then by the rank of the other
/// half, as [`PitRows`](crate::combi::PitRows) ranks them.
///
/// # Law
/// For every board, the internal moves by the rules are exactly the [`moves`](RowMoves::moves) of
/// its mover's half that do not leave; checked by [`law::check`](crate::law::check).
pub trait RowMoves: fmt::Debug + Send + Sync {
    /// Pits a half, at most 8: a half is eight bytes.
    fn pits(&self) -> usize;
    /// Stones on every board of the slice.
    fn stones(&self) -> usize;
    /// Appends what can be an internal move from boards with this mover's half.
    fn moves(&self, own: &Pits, out: &mut Vec<RowMove>);
}

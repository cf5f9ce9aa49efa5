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

impl RowMove {
    /// Whether a board with this other half leaves the slice by the move, or has no such move.
    #[inline]
    pub fn leaves_from(&self, other: &Pits) -> bool {
        self.leaves.is_some_and(|Leaves { pit, counts, slams }| {
            let pit = usize::from(pit);
            counts >> other[pit] & 1 == 1 && !slams.is_some_and(|slams| slams.has(self, other, pit))
        })
    }
}

/// The boards of a row for which a move leaves the slice, or is illegal: those on which one pit of
/// the other half holds, before the move, one of some numbers of stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Leaves {
    /// Which pit of the other half.
    pub pit: u8,
    /// Bit i: it leaves if the pit holds i stones.
    pub counts: u128,
    /// Which of these boards stay nevertheless.
    pub slams: Option<Slams>,
}

/// Grand slams that capture nothing: after the move, all stones of the other half are in a chain of
/// neighbouring pits, the last of which is the one of [`Leaves`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slams {
    /// Bit i: a pit of the chain may hold i stones, bit 0 not set.
    pub counts: u128,
    /// The most pits of the chain.
    pub longest: u8,
}

impl Slams {
    fn has(self, mv: &RowMove, other: &Pits, last: usize) -> bool {
        let holds = |pit: usize| other[pit] + mv.added[pit];
        let chain = |pit: &usize| self.counts >> holds(*pit) & 1 == 1;
        let longest = usize::from(self.longest);
        let length = (0..=last).rev().take_while(chain).take(longest).count();
        length > 0
            && (0..other.len())
                .all(|pit| (last + 1 - length..=last).contains(&pit) || holds(pit) == 0)
    }
}

/// A slice of a game of sowing.
///
/// Such a slice holds all boards of two halves with a fixed number of stones, numbered by the
/// stones in the mover's half, then by the rank of the mover's half, then by the rank of the other
/// half, as [`PitRows`](crate::combi::PitRows) ranks them; or only those whose other half has an
/// empty pit, if [`gaps_first`](RowMoves::gaps_first).
///
/// # Law
/// For every board, the internal moves by the rules are exactly the [`moves`](RowMoves::moves) of
/// its mover's half that do not leave; checked by [`law::check`](crate::law::check).
pub trait RowMoves: fmt::Debug + Send + Sync {
    /// Pits a half, at most 8: a half is eight bytes.
    fn pits(&self) -> usize;
    /// Stones on every board of the slice.
    fn stones(&self) -> usize;
    /// Whether the slice has only boards whose other half has an empty pit, and halves with one rank
    /// before those without.
    fn gaps_first(&self) -> bool {
        false
    }
    /// Appends what can be an internal move from boards with this mover's half.
    fn moves(&self, own: &Pits, out: &mut Vec<RowMove>);
}

//! Boards of two halves: index and notation shared by awari, kalah and similar games.

use nutcracker_game::{Score, SliceId};

mod foreign;
mod index;
mod notation;
mod pairs;

pub use foreign::{format_in, move_in};
pub use index::Halves;
pub use notation::{draw, final_result, format, parse, side_name};
pub use pairs::{Pair, PairCursor, PairIndex};

/// The largest number of pits of a half.
pub const MAX_PITS: usize = 6;

/// The number of stones of a board is less than this.
const LIMIT: usize = 128;

/// A one in every byte.
const BYTES: u64 = 0x0101_0101_0101_0101;

/// One side's pits in the order of sowing; pits beyond the game's number stay empty. Padded to a
/// machine word, so that whole halves are added and summed at once.
pub type Half = [u8; 8];

/// A board from the point of view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Board {
    /// The mover's pits.
    pub own: Half,
    /// The opponent's pits.
    pub other: Half,
}

/// The largest score with this many stones on the board that matters to a game that began with
/// `start`: what was banked on the way is at most the difference, and one more decides.
#[inline]
pub fn score_window(slice: SliceId, start: SliceId) -> Score {
    let (left, all) = (i64::from(slice.0), i64::from(start.0));
    (all + 1 - left).clamp(left.min(1), left) as Score
}

/// The stones in a half.
#[inline]
pub fn stones(half: &Half) -> usize {
    // The top byte of the product is the sum of all bytes; no game has 256 stones.
    (u64::from_le_bytes(*half).wrapping_mul(BYTES) >> 56) as usize
}

impl Board {
    /// The stones on the board.
    #[inline]
    pub fn stones(&self) -> usize {
        stones(&self.own) + stones(&self.other)
    }

    /// The same board from the opponent's point of view.
    #[must_use]
    #[inline]
    pub fn turned(self) -> Self {
        Board { own: self.other, other: self.own }
    }
}

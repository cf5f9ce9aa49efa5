//! What rules of thumb say of positions, without search and without databases.

use crate::WinDistance;

/// What a recogniser says of a position for the side to move.
///
/// A recogniser looks at a position once, in constant time. It need not know every position, but
/// what it claims is to hold without exception; [`Numbering::recognise`](crate::Numbering::recognise)
/// is that of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recognised {
    /// Nothing: a search has to tell.
    Unknown,
    /// A draw.
    Draw,
    /// A win or a loss, with the winner's moves to the end of the game.
    Decided(WinDistance),
}

impl Recognised {
    /// The side to move wins in this many moves.
    pub const fn win(moves: u16) -> Self {
        Recognised::Decided(WinDistance { wins: true, moves })
    }

    /// The side to move loses; the winner needs this many moves.
    pub const fn loss(moves: u16) -> Self {
        Recognised::Decided(WinDistance { wins: false, moves })
    }
}

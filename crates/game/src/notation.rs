//! Positions as people write them.

use std::error::Error;
use std::fmt;

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The side that moves first from the start position: South, White, Black in Othello.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// A position in a real game: a [`Rules::Position`](crate::Rules::Position) is seen by the side to
/// move and has no history; a situation adds which side that is and what each side has won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Situation<P> {
    /// The position as the side to move sees it.
    pub position: P,
    /// The side to move.
    pub mover: Side,
    /// What the first and the second player have banked so far, if given.
    pub banked: Option<[u16; 2]>,
}

impl<P> Situation<P> {
    /// A situation in which nothing is known about banked points.
    pub fn new(position: P, mover: Side) -> Self {
        Situation { position, mover, banked: None }
    }

    /// What the side to move and the other side have banked.
    pub fn banked_by_mover(&self) -> Option<[u16; 2]> {
        self.banked.map(|[first, second]| match self.mover {
            Side::First => [first, second],
            Side::Second => [second, first],
        })
    }
}

/// Why a text is not a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError(String);

impl ParseError {
    /// An error whose message is one sentence for the user.
    pub fn new(message: impl Into<String>) -> Self {
        ParseError(message.into())
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for ParseError {}

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
    /// The plies without a [zeroing](crate::Step::zeroes) move before a game that starts here, if its
    /// text says so; 0 after any move, for the moves tell.
    pub quiet: u16,
}

impl<P> Situation<P> {
    /// A situation in which nothing is known about banked points.
    pub fn new(position: P, mover: Side) -> Self {
        Situation { position, mover, banked: None, quiet: 0 }
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
pub struct ParseError {
    message: String,
    /// Whether the text was written as it should be, and what it says is impossible.
    legible: bool,
}

impl ParseError {
    /// An error whose message is one sentence for the user.
    pub fn new(message: impl Into<String>) -> Self {
        ParseError { message: message.into(), legible: false }
    }

    /// The same for a text that is written as it should be: a position that cannot be.
    pub fn impossible(message: impl Into<String>) -> Self {
        ParseError { message: message.into(), legible: true }
    }

    /// The message with an example of a position, unless the text was written as it should be.
    pub fn with_example(&self, example: &str) -> String {
        if self.legible {
            return self.message.clone();
        }
        format!("{self}; a position looks like \"{example}\"")
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ParseError {}

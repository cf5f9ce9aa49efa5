//! What is proved: a bound of a score.

use std::fmt;

use nutcracker_game::{Score, Step, Turn};

/// A claim about the score of a position's mover, from the position on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// The score is this or more. At least 1 is a win of what is still to come, at least 0 no loss.
    AtLeast(Score),
    /// The score is this or less.
    AtMost(Score),
}

impl Goal {
    /// What holds where this does not.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Goal::AtLeast(score) => Goal::AtMost(score - 1),
            Goal::AtMost(score) => Goal::AtLeast(score + 1),
        }
    }

    /// Whether a score fulfils it.
    pub fn holds(self, score: Score) -> bool {
        match self {
            Goal::AtLeast(least) => score >= least,
            Goal::AtMost(most) => score <= most,
        }
    }

    /// The claim at a position: the mover proves a lower bound, the other side an upper one.
    pub fn claim<P>(self, position: P) -> Claim<P> {
        match self {
            Goal::AtLeast(score) => Claim { position, need: score, proving: true },
            Goal::AtMost(score) => Claim { position, need: -score, proving: false },
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::AtLeast(score) => write!(f, "at least {score}"),
            Goal::AtMost(score) => write!(f, "at most {score}"),
        }
    }
}

/// A position, what the proving side needs from there on, and whether that side is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim<P> {
    /// As its mover sees it.
    pub position: P,
    /// What the proving side has still to win, minus what it will lose.
    pub need: Score,
    /// Whether the proving side is to move.
    pub proving: bool,
}

impl<P: Copy> Claim<P> {
    /// What has to hold after a move.
    #[must_use]
    pub fn after(&self, step: &Step<P>) -> Self {
        Claim {
            position: step.next,
            need: if self.proving { self.need - step.gain } else { self.need + step.gain },
            proving: self.proving == (step.turn == Turn::Stays),
        }
    }
}

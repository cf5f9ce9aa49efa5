//! Reports of a search while it runs and when it ends.

use std::time::Duration;

use nutcracker_game::Score;

use crate::Worth;

/// How far a search has come.
#[derive(Clone, PartialEq, Debug)]
pub struct Report<M> {
    /// 1 for the best line; 2 for the best of the moves that do not begin it, and so on.
    pub rank: usize,
    /// The plies of the iteration that gave the value; 0 when none was completed.
    pub depth: u32,
    /// The value of the position to its mover, from here on; that of the moves which begin no line
    /// before this one, if not all moves were searched.
    pub value: Worth,
    /// The proven bounds of the score; those that every position of the slice keeps where nothing
    /// better is known.
    pub bounds: (Score, Score),
    /// The line of play expected by both; it begins with the move to play, and is empty only where
    /// the game is over. In the answer of a search that was cut short, the move may be a better one
    /// that the unfinished iteration found; value and depth are of the last complete one.
    pub line: Vec<M>,
    /// Positions searched so far, by all threads.
    pub nodes: u64,
    /// The time since the search began.
    pub elapsed: Duration,
    /// How full the transposition table is with entries of this search, in thousandths.
    pub table_permille: u32,
    /// Scores read from the oracle so far, by all threads.
    pub probes: u64,
}

impl<M: Copy> Report<M> {
    /// The move to play; `None` where the game is over.
    pub fn best(&self) -> Option<M> {
        self.line.first().copied()
    }
}

/// Every move of a position with its value, all by searches of one depth.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared<M> {
    /// The moves, best first.
    pub values: MoveValues<M>,
    /// The same with every guess [averaged](Worth::averaged) over this depth and the one before, and
    /// best first by that.
    pub averaged: MoveValues<M>,
    /// The plies of the last iteration that was complete for every move, the move itself counted; 0
    /// where none was. Where all values are proven, the deepest iteration needed.
    pub depth: u32,
}

/// Moves with what each is worth to the mover, best first.
pub type MoveValues<M> = Vec<(M, Worth)>;

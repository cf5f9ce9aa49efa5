//! What a player is asked: a move in a game, within limits, with reports on the way.

use std::fmt;
use std::time::Duration;

use nutcracker_game::{Game, Side};
use nutcracker_search::Worth;

use crate::{ClockState, Pace, Played};

/// A request for a move in a game that has not ended.
pub struct Request<'a, G: Game> {
    /// The game so far.
    pub played: &'a Played<G>,
    /// How long the player may think.
    pub limits: MoveLimits,
    /// When it has to answer, as these limits and calls from outside decide.
    pub pace: &'a Pace,
    /// The moves to choose from, all legal; all legal moves if there is none.
    pub among: &'a [G::Move],
    /// Gets the reports of the search.
    pub on_progress: &'a mut dyn FnMut(&Progress<G::Move>),
}

impl<G: Game> fmt::Debug for Request<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("played", &self.played)
            .field("limits", &self.limits)
            .field("pace", &self.pace)
            .field("among", &self.among)
            .finish_non_exhaustive()
    }
}

/// How long a player may think about a move: until the first of these limits, or until it knows the
/// value.
///
/// ```
/// use nutcracker_engine::{AnswerWhen, MoveLimits};
///
/// assert!(MoveLimits::default().is_open());
/// assert!(!MoveLimits::depth(3).is_open());
/// let analysis = MoveLimits { answer: AnswerWhen::Stopped, ..MoveLimits::depth(3) };
/// assert!(analysis.is_open());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveLimits {
    /// At most this many plies.
    pub depth: Option<u32>,
    /// At most this many positions.
    pub nodes: Option<u64>,
    /// The time, where it is limited.
    pub clock: Option<ClockState>,
    /// When the answer is due.
    pub answer: AnswerWhen,
}

impl MoveLimits {
    /// A depth in plies and no other limit.
    pub fn depth(depth: u32) -> Self {
        MoveLimits { depth: Some(depth), ..MoveLimits::default() }
    }

    /// A time for this move and no other limit.
    pub fn time(time: Duration) -> Self {
        MoveLimits { clock: Some(ClockState::Move(time)), ..MoveLimits::default() }
    }

    /// Whether nothing but a stop is certain to end the search.
    pub fn is_open(&self) -> bool {
        let limited = self.depth.is_some() || self.nodes.is_some() || self.clock.is_some();
        self.answer != AnswerWhen::Ready || !limited
    }

    /// The time available for the move of this side; `None` where no clock runs for it.
    pub fn available(&self, side: Side) -> Option<Duration> {
        self.clock.and_then(|clock| clock.available(side))
    }
}

/// When the answer is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AnswerWhen {
    /// As soon as it is available.
    #[default]
    Ready,
    /// Not before a stop; the clock does not count.
    Stopped,
    /// Not before the expected move was played, or a stop: the opponent's clock runs until then.
    PonderHit,
}

/// A report of a running search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress<M> {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Which of several lines it is about, from 1 for the best; `None` where there is one.
    pub rank: Option<u32>,
    /// The value of the position, or of this line, to the mover from here on.
    pub value: Option<Worth>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Time so far.
    pub elapsed: Option<Duration>,
    /// How full the transposition table is, in thousandths.
    pub table_permille: Option<u32>,
    /// Database hits.
    pub probes: Option<u64>,
    /// The principal variation.
    pub line: Vec<M>,
}

impl<M> Default for Progress<M> {
    /// Nothing is known.
    fn default() -> Self {
        Progress {
            depth: None,
            rank: None,
            value: None,
            nodes: None,
            elapsed: None,
            table_permille: None,
            probes: None,
            line: Vec::new(),
        }
    }
}

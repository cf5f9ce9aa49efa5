//! A player's clock, and the time planned for a move.

use std::time::Duration;

use nutcracker_game::Side;
use thiserror::Error;

use crate::control::{GameLimit, Reserve, TimeControl};
use crate::time::time_text;
use crate::{AnswerWhen, MoveLimits};

/// A player's remaining time.
///
/// ```
/// use std::time::Duration;
/// use nutcracker_engine::Clock;
///
/// let mut clock = Clock::new("1m+5s".parse().unwrap());
/// clock.spend(Duration::from_secs(20)).unwrap();
/// assert_eq!(clock.available(), Duration::from_secs(45));
/// assert!(clock.spend(Duration::from_secs(46)).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    /// The time left for the game, or the reserve.
    left: Duration,
    /// Moves made.
    moves: u32,
}

/// A player overstepped the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the move took {} with {} left", time_text(*used), time_text(*available))]
pub struct TimeLost {
    /// The time of the move.
    pub used: Duration,
    /// The time available.
    pub available: Duration,
}

impl Clock {
    /// A clock at the start of a game.
    pub fn new(control: TimeControl) -> Self {
        let left = match control {
            TimeControl::Move(_) => Duration::ZERO,
            TimeControl::Game { time, .. } => time,
            TimeControl::Reserve(reserve) => reserve.reserve,
        };
        Clock { control, left, moves: 0 }
    }

    /// The time available for the next move.
    pub fn available(&self) -> Duration {
        match self.control {
            TimeControl::Move(time) => time,
            TimeControl::Game { .. } => self.left,
            TimeControl::Reserve(Reserve { per_move, turn, .. }) => {
                let both = per_move + self.left;
                if turn.is_zero() { both } else { both.min(turn) }
            }
        }
    }

    /// Moves until the next period, if there are periods.
    pub fn moves_to_go(&self) -> Option<u32> {
        match self.control {
            TimeControl::Game { moves: Some(moves), .. } => Some(moves - self.moves % moves),
            _ => None,
        }
    }

    /// Moves made by this player.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// Records a move that took this time.
    pub fn spend(&mut self, used: Duration) -> Result<(), TimeLost> {
        let available = self.available();
        if used > available {
            return Err(TimeLost { used, available });
        }
        self.moves += 1;
        match self.control {
            TimeControl::Move(_) => {}
            TimeControl::Game { time, increment, moves } => {
                self.left = self.left.saturating_sub(used) + increment;
                if moves.is_some_and(|moves| self.moves.is_multiple_of(moves)) {
                    self.left += time;
                }
            }
            TimeControl::Reserve(reserve) => self.left = reserve.after(self.left, used),
        }
        Ok(())
    }

    /// What the player to move sees of the clocks of both, first and second.
    pub fn state(clocks: &[Clock; 2], mover: Side) -> ClockState {
        let own = &clocks[mover as usize];
        let left = clocks.each_ref().map(|clock| clock.left);
        let some = |time: Duration| (!time.is_zero()).then_some(time);
        match own.control {
            TimeControl::Move(time) => ClockState::Move(time),
            TimeControl::Game { increment, .. } => ClockState::Game {
                left: left.map(Some),
                increment: [increment; 2],
                moves_to_go: own.moves_to_go(),
            },
            TimeControl::Reserve(reserve) => ClockState::Reserve {
                per_move: reserve.per_move,
                reserve: left,
                percent: reserve.percent,
                limit: some(reserve.limit),
                turn: some(reserve.turn),
            },
        }
    }
}

/// The clocks before a move; pairs are for the first and the second player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockState {
    /// A time for this move.
    Move(Duration),
    /// A time for the game, or for the moves of a period.
    Game {
        /// What is left; `None` for a player without a clock.
        left: [Option<Duration>; 2],
        /// Added after each move.
        increment: [Duration; 2],
        /// Moves until the next period, if there are periods.
        moves_to_go: Option<u32>,
    },
    /// A time for each move, and a reserve.
    Reserve {
        /// The time of each move before the reserve is used.
        per_move: Duration,
        /// The reserves.
        reserve: [Duration; 2],
        /// The percentage of a move's unused time that is added to the reserve.
        percent: u32,
        /// The maximum of the reserve.
        limit: Option<Duration>,
        /// The maximum time of a move.
        turn: Option<Duration>,
    },
}

impl ClockState {
    /// The time available for the move of this side; `None` where no clock runs for it.
    pub fn available(&self, side: Side) -> Option<Duration> {
        match *self {
            ClockState::Move(time) => Some(time),
            ClockState::Game { left, .. } => left[side as usize],
            ClockState::Reserve { per_move, reserve, turn, .. } => {
                let both = per_move.saturating_add(reserve[side as usize]);
                Some(both.min(turn.unwrap_or(Duration::MAX)))
            }
        }
    }
}

impl Reserve {
    /// The reserve after a move that was in time.
    fn after(&self, left: Duration, used: Duration) -> Duration {
        let Some(unused) = self.per_move.checked_sub(used) else {
            return (left + self.per_move).saturating_sub(used);
        };
        // Whole seconds, as the specification requires.
        let share = unused.as_secs_f64() * f64::from(self.percent) / 100.0;
        let filled = left + Duration::from_secs(share.round() as u64);
        if self.limit.is_zero() { filled } else { filled.min(self.limit.max(left)) }
    }
}

impl TimeControl {
    /// Whether a game of this duration, with this many moves by each player, is stopped here and
    /// counted.
    pub fn stops_game(&self, elapsed: Duration, moves: [u32; 2]) -> bool {
        match self {
            TimeControl::Reserve(Reserve { game: GameLimit::Time(time), .. }) => elapsed >= *time,
            TimeControl::Reserve(Reserve { game: GameLimit::Turns(turns), .. }) => {
                moves.iter().min() >= Some(turns)
            }
            _ => false,
        }
    }
}

/// The time planned for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allotment {
    /// After this, no new iteration is started, because it would take as long as all before it, or
    /// longer. A search multiplies it when the best move changes, or is the same for long; the same
    /// as `hard` where what is left is of no use for later moves.
    pub soft: Duration,
    /// After this, the move is played.
    pub hard: Duration,
}

/// Kept back at every move: the time between a decision and the stop of the clock.
pub const OVERHEAD: Duration = Duration::from_millis(20);

/// A game is planned to last this many more moves, at any stage.
const HORIZON: u32 = 24;

impl Allotment {
    /// The plan of the player of `side`; `None` where no clock runs.
    ///
    /// Never more than is available: [`hard`](Allotment::hard) leaves [`OVERHEAD`], or half where
    /// less than twice that is left.
    ///
    /// ```
    /// use std::time::Duration;
    /// use nutcracker_engine::{Allotment, ClockState, MoveLimits};
    /// use nutcracker_game::Side;
    ///
    /// let left = [Some(Duration::from_secs(60)), None];
    /// let clock = ClockState::Game { left, increment: [Duration::ZERO; 2], moves_to_go: None };
    /// let limits = MoveLimits { clock: Some(clock), ..MoveLimits::default() };
    /// let allotment = Allotment::of(&limits, Side::First).unwrap();
    /// assert!(allotment.soft < Duration::from_secs(4));
    /// assert!(allotment.soft <= allotment.hard && allotment.hard < Duration::from_secs(15));
    /// assert_eq!(Allotment::of(&limits, Side::Second), None);
    /// ```
    pub fn of(limits: &MoveLimits, side: Side) -> Option<Self> {
        if limits.answer == AnswerWhen::Stopped {
            return None;
        }
        let place = side as usize;
        match limits.clock? {
            ClockState::Move(time) => {
                let hard = usable(time);
                Some(Allotment { soft: hard, hard })
            }
            ClockState::Game { left, increment, moves_to_go } => {
                Some(of_game(left[place]?, increment[place], moves_to_go))
            }
            ClockState::Reserve { per_move, reserve, turn, .. } => {
                Some(of_reserve(per_move, reserve[place], turn.unwrap_or(Duration::MAX)))
            }
        }
    }
}

/// The usable part of the time available.
fn usable(time: Duration) -> Duration {
    time.saturating_sub(OVERHEAD).max(time / 2)
}

fn of_game(left: Duration, increment: Duration, to_go: Option<u32>) -> Allotment {
    // Some interfaces send 0 moves for a time without periods.
    let moves = to_go.filter(|&moves| moves > 0).unwrap_or(HORIZON).min(HORIZON);
    // Future increments are available for the later moves, but not yet for this one.
    let share = left / moves + increment * (moves - 1) / moves;
    // One move may take several shares, and leaves something for each of the others.
    let most = if moves == 1 { left } else { (share * 4).min(left / 2) };
    let hard = usable(most);
    Allotment { soft: (share / 2).min(hard), hard }
}

fn of_reserve(per_move: Duration, reserve: Duration, turn: Duration) -> Allotment {
    // The time of the move is used up: at best a part of what is saved is added to the reserve.
    let share = per_move + reserve / HORIZON;
    let most = (per_move + reserve / 4).min(turn);
    let hard = usable(most);
    Allotment { soft: (share / 2).min(hard), hard }
}

#[cfg(test)]
mod tests;

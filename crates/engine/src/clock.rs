//! A player's clock, and the time planned for a move.

use std::time::Duration;

use nutcracker_game::Side;
use thiserror::Error;

use crate::control::{GameLimit, Reserve, TimeControl};
use crate::grammar::Go;
use crate::time::time_text;

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

    /// The `go` parameters of a move: the clocks of both, first and second.
    pub fn go(clocks: &[Clock; 2], mover: Side) -> Go {
        let own = &clocks[usize::from(mover == Side::Second)];
        let both =
            |each: &dyn Fn(&Clock) -> Duration| clocks.each_ref().map(|clock| Some(each(clock)));
        let some = |time: Duration| (!time.is_zero()).then_some(time);
        match own.control {
            TimeControl::Move(time) => Go { movetime: Some(time), ..Go::default() },
            TimeControl::Game { increment, .. } => Go {
                left: both(&|clock| clock.left),
                increment: if increment.is_zero() { [None; 2] } else { [Some(increment); 2] },
                movestogo: own.moves_to_go(),
                ..Go::default()
            },
            TimeControl::Reserve(reserve) => Go {
                per_move: Some(reserve.per_move),
                reserve: both(&|clock| clock.left),
                percent: Some(reserve.percent),
                max_reserve: some(reserve.limit),
                max_turn: some(reserve.turn),
                ..Go::default()
            },
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
    /// After this, no new iteration is started.
    pub soft: Duration,
    /// After this, the move is played.
    pub hard: Duration,
}

/// Kept back at every move: the time between a decision and the stop of the clock.
pub const OVERHEAD: Duration = Duration::from_millis(20);

/// A game is planned to last this many more moves, at any stage.
const HORIZON: u32 = 24;

impl Allotment {
    /// The plan for a `go` command to the player of `side`; `None` where no clock runs.
    ///
    /// Never more than is available: [`hard`](Allotment::hard) leaves [`OVERHEAD`], or half where
    /// less than twice that is left.
    ///
    /// ```
    /// use std::time::Duration;
    /// use nutcracker_engine::Allotment;
    /// use nutcracker_engine::grammar::Go;
    /// use nutcracker_game::Side;
    ///
    /// let minute = Some(Duration::from_secs(60));
    /// let go = Go { left: [minute, None], ..Go::default() };
    /// let allotment = Allotment::of(&go, Side::First).unwrap();
    /// assert!(allotment.soft < Duration::from_secs(4));
    /// assert!(allotment.soft <= allotment.hard && allotment.hard < Duration::from_secs(15));
    /// assert_eq!(Allotment::of(&go, Side::Second), None);
    /// ```
    pub fn of(go: &Go, side: Side) -> Option<Self> {
        let place = usize::from(side == Side::Second);
        if go.infinite {
            return None;
        }
        if let Some(time) = go.movetime {
            let hard = usable(time);
            return Some(Allotment { soft: hard, hard });
        }
        if let Some(left) = go.left[place] {
            let increment = go.increment[place].unwrap_or_default();
            return Some(of_game(left, increment, go.movestogo));
        }
        if go.per_move.is_none() && go.reserve[place].is_none() {
            return None;
        }
        Some(of_reserve(
            go.per_move.unwrap_or_default(),
            go.reserve[place].unwrap_or_default(),
            go.max_turn.unwrap_or(Duration::MAX),
        ))
    }
}

/// The usable part of the time available.
fn usable(time: Duration) -> Duration {
    time.saturating_sub(OVERHEAD).max(time / 2)
}

fn of_game(left: Duration, increment: Duration, to_go: Option<u32>) -> Allotment {
    let moves = to_go.unwrap_or(HORIZON).clamp(1, HORIZON);
    // Future increments are available for the later moves, but not yet for this one.
    let share = left / moves + increment * (moves - 1) / moves;
    // One move may take several shares, and leaves something for each of the others.
    let most = if moves == 1 { left } else { (share * 4).min(left / 2) };
    let hard = usable(most);
    Allotment { soft: share.min(hard), hard }
}

fn of_reserve(per_move: Duration, reserve: Duration, turn: Duration) -> Allotment {
    // The time of the move is used up: at best a part of what is saved is added to the reserve.
    let share = per_move + reserve / HORIZON;
    let most = (per_move + reserve / 4).min(turn);
    let hard = usable(most);
    Allotment { soft: share.min(hard), hard }
}

#[cfg(test)]
mod tests;

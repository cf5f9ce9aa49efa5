//! Time controls, as text and as data.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::time::{HOUR, MINUTE, from_millis, number, parse_time, time_text};

/// The time of each player.
///
/// | text | meaning |
/// |---|---|
/// | `0.5s/move` | half a second for each move |
/// | `5m` | 5 minutes for the whole game |
/// | `5m+3s` | the same with an increment |
/// | `40/5m` | 5 minutes for every 40 moves |
/// | `40/5m+3s` | both |
/// | `arimaa:60s/5m/75/0/4h/4m` | see [`Reserve`] |
///
/// Times are written as [`parse_time`] reads them.
///
/// ```
/// use std::time::Duration;
/// use nutcracker_engine::TimeControl;
///
/// let control: TimeControl = "40/5m+3s".parse().unwrap();
/// let minutes = |m: u64| Duration::from_secs(60 * m);
/// assert_eq!(
///     control,
///     TimeControl::Game { time: minutes(5), increment: Duration::from_secs(3), moves: Some(40) }
/// );
/// assert_eq!(control.to_string(), "40/5m+3s");
/// assert!("soon".parse::<TimeControl>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// A fixed time for each move.
    Move(Duration),
    /// A time for the game or for each period of moves, and an increment.
    Game {
        /// The time.
        time: Duration,
        /// The increment for each move.
        increment: Duration,
        /// The moves of a period; `None` for the whole game.
        moves: Option<u32>,
    },
    /// A time a move and a reserve.
    Reserve(Reserve),
}

/// The controls of the Arimaa specification, M/R/P/L/G/T.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserve {
    /// M: the time of each move.
    pub per_move: Duration,
    /// R: the initial reserve.
    pub reserve: Duration,
    /// P: the percentage of a move's unused time that is added to the reserve.
    pub percent: u32,
    /// L: the maximum of the reserve; zero for no limit.
    pub limit: Duration,
    /// G: the limit of the game, after which it is counted.
    pub game: GameLimit,
    /// T: the maximum time of a move; zero for no limit.
    pub turn: Duration,
}

/// When a game is stopped and counted as it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameLimit {
    /// Never.
    None,
    /// After this time.
    Time(Duration),
    /// After this many moves of each player.
    Turns(u32),
}

/// Why a text is not a time control.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "{0:?} is not a time control; write 0.5s/move, 5m, 5m+3s, 40/5m or arimaa:60s/5m/75/0/4h/4m"
)]
pub struct ControlError(String);

impl FromStr for TimeControl {
    type Err = ControlError;

    fn from_str(text: &str) -> Result<Self, ControlError> {
        parse(text.trim()).ok_or_else(|| ControlError(nutcracker_game::shortened(text)))
    }
}

fn parse(text: &str) -> Option<TimeControl> {
    if let Some(rest) = text.strip_prefix("arimaa:") {
        return Reserve::parse(rest).map(TimeControl::Reserve);
    }
    if let Some(time) = text.strip_suffix("/move") {
        return positive(parse_time(time).ok()?).map(TimeControl::Move);
    }
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves.parse().ok().filter(|&moves| moves > 0)?), rest),
        None => (None, text),
    };
    let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let time = positive(parse_time(time).ok()?)?;
    Some(TimeControl::Game { time, increment: parse_time(increment).ok()?, moves })
}

fn positive(time: Duration) -> Option<Duration> {
    (time > Duration::ZERO).then_some(time)
}

impl Reserve {
    /// Parses M/R/P/L/G/T; all but M and R may be omitted.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split('/').collect();
        if !(2..=6).contains(&fields.len()) {
            return None;
        }
        let field = |place: usize, default| fields.get(place).copied().unwrap_or(default);
        let game = match field(4, "0").strip_suffix('t') {
            Some(turns) => match turns.parse().ok()? {
                0 => GameLimit::None,
                turns => GameLimit::Turns(turns),
            },
            None => match arimaa_time(field(4, "0"), HOUR)? {
                Duration::ZERO => GameLimit::None,
                time => GameLimit::Time(time),
            },
        };
        let reserve = Reserve {
            per_move: arimaa_time(field(0, ""), MINUTE)?,
            reserve: arimaa_time(field(1, ""), MINUTE)?,
            percent: field(2, "100").parse().ok().filter(|&percent| percent <= 100)?,
            limit: arimaa_time(field(3, "0"), MINUTE)?,
            game,
            turn: arimaa_time(field(5, "0"), MINUTE)?,
        };
        positive(reserve.per_move + reserve.reserve).map(|_| reserve)
    }
}

/// A time of the Arimaa specification: without units it counts in `unit`s, and after a colon in
/// 60ths of one, so that `1:30` is a minute and a half where minutes are expected.
fn arimaa_time(text: &str, unit: u64) -> Option<Duration> {
    let bare = match text.split_once(':') {
        Some((large, small)) => Some(number(large)? + number(small)? / 60.0),
        None => number(text),
    };
    match bare {
        Some(units) => from_millis(units * unit as f64),
        None => parse_time(text).ok(),
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Move(time) => write!(f, "{}/move", time_text(*time)),
            TimeControl::Game { time, increment, moves } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                f.write_str(&time_text(*time))?;
                if increment.is_zero() { Ok(()) } else { write!(f, "+{}", time_text(*increment)) }
            }
            TimeControl::Reserve(reserve) => {
                let game = match reserve.game {
                    GameLimit::None => "0s".to_owned(),
                    GameLimit::Time(time) => time_text(time),
                    GameLimit::Turns(turns) => format!("{turns}t"),
                };
                write!(
                    f,
                    "arimaa:{}/{}/{}/{}/{game}/{}",
                    time_text(reserve.per_move),
                    time_text(reserve.reserve),
                    reserve.percent,
                    time_text(reserve.limit),
                    time_text(reserve.turn),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    fn reserve(text: &str) -> Reserve {
        match text.parse() {
            Ok(TimeControl::Reserve(reserve)) => reserve,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn the_examples_of_the_specification() {
        let plain = Reserve {
            per_move: seconds(240),
            reserve: seconds(240),
            percent: 100,
            limit: seconds(240),
            game: GameLimit::None,
            turn: Duration::ZERO,
        };
        let none = Duration::ZERO;
        assert_eq!(
            reserve("arimaa:0/5"),
            Reserve { per_move: none, reserve: seconds(300), limit: none, ..plain }
        );
        assert_eq!(
            reserve("arimaa:0:12/5"),
            Reserve { per_move: seconds(12), reserve: seconds(300), limit: none, ..plain }
        );
        assert_eq!(reserve("arimaa:0:30/5/100/3").limit, seconds(180));
        let sixth = reserve("arimaa:4/4/100/4/6");
        assert_eq!(sixth, Reserve { game: GameLimit::Time(seconds(6 * 3600)), ..plain });
        let eighth = reserve("arimaa:4/4/100/4/90t/5");
        assert_eq!(eighth, Reserve { game: GameLimit::Turns(90), turn: seconds(300), ..plain });
        let postal = reserve("arimaa:24h5m10s/0/0/0/60d");
        assert_eq!(postal.per_move, seconds(24 * 3600 + 310));
        assert_eq!(postal.game, GameLimit::Time(seconds(60 * 86_400)));
        let classic = reserve("arimaa:60s/5m/75/0/4h/4m");
        assert_eq!((classic.percent, classic.turn), (75, seconds(240)));
    }

    #[test]
    fn invalid_controls_are_rejected() {
        for text in [
            "",
            "soon",
            "0s/move",
            "0",
            "5m+",
            "x/5m",
            "0/5m",
            "5m+3s+1s",
            "1e9d",
            "-5",
            "5x",
            "arimaa:",
            "arimaa:3",
            "arimaa:0/0",
            "arimaa:1/1/101",
            "arimaa:1/1/1/1/1/1/1",
            "5:m",
            "9999999d",
            "arimaa:1/1/50/0/t",
            "1s1",
            "NaN",
            "inf",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    fn time() -> impl Strategy<Value = Duration> {
        (1..200_000_000_u64).prop_map(Duration::from_millis)
    }

    proptest! {
        #[test]
        fn controls_are_read_back(
            a in time(), b in time(), moves in proptest::option::of(1..100_u32), kind in 0..3,
            (percent, turns) in (0..=100_u32, 1..200_u32),
        ) {
            let control = match kind {
                0 => TimeControl::Move(a),
                1 => TimeControl::Game { time: a, increment: b, moves },
                _ => TimeControl::Reserve(Reserve {
                    per_move: a, reserve: b, percent, limit: b, turn: a,
                    game: if percent % 2 == 0 { GameLimit::Turns(turns) } else { GameLimit::Time(a) },
                }),
            };
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }

        #[test]
        fn no_text_does_harm(text in "(arimaa:)?[0-9smhdt/:+.]{0,30}|.{0,20}") {
            let _ = text.parse::<TimeControl>();
        }
    }
}

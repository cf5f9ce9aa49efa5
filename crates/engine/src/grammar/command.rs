//! Lines from the user interface to the engine.

use std::fmt;
use std::time::Duration;

use super::{Words, one_line};

/// A line from the user interface to the engine.
///
/// ```
/// use nutcracker_engine::grammar::Command;
///
/// let line = "position 0,0,4,0,3,2/2,1,1,0,0,2 S 20-13 moves E3x5";
/// let command = Command::parse(line).unwrap();
/// assert_eq!(
///     command,
///     Command::Position {
///         start: Some("0,0,4,0,3,2/2,1,1,0,0,2 S 20-13".to_owned()),
///         moves: vec!["E3x5".to_owned()],
///     }
/// );
/// assert_eq!(command.to_string(), line);
/// assert_eq!(Command::parse("hello engine stop"), Some(Command::Stop));
/// assert_eq!(Command::parse("nothing of this"), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `uci`: handshake, answered by the identity and the options.
    Uci,
    /// `isready`: answered after all earlier commands.
    IsReady,
    /// `ucinewgame`: the following commands belong to another game.
    NewGame,
    /// `setoption name X value Y`.
    SetOption {
        /// The option.
        name: String,
        /// Its value; a button has none.
        value: Option<String>,
    },
    /// `position startpos|NOTATION [moves …]`.
    Position {
        /// The initial position; `None` for the start position.
        start: Option<String>,
        /// The moves since then.
        moves: Vec<String>,
    },
    /// `go …`: search.
    Go(Go),
    /// `stop`: stop the search and answer.
    Stop,
    /// `ponderhit`: the expected move was played, continue with the clock running.
    PonderHit,
    /// `quit`.
    Quit,
}

/// The parameters of `go`. Times are for the first and the second player.
///
/// ```
/// use std::time::Duration;
/// use nutcracker_engine::grammar::{Command, Go};
///
/// let go = Go { movetime: Some(Duration::from_millis(250)), ..Go::default() };
/// assert_eq!(Command::Go(go.clone()).to_string(), "go movetime 250");
/// assert_eq!(Command::parse("go movetime 250"), Some(Command::Go(go)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// At most this many plies.
    pub depth: Option<u32>,
    /// At most this many positions.
    pub nodes: Option<u64>,
    /// This time, independent of the clocks.
    pub movetime: Option<Duration>,
    /// Until `stop`.
    pub infinite: bool,
    /// During the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// The time left on the clocks (`wtime`, `btime`).
    pub left: [Option<Duration>; 2],
    /// The increments (`winc`, `binc`).
    pub increment: [Option<Duration>; 2],
    /// Moves until the next period.
    pub movestogo: Option<u32>,
    /// The time of each move before the reserve is used (`permove`).
    pub per_move: Option<Duration>,
    /// The reserves (`wreserve`, `breserve`).
    pub reserve: [Option<Duration>; 2],
    /// The percentage of a move's unused time that is added to the reserve.
    pub percent: Option<u32>,
    /// The maximum of the reserve (`maxreserve`).
    pub max_reserve: Option<Duration>,
    /// The maximum time of a move (`maxturn`).
    pub max_turn: Option<Duration>,
    /// The moves to search (`searchmoves`); all if there is none.
    pub searchmoves: Vec<String>,
}

impl Command {
    /// Parses a line; `None` if it has no meaning. Words before the first known one are ignored.
    pub fn parse(line: &str) -> Option<Command> {
        let mut words = Words::new(line);
        loop {
            return Some(match words.next()? {
                "uci" => Command::Uci,
                "isready" => Command::IsReady,
                "ucinewgame" => Command::NewGame,
                "setoption" => return set_option(words),
                "position" => return position(words),
                "go" => Command::Go(go(words)),
                "stop" => Command::Stop,
                "ponderhit" => Command::PonderHit,
                "quit" => Command::Quit,
                _ => continue,
            });
        }
    }
}

fn set_option(mut words: Words<'_>) -> Option<Command> {
    words.find(|word| *word == "name")?;
    let mut name = Vec::new();
    while let Some(word) = words.next() {
        if word == "value" {
            let value = Some(one_line(words.rest()));
            return (!name.is_empty()).then(|| Command::SetOption { name: name.join(" "), value });
        }
        name.push(word);
    }
    (!name.is_empty()).then(|| Command::SetOption { name: name.join(" "), value: None })
}

fn position(words: Words<'_>) -> Option<Command> {
    let mut start = Vec::new();
    let mut moves = Vec::new();
    let mut in_moves = false;
    for word in words {
        match word {
            "moves" if !in_moves => in_moves = true,
            _ if in_moves => moves.push(word.to_owned()),
            // Chess interfaces send this word before a position other than the start.
            "fen" if start.is_empty() => {}
            _ => start.push(word),
        }
    }
    let start = match start[..] {
        [] => return None,
        ["startpos"] => None,
        _ => Some(start.join(" ")),
    };
    Some(Command::Position { start, moves })
}

/// Milliseconds; a negative time, as some interfaces send it, is 0.
fn time(words: &mut Words<'_>) -> Option<Duration> {
    words.number::<i64>().map(|ms| Duration::from_millis(ms.max(0).cast_unsigned()))
}

fn go(mut words: Words<'_>) -> Go {
    let (mut go, mut in_moves) = (Go::default(), false);
    while let Some(word) = words.next() {
        let before_moves = std::mem::take(&mut in_moves);
        // A parameter without its number is ignored.
        match word {
            "depth" => go.depth = words.number(),
            // In plies; the last of the moves gives mate.
            "mate" => {
                go.depth = words.number().map(|moves: u32| moves.saturating_mul(2).max(2) - 1);
            }
            "nodes" => go.nodes = words.number(),
            "movetime" => go.movetime = time(&mut words),
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "wtime" => go.left[0] = time(&mut words),
            "btime" => go.left[1] = time(&mut words),
            "winc" => go.increment[0] = time(&mut words),
            "binc" => go.increment[1] = time(&mut words),
            "movestogo" => go.movestogo = words.number(),
            "permove" => go.per_move = time(&mut words),
            "wreserve" => go.reserve[0] = time(&mut words),
            "breserve" => go.reserve[1] = time(&mut words),
            "percent" => go.percent = words.number(),
            "maxreserve" => go.max_reserve = time(&mut words),
            "maxturn" => go.max_turn = time(&mut words),
            "searchmoves" => in_moves = true,
            // A list of moves ends at the next parameter.
            mv if before_moves => {
                go.searchmoves.push(mv.to_owned());
                in_moves = true;
            }
            _ => {}
        }
    }
    go
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        let times = [
            ("movetime", self.movetime),
            ("wtime", self.left[0]),
            ("btime", self.left[1]),
            ("winc", self.increment[0]),
            ("binc", self.increment[1]),
            ("permove", self.per_move),
            ("wreserve", self.reserve[0]),
            ("breserve", self.reserve[1]),
            ("maxreserve", self.max_reserve),
            ("maxturn", self.max_turn),
        ];
        let numbers = [
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("movestogo", self.movestogo.map(u64::from)),
            ("percent", self.percent.map(u64::from)),
        ];
        for (word, set) in [("ponder", self.ponder), ("infinite", self.infinite)] {
            if set {
                write!(f, " {word}")?;
            }
        }
        let times = times.map(|(word, time)| (word, time.map(|time| time.as_millis() as u64)));
        for (word, number) in numbers.into_iter().chain(times) {
            if let Some(number) = number {
                write!(f, " {word} {number}")?;
            }
        }
        if !self.searchmoves.is_empty() {
            write!(f, " searchmoves {}", self.searchmoves.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Uci => f.write_str("uci"),
            Command::IsReady => f.write_str("isready"),
            Command::NewGame => f.write_str("ucinewgame"),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {value}")
            }
            Command::Position { start, moves } => {
                write!(f, "position {}", start.as_deref().unwrap_or("startpos"))?;
                if !moves.is_empty() {
                    write!(f, " moves {}", moves.join(" "))?;
                }
                Ok(())
            }
            Command::Go(go) => go.fmt(f),
            Command::Stop => f.write_str("stop"),
            Command::PonderHit => f.write_str("ponderhit"),
            Command::Quit => f.write_str("quit"),
        }
    }
}

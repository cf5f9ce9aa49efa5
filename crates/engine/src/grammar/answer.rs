//! Lines from the engine to the user interface.

use std::fmt;
use std::time::Duration;

use nutcracker_game::{Metric, Score};
use nutcracker_search::{Kind, Worth};

use super::{Words, one_line};
use crate::dialect::NULL_MOVE;
use crate::{OptionKind, PlayerOption};

/// A line from the engine to the user interface.
///
/// ```
/// use nutcracker_engine::grammar::{Answer, Bound};
///
/// let line = "info depth 14 score cp 300 lowerbound proven nodes 5021 pv E3x5 a2";
/// let Some(Answer::Info(info)) = Answer::parse(line) else { panic!() };
/// let score = info.score.unwrap();
/// assert_eq!((score.hundredths, score.bound, score.proven), (300, Bound::Lower, true));
/// assert_eq!(info.to_string(), line);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// `id name …`.
    Name(String),
    /// `id author …`.
    Author(String),
    /// `option name …`.
    Option(PlayerOption),
    /// `uciok`: the end of the handshake.
    UciOk,
    /// `readyok`.
    ReadyOk,
    /// `info …`.
    Info(Info),
    /// `bestmove … [ponder …]`.
    BestMove {
        /// The move; `None` in a terminal position, written `(none)` and by Aalina `0000`.
        best: Option<String>,
        /// The expected reply.
        ponder: Option<String>,
    },
}

/// The meaning of the number of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bound {
    /// It is the score.
    #[default]
    Exact,
    /// The score is at least this.
    Lower,
    /// The score is at most this.
    Upper,
}

/// A score in the protocol: for the side to move, from here on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WireScore {
    /// Hundredths of a point.
    pub hundredths: i32,
    /// The meaning of the number.
    pub bound: Bound,
    /// Whether it rests on rules and databases alone, or on a guess.
    pub proven: bool,
    /// The winner's moves to the end of the game, negative where the side to move loses. It is
    /// written instead of the hundredths.
    pub mate: Option<i32>,
}

impl From<Worth> for WireScore {
    fn from(worth: Worth) -> Self {
        let bound = match worth.kind() {
            Kind::AtLeast => Bound::Lower,
            Kind::AtMost => Bound::Upper,
            Kind::Exact | Kind::Guess => Bound::Exact,
        };
        let hundredths = worth.hundredths();
        let counted = worth.distance.filter(|distance| distance.metric == Metric::Dtw);
        let mate = counted.map(|distance| i32::from(distance.moves) * hundredths.signum());
        WireScore { hundredths, bound, proven: worth.is_proven(), mate }
    }
}

impl From<WireScore> for Worth {
    /// A bound that is not proven is a guess.
    fn from(score: WireScore) -> Self {
        let WireScore { hundredths, bound, proven, .. } = score;
        let whole = Score::try_from(hundredths / 100).ok().filter(|_| hundredths % 100 == 0);
        match (whole.filter(|_| proven), bound) {
            (Some(score), Bound::Exact) => Worth::exact(score),
            (Some(score), Bound::Lower) => Worth::at_least(score),
            (Some(score), Bound::Upper) => Worth::at_most(score),
            (None, _) => Worth::guess(hundredths),
        }
    }
}

/// A report of a running search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Which of several lines it is about, from 1 for the best.
    pub multipv: Option<u32>,
    /// The score.
    pub score: Option<WireScore>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Positions a second.
    pub nps: Option<u64>,
    /// Time so far.
    pub time: Option<Duration>,
    /// How full the transposition table is, in thousandths.
    pub hashfull: Option<u32>,
    /// Database hits.
    pub tbhits: Option<u64>,
    /// The principal variation.
    pub pv: Vec<String>,
    /// Anything else, for people.
    pub text: Option<String>,
}

impl Answer {
    /// Parses a line; `None` if it has no meaning.
    pub fn parse(line: &str) -> Option<Answer> {
        let mut words = Words::new(line);
        loop {
            return Some(match words.next()? {
                "id" => match words.next()? {
                    "name" => Answer::Name(one_line(words.rest())),
                    "author" => Answer::Author(one_line(words.rest())),
                    _ => return None,
                },
                "option" => Answer::Option(option(words)?),
                "uciok" => Answer::UciOk,
                "readyok" => Answer::ReadyOk,
                "info" => Answer::Info(info(words)),
                "bestmove" => {
                    let best = words.next()?;
                    let best = (best != "(none)" && best != NULL_MOVE).then(|| best.to_owned());
                    let ponder = (words.next() == Some("ponder")).then(|| words.next()).flatten();
                    Answer::BestMove { best, ponder: ponder.map(ToOwned::to_owned) }
                }
                _ => continue,
            });
        }
    }
}

fn info(mut words: Words<'_>) -> Info {
    let mut info = Info::default();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.number(),
            "multipv" => info.multipv = words.number(),
            "score" => info.score = score(&mut words),
            "nodes" => info.nodes = words.number(),
            "nps" => info.nps = words.number(),
            "time" => info.time = words.number().map(Duration::from_millis),
            "hashfull" => info.hashfull = words.number(),
            "tbhits" => info.tbhits = words.number(),
            "string" => {
                info.text = Some(one_line(words.rest()));
                break;
            }
            "pv" => {
                // The principal variation comes last, except for comments.
                while let Some(mv) = words.next() {
                    if mv == "string" {
                        info.text = Some(one_line(words.rest()));
                        return info;
                    }
                    info.pv.push(mv.to_owned());
                }
            }
            _ => {}
        }
    }
    info
}

/// Larger than any score, for engines that count moves to mate.
const MATE: i32 = 12_700;

fn score(words: &mut Words<'_>) -> Option<WireScore> {
    let mut score = match words.next()? {
        "cp" => WireScore { hundredths: words.number()?, ..WireScore::default() },
        "mate" => {
            // Mated already is mate in 0.
            let moves: i32 = words.number()?;
            let hundredths = if moves > 0 { MATE } else { -MATE };
            WireScore { hundredths, mate: Some(moves), ..WireScore::default() }
        }
        _ => return None,
    };
    loop {
        let mut ahead = words.clone();
        match ahead.next() {
            Some("lowerbound") => score.bound = Bound::Lower,
            Some("upperbound") => score.bound = Bound::Upper,
            Some("proven") => score.proven = true,
            _ => return Some(score),
        }
        *words = ahead;
    }
}

fn option(words: Words<'_>) -> Option<PlayerOption> {
    // A value extends to the next of these words.
    const WORDS: [&str; 6] = ["name", "type", "default", "min", "max", "var"];
    let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in words {
        // A repeated keyword is part of a value; only `var` may repeat.
        if WORDS.contains(&word) && (word == "var" || fields.iter().all(|(key, _)| *key != word)) {
            fields.push((word, Vec::new()));
        } else {
            fields.last_mut()?.1.push(word);
        }
    }
    let field = |key| {
        let found = fields.iter().find(|(word, _)| *word == key);
        found.map(|(_, value)| value.join(" "))
    };
    let name = field("name").filter(|name| !name.is_empty())?;
    let default = field("default");
    let number = |key| field(key).and_then(|text| text.parse().ok());
    let kind = match field("type")?.as_str() {
        "check" => OptionKind::Switch { default: default.as_deref() == Some("true") },
        "spin" => OptionKind::Number {
            default: number("default")?,
            min: number("min").unwrap_or(i64::MIN),
            max: number("max").unwrap_or(i64::MAX),
        },
        "combo" => OptionKind::Choice {
            default: default.unwrap_or_default(),
            choices: fields
                .iter()
                .filter(|(key, _)| *key == "var")
                .map(|(_, value)| value.join(" "))
                .collect(),
        },
        "button" => OptionKind::Action,
        "string" => OptionKind::Text {
            default: default.filter(|text| text != "<empty>").unwrap_or_default(),
        },
        _ => return None,
    };
    Some(PlayerOption { name, kind })
}

impl fmt::Display for WireScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate {
            Some(moves) => write!(f, "mate {moves}")?,
            None => write!(f, "cp {}", self.hundredths)?,
        }
        f.write_str(match self.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        })?;
        f.write_str(if self.proven { " proven" } else { "" })
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        if let Some(depth) = self.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(multipv) = self.multipv {
            write!(f, " multipv {multipv}")?;
        }
        if let Some(score) = self.score {
            write!(f, " score {score}")?;
        }
        let numbers = [
            ("nodes", self.nodes),
            ("nps", self.nps),
            ("time", self.time.map(|time| time.as_millis() as u64)),
            ("hashfull", self.hashfull.map(u64::from)),
            ("tbhits", self.tbhits),
        ];
        for (word, number) in numbers {
            if let Some(number) = number {
                write!(f, " {word} {number}")?;
            }
        }
        if !self.pv.is_empty() {
            write!(f, " pv {}", self.pv.join(" "))?;
        }
        if let Some(text) = &self.text {
            write!(f, " string {}", one_line(text))?;
        }
        Ok(())
    }
}

fn write_option(f: &mut fmt::Formatter<'_>, option: &PlayerOption) -> fmt::Result {
    write!(f, "option name {} type ", option.name)?;
    match &option.kind {
        OptionKind::Switch { default } => write!(f, "check default {default}"),
        OptionKind::Number { default, min, max } => {
            write!(f, "spin default {default} min {min} max {max}")
        }
        OptionKind::Choice { default, choices } => {
            write!(f, "combo default {default}")?;
            choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
        }
        OptionKind::Action => f.write_str("button"),
        OptionKind::Text { default } if default.is_empty() => f.write_str("string default <empty>"),
        OptionKind::Text { default } => write!(f, "string default {default}"),
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Name(name) => write!(f, "id name {name}"),
            Answer::Author(author) => write!(f, "id author {author}"),
            Answer::Option(option) => write_option(f, option),
            Answer::UciOk => f.write_str("uciok"),
            Answer::ReadyOk => f.write_str("readyok"),
            Answer::Info(info) => info.fmt(f),
            Answer::BestMove { best, ponder } => {
                write!(f, "bestmove {}", best.as_deref().unwrap_or("(none)"))?;
                ponder.as_ref().map_or(Ok(()), |ponder| write!(f, " ponder {ponder}"))
            }
        }
    }
}

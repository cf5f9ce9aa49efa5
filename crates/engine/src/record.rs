//! The record of a game as text.
//!
//! Tags in brackets, then the moves, each with its number and, in braces, its annotations:
//!
//! ```text
//! [Game "awari"]
//! [Options "pits=6"]
//! [First "depth=6"]
//! [Second "level=3"]
//! [Position "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"]
//! [Result "1-0"]
//! [Score "28-20"]
//! [Termination "the game is over"]
//!
//! 1. F4 {[%value guess 0.35] [%time 0.120]} 2. c4 3. E5x2 {[%value exact 3] a trap} 1-0
//! ```
//!
//! Values are for the side that moved, from before the move on: `exact`, `at-least` and `at-most`
//! are proven, `guess` is not, and several may be combined (`[%value at-least 0 guess 0.35]`);
//! `dtw` and `dtc` add the number of the winner's moves. Moves are numbered one by one, because in
//! some games a side moves twice; readers ignore the numbers. A file may hold many records, one
//! after the other.

use std::cmp::Ordering;
use std::fmt;
use std::time::Duration;

use nutcracker_game::{Metric, Score};
use nutcracker_search::{Distance, Kind, Worth};
use thiserror::Error;

use crate::transcript::pdn;

/// A recorded game. It is independent of the rules: positions and moves are text.
///
/// ```
/// use nutcracker_engine::record::{Record, RecordedMove};
///
/// let mut record = Record::default();
/// record.set("Game", "awari");
/// record.moves.push(RecordedMove::new("F4"));
/// let text = record.to_string();
/// assert_eq!(Record::parse_all(&text), Ok(vec![record]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Names and values, in order.
    pub tags: Vec<(String, String)>,
    /// The moves.
    pub moves: Vec<RecordedMove>,
    /// The result.
    pub outcome: Outcome,
}

/// A move with its annotations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecordedMove {
    /// Its name.
    pub name: String,
    /// The mover's evaluation of the position before it.
    pub value: Option<Worth>,
    /// The time of the move.
    pub time: Option<Duration>,
    /// Anything else.
    pub comment: Option<String>,
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Outcome {
    /// The first player.
    First,
    /// The second.
    Second,
    /// A draw.
    Draw,
    /// Unknown.
    #[default]
    Open,
}

/// Why a text is not a record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {what}")]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// The reason.
    pub what: String,
}

impl RecordedMove {
    /// A move without annotations.
    pub fn new(name: impl Into<String>) -> Self {
        RecordedMove { name: name.into(), ..RecordedMove::default() }
    }

    /// Adds a comment; characters that a comment cannot hold are dropped.
    #[must_use]
    pub fn with_comment(mut self, text: &str) -> Self {
        let text = text.replace(['{', '}', '['], "(").replace(']', ")");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.comment = (!text.is_empty()).then_some(text);
        self
    }
}

impl Outcome {
    /// The result by the first player's margin.
    pub fn of_margin(margin: i32) -> Self {
        match margin.signum() {
            1 => Outcome::First,
            0 => Outcome::Draw,
            _ => Outcome::Second,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "1-0" => Outcome::First,
            "0-1" => Outcome::Second,
            "1/2-1/2" => Outcome::Draw,
            "*" => Outcome::Open,
            _ => return None,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::First => "1-0",
            Outcome::Second => "0-1",
            Outcome::Draw => "1/2-1/2",
            Outcome::Open => "*",
        })
    }
}

/// The comment of a move that belongs to the opening of a match.
pub(crate) const OPENING: &str = "opening";

impl Record {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, at the end if it is new.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => *old = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }

    /// How many of the first moves were not chosen by the players, but are the opening of a match.
    pub fn opening(&self) -> usize {
        let given = |mv: &&RecordedMove| {
            mv.comment.as_ref().is_some_and(|comment| comment.starts_with(OPENING))
        };
        self.moves.iter().take_while(given).count()
    }

    /// All records of a text, in order. Games in the notations of other programs are read by
    /// [`Transcript`](crate::Transcript).
    pub fn parse_all(text: &str) -> Result<Vec<Record>, RecordError> {
        Ok(locate_all(text)?.into_iter().map(|located| located.record).collect())
    }
}

/// A record, and the lines of the text it stands on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Located {
    pub record: Record,
    /// Of each tag.
    pub tag_lines: Vec<usize>,
    /// Of each move.
    pub move_lines: Vec<usize>,
}

/// All records of a text with tags, in order.
pub(crate) fn locate_all(text: &str) -> Result<Vec<Located>, RecordError> {
    let mut reader = Reader { text, at: 0, line: 1, counted: 0 };
    let mut records: Vec<Located> = Vec::new();
    // Tags and moves of the current record; a tag after moves begins another.
    let mut open: Option<Located> = None;
    while let Some(token) = reader.token()? {
        let line = reader.line;
        match token {
            Token::Tag(name, value) => {
                if open.as_ref().is_some_and(|open| !open.record.moves.is_empty()) {
                    records.extend(open.take());
                }
                let Located { record, tag_lines, .. } = open.get_or_insert_default();
                if name == "Result" {
                    let outcome = Outcome::parse(&value).or_else(|| outcome_of_points(&value));
                    record.outcome = outcome.unwrap_or_default();
                }
                record.tags.push((name, value));
                tag_lines.push(line);
            }
            Token::Comment(text) => {
                let Located { record, tag_lines, .. } = open.get_or_insert_default();
                if let Some(mv) = record.moves.last_mut() {
                    mv.read(&text);
                } else {
                    record.tags.push(("Comment".to_owned(), text));
                    tag_lines.push(line);
                }
            }
            Token::Word(word) => {
                let is_ours = open.as_ref().is_some_and(|open| open.record.tag("Game").is_some());
                // In draughts a move looks like a result by points, a wrong one too.
                let is_move = match &open {
                    Some(open) if !open.record.moves.is_empty() => {
                        pdn::is_game(&open.record) && !pdn::is_result(word)
                    }
                    Some(open) => pdn::is_move(word) && pdn::is_game(&open.record),
                    None => pdn::is_move(word),
                };
                // Chess players castle so.
                let castles = word == "0-0"
                    && open.as_ref().is_some_and(|open| {
                        !open.record.moves.is_empty() && !pdn::is_game(&open.record)
                    });
                let is_move = is_move || castles;
                let points = || outcome_of_points(word).filter(|_| !is_ours && !is_move);
                if let Some(outcome) = Outcome::parse(word).or_else(points) {
                    let mut located = open.take().unwrap_or_default();
                    located.record.outcome = outcome;
                    records.push(located);
                } else if !is_number(word) {
                    let Located { record, move_lines, .. } = open.get_or_insert_default();
                    record.moves.push(RecordedMove::new(word));
                    move_lines.push(line);
                }
            }
            Token::Aside => {}
        }
    }
    records.extend(open);
    Ok(records)
}

/// The result of a game by points as other programs write it: `28-20`, `24.5-23.5`.
fn outcome_of_points(text: &str) -> Option<Outcome> {
    let is_number = |text: &str| {
        let whole = text.strip_suffix(".5").unwrap_or(text);
        (1..6).contains(&whole.len()) && whole.bytes().all(|b| b.is_ascii_digit())
    };
    let (first, second) = text.split_once('-')?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|_| is_number(text));
    Some(match number(first)?.total_cmp(&number(second)?) {
        Ordering::Greater => Outcome::First,
        Ordering::Equal => Outcome::Draw,
        Ordering::Less => Outcome::Second,
    })
}

/// `12.` and `12...`.
fn is_number(word: &str) -> bool {
    let digits = word.trim_end_matches('.');
    digits.len() < word.len() && digits.bytes().all(|b| b.is_ascii_digit())
}

impl RecordedMove {
    /// Parses its annotations in braces.
    fn read(&mut self, text: &str) {
        let mut words = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("[%") {
            words.extend(before.split_whitespace());
            let (inside, after) = after.split_once(']').unwrap_or((after, ""));
            let notes: Vec<&str> = inside.split_whitespace().collect();
            match notes[..] {
                ["value", ref pairs @ ..] => self.value = value(pairs).or(self.value),
                ["time", seconds] => self.time = time(seconds).or(self.time),
                _ => {}
            }
            rest = after;
        }
        words.extend(rest.split_whitespace());
        let before = self.comment.take().unwrap_or_default();
        let all: Vec<&str> = before.split_whitespace().chain(words).collect();
        let all = all.join(" ");
        *self = std::mem::take(self).with_comment(&all);
    }
}

/// Parses pairs of a kind and a number; `None` unless all of them are valid.
fn value(pairs: &[&str]) -> Option<Worth> {
    let mut worth = Worth::default();
    let (pairs, []) = pairs.as_chunks::<2>() else { return None };
    for &[kind, number] in pairs {
        if let Some(metric) = kind.parse().ok().filter(|metric: &Metric| metric.is_distance()) {
            worth.distance = Some(Distance::new(number.parse().ok()?, metric));
            continue;
        }
        let points = number.parse::<f64>().ok().filter(|points| points.abs() < 1e6)?;
        let hundredths = (points * 100.0).round() as i32;
        let score = || Score::try_from(hundredths / 100).ok().filter(|_| hundredths % 100 == 0);
        match kind.parse().ok()? {
            Kind::Exact => (worth.lower, worth.upper) = (Some(score()?), Some(score()?)),
            Kind::AtLeast => worth.lower = Some(score()?),
            Kind::AtMost => worth.upper = Some(score()?),
            Kind::Guess => worth.guess = Some(hundredths),
        }
    }
    (worth != Worth::default()).then_some(worth)
}

/// Formats what [`value`] parses.
fn pairs(worth: Worth) -> String {
    let pair = |kind: Kind, score: Score| format!(" {} {score}", kind.name());
    let mut pairs = Vec::new();
    if let Some(score) = worth.score() {
        pairs.push(pair(Kind::Exact, score));
    } else {
        pairs.extend(worth.lower.map(|score| pair(Kind::AtLeast, score)));
        pairs.extend(worth.upper.map(|score| pair(Kind::AtMost, score)));
    }
    pairs.extend(worth.guess.map(|guess| format!(" guess {}", f64::from(guess) / 100.0)));
    let distance = worth.distance.filter(|distance| !distance.or_one_more);
    pairs.extend(distance.map(|Distance { moves, metric, .. }| format!(" {metric} {moves}")));
    pairs.concat()
}

fn time(seconds: &str) -> Option<Duration> {
    let seconds = seconds.parse::<f64>().ok().filter(|seconds| (0.0..1e9).contains(seconds))?;
    Some(Duration::from_millis((seconds * 1000.0).round() as u64))
}

enum Token<'a> {
    Tag(String, String),
    Comment(String),
    Word(&'a str),
    /// A variation or a glyph, which other programs write: no part of the game.
    Aside,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The line of the last token, and how far lines are counted.
    line: usize,
    counted: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, what: &str) -> RecordError {
        RecordError { line: self.line, what: what.to_owned() }
    }

    fn token(&mut self) -> Result<Option<Token<'a>>, RecordError> {
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        self.at = start;
        self.line += self.text[self.counted..start].matches('\n').count();
        self.counted = start;
        if rest.is_empty() {
            return Ok(None);
        }
        if let Some(inside) = rest.strip_prefix('{') {
            let Some((comment, _)) = inside.split_once('}') else {
                return Err(self.error("a comment is opened with '{' and never closed"));
            };
            self.at = start + comment.len() + 2;
            return Ok(Some(Token::Comment(comment.to_owned())));
        }
        // To the end of the line, as in PGN.
        let begins_line = self.text[..start].ends_with('\n') || start == 0;
        if rest.starts_with(';') || begins_line && rest.starts_with('%') {
            let end = rest.find('\n').unwrap_or(rest.len());
            self.at = start + end;
            return Ok(Some(match rest[..end].strip_prefix(';') {
                Some(comment) => Token::Comment(comment.trim().to_owned()),
                None => Token::Aside,
            }));
        }
        if rest.starts_with('(') {
            return self.variation(rest, start).map(Some);
        }
        if rest.starts_with('[') {
            return self.tag(rest).map(Some);
        }
        let ends = |c: char| c.is_whitespace() || c == '{' || c == '(';
        let end = rest.find(ends).unwrap_or(rest.len());
        // `1.F4` is a number and a move.
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let dots = rest[digits..].bytes().take_while(|&b| b == b'.').count();
        let is_number = digits > 0 && dots > 0 && outcome_of_points(&rest[..end]).is_none();
        let end = if is_number { digits + dots } else { end };
        self.at = start + end;
        let word = &rest[..end];
        let glyph = word.strip_prefix('$').filter(|number| !number.is_empty());
        let is_glyph = glyph.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
            // After a capture in passing.
            || word == "e.p.";
        Ok(Some(if is_glyph { Token::Aside } else { Token::Word(word) }))
    }

    /// A variation in parentheses, with those inside it.
    fn variation(&mut self, rest: &str, start: usize) -> Result<Token<'a>, RecordError> {
        let (mut depth, mut in_comment) = (0, false);
        for (place, letter) in rest.char_indices() {
            match letter {
                '{' => in_comment = true,
                '}' => in_comment = false,
                '(' if !in_comment => depth += 1,
                ')' if !in_comment => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at = start + place + 1;
                return Ok(Token::Aside);
            }
        }
        Err(self.error("a variation is opened with '(' and never closed"))
    }

    /// `[Name "value"]`, with `\"` and `\\` inside the value.
    fn tag(&mut self, rest: &str) -> Result<Token<'a>, RecordError> {
        let wrong = || self.error("a tag is written [Name \"value\"]");
        let (name, quoted) = rest[1..].split_once('"').ok_or_else(wrong)?;
        let name = name.trim();
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') {
            return Err(wrong());
        }
        let mut value = String::new();
        let mut letters = quoted.char_indices();
        while let Some((place, letter)) = letters.next() {
            match letter {
                '"' => {
                    let after = quoted[place + 1..].trim_start();
                    let Some(after) = after.strip_prefix(']') else { return Err(wrong()) };
                    self.at = self.text.len() - after.len();
                    return Ok(Token::Tag(name.to_owned(), value));
                }
                '\n' => break,
                '\\' => value.extend(letters.next().map(|(_, letter)| letter)),
                letter => value.push(letter),
            }
        }
        Err(wrong())
    }
}

/// Lines are no longer than this where words allow it.
const WIDTH: usize = 80;

impl fmt::Display for RecordedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let mut notes = Vec::new();
        if let Some(worth) = self.value {
            notes.push(format!("[%value{}]", pairs(worth)));
        }
        if let Some(time) = self.time {
            notes.push(format!("[%time {:.3}]", time.as_secs_f64()));
        }
        notes.extend(self.comment.clone());
        if notes.is_empty() { Ok(()) } else { write!(f, " {{{}}}", notes.join(" ")) }
    }
}

/// Writes a line of a tag.
pub(crate) fn write_tag(out: &mut impl fmt::Write, name: &str, value: &str) -> fmt::Result {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
    writeln!(out, "[{name} \"{value}\"]")
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            write_tag(f, name, value)?;
        }
        if !self.tags.is_empty() {
            writeln!(f)?;
        }
        let numbered = self.moves.iter().zip(1..).map(|(mv, number)| format!("{number}. {mv}"));
        write_lines(f, numbered.chain([self.outcome.to_string()]))
    }
}

/// Writes the moves of a game in lines.
pub(crate) fn write_lines(
    out: &mut impl fmt::Write,
    pieces: impl Iterator<Item = String>,
) -> fmt::Result {
    let mut column = 0;
    for piece in pieces {
        // Lines are broken at single blanks only, so that every word stays in one piece.
        for word in piece.split(' ') {
            let width = word.chars().count();
            if column > 0 && column + 1 + width > WIDTH {
                writeln!(out)?;
                column = 0;
            }
            if column > 0 {
                out.write_str(" ")?;
                column += 1;
            }
            out.write_str(word)?;
            column += width;
        }
    }
    writeln!(out)
}

//! Values of positions as lines of CSV or JSON, for programs.

use std::io::Write;

use clap::ValueEnum;
use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Rules, Situation};
use nutcracker_search::{Probed, Worth};
use nutcracker_table::TableSet;
use serde::Serialize;
use serde_json::Value;

use crate::args::Subject;
use crate::outcome::result_json;

/// Decoded values kept in memory: positions in no order touch every block of a slice.
pub const CACHE: u64 = 256 << 20;

/// What separates the fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LineFormat {
    /// One line a position, after a line with the names of the columns
    Csv,
    /// One object a line
    Json,
}

/// A line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    position: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Worth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'a str>,
}

/// A position with its value, or the reason why it has none.
pub type Answer = Result<(Situation<AnyPosition>, Worth), String>;

/// The value of a position in the databases.
pub fn look_up(game: &AnyGame, set: &TableSet, subject: &Subject, text: &str) -> Answer {
    let situation = game.parse(text).map_err(|error| error.to_string())?;
    match Probed::probe(game, set, &situation.position) {
        Ok(probed) => Ok((situation, probed.worth)),
        Err(error) => Err(subject.explain(game, error).into_sentence()),
    }
}

impl LineFormat {
    /// What comes before all lines.
    pub fn head(self) -> &'static str {
        match self {
            LineFormat::Csv => "position,score,lower,upper,distance,problem\n",
            LineFormat::Json => "",
        }
    }

    /// Writes the line of a position.
    pub fn write(self, game: &AnyGame, text: &str, answer: &Answer, out: &mut Vec<u8>) {
        match self {
            LineFormat::Csv => write_csv(text, answer, out),
            LineFormat::Json => {
                let known = answer.as_ref().ok();
                let line = Line {
                    position: text,
                    value: known.map(|(_, worth)| *worth),
                    result: known
                        .and_then(|(situation, worth)| result_json(game, situation, *worth)),
                    problem: answer.as_ref().err().map(String::as_str),
                };
                // Texts and numbers can always be written, and memory takes all.
                let _ = serde_json::to_writer(&mut *out, &line);
                out.push(b'\n');
            }
        }
    }
}

fn write_csv(text: &str, answer: &Answer, out: &mut Vec<u8>) {
    write_field(text, out);
    match answer {
        Ok((_, worth)) => {
            for number in [worth.score(), worth.lower, worth.upper] {
                out.push(b',');
                if let Some(number) = number {
                    let _ = write!(out, "{number}");
                }
            }
            out.push(b',');
            if let Some(distance) = worth.distance {
                let _ = write!(out, "{}", distance.moves);
            }
            out.push(b',');
        }
        Err(problem) => {
            out.extend_from_slice(b",,,,,");
            write_field(problem, out);
        }
    }
    out.push(b'\n');
}

/// A field of CSV, in quotes: a line that does not begin with one is a bare position.
fn write_field(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// The position of a line of input: the whole line, or its first field where that is in quotes, so
/// that CSV written here can be read again. `None` where the line has none.
pub fn position_of(line: &str) -> Option<String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with("position,") {
        return None;
    }
    let Some(quoted) = line.strip_prefix('"') else { return Some(line.to_owned()) };
    let mut field = String::new();
    let mut rest = quoted.chars().peekable();
    while let Some(c) = rest.next() {
        // Two quotes stand for one.
        if c == '"' && rest.next_if_eq(&'"').is_none() {
            break;
        }
        field.push(c);
    }
    Some(field)
}

#[cfg(test)]
mod tests {
    use super::{position_of, write_field};

    #[test]
    fn fields_are_read_as_they_are_written() {
        for text in ["a", "1,2/3,4 S", "say \"x\", twice", "\"", "x y", ""] {
            let mut line = Vec::new();
            write_field(text, &mut line);
            line.extend_from_slice(b",3,3,3,,\n");
            let line = String::from_utf8(line).unwrap();
            assert_eq!(position_of(&line).as_deref(), Some(text));
        }
        assert_eq!(position_of("  4,4/4,4 S \r").as_deref(), Some("4,4/4,4 S"));
        assert_eq!(position_of(" "), None);
        assert_eq!(position_of("position,score,lower,upper,distance,problem"), None);
    }
}

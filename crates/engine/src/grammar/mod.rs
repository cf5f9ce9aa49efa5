//! The lines of the protocol: commands of a user interface ([`Command`]) and answers of an engine
//! ([`Answer`]), parsed and formatted.
//!
//! Parsing never fails: a line without meaning gives `None`, an unknown word inside a line is
//! ignored, as the protocol requires.

mod answer;
mod command;

pub use answer::{Answer, Bound, Info, WireScore};
pub use command::{Command, Go};

/// The words of a line, and the rest after each of them.
#[derive(Clone, Debug)]
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn new(line: &'a str) -> Self {
        Words { rest: line.trim() }
    }

    /// The unread rest.
    fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next word as a number; not consumed if it is none.
    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        let mut ahead = self.clone();
        let number = ahead.next()?.parse().ok()?;
        *self = ahead;
        Some(number)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        if rest.is_empty() {
            self.rest = rest;
            return None;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        self.rest = after.trim();
        Some(word)
    }
}

/// A text with all white space reduced to single spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

//! The lines of the protocol: what a user interface says ([`Command`]) and what an engine answers
//! ([`Answer`]), read and written.
//!
//! Reading never fails loudly: a line that means nothing gives `None`, a word that means nothing
//! inside a line is passed over, as the protocol asks.

mod answer;
mod command;

pub use answer::{Answer, Bound, Info, OptionKind, OptionLine, WireScore};
pub use command::{Command, Go};

/// The words of a line, and what follows each of them.
#[derive(Clone, Debug)]
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn new(line: &'a str) -> Self {
        Words { rest: line.trim() }
    }

    /// What has not been read.
    fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next word as a number, read only if it is one.
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

/// A text in which every blank is one space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

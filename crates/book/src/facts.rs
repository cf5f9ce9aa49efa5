//! Facts about a whole book.

use std::fmt::Write;

use crate::error::{BookError, Result};
use crate::node::NodeId;
use crate::value::Hundredths;

/// The version of the whole file.
const VERSION: u32 = 1;

/// The parameters of costs, on which every node's costs depend.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tuning {
    /// Plies of depth that a point of value is worth to the opponent; larger values keep the book
    /// closer to the best moves.
    pub omega: f64,
    /// With fractional depth: the difference between the best and the second best move, in
    /// hundredths, from which on a move counts as forced and its depth hardly at all.
    pub fractional: Option<Hundredths>,
}

impl Default for Tuning {
    /// ω of 1, whole depths.
    fn default() -> Self {
        Tuning { omega: 1.0, fractional: None }
    }
}

/// Facts about a whole book.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// Game and options.
    pub game: String,
    /// The start position's node.
    pub root: NodeId,
    /// The id of the next node.
    pub next: NodeId,
    /// Nodes.
    pub nodes: u64,
    /// Nodes with all their moves.
    pub interior: u64,
    /// Nodes whose value is proven.
    pub solved: u64,
    /// Expansions so far.
    pub expansions: u64,
    /// Moves since the last search for cycles that may have closed one.
    pub closing: u64,
    /// The parameters of costs.
    pub tuning: Tuning,
    /// Whether [costs for best-first](crate::node::CostKind::Best) are kept, which every expansion
    /// pays for: from their first use on.
    pub best: bool,
}

impl Facts {
    /// The facts of an empty book.
    pub fn new(game: String) -> Self {
        Facts {
            game,
            root: 0,
            next: 0,
            nodes: 0,
            interior: 0,
            solved: 0,
            expansions: 0,
            closing: 0,
            tuning: Tuning::default(),
            best: false,
        }
    }

    /// As lines of text.
    pub fn encode(&self) -> Vec<u8> {
        let mut text = format!("format={VERSION}\ngame={}\n", self.game);
        let numbers = [
            ("root", self.root),
            ("next", self.next),
            ("nodes", self.nodes),
            ("interior", self.interior),
            ("solved", self.solved),
            ("expansions", self.expansions),
            ("closing", self.closing),
            ("best", self.best.into()),
            ("fractional", self.tuning.fractional.map_or(0, |f| f.max(1) as u64)),
        ];
        for (name, number) in numbers {
            let _ = writeln!(text, "{name}={number}");
        }
        let _ = writeln!(text, "omega={}", self.tuning.omega);
        text.into_bytes()
    }

    /// Reads what [`encode`](Facts::encode) wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let damaged = || BookError::Corrupt("its facts cannot be read".to_owned());
        let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
        let get = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
                .ok_or_else(damaged)
        };
        let number = |name: &str| get(name)?.parse::<u64>().map_err(|_| damaged());
        let version = number("format")? as u32;
        if version > VERSION {
            return Err(BookError::Version(version, VERSION));
        }
        let fractional = number("fractional")?;
        Ok(Facts {
            // Older books do not have it.
            best: number("best").is_ok_and(|best| best > 0),
            game: get("game")?.to_owned(),
            root: number("root")?,
            next: number("next")?,
            nodes: number("nodes")?,
            interior: number("interior")?,
            solved: number("solved")?,
            expansions: number("expansions")?,
            closing: number("closing")?,
            tuning: Tuning {
                omega: get("omega")?.parse().map_err(|_| damaged())?,
                fractional: (fractional > 0).then_some(fractional as Hundredths),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_round_trips() {
        let mut facts = Facts::new("awari (pits=6)".to_owned());
        facts.next = 77;
        facts.best = true;
        facts.tuning = Tuning { omega: 0.3, fractional: Some(250) };
        assert_eq!(Facts::decode(&facts.encode()).unwrap(), facts);
        assert!(Facts::decode(b"format=1\n").is_err());
        assert!(matches!(Facts::decode(b"format=9\n"), Err(BookError::Version(9, 1))));
    }
}

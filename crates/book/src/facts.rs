//! Facts about a whole book.

use std::fmt::Write;

use crate::error::{BookError, Result};
use crate::node::NodeId;
use crate::store::Store;
use crate::value::Hundredths;

/// The version of the whole file.
///
/// History: 1, the first; 2, every record has a checksum.
const VERSION: u32 = 2;

/// What a book is grown for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Aim {
    /// To play from it: every line is covered that an opponent may choose, also by moves that are
    /// proven to be errors, and growth goes on when the start position is solved.
    Play,
    /// To solve the start position: what cannot matter to its score is left out.
    #[default]
    Solve,
}

/// The parameters of costs, on which every node's costs depend.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tuning {
    /// Plies of depth that a point of value is worth to the opponent; larger values keep the book
    /// closer to the best moves.
    pub omega: f64,
    /// With fractional depth: the difference between the best and the second best move, in
    /// hundredths, from which on a move counts as forced and its depth hardly at all.
    pub fractional: Option<Hundredths>,
    /// What the book is grown for.
    pub aim: Aim,
}

impl Default for Tuning {
    /// ω of 1, whole depths, to solve the start position.
    fn default() -> Self {
        Tuning { omega: 1.0, fractional: None, aim: Aim::Solve }
    }
}

/// Parameters of costs to be changed; the others stay as they are.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TuningChange {
    /// See [`Tuning::omega`].
    pub omega: Option<f64>,
    /// See [`Tuning::fractional`]; in points, 0 for whole depths.
    pub fractional: Option<f64>,
    /// See [`Tuning::aim`].
    pub aim: Option<Aim>,
}

impl TuningChange {
    /// The parameters after the change.
    #[must_use]
    pub fn of(self, tuning: Tuning) -> Tuning {
        Tuning {
            omega: self.omega.unwrap_or(tuning.omega),
            aim: self.aim.unwrap_or(tuning.aim),
            fractional: match self.fractional {
                None => tuning.fractional,
                Some(points) => Some((points * 100.0) as Hundredths).filter(|&points| points > 0),
            },
        }
    }
}

/// Facts about a whole book.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// Game and options.
    pub game: String,
    /// The options of the game's start, such as `seeds=2`; older books do not have them.
    pub start: Option<String>,
    /// The nodes of the start positions, at least one.
    pub roots: Vec<NodeId>,
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
    /// Whether all bounds have [depths of their proofs](crate::node::ProofDepth); books of older
    /// versions do not, until they are derived again.
    pub depths: bool,
    /// Leaves that the costs lead past because they were being evaluated at the last commit.
    pub excluded: Vec<NodeId>,
}

impl Facts {
    /// The facts of an empty book.
    pub fn new(game: String, start: String) -> Self {
        Facts {
            game,
            start: Some(start),
            roots: vec![0],
            next: 0,
            nodes: 0,
            interior: 0,
            solved: 0,
            expansions: 0,
            closing: 0,
            tuning: Tuning::default(),
            best: false,
            depths: true,
            excluded: Vec::new(),
        }
    }

    /// The first start position's node.
    pub fn root(&self) -> NodeId {
        self.roots[0]
    }

    /// As lines of text.
    pub fn encode(&self) -> Vec<u8> {
        let mut text = format!("format={VERSION}\ngame={}\n", self.game);
        if let Some(start) = &self.start {
            let _ = writeln!(text, "start={start}");
        }
        let numbers = [
            ("play", (self.tuning.aim == Aim::Play).into()),
            ("next", self.next),
            ("nodes", self.nodes),
            ("interior", self.interior),
            ("solved", self.solved),
            ("expansions", self.expansions),
            ("closing", self.closing),
            ("best", self.best.into()),
            ("depths", self.depths.into()),
            ("fractional", self.tuning.fractional.map_or(0, |f| f.max(1) as u64)),
        ];
        for (name, number) in numbers {
            let _ = writeln!(text, "{name}={number}");
        }
        let _ = writeln!(text, "omega={}", self.tuning.omega);
        for (name, nodes) in [("root", &self.roots), ("excluded", &self.excluded)] {
            let ids: Vec<String> = nodes.iter().map(NodeId::to_string).collect();
            let _ = writeln!(text, "{name}={}", ids.join(","));
        }
        text.into_bytes()
    }

    /// The facts of the book in a store, whatever its game.
    pub fn of(store: &impl Store) -> Result<Self> {
        match store.facts()? {
            Some(bytes) => Facts::decode(&bytes),
            None => Err(BookError::Corrupt("it has no facts".to_owned())),
        }
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
        let nodes = |list: &str| -> Result<Vec<NodeId>> {
            let ids = list.split(',').filter(|id| !id.is_empty());
            ids.map(|id| id.parse().map_err(|_| damaged())).collect()
        };
        let roots = nodes(get("root")?)?;
        if roots.is_empty() {
            return Err(damaged());
        }
        Ok(Facts {
            // Older books do not have it.
            depths: number("depths").is_ok_and(|depths| depths > 0),
            excluded: nodes(get("excluded").unwrap_or_default())?,
            best: number("best").is_ok_and(|best| best > 0),
            game: get("game")?.to_owned(),
            start: get("start").ok().map(str::to_owned),
            roots,
            next: number("next")?,
            nodes: number("nodes")?,
            interior: number("interior")?,
            solved: number("solved")?,
            expansions: number("expansions")?,
            closing: number("closing")?,
            tuning: Tuning {
                omega: get("omega")?.parse().map_err(|_| damaged())?,
                fractional: (fractional > 0).then_some(fractional as Hundredths),
                aim: if number("play").is_ok_and(|play| play > 0) { Aim::Play } else { Aim::Solve },
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_round_trips() {
        let mut facts = Facts::new("awari (pits=6)".to_owned(), String::new());
        facts.next = 77;
        facts.best = true;
        facts.excluded = vec![3, 5];
        facts.roots = vec![0, 9];
        facts.tuning = Tuning { omega: 0.3, fractional: Some(250), aim: Aim::Play };
        assert_eq!(Facts::decode(&facts.encode()).unwrap(), facts);
        facts.start = None;
        assert_eq!(Facts::decode(&facts.encode()).unwrap(), facts);
        assert!(Facts::decode(b"format=1\n").is_err());
        assert!(matches!(Facts::decode(b"format=9\n"), Err(BookError::Version(9, VERSION))));
    }
}

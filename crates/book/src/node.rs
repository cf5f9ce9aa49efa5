//! A position in the book, and its form in the file.

use nutcracker_game::{Score, Turn};

use crate::error::{BookError, Result};
use crate::value::{Cycle, Value};

/// The id of a node, in the order of insertion.
pub type NodeId = u64;

/// A distance in thousandths of a ply.
pub type Cost = u64;

/// Unreachable.
pub const NEVER: Cost = Cost::MAX;

/// The version of [`Node::encode`]; the first byte of every node.
///
/// History: 1, the first; 2, with a third cost, for best-first; 3, with the depths of proofs.
pub const VERSION: u8 = 3;

/// A move, in the order of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it leads.
    pub child: NodeId,
    /// What the mover banks.
    pub gain: Score,
    /// The side that moves next.
    pub turn: Turn,
}

/// The state of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Evaluated; its moves are not in the book.
    Leaf,
    /// All its moves are in the book.
    Interior,
    /// Terminal.
    Over,
}

/// Flags of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// Its guess circulated in a cycle and is held at 0 until the next search for cycles.
    pub held: bool,
    /// It occurred in a public game.
    pub public: bool,
    /// It occurred in a game.
    pub played: bool,
}

/// Which cost of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum CostKind {
    /// Expansion priority where the book's player moves.
    Book,
    /// Expansion priority where the opponent moves.
    Opponent,
    /// What both sides concede on the path to a leaf, then its distance. Kept only in books that
    /// were grown by it.
    Best,
}

/// The number of metrics.
pub const METRICS: usize = 3;

impl CostKind {
    /// All of them.
    pub const ALL: [CostKind; METRICS] = [CostKind::Book, CostKind::Opponent, CostKind::Best];

    /// The metric of the other side.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            CostKind::Book => CostKind::Opponent,
            CostKind::Opponent => CostKind::Book,
            CostKind::Best => CostKind::Best,
        }
    }

    /// The metric that applies after a move.
    #[must_use]
    pub fn after(self, turn: Turn) -> Self {
        match turn {
            Turn::Passes => self.turned(),
            Turn::Stays => self,
        }
    }
}

/// Costs by metric.
pub type Costs = [Cost; METRICS];

/// How deep the proofs of a node's bounds are.
///
/// A player who has a bound above 0 keeps it by moves to positions with a better bound, or with the
/// same bound and a proof that is less deep: so it is realised, and not only kept. Bounds of 0 or
/// less need no progress, as a repetition gives 0: their depth is 0, as is that of what an expert
/// has proven. Where a repetition is worth something, all bounds need progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProofDepth {
    /// The mover's bound.
    pub lower: u32,
    /// The opponent's bound.
    pub upper: u32,
}

impl ProofDepth {
    /// As the mover sees it who leads there by a move.
    #[must_use]
    pub fn through(self, turn: Turn) -> Self {
        match turn {
            Turn::Passes => ProofDepth { lower: self.upper, upper: self.lower },
            Turn::Stays => self,
        }
    }
}

/// A position in the book.
///
/// The fields that its predecessors' values and costs depend on come first, in one cache line.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Node {
    /// By [`CostKind`].
    pub costs: Costs,
    /// The propagated value.
    pub value: Value,
    /// Moves from the root, on the shortest known path.
    pub depth: u32,
    /// The state.
    pub state: State,
    /// Flags.
    pub marks: Marks,
    /// The moves, in the order of the rules; none of a leaf.
    pub edges: Vec<Edge>,
    /// The positions with a move to this one.
    pub parents: Vec<NodeId>,
    /// The depths of the proofs of its bounds.
    pub proof: ProofDepth,
    /// The expert's value.
    pub own: Value,
    /// The position in the game's notation, with its mover as the first player.
    pub position: String,
}

impl Default for Node {
    /// A leaf without a value.
    fn default() -> Self {
        Node {
            costs: [NEVER; METRICS],
            value: Value::exact(0),
            depth: 0,
            state: State::Leaf,
            marks: Marks::default(),
            proof: ProofDepth::default(),
            edges: Vec::new(),
            parents: Vec::new(),
            own: Value::exact(0),
            position: String::new(),
        }
    }
}

impl Node {
    /// A cost.
    pub fn cost(&self, metric: CostKind) -> Cost {
        self.costs[metric as usize]
    }

    /// Whether it could be expanded and its value is not proven.
    pub fn is_open_leaf(&self) -> bool {
        self.state == State::Leaf && !self.value.is_solved()
    }

    /// The bytes of the file.
    ///
    /// A version, then state and flags, the text with its length, both values, depth, costs, depths
    /// of proofs, moves and predecessors; integers have seven bits a byte, the lowest first.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(
            48 + self.position.len() + 6 * self.edges.len() + 4 * self.parents.len(),
        );
        out.push(VERSION);
        let state = match self.state {
            State::Leaf => 0,
            State::Interior => 1,
            State::Over => 2,
        };
        let marks = self.marks;
        let marks = [marks.held, marks.public, marks.played];
        let marks = marks.iter().enumerate().map(|(i, &mark)| u8::from(mark) << (2 + i));
        out.push(marks.fold(state, |all, mark| all | mark));
        number(&mut out, self.position.len() as u64);
        out.extend(self.position.as_bytes());
        value(&mut out, &self.own);
        value(&mut out, &self.value);
        number(&mut out, self.depth.into());
        for cost in self.costs {
            // Never is stored as 0, so that it takes one byte.
            number(&mut out, cost.wrapping_add(1));
        }
        number(&mut out, self.proof.lower.into());
        number(&mut out, self.proof.upper.into());
        number(&mut out, self.edges.len() as u64);
        for edge in &self.edges {
            number(&mut out, edge.child);
            let turn = u64::from(edge.turn == Turn::Stays);
            number(&mut out, zigzag(edge.gain.into()) << 1 | turn);
        }
        number(&mut out, self.parents.len() as u64);
        for &parent in &self.parents {
            number(&mut out, parent);
        }
        out
    }

    /// Reads what [`encode`](Node::encode) wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut node = Node::default();
        node.read(bytes)?;
        Ok(node)
    }

    /// Decodes what [`encode`](Node::encode) wrote, reusing its allocations; after an error the
    /// contents are unspecified.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(&version) = bytes.first()
            && version > VERSION
        {
            return Err(BookError::Version(version.into(), VERSION.into()));
        }
        let read = Reader(bytes).node(self);
        read.ok_or_else(|| BookError::Corrupt("a node cannot be read".to_owned()))
    }
}

fn number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

fn value(out: &mut Vec<u8>, value: &Value) {
    let mut signed = |n: i64| number(out, zigzag(n));
    signed(value.lower.into());
    signed(value.upper.into());
    signed(value.heuristic.into());
    match value.cycle {
        None => out.push(0),
        Some(Cycle { centre, other, own }) => {
            out.push(1 | u8::from(other.is_some()) << 1 | u8::from(own.is_some()) << 2);
            number(out, zigzag(centre.into()));
            for end in [other, own].into_iter().flatten() {
                number(out, zigzag(end.into()));
            }
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(n);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let n = self.number()?;
        Some((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    fn small<T: TryFrom<i64>>(&mut self) -> Option<T> {
        T::try_from(self.signed()?).ok()
    }

    fn value(&mut self) -> Option<Value> {
        let (lower, upper, heuristic) = (self.small()?, self.small()?, self.small()?);
        let cycle = match self.byte()? {
            0 => None,
            flags => {
                let centre = self.small()?;
                let other = if flags & 2 > 0 { Some(self.small()?) } else { None };
                let own = if flags & 4 > 0 { Some(self.small()?) } else { None };
                Some(Cycle { centre, other, own })
            }
        };
        Some(Value { lower, upper, heuristic, cycle })
    }

    fn node(&mut self, node: &mut Node) -> Option<()> {
        let version = self.byte()?;
        let flags = self.byte()?;
        node.state = match flags & 3 {
            0 => State::Leaf,
            1 => State::Interior,
            2 => State::Over,
            _ => return None,
        };
        node.marks = Marks { held: flags & 4 > 0, public: flags & 8 > 0, played: flags & 16 > 0 };
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        node.position.clear();
        node.position.push_str(std::str::from_utf8(text).ok()?);
        (node.own, node.value) = (self.value()?, self.value()?);
        node.depth = u32::try_from(self.number()?).ok()?;
        let costs = match version {
            1 => 2,
            2 | VERSION => METRICS,
            _ => return None,
        };
        node.costs = [NEVER; METRICS];
        for cost in &mut node.costs[..costs] {
            *cost = self.number()?.wrapping_sub(1);
        }
        node.proof = ProofDepth::default();
        if version == VERSION {
            node.proof.lower = u32::try_from(self.number()?).ok()?;
            node.proof.upper = u32::try_from(self.number()?).ok()?;
        }
        node.edges.clear();
        for _ in 0..self.number()? {
            let child = self.number()?;
            let packed = self.number()?;
            let turn = if packed & 1 > 0 { Turn::Stays } else { Turn::Passes };
            let gain = packed >> 1;
            let gain = (gain >> 1) as i64 ^ -((gain & 1) as i64);
            node.edges.push(Edge { child, gain: Score::try_from(gain).ok()?, turn });
        }
        node.parents.clear();
        for _ in 0..self.number()? {
            node.parents.push(self.number()?);
        }
        self.0.is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node() -> Node {
        Node {
            position: "4,4/4,4 S".to_owned(),
            own: Value::guess(-130, 16),
            value: Value::cycle(Some(40), None, 16),
            depth: 300,
            state: State::Interior,
            marks: Marks { held: true, public: false, played: true },
            costs: [70_000, NEVER, 3],
            proof: ProofDepth { lower: 5, upper: 0 },
            edges: vec![
                Edge { child: 5, gain: -3, turn: Turn::Passes },
                Edge { child: 1 << 40, gain: 2, turn: Turn::Stays },
            ],
            parents: vec![0, 9],
        }
    }

    #[test]
    fn encoding_round_trips() {
        let node = node();
        assert_eq!(Node::decode(&node.encode()).unwrap(), node);
    }

    #[test]
    fn the_encoding_of_every_version_is_pinned() {
        let front = "1509342c342f342c3420531f208302001f20000300 50 ac02 f1a204 00";
        let back = "02 05 0a 808080808020 09 02 00 09";
        let bytes = |text: String| -> Vec<u8> {
            let text = text.replace(' ', "");
            let digits = text.as_bytes().chunks(2).map(|two| std::str::from_utf8(two).unwrap());
            digits.map(|two| u8::from_str_radix(two, 16).unwrap()).collect()
        };
        assert_eq!(node().encode(), bytes(format!("03 {front} 04 05 00 {back}")));
        let second = Node { proof: ProofDepth::default(), ..node() };
        assert_eq!(Node::decode(&bytes(format!("02 {front} 04 {back}"))).unwrap(), second);
        let first = Node { costs: [70_000, NEVER, NEVER], ..second };
        assert_eq!(Node::decode(&bytes(format!("01 {front} {back}"))).unwrap(), first);
    }

    #[test]
    fn propagated_fields_share_a_cache_line() {
        let node = node();
        let begin = std::ptr::from_ref(&node).addr();
        assert!(std::ptr::from_ref(&node.edges).addr() - begin <= 64);
    }

    #[test]
    fn damage_is_an_error() {
        let bytes = node().encode();
        for end in 0..bytes.len() {
            assert!(Node::decode(&bytes[..end]).is_err(), "cut at {end}");
        }
        let mut later = bytes.clone();
        later[0] = VERSION + 1;
        assert!(matches!(Node::decode(&later), Err(BookError::Version(4, 3))));
        let mut longer = bytes;
        longer.push(0);
        assert!(Node::decode(&longer).is_err());
    }
}

//! The book as a graph: nodes read, added and written.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use nutcracker_game::{Game, GameId, Side, Situation, SliceId, Step, Turn};
use nutcracker_search::Worth;

use crate::cache::{Cache, Traffic};
use crate::cost::Views;
use crate::effort::Efforts;
use crate::error::{BookError, Result};
use crate::expert::Expert;
use crate::facts::Facts;
use crate::node::{Edge, Node, NodeId, State};
use crate::store::{Batch, Store};
use crate::value::Value;

/// Changes are committed after this delay; half a second is guaranteed.
const GROUP: Duration = Duration::from_millis(300);
/// The largest number of changes before a commit.
const GROUP_NODES: usize = 100_000;
/// Nodes kept in memory by default: some 100 MB.
pub const DEFAULT_ROOM: usize = 300_000;

/// A leaf and its successors.
pub(crate) struct Prepared<G: Game> {
    leaf: NodeId,
    slice: SliceId,
    moves: Vec<Ahead<G::Position>>,
}

struct Ahead<P> {
    step: Step<P>,
    key: String,
    known: Option<NodeId>,
}

impl<G: Game> Prepared<G> {
    /// The positions that an expert must evaluate.
    pub fn wanted(&self, game: &G) -> Vec<(String, G::Position)> {
        let mut wanted: Vec<(String, G::Position)> = Vec::new();
        for Ahead { step, key, known } in &self.moves {
            if known.is_none()
                && game.outcome(&step.next).is_none()
                && !wanted.iter().any(|(other, _)| other == key)
            {
                wanted.push((key.clone(), step.next));
            }
        }
        wanted
    }
}

/// Reused buffers, empty most of the time.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    edges: Vec<Edge>,
    pub values: Vec<Value>,
    pub parents: Vec<NodeId>,
}

/// An opening book.
#[derive(Debug)]
pub struct Book<G: Game, S: Store> {
    game: G,
    store: S,
    pub(crate) facts: Facts,
    pub(crate) cache: Cache,
    /// The bytes last read from the store.
    bytes: Vec<u8>,
    /// Reused memory.
    pub(crate) scratch: Scratch,
    pub(crate) views: Views,
    /// Positions that are not in the store yet.
    fresh: HashMap<String, NodeId>,
    /// Nodes that are still in the store.
    gone: BTreeMap<NodeId, String>,
    gone_keys: HashSet<String>,
    /// Leaves excluded from a selection, so that each is chosen once.
    pub(crate) claimed: HashSet<NodeId>,
    pub(crate) efforts: Efforts,
    last_commit: Instant,
    /// How long experts took the last time.
    pub(crate) last_evaluation: Duration,
    /// The id of the next node at the last commit.
    committed: NodeId,
}

impl<G: Game, S: Store> Book<G, S> {
    /// A book with only a start position, evaluated by the expert.
    pub fn create(
        game: G,
        store: S,
        start: &G::Position,
        expert: &mut impl Expert<G>,
    ) -> Result<Self> {
        let facts = Facts::new(game.id().to_string());
        let mut book = Self::with(game, store, facts, DEFAULT_ROOM);
        let opinion = match book.game.outcome(start) {
            Some(score) => Worth::exact(score),
            None => expert.evaluate(start)?,
        };
        let key = book.key(start);
        book.add(start, key, 0, opinion);
        book.commit()?;
        Ok(book)
    }

    /// Opens a book in a store; `room` is the number of nodes kept in memory.
    pub fn open(game: G, store: S, room: usize) -> Result<Self> {
        let Some(bytes) = store.facts()? else {
            return Err(BookError::Corrupt("it has no facts".to_owned()));
        };
        let facts = Facts::decode(&bytes)?;
        let expected = game.id().to_string();
        if facts.game != expected {
            return Err(BookError::OtherGame { found: facts.game, expected });
        }
        Ok(Self::with(game, store, facts, room))
    }

    fn with(game: G, store: S, facts: Facts, room: usize) -> Self {
        let committed = facts.next;
        Book {
            game,
            store,
            facts,
            cache: Cache::new(room),
            bytes: Vec::new(),
            scratch: Scratch::default(),
            views: Views::default(),
            fresh: HashMap::new(),
            gone: BTreeMap::new(),
            gone_keys: HashSet::new(),
            claimed: HashSet::new(),
            efforts: Efforts::default(),
            last_commit: Instant::now(),
            // The time of the first evaluation is unknown.
            last_evaluation: Duration::MAX,
            committed,
        }
    }

    /// The game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Facts about the whole book.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The start position's node.
    pub fn root(&self) -> NodeId {
        self.facts.root
    }

    /// The value of the start position.
    pub fn root_value(&mut self) -> Result<Value> {
        Ok(self.node(self.root())?.value)
    }

    /// A node.
    pub fn node(&mut self, id: NodeId) -> Result<&Node> {
        let slot = self.slot(id)?;
        Ok(self.cache.at(slot))
    }

    /// A node, for writing.
    pub(crate) fn edit(&mut self, id: NodeId) -> Result<&mut Node> {
        let slot = self.slot(id)?;
        Ok(self.cache.edit(slot))
    }

    /// The slot of a node in memory.
    pub(crate) fn slot(&mut self, id: NodeId) -> Result<usize> {
        if let Some(slot) = self.cache.slot(id) {
            return Ok(slot);
        }
        if self.gone.contains_key(&id) || !self.store.read(id, &mut self.bytes)? {
            return Err(lost(id));
        }
        self.cache.load(id, |node| node.read(&self.bytes))
    }

    /// Visits all moves of a node, with the nodes that they lead to.
    pub(crate) fn each_move(
        &mut self,
        id: NodeId,
        mut see: impl FnMut(&Edge, &Node),
    ) -> Result<()> {
        let mut edges = std::mem::take(&mut self.scratch.edges);
        edges.clear();
        edges.extend_from_slice(&self.node(id)?.edges);
        for edge in &edges {
            see(edge, self.node(edge.child)?);
        }
        self.scratch.edges = edges;
        Ok(())
    }

    /// How often nodes were accessed, and read from the store.
    pub fn traffic(&self) -> Traffic {
        self.cache.traffic
    }

    /// The text of a position in the book.
    pub fn key(&self, position: &G::Position) -> String {
        self.game.format(&Situation::new(*position, Side::First))
    }

    /// The node of a position, if it is in the book.
    pub fn find(&self, position: &G::Position) -> Result<Option<NodeId>> {
        self.find_key(&self.key(position))
    }

    pub(crate) fn find_key(&self, key: &str) -> Result<Option<NodeId>> {
        match self.fresh.get(key) {
            Some(&id) => Ok(Some(id)),
            None if self.gone_keys.contains(key) => Ok(None),
            None => self.store.find(key),
        }
    }

    /// The position of a node.
    pub fn position(&mut self, id: NodeId) -> Result<G::Position> {
        let text = self.node(id)?.position.clone();
        self.parse(&text)
    }

    pub(crate) fn parse(&self, text: &str) -> Result<G::Position> {
        let parsed = self.game.parse(text);
        parsed.map(|situation| situation.position).map_err(|error| {
            BookError::Corrupt(format!("the position {text:?} cannot be read, {error}"))
        })
    }

    /// The legal moves of a node, in the order of its edges.
    pub fn moves(&mut self, id: NodeId) -> Result<(G::Position, Vec<G::Move>)> {
        let position = self.position(id)?;
        let mut moves = Vec::new();
        if self.game.outcome(&position).is_none() {
            self.game.moves(&position, &mut moves);
        }
        Ok((position, moves))
    }

    /// The steps of all moves of a position.
    pub(crate) fn steps(&self, position: &G::Position) -> Vec<Step<G::Position>> {
        let mut steps = Vec::new();
        if self.game.outcome(position).is_none() {
            self.game.steps(position, &mut steps);
        }
        steps
    }

    /// The successors of a leaf that an expert must evaluate before it can be expanded: those that
    /// are not in the book and are not terminal.
    pub fn wanted(&mut self, leaf: NodeId) -> Result<Vec<(String, G::Position)>> {
        Ok(self.prepare(leaf)?.wanted(&self.game))
    }

    /// Generates the successors of a leaf, once for all that follows.
    pub(crate) fn prepare(&mut self, leaf: NodeId) -> Result<Prepared<G>> {
        let position = self.position(leaf)?;
        let mut moves = Vec::new();
        for step in self.steps(&position) {
            let key = self.key(&step.next);
            let known = self.find_key(&key)?;
            moves.push(Ahead { step, key, known });
        }
        Ok(Prepared { leaf, slice: self.game.slice_of(&position), moves })
    }

    /// Adds all moves of a leaf, with the experts' values of the successors that were
    /// [wanted](Book::wanted), and propagates the values to the root.
    ///
    /// All of it is in the file after a commit, or nothing.
    pub fn expand(&mut self, leaf: NodeId, values: &HashMap<String, Worth>) -> Result<()> {
        let prepared = self.prepare(leaf)?;
        self.expand_prepared(prepared, values)
    }

    /// [Expands](Book::expand) a prepared leaf. Between the two, only other expansions may have
    /// added nodes, without a commit.
    pub(crate) fn expand_prepared(
        &mut self,
        prepared: Prepared<G>,
        values: &HashMap<String, Worth>,
    ) -> Result<()> {
        let Prepared { leaf, slice, moves } = prepared;
        if self.node(leaf)?.state != State::Leaf {
            return Ok(());
        }
        let depth = self.node(leaf)?.depth;
        let mut edges = Vec::new();
        // Checked before anything is changed: an expansion that fails has no effect.
        let mut plan = Vec::new();
        for Ahead { step, key, known } in moves {
            let opinion = match self.game.outcome(&step.next) {
                Some(score) => Some(Worth::exact(score)),
                None => values.get(&key).copied(),
            };
            if known.is_none() && opinion.is_none() && !self.fresh.contains_key(&key) {
                return Err(BookError::Expert(format!("no value of {key}")));
            }
            plan.push((step, key, known, opinion));
        }
        for (step, key, known, opinion) in plan {
            let known = known.or_else(|| self.fresh.get(&key).copied());
            let child = match (known, opinion) {
                (Some(id), _) => id,
                (None, Some(opinion)) => self.add(&step.next, key, depth + 1, opinion),
                (None, None) => unreachable!("it was there a moment ago"),
            };
            if known.is_some() {
                let inside = step.turn == Turn::Passes && self.game.slice_of(&step.next) == slice;
                let child_depth = self.node(child)?.depth;
                self.facts.closing += u64::from(inside && child_depth <= depth);
                self.bring_nearer(child, depth + 1)?;
            }
            let parents = &mut self.edit(child)?.parents;
            if !parents.contains(&leaf) {
                parents.push(leaf);
            }
            edges.push(Edge { child, gain: step.gain, turn: step.turn });
        }
        let node = self.edit(leaf)?;
        node.edges = edges;
        node.state = State::Interior;
        self.facts.interior += 1;
        self.facts.expansions += 1;
        self.back_up(&[leaf])
    }

    /// Updates the depth of a node to which a shorter path was found.
    fn bring_nearer(&mut self, id: NodeId, depth: u32) -> Result<()> {
        let mut open = vec![(id, depth)];
        while let Some((id, depth)) = open.pop() {
            if self.node(id)?.depth > depth {
                let node = self.edit(id)?;
                node.depth = depth;
                open.extend(node.edges.iter().map(|edge| (edge.child, depth + 1)));
            }
        }
        Ok(())
    }

    fn add(&mut self, position: &G::Position, key: String, depth: u32, opinion: Worth) -> NodeId {
        let max = self.game.max_score(self.game.slice_of(position));
        let own = Value::from_worth(opinion, max);
        let over = self.game.outcome(position).is_some();
        let id = self.facts.next;
        let mut node = Node {
            position: key.clone(),
            own,
            value: own,
            depth,
            state: if over { State::Over } else { State::Leaf },
            ..Node::default()
        };
        if !own.is_solved() {
            for &metric in self.metrics() {
                node.costs[metric as usize] = 0;
            }
        }
        self.facts.next += 1;
        self.facts.nodes += 1;
        self.facts.solved += u64::from(own.is_solved());
        self.cache.insert(id, node);
        self.fresh.insert(key, id);
        id
    }

    /// Removes a node without predecessors.
    pub(crate) fn forget(&mut self, id: NodeId) -> Result<()> {
        let node = self.node(id)?;
        let (key, solved) = (node.position.clone(), node.value.is_solved());
        let interior = node.state == State::Interior;
        self.facts.nodes -= 1;
        self.facts.solved -= u64::from(solved);
        self.facts.interior -= u64::from(interior);
        self.fresh.remove(&key);
        self.cache.remove(id);
        self.gone_keys.insert(key.clone());
        self.gone.insert(id, key);
        Ok(())
    }

    /// The first node with this id or a larger one.
    pub fn next_node(&self, from: NodeId) -> Result<Option<NodeId>> {
        let mut from = from;
        loop {
            // Ids are consecutive: nodes that are not in the store yet come last.
            let stored = if from < self.committed { self.store.next(from)? } else { None };
            let next = stored.map_or(from.max(self.committed), |(id, _)| id);
            if next >= self.facts.next {
                return Ok(None);
            }
            if !self.gone.contains_key(&next) {
                return Ok(Some(next));
            }
            from = next + 1;
        }
    }

    /// Writes all changes durably.
    pub fn commit(&mut self) -> Result<()> {
        self.release_claims()?;
        let mut positions: Vec<(String, NodeId)> = self.fresh.drain().collect();
        positions.sort_unstable();
        let batch = Batch {
            nodes: self.cache.changed().map(|(id, node)| (id, node.encode())).collect(),
            positions,
            removed: std::mem::take(&mut self.gone).into_iter().collect(),
            facts: Some(self.facts.encode()),
        };
        self.store.commit(&batch)?;
        self.gone_keys.clear();
        self.cache.written();
        self.last_commit = Instant::now();
        self.committed = self.facts.next;
        Ok(())
    }

    /// [Commits](Book::commit) if the last commit is long enough ago.
    pub fn commit_if_due(&mut self) -> Result<bool> {
        let changes = self.cache.changes();
        let due = changes > 0 && self.last_commit.elapsed() >= GROUP || changes >= GROUP_NODES;
        if due {
            self.commit()?;
        }
        Ok(due)
    }

    /// Compacts the file as far as possible.
    pub fn compact(&mut self) -> Result<()> {
        self.commit()?;
        self.store.compact()
    }

    /// The number of positions in the store.
    pub(crate) fn stored_positions(&self) -> Result<u64> {
        self.store.len()
    }
}

/// The default file name of a game's book: two games with different starts have different books.
pub fn file_name<G: Game>(game: &G) -> String {
    let (id, start) = (game.id(), game.start_options());
    let options = [id.options.as_str(), &start].map(str::to_owned);
    let options: Vec<String> = options.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}.book", GameId::new(id.name, options.join(",")).folder())
}

fn lost(id: NodeId) -> BookError {
    BookError::Corrupt(format!("node {id} is missing"))
}

//! The book as a graph: nodes read, linked and written. It knows positions, moves and what experts
//! said; what follows from that is [derived](crate::derive).

mod batches;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use nutcracker_game::{Game, GameId, Score, Side, Situation, SliceId, Step, Turn};
use nutcracker_search::Worth;

use crate::cache::Cache;
use crate::error::{BookError, Result};
use crate::facts::Facts;
use crate::node::{CostKind, Edge, Node, NodeId, ProofDepth, State};
use crate::store::{Batch, Store};
use crate::value::Value;

/// Changes are committed after this delay; half a second is guaranteed.
const GROUP: Duration = Duration::from_millis(300);
/// The largest number of changes before a commit.
const GROUP_NODES: usize = 100_000;
/// Nodes kept in memory by default: some 100 MB.
pub const DEFAULT_ROOM: usize = 300_000;

/// A leaf and its successors.
#[derive(Debug)]
pub(crate) struct Prepared<P> {
    pub leaf: NodeId,
    slice: SliceId,
    moves: Vec<Ahead<P>>,
    /// The changes of the graph when the successors were looked up.
    changes: u64,
}

#[derive(Debug)]
struct Ahead<P> {
    step: Step<P>,
    key: String,
    known: Option<NodeId>,
}

impl<P: Copy> Prepared<P> {
    /// The positions that an expert must evaluate: neither in the graph nor terminal, each once.
    pub fn wanted<G: Game<Position = P>>(&self, game: &G) -> Vec<(String, P)> {
        let mut wanted: Vec<(String, P)> = Vec::new();
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

/// Nodes in a store, with a cache and the changes that are not written yet.
#[derive(Debug)]
pub(crate) struct Graph<G: Game, S: Store> {
    pub game: G,
    pub store: S,
    /// Whether the store reads several nodes at once much faster than one by one.
    batches: bool,
    pub facts: Facts,
    pub cache: Cache,
    /// The bytes last read from the store.
    bytes: Vec<u8>,
    /// Reused memory of [`each_move`](Graph::each_move).
    edges: Vec<Edge>,
    /// Positions that are not in the store yet.
    fresh: HashMap<String, NodeId>,
    /// Nodes that are still in the store.
    gone: BTreeMap<NodeId, String>,
    gone_keys: HashSet<String>,
    /// Counts nodes added and removed.
    changes: u64,
    last_commit: Instant,
    /// The id of the next node at the last commit.
    committed: NodeId,
}

impl<G: Game, S: Store> Graph<G, S> {
    /// A graph without nodes.
    pub fn empty(game: G, store: S) -> Self {
        let facts = Facts::new(game.id().to_string(), game.start_options());
        Self::with(game, store, facts, DEFAULT_ROOM)
    }

    /// The graph in a store; `room` is the number of nodes kept in memory.
    pub fn open(game: G, store: S, room: usize) -> Result<Self> {
        let facts = read_facts(&game, &store)?;
        Ok(Self::with(game, store, facts, room))
    }

    fn with(game: G, store: S, facts: Facts, room: usize) -> Self {
        let committed = facts.next;
        Graph {
            game,
            batches: store.prefers_batches(),
            store,
            facts,
            cache: Cache::new(room),
            bytes: Vec::new(),
            edges: Vec::new(),
            fresh: HashMap::new(),
            gone: BTreeMap::new(),
            gone_keys: HashSet::new(),
            changes: 0,
            last_commit: Instant::now(),
            committed,
        }
    }

    /// Forgets every change since the last commit.
    pub fn roll_back(&mut self) -> Result<()> {
        self.facts = read_facts(&self.game, &self.store)?;
        self.changes += 1;
        self.cache.clear();
        self.fresh.clear();
        self.gone.clear();
        self.gone_keys.clear();
        self.committed = self.facts.next;
        Ok(())
    }

    /// A node.
    pub fn node(&mut self, id: NodeId) -> Result<&Node> {
        let slot = self.slot(id)?;
        Ok(self.cache.at(slot))
    }

    /// A node, for writing.
    pub fn edit(&mut self, id: NodeId) -> Result<&mut Node> {
        let slot = self.slot(id)?;
        Ok(self.cache.edit(slot))
    }

    /// The slot of a node in memory.
    pub fn slot(&mut self, id: NodeId) -> Result<usize> {
        if let Some(slot) = self.cache.slot(id) {
            return Ok(slot);
        }
        if self.gone.contains_key(&id) || !self.store.read(id, &mut self.bytes)? {
            return Err(lost(id));
        }
        self.cache.load(id, |node| node.read(&self.bytes))
    }

    /// Visits all moves of a node, with the nodes that they lead to.
    pub fn each_move(&mut self, id: NodeId, mut see: impl FnMut(&Edge, &Node)) -> Result<()> {
        self.prefetch_children(id)?;
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        edges.extend_from_slice(&self.node(id)?.edges);
        for edge in &edges {
            see(edge, self.node(edge.child)?);
        }
        self.edges = edges;
        Ok(())
    }

    /// How deep the proofs of a move's bounds are, as its mover sees it.
    pub fn proof_of(&mut self, edge: &Edge) -> Result<ProofDepth> {
        Ok(self.node(edge.child)?.proof.through(edge.turn))
    }

    /// The text of a position in the book.
    pub fn key(&self, position: &G::Position) -> String {
        self.game.format(&Situation::new(*position, Side::First))
    }

    /// The node of a position, if it is in the book.
    pub fn find(&self, position: &G::Position) -> Result<Option<NodeId>> {
        self.find_key(&self.key(position))
    }

    pub fn find_key(&self, key: &str) -> Result<Option<NodeId>> {
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

    pub fn parse(&self, text: &str) -> Result<G::Position> {
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
    pub fn steps(&self, position: &G::Position) -> Vec<Step<G::Position>> {
        let mut steps = Vec::new();
        if self.game.outcome(position).is_none() {
            self.game.steps(position, &mut steps);
        }
        steps
    }

    /// Generates the successors of a leaf, once for all that follows; `None` if it is no leaf.
    pub fn prepare(&mut self, leaf: NodeId) -> Result<Option<Prepared<G::Position>>> {
        if self.node(leaf)?.state != State::Leaf {
            return Ok(None);
        }
        let position = self.position(leaf)?;
        let steps = self.steps(&position);
        let keys: Vec<String> = steps.iter().map(|step| self.key(&step.next)).collect();
        let known = self.find_keys(&keys.iter().map(String::as_str).collect::<Vec<_>>())?;
        let moves = steps.into_iter().zip(keys).zip(known);
        let moves = moves.map(|((step, key), known)| Ahead { step, key, known }).collect();
        let slice = self.game.slice_of(&position);
        Ok(Some(Prepared { leaf, slice, moves, changes: self.changes }))
    }

    /// Adds all moves of a prepared leaf; `values` are the experts' values of the successors that
    /// are not in the graph. Nothing is changed if one of them is missing, or if it is no leaf any
    /// more.
    pub fn link_moves(
        &mut self,
        prepared: Prepared<G::Position>,
        values: &HashMap<String, Worth>,
    ) -> Result<bool> {
        let Prepared { leaf, slice, mut moves, changes } = prepared;
        let node = self.node(leaf)?;
        if node.state != State::Leaf {
            return Ok(false);
        }
        let depth = node.depth;
        if changes != self.changes {
            // Others have been added, or removed, since it was prepared.
            let keys: Vec<&str> = moves.iter().map(|ahead| ahead.key.as_str()).collect();
            let found = self.find_keys(&keys)?;
            moves.iter_mut().zip(found).for_each(|(ahead, known)| ahead.known = known);
        }
        let there: Vec<NodeId> = moves.iter().filter_map(|ahead| ahead.known).collect();
        self.prefetch(&there)?;
        let mut plan = Vec::with_capacity(moves.len());
        for Ahead { step, key, known } in moves {
            let place = match known {
                Some(id) => Ok(id),
                None => Err(self.said_of(&step.next, &key, values)?),
            };
            plan.push((step, key, place));
        }
        let mut edges = Vec::with_capacity(plan.len());
        for (step, key, place) in plan {
            // Two moves may lead to the same new position.
            let place = place.or_else(|own| self.fresh.get(&key).copied().ok_or(own));
            let child = place.unwrap_or_else(|own| self.add(&step.next, key, depth + 1, own));
            if place.is_ok() {
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
        Ok(true)
    }

    /// Updates the depth of a node to which a shorter path was found.
    pub fn bring_nearer(&mut self, id: NodeId, depth: u32) -> Result<()> {
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

    /// What the rules say of a new position, or else the experts.
    fn said_of(
        &self,
        position: &G::Position,
        key: &str,
        values: &HashMap<String, Worth>,
    ) -> Result<Value> {
        match (self.game.outcome(position), values.get(key)) {
            (Some(score), _) => Ok(Value::exact(score)),
            (None, Some(&worth)) => self.value_of(position, worth),
            (None, None) => Err(BookError::Expert(format!("no value of {key}"))),
        }
    }

    /// What an expert says of a position, as a value.
    pub fn value_of(&self, position: &G::Position, worth: Worth) -> Result<Value> {
        Value::from_worth(worth, self.max_score(position))
            .ok_or_else(|| BookError::Contradiction(self.key(position)))
    }

    /// The largest score in a position.
    pub fn max_score(&self, position: &G::Position) -> Score {
        self.game.max_score(self.game.slice_of(position))
    }

    /// Adds a position that is not in the graph, with what an expert said of it.
    pub fn add(&mut self, position: &G::Position, key: String, depth: u32, own: Value) -> NodeId {
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
        self.changes += 1;
        self.cache.insert(id, node);
        self.fresh.insert(key, id);
        id
    }

    /// Sets the derived value of a node.
    pub fn set_value(&mut self, id: NodeId, value: Value, proof: ProofDepth) -> Result<()> {
        let node = self.edit(id)?;
        let before = node.value.is_solved();
        (node.value, node.proof) = (value, proof);
        self.facts.solved -= u64::from(before);
        self.facts.solved += u64::from(value.is_solved());
        Ok(())
    }

    /// Removes a node's moves: it becomes a leaf again.
    pub fn cut(&mut self, id: NodeId) -> Result<()> {
        if self.node(id)?.state != State::Interior {
            return Ok(());
        }
        let node = self.edit(id)?;
        node.state = State::Leaf;
        node.marks.held = false;
        let edges = std::mem::take(&mut node.edges);
        self.facts.interior -= 1;
        for edge in edges {
            self.edit(edge.child)?.parents.retain(|&parent| parent != id);
        }
        Ok(())
    }

    /// Removes a node without predecessors.
    pub fn forget(&mut self, id: NodeId) -> Result<()> {
        let node = self.node(id)?;
        let (key, solved) = (node.position.clone(), node.value.is_solved());
        let interior = node.state == State::Interior;
        self.facts.nodes -= 1;
        self.facts.solved -= u64::from(solved);
        self.facts.interior -= u64::from(interior);
        self.changes += 1;
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
            // Ids are consecutive: nodes that are not in the store yet come last. The store is
            // asked once more after its last node, as it then knows that none was missing.
            let stored = if from <= self.committed { self.store.next(from)? } else { None };
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
        let mut positions: Vec<(String, NodeId)> = self.fresh.drain().collect();
        positions.sort_unstable();
        let batch = Batch {
            nodes: self.cache.changed().map(|(id, node)| (id, node.encode())).collect(),
            positions,
            removed: std::mem::take(&mut self.gone).into_iter().collect(),
            facts: Some(self.facts.encode()),
        };
        if let Err(error) = self.store.commit(&batch) {
            // Nothing was written: the next commit writes everything.
            self.fresh.extend(batch.positions);
            self.gone.extend(batch.removed);
            return Err(error);
        }
        self.gone_keys.clear();
        self.cache.written();
        self.last_commit = Instant::now();
        self.committed = self.facts.next;
        Ok(())
    }

    /// [Commits](Graph::commit) if the last commit is long enough ago.
    pub fn commit_if_due(&mut self) -> Result<bool> {
        let changes = self.cache.changes();
        let due = changes > 0 && self.last_commit.elapsed() >= GROUP || changes >= GROUP_NODES;
        if due {
            self.commit()?;
        }
        Ok(due)
    }

    /// Compacts the store as far as possible.
    pub fn compact(&mut self) -> Result<()> {
        self.commit()?;
        self.store.compact()
    }

    /// The number of positions, written or not.
    pub fn positions(&self) -> Result<u64> {
        Ok(self.store.len()? + self.fresh.len() as u64 - self.gone.len() as u64)
    }

    /// The costs that are kept.
    pub fn metrics(&self) -> &'static [CostKind] {
        if self.facts.best { &CostKind::ALL } else { &CostKind::ALL[..2] }
    }
}

/// A walk through all nodes, in the order of their ids; the graph may be changed meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NodeWalk {
    from: NodeId,
}

impl NodeWalk {
    /// The next node.
    pub fn next<G: Game, S: Store>(&mut self, graph: &Graph<G, S>) -> Result<Option<NodeId>> {
        let found = graph.next_node(self.from)?;
        if let Some(id) = found {
            self.from = id + 1;
        }
        Ok(found)
    }
}

fn read_facts<G: Game, S: Store>(game: &G, store: &S) -> Result<Facts> {
    let facts = Facts::of(store)?;
    let expected = game.id().to_string();
    if facts.game != expected {
        return Err(BookError::OtherGame { found: facts.game, expected });
    }
    Ok(facts)
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

//! The book: a graph with derived values, a choice of leaves, and jobs for experts.

use std::collections::HashMap;

use nutcracker_game::Game;
use nutcracker_search::Worth;

use crate::cache::Traffic;
use crate::derive::Valued;
use crate::derive::cycles::Found;
use crate::error::Result;
use crate::expert::Expert;
use crate::facts::{Facts, Tuning};
use crate::graph::{Graph, Prepared};
use crate::jobs::{Job, JobId, Jobs, Wanted};
use crate::node::{Node, NodeId};
use crate::store::Store;
use crate::strategy::{Chooser, Strategy};
use crate::value::Value;

/// An opening book.
///
/// It grows by jobs: [`propose`](Book::propose) chooses leaves and claims them, experts evaluate
/// their successors without the book, and [`apply`](Book::apply) takes the results in any order.
#[derive(Debug)]
pub struct Book<G: Game, S: Store> {
    pub(crate) valued: Valued<G, S>,
    pub(crate) chooser: Chooser,
    jobs: Jobs<G::Position>,
}

impl<G: Game, S: Store> Book<G, S> {
    /// A book with only a start position, evaluated by the expert.
    pub fn create(
        game: G,
        store: S,
        start: &G::Position,
        expert: &mut impl Expert<G>,
    ) -> Result<Self> {
        let mut graph = Graph::empty(game, store);
        let own = opinion(&graph, start, expert)?;
        let key = graph.key(start);
        graph.add(start, key, 0, own);
        graph.commit()?;
        Ok(Self::with(graph))
    }

    /// Opens a book in a store; `room` is the number of nodes kept in memory.
    pub fn open(game: G, store: S, room: usize) -> Result<Self> {
        let mut book = Self::with(Graph::open(game, store, room)?);
        book.valued.include_all()?;
        Ok(book)
    }

    pub(crate) fn with(graph: Graph<G, S>) -> Self {
        Book { valued: Valued::new(graph), chooser: Chooser::default(), jobs: Jobs::default() }
    }

    /// The game.
    pub fn game(&self) -> &G {
        &self.valued.graph.game
    }

    /// Facts about the whole book.
    pub fn facts(&self) -> &Facts {
        &self.valued.graph.facts
    }

    /// The node of the first start position.
    pub fn root(&self) -> NodeId {
        self.facts().root()
    }

    /// The value of the first start position.
    pub fn root_value(&mut self) -> Result<Value> {
        let root = self.root();
        Ok(self.node(root)?.value)
    }

    /// Whether the values of all start positions are proven.
    pub fn is_solved(&mut self) -> Result<bool> {
        self.valued.is_solved()
    }

    /// Adds a start position. All of them are equally important to the strategies.
    pub fn add_start(
        &mut self,
        start: &G::Position,
        expert: &mut impl Expert<G>,
    ) -> Result<NodeId> {
        let id = if let Some(id) = self.find(start)? {
            id
        } else {
            let own = opinion(&self.valued.graph, start, expert)?;
            let key = self.key(start);
            self.valued.graph.add(start, key, 0, own)
        };
        let graph = &mut self.valued.graph;
        if !graph.facts.roots.contains(&id) {
            graph.facts.roots.push(id);
            graph.bring_nearer(id, 0)?;
        }
        self.commit()?;
        Ok(id)
    }

    /// A node.
    pub fn node(&mut self, id: NodeId) -> Result<&Node> {
        self.valued.graph.node(id)
    }

    /// The first node with this id or a larger one.
    pub fn next_node(&self, from: NodeId) -> Result<Option<NodeId>> {
        self.valued.graph.next_node(from)
    }

    /// How often nodes were accessed, and read from the store.
    pub fn traffic(&self) -> Traffic {
        self.valued.graph.cache.traffic
    }

    /// The text of a position in the book.
    pub fn key(&self, position: &G::Position) -> String {
        self.valued.graph.key(position)
    }

    /// The node of a position, if it is in the book.
    pub fn find(&self, position: &G::Position) -> Result<Option<NodeId>> {
        self.valued.graph.find(position)
    }

    /// The position of a node.
    pub fn position(&mut self, id: NodeId) -> Result<G::Position> {
        self.valued.graph.position(id)
    }

    /// What an expert says of a position, as a value; an error if that contradicts itself.
    pub fn value_of(&self, position: &G::Position, worth: Worth) -> Result<Value> {
        self.valued.graph.value_of(position, worth)
    }

    /// The legal moves of a node, in the order of its edges.
    pub fn moves(&mut self, id: NodeId) -> Result<(G::Position, Vec<G::Move>)> {
        self.valued.graph.moves(id)
    }

    /// The values of a node's moves, from its mover's point of view.
    pub fn move_values(&mut self, id: NodeId) -> Result<Vec<Value>> {
        self.valued.move_values(id)
    }

    /// Chooses leaves by a strategy, at most `most`, and claims them: none is proposed again before
    /// its job is [applied](Book::apply) or [abandoned](Book::abandon). Empty if no open leaf is
    /// left that the book's aim needs.
    pub fn propose(&mut self, strategy: Strategy, most: usize) -> Result<Vec<Job<G::Position>>> {
        let mut jobs = Vec::new();
        while jobs.len() < most {
            // A leaf is excluded only when another one is chosen beside it.
            while let Some(&leaf) = self.jobs.fresh().front() {
                self.valued.exclude(leaf)?;
                self.jobs.fresh().pop_front();
            }
            let Some(leaf) = self.chooser.choose(&mut self.valued, strategy)? else { break };
            match self.claim(leaf)? {
                Some(job) => jobs.push(job),
                None => break,
            }
        }
        Ok(jobs)
    }

    /// The leaves that a strategy would choose one after the other if expanding them changed
    /// nothing, at most `count`. Nothing is claimed.
    pub fn choose(&mut self, strategy: Strategy, count: usize) -> Result<Vec<NodeId>> {
        let jobs = self.propose(strategy, count)?;
        let leaves = jobs.iter().map(|job| job.leaf).collect();
        jobs.into_iter().try_for_each(|job| self.abandon(job.id))?;
        Ok(leaves)
    }

    /// Claims a leaf; `None` if it is claimed or not a leaf.
    pub fn claim(&mut self, leaf: NodeId) -> Result<Option<Job<G::Position>>> {
        let Some(prepared) = self.valued.graph.prepare(leaf)? else { return Ok(None) };
        let wanted = prepared.wanted(self.game());
        Ok(self.jobs.open(prepared).map(|id| Job { id, leaf, wanted }))
    }

    /// Expands the leaf of a job with the experts' values of the positions it
    /// [wants](Job::wanted). Returns false if there is no such job any more.
    ///
    /// After an error the book is as it was at the last commit.
    pub fn apply(&mut self, job: JobId, values: &HashMap<String, Worth>) -> Result<bool> {
        let Some(prepared) = self.jobs.close(job) else { return Ok(false) };
        self.valued.excluded.remove(&prepared.leaf);
        self.expand_prepared(prepared, values)
    }

    /// Gives a claim back: the leaf can be proposed again.
    pub fn abandon(&mut self, job: JobId) -> Result<()> {
        match self.jobs.close(job) {
            Some(prepared) => self.valued.include(prepared.leaf),
            None => Ok(()),
        }
    }

    /// The number of jobs that are neither applied nor abandoned.
    pub fn open_jobs(&self) -> usize {
        self.jobs.len()
    }

    /// What an expert must evaluate before a leaf, claimed or not, can be [expanded](Book::expand);
    /// `None` if it is no leaf.
    pub fn wanted(&mut self, leaf: NodeId) -> Result<Option<Wanted<G::Position>>> {
        let prepared = self.valued.graph.prepare(leaf)?;
        Ok(prepared.map(|prepared| prepared.wanted(self.game())))
    }

    /// Adds all moves of a leaf, claimed or not, and propagates their values. Returns false, and
    /// changes nothing, if it is no leaf.
    ///
    /// After an error the book is as it was at the last commit.
    pub fn expand(&mut self, leaf: NodeId, values: &HashMap<String, Worth>) -> Result<bool> {
        match self.valued.graph.prepare(leaf)? {
            Some(prepared) => self.expand_prepared(prepared, values),
            None => Ok(false),
        }
    }

    fn expand_prepared(
        &mut self,
        prepared: Prepared<G::Position>,
        values: &HashMap<String, Worth>,
    ) -> Result<bool> {
        let leaf = prepared.leaf;
        self.atomically(|book| {
            let expanded = book.valued.graph.link_moves(prepared, values)?;
            if expanded {
                book.valued.back_up(&[leaf])?;
            }
            Ok(expanded)
        })
    }

    /// Does something; if it fails, the book is as it was at the last commit.
    pub(crate) fn atomically<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let done = work(self);
        if done.is_err() {
            self.chooser.clear();
            self.valued.roll_back()?;
            let nodes = self.facts().next;
            self.jobs.retain(|leaf| leaf < nodes);
        }
        done
    }

    /// Changes the parameters of costs: all costs are recomputed.
    pub fn tune(&mut self, tuning: Tuning) -> Result<()> {
        self.valued.tune(tuning)
    }

    /// Whether enough moves may have closed a cycle since the last search.
    pub fn cycles_are_due(&self) -> bool {
        self.valued.cycles_are_due(self.chooser.is_stuck())
    }

    /// Searches the whole book for cycles and sets the values of their positions.
    ///
    /// It takes memory for a few numbers for each unsolved position.
    pub fn find_cycles(&mut self) -> Result<Found> {
        let found = self.atomically(|book| book.valued.find_cycles());
        // What depended on cycles is now decided, or proven to be open.
        self.chooser.clear();
        found
    }

    /// Moves a book opened for reading to its newest state, where another process may write it
    /// meanwhile; returns whether that is another one. Open jobs end then.
    pub fn refresh(&mut self) -> Result<bool> {
        let moved = self.valued.graph.store.refresh()?;
        if moved {
            self.chooser.clear();
            self.jobs.retain(|_| false);
            self.valued.roll_back()?;
        }
        Ok(moved)
    }

    /// Writes all changes durably.
    pub fn commit(&mut self) -> Result<()> {
        self.valued.commit()
    }

    /// [Commits](Book::commit) if the last commit is long enough ago.
    pub fn commit_if_due(&mut self) -> Result<bool> {
        self.valued.commit_if_due()
    }

    /// Compacts the file as far as possible.
    pub fn compact(&mut self) -> Result<()> {
        self.commit()?;
        self.valued.graph.compact()
    }
}

/// What is known of a position: its outcome, or else what the expert says.
fn opinion<G: Game, S: Store>(
    graph: &Graph<G, S>,
    position: &G::Position,
    expert: &mut impl Expert<G>,
) -> Result<Value> {
    match graph.game.outcome(position) {
        Some(score) => Ok(Value::exact(score)),
        None => graph.value_of(position, expert.evaluate(position)?),
    }
}

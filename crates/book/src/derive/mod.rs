//! What follows from what experts said: values, costs, and the values of cycles.

mod costs;
pub mod cycles;
mod moves;
mod values;

pub(crate) use costs::{Tolls, plies, step};
pub(crate) use moves::{Move, moves_of};

use moves::MoveCache;
use nutcracker_game::Game;

use crate::cache::NodeSet;
use crate::error::Result;
use crate::graph::{Graph, NodeWalk};
use crate::node::{Costs, NodeId, ProofDepth};
use crate::store::Store;
use crate::value::Value;

/// A graph with its derived values and costs.
#[derive(Debug)]
pub(crate) struct Valued<G: Game, S: Store> {
    pub graph: Graph<G, S>,
    /// Moves read during one propagation.
    moves: MoveCache,
    /// Leaves that are not to be chosen: costs lead past them.
    pub excluded: NodeSet,
    /// Reused memory.
    values: Vec<Value>,
    parents: Vec<NodeId>,
}

impl<G: Game, S: Store> Valued<G, S> {
    /// A graph whose values and costs are up to date.
    pub fn new(graph: Graph<G, S>) -> Self {
        Valued {
            graph,
            moves: MoveCache::default(),
            excluded: NodeSet::default(),
            values: Vec::new(),
            parents: Vec::new(),
        }
    }

    /// Whether the values of all start positions are proven.
    pub fn is_solved(&mut self) -> Result<bool> {
        for place in 0..self.graph.facts.roots.len() {
            if !self.graph.node(self.graph.facts.roots[place])?.value.is_solved() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes all changes durably.
    pub fn commit(&mut self) -> Result<()> {
        self.note_excluded();
        self.graph.commit()
    }

    /// [Commits](Valued::commit) if the last commit is long enough ago.
    pub fn commit_if_due(&mut self) -> Result<bool> {
        self.note_excluded();
        self.graph.commit_if_due()
    }

    /// The costs in the file lead past excluded leaves: whoever opens it next must know.
    fn note_excluded(&mut self) {
        let excluded = &mut self.graph.facts.excluded;
        excluded.clear();
        excluded.extend(self.excluded.iter());
        excluded.sort_unstable();
    }

    /// Forgets every change since the last commit.
    pub fn roll_back(&mut self) -> Result<()> {
        self.moves.clear();
        self.excluded.clear();
        self.graph.roll_back()?;
        self.include_all()
    }

    /// Lets all leaves be chosen that were excluded when the book was written.
    pub fn include_all(&mut self) -> Result<()> {
        let excluded = std::mem::take(&mut self.graph.facts.excluded);
        self.settle(&excluded)
    }

    /// The value and the costs of a node as they follow from its moves now.
    pub fn recomputed(&mut self, id: NodeId) -> Result<(Value, Costs)> {
        self.moves.clear();
        Ok((self.computed_value(id)?.0, self.computed_costs(id)?))
    }

    /// Derives everything again from the experts' values: bounds that rest on a value that was
    /// replaced do not survive.
    pub fn rebuild(&mut self) -> Result<()> {
        let mut all = Vec::new();
        let mut walk = NodeWalk::default();
        while let Some(id) = walk.next(&self.graph)? {
            let own = self.graph.node(id)?.own;
            if self.graph.node(id)?.marks.held {
                self.graph.edit(id)?.marks.held = false;
            }
            let node = self.graph.node(id)?;
            if node.value != own || node.proof != ProofDepth::default() {
                self.graph.set_value(id, own, ProofDepth::default())?;
            }
            all.push(id);
        }
        self.graph.facts.depths = true;
        self.back_up(&all)?;
        self.find_cycles()?;
        self.settle_all()
    }
}

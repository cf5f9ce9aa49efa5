//! The moves of nodes with what their successors are worth, read once for a whole propagation.

use nutcracker_game::Game;

use crate::cache::NodeMap;
use crate::error::Result;
use crate::graph::Graph;
use crate::node::{CostKind, Costs, Edge, Node, NodeId};
use crate::store::Store;
use crate::value::{Hundredths, Value};

/// A move from its mover's point of view.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub edge: Edge,
    pub value: Value,
    pub estimate: Hundredths,
    /// The costs of its successor, by the metrics of the mover.
    pub costs: Costs,
}

impl Move {
    pub fn new(edge: Edge, child: &Node) -> Self {
        let value = child.value.through(edge.gain, edge.turn);
        let costs = CostKind::ALL.map(|metric| child.cost(metric.after(edge.turn)));
        Move { edge, value, estimate: value.estimate(), costs }
    }
}

/// Cached moves of nodes: during a propagation a node is recomputed repeatedly, and its successors
/// are read once.
#[derive(Debug, Default)]
pub struct MoveCache {
    places: NodeMap<usize>,
    lists: Vec<Vec<Move>>,
}

impl MoveCache {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.places.clear();
    }

    /// The moves of a node, read from the graph unless they are cached.
    pub fn of<G: Game, S: Store>(
        &mut self,
        graph: &mut Graph<G, S>,
        id: NodeId,
    ) -> Result<&[Move]> {
        if let Some(&place) = self.places.get(&id) {
            return Ok(&self.lists[place]);
        }
        let (place, mut moves) = self.place(id);
        if let Err(error) = moves_of(graph, id, &mut moves) {
            self.clear();
            return Err(error);
        }
        self.lists[place] = moves;
        Ok(&self.lists[place])
    }

    /// A buffer for a node's moves, with its old contents.
    fn place(&mut self, id: NodeId) -> (usize, Vec<Move>) {
        if self.places.len() >= MOST {
            self.clear();
        }
        let place = self.places.len();
        if place == self.lists.len() {
            self.lists.push(Vec::new());
        }
        self.places.insert(id, place);
        (place, std::mem::take(&mut self.lists[place]))
    }

    /// Updates the cached moves that lead to a changed node.
    pub fn update(&mut self, parent: NodeId, id: NodeId, node: &Node) {
        if let Some(&place) = self.places.get(&parent) {
            for mv in &mut self.lists[place] {
                if mv.edge.child == id {
                    *mv = Move::new(mv.edge, node);
                }
            }
        }
    }
}

/// The largest number of nodes whose moves are cached.
const MOST: usize = 10_000;

/// The moves of a node with the costs of their successors; replaces the contents of `moves`.
pub fn moves_of<G: Game, S: Store>(
    graph: &mut Graph<G, S>,
    id: NodeId,
    moves: &mut Vec<Move>,
) -> Result<()> {
    moves.clear();
    graph.each_move(id, |&edge, child| moves.push(Move::new(edge, child)))
}

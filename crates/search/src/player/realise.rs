//! How many plies it takes to realise a score: the distance to the next exit, a move out of the
//! slice, when one side forces it and both keep the score.
//!
//! A score is what can be attained, not how. Inside a slice, moves that keep a score may lead round
//! in circles forever, and then the rest is divided. But a score above 0 was found by a finite
//! number of steps: the side that profits (the *attacker*) has a move that keeps the score and
//! leads out of the slice, or one to a position from which every keeping move of the other side
//! leads nearer to such a move. The number of plies, with the attacker choosing the fewest and the
//! defender the most, is the *distance*. An attacker that always reduces it leaves the slice with
//! its score.
//!
//! Only positions worth `±level` to their mover matter: a keeping move inside a slice turns the
//! sign and nothing else. From a root they are explored in breadth, and after some depths the
//! distances are worked out backward, with what is not explored yet as never. A distance of the
//! root that is at most the explored depth is exact: no line that realises the score in this many
//! plies can leave the explored part. So distances do not depend on the order of queries.
//!
//! Where positions of the game so far are *closed*, because to enter them ends the game with
//! nothing, scores are not what a move is worth, and a defender may have a way out through a move
//! that gives away score. Then every move of the defender is followed, and every one of the
//! attacker that its score allows: what is forced in this larger graph is forced whatever the
//! scores are.
//!
//! Where a repetition is worth something, databases hold what each side can force, and a level of
//! either sign is held in the same way: the attacker follows moves that its bound allows, and a
//! closed position is worth what the rules give there.

use std::collections::{HashMap, HashSet};

use nutcracker_game::{Game, Score, SliceId, Step};

use super::bounded::held_through;
use super::perfect::{PlayerError, score_of};
use crate::Oracle;

/// What is known of the way to an exit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Way<P> {
    /// An exit can be forced within `plies`.
    Forced {
        /// The plies, the exit among them; 0 where the game is over.
        plies: u32,
        /// The positions to which the attacker at the root may go; empty where an exit is played at
        /// once, and for a defender.
        next: Vec<P>,
    },
    /// No exit can be forced without entering a closed position.
    Never,
    /// More positions than allowed would have to be examined.
    Unknown,
}

/// From where a score is realised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root<P> {
    /// The position.
    pub position: P,
    /// What its mover keeps: its score, or less where its best moves are closed.
    pub level: Score,
    /// Whether `level` is its score; else nothing about the root itself is remembered.
    pub whole: bool,
}

/// Positions to enter which ends the game, and whether the root's mover is to move there. They are
/// not identified by rank: mirror images share one, and only the position itself repeats.
pub(super) type Closed<P> = HashSet<(P, bool)>;

/// The aim of the attacker: to keep exactly its level, or to force at least this level, which is
/// above 0, past closed positions; or to force at least this level by databases of bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Aim {
    Keep,
    Force,
    Hold,
}

/// What one side is to force by databases of bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stake<P> {
    /// The position.
    pub position: P,
    /// Whether its mover is to force it; else the opponent.
    pub attacks: bool,
    /// At least this much, and no more than its bound without history.
    pub level: Score,
}

/// Distances found so far, and how to find more.
#[derive(Clone, Debug)]
pub(super) struct Distances {
    known: Known,
    /// Positions that one query may examine.
    pub limit: usize,
}

/// Distances remembered at most; each takes about 40 bytes.
const REMEMBERED: usize = 1 << 21;

impl Distances {
    pub fn new(limit: usize) -> Self {
        Distances { known: HashMap::new(), limit }
    }

    /// A distance that was found before.
    pub fn known(&self, slice: SliceId, index: u64) -> Option<u32> {
        self.known.get(&(slice, index)).copied()
    }

    /// The way from `root` to an exit that keeps its level. What is found is remembered.
    pub fn keep<G: Game, O: Oracle>(
        &mut self,
        game: &G,
        oracle: &O,
        root: Root<G::Position>,
    ) -> Result<Way<G::Position>, PlayerError<O::Error>> {
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let mut graph = Graph::new(game, oracle, root, Aim::Keep);
        let index = graph.nodes[0].index;
        let before = self.known(graph.slice, index).filter(|_| root.whole);
        let found = graph.search(self.limit, before, &self.known, &Closed::new())?;
        let Some((distances, explored)) = found else {
            return Ok(Way::Unknown);
        };
        for (node, &plies) in graph.nodes.iter().zip(&distances) {
            let exact = plies <= explored.saturating_sub(node.depth);
            if plies != NEVER && exact && (node.depth > 0 || root.whole) {
                self.known.insert((graph.slice, node.index), plies);
            }
        }
        Ok(graph.way(&distances))
    }

    /// The way by which the mover at `root` forces an exit worth at least its level, above 0, and
    /// enters no closed position nor lets the other side do so.
    pub fn force<G: Game, O: Oracle>(
        &self,
        game: &G,
        oracle: &O,
        root: Root<G::Position>,
        closed: &Closed<G::Position>,
    ) -> Result<Way<G::Position>, PlayerError<O::Error>> {
        let mut graph = Graph::new(game, oracle, root, Aim::Force);
        let found = graph.search(self.limit, None, &HashMap::new(), closed)?;
        Ok(found.map_or(Way::Unknown, |(distances, _)| graph.way(&distances)))
    }
}

/// The way by which a side forces an exit, the end of the game or a closed position that are worth
/// its level to it; `limit` is the number of positions to examine.
pub(super) fn hold<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    stake: Stake<G::Position>,
    closed: &Closed<G::Position>,
    limit: usize,
) -> Result<Way<G::Position>, PlayerError<O::Error>> {
    let mut graph = Graph::of(game, oracle, stake, Aim::Hold);
    let found = graph.search(limit, None, &HashMap::new(), closed)?;
    Ok(found.map_or(Way::Unknown, |(distances, _)| graph.way(&distances)))
}

/// The distance of what is not explored or never decided.
const NEVER: u32 = u32::MAX;
/// The end of a list of edges.
const END: u32 = u32::MAX;

struct Node<P> {
    position: P,
    index: u64,
    depth: u32,
    /// Whether its mover profits.
    attacks: bool,
    /// The distance where it is immediate: game over, an exit, found before.
    plain: u32,
    /// Moves to follow inside the slice.
    inside: u32,
    /// The last edge that leads here.
    edge: u32,
}

/// An edge, in the list of those that lead to the same node.
struct Edge {
    from: u32,
    before: u32,
}

/// Distances found before, by slice and rank: those of mirror images are the same.
type Known = HashMap<(SliceId, u64), u32>;

/// By what positions are told apart: where none is closed, mirror images are one.
#[derive(PartialEq, Eq, Hash)]
enum Id<P> {
    Rank(u64),
    Position(P),
}

/// The positions around a root that are connected with it by moves to follow.
struct Graph<'a, G: Game, O> {
    game: &'a G,
    oracle: &'a O,
    slice: SliceId,
    aim: Aim,
    /// What the attacker is to get.
    level: Score,
    nodes: Vec<Node<G::Position>>,
    edges: Vec<Edge>,
    ids: HashMap<(Id<G::Position>, bool), u32>,
    frontier: Vec<u32>,
    steps: Vec<Step<G::Position>>,
}

/// The distances of all nodes, and to which depth they are exact.
type Explored = (Vec<u32>, u32);

impl<'a, G: Game, O: Oracle> Graph<'a, G, O> {
    fn new(game: &'a G, oracle: &'a O, root: Root<G::Position>, aim: Aim) -> Self {
        debug_assert_ne!(root.level, 0);
        let Root { position, level, .. } = root;
        Self::of(game, oracle, Stake { position, attacks: level > 0, level: level.abs() }, aim)
    }

    fn of(game: &'a G, oracle: &'a O, root: Stake<G::Position>, aim: Aim) -> Self {
        let mut graph = Graph {
            game,
            oracle,
            slice: game.slice_of(&root.position),
            aim,
            level: root.level,
            nodes: Vec::new(),
            edges: Vec::new(),
            ids: HashMap::new(),
            frontier: Vec::new(),
            steps: Vec::new(),
        };
        let index = graph.index(&root.position);
        let root = graph.add(root.position, index, 0, root.attacks);
        graph.frontier.push(root);
        graph
    }

    /// By which distances are remembered; those of levels held are not.
    fn index(&self, position: &G::Position) -> u64 {
        if self.aim == Aim::Hold { 0 } else { self.game.rank(position) }
    }

    fn id(&self, position: G::Position, index: u64) -> Id<G::Position> {
        if self.aim == Aim::Keep { Id::Rank(index) } else { Id::Position(position) }
    }

    fn add(&mut self, position: G::Position, index: u64, depth: u32, attacks: bool) -> u32 {
        let id = self.nodes.len() as u32;
        let node = Node { position, index, depth, attacks, plain: NEVER, inside: 0, edge: END };
        self.nodes.push(node);
        self.ids.insert((self.id(position, index), attacks), id);
        id
    }

    /// The node of a position, if it has one. Those that the root leads to have one each: the mover
    /// chooses among them.
    fn node(&self, position: G::Position, index: u64, depth: u32, attacks: bool) -> Option<u32> {
        let id = *self.ids.get(&(self.id(position, index), attacks))?;
        (depth > 1 || self.nodes[id as usize].position == position).then_some(id)
    }

    /// Explores until the root's distance is exact, or everything is explored: the distances of all
    /// nodes, and to which depth they are exact. `None` where the limit was reached first.
    fn search(
        &mut self,
        limit: usize,
        before: Option<u32>,
        known: &Known,
        closed: &Closed<G::Position>,
    ) -> Result<Option<Explored>, PlayerError<O::Error>> {
        let mut depth = 0;
        loop {
            // Half as deep again each time: working out distances costs no more than exploring.
            for _ in 0..(depth / 2).max(1) {
                self.explore(known, closed)?;
                depth += 1;
            }
            let distances = self.distances();
            if self.frontier.is_empty() {
                return Ok(Some((distances, NEVER)));
            }
            if distances[0] <= depth || before == Some(distances[0]) {
                return Ok(Some((distances, depth)));
            }
            if self.nodes.len() > limit {
                return Ok(None);
            }
        }
    }

    /// Whether a move is to be followed.
    fn follows(
        &self,
        attacks: bool,
        step: &Step<G::Position>,
    ) -> Result<bool, PlayerError<O::Error>> {
        let value = || score_of(self.game, self.oracle, &step.next).map(|score| step.value(score));
        Ok(match (self.aim, attacks) {
            (Aim::Keep, true) => value()? == self.level,
            (Aim::Keep, false) => value()? == -self.level,
            (Aim::Force, true) => value()? >= self.level,
            (Aim::Hold, true) => held_through(self.game, self.oracle, step, true)? >= self.level,
            (Aim::Force | Aim::Hold, false) => true,
        })
    }

    /// Whether entering a closed position, in which the attacker or else the defender would move,
    /// gives the attacker its level.
    fn has_enough(&self, closed: &G::Position, attacks: bool) -> bool {
        let score = self.game.repeated(closed);
        self.aim == Aim::Hold && if attacks { score } else { -score } >= self.level
    }

    /// One ply deeper.
    fn explore(
        &mut self,
        known: &Known,
        closed: &Closed<G::Position>,
    ) -> Result<(), PlayerError<O::Error>> {
        let mut deeper = Vec::new();
        let mut steps = std::mem::take(&mut self.steps);
        for id in std::mem::take(&mut self.frontier) {
            let Node { position, depth, attacks, .. } = self.nodes[id as usize];
            if self.game.outcome(&position).is_some() {
                self.nodes[id as usize].plain = 0;
                continue;
            }
            steps.clear();
            self.game.steps(&position, &mut steps);
            let (mut exits, mut inside) = (false, Vec::new());
            let roots_mover = self.nodes[0].attacks != attacks;
            for step in &steps {
                let stays = self.game.slice_of(&step.next) == self.slice;
                let is_closed = stays && closed.contains(&(step.next, roots_mover));
                let ends = is_closed && self.has_enough(&step.next, !attacks);
                if !ends && !self.follows(attacks, step)? {
                    continue;
                }
                if stays && !ends {
                    inside.push(step.next);
                } else {
                    exits = true;
                }
            }
            if exits && (attacks || inside.is_empty()) {
                self.nodes[id as usize].plain = 1;
                continue;
            }
            self.nodes[id as usize].inside = inside.len() as u32;
            for next in inside {
                let index = self.index(&next);
                let child = if let Some(child) = self.node(next, index, depth + 1, !attacks) {
                    child
                } else {
                    let child = self.add(next, index, depth + 1, !attacks);
                    if let Some(&plies) = known.get(&(self.slice, index)) {
                        self.nodes[child as usize].plain = plies;
                    } else if !closed.contains(&(next, roots_mover)) {
                        deeper.push(child);
                    }
                    child
                };
                let before = self.nodes[child as usize].edge;
                self.nodes[child as usize].edge = self.edges.len() as u32;
                self.edges.push(Edge { from: id, before });
            }
        }
        self.steps = steps;
        self.frontier = deeper;
        Ok(())
    }

    /// The distance of every node, as far as explored: nearest first, from children to parents.
    fn distances(&self) -> Vec<u32> {
        let mut distances = vec![NEVER; self.nodes.len()];
        let mut open: Vec<u32> = self.nodes.iter().map(|node| node.inside).collect();
        let mut ready: Vec<Vec<u32>> = Vec::new();
        let put = |ready: &mut Vec<Vec<u32>>, plies: u32, id: u32| {
            if ready.len() <= plies as usize {
                ready.resize(plies as usize + 1, Vec::new());
            }
            ready[plies as usize].push(id);
        };
        for (id, node) in self.nodes.iter().enumerate() {
            if node.plain != NEVER {
                distances[id] = node.plain;
                put(&mut ready, node.plain, id as u32);
            }
        }
        let mut plies = 0;
        while (plies as usize) < ready.len() {
            for id in std::mem::take(&mut ready[plies as usize]) {
                let mut edge = self.nodes[id as usize].edge;
                while edge != END {
                    let Edge { from, before } = self.edges[edge as usize];
                    edge = before;
                    open[from as usize] -= 1;
                    let attacks = self.nodes[from as usize].attacks;
                    // The nearest child decides for the attacker, the farthest for the defender.
                    let decided = attacks || open[from as usize] == 0;
                    if decided && distances[from as usize] == NEVER {
                        distances[from as usize] = plies + 1;
                        put(&mut ready, plies + 1, from);
                    }
                }
            }
            plies += 1;
        }
        distances
    }

    /// The result for the root, from the distances.
    fn way(&self, distances: &[u32]) -> Way<G::Position> {
        let plies = distances[0];
        if plies == NEVER {
            return Way::Never;
        }
        let leads = self.nodes[0].attacks && self.nodes[0].plain == NEVER;
        let nearer = |(node, &its): (&Node<G::Position>, &u32)| {
            (leads && node.depth == 1 && its + 1 == plies).then_some(node.position)
        };
        let nodes = self.nodes.iter().zip(distances).filter(|(_, its)| **its != NEVER);
        Way::Forced { plies, next: nodes.filter_map(nearer).collect() }
    }
}

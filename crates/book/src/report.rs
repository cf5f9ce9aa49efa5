//! Reports: tables, lines, and the drop-out diagram.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use nutcracker_game::{Game, Score, Turn};

use crate::book::Book;
use crate::derive::plies;
use crate::error::Result;
use crate::graph::NodeWalk;
use crate::node::{CostKind, NodeId, State};
use crate::store::Store;
use crate::strategy::{Player, drop_out};
use crate::value::{Hundredths, Value};

/// The nodes of one depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DepthRow {
    /// Nodes.
    pub nodes: u64,
    /// Those that are solved.
    pub solved: u64,
    /// Moves in the book that lead to them.
    pub predecessors: u64,
    /// Legal moves of all of them.
    pub degree: u64,
}

/// A leaf that can be reached while the book's player plays best moves and the opponent any moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DropOut {
    /// Moves from the start.
    pub depth: u32,
    /// The value for the book's player there, in hundredths, including what was banked on the way.
    pub value: Hundredths,
}

/// The leaves with their numbers, and the expansion frontier.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Diagram {
    /// Leaves that are still open, by depth and value.
    pub open: BTreeMap<DropOut, u64>,
    /// Terminal positions and other solved leaves.
    pub solved: BTreeMap<DropOut, u64>,
    /// The value of the start position to the book's player.
    pub root: Hundredths,
    /// The depth of the expansion frontier at the value of the start position; it falls by ω for
    /// each point of value. `None` if there is nothing to expand.
    pub frontier: Option<f64>,
    /// The leaf that is expanded next by drop-out with the book's aim.
    pub next: Option<NodeId>,
    /// ω.
    pub omega: f64,
}

impl<G: Game, S: Store> Book<G, S> {
    /// The nodes by depth.
    pub fn by_depth(&mut self) -> Result<Vec<DepthRow>> {
        let mut rows: Vec<DepthRow> = Vec::new();
        let mut walk = NodeWalk::default();
        while let Some(id) = walk.next(&self.valued.graph)? {
            let node = self.node(id)?;
            let depth = node.depth as usize;
            let (solved, predecessors) = (node.value.is_solved(), node.parents.len() as u64);
            let degree = match node.state {
                State::Interior => node.edges.len(),
                State::Over => 0,
                State::Leaf => self.moves(id)?.1.len(),
            };
            if rows.len() <= depth {
                rows.resize(depth + 1, DepthRow::default());
            }
            let row = &mut rows[depth];
            row.nodes += 1;
            row.solved += u64::from(solved);
            row.predecessors += predecessors;
            row.degree += degree as u64;
        }
        Ok(rows)
    }

    /// The best moves of a node, as indices in the order of the rules; for a solved node the moves
    /// that are proven to keep its score, not those that are only guessed to.
    pub fn best_moves(&mut self, id: NodeId) -> Result<Vec<usize>> {
        let values = self.move_values(id)?;
        if let Some(score) = self.node(id)?.value.score() {
            let keeps = |&at: &usize| values[at].lower >= score;
            let proven: Vec<usize> = (0..values.len()).filter(keeps).collect();
            // No single move keeps a score that is proven by repetition.
            if !proven.is_empty() {
                return Ok(proven);
            }
        }
        let best = values.iter().map(Value::estimate).max();
        Ok((0..values.len()).filter(|&at| Some(values[at].estimate()) == best).collect())
    }

    /// Principal variations from a node, at most `most`; each ends where the book ends or a
    /// position repeats.
    pub fn lines(&mut self, id: NodeId, most: usize) -> Result<Vec<Vec<(NodeId, usize)>>> {
        let mut lines = Vec::new();
        let mut open = vec![(id, Vec::new())];
        while let Some((at, line)) = open.pop() {
            let seen = line.iter().any(|&(before, _)| before == at);
            let best = if seen { Vec::new() } else { self.best_moves(at)? };
            if best.is_empty() {
                lines.push(line);
                if lines.len() >= most {
                    break;
                }
                continue;
            }
            for place in best.into_iter().rev() {
                let child = self.node(at)?.edges[place].child;
                let mut longer: Vec<(NodeId, usize)> = line.clone();
                longer.push((at, place));
                open.push((child, longer));
            }
        }
        Ok(lines)
    }

    /// The drop-out diagram of one player's book; its frontier is the cost of the leaf that
    /// drop-out expands next, by the book's aim.
    pub fn dropouts(&mut self, player: Player) -> Result<Diagram> {
        let (root, first) = (self.root(), self.grows_first(player)?);
        let sign = if first { 1 } else { -1 };
        let player = if first { Player::First } else { Player::Second };
        let next = drop_out(&mut self.valued, player, self.chooser.next_turn())?;
        let mut diagram = Diagram {
            root: sign * self.node(root)?.value.estimate(),
            frontier: next.map(|(cost, _)| plies(cost)),
            next: next.map(|(_, leaf)| leaf),
            omega: self.facts().tuning.omega,
            ..Diagram::default()
        };
        self.walk_leaves(player, usize::MAX, |leaf, solved, _| {
            let side = if solved { &mut diagram.solved } else { &mut diagram.open };
            *side.entry(leaf).or_insert(0) += 1;
            ControlFlow::Continue(())
        })?;
        Ok(diagram)
    }

    /// The moves, by their places, to the first leaf of one player's drop-out diagram with this
    /// depth and value; `None` if there is none among the first `most` nodes.
    pub fn line_to_leaf(
        &mut self,
        player: Player,
        target: DropOut,
        most: usize,
    ) -> Result<Option<Vec<usize>>> {
        let mut found = None;
        self.walk_leaves(player, most, |leaf, _, line| {
            if leaf == target {
                found = Some(line());
            }
            if found.is_some() || leaf.depth > target.depth {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        Ok(found)
    }

    /// Whether the book is that of the player who moves first.
    fn grows_first(&mut self, player: Player) -> Result<bool> {
        let root = self.root();
        Ok(match player {
            Player::First => true,
            Player::Second => false,
            Player::Both => {
                let node = self.node(root)?;
                node.cost(CostKind::Book) <= node.cost(CostKind::Opponent)
            }
        })
    }

    /// Visits the leaves of one player's drop-out diagram, nearest first: the book's player plays
    /// best moves, the opponent plays any. `visit` gets the leaf, whether it is solved, and a
    /// function that returns the moves that lead to it. At most `most` nodes are visited.
    fn walk_leaves(
        &mut self,
        player: Player,
        most: usize,
        mut visit: impl FnMut(DropOut, bool, &dyn Fn() -> Vec<usize>) -> ControlFlow<()>,
    ) -> Result<()> {
        /// A node on the walk, and the stop and move by which it was reached.
        struct Stop {
            id: NodeId,
            /// Whether the book's player moves.
            ours: bool,
            /// That player's lead.
            ahead: Score,
            depth: u32,
            before: Option<(usize, usize)>,
        }
        let ours = self.grows_first(player)?;
        let roots = self.facts().roots.iter();
        let mut stops: Vec<Stop> =
            roots.map(|&id| Stop { id, ours, ahead: 0, depth: 0, before: None }).collect();
        let mut seen: HashSet<_> = stops.iter().map(|stop| (stop.id, ours, 0)).collect();
        let mut place = 0;
        while place < stops.len().min(most) {
            let Stop { id, ours, ahead, depth, .. } = stops[place];
            let node = self.node(id)?;
            let (value, edges) = (node.value, node.edges.clone());
            if edges.is_empty() {
                let sign = if ours { 1 } else { -1 };
                let estimate = 100 * Hundredths::from(ahead) + sign * value.estimate();
                let line = || {
                    let mut line = Vec::new();
                    let mut at = place;
                    while let Some((before, mv)) = stops[at].before {
                        line.push(mv);
                        at = before;
                    }
                    line.reverse();
                    line
                };
                let leaf = DropOut { depth, value: estimate };
                if visit(leaf, value.is_solved(), &line).is_break() {
                    break;
                }
            } else {
                let played = if ours { self.best_moves(id)? } else { (0..edges.len()).collect() };
                for mv in played {
                    let edge = edges[mv];
                    let ahead = ahead + if ours { edge.gain } else { -edge.gain };
                    let ours = if edge.turn == Turn::Passes { !ours } else { ours };
                    if seen.insert((edge.child, ours, ahead)) {
                        let before = Some((place, mv));
                        stops.push(Stop { id: edge.child, ours, ahead, depth: depth + 1, before });
                    }
                }
            }
            place += 1;
        }
        Ok(())
    }
}

impl Diagram {
    /// The least depth at which an opponent leaves the book, by concession: for each concession in
    /// hundredths, in ascending order, the first that is nearer than all smaller ones.
    pub fn exits(&self) -> Vec<(Hundredths, u32)> {
        let mut all: Vec<(Hundredths, u32)> =
            self.open.keys().map(|leaf| (leaf.value - self.root, leaf.depth)).collect();
        all.sort_unstable();
        let mut exits: Vec<(Hundredths, u32)> = Vec::new();
        for (price, depth) in all {
            if exits.last().is_none_or(|&(_, nearest)| depth < nearest) {
                exits.push((price, depth));
            }
        }
        exits
    }
}

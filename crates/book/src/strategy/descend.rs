//! The way from the root to the leaf that a cost rests on, or would rest on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nutcracker_game::{Game, Turn};

use super::score_like;
use crate::cache::NodeSet;
use crate::derive::{Move, Tolls, Valued, moves_of, step};
use crate::error::Result;
use crate::node::{Cost, CostKind, Edge, NEVER, NodeId, State};
use crate::store::Store;
use crate::value::Value;

/// The scores that still matter: a position that is proven to be worth no more than the first, or
/// no less than the second, changes nothing at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window(i32, i32);

impl Window {
    /// Everything.
    pub const WIDE: Window = Window(i32::MIN / 2, i32::MAX / 2);

    /// The window of a root with this value: whether it is worth its estimated score, and whether
    /// it is worth more. By how much matters only once the estimate is more.
    pub fn of(root: &Value) -> Self {
        let score = score_like(root.estimate());
        Window(score - 1, score + 1).within(root)
    }

    /// Narrowed by what is proven about a position.
    fn within(self, value: &Value) -> Self {
        Window(self.0.max(value.lower.into()), self.1.min(value.upper.into()))
    }

    fn is_empty(self) -> bool {
        self.0 >= self.1
    }

    /// After a move.
    fn after(self, edge: &Edge) -> Self {
        let gain = i32::from(edge.gain);
        match edge.turn {
            Turn::Passes => Window(gain - self.1, gain - self.0),
            Turn::Stays => Window(self.0 - gain, self.1 - gain),
        }
    }
}

/// What a proven draw counts for, while leaves are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draws {
    /// Its score.
    Score,
    /// A win of the player who moves first.
    First,
    /// A win of the other player.
    Second,
}

impl Draws {
    /// Leaves out what is proven to be a draw or a loss for a player to whom draws are losses, and
    /// what is not proven to be a draw or better for one to whom they are wins; all moves stay if
    /// none would be left.
    fn count(self, moves: &mut Vec<Move>, first: bool, ahead: i32) {
        let wins = match self {
            Draws::Score => return,
            Draws::First => first,
            Draws::Second => !first,
        };
        let stays = |mv: &Move| {
            if wins {
                ahead + i32::from(mv.value.lower) >= 0
            } else {
                mv.value.score().is_none_or(|score| ahead + i32::from(score) > 0)
            }
        };
        if moves.iter().any(stays) {
            moves.retain(stays);
        }
    }
}

/// A way from a root to an open leaf.
pub struct Descent {
    pub root: NodeId,
    pub metric: CostKind,
    /// What matters; `None` if all positions do, whatever is proven of them.
    pub window: Option<Window>,
    pub draws: Draws,
    /// Nodes after which it gives up.
    pub most: usize,
}

/// A node on the way.
struct Stop {
    id: NodeId,
    metric: CostKind,
    window: Option<Window>,
    /// The cost of the way so far.
    cost: Cost,
    /// Whether the player moves who moved first, and the mover's lead.
    first: bool,
    ahead: i32,
}

impl Descent {
    /// Through all positions, with draws as scores.
    pub fn new(root: NodeId, metric: CostKind) -> Self {
        Descent { root, metric, window: None, draws: Draws::Score, most: usize::MAX }
    }

    /// Follows a cost from the root to the leaf that it rests on, through relevant positions;
    /// returns the cost of the path, too.
    ///
    /// Costs do not depend on what is relevant to the root, or on what draws count for. Where they
    /// lead to an irrelevant position, the next best move is taken, and where a path repeats a
    /// position, the descent backtracks.
    pub fn find<G: Game, S: Store>(&self, at: &mut Valued<G, S>) -> Result<Option<(Cost, NodeId)>> {
        let (metric, window) = (self.metric, self.window);
        let mut stack =
            vec![Stop { id: self.root, metric, window, cost: 0, first: true, ahead: 0 }];
        let mut seen = NodeSet::default();
        let mut moves: Vec<Move> = Vec::new();
        let tuning = at.graph.facts.tuning;
        while let Some(stop) = stack.pop() {
            let Stop { id, metric, window, cost, first, ahead } = stop;
            if !seen.insert(id << 2 | metric as u64) {
                continue;
            }
            if seen.len() > self.most {
                return Ok(None);
            }
            let node = at.graph.node(id)?;
            if node.cost(metric) == NEVER {
                continue;
            }
            if node.state == State::Leaf {
                return Ok(Some((cost, id)));
            }
            let value = node.value;
            let window = window.map(|window| window.within(&value));
            moves_of(&mut at.graph, id, &mut moves)?;
            let cost: Cost = step(&tuning, &moves).saturating_add(cost);
            if let Some(window) = window {
                moves.retain(|mv| !window.within(&mv.value).is_empty());
            }
            self.draws.count(&mut moves, first, ahead);
            let Some(tolls) = Tolls::new(&tuning, &value, &moves) else { continue };
            let mut open: Vec<_> = moves
                .iter()
                .enumerate()
                .filter_map(|(place, mv)| {
                    let toll = tolls.of(metric, mv)?;
                    let cost = mv.costs[metric as usize];
                    (cost != NEVER).then(|| (cost.saturating_add(toll), -mv.estimate, place, toll))
                })
                .collect();
            // The last one is visited first.
            open.sort_unstable_by(|a, b| b.cmp(a));
            stack.extend(open.into_iter().map(|(_, _, place, toll)| {
                let edge = &moves[place].edge;
                let ahead = ahead + i32::from(edge.gain);
                let passes = edge.turn == Turn::Passes;
                Stop {
                    id: edge.child,
                    metric: metric.after(edge.turn),
                    window: window.map(|window| window.after(edge)),
                    cost: cost.saturating_add(toll),
                    first: first ^ passes,
                    ahead: if passes { -ahead } else { ahead },
                }
            }));
        }
        Ok(None)
    }
}

/// The nearest open leaf of a player's book by the priorities of drop-out, and its cost, if proven
/// draws count as something else than their score: no stored cost knows that, so the book is
/// searched from the root outward.
pub fn nearest<G: Game, S: Store>(
    at: &mut Valued<G, S>,
    root: NodeId,
    metric: CostKind,
    draws: Draws,
) -> Result<Option<(Cost, NodeId)>> {
    let mut open = BinaryHeap::from([Reverse((0, root, metric as usize, true, 0))]);
    let mut seen = NodeSet::default();
    let mut moves: Vec<Move> = Vec::new();
    let tuning = at.graph.facts.tuning;
    while let Some(Reverse((cost, id, metric, first, ahead))) = open.pop() {
        if !seen.insert(id << 2 | metric as u64) {
            continue;
        }
        let metric = CostKind::ALL[metric];
        let node = at.graph.node(id)?;
        let value = node.value;
        match node.state {
            State::Leaf if !value.is_solved() && !at.excluded.contains(&id) => {
                return Ok(Some((cost, id)));
            }
            State::Leaf | State::Over => continue,
            State::Interior => (),
        }
        moves_of(&mut at.graph, id, &mut moves)?;
        let cost: Cost = step(&tuning, &moves).saturating_add(cost);
        // The opponent may play anything.
        if metric == CostKind::Book {
            draws.count(&mut moves, first, ahead);
        }
        let Some(tolls) = Tolls::new(&tuning, &value, &moves) else { continue };
        for mv in &moves {
            let Some(toll) = tolls.of(metric, mv) else { continue };
            let passes = mv.edge.turn == Turn::Passes;
            let ahead = ahead + i32::from(mv.edge.gain);
            open.push(Reverse((
                cost.saturating_add(toll),
                mv.edge.child,
                metric.after(mv.edge.turn) as usize,
                first ^ passes,
                if passes { -ahead } else { ahead },
            )));
        }
    }
    Ok(None)
}

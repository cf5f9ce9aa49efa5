//! Which leaf to expand next.

use std::str::FromStr;

use nutcracker_game::{Game, Turn};

use crate::cache::NodeSet;
use crate::cost::{Way, step, toll};
use crate::effort::{Aim, REPEATS, Threshold, at_least};
use crate::error::Result;
use crate::graph::Book;
use crate::node::{Cost, CostKind, Edge, NEVER, NodeId, State};
use crate::store::Store;
use crate::value::{Hundredths, Value};

/// How the next leaf is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strategy {
    /// The leaf at the end of the best moves of both sides.
    BestFirst,
    /// The leaf that an opponent would most like to reach to leave the book: near, and not much
    /// worse than the best.
    DropOut(Player),
    /// The leaf most likely to change the value of the root: of the smallest set that must change
    /// together.
    Conspiracy,
    /// The leaf that the smallest proof of the root's value needs.
    Proof,
}

impl Strategy {
    /// All of them, with their names on the command line.
    pub const ALL: [(&'static str, Strategy); 6] = [
        ("best-first", Strategy::BestFirst),
        ("drop-out", Strategy::DropOut(Player::Both)),
        ("drop-out-first", Strategy::DropOut(Player::First)),
        ("drop-out-second", Strategy::DropOut(Player::Second)),
        ("conspiracy", Strategy::Conspiracy),
        ("proof", Strategy::Proof),
    ];
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let found = Strategy::ALL.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, strategy)| strategy).ok_or_else(|| {
            let names = Strategy::ALL.map(|(name, _)| name).join(", ");
            format!("there is no strategy {text:?}; known are {names}")
        })
    }
}

/// Whose book is grown by [`Strategy::DropOut`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Player {
    /// The player who moves in the start position.
    First,
    /// The other player.
    Second,
    /// The player with the nearer leaf.
    Both,
}

/// Nodes that a descent visits before it gives up, for strategies with a fallback.
const SEARCH: usize = 1000;

/// The scores that still matter: a position that is proven to be worth no more than the first, or
/// no less than the second, changes nothing at the root.
#[derive(Clone, Copy, Debug)]
struct Window(i32, i32);

impl Window {
    /// Everything.
    const WIDE: Window = Window(i32::MIN / 2, i32::MAX / 2);

    /// The window of a root with this value: whether it is worth its estimated score, and whether
    /// it is worth more. By how much matters only once the estimate is more.
    fn of(root: &Value) -> Self {
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

impl<G: Game, S: Store> Book<G, S> {
    /// The leaves that a strategy would choose one after the other if expanding them changed
    /// nothing, at most `count`; none if the root is solved or no open leaf is reachable.
    pub fn choose(&mut self, strategy: Strategy, count: usize) -> Result<Vec<NodeId>> {
        let mut leaves = Vec::new();
        self.refresh_efforts()?;
        while leaves.len() < count && !self.root_value()?.is_solved() {
            let leaf = match strategy {
                Strategy::BestFirst => None,
                Strategy::DropOut(player) => self.drop_out(player)?,
                Strategy::Conspiracy => self.conspire()?,
                Strategy::Proof => self.prove()?,
            };
            // Where the costs lead to no leaf, such as behind a proven best move, the best
            // remaining leaf still contributes to a proof of the root.
            let leaf = match leaf {
                Some(leaf) => Some(leaf),
                None => self.best_leaf()?,
            };
            let Some(leaf) = leaf else { break };
            leaves.push(leaf);
            if leaves.len() < count {
                self.claim(leaf)?;
                self.efforts.ways = self.refresh_efforts()?;
            }
        }
        self.release_claims()?;
        Ok(leaves)
    }

    fn drop_out(&mut self, player: Player) -> Result<Option<NodeId>> {
        let root = self.node(self.root())?;
        let (window, costs) = (Window::of(&root.value), root.costs);
        let metric = match player {
            Player::First => CostKind::Book,
            Player::Both if costs[0] <= costs[1] => CostKind::Book,
            Player::Second | Player::Both => CostKind::Opponent,
        };
        let mut found = self.descend(metric, window, SEARCH)?;
        // The leaf that a cost rests on may be irrelevant, and nearer than all relevant ones: the
        // other player's leaf is tried if the path was longer than that.
        let other = metric.turned();
        if player == Player::Both && found.is_none_or(|(cost, _)| cost > costs[other as usize]) {
            let way = self.descend(other, window, SEARCH)?;
            found = [found, way].into_iter().flatten().min();
        }
        Ok(found.map(|(_, leaf)| leaf))
    }

    /// The open leaf at the end of the best moves, or of those that concede least.
    fn best_leaf(&mut self) -> Result<Option<NodeId>> {
        self.keep_best()?;
        let window = Window::of(&self.root_value()?);
        let leaf = self.descend(CostKind::Best, window, usize::MAX)?;
        if let Some((_, leaf)) = leaf {
            return Ok(Some(leaf));
        }
        // All relevant leaves depend on cycles.
        self.efforts.stuck = true;
        let leaf = self.descend(CostKind::Best, Window::WIDE, usize::MAX)?;
        Ok(leaf.map(|(_, leaf)| leaf))
    }

    /// Follows a cost from the root to the leaf that it rests on, through relevant positions;
    /// returns the cost of the path, too.
    ///
    /// Costs do not depend on what is relevant to the root. Where they lead to an irrelevant
    /// position, the next best move is taken, and where a path repeats a position, the descent
    /// backtracks.
    fn descend(
        &mut self,
        metric: CostKind,
        window: Window,
        most: usize,
    ) -> Result<Option<(Cost, NodeId)>> {
        let mut stack = vec![(self.root(), metric, window, 0)];
        let mut seen = NodeSet::default();
        let mut ways: Vec<Way> = Vec::new();
        let tuning = self.facts.tuning;
        while let Some((id, metric, window, gone)) = stack.pop() {
            if !seen.insert(id << 2 | metric as u64) {
                continue;
            }
            if seen.len() > most {
                return Ok(None);
            }
            let node = self.node(id)?;
            if node.cost(metric) == NEVER {
                continue;
            }
            if node.state == State::Leaf {
                return Ok(Some((gone, id)));
            }
            let window = window.within(&node.value);
            self.options(id, &mut ways)?;
            let gone: Cost = step(&tuning, &ways).saturating_add(gone);
            ways.retain(|mv| !window.within(&mv.value).is_empty());
            let best = ways.iter().map(|mv| mv.estimate).max();
            let mut open: Vec<_> = ways
                .iter()
                .enumerate()
                .filter_map(|(at, mv)| {
                    let toll = toll(&tuning, metric, best?, mv)?;
                    let cost = mv.costs[metric as usize];
                    (cost != NEVER).then(|| (cost.saturating_add(toll), -mv.estimate, at, toll))
                })
                .collect();
            // The last one is visited first.
            open.sort_unstable_by(|a, b| b.cmp(a));
            stack.extend(open.into_iter().map(|(_, _, at, toll)| {
                let edge = &ways[at].edge;
                (edge.child, metric.after(edge.turn), window.after(edge), gone.saturating_add(toll))
            }));
        }
        Ok(None)
    }

    /// The leaf that is needed to prove the root's estimate: that it is worth as much, or that it
    /// is not worth more, whichever is nearer.
    fn prove(&mut self) -> Result<Option<NodeId>> {
        let value = self.root_value()?;
        let score = score_like(value.estimate());
        let mut nearest = None;
        for (open, least, above) in [
            (i32::from(value.lower) < score, score, true),
            (i32::from(value.upper) > score, score + 1, false),
        ] {
            if open {
                self.consider(Aim::Prove, at_least(least), above, &mut nearest)?;
            }
        }
        let leaf = self.leaf_of(Aim::Prove, nearest)?;
        self.efforts.stuck |= leaf.is_none();
        Ok(leaf)
    }

    /// A leaf of the smallest set that must change together to change the root's estimated score.
    fn conspire(&mut self) -> Result<Option<NodeId>> {
        let score = score_like(self.root_value()?.estimate());
        let mut nearest = None;
        for (least, above) in [(score + 1, true), (score, false)] {
            self.consider(Aim::Change, at_least(least), above, &mut nearest)?;
        }
        match self.leaf_of(Aim::Change, nearest)? {
            // Only a repetition keeps the score: it is settled, though not proven.
            None => self.prove(),
            found => Ok(found),
        }
    }

    fn consider(
        &mut self,
        aim: Aim,
        threshold: Threshold,
        above: bool,
        nearest: &mut Option<(u32, Threshold, bool)>,
    ) -> Result<()> {
        let effort = self.effort(aim, threshold)?;
        let effort = if above { effort.above } else { effort.below };
        if effort > 0 && effort < REPEATS && nearest.is_none_or(|(least, ..)| effort < least) {
            *nearest = Some((effort, threshold, above));
        }
        Ok(())
    }

    fn leaf_of(
        &mut self,
        aim: Aim,
        nearest: Option<(u32, Threshold, bool)>,
    ) -> Result<Option<NodeId>> {
        match nearest {
            Some((_, threshold, above)) => self.leaf_for(aim, threshold, above),
            None => Ok(None),
        }
    }
}

/// The score nearest to an estimate.
fn score_like(estimate: Hundredths) -> i32 {
    (estimate.abs() + 50) / 100 * estimate.signum()
}

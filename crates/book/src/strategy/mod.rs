//! Which leaf to expand next.

mod descend;
mod efforts;
mod proof;

use std::str::FromStr;

use nutcracker_game::Game;

use crate::derive::Valued;
use crate::error::Result;
use crate::facts::Aim;
use crate::node::{Cost, CostKind, NodeId};
use crate::store::Store;
use crate::value::Hundredths;
use descend::{Descent, Draws, Window, nearest};
use efforts::Efforts;

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

/// Chooses leaves. What it remembers only guides the choice and may be discarded at any time.
#[derive(Debug, Default)]
pub(crate) struct Chooser {
    efforts: Efforts,
    /// Whether everything left depends on cycles.
    stuck: bool,
    /// Counts choices: start positions, and what draws count for, take turns.
    turn: usize,
}

impl Chooser {
    /// Forgets what was derived from the values of the book.
    pub fn clear(&mut self) {
        *self = Chooser { turn: self.turn, ..Chooser::default() };
    }

    /// Whether everything left depends on cycles.
    pub fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// The turn of the next choice.
    pub fn next_turn(&self) -> usize {
        self.turn.wrapping_add(1)
    }

    /// The leaf that a strategy would expand next, apart from the excluded ones; `None` if no open
    /// leaf is left that the aim of the book needs.
    pub fn choose<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        strategy: Strategy,
    ) -> Result<Option<NodeId>> {
        self.efforts.refresh_ways(at)?;
        self.turn = self.next_turn();
        if let Strategy::DropOut(player) = strategy
            && let Some((_, leaf)) = drop_out(at, player, self.turn)?
        {
            return Ok(Some(leaf));
        }
        let roots = at.graph.facts.roots.clone();
        for place in 0..roots.len() {
            let root = roots[(self.turn + place) % roots.len()];
            if let Some(leaf) = self.choose_from(at, strategy, root)? {
                return Ok(Some(leaf));
            }
        }
        Ok(None)
    }

    fn choose_from<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        strategy: Strategy,
        root: NodeId,
    ) -> Result<Option<NodeId>> {
        let aim = at.graph.facts.tuning.aim;
        let solved = at.graph.node(root)?.value.is_solved();
        if solved && aim == Aim::Solve {
            return Ok(None);
        }
        let leaf = match strategy {
            Strategy::Conspiracy if !solved => self.conspire(at, root)?,
            Strategy::Proof if !solved => self.prove(at, root)?,
            // All that a player of the book can be led to is covered.
            Strategy::DropOut(_) if aim == Aim::Play => return Ok(None),
            _ => None,
        };
        // Where the costs lead to no leaf, such as behind a proven best move, the best remaining
        // leaf still contributes to a proof of the root.
        match (leaf, aim) {
            (Some(leaf), _) => Ok(Some(leaf)),
            (None, Aim::Solve) => self.best_leaf(at, root),
            (None, Aim::Play) => self.best_leaf_to_play(at, root),
        }
    }

    /// The open leaf at the end of the best moves, or of those that concede least, that can still
    /// matter to the root.
    fn best_leaf<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        root: NodeId,
    ) -> Result<Option<NodeId>> {
        at.keep_best()?;
        let window = Window::of(&at.graph.node(root)?.value);
        let best = Descent { window: Some(Window::WIDE), ..Descent::new(root, CostKind::Best) };
        if let Some((_, leaf)) = (Descent { window: Some(window), ..best }).find(at)? {
            return Ok(Some(leaf));
        }
        // All relevant leaves depend on cycles.
        self.stuck = true;
        Ok(best.find(at)?.map(|(_, leaf)| leaf))
    }

    /// The open leaf at the end of the best moves; proven draws count as a win of each player in
    /// turn, so that a drawn book goes on to grow where one of them avoids the draw.
    fn best_leaf_to_play<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        root: NodeId,
    ) -> Result<Option<NodeId>> {
        at.keep_best()?;
        let [one, other] = draws_in_turn(self.turn);
        for draws in [one, other, Draws::Score] {
            let descent = Descent { draws, ..Descent::new(root, CostKind::Best) };
            if let Some((_, leaf)) = descent.find(at)? {
                return Ok(Some(leaf));
            }
        }
        Ok(None)
    }
}

/// What draws count for, in turn: the other comes second.
fn draws_in_turn(turn: usize) -> [Draws; 2] {
    let mut draws = [Draws::First, Draws::Second];
    if turn.is_multiple_of(2) {
        draws.swap(0, 1);
    }
    draws
}

/// The leaf that drop-out expands next in a player's book, and its cost: of all start positions the
/// least.
///
/// To play, everything that can be reached while the book's player plays best moves comes first.
/// Where that is covered, proven draws count as wins and losses of either player in turn: the book
/// grows where one of them avoids a draw, or takes it.
pub(crate) fn drop_out<G: Game, S: Store>(
    at: &mut Valued<G, S>,
    player: Player,
    turn: usize,
) -> Result<Option<(Cost, NodeId)>> {
    let found = least(at, |at, root| drop_out_from(at, player, root))?;
    if found.is_some() || at.graph.facts.tuning.aim == Aim::Solve {
        return Ok(found);
    }
    let metrics: &[CostKind] = match player {
        Player::First => &[CostKind::Book],
        Player::Second => &[CostKind::Opponent],
        Player::Both => &[CostKind::Book, CostKind::Opponent],
    };
    for draws in draws_in_turn(turn) {
        for &metric in metrics {
            let found = least(at, |at, root| nearest(at, root, metric, draws))?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// Of the leaves found from all start positions the one that costs least.
fn least<G: Game, S: Store>(
    at: &mut Valued<G, S>,
    mut find: impl FnMut(&mut Valued<G, S>, NodeId) -> Result<Option<(Cost, NodeId)>>,
) -> Result<Option<(Cost, NodeId)>> {
    let mut least = None;
    for place in 0..at.graph.facts.roots.len() {
        let root = at.graph.facts.roots[place];
        let found = find(at, root)?;
        least = [least, found].into_iter().flatten().min_by_key(|&(cost, _)| cost);
    }
    Ok(least)
}

fn drop_out_from<G: Game, S: Store>(
    at: &mut Valued<G, S>,
    player: Player,
    root: NodeId,
) -> Result<Option<(Cost, NodeId)>> {
    let node = at.graph.node(root)?;
    let (value, costs) = (node.value, node.costs);
    let metric = match player {
        Player::First => CostKind::Book,
        Player::Both if costs[0] <= costs[1] => CostKind::Book,
        Player::Second | Player::Both => CostKind::Opponent,
    };
    let descent = match at.graph.facts.tuning.aim {
        Aim::Play => return Descent::new(root, metric).find(at),
        Aim::Solve if value.is_solved() => return Ok(None),
        Aim::Solve => {
            let window = Some(Window::of(&value));
            Descent { window, most: SEARCH, ..Descent::new(root, metric) }
        }
    };
    let mut found = descent.find(at)?;
    // The leaf that a cost rests on may be irrelevant, and nearer than all relevant ones: the
    // other player's leaf is tried if the path was longer than that.
    let other = metric.turned();
    if player == Player::Both && found.is_none_or(|(cost, _)| cost > costs[other as usize]) {
        let way = Descent { metric: other, ..descent }.find(at)?;
        found = [found, way].into_iter().flatten().min();
    }
    Ok(found)
}

/// The score nearest to an estimate.
fn score_like(estimate: Hundredths) -> i32 {
    (estimate.abs() + 50) / 100 * estimate.signum()
}

#[cfg(test)]
mod tests;

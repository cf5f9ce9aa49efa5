//! Playing from a book and learning from games.
//!
//! Moves are chosen by negamax over the book: a line that is proven to be lost is worse than any
//! guess, so that the same game is not lost twice while there is an alternative. Games are added
//! with all their deviations, evaluated by an expert.

use nutcracker_game::{Game, Score, Turn};

use crate::error::{BookError, Result};
use crate::expert::Expert;
use crate::graph::Book;
use crate::node::{Edge, NodeId, State};
use crate::store::Store;
use crate::value::{Hundredths, Propagation};

/// Larger than any guess.
pub const WIN: Hundredths = 1_000_000;

/// Positions visited for one move; beyond them the stored values are used.
const BUDGET: u32 = 200_000;

/// The value of a draw for the player who uses the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawAs {
    /// A number of hundredths of a point: 0, or another threshold.
    Worth(Hundredths),
    /// As a win, when a draw suffices.
    Win,
    /// As a loss, when only a win helps.
    Loss,
}

/// How moves are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Draws that occurred in public games, which opponents may know.
    pub public_draws: DrawAs,
    /// Draws that only the book contains.
    pub private_draws: DrawAs,
    /// How much worse than the best a move may be, over the whole game.
    pub epsilon: Hundredths,
}

impl Default for Style {
    /// Draws count 0, only best moves are played.
    fn default() -> Self {
        let draw = DrawAs::Worth(0);
        Style { public_draws: draw, private_draws: draw, epsilon: 0 }
    }
}

/// A candidate move of the book.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// Its place in the order of the rules.
    pub place: usize,
    /// What the final result is worth to the mover, in hundredths; [`WIN`] if won.
    pub worth: Hundredths,
    /// The principal variations that begin with it.
    pub lines: f64,
}

/// Chooses the moves of one game.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    style: Style,
    /// The best value that the book has promised so far.
    best: Option<Hundredths>,
}

/// A node as it is reached in a game: the lead so far decides what a score is worth.
type Reached = (NodeId, Score, bool);

struct Lookup {
    style: Style,
    worth: std::collections::HashMap<Reached, Option<Hundredths>>,
    lines: std::collections::HashMap<Reached, f64>,
    least: Hundredths,
}

impl Guide {
    /// For a new game.
    pub fn new(style: Style) -> Self {
        Guide { style, best: None }
    }

    /// The candidate moves of a node; `ahead` is what the mover has banked minus what the opponent
    /// has. None where the book has no moves.
    ///
    /// The best value available so far in this game is remembered, so that small concessions do not
    /// add up.
    pub fn choices<G: Game, S: Store>(
        &mut self,
        book: &mut Book<G, S>,
        id: NodeId,
        ahead: Score,
    ) -> Result<Vec<Choice>> {
        let mut lookup = Lookup {
            style: self.style,
            worth: std::collections::HashMap::new(),
            lines: std::collections::HashMap::new(),
            least: Hundredths::MIN,
        };
        let edges = book.node(id)?.edges.clone();
        let mut choices = Vec::new();
        for (place, edge) in edges.iter().enumerate() {
            let worth = lookup.edge_worth(book, edge, ahead, true)?;
            choices.push(Choice { place, worth, lines: 0.0 });
        }
        let Some(most) = choices.iter().map(|choice| choice.worth).max() else {
            return Ok(choices);
        };
        let best = self.best.map_or(most, |best| best.max(most));
        self.best = Some(best);
        // If the book was wrong about the past, the best move left is best.
        lookup.least = (best - self.style.epsilon).min(most);
        choices.retain(|choice| choice.worth >= lookup.least);
        if self.style.epsilon == 0 && book.node(id)?.value.is_solved() {
            // Proven values come before equal guesses.
            let proven = book.best_moves(id, Propagation::Attributed)?;
            if choices.iter().any(|choice| proven.contains(&choice.place)) {
                choices.retain(|choice| proven.contains(&choice.place));
            }
        }
        for choice in &mut choices {
            let edge = edges[choice.place];
            choice.lines = lookup.lines(book, after(&edge, ahead, true))?;
        }
        Ok(choices)
    }

    /// A move such that every principal variation is equally likely, by a random number from 0 to
    /// 1.
    pub fn pick(choices: &[Choice], random: f64) -> Option<Choice> {
        let all: f64 = choices.iter().map(|choice| choice.lines).sum();
        let mut left = random * all;
        for choice in choices {
            left -= choice.lines;
            if left < 0.0 {
                return Some(*choice);
            }
        }
        choices.last().copied()
    }
}

/// Where a move leads.
fn after(edge: &Edge, ahead: Score, ours: bool) -> Reached {
    match edge.turn {
        Turn::Passes => (edge.child, -(ahead + edge.gain), !ours),
        Turn::Stays => (edge.child, ahead + edge.gain, ours),
    }
}

impl Lookup {
    fn edge_worth<G: Game, S: Store>(
        &mut self,
        book: &mut Book<G, S>,
        edge: &Edge,
        ahead: Score,
        ours: bool,
    ) -> Result<Hundredths> {
        let worth = self.worth(book, after(edge, ahead, ours))?;
        Ok(if edge.turn == Turn::Passes { -worth } else { worth })
    }

    /// A draw, for the mover.
    fn draw(&self, public: bool, ours: bool) -> Hundredths {
        let counted = if public { self.style.public_draws } else { self.style.private_draws };
        let worth = match counted {
            DrawAs::Worth(worth) => worth,
            DrawAs::Win => WIN,
            DrawAs::Loss => -WIN,
        };
        if ours { worth } else { -worth }
    }

    /// What a node is worth to its mover.
    fn worth<G: Game, S: Store>(
        &mut self,
        book: &mut Book<G, S>,
        reached: Reached,
    ) -> Result<Hundredths> {
        let (id, ahead, ours) = reached;
        let node = book.node(id)?;
        let (value, state, public) = (node.value, node.state, node.marks.public);
        if let Some(known) = self.worth.get(&reached) {
            // Already on the path: a repetition.
            return Ok(known.unwrap_or_else(|| self.result(0, ahead, public, ours)));
        }
        let draws_differ = self.style.public_draws != self.style.private_draws;
        let guess = (100 * Hundredths::from(ahead) + value.estimate()).clamp(1 - WIN, WIN - 1);
        let interior = state == State::Interior && self.worth.len() < BUDGET as usize;
        let worth = match value.score() {
            Some(score) if ahead + score != 0 || !draws_differ || !interior => {
                self.result(score, ahead, public, ours)
            }
            None if !interior => guess,
            _ => {
                self.worth.insert(reached, None);
                let mut best = -WIN;
                for edge in book.node(id)?.edges.clone() {
                    best = best.max(self.edge_worth(book, &edge, ahead, ours)?);
                }
                best
            }
        };
        self.worth.insert(reached, Some(worth));
        Ok(worth)
    }

    fn result(&self, score: Score, ahead: Score, public: bool, ours: bool) -> Hundredths {
        match (ahead + score).signum() {
            0 => self.draw(public, ours),
            sign => WIN * Hundredths::from(sign),
        }
    }

    /// The principal variations from here: our moves within the tolerance, the opponent's best.
    fn lines<G: Game, S: Store>(&mut self, book: &mut Book<G, S>, reached: Reached) -> Result<f64> {
        let (id, ahead, ours) = reached;
        if let Some(&lines) = self.lines.get(&reached) {
            return Ok(lines);
        }
        self.lines.insert(reached, 1.0);
        let mut sum = 0.0;
        let worth = self.worth(book, reached)?;
        if self.lines.len() < BUDGET as usize {
            for edge in book.node(id)?.edges.clone() {
                let mv = self.edge_worth(book, &edge, ahead, ours)?;
                if mv == worth || ours && mv >= self.least {
                    sum += self.lines(book, after(&edge, ahead, ours))?;
                }
            }
        }
        let lines = if sum > 0.0 { sum } else { 1.0 };
        self.lines.insert(reached, lines);
        Ok(lines)
    }
}

impl<G: Game, S: Store> Book<G, S> {
    /// The best move of a node that no game has played and behind which the book has nothing: a
    /// deviation from known games.
    pub fn best_deviation(&mut self, id: NodeId) -> Result<Option<usize>> {
        let mut best = None;
        for (place, edge) in self.node(id)?.edges.clone().iter().enumerate() {
            let child = self.node(edge.child)?;
            if child.state == State::Leaf && !child.marks.played {
                let estimate = child.value.through(edge.gain, edge.turn).estimate();
                if best.is_none_or(|(most, _)| estimate > most) {
                    best = Some((estimate, place));
                }
            }
        }
        Ok(best.map(|(_, place)| place))
    }

    /// Adds a game from the start position: all moves of all its positions are added to the book,
    /// and its path is marked. Returns the number of positions expanded.
    ///
    /// The result is not needed: a complete game ends in a terminal position, whose score follows
    /// from the rules.
    pub fn learn<E: Expert<G> + Send>(
        &mut self,
        moves: &[G::Move],
        public: bool,
        experts: &mut [E],
    ) -> Result<u64> {
        let mut id = self.root();
        let mut expanded = 0;
        for at in 0..=moves.len() {
            let marks = self.node(id)?.marks;
            if !marks.played || public && !marks.public {
                let marks = &mut self.edit(id)?.marks;
                marks.played = true;
                marks.public |= public;
            }
            let Some(mv) = moves.get(at) else { break };
            if self.node(id)?.state == State::Leaf {
                expanded += self.expand_all(&[id], experts)?;
            }
            let (_, legal) = self.moves(id)?;
            let Some(place) = legal.iter().position(|known| known == mv) else {
                return Err(BookError::Illegal(format!(
                    "move {} of the game, {mv:?}, is not legal; correct the game",
                    at + 1
                )));
            };
            id = self.node(id)?.edges[place].child;
        }
        self.commit_if_due()?;
        Ok(expanded)
    }
}

#[cfg(test)]
mod tests;

//! Playing from a book.
//!
//! A move is chosen by what the book has stored of the current position and its successors, in
//! bounded time. Proofs come before guesses: a move that is proven to win is better than any guess,
//! and one that is proven to lose is worse, so that the same game is not lost twice while there is
//! an alternative. A proven score is realised, not only kept: see
//! [`ProofDepth`](crate::node::ProofDepth).

use std::fmt;
use std::str::FromStr;

use nutcracker_game::{Game, Score, Turn};

use crate::book::Book;
use crate::derive::moves_of;
use crate::error::Result;
use crate::node::NodeId;
use crate::store::Store;
use crate::value::{Hundredths, Value};

/// The worth of a win is this or more, that of a loss less than minus this; no guess is as large.
pub const WIN: Hundredths = 1_000_000;

/// The value of a draw for the player who uses the book: `win`, `loss`, or a number of points.
///
/// ```
/// use nutcracker_book::play::DrawAs;
///
/// assert_eq!("loss".parse(), Ok(DrawAs::Loss));
/// assert_eq!("-0.5".parse(), Ok(DrawAs::Worth(-50)));
/// assert!("maybe".parse::<DrawAs>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawAs {
    /// A number of hundredths of a point: 0, or another threshold.
    Worth(Hundredths),
    /// As a win, when a draw suffices.
    Win,
    /// As a loss, when only a win helps.
    Loss,
}

impl FromStr for DrawAs {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "win" => Ok(DrawAs::Win),
            "loss" => Ok(DrawAs::Loss),
            _ => parse_points(text).map(DrawAs::Worth),
        }
        .map_err(|_| format!("a draw counts as win, as loss, or as points like -0.5, not {text:?}"))
    }
}

impl fmt::Display for DrawAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawAs::Win => f.write_str("win"),
            DrawAs::Loss => f.write_str("loss"),
            DrawAs::Worth(worth) => write!(f, "{}", f64::from(*worth) / 100.0),
        }
    }
}

/// A number of points, such as 0.5, in hundredths.
pub fn parse_points(text: &str) -> std::result::Result<Hundredths, String> {
    match text.parse::<f64>() {
        Ok(points) if points.abs() <= 1000.0 => Ok((100.0 * points).round() as Hundredths),
        _ => Err(format!("{text:?} is no number of points; write one like 0.5")),
    }
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Its place in the order of the rules.
    pub place: usize,
    /// What the final result is worth to the mover, in hundredths: a guess, or with a proof
    /// [`WIN`] and more, or less than minus that.
    pub worth: Hundredths,
    /// What the move is worth from here on.
    pub value: Value,
}

/// Chooses the moves of one game.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    style: Style,
    /// The best worth that the book has promised so far.
    best: Option<Hundredths>,
}

impl Guide {
    /// For a new game.
    pub fn new(style: Style) -> Self {
        Guide { style, best: None }
    }

    /// For another game in the same style.
    pub fn restart(&mut self) {
        self.best = None;
    }

    /// The candidate moves of a node; none where the book has no moves. `ahead` is what the mover
    /// has banked minus what the opponent has, `history` are the earlier positions of the game in
    /// which the opponent moved.
    ///
    /// The best worth available so far in this game is remembered, so that small concessions do not
    /// add up. Among moves that keep a proven score above 0, or any bound where a repetition is worth
    /// something, those that make progress towards it are left, and a move that repeats a position of
    /// the game counts as what a repetition gives.
    pub fn choices<G: Game, S: Store>(
        &mut self,
        book: &mut Book<G, S>,
        id: NodeId,
        ahead: Score,
        history: &[G::Position],
    ) -> Result<Vec<Choice>> {
        let graph = &mut book.valued.graph;
        let position = graph.position(id)?;
        let node = graph.node(id)?;
        let (promised, proof) = (node.value.lower, node.proof.lower);
        let mut moves = Vec::new();
        moves_of(graph, id, &mut moves)?;
        let mut choices = Vec::with_capacity(moves.len());
        for (place, (mv, step)) in moves.iter().zip(graph.steps(&position)).enumerate() {
            let repeats = step.turn == Turn::Passes && history.contains(&step.next);
            let public = graph.node(mv.edge.child)?.marks.public;
            let repeated = || Value::exact(step.value(graph.game.repeated(&step.next)));
            let value = if repeats { repeated() } else { mv.value };
            choices.push(Choice { place, worth: self.worth(&value, ahead, public), value });
        }
        let Some(most) = choices.iter().map(|choice| choice.worth).max() else {
            return Ok(choices);
        };
        let best = self.best.map_or(most, |best| best.max(most));
        self.best = Some(best);
        // If the book was wrong about the past, the best move left is best.
        let least = (best - self.style.epsilon).min(most);
        choices.retain(|choice| choice.worth >= least && (choice.worth < WIN) == (most < WIN));
        if self.style.epsilon == 0 {
            // Of equal moves, those of which more is proven.
            let proven = choices.iter().map(|choice| choice.value.lower).max();
            choices.retain(|choice| Some(choice.value.lower) == proven);
        }
        let by_history = graph.game.depends_on_history();
        if promised > 0 || by_history {
            let (mut left, mut nearer) = (Vec::new(), false);
            for choice in &choices {
                let edge = &moves[choice.place].edge;
                // Less than what is proven was conceded, within the tolerance.
                let concedes = choice.value.lower < promised;
                let progress = !concedes
                    && (choice.value.lower > promised
                        || if by_history { edge.gain > 0 } else { edge.gain >= promised }
                        || graph.proof_of(edge)?.lower < proof);
                nearer |= progress;
                if concedes || progress {
                    left.push(*choice);
                }
            }
            if nearer {
                choices = left;
            }
        }
        Ok(choices)
    }

    /// What a move is worth to the mover at the end of the game.
    fn worth(&self, value: &Value, ahead: Score, public: bool) -> Hundredths {
        let style = &self.style;
        let draw = if public { style.public_draws } else { style.private_draws };
        let points = |score: Score| 100 * (Hundredths::from(ahead) + Hundredths::from(score));
        let (lower, upper) = (points(value.lower), points(value.upper));
        let guess = points(0) + value.estimate();
        let (won, lost) = match draw {
            DrawAs::Worth(_) => (lower > 0, upper < 0),
            DrawAs::Win => (lower >= 0, upper < 0),
            DrawAs::Loss => (lower > 0, upper <= 0),
        };
        match draw {
            // What is proven comes first: a better guess must not cost a point that is won.
            _ if won => WIN + lower + (guess - lower).min(99),
            _ if lost => guess - 2 * WIN,
            DrawAs::Worth(draw) if lower == upper => draw,
            DrawAs::Worth(draw) if lower == 0 => guess.max(draw),
            DrawAs::Worth(draw) if upper == 0 => guess.min(draw),
            _ => guess,
        }
    }
}

#[cfg(test)]
mod tests;

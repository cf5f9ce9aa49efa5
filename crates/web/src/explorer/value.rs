//! A score as a database tells it: exact, or on the edge of a window and so only a bound.

use std::cmp::Reverse;

use nutcracker_game::{Game, Score, Situation, Step, Turn};
use nutcracker_table::{TableError, TableSet};
use serde::Serialize;
use utoipa::ToSchema;

/// How much a number says of the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It is the score.
    Exact,
    /// The score is this or more.
    AtLeast,
    /// The score is this or less.
    AtMost,
}

/// A score: what the side to move will win from here on minus what the other will, with best play
/// of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Value {
    /// The number.
    pub score: Score,
    /// What it says.
    pub kind: Kind,
}

/// How the game ends for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It wins.
    Win,
    /// Nobody does.
    Draw,
    /// The other side wins.
    Loss,
}

impl Value {
    /// The same to somebody who moves there and whose move has this effect.
    #[must_use]
    pub fn through<P>(self, step: &Step<P>) -> Self {
        let kind = match (self.kind, step.turn) {
            (Kind::AtLeast, Turn::Passes) => Kind::AtMost,
            (Kind::AtMost, Turn::Passes) => Kind::AtLeast,
            (kind, _) => kind,
        };
        Value { score: step.value(self.score), kind }
    }

    /// Best first: of equal numbers, the one that may be more.
    pub fn order(self) -> impl Ord {
        Reverse((self.score, self.kind == Kind::AtLeast, self.kind == Kind::Exact))
    }

    /// How the game ends when the mover of a situation has this value: by what both end up with
    /// where that is known, else by the sign.
    pub fn outcome<G: Game>(self, game: &G, situation: &Situation<G::Position>) -> Option<Outcome> {
        let ahead = match game.final_result(situation, self.score) {
            None => f64::from(self.score),
            Some([first, second]) => match situation.mover {
                nutcracker_game::Side::First => first - second,
                nutcracker_game::Side::Second => second - first,
            },
        };
        match self.kind {
            Kind::AtLeast if ahead <= 0.0 => None,
            Kind::AtMost if ahead >= 0.0 => None,
            _ if ahead > 0.0 => Some(Outcome::Win),
            _ if ahead < 0.0 => Some(Outcome::Loss),
            _ => Some(Outcome::Draw),
        }
    }
}

/// What a database says of a position.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// What scores of the same database are clipped to, if they are.
    window: Option<Score>,
}

impl Found {
    /// What the moves say of a position that the index leaves out.
    fn by_moves<G: Game>(
        game: &G,
        set: &TableSet,
        position: &G::Position,
    ) -> Result<Self, TableError> {
        let found = |value| Found { value, window: None };
        if let Some(score) = game.outcome(position) {
            return Ok(found(Value { score, kind: Kind::Exact }));
        }
        let mut steps = Vec::new();
        game.steps(position, &mut steps);
        let mut best = Value { score: Score::MIN, kind: Kind::Exact };
        for step in &steps {
            let value = Self::probe(game, set, &step.next)?.value.through(step);
            // Of equal numbers, the one that says more of a maximum: it may be more.
            if (value.score, value.kind == Kind::AtLeast) > (best.score, best.kind == Kind::AtLeast)
            {
                best = value;
            }
        }
        Ok(found(best))
    }

    /// Looks a position up in the best database of its slice.
    pub fn probe<G: Game>(
        game: &G,
        set: &TableSet,
        position: &G::Position,
    ) -> Result<Self, TableError> {
        if !game.is_indexed(position) {
            return Self::by_moves(game, set, position);
        }
        let table = set.get(game.slice_of(position).0)?;
        let score = set.cache().probe(&table, game.rank(position))?;
        let kind = match table.is_clipped(score) {
            false => Kind::Exact,
            true if score > 0 => Kind::AtLeast,
            true => Kind::AtMost,
        };
        let window = table.header().window;
        let window = (window != 0).then(|| window.into());
        Ok(Found { value: Value { score: score.into(), kind }, window })
    }

    /// Whether a move of that value is as good as this position's, as far as its database tells
    /// scores apart.
    pub fn is_reached_by(self, mv: Value) -> bool {
        match self.window {
            None => mv.score == self.value.score,
            Some(window) => mv.score.clamp(-window, window) == self.value.score,
        }
    }
}

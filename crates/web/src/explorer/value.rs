//! A score as a database tells it: exact, or on the edge of a window and so only a bound.

use std::cmp::Reverse;

use nutcracker_game::{Game, Score, Situation};
use nutcracker_search::Probed;
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

impl From<Probed> for Value {
    fn from(probed: Probed) -> Self {
        let kind = match probed.kind {
            nutcracker_search::Kind::Exact => Kind::Exact,
            nutcracker_search::Kind::AtLeast => Kind::AtLeast,
            nutcracker_search::Kind::AtMost => Kind::AtMost,
        };
        Value { score: probed.score, kind }
    }
}

//! How a game ends, by the value of a position.

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Rules, Side, Situation};
use nutcracker_search::Worth;
use serde::Serialize;
use utoipa::ToSchema;

/// How the game ends for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = GameOutcome)]
pub enum Outcome {
    /// It wins.
    Win,
    /// It is a draw.
    Draw,
    /// The other side wins.
    Loss,
}

impl Outcome {
    /// How the game ends for the mover of a situation, by its bounds: by what both end up with where
    /// that is known, else by the sign; `None` where it is not decided.
    pub fn of(game: &AnyGame, situation: &Situation<AnyPosition>, worth: Worth) -> Option<Outcome> {
        let outcome = |score| {
            let ahead = match game.final_result(situation, score) {
                None => f64::from(score),
                Some([first, second]) => match situation.mover {
                    Side::First => first - second,
                    Side::Second => second - first,
                },
            };
            match ahead {
                _ if ahead > 0.0 => Outcome::Win,
                _ if ahead < 0.0 => Outcome::Loss,
                _ => Outcome::Draw,
            }
        };
        match (worth.lower.map(outcome), worth.upper.map(outcome)) {
            (Some(Outcome::Win), _) => Some(Outcome::Win),
            (_, Some(Outcome::Loss)) => Some(Outcome::Loss),
            (least, most) => least.filter(|_| least == most),
        }
    }
}

//! What a value means for the players, as a sentence and as JSON.

use std::cmp::Ordering;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Metric, Numbering, Rules, Side, Situation};
use nutcracker_search::{Distance, Kind, Worth, forced_in_words};
use serde_json::{Map, Value};

use crate::number;

/// A player's name as a sentence has it.
pub fn name(game: &AnyGame, side: Side) -> String {
    let name = game.side_name(side);
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What a score means: `score -2 for South: final result 28-20 (South wins)`.
pub fn outcome_sentence(
    game: &AnyGame,
    situation: &Situation<AnyPosition>,
    value: Worth,
) -> String {
    let mover = situation.mover;
    if let (Some(score), Some(distance)) = (value.score(), value.distance) {
        let winner = name(game, if score > 0 { mover } else { mover.other() });
        if game.outcome(&situation.position).is_some() {
            return format!("{winner} has won");
        }
        return distance_sentence(&winner, distance);
    }
    if let Some(sentence) = forced_in_words(game, situation, value) {
        return sentence;
    }
    if let (Some(score), false) = (value.score(), counts_points(game)) {
        return match score.signum() {
            0 => "draw".to_owned(),
            sign => {
                let winner = if sign > 0 { mover } else { mover.other() };
                let winner = name(game, winner);
                if game.outcome(&situation.position).is_some() {
                    format!("{winner} has won")
                } else {
                    format!("{winner} wins")
                }
            }
        };
    }
    let sentence = match value.to_string() {
        zero if zero == "0" => "score 0".to_owned(),
        score => format!("score {score} for {}", name(game, mover)),
    };
    let result = value.proven().and_then(|score| game.final_result(situation, score));
    let Some([first, second]) = result else { return sentence };
    // Whose share can only be larger than that.
    let side = match (value.kind(), mover) {
        (Kind::Exact | Kind::Guess, _) => None,
        (Kind::AtLeast, side) => Some(side),
        (Kind::AtMost, Side::First) => Some(Side::Second),
        (Kind::AtMost, Side::Second) => Some(Side::First),
    };
    if let Some(side) = side {
        let ahead = if side == Side::First { first - second } else { second - first };
        let name = name(game, side);
        let outcome = match ahead.total_cmp(&0.0) {
            Ordering::Greater => format!(" ({name} wins)"),
            Ordering::Equal => format!(" ({name} does not lose)"),
            Ordering::Less => String::new(),
        };
        return format!("{sentence}: final result at least {first}-{second} for {name}{outcome}");
    }
    let winner = match first.total_cmp(&second) {
        Ordering::Greater => format!("{} wins", name(game, Side::First)),
        Ordering::Less => format!("{} wins", name(game, Side::Second)),
        Ordering::Equal => "a draw".to_owned(),
    };
    format!("{sentence}: final result {first}-{second} ({winner})")
}

/// A value in a table: its text, with `draw` for 0 where the game counts no points.
pub fn value_text(game: &AnyGame, value: Worth) -> String {
    let text = value.to_string();
    match value.score() {
        Some(0) if !counts_points(game) => text.replacen('0', "draw", 1),
        _ => text,
    }
}

/// Whether the game counts points, not only who wins.
pub fn counts_points(game: &AnyGame) -> bool {
    game.metrics().iter().any(|metric| metric.is_points())
}

/// Who wins in how many moves: `White wins in 13 moves`.
fn distance_sentence(winner: &str, distance: Distance) -> String {
    let moves = match distance.moves {
        1 => "1 move".to_owned(),
        moves => format!("{moves} moves"),
    };
    match (distance.metric, distance.moves) {
        (Metric::Dtc, 0) => format!("{winner} wins; the next move is a conversion"),
        (Metric::Dtc, _) => {
            format!("{winner} wins; the next conversion, or the end, is {moves} away")
        }
        (Metric::Dth(limit), rule) if rule > limit.into() => {
            format!("{winner} wins if the rule gives {moves} without a capture or a pawn's move")
        }
        (Metric::Dtz | Metric::DtzIn(_) | Metric::Dth(_), 0) => {
            format!("{winner} wins; the next move is a zeroing move")
        }
        (Metric::Dtz | Metric::DtzIn(_) | Metric::Dth(_), _) => {
            format!("{winner} wins; the next zeroing move, or the end, is {moves} away")
        }
        _ => format!("{winner} wins in {moves}"),
    }
}

/// The final result by the players' names, where it is known.
pub fn result_json(
    game: &AnyGame,
    situation: &Situation<AnyPosition>,
    value: Worth,
) -> Option<Value> {
    let points = game.final_result(situation, value.score()?)?;
    let mut result = Map::new();
    for (side, points) in [Side::First, Side::Second].into_iter().zip(points) {
        result.insert(game.side_name(side).to_owned(), number::json(points));
    }
    Some(result.into())
}

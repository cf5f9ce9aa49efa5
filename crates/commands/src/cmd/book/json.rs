//! A book as JSON lines: the first line is about the whole book, the others are nodes.

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_book::node::{Marks, NEVER, NodeId, State};
use nutcracker_book::value::{Hundredths, Value};
use nutcracker_book::{Aim, Entry, Facts, StoredBook, Tuning};
use nutcracker_game::{Rules, Score, Side, Situation, Turn};
use serde_json::{Value as Json, json};

use super::show::{max_score, value_json};
use super::target::named_moves;
use crate::failure::Failure;

/// The version of the form.
const VERSION: u64 = 1;

/// What the first line says.
pub struct Header {
    /// The id of the game.
    pub game: String,
    /// The options of its start.
    pub start: String,
    pub tuning: Tuning,
}

/// The first line.
pub fn header(facts: &Facts) -> Json {
    let Tuning { omega, fractional, aim } = facts.tuning;
    json!({
        "format": VERSION,
        "game": facts.game,
        "start": facts.start,
        "aim": match aim {
            Aim::Play => "play",
            Aim::Solve => "solve",
        },
        "omega": omega,
        "fractional": fractional.map(|hundredths| f64::from(hundredths) / 100.0),
    })
}

/// The line of a node.
pub fn node(book: &mut StoredBook<AnyGame>, id: NodeId) -> Result<Json, Failure> {
    let position = book.position(id)?;
    let max = max_score(book.game(), &position);
    let start = book.facts().roots.contains(&id);
    let node = book.node(id)?.clone();
    let cost = |at: usize| match node.costs[at] {
        NEVER => Json::Null,
        cost => json!(cost as f64 / 1000.0),
    };
    let names = named_moves(book.game(), &Situation::new(position, Side::First));
    let mut moves = Vec::with_capacity(node.edges.len());
    for (edge, (name, _)) in node.edges.iter().zip(names) {
        let to = &book.node(edge.child)?.position;
        let stays = edge.turn == Turn::Stays;
        moves.push(json!({ "move": name, "to": to, "gain": edge.gain, "stays": stays }));
    }
    Ok(json!({
        "position": node.position,
        "start": start,
        "depth": node.depth,
        "state": match node.state {
            State::Leaf => "leaf",
            State::Interior => "interior",
            State::Over => "over",
        },
        "own": value_json(&node.own, max),
        "value": value_json(&node.value, max),
        "priority": { "book": cost(0), "opponent": cost(1) },
        "played": node.marks.played,
        "public": node.marks.public,
        "moves": moves,
    }))
}

/// Reads the first line; the error is the rest of a sentence.
pub fn read_header(line: &str) -> Result<Header, String> {
    let json: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
    match json["format"].as_u64() {
        Some(VERSION) => {}
        Some(format) => {
            return Err(format!("it has format {format}, and this program reads {VERSION}"));
        }
        None => return Err("it is not the first line of an exported book".to_owned()),
    }
    let omega = json["omega"].as_f64().filter(|omega| *omega >= 0.0 && omega.is_finite());
    let points = json["fractional"].as_f64().map(hundredths).transpose()?;
    Ok(Header {
        game: json["game"].as_str().ok_or("its game is missing")?.to_owned(),
        start: json["start"].as_str().unwrap_or_default().to_owned(),
        tuning: Tuning {
            omega: omega.ok_or("its omega is not a number, 0 or more")?,
            fractional: points.filter(|&points| points > 0),
            aim: if json["aim"] == "play" { Aim::Play } else { Aim::Solve },
        },
    })
}

/// Reads what an expert said, and what else cannot be derived; the error is the rest of a sentence.
pub fn read_node(game: &AnyGame, line: &str) -> Result<Entry<AnyPosition>, String> {
    let json: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = json["position"].as_str().ok_or("its position is missing")?;
    let position = game.parse(text).map_err(|error| error.to_string())?.position;
    let flag = |name: &str| json[name].as_bool().ok_or(format!("{name} is not true or false"));
    Ok(Entry {
        position,
        own: read_value(&json["own"], max_score(game, &position))?,
        expanded: json["state"] == "interior",
        start: flag("start")?,
        marks: Marks { held: false, public: flag("public")?, played: flag("played")? },
    })
}

/// Reads what [`value_json`] writes of an expert's value.
fn read_value(json: &Json, max: Score) -> Result<Value, String> {
    let bound = |name: &str, usual: Score| match json[name].as_i64() {
        None => Ok(usual),
        Some(bound) => Score::try_from(bound)
            .ok()
            .filter(|bound| (-max..=max).contains(bound))
            .ok_or(format!("its bound {bound} is not within ±{max}")),
    };
    let (lower, upper) = (bound("lower", -max)?, bound("upper", max)?);
    if lower > upper {
        return Err(format!("its bounds {lower} and {upper} contradict each other"));
    }
    let guess = ["else", "guess", "points"].iter().find_map(|name| json[name].as_f64());
    let heuristic = hundredths(guess.ok_or("its own value is missing")?)?;
    Ok(Value { lower, upper, heuristic, cycle: None }.normal())
}

fn hundredths(points: f64) -> Result<Hundredths, String> {
    let hundredths = (points * 100.0).round();
    if hundredths.abs() > f64::from(100 * i32::from(Score::MAX)) {
        return Err(format!("{points} points are more than any game has"));
    }
    Ok(hundredths as Hundredths)
}

//! `nutcracker book show` and `nutcracker book line`.

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_book::StoredBook;
use nutcracker_book::node::{Cost, CostKind, NEVER, State};
use nutcracker_book::store::Access;
use nutcracker_book::value::Value;
use nutcracker_game::{Numbering, Rules, Score};
use serde_json::{Value as Json, json};

use super::target::{Place, Target, named_moves};
use crate::args::Format;
use crate::failure::Failure;
use crate::{number, print, table};

/// Show a position of a book: its value, and the values and priorities of all moves
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book show --book small.book")]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    /// Moves from the start, or from --position
    moves: Vec<String>,
    /// Another position than the start
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<String>,
    /// How the answer is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Args {
    /// Shows it.
    pub fn run(mut self) -> Result<(), Failure> {
        self.target.shift(&mut self.moves);
        let mut book = self.target.open(Access::Read)?.book;
        let place = Place::of(&mut book, &self.moves, self.position.as_deref())?;
        match self.format {
            Format::Table => print(&for_people(&mut book, &place)?),
            Format::Json => print(&format!("{}\n", for_programs(&mut book, &place)?)),
        }
    }
}

fn cost(cost: Cost) -> String {
    match cost {
        NEVER => "-".to_owned(),
        cost => format!("{:.2}", cost as f64 / 1000.0),
    }
}

fn state(state: State, value: &Value) -> &'static str {
    match state {
        State::Over => "over",
        _ if value.is_solved() => "solved",
        State::Leaf => "leaf",
        State::Interior => "",
    }
}

pub fn max_score(game: &AnyGame, position: &AnyPosition) -> Score {
    game.max_score(game.slice_of(position))
}

/// A position of the book with all its moves, for people.
pub fn for_people(book: &mut StoredBook<AnyGame>, place: &Place) -> Result<String, Failure> {
    let max = max_score(book.game(), &place.situation.position);
    let node = book.node(place.id)?.clone();
    let mut text = format!(
        "{}\nvalue {}, alone {}, depth {}, {} here{}\n",
        book.game().format(&place.situation),
        node.value.text(max),
        node.own.text(max),
        node.depth,
        number::counted(node.parents.len() as u64, "way"),
        match node.state {
            State::Over => ", the game is over here",
            State::Leaf => ", a leaf",
            State::Interior => "",
        },
    );
    let values = book.move_values(place.id)?;
    let best = book.best_moves(place.id)?;
    let names = named_moves(book.game(), &place.situation);
    let mut rows = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let edge = node.edges[at];
        let child = book.node(edge.child)?;
        let costs =
            [CostKind::Book, CostKind::Opponent].map(|m| cost(child.cost(m.after(edge.turn))));
        let [ours, theirs] = costs;
        rows.push((
            value.estimate(),
            vec![
                names[at].0.clone(),
                value.text(max),
                ours,
                theirs,
                state(child.state, &child.value).to_owned(),
                if best.contains(&at) { "best" } else { "" }.to_owned(),
            ],
        ));
    }
    rows.sort_by_key(|(estimate, _)| std::cmp::Reverse(*estimate));
    if !rows.is_empty() {
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        let header = ["move", "value", "book", "opponent", "", ""];
        text = text + "\n" + &table::render(&header, &[0, 4, 5], rows);
    }
    Ok(text)
}

/// A value for programs: what the position is worth, and what only a book knows.
pub fn value_json(value: &Value, max: Score) -> Json {
    let points = |hundredths: i32| number::json(f64::from(hundredths) / 100.0);
    let mut object = json!(value.worth(max));
    if let Some(cycle) = value.cycle {
        object["cycle"] = json!({
            "centre": cycle.centre,
            "other": cycle.other.map(points),
            "own": cycle.own.map(points),
        });
    } else if value.heuristic != value.estimate() {
        object["else"] = points(value.heuristic);
    }
    object
}

fn for_programs(book: &mut StoredBook<AnyGame>, place: &Place) -> Result<Json, Failure> {
    let max = max_score(book.game(), &place.situation.position);
    let node = book.node(place.id)?.clone();
    let values = book.move_values(place.id)?;
    let names = named_moves(book.game(), &place.situation);
    let best = book.best_moves(place.id)?;
    let moves: Vec<Json> = values
        .iter()
        .enumerate()
        .map(|(at, value)| {
            json!({ "move": names[at].0, "value": value_json(value, max), "best": best.contains(&at) })
        })
        .collect();
    Ok(json!({
        "position": book.game().format(&place.situation),
        "value": value_json(&node.value, max),
        "own": value_json(&node.own, max),
        "depth": node.depth,
        "predecessors": node.parents.len(),
        "moves": moves,
    }))
}

/// Print the principal variations of a book
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book line --book small.book")]
pub struct LineArgs {
    #[command(flatten)]
    pub target: Target,
    /// Moves from the start, or from --position
    moves: Vec<String>,
    /// Another position than the start
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<String>,
    /// The most lines printed
    #[arg(long, value_name = "N", default_value_t = 10)]
    most: usize,
    /// How the answer is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl LineArgs {
    /// Prints them.
    pub fn run(mut self) -> Result<(), Failure> {
        self.target.shift(&mut self.moves);
        let mut book = self.target.open(Access::Read)?.book;
        let place = Place::of(&mut book, &self.moves, self.position.as_deref())?;
        if self.format == Format::Table {
            return print(&lines(&mut book, &place, self.most)?);
        }
        let max = max_score(book.game(), &place.situation.position);
        let value = value_json(&book.node(place.id)?.value, max);
        let lines = named_lines(&mut book, &place, self.most)?;
        let position = book.game().format(&place.situation);
        print(&format!("{}\n", json!({ "position": position, "value": value, "lines": lines })))
    }
}

/// Principal variations, a line each.
pub fn lines(
    book: &mut StoredBook<AnyGame>,
    place: &Place,
    most: usize,
) -> Result<String, Failure> {
    let max = max_score(book.game(), &place.situation.position);
    let mut text = format!("value {}\n", book.node(place.id)?.value.text(max));
    for names in named_lines(book, place, most)? {
        text = text + &names.join(" ") + "\n";
    }
    Ok(text)
}

/// Principal variations by the names of their moves.
fn named_lines(
    book: &mut StoredBook<AnyGame>,
    place: &Place,
    most: usize,
) -> Result<Vec<Vec<String>>, Failure> {
    let mut lines = Vec::new();
    for line in book.lines(place.id, most.max(1))? {
        let mut at = place.situation;
        let mut names = Vec::new();
        for (_, number) in line {
            let (name, (_, _, step)) = named_moves(book.game(), &at).swap_remove(number);
            names.push(name);
            at = book.game().advance(&at, &step);
        }
        lines.push(names);
    }
    Ok(lines)
}

//! `nutcracker book export`.

use std::collections::HashSet;
use std::fmt::Write;

use nutcracker_any::AnyGame;
use nutcracker_book::Book;
use nutcracker_book::node::{NEVER, NodeId, State};
use nutcracker_book::store::RedbStore;
use nutcracker_game::{Numbering, Rules, Turn};
use serde_json::{Value, json};

use super::show::{max_score, value_json};
use super::target::{Place, Target, named_moves};
use crate::failure::Failure;
use crate::print;

/// Text per write, in bytes.
const CHUNK: usize = 1 << 16;

/// Write a book as JSON lines, or a part of it for Graphviz
///
/// Every line is a node: its position as its mover sees it, the expert's value, the value that
/// follows from its moves, depth, state, priorities, and the moves with the nodes they lead to.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    /// Moves from the start to where the part for Graphviz begins
    moves: Vec<String>,
    /// jsonl: the whole book, a node a line; dot: a part of it for Graphviz
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Form,
    /// Plies of the part for Graphviz
    #[arg(long, value_name = "PLIES", default_value_t = 2)]
    plies: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Jsonl,
    Dot,
}

impl Args {
    /// Writes it.
    pub fn run(self, game: &AnyGame) -> Result<(), Failure> {
        let mut book = self.target.open(game)?;
        if self.format == Form::Dot {
            let place = Place::of(&mut book, &self.moves, None)?;
            return print(&graphviz(&mut book, place, self.plies)?);
        }
        let mut from = 0;
        let mut text = String::new();
        while let Some(id) = book.next_node(from)? {
            from = id + 1;
            let _ = writeln!(text, "{}", line(&mut book, id)?);
            if text.len() > CHUNK {
                print(&std::mem::take(&mut text))?;
            }
        }
        print(&text)
    }
}

fn line(book: &mut Book<AnyGame, RedbStore>, id: NodeId) -> Result<Value, Failure> {
    let position = book.position(id)?;
    let max = max_score(book.game(), &position);
    let node = book.node(id)?.clone();
    let cost = |at: usize| match node.costs[at] {
        NEVER => Value::Null,
        cost => json!(cost as f64 / 1000.0),
    };
    let moves: Vec<Value> = node
        .edges
        .iter()
        .map(|edge| {
            json!({ "to": edge.child, "gain": edge.gain, "stays": edge.turn == Turn::Stays })
        })
        .collect();
    Ok(json!({
        "node": id,
        "position": node.position,
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

fn graphviz(
    book: &mut Book<AnyGame, RedbStore>,
    place: Place,
    plies: u32,
) -> Result<String, Failure> {
    let max = book.game().max_score(book.game().slice_of(&place.situation.position));
    let mut text = String::from("digraph book {\n  node [shape=box];\n");
    let mut seen = HashSet::from([place.id]);
    let mut open = vec![(place, 0)];
    while let Some((place, depth)) = open.pop() {
        let node = book.node(place.id)?.clone();
        let name = book.game().format(&place.situation).replace('"', "'");
        let _ = writeln!(text, "  n{} [label=\"{name}\\n{}\"];", place.id, node.value.text(max));
        if depth == plies {
            continue;
        }
        let names = named_moves(book.game(), &place.situation);
        for (edge, (name, (_, _, step))) in node.edges.iter().zip(names) {
            let _ = writeln!(text, "  n{} -> n{} [label=\"{name}\"];", place.id, edge.child);
            if seen.insert(edge.child) {
                let situation = book.game().advance(&place.situation, &step);
                open.push((Place { id: edge.child, situation }, depth + 1));
            }
        }
    }
    Ok(text + "}\n")
}

//! `nutcracker book export`.

use std::collections::HashSet;
use std::fmt::Write;

use nutcracker_any::AnyGame;
use nutcracker_book::StoredBook;
use nutcracker_book::store::Access;
use nutcracker_game::{Numbering, Rules};

use super::json;
use super::target::{Place, Target, named_moves};
use crate::failure::Failure;
use crate::print;

/// Text per write, in bytes.
const CHUNK: usize = 1 << 16;

/// Write a book as JSON lines, or a part of it for Graphviz
///
/// The first line has the game, its options and the parameters of growth. Every other line is a
/// node: its position as its mover sees it, the expert's value, the value that follows from its
/// moves, depth, state, priorities, and the moves by name with the positions they lead to. `book
/// import` reads this form.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book export --book small.book > small.jsonl")]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    /// Moves from the start to where the part for Graphviz begins
    moves: Vec<String>,
    /// json: the whole book, a node a line; dot: a part of it for Graphviz
    #[arg(long, value_enum, default_value = "json")]
    format: Form,
    /// Plies of the part for Graphviz
    #[arg(long, value_name = "PLIES", default_value_t = 2)]
    plies: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    #[value(alias = "jsonl")]
    Json,
    Dot,
}

impl Args {
    /// Writes it.
    pub fn run(mut self) -> Result<(), Failure> {
        self.target.shift(&mut self.moves);
        let mut book = self.target.open(Access::Read)?.book;
        if self.format == Form::Dot {
            let place = Place::of(&mut book, &self.moves, None)?;
            return print(&graphviz(&mut book, place, self.plies)?);
        }
        let mut from = 0;
        let mut text = format!("{}\n", json::header(book.facts()));
        while let Some(id) = book.next_node(from)? {
            from = id + 1;
            let _ = writeln!(text, "{}", json::node(&mut book, id)?);
            if text.len() > CHUNK {
                print(&std::mem::take(&mut text))?;
            }
        }
        print(&text)
    }
}

fn graphviz(book: &mut StoredBook<AnyGame>, place: Place, plies: u32) -> Result<String, Failure> {
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

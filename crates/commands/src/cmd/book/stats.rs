//! `nutcracker book stats`.

use nutcracker_book::report::DepthRow;
use nutcracker_book::store::Access;
use nutcracker_draw::{DepthCount, depth_chart};
use nutcracker_game::{GameId, Rules};
use serde_json::{Value, json};

use super::target::Target;
use crate::failure::Failure;
use crate::number::{counted, thousands};
use crate::{print, table};

/// Count a book by depth: nodes, solved ones, ways to them, legal moves
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book stats --book small.book --format svg > depths.svg")]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    /// How the counts are printed: svg is a picture of the nodes by depth
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Table,
    Json,
    Svg,
}

impl Args {
    /// Counts.
    pub fn run(self) -> Result<(), Failure> {
        let mut book = self.target.open(Access::Read)?.book;
        let rows = book.by_depth()?;
        let mut total = DepthRow::default();
        for row in &rows {
            total.nodes += row.nodes;
            total.solved += row.solved;
            total.predecessors += row.predecessors;
            total.degree += row.degree;
        }
        match self.format {
            Form::Table => print(&for_people(&rows, &total)),
            Form::Json => print(&format!("{}\n", for_programs(&rows, &total))),
            Form::Svg => print(&picture(&book.game().id(), &rows, &total)),
        }
    }
}

fn picture(game: &GameId, rows: &[DepthRow], total: &DepthRow) -> String {
    let (nodes, solved) = (counted(total.nodes, "node"), thousands(total.solved));
    let caption = format!("{game}: {nodes}, {solved} solved");
    let count = |row: &DepthRow| DepthCount { nodes: row.nodes, solved: row.solved };
    depth_chart(
        "The nodes of a book by depth",
        &caption,
        &rows.iter().map(count).collect::<Vec<_>>(),
    )
}

fn degree(row: &DepthRow) -> f64 {
    row.degree as f64 / row.nodes.max(1) as f64
}

fn for_people(rows: &[DepthRow], total: &DepthRow) -> String {
    let cells = |name: String, row: &DepthRow| {
        vec![
            name,
            thousands(row.nodes),
            thousands(row.solved),
            thousands(row.predecessors),
            format!("{:.1}", degree(row)),
        ]
    };
    let mut lines: Vec<Vec<String>> =
        rows.iter().enumerate().map(|(depth, row)| cells(depth.to_string(), row)).collect();
    lines.push(cells("total".to_owned(), total));
    table::render(&["depth", "nodes", "solved", "predecessors", "degree"], &[], lines)
}

fn for_programs(rows: &[DepthRow], total: &DepthRow) -> Value {
    let figures = |row: &DepthRow| {
        json!({
            "nodes": row.nodes,
            "solved": row.solved,
            "predecessors": row.predecessors,
            "degree": crate::number::rounded(degree(row)),
        })
    };
    let depths: Vec<Value> = rows.iter().map(figures).collect();
    json!({ "depths": depths, "total": figures(total) })
}

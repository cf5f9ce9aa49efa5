//! `nutcracker book dropout`.

use std::fmt::Write;

use nutcracker_book::Player;
use nutcracker_book::report::Diagram;
use nutcracker_book::store::Access;
use nutcracker_draw::{Dot, DropOutChart, Form as ChartForm, drop_out_chart};
use nutcracker_game::Rules;

use super::target::Target;
use crate::failure::Failure;
use crate::number::{counted, thousands};
use crate::{print, table};

/// Draw where an opponent can leave the book
///
/// Depth and value of all leaves that can be reached when the book's player plays only best moves
/// and the opponent any. The dashed line is the frontier: the next leaf to be expanded lies on it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book dropout --book small.book --player first")]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    /// Whose book it is
    #[arg(long, value_enum, default_value = "first")]
    player: Side,
    /// svg: a picture; csv: all leaves; table: how deep for what price
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Svg,
    Csv,
    Table,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Side {
    First,
    Second,
}

impl Args {
    /// Draws it.
    pub fn run(self) -> Result<(), Failure> {
        let mut book = self.target.open(Access::Read)?.book;
        let (player, whose) = match self.player {
            Side::First => (Player::First, "first"),
            Side::Second => (Player::Second, "second"),
        };
        let diagram = book.dropouts(player)?;
        let text = match self.format {
            Form::Csv => csv(&diagram),
            Form::Table => {
                let next = diagram.next.map(|leaf| book.position(leaf)).transpose()?;
                for_people(&diagram, next.map(|leaf| book.key(&leaf)).as_deref())
            }
            Form::Svg => {
                let nodes = counted(book.facts().nodes, "node");
                let title = format!("{}: the {whose} player's book", book.game().id());
                svg(&diagram, &title, &format!("{nodes}, ω = {}", diagram.omega))
            }
        };
        print(&text)
    }
}

fn points(hundredths: i32) -> f64 {
    f64::from(hundredths) / 100.0
}

fn csv(diagram: &Diagram) -> String {
    let mut text = String::from("depth,value,leaves,solved\n");
    for (leaves, solved) in [(&diagram.open, "no"), (&diagram.solved, "yes")] {
        for (leaf, count) in leaves {
            let value = points(leaf.value);
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{},{value},{count},{solved}", leaf.depth);
        }
    }
    text
}

fn for_people(diagram: &Diagram, next: Option<&str>) -> String {
    let open: u64 = diagram.open.values().sum();
    let solved: u64 = diagram.solved.values().sum();
    let mut text = format!(
        "value {:+.2}; {} open and {} solved leaves can be reached\n",
        points(diagram.root),
        thousands(open),
        thousands(solved),
    );
    if let Some(depth) = diagram.frontier {
        let (value, omega) = (points(diagram.root), diagram.omega);
        let _ = writeln!(
            text,
            "expanded next: depth {depth:.1} at value {value:+.2}, {omega} plies less for each \
             point more"
        );
    }
    if let Some(leaf) = next {
        let _ = writeln!(text, "the leaf is {leaf}");
    }
    let rows: Vec<Vec<String>> = diagram
        .exits()
        .into_iter()
        .map(|(price, depth)| vec![format!("{:.2}", points(price)), depth.to_string()])
        .collect();
    if rows.is_empty() {
        return text + "The opponent cannot leave the book before the end.\n";
    }
    text + "\nThe earliest ply at which the opponent can leave the book, by its price:\n"
        + &table::render(&["points", "ply"], &[], rows)
}

fn svg(diagram: &Diagram, title: &str, caption: &str) -> String {
    let dots = |leaves: &std::collections::BTreeMap<_, u64>, solved: bool| {
        let dot = move |(leaf, &count): (&nutcracker_book::report::DropOut, &u64)| Dot {
            value: points(leaf.value),
            depth: leaf.depth,
            count,
            solved,
        };
        leaves.iter().map(dot).collect::<Vec<Dot>>()
    };
    let mut all = dots(&diagram.solved, true);
    all.extend(dots(&diagram.open, false));
    let chart = DropOutChart {
        form: ChartForm::File,
        title,
        caption,
        root: points(diagram.root),
        frontier: diagram.frontier,
        omega: diagram.omega,
    };
    drop_out_chart(&chart, &all)
}

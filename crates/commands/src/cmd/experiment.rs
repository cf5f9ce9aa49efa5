//! `nutcracker experiment`: measurements behind the design of the solvers.

use std::fmt::Write;

use clap::{Subcommand, ValueEnum};
use nutcracker_any::AnyGame;
use nutcracker_draw::{Curve, CurveChart, curve_chart};
use nutcracker_game::{Numbering, Rules};
use nutcracker_retro::Progress;
use nutcracker_retro::experiment::{BLOCK_BYTES, CacheMisses};
use serde_json::{Map, Value, json};

use crate::args::{RuleOptions, Threads, games, need_databases, slice_label, slice_named};
use crate::cmd::{
    experiment_cluster, experiment_noise, experiment_recogniser, experiment_reference,
};
use crate::failure::Failure;
use crate::number::{rounded, size, thousands};
use crate::progress::Reporter;
use crate::{print, table};

/// Measure what the design of the solvers rests on
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  nutcracker experiment cache-misses awari --stones 12
  nutcracker experiment cluster awari --stones 12
  nutcracker experiment reference chess --slice krk
  nutcracker experiment noise chess --slice krk
  nutcracker experiment recogniser chess --slice knnkb"
)]
pub struct Args {
    #[command(subcommand)]
    experiment: Experiment,
}

/// The experiments; each describes itself.
#[derive(Debug, Subcommand)]
enum Experiment {
    CacheMisses(Misses),
    Cluster(experiment_cluster::Args),
    Reference(experiment_reference::Args),
    Noise(experiment_noise::Args),
    Recogniser(experiment_recogniser::Args),
}

impl Args {
    /// Measures.
    pub fn run(self) -> Result<(), Failure> {
        match self.experiment {
            Experiment::CacheMisses(misses) => {
                let game = games().game(&misses.game, &misses.rules.options())?;
                misses.run(&game)
            }
            Experiment::Cluster(cluster) => cluster.run(),
            Experiment::Reference(reference) => reference.run(),
            Experiment::Noise(noise) => noise.run(),
            Experiment::Recogniser(recogniser) => recogniser.run(),
        }
    }
}

/// Count cache misses in one pass over a slice's bits, with one index and with two
///
/// A solver that keeps one bit a position in a cache smaller than the slice walks through the
/// positions in order and reads the bits of their successors. With one index, the bit of a position
/// is where the position is in the walk; with two, where the opponent sees it, so that successors
/// of neighbours are neighbours. The cache evicts the least recently used block; a block has 16
/// KiB. No databases are needed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker experiment cache-misses --stones 15
  nutcracker experiment cache-misses --stones 20 --format svg > cache-misses.svg")]
struct Misses {
    /// The game, as `nutcracker games` lists it
    #[arg(default_value = "awari")]
    game: String,
    #[command(flatten)]
    rules: RuleOptions,
    /// The name of the slice: stones on the board in awari, seeds in kalah
    #[arg(long, value_name = "NAME", visible_alias = "stones", allow_negative_numbers = true)]
    slice: String,
    #[command(flatten)]
    threads: Threads,
    /// How the counts are printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// How what was found is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// For spreadsheets
    Csv,
    /// For programs
    Json,
    /// A picture
    Svg,
}

impl Misses {
    fn run(self, game: &AnyGame) -> Result<(), Failure> {
        need_databases(game)?;
        let slice = slice_named(game, &self.slice)?;
        if !game.properties().second_index {
            return Err(Failure::Usage(format!(
                "{} has one index only, so there is nothing to compare; try awari",
                game.id()
            )));
        }
        let reporter = Reporter::new(game, [0.0, 0.0, 0.0, 1.0]);
        // Each position is visited once with each index.
        reporter.begin_only(slice, "misses", 2 * game.slice_len(slice));
        let threads = self.threads.count();
        let found = game.cache_misses(slice, BLOCK_BYTES, threads, &|done| reporter.advance(done));
        reporter.clear();
        print(&match self.format {
            Format::Table => for_people(game, &found),
            Format::Csv => csv(&found),
            Format::Json => format!("{}\n", for_programs(game, &found)),
            Format::Svg => svg(game, &found),
        })
    }
}

fn for_people(game: &AnyGame, found: &CacheMisses) -> String {
    let accesses = found.accesses();
    // From one in three down to one in millions: a power of ten reads better than zeros.
    let each = |misses: u64| match accesses {
        0 => "-".to_owned(),
        accesses => format!("{:.1e}", misses as f64 / accesses as f64),
    };
    let rows = found
        .rows()
        .map(|row| {
            vec![
                format!("{}%", row.percent),
                thousands(row.cache),
                thousands(row.one),
                each(row.one),
                thousands(row.two),
                each(row.two),
                format!("{:.1}", row.ratio()),
            ]
        })
        .collect();
    let header =
        ["cache", "blocks", "one index", "per access", "two indices", "per access", "ratio"];
    format!(
        "{}, {}: {} positions, {} accesses in one pass\n{} blocks of {}, of which {} are accessed; \
         each of these misses at least once\n\n{}",
        game.id(),
        slice_label(game, found.slice),
        thousands(found.positions),
        thousands(accesses),
        thousands(found.blocks),
        size(found.block_bytes),
        thousands(found.one.blocks()),
        table::render(&header, &[], rows),
    )
}

fn csv(found: &CacheMisses) -> String {
    let mut text = "percent,blocks,accesses,one_index,two_indices\n".to_owned();
    let accesses = found.accesses();
    for row in found.rows() {
        let _ = writeln!(text, "{},{},{accesses},{},{}", row.percent, row.cache, row.one, row.two);
    }
    text
}

fn for_programs(game: &AnyGame, found: &CacheMisses) -> Value {
    let rows: Vec<Value> = found
        .rows()
        .map(|row| {
            json!({
                "percent": row.percent,
                "blocks": row.cache,
                "one_index": row.one,
                "two_indices": row.two,
                "ratio": rounded(row.ratio()),
            })
        })
        .collect();
    let id = game.id();
    let mut object = Map::new();
    object.insert("game".to_owned(), id.name.into());
    object.insert("options".to_owned(), id.options.into());
    object.insert(game.slice_unit().to_owned(), found.slice.0.into());
    object.insert("positions".to_owned(), found.positions.into());
    object.insert("accesses".to_owned(), found.accesses().into());
    object.insert("block_bytes".to_owned(), found.block_bytes.into());
    object.insert("blocks".to_owned(), found.blocks.into());
    object.insert("caches".to_owned(), rows.into());
    object.into()
}

fn svg(game: &AnyGame, found: &CacheMisses) -> String {
    let caption = format!(
        "{}, {}: {} accesses in one pass, {} blocks of {}, LRU",
        game.id(),
        slice_label(game, found.slice),
        thousands(found.accesses()),
        thousands(found.blocks),
        size(found.block_bytes),
    );
    let chart = CurveChart {
        title: "Cache misses with one index and with two",
        caption: &caption,
        x: ("size of the cache in percent of the bits", "%"),
        y: "cache misses, logarithmic",
        floor: Some((found.one.blocks(), "every block once")),
    };
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for row in found.rows() {
        one.push((row.percent, row.one));
        two.push((row.percent, row.two));
    }
    let curves = [("one index", one), ("two indices", two)]
        .map(|(label, points)| Curve { label: label.to_owned(), points });
    curve_chart(&chart, &curves)
}

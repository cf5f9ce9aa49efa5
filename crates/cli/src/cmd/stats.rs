//! `nutcracker stats`: how many positions have each score.

use std::fmt::Write;

use clap::ValueEnum;
use nutcracker_draw::{ScoreSlice, score_histogram};
use nutcracker_game::{Game, Metric, SliceId};
use nutcracker_games::registry::{Registered, Visitor, with_game};
use nutcracker_retro::stats::{Choices, StatsError, choices};
use nutcracker_retro::{Progress, cache_bytes};
use nutcracker_table::Histogram;
use serde_json::{Map, Value, json};

use crate::args::{
    MetricOption, Subject, Threads, UpTo, need_databases, slice_label, slice_object,
};
use crate::cmd::solve::{modest_slice, window_cell};
use crate::failure::Failure;
use crate::number::{percent, rounded, signed, thousands};
use crate::progress::Reporter;
use crate::{note, print, table};

/// The width of the longest bar of a histogram in the terminal.
const BAR: f64 = 40.0;

/// Show how many positions have each score
///
/// Slice by slice: the shares won, drawn and lost by the side to move, the mean score, and how
/// often not capturing is the better choice; then how many positions have each score.
///
/// A position has a choice if one legal move captures and another does not. Counting those takes
/// a pass over all positions, so larger slices are left out unless --choices asks for them. It
/// also takes exact scores, so slices solved with a window are left out too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve awari --stones 10
  nutcracker stats awari
  nutcracker stats awari --format csv
  nutcracker stats awari --format svg > awari.svg")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    up_to: UpTo,
    #[command(flatten)]
    metric: MetricOption,
    /// Show the counts of every slice, not of the last one only
    #[arg(long)]
    scores: bool,
    /// Count choices in large slices too
    #[arg(long)]
    choices: bool,
    #[command(flatten)]
    threads: Threads,
    /// How the counts are printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// How the counts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// For spreadsheets: one row for each slice and score that occurs
    Csv,
    /// For programs
    Json,
    /// A picture
    Svg,
}

impl Args {
    /// Shows them.
    pub fn run(self) -> Result<(), Failure> {
        let (name, options) = (self.subject.game.clone(), self.subject.rules.options());
        with_game(&name, &options, self)?
    }
}

/// What is known of a slice.
struct Known {
    slice: SliceId,
    /// 0 if scores are exact, else what they are clipped to.
    window: u8,
    histogram: Histogram,
    choices: Option<Choices>,
}

impl Visitor for Args {
    type Output = Result<(), Failure>;

    fn visit<G: Registered>(self, game: G) -> Self::Output {
        need_databases(&game)?;
        let metric = self.metric.choose(&game)?;
        let present = self.subject.slices(&game, &self.up_to)?;
        let set = self.subject.open(&game, false, 0);
        let mut slices = Vec::new();
        for slice in present {
            let table = set.get(slice.0).map_err(|error| self.subject.explain(&game, error))?;
            let histogram = table.histogram().clone();
            let window = table.header().reach.into();
            slices.push(Known { slice, window, histogram, choices: None });
        }
        drop(set);
        if matches!(self.format, Format::Table | Format::Json) {
            self.count_choices(&game, &mut slices)?;
        }
        print(&match self.format {
            Format::Table => for_people(&game, &slices, self.scores),
            Format::Csv => csv(&game, &slices),
            Format::Json => format!("{}\n", for_programs(&game, metric, &slices)),
            Format::Svg => svg(&game, &slices),
        })
    }
}

impl Args {
    fn count_choices<G: Game>(&self, game: &G, slices: &mut [Known]) -> Result<(), Failure> {
        let last = if self.choices { game.largest_slice() } else { modest_slice(game) };
        let reporter = Reporter::new(game.slice_unit(), [0.0, 0.0, 0.0, 1.0]);
        for (expected, known) in slices.iter_mut().enumerate() {
            // Captures lead to smaller slices: without one of them nothing larger can be counted.
            // A clipped score does not say which of two moves is better.
            if known.slice > last || known.slice.0 as usize != expected || known.window != 0 {
                break;
            }
            let positions = known.histogram.total();
            reporter.begin_only(known.slice, "choices", positions);
            let set = self.subject.open(game, false, cache_bytes(positions));
            let counted = choices(game, known.slice, &set, self.threads.count(), |done| {
                reporter.advance(done);
            });
            reporter.clear();
            known.choices = Some(counted.map_err(|error| match error {
                StatsError::Table(error) => self.subject.explain(game, error),
                error => Failure::Failed(error.to_string()),
            })?);
        }
        if let Some(first) = slices.iter().find(|known| known.choices.is_none()) {
            let why = if first.slice > last {
                "; --choices counts them too"
            } else if first.window != 0 {
                ", because scores are clipped"
            } else {
                ", because smaller slices are missing"
            };
            note(&format!(
                "choices are not counted from {} on{why}",
                slice_label(game, first.slice)
            ));
        }
        Ok(())
    }
}

/// All slices together.
fn total(slices: &[Known]) -> (Histogram, Option<Choices>) {
    let mut histogram = Histogram::new();
    let mut choices = Choices::default();
    for slice in slices {
        histogram.merge(&slice.histogram);
        choices.merge(slice.choices.unwrap_or_default());
    }
    (histogram, slices.iter().any(|slice| slice.choices.is_some()).then_some(choices))
}

fn for_people<G: Game>(game: &G, slices: &[Known], all_scores: bool) -> String {
    let clipped = slices.iter().any(|known| known.window != 0);
    let line = |name: String, window: u8, histogram: &Histogram, choices: Option<Choices>| {
        let positions = histogram.total();
        let mut cells = vec![name];
        if clipped {
            cells.push(window_cell(window));
        }
        cells.extend([
            thousands(positions),
            percent(histogram.wins(), positions),
            percent(histogram.draws(), positions),
            percent(histogram.losses(), positions),
            signed(histogram.mean()),
            choices.map_or_else(|| "-".to_owned(), |choices| thousands(choices.positions)),
            choices.map_or_else(
                || "-".to_owned(),
                |choices| percent(choices.quiet_better, choices.positions),
            ),
        ]);
        cells
    };
    let mut rows: Vec<_> = slices
        .iter()
        .map(|known| line(known.slice.to_string(), known.window, &known.histogram, known.choices))
        .collect();
    let (histogram, choices) = total(slices);
    rows.push(line("all".to_owned(), 0, &histogram, choices));
    let mut header = vec![game.slice_unit()];
    if clipped {
        header.push("window");
    }
    header.extend(["positions", "won", "drawn", "lost", "mean", "with a choice", "quiet better"]);
    let mut text = format!("{}\n\n{}", game.id(), table::render(&header, &[], rows));
    if clipped {
        text += "\nWith a window, scores are clipped to it: the outermost ones stand for all beyond \
                 them, also in the mean.\n";
    }
    if let Some(choices) = choices.filter(|choices| choices.positions > 0) {
        let _ = write!(
            text,
            "\nIn {} of the {} positions with a choice between capturing and not, not capturing \
             is better.\n",
            percent(choices.quiet_better, choices.positions),
            thousands(choices.positions),
        );
    }
    let shown = if all_scores { slices } else { &slices[slices.len() - 1..] };
    for known in shown {
        let _ = write!(text, "\n{}\n\n", slice_label(game, known.slice));
        text += &score_table(&known.histogram, known.window);
    }
    text
}

/// Scores, counts, shares, and bars.
fn score_table(histogram: &Histogram, window: u8) -> String {
    let positions = histogram.total();
    let most = histogram.iter().map(|(_, count)| count).max().unwrap_or(1);
    let rows = histogram
        .iter()
        .map(|(score, count)| {
            vec![
                match score {
                    0 => "0".to_owned(),
                    score if score.unsigned_abs() != window => format!("{score:+}"),
                    1.. => format!("≥ {score}"),
                    _ => format!("≤ {score}"),
                },
                thousands(count),
                percent(count, positions),
                "#".repeat((BAR * count as f64 / most as f64).round() as usize),
            ]
        })
        .collect();
    table::render(&["score", "positions", "share", ""], &[3], rows)
}

fn csv<G: Game>(game: &G, slices: &[Known]) -> String {
    let mut text = format!("{},score,positions\n", game.slice_unit());
    for known in slices {
        for (score, count) in known.histogram.iter() {
            let _ = writeln!(text, "{},{score},{count}", known.slice);
        }
    }
    text
}

fn for_programs<G: Game>(game: &G, metric: Metric, slices: &[Known]) -> Value {
    let figures = |histogram: &Histogram, choices: Option<Choices>| {
        json!({
            "positions": histogram.total(),
            "wins": histogram.wins(),
            "draws": histogram.draws(),
            "losses": histogram.losses(),
            "mean": rounded(histogram.mean()),
            "choices": choices.map(|choices| json!({
                "positions": choices.positions,
                "quiet_better": choices.quiet_better,
            })),
        })
    };
    let list: Vec<Value> = slices
        .iter()
        .map(|known| {
            let mut object = Map::new();
            object.insert("window".to_owned(), known.window.into());
            if let Value::Object(more) = figures(&known.histogram, known.choices) {
                object.extend(more);
            }
            let scores: Vec<Value> = known
                .histogram
                .iter()
                .map(|(score, count)| json!({ "score": score, "positions": count }))
                .collect();
            object.insert("scores".to_owned(), scores.into());
            slice_object(game, metric, known.slice, object.into())
        })
        .collect();
    let (histogram, choices) = total(slices);
    let id = game.id();
    json!({
        "game": id.name,
        "options": id.options,
        "slices": list,
        "all": figures(&histogram, choices),
    })
}

fn svg<G: Game>(game: &G, slices: &[Known]) -> String {
    let slices: Vec<ScoreSlice> = slices
        .iter()
        .map(|known| ScoreSlice {
            label: match known.window {
                0 => slice_label(game, known.slice),
                window => format!("{}, clipped to ±{window}", slice_label(game, known.slice)),
            },
            counts: known.histogram.iter().map(|(score, n)| (score.into(), n)).collect(),
        })
        .collect();
    score_histogram(&game.id().to_string(), game.slice_unit(), &slices)
}

//! `nutcracker stats`: how many positions have each score.

use std::fmt::Write;

use clap::ValueEnum;
use nutcracker_any::AnyGame;
use nutcracker_draw::{Form, Histogram as Chart, Measure, ScoreSlice, score_histogram};
use nutcracker_game::{Metric, Numbering, Rules, SliceId, WinDistance, closure};
use nutcracker_retro::stats::{Choices, StatsError, choices};
use nutcracker_retro::{Progress, cache_bytes, quick_set};
use nutcracker_search::Worth;
use nutcracker_table::Histogram;
use serde_json::{Map, Value, json};

use crate::args::{Subject, Threads, UpTo, need_databases, slice_label, slice_object};
use crate::cmd::solve::window_cell;
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
/// A position has a choice if one legal move captures and another does not. Counting those takes a
/// pass over all positions, so larger slices are left out unless --choices is given. It also takes
/// exact scores, so slices solved with a window are left out too.
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
    /// For spreadsheets: one row for each slice and score that occurs, of distances for each side to
    /// move
    Csv,
    /// For programs
    Json,
    /// A picture
    Svg,
}

/// What is known of a slice.
struct Known {
    slice: SliceId,
    /// 0 if scores are exact, else what they are clipped to.
    window: u8,
    /// Whether the file was checked.
    checked: bool,
    histogram: Histogram,
    /// The positions whose bounds meet, where the table holds lower bounds.
    exact: Option<u64>,
    /// The parts that are counted apart, such as the positions of each side to move.
    sides: Vec<(String, Histogram)>,
    choices: Option<Choices>,
}

impl Args {
    /// Shows them.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_databases(&game)?;
        let metric = self.subject.metric(&game)?;
        let present = self.subject.slices(&game, &self.up_to)?;
        if let Some(absent) = self.subject.absent(&game, &self.up_to, &present)? {
            note(&absent);
        }
        let set = self.subject.open(&game, false, 0);
        let mut slices = Vec::new();
        for slice in present {
            let table = set.get(slice.0).map_err(|error| self.subject.explain(&game, error))?;
            let sides = table.parts().map(|(part, counts)| (part.name.clone(), counts.clone()));
            let mut sides: Vec<_> = sides.collect();
            if sides.is_empty() {
                sides.push(("all".to_owned(), table.histogram().clone()));
            }
            slices.push(Known {
                slice,
                window: table.header().reach.into(),
                checked: table.is_checked(),
                histogram: table.histogram().clone(),
                exact: table.exact(),
                sides,
                choices: None,
            });
        }
        self.subject.note_unchecked(&game, &set);
        drop(set);
        if matches!(self.format, Format::Table | Format::Json) && metric == Metric::Score {
            self.count_choices(&game, &mut slices)?;
        }
        print(&match self.format {
            Format::Table => for_people(&game, metric, &slices, self.scores),
            Format::Csv => csv(&game, metric, &slices),
            Format::Json => format!("{}\n", for_programs(&game, metric, &slices)),
            Format::Svg => svg(&game, metric, &slices),
        })
    }
}

impl Args {
    fn count_choices(&self, game: &AnyGame, slices: &mut [Known]) -> Result<(), Failure> {
        let reporter = Reporter::new(game, [0.0, 0.0, 0.0, 1.0])
            .aligned(slices.iter().map(|known| known.slice));
        let exact: Vec<SliceId> =
            slices.iter().filter(|known| known.window == 0).map(|known| known.slice).collect();
        let quick = quick_set(game);
        let mut left_out = None;
        for known in slices {
            let slice = known.slice;
            // Captures lead to slices below: without one of them nothing can be counted. A clipped
            // score does not show which of two moves is better.
            let why = if !self.choices && !quick.contains(&slice) {
                Some("; --choices counts them too")
            } else if known.window != 0 {
                Some(", because scores are clipped")
            } else if !closure(game, [slice]).iter().all(|slice| exact.contains(slice)) {
                Some(", because smaller slices are missing")
            } else {
                None
            };
            if let Some(why) = why {
                left_out = left_out.or(Some((slice, why)));
                continue;
            }
            let positions = known.histogram.total();
            reporter.begin_only(slice, "choices", positions);
            let set = self.subject.open(game, false, cache_bytes(positions));
            let counted = choices(game, slice, &set, self.threads.count(), |done| {
                reporter.advance(done);
            });
            reporter.clear();
            known.choices = Some(counted.map_err(|error| match error {
                StatsError::Table(error) => self.subject.explain(game, error),
                error => Failure::Failed(error.to_string()),
            })?);
        }
        if let Some((first, why)) = left_out {
            note(&format!("choices are not counted from {} on{why}", slice_label(game, first)));
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

/// What distances of a metric are.
fn counted(metric: Metric) -> String {
    match metric {
        Metric::Dtc => {
            "Distances are moves of the winner to the next conversion, or the end.".into()
        }
        Metric::Dtz => {
            "Distances are moves of the winner to the next zeroing move, or the end.".into()
        }
        Metric::DtzIn(rule) => format!(
            "Distances are moves of the winner to the next zeroing move, or the end; what takes more than \
             {rule} is a draw."
        ),
        Metric::Dth(0) => {
            "Numbers are the smallest N for which a rule of N moves without a zeroing move wins."
                .into()
        }
        Metric::Dth(rule) => format!(
            "Distances are moves of the winner to the next zeroing move, or the end; what takes more than \
             {rule} has the smallest N for which a rule of N moves wins."
        ),
        _ => "Distances are moves of the winner to the end of the game.".into(),
    }
}

fn for_people(game: &AnyGame, metric: Metric, slices: &[Known], all_scores: bool) -> String {
    let clipped = slices.iter().any(|known| known.window != 0);
    let sides = slices.iter().any(|known| known.sides.len() > 1);
    if metric == Metric::Forced {
        return forced_for_people(game, slices, all_scores);
    }
    // In some games no move captures, and there is nothing to choose between.
    let captures = total(slices).1.is_none_or(|choices| choices.positions > 0);
    let line = |name: [&str; 2], window: u8, histogram: &Histogram, choices: Option<Choices>| {
        let positions = histogram.total();
        let mut cells = vec![name[0].to_owned()];
        if sides {
            cells.push(name[1].to_owned());
        }
        if clipped {
            cells.push(window_cell(window));
        }
        cells.extend([
            thousands(positions),
            percent(histogram.wins(), positions),
            percent(histogram.draws(), positions),
            percent(histogram.losses(), positions),
        ]);
        let missing = || "-".to_owned();
        if metric == Metric::Score {
            cells.push(signed(histogram.mean()));
        }
        if metric == Metric::Score && captures {
            cells.extend([
                choices.map_or_else(missing, |choices| thousands(choices.positions)),
                choices.map_or_else(missing, |choices| {
                    percent(choices.quiet_better, choices.positions)
                }),
            ]);
        }
        if metric.is_distance() {
            for longest in longest(metric, histogram) {
                cells
                    .push(longest.map_or_else(missing, |(distance, _)| distance.moves.to_string()));
            }
        }
        cells
    };
    let mut rows = Vec::new();
    for known in slices {
        let name = game.slice_name(known.slice);
        rows.push(line([&name, ""], known.window, &known.histogram, known.choices));
        if known.sides.len() > 1 {
            for (side, histogram) in &known.sides {
                rows.push(line(["", side], known.window, histogram, None));
            }
        }
    }
    let (histogram, choices) = total(slices);
    rows.push(line(["all", ""], 0, &histogram, choices));
    let mut header = vec![game.slice_unit()];
    if sides {
        header.push("side to move");
    }
    if clipped {
        header.push("window");
    }
    header.extend(["positions", "won", "drawn", "lost"]);
    if metric == Metric::Score {
        header.push("mean");
        if captures {
            header.extend(["with a choice", "quiet better"]);
        }
    }
    if metric.is_distance() {
        header.extend(["longest win", "longest loss"]);
    }
    let left: &[usize] = if sides { &[1] } else { &[] };
    let mut text = format!("{}\n\n{}", game.id(), table::render(&header, left, rows));
    if metric.is_distance() {
        let _ = write!(text, "\n{}\n", counted(metric));
    }
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
    text + &score_tables(game, metric, slices, all_scores)
}

/// How many positions have each score, in the last slice or in all.
fn score_tables(game: &AnyGame, metric: Metric, slices: &[Known], all_scores: bool) -> String {
    let mut text = String::new();
    let shown = if all_scores { slices } else { &slices[slices.len() - 1..] };
    for known in shown {
        let label = slice_label(game, known.slice);
        if metric.is_distance() && known.sides.len() > 1 {
            // The sides of an ending have little in common.
            for (side, histogram) in &known.sides {
                let _ = write!(text, "\n{label}, {side}\n\n");
                text += &score_table(metric, histogram, known.window);
            }
            continue;
        }
        let _ = write!(text, "\n{label}\n\n");
        text += &score_table(metric, &known.histogram, known.window);
    }
    text
}

/// Slices of lower bounds: in how many positions the upper bound is the same.
fn forced_for_people(game: &AnyGame, slices: &[Known], all_scores: bool) -> String {
    let line = |name: String, histogram: &Histogram, exact: u64| {
        let positions = histogram.total();
        let exact = [thousands(exact), percent(exact, positions)];
        let [exact, share] = exact;
        vec![name, thousands(positions), exact, share, signed(histogram.mean())]
    };
    let mut rows: Vec<Vec<String>> = slices
        .iter()
        .map(|known| line(game.slice_name(known.slice), &known.histogram, known.exact.unwrap_or(0)))
        .collect();
    let exact = slices.iter().filter_map(|known| known.exact).sum();
    rows.push(line("all".to_owned(), &total(slices).0, exact));
    let header = [game.slice_unit(), "positions", "exact", "share", "mean"];
    let mut text = format!("{}\n\n{}", game.id(), table::render(&header, &[], rows));
    text += "\nScores are what the side to move can force without a repetition. Where the opponent \
             can force the rest, the score is exact.\n";
    text + &score_tables(game, Metric::Forced, slices, all_scores)
}

/// The longest win and the longest loss, and in how many positions.
fn longest(metric: Metric, histogram: &Histogram) -> [Option<(WinDistance, u64)>; 2] {
    [true, false].map(|wins| {
        let distances = histogram.iter().filter_map(|(value, count)| {
            let distance = metric.distance(value.into())?;
            (distance.wins == wins).then_some((distance, count))
        });
        distances.max_by_key(|(distance, _)| distance.moves)
    })
}

/// Scores, counts, shares, and bars.
fn score_table(metric: Metric, histogram: &Histogram, window: u8) -> String {
    let positions = histogram.total();
    // There are far more draws than wins of any one distance: beside them, no bar would be seen.
    let has_bar = |value: i8| !metric.is_distance() || value != 0;
    let bars = histogram.iter().filter(|&(value, _)| has_bar(value));
    let most = bars.map(|(_, count)| count).max().unwrap_or(1);
    let mut values: Vec<(i8, u64)> = histogram.iter().collect();
    if metric.is_distance() {
        // Wins from the nearest to the farthest, draws, losses from the nearest on.
        values.sort_by_key(|&(value, _)| (-value.signum(), -i16::from(value).abs()));
    }
    let rows = values
        .into_iter()
        .map(|(score, count)| {
            vec![
                match score {
                    score if metric == Metric::Wdl => Measure::Results.name(score.into()),
                    0 if metric.is_distance() => "draw".to_owned(),
                    0 => "0".to_owned(),
                    score if metric.is_distance() => Worth::by(metric, score.into()).to_string(),
                    score if score.unsigned_abs() != window => format!("{score:+}"),
                    1.. => format!("≥ {score}"),
                    _ => format!("≤ {score}"),
                },
                thousands(count),
                percent(count, positions),
                if has_bar(score) {
                    "#".repeat((BAR * count as f64 / most as f64).round() as usize)
                } else {
                    String::new()
                },
            ]
        })
        .collect();
    let value = match metric {
        Metric::Wdl => "result",
        metric if metric.is_distance() => "value",
        _ => "score",
    };
    table::render(&[value, "positions", "share", ""], &[3], rows)
}

/// Win, draw or loss, and the winner's moves, of a value that is a distance.
fn result_and_moves(metric: Metric, value: i8) -> (&'static str, Option<u16>) {
    match metric.distance(value.into()) {
        None => ("draw", None),
        Some(WinDistance { wins, moves }) => (if wins { "win" } else { "loss" }, Some(moves)),
    }
}

fn csv(game: &AnyGame, metric: Metric, slices: &[Known]) -> String {
    let more = if metric.is_distance() { ",side,result,moves" } else { "" };
    let mut text = format!("{},score,positions{more}\n", game.slice_unit());
    for known in slices {
        if metric.is_distance() {
            for (side, histogram) in &known.sides {
                for (value, count) in histogram.iter() {
                    let (result, moves) = result_and_moves(metric, value);
                    let moves = moves.map(|moves| moves.to_string()).unwrap_or_default();
                    let slice = game.slice_name(known.slice);
                    let _ = writeln!(text, "{slice},{value},{count},{side},{result},{moves}");
                }
            }
            continue;
        }
        for (score, count) in known.histogram.iter() {
            let _ = writeln!(text, "{},{score},{count}", game.slice_name(known.slice));
        }
    }
    text
}

fn for_programs(game: &AnyGame, metric: Metric, slices: &[Known]) -> Value {
    let figures = |histogram: &Histogram| {
        let mut object = Map::new();
        object.insert("positions".to_owned(), histogram.total().into());
        object.insert("won".to_owned(), histogram.wins().into());
        if metric != Metric::Forced {
            object.insert("drawn".to_owned(), histogram.draws().into());
            object.insert("lost".to_owned(), histogram.losses().into());
        }
        if metric.is_distance() {
            for (name, longest) in
                ["longest_win", "longest_loss"].iter().zip(longest(metric, histogram))
            {
                let longest = longest.map(|(distance, positions)| {
                    let mut object = json!({ "moves": distance.moves, "positions": positions });
                    if metric == Metric::Dtw {
                        object["plies"] = distance.plies().into();
                    }
                    object
                });
                object.insert((*name).to_owned(), longest.into());
            }
        } else {
            object.insert("mean".to_owned(), rounded(histogram.mean()).into());
        }
        object
    };
    let counted = |choices: Option<Choices>| -> Value {
        let object = |choices: Choices| json!({ "positions": choices.positions, "quiet_better": choices.quiet_better });
        choices.map(object).into()
    };
    let by_material = game.properties().parts_by_material;
    let distances = |histogram: &Histogram| -> Vec<Value> {
        let row = |(value, count): (i8, u64)| {
            let (result, moves) = result_and_moves(metric, value);
            json!({ "result": result, "moves": moves, "positions": count })
        };
        histogram.iter().map(row).collect()
    };
    let list: Vec<Value> = slices
        .iter()
        .map(|known| {
            let mut object = figures(&known.histogram);
            if let Some(exact) = known.exact {
                object.insert("exact".to_owned(), exact.into());
            }
            object.insert("checked".to_owned(), known.checked.into());
            object.insert("window".to_owned(), known.window.into());
            object.insert("choices".to_owned(), counted(known.choices));
            let sides: Vec<Value> = known
                .sides
                .iter()
                .map(|(name, histogram)| {
                    let mut side = figures(histogram);
                    side.insert("side".to_owned(), name.clone().into());
                    if metric.is_distance() {
                        side.insert("distances".to_owned(), distances(histogram).into());
                    }
                    if by_material {
                        side.insert("material".to_owned(), name.clone().into());
                    }
                    side.into()
                })
                .collect();
            object.insert("sides".to_owned(), sides.into());
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
    let mut all = figures(&histogram);
    if metric == Metric::Forced {
        let exact: u64 = slices.iter().filter_map(|known| known.exact).sum();
        all.insert("exact".to_owned(), exact.into());
    }
    all.insert("choices".to_owned(), counted(choices));
    json!({
        "game": game.id().name,
        "options": game.id().options,
        "slices": list,
        "all": all,
    })
}

fn svg(game: &AnyGame, metric: Metric, slices: &[Known]) -> String {
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
    let distance = |value| metric.distance(value).map(|distance| (distance.wins, distance.moves));
    let measure = if metric.is_distance() {
        Measure::Distances(&distance)
    } else if metric == Metric::Wdl {
        Measure::Results
    } else {
        Measure::Scores(game.slice_unit())
    };
    score_histogram(&Chart { form: Form::File, title: &game.id().to_string(), measure }, &slices)
}

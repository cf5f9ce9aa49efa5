//! `nutcracker experiment recogniser`: rules of thumb against every position of a database.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_draw::{Curve, CurveChart, curve_chart};
use nutcracker_game::{Metric, Numbering, Recognised, Rules, Side, Situation, SliceId};
use nutcracker_retro::Progress;
use nutcracker_search::{Answers, Recognition, TableOracle};
use serde_json::{Value, json};

use crate::args::{Subject, need_databases, slice_label, slice_named};
use crate::cmd::experiment::Format;
use crate::failure::Failure;
use crate::number::{percent, thousands};
use crate::progress::Reporter;
use crate::{print, table};

/// Decoded values kept while positions are looked up.
const CACHE: u64 = 64 << 20;

/// Compare what a recogniser claims with every position of a database
///
/// A recogniser tells in constant time, without a search, what some positions are worth, with the moves
/// to mate; it leaves others open. Chess has that of E. A. Heinz for two knights against a bishop
/// (knnkb) or a knight (knnkn), corrected. A claim is right if the result and the moves are those of
/// the database, and a single wrong one makes the command fail.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve chess --up-to knnkb
  nutcracker experiment recogniser chess --slice knnkb
  nutcracker experiment recogniser chess --slice knnkb --format svg > recogniser.svg")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    /// The name of the slice
    #[arg(long, value_name = "NAME")]
    slice: String,
    /// How what was found is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// What was found of each part of a slice.
struct Found {
    slice: SliceId,
    parts: Vec<(String, Recognition)>,
}

impl Args {
    /// Compares.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_databases(&game)?;
        let slice = slice_named(&game, &self.slice)?;
        let metric = self.subject.metric(&game)?;
        if metric != Metric::Dtw {
            return Err(Failure::Usage(format!(
                "recognisers count moves to the end of the game, and databases of {metric} do not"
            )));
        }
        let all = 0..game.slice_len(slice);
        let first = all.clone().find_map(|index| game.unrank(slice, index));
        if first.and_then(|position| game.recognise(&position)).is_none() {
            return Err(Failure::Usage(format!(
                "{} has no recogniser; chess has them for knnkb and knnkn",
                slice_label(&game, slice)
            )));
        }
        let set = self.subject.open(&game, true, CACHE);
        set.get(slice.0).map_err(|error| self.subject.explain(&game, error))?;
        let oracle = TableOracle::new(Arc::new(set))?;
        let reporter = Reporter::new(&game, [0.0, 0.0, 0.0, 1.0]);
        reporter.begin_only(slice, "positions", all.end);
        let recognise =
            |position: &AnyPosition| game.recognise(position).unwrap_or(Recognised::Unknown);
        let mut found = Found { slice, parts: Vec::new() };
        let mut done = 0;
        let mut advance = |more| {
            done += more;
            reporter.advance(done);
        };
        for part in game.parts(slice) {
            let measured =
                Recognition::measure(&game, &oracle, slice, part.range, &recognise, &mut advance);
            let measured = measured.map_err(|error| Failure::Failed(error.to_string()))?;
            found.parts.extend(measured.map(|measured| (part.name, measured)));
        }
        reporter.clear();
        print(&match self.format {
            Format::Table => found.for_people(&game),
            Format::Csv => found.csv(),
            Format::Json => format!("{}\n", found.for_programs(&game)),
            Format::Svg => found.svg(&game),
        })?;
        match found.sum().wrong {
            0 => Ok(()),
            wrong => Err(Failure::Failed(format!("{} claims are wrong", thousands(wrong)))),
        }
    }
}

impl Found {
    /// The results of a part, each with what was said of such positions.
    fn rows(&self) -> impl Iterator<Item = (&str, &'static str, Answers)> {
        self.parts.iter().flat_map(|(part, found)| {
            let results =
                [("win", found.all(true)), ("draw", found.draws), ("loss", found.all(false))];
            results.map(|(result, answers)| (part.as_str(), result, answers))
        })
    }

    fn sum(&self) -> Answers {
        let mut sum = Answers::default();
        self.rows().for_each(|(_, _, answers)| sum += answers);
        sum
    }

    fn for_people(&self, game: &AnyGame) -> String {
        let row = |part: &str, result: &str, answers: Answers| {
            let Answers { right, open, wrong } = answers;
            let counts = [answers.positions(), right, open, wrong].map(thousands);
            [part.to_owned(), result.to_owned()].into_iter().chain(counts).collect()
        };
        let sum = self.sum();
        let rows = self.rows().map(|(part, result, answers)| row(part, result, answers));
        let mut text = format!(
            "{}, {}: {} of {} positions are recognised\n\n{}",
            game.id(),
            slice_label(game, self.slice),
            percent(sum.right, sum.positions()),
            thousands(sum.positions()),
            table::render(
                &["to move", "result", "positions", "right", "left open", "wrong"],
                &[],
                rows.chain([row("all", "", sum)]).collect(),
            ),
        );
        for (index, said) in self.parts.iter().flat_map(|(_, found)| &found.examples) {
            if let Some(position) = game.unrank(self.slice, *index) {
                let position = game.format(&Situation::new(position, Side::First));
                let _ = writeln!(text, "wrong: {position} is called {said:?}");
            }
        }
        text
    }

    fn csv(&self) -> String {
        let mut text = "part,result,positions,right,open,wrong\n".to_owned();
        for (part, result, answers) in self.rows() {
            let Answers { right, open, wrong } = answers;
            let _ =
                writeln!(text, "{part},{result},{},{right},{open},{wrong}", answers.positions());
        }
        text
    }

    fn for_programs(&self, game: &AnyGame) -> Value {
        let figures = |answers: &Answers| {
            json!({ "positions": answers.positions(), "right": answers.right,
                "open": answers.open, "wrong": answers.wrong })
        };
        let part = |(name, found): &(String, Recognition)| {
            let decided = found.decided.iter().map(|(distance, answers)| {
                let result = if distance.wins { "win" } else { "loss" };
                json!({ "result": result, "moves": distance.moves, "answers": figures(answers) })
            });
            json!({ "part": name, "draws": figures(&found.draws),
                "decided": decided.collect::<Vec<_>>() })
        };
        json!({
            "game": game.id().name,
            "slice": game.slice_name(self.slice),
            "all": figures(&self.sum()),
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
        })
    }

    /// Wins and losses by the plies to the end of the game: all, and those that are recognised.
    fn svg(&self, game: &AnyGame) -> String {
        let sum = self.sum();
        let draws: u64 = self.parts.iter().map(|(_, found)| found.draws.right).sum();
        let caption = format!(
            "{}, {}: {} positions; {} draws are recognised, {} claims are wrong",
            game.id(),
            slice_label(game, self.slice),
            thousands(sum.positions()),
            thousands(draws),
            thousands(sum.wrong),
        );
        let chart = CurveChart {
            title: "Wins and losses that a recogniser knows",
            caption: &caption,
            x: ("plies to mate", ""),
            y: "positions, logarithmic",
            floor: None,
        };
        let mut counts: BTreeMap<u32, Answers> = BTreeMap::new();
        for (distance, &answers) in self.parts.iter().flat_map(|(_, found)| &found.decided) {
            *counts.entry(distance.plies().into()).or_default() += answers;
        }
        let curve = |label: &str, count: fn(&Answers) -> u64| Curve {
            label: label.to_owned(),
            points: counts.iter().map(|(&plies, answers)| (plies, count(answers))).collect(),
        };
        let curves =
            [curve("all", Answers::positions), curve("recognised", |answers| answers.right)];
        curve_chart(&chart, &curves)
    }
}

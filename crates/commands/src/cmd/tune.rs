//! `nutcracker tune`: fit the weights of an evaluation.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use clap::ValueEnum;
use nutcracker_any::AnyGame;
use nutcracker_engine::Transcript;
use nutcracker_fit::regression::Quality;
use nutcracker_fit::{
    Comparison, Fit, FitError, FitOptions, Goal, Known, SelfPlay, fit, from_databases, from_games,
    from_results,
};
use nutcracker_game::{Evaluate, Numbering, Rules, SliceId};
use serde_json::{Value, json};

use crate::args::{Subject, Threads, UpTo, slice_label, slice_named};
use crate::failure::Failure;
use crate::live::LiveLine;
use crate::number::{rounded, thousands};
use crate::{note, print, table};

/// Decoded scores kept while positions are drawn.
const CACHE: u64 = 64 << 20;

/// Fit the weights of a game's evaluation to exact values
///
/// The evaluation is what a search believes of a position where it stops: a weighted sum of
/// features. The weights are fitted to positions whose values are known. These come from the game's
/// databases, drawn at random, equally many of each slice; or, with --games and in a game that has
/// no databases, from games that the evaluation plays against itself, which are solved to the end
/// from --solve-at on; or, with --record, from games that were played to their end, such as those
/// of `nutcracker match`: every quiet position counts as what its game led to. A fifth of the positions, or of the games, is held out of the fit, and on
/// those it reports how good the weights are: by Kendall's tau (1 if guesses come in the order of
/// the values, 0 if the order is unrelated), by the root of the mean square error in points, and by
/// the part of the variance explained (R²). It compares material alone, which is the game's first
/// feature, the weights the game is shipped with, and the fitted ones.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve awari --stones 15
  nutcracker tune awari --up-to 12 --test-up-to 15
  nutcracker tune othello --games 200 --format rust
  nutcracker match checkers depth=6 depth=5 --opening-moves 6 --games 1000 --record games.txt
  nutcracker tune checkers --record games.txt")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    /// The first slice to take positions from
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u32,
    /// The last slice to take positions from; all existing databases by default
    #[arg(long, value_name = "NAME", visible_alias = "stones", allow_negative_numbers = true)]
    up_to: Option<String>,
    /// Evaluate the weights on slices up to this one too, which are not fitted to
    #[arg(long, value_name = "NAME", allow_negative_numbers = true)]
    test_up_to: Option<String>,
    /// How many positions to take from databases
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    positions: u64,
    /// How many games to play instead of using databases; 2000 where there can be none
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// A file with games to use instead of databases; those that are not played to the end are left
    /// out
    #[arg(long, value_name = "FILE", conflicts_with = "games")]
    record: Option<PathBuf>,
    /// Solve games from this slice on: in Othello, with this many squares empty
    #[arg(long, value_name = "N", default_value_t = 10)]
    solve_at: u32,
    /// What the fit strives for
    #[arg(long, value_enum, default_value = "squares")]
    by: By,
    /// Another seed takes other positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    /// How the weights are printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// What a fit strives for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// The least sum of squared errors
    Squares,
    /// From there on, the highest tau
    Tau,
}

/// How the weights are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// For programs
    Json,
    /// For the game's source, as its shipped weights
    Rust,
}

impl Args {
    /// Fits.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        if game.feature_names().is_empty() {
            return Err(Failure::Usage(format!("{} has no evaluation to fit", game.id())));
        }
        let (known, last) = self.collect(&game)?;
        let goal = match self.by {
            By::Squares => Goal::Squares,
            By::Tau => Goal::Tau,
        };
        let slices = SliceId(self.from)..=SliceId(last);
        let fit = fit(&game, &known, &FitOptions { slices, goal, seed: self.seed });
        let fit = fit.map_err(|error| self.explain(&game, error))?;
        print(&match self.format {
            Format::Table => for_people(&fit, &game),
            Format::Json => format!("{}\n", for_programs(&fit, &game)),
            Format::Rust => source(&fit, &game),
        })
    }
}

impl Args {
    /// The positions, and the last slice that is fitted to.
    fn collect(&self, game: &AnyGame) -> Result<(Known, u32), Failure> {
        let largest = game.largest_slice().0;
        let number = |name: &Option<String>| {
            name.as_ref().map(|name| slice_named(game, name).map(|slice| slice.0)).transpose()
        };
        let (up_to, test_up_to) = (number(&self.up_to)?, number(&self.test_up_to)?);
        if let Some(path) = &self.record {
            return Ok((recorded(game, path)?, up_to.unwrap_or(u32::MAX)));
        }
        if self.games.is_none() && game.has_databases() {
            let last = if let Some(last) = up_to {
                last
            } else {
                let present = self.subject.slices(game, &UpTo::default())?;
                present.last().expect("there is a slice").0
            };
            let end = test_up_to.unwrap_or(last).max(last);
            if self.from > last {
                return Err(Failure::Usage(format!(
                    "--from {} is beyond the last slice, {last}; use a smaller one",
                    self.from
                )));
            }
            let slices = SliceId(self.from)..=SliceId(end);
            let (tables, metric) =
                (self.subject.open(game, true, CACHE), self.subject.metric(game)?);
            // Where there are none at all, the advice is another.
            self.subject.slices(game, &UpTo::default())?;
            let known = from_databases(game, &tables, metric, &slices, self.positions, self.seed);
            return Ok((known.map_err(|error| self.explain(game, error))?, last));
        }
        let games = self.games.unwrap_or(2000);
        let (done, line) = (AtomicU64::new(0), LiveLine::new());
        note(&format!("playing {} games of {}", thousands(games), game.id()));
        let play = SelfPlay {
            games,
            solve_at: self.solve_at,
            threads: self.threads.count(),
            seed: self.seed,
        };
        let known = from_games(game, &play, |more| {
            let done = done.fetch_add(more, Relaxed) + more;
            line.update(|| format!("{} of {} games", thousands(done), thousands(games)).into());
        });
        Ok((known.map_err(|error| self.explain(game, error))?, up_to.unwrap_or(largest)))
    }

    /// The failure that an error of the fit is, with what to do about it on the command line.
    fn explain(&self, game: &AnyGame, error: FitError) -> Failure {
        match error {
            FitError::Table(error) => self.subject.explain(game, error),
            FitError::Missing { slice, .. } => Failure::Failed(format!(
                "there is no database of {} for {}; `{}` makes it",
                game.id(),
                slice_label(game, slice),
                self.subject.slice_command("solve", game, slice),
            )),
            FitError::Clipped { slice, .. } => Failure::Failed(format!(
                "the database of {} for {} has clipped scores only, and a fit needs exact ones; \
                 solve it without --window, or leave it out with --from or --up-to",
                game.id(),
                slice_label(game, slice),
            )),
            FitError::Repeats { .. } => Failure::Failed(format!(
                "games of {} repeat positions, so that they cannot be solved to the end; leave out \
                 --games, and its databases are used",
                game.id()
            )),
            error => Failure::Failed(error.to_string()),
        }
    }
}

/// The positions of the games of a file that were played to the end.
fn recorded(game: &AnyGame, path: &Path) -> Result<Known, Failure> {
    let wrong = |why: String| Failure::Failed(format!("cannot read {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let games = Transcript::read_all(&text).map_err(|error| wrong(error.to_string()))?;
    let mut results = Vec::new();
    for transcript in &games {
        if let Some(name) = transcript.game().filter(|name| *name != game.id().name) {
            return Err(wrong(format!("it has a game of {name:?}")));
        }
        let played = transcript.replay(game.clone()).map_err(|error| wrong(error.to_string()))?.0;
        results.extend(played.results());
    }
    Ok(from_results(game, results))
}

fn slices_text(compared: &Comparison) -> String {
    match compared.slices {
        [from, to] if from == to => from.to_string(),
        [from, to] => format!("{from}-{to}"),
    }
}

fn cells(compared: &Comparison, name: String) -> Vec<String> {
    let models = [compared.material, compared.shipped, compared.fitted];
    let tau = |quality: Quality| quality.tau.map_or("-".to_owned(), |tau| format!("{tau:.3}"));
    let mut cells = vec![name, thousands(compared.positions as u64)];
    cells.extend(models.map(tau));
    cells.extend(models.map(|quality| format!("{:.2}", quality.rmse)));
    cells.extend(models[1..].iter().map(|quality| format!("{:.3}", quality.r_squared)));
    cells
}

fn json(compared: &Comparison) -> Value {
    let quality = |quality: Quality| {
        json!({
            "tau": quality.tau.map(rounded),
            "rmse": rounded(quality.rmse),
            "r_squared": rounded(quality.r_squared),
        })
    };
    json!({
        "from": compared.slices[0],
        "up_to": compared.slices[1],
        "positions": compared.positions,
        "material": quality(compared.material),
        "shipped": quality(compared.shipped),
        "fitted": quality(compared.fitted),
    })
}

fn for_people(fit: &Fit, game: &AnyGame) -> String {
    let weights = game.feature_names().iter().enumerate().map(|(place, name)| {
        let weight = |of: &[f64]| of.get(place).map_or("-".to_owned(), |w| format!("{w:+.3}"));
        vec![(*name).to_owned(), weight(&fit.shipped), weight(&fit.fitted)]
    });
    let mut text = format!(
        "{}: fitted to {} positions, evaluated on others\n\n",
        game.id(),
        thousands(fit.fitted_to as u64)
    );
    text += &table::render(&["feature", "shipped", "fitted"], &[0], weights.collect());
    let mut rows: Vec<_> = fit.bands.iter().map(|band| cells(band, slices_text(band))).collect();
    rows.push(cells(&fit.held_out, "fitted to".to_owned()));
    if let Some(beyond) = &fit.beyond {
        rows.push(cells(beyond, "beyond".to_owned()));
    }
    let header = [
        game.slice_unit(),
        "positions",
        "tau material",
        "shipped",
        "fitted",
        "rmse material",
        "shipped",
        "fitted",
        "R² shipped",
        "fitted",
    ];
    text += "\n";
    text + &table::render(&header, &[], rows)
}

fn for_programs(fit: &Fit, game: &AnyGame) -> Value {
    let weights: Vec<Value> = (0..game.feature_names().len())
        .map(|place| {
            json!({
                "feature": game.feature_names()[place],
                "shipped": fit.shipped.get(place).copied().map(rounded),
                "fitted": rounded(fit.fitted[place]),
            })
        })
        .collect();
    let bands: Vec<Value> = fit.bands.iter().map(json).collect();
    json!({
        "game": game.id().name,
        "options": game.id().options,
        "fitted_to": fit.fitted_to,
        "weights": weights,
        "held_out": json(&fit.held_out),
        "beyond": fit.beyond.as_ref().map(json),
        "slices": bands,
    })
}

/// A constant for the file with the game's shipped weights.
fn source(fit: &Fit, game: &AnyGame) -> String {
    let mut text = format!("pub(super) const FITTED: [f32; {}] = [\n", game.feature_names().len());
    for (weight, name) in fit.fitted.iter().zip(game.feature_names()) {
        let _ = writeln!(text, "    {weight:.4}, // {name}");
    }
    text + "];\n"
}

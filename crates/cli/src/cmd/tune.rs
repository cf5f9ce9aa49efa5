//! `nutcracker tune`: fit the weights of an evaluation.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use clap::ValueEnum;
use nutcracker_game::{Evaluate, SliceId};
use nutcracker_games::registry::{Registered, Visitor, with_game};
use nutcracker_search::fit::{Quality, Samples, climb, is_held_out, least_squares};
use serde_json::{Value, json};

use crate::args::{Subject, Threads, UpTo, slice_named};
use crate::failure::Failure;
use crate::live::LiveLine;
use crate::number::{rounded, thousands};
use crate::samples::{Known, from_databases, from_games};
use crate::{note, print, table};

/// The part of the positions that is held out for evaluation.
const HELD_OUT: f64 = 0.2;
/// Strength of the regularisation: this many positions pull every weight to 0.
const RIDGE: f64 = 1.0;
/// Most positions for hill climbing: each step sorts them all.
const CLIMBED: usize = 20_000;
/// Times through all weights.
const ROUNDS: u32 = 24;
/// Most rows in the table by slices.
const BANDS: u32 = 12;

/// Fit the weights of a game's evaluation to exact values
///
/// The evaluation is what a search believes of a position where it stops: a weighted sum of
/// features. The weights are fitted to positions whose values are known. These come from the game's
/// databases, drawn at random, equally many of each slice; or, with --games and in a game that has
/// no databases, from games that the evaluation plays against itself, which are solved to the end
/// from --solve-at on. A fifth of the positions, or of the games, is held out of the fit, and on
/// those it reports how good the weights are: by Kendall's tau (1 if guesses come in the order of
/// the values, 0 if the order is unrelated), by the root of the mean square error in points, and by
/// the part of the variance explained (R²). It compares material alone, which is the game's first
/// feature, the weights the game is shipped with, and the fitted ones.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve awari --stones 15
  nutcracker tune awari --up-to 12 --test-up-to 15
  nutcracker tune othello --games 200 --format rust")]
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
        let (name, options) = (self.subject.game.clone(), self.subject.rules.options());
        with_game(&name, &options, self)?
    }
}

/// How good three sets of weights are on some of the positions held out.
struct Evaluated {
    slices: [u32; 2],
    positions: usize,
    material: Quality,
    shipped: Quality,
    fitted: Quality,
}

/// All that was found.
struct Fit {
    shipped: Vec<f64>,
    fitted: Vec<f64>,
    fitted_to: usize,
    bands: Vec<Evaluated>,
    all: Evaluated,
    /// Positions of slices that were not fitted to.
    beyond: Option<Evaluated>,
}

impl Visitor for Args {
    type Output = Result<(), Failure>;

    fn visit<G: Registered>(self, game: G) -> Self::Output {
        if game.feature_names().is_empty() {
            return Err(Failure::Usage(format!("{} has no evaluation to fit", game.id())));
        }
        let (known, last) = self.collect(&game)?;
        let fit = self.fit(&game, &known, last)?;
        print(&match self.format {
            Format::Table => fit.for_people(&game),
            Format::Json => format!("{}\n", fit.for_programs(&game)),
            Format::Rust => fit.source(&game),
        })
    }
}

impl Args {
    /// The positions, and the last slice that is fitted to.
    fn collect<G: Registered>(&self, game: &G) -> Result<(Known, u32), Failure> {
        let largest = game.largest_slice().0;
        let number = |name: &Option<String>| {
            name.as_ref().map(|name| slice_named(game, name).map(|slice| slice.0)).transpose()
        };
        let (up_to, test_up_to) = (number(&self.up_to)?, number(&self.test_up_to)?);
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
            let known = from_databases(game, &self.subject, slices, self.positions, self.seed)?;
            return Ok((known, last));
        }
        let games = self.games.unwrap_or(2000);
        let (done, line) = (AtomicU64::new(0), LiveLine::new());
        note(&format!("playing {} games of {}", thousands(games), game.id()));
        let threads = self.threads.count();
        let known = from_games(game, games, self.solve_at, threads, self.seed, |more| {
            let done = done.fetch_add(more, Relaxed) + more;
            line.update(|| format!("{} of {} games", thousands(done), thousands(games)).into());
        })?;
        Ok((known, up_to.unwrap_or(largest)))
    }

    fn fit<G: Evaluate>(&self, game: &G, known: &Known, last: u32) -> Result<Fit, Failure> {
        let is_tested = |place: usize| is_held_out(known.groups[place], HELD_OUT, self.seed);
        let is_inside = |place: usize| (self.from..=last).contains(&known.slices[place]);
        let train = known.samples.select(|place| is_inside(place) && !is_tested(place));
        let too_few = || {
            Failure::Failed(
                "there are too few positions to fit to; take more slices or games".to_owned(),
            )
        };
        let mut fitted = least_squares(&train, RIDGE).ok_or_else(too_few)?;
        if self.by == By::Tau {
            let stride = train.len().div_ceil(CLIMBED);
            fitted = climb(&train.select(|place| place % stride == 0), &fitted, ROUNDS);
        }
        let shipped: Vec<f64> = game.fitted().iter().copied().map(f64::from).collect();
        let material = material(game, &train).ok_or_else(too_few)?;
        let evaluate = |slices: [u32; 2], selected: &dyn Fn(usize) -> bool| {
            let test = known.samples.select(|place| {
                (slices[0]..=slices[1]).contains(&known.slices[place]) && selected(place)
            });
            let quality = |weights: &[f64]| Quality::of(&test.guesses(weights), test.targets());
            Evaluated {
                slices,
                positions: test.len(),
                material: quality(&material),
                shipped: quality(&shipped),
                fitted: quality(&fitted),
            }
        };
        let end = known.slices.iter().copied().max().unwrap_or(last);
        let begin = known.slices.iter().copied().min().unwrap_or(self.from);
        let width = (end - begin + 1).div_ceil(BANDS);
        let bands = (begin..=end)
            .step_by(width as usize)
            .map(|from| evaluate([from, (from + width - 1).min(end)], &is_tested))
            .filter(|one| one.positions > 0)
            .collect();
        let inside = [begin.max(self.from), end.min(last)];
        Ok(Fit {
            all: evaluate(inside, &is_tested),
            beyond: (end > last).then(|| evaluate([last + 1, end], &|_| true)),
            bands,
            fitted_to: train.len(),
            shipped,
            fitted,
        })
    }
}

/// Weights for the first feature alone, in all its stages: those whose names have the same
/// beginning, up to a comma.
fn material<G: Evaluate>(game: &G, train: &Samples) -> Option<Vec<f64>> {
    let names = game.feature_names();
    let stem = |name: &'static str| name.split(',').next();
    let is_first = |name| stem(name) == stem(names[0]);
    let mut only = Samples::new(names.len());
    let mut row = vec![0.0; names.len()];
    for (place, &target) in train.targets().iter().enumerate() {
        for ((kept, &value), name) in row.iter_mut().zip(train.row(place)).zip(names) {
            *kept = if is_first(name) { value } else { 0.0 };
        }
        only.push(&row, target);
    }
    least_squares(&only, RIDGE)
}

impl Evaluated {
    fn slices(&self) -> String {
        match self.slices {
            [from, to] if from == to => from.to_string(),
            [from, to] => format!("{from}-{to}"),
        }
    }

    fn cells(&self, name: String) -> Vec<String> {
        let models = [self.material, self.shipped, self.fitted];
        let tau = |quality: Quality| quality.tau.map_or("-".to_owned(), |tau| format!("{tau:.3}"));
        let mut cells = vec![name, thousands(self.positions as u64)];
        cells.extend(models.map(tau));
        cells.extend(models.map(|quality| format!("{:.2}", quality.rmse)));
        cells.extend(models[1..].iter().map(|quality| format!("{:.3}", quality.r_squared)));
        cells
    }

    fn json(&self) -> Value {
        let quality = |quality: Quality| {
            json!({
                "tau": quality.tau.map(rounded),
                "rmse": rounded(quality.rmse),
                "r_squared": rounded(quality.r_squared),
            })
        };
        json!({
            "from": self.slices[0],
            "up_to": self.slices[1],
            "positions": self.positions,
            "material": quality(self.material),
            "shipped": quality(self.shipped),
            "fitted": quality(self.fitted),
        })
    }
}

impl Fit {
    fn for_people<G: Evaluate>(&self, game: &G) -> String {
        let weights = game.feature_names().iter().enumerate().map(|(place, name)| {
            let weight = |of: &[f64]| of.get(place).map_or("-".to_owned(), |w| format!("{w:+.3}"));
            vec![(*name).to_owned(), weight(&self.shipped), weight(&self.fitted)]
        });
        let mut text = format!(
            "{}: fitted to {} positions, evaluated on others\n\n",
            game.id(),
            thousands(self.fitted_to as u64)
        );
        text += &table::render(&["feature", "shipped", "fitted"], &[0], weights.collect());
        let mut rows: Vec<_> = self.bands.iter().map(|band| band.cells(band.slices())).collect();
        rows.push(self.all.cells("fitted to".to_owned()));
        if let Some(beyond) = &self.beyond {
            rows.push(beyond.cells("beyond".to_owned()));
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

    fn for_programs<G: Evaluate>(&self, game: &G) -> Value {
        let weights: Vec<Value> = (0..game.feature_names().len())
            .map(|place| {
                json!({
                    "feature": game.feature_names()[place],
                    "shipped": self.shipped.get(place).copied().map(rounded),
                    "fitted": rounded(self.fitted[place]),
                })
            })
            .collect();
        let bands: Vec<Value> = self.bands.iter().map(Evaluated::json).collect();
        json!({
            "game": game.id().name,
            "options": game.id().options,
            "fitted_to": self.fitted_to,
            "weights": weights,
            "held_out": self.all.json(),
            "beyond": self.beyond.as_ref().map(Evaluated::json),
            "slices": bands,
        })
    }

    /// A constant for the file with the game's shipped weights.
    fn source<G: Evaluate>(&self, game: &G) -> String {
        let mut text =
            format!("pub(super) const FITTED: [f32; {}] = [\n", game.feature_names().len());
        for (weight, name) in self.fitted.iter().zip(game.feature_names()) {
            let _ = writeln!(text, "    {weight:.4}, // {name}");
        }
        text + "];\n"
    }
}

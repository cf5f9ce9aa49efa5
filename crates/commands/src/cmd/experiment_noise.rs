//! `nutcracker experiment noise`: what minimax does with distances that are not quite right.

use std::fmt::Write;
use std::sync::Arc;

use nutcracker_any::AnyGame;
use nutcracker_draw::{Curve, CurveChart, curve_chart};
use nutcracker_game::{Numbering, Random, Rules, SliceId};
use nutcracker_search::TableOracle;
use nutcracker_search::noise::{Error, Losses};
use serde_json::{Value, json};

use crate::args::{Subject, need_databases, slice_label, slice_named};
use crate::cmd::experiment::Format;
use crate::failure::Failure;
use crate::number::{rounded, thousands};
use crate::{print, table};

/// Decoded values kept while positions are looked up.
const CACHE: u64 = 64 << 20;
/// More positions take too much memory.
const MOST: u64 = 4_000_000;

/// How wrong backed-up values are where a perfect table of distances is corrupted
///
/// Gaussian noise is added to the distance of every position that is lost for the side to move. Values
/// are backed up by minimax, two plies at a time, over the whole table, and compared with the truth:
/// the deviation, the bias (positive where values are too optimistic for the winner), and the
/// deviation without the bias, in moves. Draws are known, mates are not recognised. The experiment of
/// Sadikov, Bratko and Kononenko on KRK; it takes a slice whose wins end inside it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve chess --up-to krk
  nutcracker experiment noise chess --slice krk
  nutcracker experiment noise chess --slice krk --format svg > noise.svg")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    /// The name of the slice
    #[arg(long, value_name = "NAME")]
    slice: String,
    /// Standard deviations of the noise, in moves
    #[arg(long, value_name = "MOVES", value_delimiter = ',', default_value = "0.25,0.5,1,2,3,5", value_parser = sigma)]
    sigma: Vec<f64>,
    /// How many plies are backed up
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(0..=200))]
    depth: u32,
    /// What the noise depends on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How what was found is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

fn sigma(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|sigma: &f64| (0.0..=1000.0).contains(sigma));
    number.ok_or_else(|| "a standard deviation is a number from 0 to 1000".to_owned())
}

impl Args {
    /// Measures.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_databases(&game)?;
        let slice = slice_named(&game, &self.slice)?;
        if game.slice_len(slice) > MOST {
            return Err(Failure::Usage(format!(
                "{} has more than {} positions, which is the most",
                slice_label(&game, slice),
                thousands(MOST),
            )));
        }
        self.subject.metric(&game)?;
        let set = self.subject.open(&game, true, CACHE);
        set.get(slice.0).map_err(|error| self.subject.explain(&game, error))?;
        let oracle = TableOracle::new(Arc::new(set))?;
        // The losers are the side that moves in the last part.
        let all = 0..game.slice_len(slice);
        let range = game.parts(slice).pop().map_or(all, |part| part.range);
        let losses = Losses::new(&game, &oracle, slice, range);
        let losses =
            losses.map_err(|error| Failure::Failed(error.to_string()))?.ok_or_else(|| {
                Failure::Usage(
                "this takes databases of distances, and a slice whose wins end inside it, as krk"
                    .to_owned(),
            )
            })?;
        let mut random = Random::new(self.seed);
        let errors: Vec<Vec<Error>> =
            self.sigma.iter().map(|&sigma| losses.errors(sigma, self.depth, &mut random)).collect();
        print(&match self.format {
            Format::Table => self.for_people(&game, slice, losses.len(), &errors),
            Format::Csv => self.csv(&errors),
            Format::Json => format!("{}\n", self.for_programs(&game, slice, &losses, &errors)),
            Format::Svg => self.svg(&game, slice, &errors),
        })
    }

    fn rows<'a>(&'a self, errors: &'a [Vec<Error>]) -> impl Iterator<Item = (f64, &'a Error)> {
        let sigmas = self.sigma.iter().zip(errors);
        sigmas.flat_map(|(&sigma, errors)| errors.iter().map(move |error| (sigma, error)))
    }

    fn for_people(
        &self,
        game: &AnyGame,
        slice: SliceId,
        positions: usize,
        errors: &[Vec<Error>],
    ) -> String {
        let rows = self.rows(errors).map(|(sigma, error)| {
            let numbers = [error.deviation, error.bias, error.unbiased];
            let first = [sigma.to_string(), error.depth.to_string()];
            first.into_iter().chain(numbers.map(|number| format!("{number:.3}"))).collect()
        });
        format!(
            "{}, {}: {} lost positions\n\n{}",
            game.id(),
            slice_label(game, slice),
            thousands(positions as u64),
            table::render(
                &["noise", "plies", "deviation", "bias", "without bias"],
                &[],
                rows.collect()
            ),
        )
    }

    fn csv(&self, errors: &[Vec<Error>]) -> String {
        let mut text = "sigma,plies,deviation,bias,unbiased\n".to_owned();
        for (sigma, Error { depth, deviation, bias, unbiased }) in self.rows(errors) {
            let _ = writeln!(text, "{sigma},{depth},{deviation:.6},{bias:.6},{unbiased:.6}");
        }
        text
    }

    fn for_programs(
        &self,
        game: &AnyGame,
        slice: SliceId,
        losses: &Losses,
        errors: &[Vec<Error>],
    ) -> Value {
        let rows: Vec<Value> = self
            .rows(errors)
            .map(|(sigma, error)| {
                json!({
                    "sigma": sigma,
                    "plies": error.depth,
                    "deviation": rounded(error.deviation),
                    "bias": rounded(error.bias),
                    "unbiased": rounded(error.unbiased),
                })
            })
            .collect();
        json!({
            "game": game.id().name,
            "slice": game.slice_name(slice),
            "positions": losses.len(),
            "errors": rows,
        })
    }

    fn svg(&self, game: &AnyGame, slice: SliceId, errors: &[Vec<Error>]) -> String {
        let caption = format!("{}, {}", game.id(), slice_label(game, slice));
        let chart = CurveChart {
            title: "Bias of backed-up distances that were corrupted",
            caption: &caption,
            x: ("plies that are backed up", ""),
            y: "bias in thousandths of a move, logarithmic",
            floor: None,
        };
        let curves: Vec<Curve> = self
            .sigma
            .iter()
            .zip(errors)
            .map(|(sigma, errors)| {
                let point = |error: &Error| (error.depth, (1000.0 * error.bias).max(0.0) as u64);
                Curve {
                    label: format!("noise {sigma}"),
                    points: errors.iter().skip(1).map(point).collect(),
                }
            })
            .collect();
        curve_chart(&chart, &curves)
    }
}

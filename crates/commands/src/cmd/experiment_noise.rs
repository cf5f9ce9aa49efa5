//! `nutcracker experiment noise`: what minimax does with distances that are not quite right.

use std::fmt::Write;
use std::sync::Arc;

use nutcracker_any::AnyGame;
use nutcracker_draw::{Curve, CurveChart, curve_chart};
use nutcracker_game::{Numbering, Random, Rules, SliceId};
use nutcracker_search::TableOracle;
use nutcracker_search::noise::{GIVE_UP, Level, Losses, TOGETHER, together_from};
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
/// deviation without the bias, in moves. Draws are known, mates are not recognised. With --play, the
/// winner follows the values of each depth from every position, without repeating one, against a loser
/// that never errs: the moves above the least on average, and how many games are won within 50 moves.
/// The experiment of Sadikov, Bratko and Kononenko on KRK; it takes a slice whose wins end inside it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve chess --up-to krk
  nutcracker experiment noise chess --slice krk
  nutcracker experiment noise chess --slice krk --format svg > noise.svg
  nutcracker experiment noise chess --slice krk --play --format svg > noise-play.svg")]
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
    /// Play by the values of each depth, too
    #[arg(long)]
    play: bool,
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
        let metric = self.subject.metric(&game)?;
        if !metric.counts_down() {
            return Err(Failure::Usage(format!(
                "databases of {metric} do not say how far a win is; choose a distance with --metric"
            )));
        }
        let set = self.subject.open(&game, true, CACHE);
        set.get(slice.0).map_err(|error| self.subject.explain(&game, error))?;
        let oracle = TableOracle::new(Arc::new(set))?;
        // The losers are the side that moves in the last part.
        let all = 0..game.slice_len(slice);
        let range = game.parts(slice).pop().map_or(all, |part| part.range);
        let losses = Losses::new(&game, &oracle, slice, range);
        let losses =
            losses.map_err(|error| Failure::Failed(error.to_string()))?.ok_or_else(|| {
                Failure::Usage(format!(
                    "wins lead out of {}, and this takes a slice whose wins end inside it, as krk in \
                     chess",
                    slice_label(&game, slice),
                ))
            })?;
        if losses.is_empty() {
            return Err(Failure::Failed(format!("{} has no wins", slice_label(&game, slice))));
        }
        let mut random = Random::new(self.seed);
        let levels: Vec<Vec<Level>> = self
            .sigma
            .iter()
            .map(|&sigma| losses.measure(sigma, self.depth, self.play, &mut random))
            .collect();
        print(&match self.format {
            Format::Table => self.for_people(&game, slice, losses.len(), &levels),
            Format::Csv => self.csv(&levels),
            Format::Json => format!("{}\n", self.for_programs(&game, slice, &losses, &levels)),
            Format::Svg => self.svg(&game, slice, &levels),
        })
    }

    fn rows<'a>(&'a self, levels: &'a [Vec<Level>]) -> impl Iterator<Item = (f64, &'a Level)> {
        let sigmas = self.sigma.iter().zip(levels);
        sigmas.flat_map(|(&sigma, levels)| levels.iter().map(move |level| (sigma, level)))
    }

    /// By noise, the plies from which on deviation and bias move together.
    fn together<'a>(
        &'a self,
        levels: &'a [Vec<Level>],
    ) -> impl Iterator<Item = (f64, Option<u32>)> + 'a {
        self.sigma.iter().copied().zip(levels.iter().map(|levels| together_from(levels)))
    }

    fn for_people(
        &self,
        game: &AnyGame,
        slice: SliceId,
        positions: usize,
        levels: &[Vec<Level>],
    ) -> String {
        let rows = self.rows(levels).map(|(sigma, level)| {
            let mut row = vec![sigma.to_string(), level.depth.to_string()];
            let numbers = [level.deviation, level.bias, level.unbiased];
            row.extend(numbers.map(|number| format!("{number:.3}")));
            if let Some(play) = level.play {
                row.extend([format!("{:.3}", play.excess), format!("{:.2}%", 100.0 * play.won)]);
            }
            row
        });
        let won = format!("won in {GIVE_UP}");
        let mut header = vec!["noise", "plies", "deviation", "bias", "without bias"];
        if self.play {
            header.extend(["moves lost", &won]);
        }
        let mut text = format!(
            "{}, {}: {} lost positions\n\n{}",
            game.id(),
            slice_label(game, slice),
            thousands(positions as u64),
            table::render(&header, &[], rows.collect()),
        );
        let together = self.together(levels).filter_map(|(sigma, from)| Some((sigma, from?)));
        let together: Vec<String> =
            together.map(|(sigma, from)| format!("{from} plies with noise {sigma}")).collect();
        if !together.is_empty() {
            let _ = writeln!(
                text,
                "\nDeviation and bias move together (correlation {TOGETHER} or more from there on) \
                 from {}.",
                together.join(", "),
            );
        }
        text
    }

    fn csv(&self, levels: &[Vec<Level>]) -> String {
        let more = if self.play { ",moves_lost,won" } else { "" };
        let mut text = format!("sigma,plies,deviation,bias,unbiased{more}\n");
        for (sigma, Level { depth, deviation, bias, unbiased, play }) in self.rows(levels) {
            let _ = write!(text, "{sigma},{depth},{deviation:.6},{bias:.6},{unbiased:.6}");
            if let Some(play) = play {
                let _ = write!(text, ",{:.6},{:.6}", play.excess, play.won);
            }
            text.push('\n');
        }
        text
    }

    fn for_programs(
        &self,
        game: &AnyGame,
        slice: SliceId,
        losses: &Losses,
        levels: &[Vec<Level>],
    ) -> Value {
        let rows: Vec<Value> = self
            .rows(levels)
            .map(|(sigma, level)| {
                let play = level.play.map(
                    |play| json!({ "moves_lost": rounded(play.excess), "won": rounded(play.won) }),
                );
                json!({
                    "sigma": sigma,
                    "plies": level.depth,
                    "deviation": rounded(level.deviation),
                    "bias": rounded(level.bias),
                    "unbiased": rounded(level.unbiased),
                    "play": play,
                })
            })
            .collect();
        json!({
            "game": game.id().name,
            "slice": game.slice_name(slice),
            "positions": losses.len(),
            "errors": rows,
            "together_from": self
                .together(levels)
                .map(|(sigma, plies)| json!({ "sigma": sigma, "plies": plies }))
                .collect::<Vec<_>>(),
        })
    }

    fn svg(&self, game: &AnyGame, slice: SliceId, levels: &[Vec<Level>]) -> String {
        let caption = format!("{}, {}", game.id(), slice_label(game, slice));
        let (title, y) = if self.play {
            (
                "Moves lost by play on distances that were corrupted",
                "moves above the least, in thousandths, logarithmic",
            )
        } else {
            (
                "Bias of backed-up distances that were corrupted",
                "bias in thousandths of a move, logarithmic",
            )
        };
        let x = ("plies that are backed up", "");
        let chart = CurveChart { title, caption: &caption, x, y, floor: None };
        let height = |level: &Level| level.play.map_or(level.bias, |play| play.excess);
        let point = |level: &Level| (level.depth, (1000.0 * height(level)).max(0.0) as u64);
        let curve = |(sigma, levels): (&f64, &Vec<Level>)| Curve {
            label: format!("noise {sigma}"),
            // Nothing has been backed up at depth 0, and there is no bias.
            points: levels.iter().skip(usize::from(!self.play)).map(point).collect(),
        };
        curve_chart(&chart, &self.sigma.iter().zip(levels).map(curve).collect::<Vec<_>>())
    }
}

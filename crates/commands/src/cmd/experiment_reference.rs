//! `nutcracker experiment reference`: how long a player that errs takes to win.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use nutcracker_any::AnyGame;
use nutcracker_draw::{Curve, CurveChart, curve_chart};
use nutcracker_game::{Metric, Numbering, Random, Rules, SliceId, Step};
use nutcracker_retro::Progress;
use nutcracker_search::player::{Analyser, Chain, Reference, SlicePart, play_out, reached, survey};
use nutcracker_search::{Oracle, TableOracle};
use nutcracker_table::Histogram;
use serde_json::{Value, json};

use crate::args::{Subject, need_databases, slice_label, slice_named};
use crate::cmd::experiment::Format;
use crate::failure::Failure;
use crate::number::{counted, rounded, thousands};
use crate::progress::Reporter;
use crate::{print, table};

/// Decoded values kept while positions are looked up.
const CACHE: u64 = 256 << 20;
/// The largest competence that an analyser considers.
const MOST: u16 = 50;

/// How long a player of some competence takes to win, by a Markov model over the distances of a slice
///
/// The reference player of Haworth and Andrist chooses a move that leaves a win in d moves with a
/// probability proportional to (d + 1)^-c, where c is its competence. It gives no win away here, and
/// its opponent never errs. Averages over all positions of a distance give the moves that it is
/// expected to need, and the chance to win within some; beside them, how often it would give the win
/// away if it could. The positions are those of the slice and, where a count goes on in other slices
/// (dtw does, dtc and dtz do not), of all that its moves lead to. The chances are exact for the first
/// move from a position drawn among those of its distance; after it, the model takes every position of
/// the distance reached to be as likely as any other. With --games it also plays, from the wins that
/// are farthest away, and an analyser tells its competence from its moves.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve chess --up-to kqkr --metric dtc
  nutcracker experiment reference chess --slice kqkr --metric dtc --competence 20,21,22
  nutcracker experiment reference chess --slice kqkr --metric dtc --format svg > reference.svg")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    /// The name of the slice
    #[arg(long, value_name = "NAME")]
    slice: String,
    /// The part of the slice, as `stats` names it; without it, the one with the farthest win
    #[arg(long, value_name = "NAME")]
    part: Option<String>,
    /// Competences, 0 for blind play
    #[arg(long, value_name = "C", value_delimiter = ',', default_value = "5,10,20", value_parser = competence)]
    competence: Vec<f64>,
    /// Show the chance to win within this many moves
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    moves: u32,
    /// Play this many games with each competence
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    games: u32,
    /// What the games depend on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How what was found is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

fn competence(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|c: &f64| (0.0..=1000.0).contains(c));
    number.ok_or_else(|| "a competence is a number from 0 to 1000".to_owned())
}

/// Games that a player played.
struct Games {
    /// The mean of its moves.
    moves: f64,
    /// The mean of what an analyser says at the end of each.
    apparent: f64,
}

/// What was found.
struct Found {
    slice: SliceId,
    part: String,
    metric: Metric,
    chains: Vec<Chain>,
    games: Vec<Games>,
}

impl Args {
    /// Measures.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_databases(&game)?;
        let slice = slice_named(&game, &self.slice)?;
        let metric = self.subject.metric(&game)?;
        if !metric.counts_down() {
            return Err(Failure::Usage(format!(
                "databases of {metric} do not say how far a win is; choose a distance with --metric"
            )));
        }
        let set = self.subject.open(&game, true, CACHE);
        let table = set.get(slice.0).map_err(|error| self.subject.explain(&game, error))?;
        let farthest = |counts: &Histogram| {
            [true, false].map(|wins| {
                let distances = counts.iter().filter(|&(_, count)| count > 0);
                let distances = distances.filter_map(|(value, _)| metric.distance(value.into()));
                distances.filter(|d| d.wins == wins).map(|d| d.moves).max().unwrap_or(0)
            })
        };
        let parts: Vec<(String, Range<u64>, u16)> = game
            .parts(slice)
            .into_iter()
            .zip(table.parts())
            .map(|(part, (_, counts))| (part.name, part.range, farthest(counts)[0]))
            .collect();
        drop(table);
        let chosen = match &self.part {
            Some(name) => parts.iter().find(|part| part.0.eq_ignore_ascii_case(name)),
            None => parts.iter().rev().max_by_key(|part| part.2),
        };
        let Some((part, range, longest)) = chosen.cloned() else {
            let names: Vec<&str> = parts.iter().map(|part| part.0.as_str()).collect();
            return Err(Failure::Usage(format!("the parts of it are {}", names.join(", "))));
        };
        if longest == 0 {
            let which = self.part.as_ref().map(|_| format!(" of {part}")).unwrap_or_default();
            let slice = slice_label(&game, slice);
            return Err(Failure::Failed(format!("{slice} has no wins{which}")));
        }
        // A count goes on through other slices unless moves there restart it.
        let counts_on = |step: &Step<_>| !metric.restarts(step);
        let [class, _] = reached(&game, &(slice, range.clone()), &counts_on);
        let mut most = [0; 2];
        for (slice, range) in &class {
            let table = set.get(slice.0).map_err(|error| self.subject.explain(&game, error))?;
            let parts = game.parts(*slice).into_iter().zip(table.parts());
            for (_, (_, counts)) in parts.filter(|(part, _)| part.range == *range) {
                let here = farthest(counts);
                most = [0, 1].map(|result| here[result].max(most[result]));
            }
        }
        let oracle = TableOracle::new(Arc::new(set))?;
        let reporter = Reporter::new(&game, [0.0, 0.0, 0.0, 1.0]);
        reporter.begin_only(
            slice,
            "moves",
            class.iter().map(|part| part.1.end - part.1.start).sum(),
        );
        let asked = (&self.competence[..], most);
        let mut done = 0;
        let mut advance = |more| {
            done += more;
            reporter.advance(done);
        };
        let chains = survey(&game, &oracle, &class, asked, &mut advance);
        reporter.clear();
        let chains = chains.map_err(|error| Failure::Failed(error.to_string()))?;
        let chains = chains.ok_or_else(|| {
            Failure::Failed("slices that its moves lead to have another metric".to_owned())
        })?;
        if let Some(distance) = chains.iter().find_map(Chain::unknown) {
            return Err(Failure::Failed(format!(
                "moves lead to a win in {distance}, which no position of these databases is"
            )));
        }
        let games = match self.games {
            0 => Vec::new(),
            _ => self.play(&game, &oracle, (slice, range), longest, most)?,
        };
        let found = Found { slice, part, metric, chains, games };
        print(&match self.format {
            Format::Table => self.for_people(&game, &found),
            Format::Csv => self.csv(&found),
            Format::Json => format!("{}\n", self.for_programs(&game, &found)),
            Format::Svg => svg(&game, &found),
        })
    }

    /// Games from the farthest wins, one after the other.
    fn play(
        &self,
        game: &AnyGame,
        oracle: &TableOracle,
        (slice, range): SlicePart,
        longest: u16,
        farthest: [u16; 2],
    ) -> Result<Vec<Games>, Failure> {
        let metric = oracle.metric(slice)?;
        let mut starts = Vec::new();
        for index in range {
            let distance = metric.distance(oracle.value(slice, index)?);
            if distance.is_some_and(|d| d.wins && d.moves == longest) {
                starts.extend(game.unrank(slice, index));
            }
        }
        let mut random = Random::new(self.seed);
        let mut found = Vec::new();
        for &competence in &self.competence {
            let player = Reference::new(competence, farthest);
            let mut games = Games { moves: 0.0, apparent: 0.0 };
            for (_, start) in (0..self.games).zip(starts.iter().cycle()) {
                let mut analyser = Analyser::new(MOST, farthest);
                let moves = play_out(game, oracle, start, &player, &mut analyser, &mut random);
                let moves = moves.map_err(|error| Failure::Failed(error.to_string()))?;
                games.moves += f64::from(moves.unwrap_or(0)) / f64::from(self.games);
                games.apparent += analyser.competence() / f64::from(self.games);
            }
            found.push(games);
        }
        Ok(found)
    }

    fn for_people(&self, game: &AnyGame, found: &Found) -> String {
        let chains = &found.chains;
        let mut header = vec!["distance".to_owned(), "positions".to_owned()];
        for chain in chains {
            let c = chain.competence;
            let within = format!("c={c} within {}", self.moves);
            header.extend([format!("c={c} moves"), within, format!("c={c} errs")]);
        }
        let columns: Vec<_> = chains
            .iter()
            .map(|chain| (chain.expected_moves(), chain.won_within(self.moves)))
            .collect();
        let rows = distances(&chains[0])
            .map(|distance| {
                let count = thousands(chains[0].positions[distance]);
                let mut row = vec![distance.to_string(), count];
                for (chain, (moves, won)) in chains.iter().zip(&columns) {
                    row.push(format!("{:.2}", moves[distance]));
                    row.push(format!("{:.2}%", 100.0 * won[distance]));
                    row.push(format!("{:.3}%", 100.0 * chain.gives_away[distance]));
                }
                row
            })
            .collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let mut text = format!(
            "{}, {}, {} to move, {}\nmoves: expected with best defence, no win given away; errs: chance \
             to give it away with a move, otherwise\n\n{}",
            game.id(),
            slice_label(game, found.slice),
            found.part.split(' ').next().unwrap_or_default(),
            game.metric_name(found.metric),
            table::render(&header, &[], rows),
        );
        for chain in chains {
            let (c, rate) = (chain.competence, 100.0 * chain.error_rate());
            let _ =
                writeln!(text, "c={c}: {rate:.3}% of moves give a win away, over all positions");
        }
        for (chain, games) in chains.iter().zip(&found.games) {
            let _ = writeln!(
                text,
                "c={}: {} from the farthest wins took {:.1} moves on average, apparent competence {:.2}",
                chain.competence,
                counted(self.games.into(), "game"),
                games.moves,
                games.apparent,
            );
        }
        text
    }

    fn csv(&self, found: &Found) -> String {
        let mut text = "competence,distance,positions,moves,within,gives_away\n".to_owned();
        for chain in &found.chains {
            let (moves, won) = (chain.expected_moves(), chain.won_within(self.moves));
            for distance in distances(chain) {
                let _ = writeln!(
                    text,
                    "{},{distance},{},{:.4},{:.6},{:.6}",
                    chain.competence,
                    chain.positions[distance],
                    moves[distance],
                    won[distance],
                    chain.gives_away[distance],
                );
            }
        }
        text
    }

    fn for_programs(&self, game: &AnyGame, found: &Found) -> Value {
        let players: Vec<Value> = found
            .chains
            .iter()
            .enumerate()
            .map(|(place, chain)| {
                let (moves, won) = (chain.expected_moves(), chain.won_within(self.moves));
                let rows: Vec<Value> = distances(chain)
                    .map(|distance| {
                        json!({
                            "distance": distance,
                            "positions": chain.positions[distance],
                            "moves": moves[distance],
                            "within": won[distance],
                            "gives_away": chain.gives_away[distance],
                        })
                    })
                    .collect();
                let games = found.games.get(place).map(|games| {
                    json!({ "games": self.games, "moves": rounded(games.moves),
                        "apparent_competence": rounded(games.apparent) })
                });
                json!({ "competence": chain.competence, "error_rate": chain.error_rate(),
                    "played": games, "distances": rows })
            })
            .collect();
        json!({
            "game": game.id().name,
            "slice": game.slice_name(found.slice),
            "part": found.part,
            "metric": found.metric.name(),
            "within": self.moves,
            "players": players,
        })
    }
}

/// The distances in which positions are won.
fn distances(chain: &Chain) -> impl Iterator<Item = usize> {
    (1..chain.positions.len()).filter(|&distance| chain.positions[distance] > 0)
}

fn svg(game: &AnyGame, found: &Found) -> String {
    let caption = format!(
        "{}, {}, {}: against best defence, no win given away",
        game.id(),
        slice_label(game, found.slice),
        game.metric_name(found.metric)
    );
    let chart = CurveChart {
        title: "Moves that a reference player needs",
        caption: &caption,
        x: ("distance to the win", ""),
        y: "expected moves, logarithmic",
        floor: None,
    };
    let curves: Vec<Curve> = found
        .chains
        .iter()
        .map(|chain| {
            let moves = chain.expected_moves();
            let points = distances(chain).map(|x| (x as u32, moves[x].round() as u64)).collect();
            Curve { label: format!("competence {}", chain.competence), points }
        })
        .collect();
    curve_chart(&chart, &curves)
}

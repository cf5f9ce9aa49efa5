//! `nutcracker games`: what is known, and whether a game keeps its own laws.

use std::fmt::Write;

use nutcracker_any::{AnyGame, GameInfo, Options};
use nutcracker_game::{Metric, Numbering, Rules, SliceId, closure};
use nutcracker_retro::{Rates, SlicePlan, SolveOptions, SolverName, default_set};
use serde_json::{Value, json};

use crate::args::{Data, Format, RuleOptions, games, slice_label};
use crate::cmd::solve::Room;
use crate::failure::Failure;
use crate::number::{self, counted, size};
use crate::{machine, note, print};

/// Positions of the slices that a check visits in full.
const IN_FULL: u64 = 300_000;
/// Positions it visits where they have no index.
const IN_LINES: u64 = 100_000;
/// The least number of positions of a slice that is sampled.
const LEAST_SAMPLE: u64 = 10_000;
/// Slices beyond those that it samples.
const SAMPLED: u32 = 4;

/// List the games, their options, and what can be solved; with a name, the rules of a game
///
/// With --check NAME, check that a game keeps the laws on which its databases rest. A path that ends
/// in .toml is the name of the game that the file describes, here and in every other command.
///
/// The laws: rank and unrank are inverse, un-moves invert moves, internal moves stay in their
/// slice, exits lead to smaller ones, what is written is read back, and every shortcut the
/// game takes agrees with its rules.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker games
  nutcracker games othello
  nutcracker games --check my-game.toml
  nutcracker games --check kalah --pits 3")]
pub struct Args {
    /// Show this game and its rules
    #[arg(conflicts_with = "check")]
    name: Option<String>,
    /// Check the laws of this game
    #[arg(long, value_name = "NAME")]
    check: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    data: Data,
    /// How the list is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Args {
    /// Lists or checks.
    pub fn run(self) -> Result<(), Failure> {
        if let Some(name) = &self.check {
            return check(&games().game(name, &self.rules.options())?, self.format);
        }
        if let Some(name) = &self.name {
            return self.describe(name);
        }
        if let Some((name, _)) = self.rules.0.first() {
            return Err(Failure::Usage(format!(
                "--{name} needs to know of which game; add its name"
            )));
        }
        let mut known = Vec::new();
        for info in games().iter() {
            known.push((info, About::of(&info.game(&Options::new())?, &self.data)));
        }
        match self.format {
            Format::Table => {
                let texts: Vec<String> =
                    known.iter().map(|(info, about)| for_people(info, about)).collect();
                print(&texts.join("\n"))
            }
            Format::Json => {
                let games: Vec<Value> =
                    known.iter().map(|(info, about)| for_programs(info, about)).collect();
                print(&format!("{}\n", json!({ "games": games })))
            }
        }
    }

    /// One game, with its rules in words.
    fn describe(&self, name: &str) -> Result<(), Failure> {
        let info = games().open(name)?;
        let about = About::of(&info.game(&self.rules.options())?, &self.data);
        let rules = games().rules_of(info.name).unwrap_or_default();
        print(&match self.format {
            Format::Table => format!("{}\n{rules}\n", for_people(info, &about)),
            Format::Json => {
                let mut object = for_programs(info, &about);
                object["rules"] = rules.into();
                format!("{object}\n")
            }
        })
    }
}

/// A game with its default options.
struct About {
    unit: &'static str,
    start: String,
    /// The last slice.
    largest: String,
    /// From the first to the last, as people read it.
    range: String,
    /// `None` where there can be no databases.
    solving: Option<Solving>,
}

/// What can be solved of it.
struct Solving {
    /// The numbers of all slices; there are fewer positions where some are holes.
    positions: u64,
    holes: bool,
    /// The last slice of the default set, its name and label; `None` where that is empty.
    default: Option<[String; 2]>,
    default_seconds: f64,
    /// The name of the last slice there is room for.
    fits: Option<String>,
    fits_seconds: f64,
    fits_memory: u64,
    fits_disk: u64,
}

impl About {
    fn of(game: &AnyGame, data: &Data) -> Self {
        let largest = game.largest_slice();
        About {
            unit: game.slice_unit(),
            start: game.format(&game.start()),
            largest: game.slice_name(largest),
            range: format!(
                "{} to {}",
                game.slice_name(SliceId(0)),
                slice_label(game, largest).trim_start_matches("slice ")
            ),
            solving: game.has_databases().then(|| Solving::of(game, data)),
        }
    }
}

impl Solving {
    fn of(game: &AnyGame, data: &Data) -> Self {
        let threads = machine::cores();
        let room = Room::here(&data.data, None);
        let metric = game.metrics()[0];
        let in_memory = game.properties().unmoves && metric != Metric::Forced;
        let options = SolveOptions {
            solver: in_memory.then_some(SolverName::Memory),
            memory: room.memory.unwrap_or(u64::MAX),
            ..SolveOptions::new(threads, "")
        };
        let all: Vec<SliceId> = (0..=game.largest_slice().0).map(SliceId).collect();
        let slices = game.plan(&all, &options, &Rates::usual(metric, threads));
        let default = default_set(game);
        let fitting = &slices[..room.fitting(&slices)];
        let fits = largest_selection(game, fitting);
        let fitting: Vec<&SlicePlan> = match &fits {
            Some((_, chosen)) => fitting.iter().filter(|one| chosen.contains(&one.slice)).collect(),
            None => Vec::new(),
        };
        let in_default = slices.iter().filter(|slice| default.contains(&slice.slice));
        Solving {
            positions: slices.iter().map(|slice| slice.positions).sum(),
            holes: game.properties().holes,
            default: default.last().map(|&last| [game.slice_name(last), slice_label(game, last)]),
            default_seconds: in_default.map(|slice| slice.seconds).sum(),
            fits: fits.map(|(text, _)| text),
            fits_seconds: fitting.iter().map(|slice| slice.seconds).sum(),
            fits_memory: fitting.iter().map(|slice| slice.memory).max().unwrap_or(0),
            fits_disk: fitting.iter().map(|slice| slice.disk).sum(),
        }
    }
}

/// What `--up-to` takes for as many positions as possible of these slices, and the slices it stands
/// for. Where slices are a graph, the last of them needs only some of the others.
fn largest_selection(game: &AnyGame, fitting: &[SlicePlan]) -> Option<(String, Vec<SliceId>)> {
    let last = game.slice_name(fitting.last()?.slice);
    let texts = (1..=9).map(|number: u32| number.to_string()).chain([last]);
    let chosen = texts.filter_map(|text| {
        let slices = closure(game, game.select(&text).ok()?);
        let plan = |slice: &SliceId| fitting.iter().find(|one| one.slice == *slice);
        let positions: Option<u64> = slices.iter().map(|slice| Some(plan(slice)?.positions)).sum();
        Some((positions?, text, slices))
    });
    chosen.max_by_key(|(positions, ..)| *positions).map(|(_, text, slices)| (text, slices))
}

fn for_people(info: &GameInfo, about: &About) -> String {
    let mut text = format!("{}  {}\n", info.name, info.about);
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "  {name:<9} {what}");
    };
    for option in info.options {
        let name = match option.value {
            Some(value) => format!("--{} {value}", option.name),
            None => format!("--{}", option.name),
        };
        line("option", format!("{name}: {} (default {})", option.about, option.default));
    }
    line("start", about.start.clone());
    let Some(solving) = &about.solving else {
        line("slices", format!("by {}, {}", about.unit, about.range));
        line("solve", "too many positions for databases".to_owned());
        return text;
    };
    let at_most = if solving.holes { "at most " } else { "" };
    let positions = format!("{at_most}{}", counted(solving.positions, "position"));
    line("slices", format!("by {}, {}: {positions}", about.unit, about.range));
    let by_default = match &solving.default {
        None => "nothing by default: the first slice is large; use --up-to".to_owned(),
        Some([_, label]) => {
            format!("up to {label} by default, {}", number::about(solving.default_seconds))
        }
    };
    line("solve", by_default);
    let here = match &solving.fits {
        None => "nothing has room".to_owned(),
        Some(fits) => format!(
            "--up-to {fits} has room: {}, {} of memory, {} of disk",
            number::about(solving.fits_seconds),
            size(solving.fits_memory),
            size(solving.fits_disk),
        ),
    };
    line("here", here);
    text
}

fn for_programs(info: &GameInfo, about: &About) -> Value {
    let options: Vec<Value> = info
        .options
        .iter()
        .map(|option| {
            json!({
                "name": option.name,
                "value": option.value,
                "about": option.about,
                "default": option.default,
            })
        })
        .collect();
    let solving = about.solving.as_ref();
    json!({
        "name": info.name,
        "about": info.about,
        "options": options,
        "start": about.start,
        "unit": about.unit,
        "largest": about.largest,
        "positions": solving.map(|solving| solving.positions),
        "default_up_to": solving.and_then(|solving| solving.default.as_ref()).map(|[name, _]| name),
        "fits_up_to": solving.and_then(|solving| solving.fits.as_ref()),
    })
}

fn check(game: &AnyGame, format: Format) -> Result<(), Failure> {
    let (in_full, last, sample) =
        if game.has_databases() { extent(game) } else { (None, game.largest_slice(), IN_LINES) };
    note(&format!("checking {} up to {}", game.id(), slice_label(game, last)));
    let report =
        game.check_laws((0..=last.0).map(SliceId).collect(), sample).map_err(|breach| {
            Failure::Failed(format!(
                "{} breaks a law: {breach}; fix the game before anything is solved",
                game.id()
            ))
        })?;
    if format == Format::Json {
        return print(&format!(
            "{}\n",
            json!({
                "game": game.id().name,
                "options": game.id().options,
                "ok": true,
                "slices": report.slices,
                "in_full": in_full.map(|slice| game.slice_name(slice)),
                "positions": report.positions,
                "moves": report.moves,
                "unmoves": report.unmoves,
            })
        ));
    }
    let how = match in_full {
        None => "in random games".to_owned(),
        Some(in_full) => format!(
            "up to {}, those up to {} in full{}",
            slice_label(game, last),
            game.slice_name(in_full),
            if last == in_full { "" } else { ", the larger ones by samples" }
        ),
    };
    print(&format!(
        "{} keeps its laws: {} {how}; {}, {}, {}\n",
        game.id(),
        counted(report.slices.into(), "slice"),
        counted(report.positions, "position"),
        counted(report.moves, "move"),
        counted(report.unmoves, "un-move"),
    ))
}

/// The last slice that is checked in full, the last one that is checked at all, and how many
/// positions there.
fn extent(game: &AnyGame) -> (Option<SliceId>, SliceId, u64) {
    let largest = game.largest_slice();
    let mut sum = 0;
    let in_full = (0..=largest.0)
        .map(SliceId)
        .take_while(|&slice| {
            sum += game.slice_len(slice);
            sum <= IN_FULL
        })
        .last()
        .unwrap_or(SliceId(0));
    let last = SliceId((in_full.0 + SAMPLED).min(largest.0));
    // Slices need not grow with their numbers: a sample is never smaller than a useful one.
    let largest = (0..=in_full.0).map(|slice| game.slice_len(SliceId(slice))).max();
    (Some(in_full), last, largest.unwrap_or(0).max(LEAST_SAMPLE))
}

//! `nutcracker solve`: build the databases of a game.

use std::path::Path;
use std::sync::Arc;

use nutcracker_any::AnyGame;
use nutcracker_cluster::Term;
use nutcracker_game::{Metric, Numbering, Rules, Side, Situation, SliceId};
use nutcracker_retro::{
    Rates, SlicePlan, SliceReport, SolveError, SolveOptions, SolverName, Window, work_folder,
};
use nutcracker_table::Histogram;
use serde_json::{Map, Value, json};

use crate::args::{
    Format, Subject, Threads, UpTo, need_databases, quoted, slice_label, slice_object, storage,
    up_to_option,
};
use crate::failure::Failure;
use crate::how::{How, with_margin};
use crate::interrupt::Interrupt;
use crate::jobs::Fleet;
use crate::number::{about, counted, rounded, signed, size, thousands};
use crate::progress::Reporter;
use crate::supervise::supervise;
use crate::together::{Team, Together};
use crate::{machine, note, print, start, table};

/// How the time of a slice is shared by exits, fixpoint, pack and verify, until slices of this run
/// have measured it.
const WEIGHTS: [f64; 4] = [0.1, 0.35, 0.25, 0.3];

/// A run that takes this many seconds or more by the usual rates is worth a measurement, which takes
/// one or two: 20 stones by rows took a third more processor time with it. So is one of many positions with another solver than `rows`: the
/// usual rates are those of awari, and other games may take ten times as long.
const MEASURED_FROM: f64 = 20.0;
const MEASURED_FROM_POSITIONS: u64 = 5_000_000;
/// The most positions that are measured with: the more, the longer the run takes.
const MEASURED_WITH: [u64; 2] = [1_000_000, 5_000_000];
const MEASURED_SHARE: u64 = 20;

/// Whether the usual rates are good enough for an announcement.
fn is_soon_done(missing: &[SlicePlan]) -> bool {
    let elsewhere = missing.iter().filter(|slice| slice.solver != SolverName::Rows);
    missing.iter().map(|slice| slice.seconds).sum::<f64>() < MEASURED_FROM
        && elsewhere.map(|slice| slice.positions).sum::<u64>() < MEASURED_FROM_POSITIONS
}

/// Build the databases of a game
///
/// They are built slice by slice, from the smallest up. A slice is the set of positions that are
/// solved together: in awari those with the same number of stones. Where none are selected, the
/// whole game is solved if that takes minutes, else as many slices as take seconds. Before it
/// starts, it prints what the run will take, and refuses what this machine has no room for.
/// Finished slices stay: run the same command again after an interruption, and it continues with
/// the first one that is missing. Ctrl-C stops it gracefully, a second one at once. Each file is
/// checked by independent code as soon as it is written. If the start position is not in the
/// databases, its value is searched over them, where the game allows that.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve awari --stones 10
  nutcracker solve kalah --pits 4 --seeds 3
  nutcracker solve awari --stones 12 --processes 2
  nutcracker solve krk --fleet

The files do not depend on the number of threads, processes or machines.")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    up_to: UpTo,
    #[command(flatten)]
    threads: Threads,
    /// Do not check each file after it is written
    #[arg(long)]
    no_verify: bool,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    together: Together,
    #[command(flatten)]
    fleet: Fleet,
    /// Give up the search for the value of the start position after this time
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    search_seconds: u32,
    /// How the summary is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// The memory and disk of this machine.
#[derive(Clone, Copy)]
pub struct Room {
    /// Bytes of memory, where known.
    pub memory: Option<u64>,
    /// Bytes of disk, where known.
    pub disk: Option<u64>,
}

impl Room {
    /// What this machine has now, for files in `dir`; of memory, what was given.
    pub fn here(dir: &Path, memory: Option<u64>) -> Self {
        let memory = memory.or_else(|| machine::available_memory().map(with_margin));
        Room { memory, disk: machine::free_disk(dir) }
    }

    /// How many of the slices can be solved one after another.
    pub fn fitting(self, slices: &[SlicePlan]) -> usize {
        let mut disk = 0;
        slices
            .iter()
            .take_while(|slice| {
                disk += slice.disk;
                self.memory.is_none_or(|room| slice.memory <= room)
                    && self.disk.is_none_or(|room| disk + slice.work_disk <= room)
            })
            .count()
    }
}

/// Bytes of disk that an interrupted run has taken for a slice.
fn work_left(game: &AnyGame, dir: &Path, slice: &SlicePlan) -> u64 {
    let folder = work_folder(dir, slice.slice, slice.levels(game) as u8, slice.solver);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| machine::disk_of(&file)).sum()
}

/// The most disk in use at once: finished files, and the work files of the next.
pub fn peak_disk(slices: &[SlicePlan]) -> u64 {
    let mut finished = 0;
    slices
        .iter()
        .map(|slice| {
            finished += slice.disk;
            finished + slice.work_disk
        })
        .max()
        .unwrap_or(0)
}

impl Args {
    /// Solves.
    pub fn run(mut self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_databases(&game)?;
        if self.together.supervises()? {
            return supervise(&Interrupt::listen());
        }
        let metric = self.subject.metric.or_usual(&game)?;
        let given = self.subject.clone();
        self.subject.metric.given = Some(metric);
        let slices = self.up_to.select_or_default(&game)?;
        let processes = self.together.processes();
        let threads = self.threads.count_among(processes);
        let mut options = self.how.options(&game, threads)?;
        self.together.check(options.solver)?;
        options.checkpoint_every = self.together.checkpoint_every();
        (options.metric, options.verify) = (Some(metric), !self.no_verify);
        options.memory /= processes as u64;
        self.how.bounds.check(metric)?;
        let interrupt = Interrupt::listen();
        let terms = terms(&game, &slices, &options);
        let mut team = self.together.meet(threads, terms, &interrupt)?;
        options.machines = team.as_ref().map(|team| Arc::clone(team.cluster()) as _);
        let weights = if self.no_verify { [0.15, 0.5, 0.35, 0.0] } else { WEIGHTS };
        let mut reporter =
            Reporter::new(&game, weights).aligned(slices.iter().copied()).until(interrupt.clone());
        let dir = self.subject.dir(&game);
        if let Some(team) = team.as_ref().filter(|team| !team.leads()) {
            return help(&game, &dir, &options, team, &reporter, &interrupt);
        }
        if let Some(team) = &mut team {
            reporter = reporter.watching(team.cluster());
            team.serve_metrics(reporter.millionths())?;
        }
        if let Err(failure) = self.announce(&game, &slices, &options, &interrupt) {
            let Some(team) = &team else { return Err(failure) };
            let sentence = failure.into_sentence();
            team.cluster().end(Some(&sentence));
            return Err(Failure::Failed(sentence));
        }
        let files = storage(false);
        let result = match self.fleet.patience() {
            Some(patience) => {
                game.solve_fleet(&files, &dir, &slices, &options, patience, &reporter)
            }
            None => game.solve_slices(&files, &dir, &slices, &options, &reporter),
        };
        reporter.clear();
        if let Some(team) = &team {
            team.end(&result);
        }
        let reports = match result {
            Err(SolveError::Stopped(stopped)) => {
                return Err(Failure::Stopped(stopped.to_string(), interrupt.code()));
            }
            result => result?,
        };
        interrupt.end_at_once();
        let json = self.format == Format::Json;
        if !json {
            note("");
            print(&summary(&game, metric, &reports))?;
        }
        let start = start::value(&game, &self.subject, &slices, self.search_seconds)?;
        if json {
            let mut object = Map::new();
            let slices: Vec<Value> =
                reports.iter().map(|report| slice_json(&game, metric, report)).collect();
            object.insert("slices".to_owned(), slices.into());
            if let Some(start) = start.json() {
                object.insert("start".to_owned(), start);
            }
            object.insert("peak_memory".to_owned(), machine::peak_memory().into());
            if let Some(team) = &team {
                object.insert("bytes_sent".to_owned(), team.cluster().bytes_sent().into());
            }
            return print(&format!("{}\n", Value::from(object)));
        }
        if let Some(sentence) = start.sentence() {
            print(&format!("\n{sentence}\n"))?;
        }
        if let Some(advice) = start.advice(&slices) {
            note(&advice);
        }
        what_next(&game, &given, &slices);
        Ok(())
    }
}

/// What all machines that solve together must agree on.
fn terms(game: &AnyGame, slices: &[SliceId], options: &SolveOptions) -> Vec<Term> {
    let last = slices.last().map_or_else(String::new, |&last| game.slice_name(last));
    let window = match options.window {
        Window::Full => "none".to_owned(),
        Window::Top(k) => k.to_string(),
        Window::Start(start) => format!("of games from {}", game.slice_name(start)),
    };
    vec![
        Term::new("version", env!("CARGO_PKG_VERSION")),
        Term::new("game", &game.id()),
        Term::new("metric", &options.metric.unwrap_or_default()),
        Term::new(game.slice_unit(), &last),
        Term::new("window", &window),
        Term::new("solver", options.solver.map_or("auto", SolverName::name)),
    ]
}

/// Helps the first machine until it has nothing left to solve.
fn help(
    game: &AnyGame,
    dir: &Path,
    options: &SolveOptions,
    team: &Team,
    reporter: &Reporter,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let result = game.help_slices(&storage(false), dir, options, reporter);
    reporter.clear();
    team.end(&result);
    match result {
        Err(SolveError::Stopped(stopped)) => {
            Err(Failure::Stopped(stopped.to_string(), interrupt.code()))
        }
        result => {
            let solved = result?;
            let slices = if solved == 1 { "slice" } else { "slices" };
            note(&format!("Helped {} with {solved} {slices}.", team.first()));
            Ok(())
        }
    }
}

impl Args {
    /// The slices that are not solved yet, with what they take at these rates.
    fn missing(
        &self,
        game: &AnyGame,
        slices: &[SliceId],
        options: &SolveOptions,
        rates: &Rates,
    ) -> Result<Vec<SlicePlan>, Failure> {
        let set = self.subject.open(game, false, 0);
        let mut missing = Vec::new();
        for slice in game.plan(slices, options, rates) {
            if !slice.served_by(&set.available(slice.slice.0)?) {
                missing.push(slice);
            }
        }
        Ok(missing)
    }

    /// Seconds that the missing slices take. If that is more than moments, the speed of this machine
    /// is measured first.
    fn seconds(
        &self,
        game: &AnyGame,
        slices: &[SliceId],
        options: &SolveOptions,
        missing: &[SlicePlan],
        interrupt: &Interrupt,
    ) -> Result<f64, Failure> {
        let sum = |plans: &[SlicePlan]| plans.iter().map(|slice| slice.seconds).sum();
        if is_soon_done(missing) {
            return Ok(sum(missing));
        }
        let positions = missing.iter().map(|slice| slice.positions).sum::<u64>();
        let [least, most] = MEASURED_WITH;
        let most = (positions / MEASURED_SHARE).clamp(least, most);
        match game.calibrate(options, most, missing, &std::env::temp_dir(), interrupt) {
            Ok(measured) => Ok(sum(&self.missing(game, slices, options, &measured.rates)?)),
            // Without a place to measure in, the usual rates have to suffice.
            Err(_) => Ok(sum(missing)),
        }
    }

    /// Prints what the run will take; an error where there is no room for it.
    fn announce(
        &self,
        game: &AnyGame,
        slices: &[SliceId],
        options: &SolveOptions,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let dir = self.subject.dir(game);
        let metric = self.subject.metric.or_usual(game)?;
        let options = &SolveOptions { metric: Some(metric), ..options.clone() };
        let usual = Rates::usual(metric, options.threads);
        let missing = self.missing(game, slices, options, &usual)?;
        let Some(first) = missing.first() else {
            note(&format!(
                "{} up to {} is solved already, in {}",
                game.id(),
                slices.last().map_or_else(String::new, |&last| slice_label(game, last)),
                dir.display()
            ));
            return Ok(());
        };
        let end = missing.last().unwrap_or(first).slice;
        let what = if first.slice == end {
            slice_label(game, end)
        } else {
            format!("{} to {}", game.slice_name(first.slice), slice_label(game, end))
        };
        let memory = missing.iter().map(|slice| slice.memory).max().unwrap_or(0);
        let disk = peak_disk(&missing);
        let forecast = |seconds| {
            format!(
                "{}, {} with {}, {} of memory and {} of disk",
                counted(missing.iter().map(|slice| slice.positions).sum(), "position"),
                about(seconds),
                counted(options.threads as u64, "thread"),
                size(memory),
                size(disk),
            )
        };
        let requested_memory = self.how.bounds.has_memory().then_some(options.memory);
        let mut room = Room::here(&dir, Some(options.memory));
        // Work files of a run that was interrupted are used again, or removed in the end.
        let work_files: u64 = missing.iter().map(|slice| work_left(game, &dir, slice)).sum();
        room.disk = room.disk.map(|free| free.saturating_add(work_files));
        let too_large = missing.iter().find(|slice| slice.memory > options.memory);
        if let (Some(given), Some(slice)) = (requested_memory, too_large) {
            // Fail now, not when this slice is reached.
            return Err(Failure::from(SolveError::TooLittleMemory {
                game: game.id().to_string(),
                slice: slice_label(game, slice.slice),
                solver: slice.solver,
                needed: slice.memory,
                given,
            }));
        }
        let fitting = room.fitting(&missing);
        if fitting == missing.len() {
            let forecast = forecast(self.seconds(game, slices, options, &missing, interrupt)?);
            note(&format!("{}, {what}: {forecast} in {}", game.id(), dir.display()));
            return Ok(());
        }
        let mut lacks = Vec::new();
        if let Some(room) = room.memory.filter(|&room| memory > room) {
            lacks.push(format!("only {} of memory are available", size(room)));
        }
        if let Some(room) = room.disk.filter(|&room| disk > room) {
            lacks.push(format!("only {} are free in {}", size(room), dir.display()));
        }
        let advice = match fitting.checked_sub(1).map(|place| missing[place].slice) {
            Some(slice) => {
                format!("{} {} would fit", up_to_option(game), game.slice_name(slice))
            }
            None => "nothing more would fit: make room, or use another --data".to_owned(),
        };
        Err(Failure::Failed(format!(
            "{}, {what}, takes {}, and {}; {advice}",
            game.id(),
            forecast(missing.iter().map(|slice| slice.seconds).sum()),
            lacks.join(" and "),
        )))
    }
}

/// Commands to try, as they can be typed.
fn what_next(game: &AnyGame, subject: &Subject, slices: &[SliceId]) {
    let Some(&last) = slices.last() else { return };
    let position = interesting(game, last);
    note("\nTry next:");
    for (verb, rest) in [
        ("probe", format!(" {}", quoted(&position))),
        ("stats", String::new()),
        ("verify", String::new()),
    ] {
        note(&format!("  {}", subject.command(verb, &rest)));
    }
}

/// A position in the middle of a slice with something to choose, where there is one.
fn interesting(game: &AnyGame, slice: SliceId) -> String {
    let len = game.slice_len(slice);
    let mut moves = Vec::new();
    let mut positions = (len / 2..len).filter_map(|index| game.unrank(slice, index));
    let first = positions.next();
    let position = positions
        .take(1000)
        .find(|position| {
            moves.clear();
            game.moves(position, &mut moves);
            moves.len() > 2
        })
        .or(first)
        .unwrap_or_else(|| game.start().position);
    game.format(&Situation::new(position, Side::First))
}

fn slice_json(game: &AnyGame, metric: Metric, report: &SliceReport) -> Value {
    let SliceReport { slice, positions, bytes, histogram, seconds, window, effort } = report;
    let fields = json!({
        "positions": positions,
        "bytes": bytes,
        "seconds": seconds.map(|seconds| json!({
            "exits": rounded(seconds.exits),
            "fixpoint": rounded(seconds.fixpoint),
            "pack": rounded(seconds.pack),
            "verify": rounded(seconds.verify),
        })),
        "won": histogram.wins(),
        "drawn": histogram.draws(),
        "lost": histogram.losses(),
        "mean": rounded(histogram.mean()),
        "window": window,
        "sweeps": effort.levels.sweeps,
        "chunks": { "scanned": effort.levels.chunks, "skipped": effort.levels.skipped },
        "cache_misses": effort.levels.misses,
        "rows": {
            "passes": effort.rows.passes,
            "scanned": effort.rows.rows,
            "squares": effort.rows.squares,
            "singles": effort.rows.singles,
            "bytes_moved": effort.rows.moved,
        },
    });
    slice_object(game, metric, *slice, fields)
}

/// The table at the end.
fn summary(game: &AnyGame, metric: Metric, reports: &[SliceReport]) -> String {
    let windows = reports.iter().any(|report| report.window != 0);
    let forced = metric == Metric::Forced;
    let line = |name: String, window, positions: u64, bytes, histogram: &Histogram, seconds| {
        let mut cells = vec![name];
        if windows {
            cells.push(window_cell(window));
        }
        cells.extend([
            thousands(positions),
            thousands(histogram.wins()),
            // What cannot be forced may still be won by a repetition.
            if forced { String::new() } else { thousands(histogram.draws()) },
            if forced { String::new() } else { thousands(histogram.losses()) },
            if metric.is_distance() { String::new() } else { signed(histogram.mean()) },
            size(bytes),
            format!("{:.2}", bytes as f64 * 8.0 / positions as f64),
            match seconds {
                Some(seconds) => format!("{seconds:.2}"),
                None => "-".to_owned(),
            },
        ]);
        cells
    };
    let mut all = Histogram::new();
    let mut rows = Vec::new();
    for report in reports {
        all.merge(&report.histogram);
        rows.push(line(
            game.slice_name(report.slice),
            report.window,
            report.positions,
            report.bytes,
            &report.histogram,
            report.seconds.map(|seconds| seconds.total()),
        ));
    }
    let bytes: u64 = reports.iter().map(|report| report.bytes).sum();
    let seconds: Vec<f64> =
        reports.iter().filter_map(|report| Some(report.seconds?.total())).collect();
    let total = (!seconds.is_empty()).then(|| seconds.iter().sum());
    rows.push(line("all".to_owned(), 0, all.total(), bytes, &all, total));
    let mut header = vec![game.slice_unit()];
    if windows {
        header.push("window");
    }
    header.extend(["positions", "wins", "draws", "losses", "mean", "size", "bits/pos", "seconds"]);
    table::render(&header, &[], rows)
}

/// A window in a table; nothing where scores are exact.
pub fn window_cell(window: u8) -> String {
    if window == 0 { String::new() } else { window.to_string() }
}

//! `nutcracker plan`: what solving would take.

use std::fmt::Write;

use nutcracker_any::AnyGame;
use nutcracker_game::{Metric, Numbering, Rules, SliceId};
use nutcracker_retro::{
    BITS, BY_RULES, Calibration, CalibrationError, DISK, Hosts, Phases, Rates, SlicePlan,
    SolveError, SolveOptions, SolverName,
};
use serde_json::{Map, Value, json};

use crate::args::{Format, Subject, Threads, UpTo, need_databases, slice_label, slice_object};
use crate::cmd::plan_together::TogetherPlan;
use crate::cmd::solve::{peak_disk, window_cell};
use crate::failure::Failure;
use crate::how::{Bounds, parse_network, parse_size};
use crate::interrupt::Interrupt;
use crate::number::{about, counted, duration, rounded, size, thousands};
use crate::{machine, print, table};

/// Estimate what solving a game would take, without solving it
///
/// Slice by slice: positions, the solver that the memory allows, memory, the finished file, work
/// files, and time. The time comes from rates measured now, in a few seconds, by solving one slice
/// of medium size with each solver needed, in a temporary directory. Everything is counted from the
/// beginning, whether or not some slices are solved already.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker plan awari --stones 48 --memory 32GiB --disk 2TB
  nutcracker plan awari --stones 40 --start 48 --memory 512MiB
  nutcracker plan kalah --seeds 3 --format json
  nutcracker plan awari --stones 48 --hosts 8 --memory 64GiB --network 10Gb --disk 2TB")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    up_to: UpTo,
    #[command(flatten)]
    bounds: Bounds,
    /// Disk to use, such as 500GiB or 2TB; without it, what is free where the databases are
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    disk: Option<u64>,
    #[command(flatten)]
    threads: Threads,
    /// Solve with this many machines like this one, each with this memory; --disk is that of the
    /// first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    hosts: Option<u16>,
    /// What connects them, such as 1Gb or 10Gb: bits a second in each direction
    #[arg(long, value_name = "RATE", requires = "hosts", default_value = "1Gb", value_parser = parse_network)]
    network: f64,
    /// The most positions of the slice that is measured with
    #[arg(long, value_name = "N", default_value_t = 5_000_000, hide = true)]
    calibration_positions: u64,
    /// How the plan is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// A slice, and whether it fits.
struct Row {
    plan: SlicePlan,
    fits_memory: bool,
    fits_disk: bool,
}

/// All of it.
struct Plan {
    rows: Vec<Row>,
    measured: Calibration,
    threads: usize,
    memory: u64,
    disk: Option<u64>,
    /// Finished files.
    finished: u64,
    /// The most at once, with work files.
    peak: u64,
}

impl Args {
    /// Plans.
    pub fn run(mut self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_databases(&game)?;
        let metric = self.subject.metric.or_usual(&game)?;
        self.subject.metric.given = Some(metric);
        let selected = match self.up_to.select(&game)? {
            Some(selected) => selected,
            // Without a database of the start, all that there can be.
            None => match game.slice_of(&game.start().position) {
                start if game.has_database(start) => vec![start],
                _ => (0..=game.largest_slice().0).map(SliceId).collect(),
            },
        };
        self.bounds.check(metric)?;
        let threads = self.threads.count();
        let options = SolveOptions { metric: Some(metric), ..self.bounds.options(&game, threads)? };
        let disk = self.disk.or_else(|| machine::free_disk(&self.subject.dir(&game)));
        // Which solver a slice gets does not depend on how fast it is.
        let usual = game.plan(&selected, &options, &Rates::usual(metric, threads));
        // Several machines have other solvers: all are measured.
        let planned = if self.hosts.is_some() { &[] } else { &*usual };
        let most = self.calibration_positions;
        let interrupt = Interrupt::listen();
        let measured = game
            .calibrate(&options, most, planned, &std::env::temp_dir(), &interrupt)
            .map_err(|error| match error {
            CalibrationError::Solve(SolveError::Stopped(_)) => {
                Failure::Stopped("interrupted: nothing was planned".to_owned(), interrupt.code())
            }
            error => error.into(),
        })?;
        interrupt.end_at_once();
        if let Some(count) = self.hosts {
            let hosts = Hosts { count: count.into(), network: self.network };
            let slices = game.plan_together(&selected, &options, &measured.rates, &hosts);
            let (memory, measured) = (options.memory, measured);
            let plan = TogetherPlan { slices, measured, hosts, threads, memory, disk };
            return print(&match self.format {
                Format::Table => plan.for_people(&game),
                Format::Json => format!("{}\n", plan.for_programs(&game, metric)),
            });
        }
        let slices = game.plan(&selected, &options, &measured.rates);
        let peak = peak_disk(&slices);
        let mut finished = 0;
        let rows = slices
            .into_iter()
            .map(|plan| {
                finished += plan.disk;
                Row {
                    plan,
                    fits_memory: plan.memory <= options.memory,
                    fits_disk: disk.is_none_or(|disk| finished + plan.work_disk <= disk),
                }
            })
            .collect();
        let memory = options.memory;
        let plan = Plan { rows, measured, threads, memory, disk, finished, peak };
        print(&match self.format {
            Format::Table => plan.for_people(&game),
            Format::Json => format!("{}\n", plan.for_programs(&game, metric)),
        })
    }
}

impl Plan {
    fn uses(&self, solver: SolverName) -> bool {
        self.rows.iter().any(|row| row.plan.solver == solver)
    }

    /// The rates of the solvers that the plan uses; of others nothing is measured.
    fn rates(&self) -> String {
        let rates = &self.measured.rates;
        let uses = |solver| self.uses(solver);
        let mut text = String::new();
        if uses(SolverName::Memory) {
            let _ =
                write!(text, "; whole states in memory {:.0}", rates.of(SolverName::Memory).level);
        }
        if uses(SolverName::Rows) {
            let rows = rates.of(SolverName::Rows);
            let _ = write!(
                text,
                "; by rows {:.1} for one level, times their number to the power of {:.2} for more, \
                 {:.1} times as long if streamed",
                rows.level, rows.power, rates.streamed
            );
        }
        for solver in [SolverName::TwoBit, SolverName::OneBit, SolverName::DualIndex] {
            if uses(solver) {
                let level = rates.of(solver).level;
                let _ = write!(text, "; {} {level:.0} for each level", solver.name());
            }
        }
        text
    }

    fn positions(&self) -> u64 {
        self.rows.iter().map(|row| row.plan.positions).sum()
    }

    fn seconds(&self) -> f64 {
        self.rows.iter().map(|row| row.plan.seconds).sum()
    }

    fn phases(&self) -> Phases {
        self.rows.iter().fold(Phases::default(), |sum, row| sum.and(&row.plan.phases))
    }

    /// The most memory of any slice.
    fn most_memory(&self) -> u64 {
        self.rows.iter().map(|row| row.plan.memory).max().unwrap_or(0)
    }

    fn for_people(&self, game: &AnyGame) -> String {
        let room = match self.disk {
            Some(disk) => format!(" and {} of disk", size(disk)),
            None => String::new(),
        };
        let mut text = format!(
            "{} with {}, {} of memory{room}\n\n{}",
            game.id(),
            threads(self.threads),
            size(self.memory),
            self.table(game),
        );
        let _ = writeln!(
            text,
            "\nTotal: {}, {} of memory at most, {} of disk when finished, {} at most with work \
             files.",
            about(self.seconds()),
            size(self.most_memory()),
            size(self.finished),
            size(self.peak),
        );
        let phases = self.phases();
        let _ = writeln!(
            text,
            "By phase: captures {}, values inside slices {}, work files {}, packing {}, check {}.",
            about(phases.exits),
            about(phases.fixpoint),
            about(phases.transfer),
            about(phases.pack),
            about(phases.verify),
        );
        for (what, fits) in
            [("memory", (|row| row.fits_memory) as fn(&Row) -> bool), ("disk", |row| row.fits_disk)]
        {
            let lacking = self.rows.iter().filter(|&row| !fits(row)).map(|row| row.plan.slice);
            if let Some(list) = ranges(lacking, |slice| game.slice_name(slice)) {
                let _ = writeln!(text, "Too little {what} for {} {list}.", game.slice_unit());
            }
        }
        let by_rules =
            self.rows.iter().filter(|row| row.plan.tables < 1.0).map(|row| row.plan.slice);
        if let Some(list) = ranges(by_rules, |slice| game.slice_name(slice)) {
            let least = self.rows.iter().map(|row| row.plan.tables).fold(1.0, f64::min);
            let _ = writeln!(
                text,
                "Too little memory for all tables of the game with {} {list}: they serve {:.0}% of \
                 the positions or more, the others take {BY_RULES} times as long, as counted here.",
                game.slice_unit(),
                100.0 * least,
            );
        }
        let rates = &self.measured.rates;
        let measured = if self.measured.is_measured() {
            let positions = counted(self.measured.positions, "position");
            format!("Measured with {} ({positions})", slice_label(game, self.measured.slice))
        } else {
            "Assumed, as no slice is small enough to measure with".to_owned()
        };
        let _ = writeln!(
            text,
            "\n{measured}, nanoseconds a position: {:.0} for captures, file and check{}.\nAssumed: \
             as many levels as the window or the largest score; {BITS} bits a position in a file, \
             fewer with a narrow window; {:.1} GB a second to and from work files; and that large \
             slices are as fast as the one measured, but for rows that fit no processor's cache, \
             whose values take half as long again and captures a quarter.",
            rates.exits + rates.pack + rates.verify,
            self.rates(),
            DISK / 1e9,
        );
        text
    }

    fn table(&self, game: &AnyGame) -> String {
        let windows = self.rows.iter().any(|row| row.plan.window != 0);
        let lacks = self.rows.iter().any(|row| !row.fits_memory || !row.fits_disk);
        let line = |name: String, window: String, cells: [String; 6], lacking: &str| {
            let [positions, rest @ ..] = cells;
            let mut line = vec![name, positions];
            if windows {
                line.push(window);
            }
            line.extend(rest);
            if lacks {
                line.push(lacking.to_owned());
            }
            line
        };
        let mut rows: Vec<_> = self
            .rows
            .iter()
            .map(|Row { plan, fits_memory, fits_disk }| {
                let cells = [
                    thousands(plan.positions),
                    plan.solver.to_string(),
                    size(plan.memory),
                    size(plan.disk),
                    if plan.work_disk == 0 { "-".to_owned() } else { size(plan.work_disk) },
                    duration(plan.seconds),
                ];
                let lacking = match (fits_memory, fits_disk) {
                    (true, true) => "",
                    (false, true) => "memory",
                    (true, false) => "disk",
                    (false, false) => "memory, disk",
                };
                line(game.slice_name(plan.slice), window_cell(plan.window), cells, lacking)
            })
            .collect();
        let work = self.rows.iter().map(|row| row.plan.work_disk).max().unwrap_or(0);
        let all = [
            thousands(self.positions()),
            String::new(),
            size(self.most_memory()),
            size(self.finished),
            size(work),
            duration(self.seconds()),
        ];
        rows.push(line("all".to_owned(), String::new(), all, ""));
        let header = ["positions", "solver", "memory", "disk", "work files", "time"];
        let header = line(
            game.slice_unit().to_owned(),
            "window".to_owned(),
            header.map(str::to_owned),
            "lacks",
        );
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let left: Vec<usize> = (0..header.len())
            .filter(|&place| ["solver", "lacks"].contains(&header[place]))
            .collect();
        table::render(&header, &left, rows)
    }

    fn for_programs(&self, game: &AnyGame, metric: Metric) -> Value {
        let slices: Vec<Value> = self
            .rows
            .iter()
            .map(|Row { plan, fits_memory, fits_disk }| {
                let fields = json!({
                    "positions": plan.positions,
                    "window": plan.window,
                    "solver": plan.solver.name(),
                    "tables": plan.tables,
                    "memory": plan.memory,
                    "disk": plan.disk,
                    "work_disk": plan.work_disk,
                    "seconds": rounded(plan.seconds),
                    "phases": phases_json(&plan.phases),
                    "fits_memory": fits_memory,
                    "fits_disk": fits_disk,
                });
                slice_object(game, metric, plan.slice, fields)
            })
            .collect();
        let Calibration { rates, slice, positions } = &self.measured;
        let fixpoint: Map<String, Value> = rates
            .fixpoint
            .iter()
            .filter(|(solver, _)| self.uses(**solver))
            .map(|(solver, rate)| {
                let level = json!({ "level": rounded(rate.level), "power": rounded(rate.power) });
                (solver.name().to_owned(), level)
            })
            .collect();
        let id = game.id();
        json!({
            "game": id.name,
            "options": id.options,
            "threads": self.threads,
            "memory": self.memory,
            "disk": self.disk,
            "measured": {
                "slice": game.slice_name(*slice),
                "positions": positions,
                "nanoseconds": {
                    "exits": rounded(rates.exits),
                    "exits_to_disk": rounded(rates.exits_to_disk),
                    "fixpoint": fixpoint,
                    "streamed": rounded(rates.streamed),
                    "pack": rounded(rates.pack),
                    "verify": rounded(rates.verify),
                },
            },
            "slices": slices,
            "total": {
                "positions": self.positions(),
                "seconds": rounded(self.seconds()),
                "phases": phases_json(&self.phases()),
                "memory": self.most_memory(),
                "disk": self.finished,
                "peak_disk": self.peak,
            },
        })
    }
}

pub fn phases_json(phases: &Phases) -> Value {
    json!({
        "exits": rounded(phases.exits),
        "fixpoint": rounded(phases.fixpoint),
        "transfer": rounded(phases.transfer),
        "pack": rounded(phases.pack),
        "verify": rounded(phases.verify),
    })
}

fn threads(count: usize) -> String {
    counted(count as u64, "thread")
}

/// Slices in ascending order as people write them: `3, 40 to 48`; nothing of none.
pub fn ranges(
    slices: impl Iterator<Item = SliceId>,
    name: impl Fn(SliceId) -> String,
) -> Option<String> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for SliceId(slice) in slices {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == slice => *end = slice,
            _ => runs.push((slice, slice)),
        }
    }
    let run = |(first, end): (u32, u32)| {
        let [first_name, end_name] = [first, end].map(|slice| name(SliceId(slice)));
        if first == end { first_name } else { format!("{first_name} to {end_name}") }
    };
    let texts: Vec<String> = runs.into_iter().map(run).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_as_people_write_them() {
        let text =
            |slices: &[u32]| ranges(slices.iter().copied().map(SliceId), |slice| slice.to_string());
        assert_eq!(text(&[]), None);
        assert_eq!(text(&[3]), Some("3".to_owned()));
        assert_eq!(text(&[3, 40, 41, 42]), Some("3, 40 to 42".to_owned()));
    }
}

//! `nutcracker plan --hosts`: what solving with several machines would take.

use std::fmt::Write;

use nutcracker_any::AnyGame;
use nutcracker_game::{Metric, Numbering, Rules, SliceId};
use nutcracker_retro::{
    BITS, Calibration, Hosts, Phases, RECORDS_SENT, RECORDS_SLOWDOWN, ROWS_SENT, ROWS_SLOWDOWN,
    SharedPlan, SlicePlan, SolverName, TOGETHER_FROM, is_together,
};
use serde_json::{Value, json};

use crate::args::{slice_label, slice_object};
use crate::cmd::plan::{phases_json, ranges};
use crate::cmd::solve::{peak_disk, window_cell};
use crate::number::{about, counted, duration, network, rounded, size, thousands};
use crate::table;

/// A plan for several machines.
pub struct TogetherPlan {
    pub slices: Vec<SharedPlan>,
    pub measured: Calibration,
    pub hosts: Hosts,
    /// Of each machine.
    pub threads: usize,
    /// Of each machine.
    pub memory: u64,
    /// Of the first machine.
    pub disk: Option<u64>,
}

/// What all slices take.
struct Total {
    positions: u64,
    seconds: f64,
    network: f64,
    phases: Phases,
    /// The most of the first machine, and of another.
    memory: [u64; 2],
    wire: u64,
    finished: u64,
    peak: u64,
}

impl TogetherPlan {
    fn total(&self) -> Total {
        let plans: Vec<SlicePlan> = self.slices.iter().map(|shared| shared.plan).collect();
        let most = |memory: fn(&SharedPlan) -> u64| self.slices.iter().map(memory).max();
        Total {
            positions: plans.iter().map(|plan| plan.positions).sum(),
            seconds: plans.iter().map(|plan| plan.seconds).sum(),
            network: self.slices.iter().map(|shared| shared.network).sum(),
            phases: plans.iter().fold(Phases::default(), |sum, plan| sum.and(&plan.phases)),
            memory: [
                most(|shared| shared.plan.memory).unwrap_or(0),
                most(|shared| shared.memory_of_others).unwrap_or(0),
            ],
            wire: self.slices.iter().map(|shared| shared.wire).sum(),
            finished: plans.iter().map(|plan| plan.disk).sum(),
            peak: peak_disk(&plans),
        }
    }

    /// Whether each slice fits the memory of the first machine, and its disk with those before.
    fn fitting(&self) -> Vec<(bool, bool)> {
        let mut finished = 0;
        let fits = |shared: &SharedPlan| {
            finished += shared.plan.disk;
            let disk = finished + shared.plan.work_disk;
            (shared.plan.memory <= self.memory, self.disk.is_none_or(|room| disk <= room))
        };
        self.slices.iter().map(fits).collect()
    }

    /// For people.
    pub fn for_people(&self, game: &AnyGame) -> String {
        let room = match self.disk {
            Some(disk) => format!(" and {} of disk", size(disk)),
            None => String::new(),
        };
        let mut text = format!(
            "{} with {} of {} each, {} of memory each, {} between them{room}\n\n{}",
            game.id(),
            counted(self.hosts.count, "machine"),
            counted(self.threads as u64, "thread"),
            size(self.memory),
            network(self.hosts.network),
            self.table(game),
        );
        let total = self.total();
        let _ = writeln!(
            text,
            "\nTotal: {}, {} of memory at most on the first machine and {} on the others, {} on the \
             wire, {} of disk when finished, {} at most with work files.",
            about(total.seconds),
            size(total.memory[0]),
            size(total.memory[1]),
            size(total.wire),
            size(total.finished),
            size(total.peak),
        );
        let _ = writeln!(
            text,
            "By phase: captures {}, values inside slices {}, network {}, work files {}; on the first \
             machine alone packing {}, check {}.",
            about(total.phases.exits),
            about(total.phases.fixpoint),
            about(total.network),
            about(total.phases.transfer),
            about(total.phases.pack),
            about(total.phases.verify),
        );
        self.lacking(game, &mut text);
        self.assumptions(game, &mut text);
        text
    }

    /// What does not fit, and what happens instead.
    fn lacking(&self, game: &AnyGame, text: &mut String) {
        let apart = |shared: &&SharedPlan| shared.together_from.is_some();
        let slices = self.slices.iter().filter(apart);
        if let Some(list) =
            ranges(slices.clone().map(|shared| shared.plan.slice), |slice| game.slice_name(slice))
        {
            let least = slices.clone().filter_map(|shared| shared.together_from);
            let _ = writeln!(
                text,
                "Too large for the machines together: {} {list}, which would take up to {} of memory \
                 a machine; planned for the first machine alone.",
                game.slice_unit(),
                size(least.max().unwrap_or(0)),
            );
        }
        let in_pieces = self.slices.iter().filter(|shared| shared.plan.check_in_pieces);
        if let Some(list) =
            ranges(in_pieces.map(|shared| shared.plan.slice), |slice| game.slice_name(slice))
        {
            let _ = writeln!(
                text,
                "With this memory the check of {} {list} runs in pieces; `verify --part` shares it \
                 among machines.",
                game.slice_unit()
            );
        }
        let fitting = self.fitting();
        for (what, fits) in
            [("memory", (|fits| fits.0) as fn(&(bool, bool)) -> bool), ("disk", |fits| fits.1)]
        {
            let lacking = self.slices.iter().zip(&fitting).filter(|(_, found)| !fits(found));
            if let Some(list) =
                ranges(lacking.map(|(shared, _)| shared.plan.slice), |slice| game.slice_name(slice))
            {
                let _ = writeln!(text, "Too little {what} for {} {list}.", game.slice_unit());
            }
        }
    }

    fn assumptions(&self, game: &AnyGame, text: &mut String) {
        let rates = &self.measured.rates;
        let measured = if self.measured.is_measured() {
            let positions = counted(self.measured.positions, "position");
            format!("Measured here with {} ({positions})", slice_label(game, self.measured.slice))
        } else {
            "Assumed, as no slice is small enough to measure with".to_owned()
        };
        let rows = rates.of(SolverName::Rows);
        let _ = writeln!(
            text,
            "\n{measured}, nanoseconds a position on one machine: captures {:.0}, by rows {:.1} for \
             one level, times their number to the power of {:.2} for more, by whole states {:.0}, \
             packing {:.0}, check {:.0}.\nAssumed: all machines are like this one and have the same \
             share of the work. `cluster-rows` computes {ROWS_SLOWDOWN} times as long as rows on one \
             machine, and sends {ROWS_SENT} bytes a position to every other machine. `cluster` \
             computes {RECORDS_SLOWDOWN} times as long as whole states on one machine, and sends \
             {RECORDS_SENT} bytes a position, but for the share of one in n that stays where it is. Computing and sending do not \
             overlap, each machine sends and receives at the full rate, and latency is left out. \
             Tables of finished slices go from the first machine to each of the others, and values \
             of one byte a position to the first, which packs and checks; a directory that all \
             mount saves the tables. Large slices are as fast as the one measured, but for rows \
             that fit no processor's cache. Slices of fewer than {} positions are solved by one machine. \
             {BITS} bits a position in a file.",
            rates.exits,
            rows.level,
            rows.power,
            rates.of(SolverName::Memory).level,
            rates.pack,
            rates.verify,
            thousands(TOGETHER_FROM),
        );
    }

    fn table(&self, game: &AnyGame) -> String {
        let windows = self.slices.iter().any(|shared| shared.plan.window != 0);
        let fitting = self.fitting();
        let lacks = fitting.contains(&(true, false)) || fitting.iter().any(|fits| !fits.0);
        let line = |name: String, window: String, cells: [String; 9], lacking: &str| {
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
        let some = |bytes| if bytes == 0 { "-".to_owned() } else { size(bytes) };
        let mut rows: Vec<Vec<String>> = Vec::new();
        for (SharedPlan { plan, memory_of_others, wire, .. }, fits) in
            self.slices.iter().zip(fitting)
        {
            let streamed = plan.solver == SolverName::Rows && plan.work_disk > 0;
            let machines = if is_together(plan.solver) { self.hosts.count } else { 1 };
            let cells = [
                thousands(plan.positions),
                if streamed { "rows, streamed".to_owned() } else { plan.solver.to_string() },
                machines.to_string(),
                size(plan.memory),
                some(*memory_of_others),
                some(*wire),
                size(plan.disk),
                some(plan.work_disk),
                duration(plan.seconds),
            ];
            let lacking = match fits {
                (true, true) => "",
                (false, true) => "memory",
                (true, false) => "disk",
                (false, false) => "memory, disk",
            };
            rows.push(line(game.slice_name(plan.slice), window_cell(plan.window), cells, lacking));
        }
        let total = self.total();
        let work = self.slices.iter().map(|shared| shared.plan.work_disk).max().unwrap_or(0);
        let all = [
            thousands(total.positions),
            String::new(),
            String::new(),
            size(total.memory[0]),
            some(total.memory[1]),
            some(total.wire),
            size(total.finished),
            some(work),
            duration(total.seconds),
        ];
        rows.push(line("all".to_owned(), String::new(), all, ""));
        let header = [
            "positions",
            "solver",
            "machines",
            "memory of 1st",
            "others",
            "wire",
            "disk",
            "work files",
            "time",
        ];
        let unit = game.slice_unit().to_owned();
        let header = line(unit, "window".to_owned(), header.map(str::to_owned), "lacks");
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let left: Vec<usize> = (0..header.len())
            .filter(|&place| ["solver", "lacks"].contains(&header[place]))
            .collect();
        table::render(&header, &left, rows)
    }

    /// For programs.
    pub fn for_programs(&self, game: &AnyGame, metric: Metric) -> Value {
        let slice = |(shared, (fits_memory, fits_disk)): (&SharedPlan, (bool, bool))| {
            let SharedPlan { plan, memory_of_others, wire, network, together_from } = shared;
            let fields = json!({
                "positions": plan.positions,
                "window": plan.window,
                "solver": plan.solver.name(),
                "machines": if is_together(plan.solver) { self.hosts.count } else { 1 },
                "memory": plan.memory,
                "memory_of_others": memory_of_others,
                "memory_to_share": together_from,
                "wire": wire,
                "disk": plan.disk,
                "work_disk": plan.work_disk,
                "seconds": rounded(plan.seconds),
                "phases": phases_json(&plan.phases),
                "network_seconds": rounded(*network),
                "fits_memory": fits_memory,
                "fits_disk": fits_disk,
            });
            slice_object(game, metric, plan.slice, fields)
        };
        let slices: Vec<Value> = self.slices.iter().zip(self.fitting()).map(slice).collect();
        let (id, total) = (game.id(), self.total());
        let SliceId(measured) = self.measured.slice;
        json!({
            "game": id.name,
            "options": id.options,
            "hosts": self.hosts.count,
            "network": self.hosts.network,
            "threads": self.threads,
            "memory": self.memory,
            "disk": self.disk,
            "measured": { "slice": measured, "positions": self.measured.positions },
            "slices": slices,
            "total": {
                "positions": total.positions,
                "seconds": rounded(total.seconds),
                "phases": phases_json(&total.phases),
                "network_seconds": rounded(total.network),
                "memory": total.memory[0],
                "memory_of_others": total.memory[1],
                "wire": total.wire,
                "disk": total.finished,
                "peak_disk": total.peak,
            },
        })
    }
}

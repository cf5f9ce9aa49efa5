//! `nutcracker experiment cluster`: how long hosts would take that do not exist.

use std::fmt::Write;
use std::sync::Arc;

use clap::ValueEnum;
use nutcracker_any::AnyGame;
use nutcracker_cluster::{Forecast, Rack, Trace, Tracer};
use nutcracker_draw::{Curve, CurveChart, curve_chart};
use nutcracker_game::{Numbering, Rules, SliceId};
use nutcracker_retro::{Progress, ROWS_SENT, SolveError, SolveOptions, SolverName, open_metric};
use nutcracker_table::Reach;
use serde_json::{Value, json};

use crate::args::{RuleOptions, games, need_databases, slice_label, slice_named, storage};
use crate::cmd::experiment::Format;
use crate::failure::Failure;
use crate::how::{parse_latency, parse_network};
use crate::interrupt::Interrupt;
use crate::number::{counted, network, rounded, short_duration, thousands};
use crate::{machine, print, table};

/// How long 1 to 64 hosts would take for a slice, from what is measured here
///
/// The slice and all smaller ones are solved in a temporary directory. With `records`, one thread
/// plays 64 owners in step and writes down, for every round, what each computes and sends to each
/// other; a host has 64/n of them. With `rows`, one thread solves by rows; its passes are taken to be
/// shared evenly, and what they decide to be sent to all. In every round the hosts compute, then
/// send, then wait for the slowest: nothing overlaps.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker experiment cluster --stones 12
  nutcracker experiment cluster --stones 12 --as 36 --network 25Gb --latency 20us
  nutcracker experiment cluster --stones 12 --method rows --format svg > hosts.svg")]
pub struct Args {
    /// The game, as `nutcracker games` lists it
    #[arg(default_value = "awari")]
    game: String,
    #[command(flatten)]
    rules: RuleOptions,
    /// The name of the slice: stones on the board in awari, seeds in kalah
    #[arg(long, value_name = "NAME", visible_alias = "stones", allow_negative_numbers = true)]
    slice: String,
    /// Forecast a larger slice, of the same rounds with more in each
    #[arg(long = "as", value_name = "NAME")]
    larger: Option<String>,
    /// What is sent
    #[arg(long, value_enum, default_value = "records")]
    method: Method,
    /// What connects the hosts: bits a second in each direction
    #[arg(long, value_name = "RATE", default_value = "10Gb", value_parser = parse_network)]
    network: f64,
    /// The time from one host to another
    #[arg(long, value_name = "TIME", default_value = "100us", value_parser = parse_latency)]
    latency: f64,
    /// Threads of every host, each as fast as the one that is measured
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    host_threads: u16,
    /// How the forecast is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// What is sent from host to host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// A record for every predecessor, to its owner
    Records,
    /// Words of bits that changed, to all
    Rows,
}

/// Reports nothing, and stops on request.
struct Quiet<'a>(&'a Interrupt);

impl Progress for Quiet<'_> {
    fn must_stop(&self) -> bool {
        self.0.requested()
    }
}

/// What was measured, and what follows.
struct Found {
    slice: SliceId,
    larger: SliceId,
    method: Method,
    trace: Trace,
    rack: Rack,
    forecasts: Vec<Forecast>,
}

impl Args {
    /// Measures and forecasts.
    pub fn run(self) -> Result<(), Failure> {
        let game = games().game(&self.game, &self.rules.options())?;
        need_databases(&game)?;
        let slice = slice_named(&game, &self.slice)?;
        let larger = match &self.larger {
            Some(name) => slice_named(&game, name)?,
            None => slice,
        };
        let interrupt = Interrupt::listen();
        let trace = match self.measure(&game, slice, &interrupt) {
            Err(SolveError::Stopped(stopped)) => {
                return Err(Failure::Stopped(stopped.to_string(), interrupt.code()));
            }
            trace => trace?,
        };
        let rack = Rack {
            threads: self.host_threads.into(),
            network: self.network,
            latency: self.latency,
        };
        let scale = game.slice_len(larger) as f64 / trace.positions.max(1) as f64;
        let forecasts = trace.forecast(&rack, scale);
        let found = Found { slice, larger, method: self.method, trace, rack, forecasts };
        print(&match self.format {
            Format::Table => found.for_people(&game),
            Format::Csv => found.csv(),
            Format::Json => format!("{}\n", found.for_programs(&game)),
            Format::Svg => found.svg(&game),
        })
    }

    fn measure(
        &self,
        game: &AnyGame,
        slice: SliceId,
        interrupt: &Interrupt,
    ) -> Result<Trace, SolveError> {
        let directory = |error: std::io::Error| {
            SolveError::Machine(format!("cannot make a temporary directory: {error}"))
        };
        let place =
            tempfile::Builder::new().prefix("nutcracker-hosts-").tempdir().map_err(directory)?;
        let disk = storage(false);
        let mut options = SolveOptions::new(machine::cores(), "experiment");
        let tracer = Arc::new(Tracer::new(game.slice_len(slice)));
        if self.method == Method::Records {
            options.machines = Some(Arc::clone(&tracer) as _);
            options.solver = Some(SolverName::Cluster);
        }
        let solve = |options: &SolveOptions| {
            game.solve_slices(&disk, place.path(), &[slice], options, &Quiet(interrupt))
        };
        solve(&options)?;
        if let Some(trace) = tracer.take() {
            return Ok(trace);
        }
        if self.method == Method::Records {
            return Err(SolveError::Machine(format!(
                "{} cannot be solved by records; try awari",
                slice_label(game, slice)
            )));
        }
        // A finished slice would not be solved again.
        let set = open_metric(game, None, Arc::clone(&disk), place.path(), 0);
        let _ = std::fs::remove_file(set.path(slice.0, Reach::Exact));
        let solver = Some(SolverName::Rows);
        let reports = solve(&SolveOptions { threads: 1, solver, verify: false, ..options })?;
        let report = reports.last();
        let seconds = report.and_then(|report| report.seconds).unwrap_or_default();
        let passes = report.map_or(1, |report| report.effort.rows.passes);
        let seconds = seconds.exits + seconds.fixpoint;
        Ok(Trace::broadcast(game.slice_len(slice), seconds, passes, ROWS_SENT))
    }
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::Records => "records",
            Method::Rows => "rows",
        }
    }
}

impl Found {
    /// What was measured, in words.
    fn caption(&self, game: &AnyGame) -> String {
        let positions = thousands(self.trace.positions);
        let steps = thousands(self.trace.steps.len() as u64);
        let mut text = format!(
            "{}, {} by {}: {positions} positions in {steps} steps",
            game.id(),
            slice_label(game, self.slice),
            self.method.name(),
        );
        if self.larger != self.slice {
            let _ = write!(
                text,
                ", scaled to the {} of {}",
                thousands(game.slice_len(self.larger)),
                slice_label(game, self.larger)
            );
        }
        text
    }

    fn for_people(&self, game: &AnyGame) -> String {
        let line = |one: &Forecast| {
            vec![
                one.hosts.to_string(),
                short_duration(one.seconds()),
                format!("{:.2}", one.speed_up),
                format!("{:.0}%", 100.0 * one.efficiency()),
                format!("{:.2}", one.imbalance),
                short_duration(one.computing),
                short_duration(one.sending),
                short_duration(one.latency),
                one.limit().to_owned(),
            ]
        };
        let header = [
            "hosts",
            "time",
            "speed-up",
            "efficiency",
            "imbalance",
            "computing",
            "sending",
            "latency",
            "limited by",
        ];
        format!(
            "{}\nHosts of {}, {} in each direction, {} from one to another\n\n{}",
            self.caption(game),
            counted(self.rack.threads, "thread"),
            network(self.rack.network),
            short_duration(self.rack.latency),
            table::render(&header, &[8], self.forecasts.iter().map(line).collect()),
        )
    }

    fn csv(&self) -> String {
        let mut text =
            "hosts,seconds,speed_up,efficiency,imbalance,computing,sending,latency,bytes,limit\n"
                .to_owned();
        for one in &self.forecasts {
            let numbers = [
                one.seconds(),
                one.speed_up,
                one.efficiency(),
                one.imbalance,
                one.computing,
                one.sending,
                one.latency,
                one.bytes,
            ];
            let numbers = numbers.map(|number| rounded(number).to_string()).join(",");
            let _ = writeln!(text, "{},{numbers},{}", one.hosts, one.limit());
        }
        text
    }

    fn for_programs(&self, game: &AnyGame) -> Value {
        let line = |one: &Forecast| {
            json!({
                "hosts": one.hosts,
                "seconds": rounded(one.seconds()),
                "speed_up": rounded(one.speed_up),
                "efficiency": rounded(one.efficiency()),
                "imbalance": rounded(one.imbalance),
                "computing": rounded(one.computing),
                "sending": rounded(one.sending),
                "latency": rounded(one.latency),
                "bytes": rounded(one.bytes),
                "limit": one.limit(),
            })
        };
        let id = game.id();
        json!({
            "game": id.name,
            "options": id.options,
            "measured": {
                "slice": game.slice_name(self.slice),
                "positions": self.trace.positions,
                "steps": self.trace.steps.len(),
            },
            "slice": game.slice_name(self.larger),
            "positions": game.slice_len(self.larger),
            "method": self.method.name(),
            "threads": self.rack.threads,
            "network": self.rack.network,
            "latency": self.rack.latency,
            "hosts": self.forecasts.iter().map(line).collect::<Vec<_>>(),
        })
    }

    fn svg(&self, game: &AnyGame) -> String {
        let microseconds = |seconds: f64| (seconds * 1e6).round() as u64;
        let alone = self.forecasts.first().map_or(0.0, Forecast::seconds);
        let points = |seconds: &dyn Fn(&Forecast) -> f64| {
            self.forecasts
                .iter()
                .map(|one| (one.hosts as u32, microseconds(seconds(one))))
                .collect()
        };
        let curves = [
            ("forecast", points(&Forecast::seconds)),
            ("computing", points(&|one| one.computing)),
            ("an even share", points(&|one| alone / one.hosts as f64)),
        ]
        .map(|(label, points)| Curve { label: label.to_owned(), points });
        let chart = CurveChart {
            title: "How long hosts would take",
            caption: &self.caption(game),
            x: ("hosts", ""),
            y: "microseconds, logarithmic",
            floor: None,
        };
        curve_chart(&chart, &curves)
    }
}

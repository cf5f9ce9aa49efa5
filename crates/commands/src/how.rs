//! How to solve: which solver, how much memory, which range of scores.

use nutcracker_any::AnyGame;
use nutcracker_game::Metric;
use nutcracker_retro::{DualIndexOptions, Policy, RowOptions, SolveOptions, SolverName, Window};

use crate::args::slice_named;
use crate::failure::Failure;
use crate::machine;

/// Left for everything else when the memory is not given: an eighth.
const MARGIN: u64 = 8;

/// Which solver with what memory.
#[derive(Clone, Debug, clap::Args)]
pub struct How {
    /// The solver: auto takes one pass where no position repeats, whole rows for games of sowing, else whole states in memory if they
    /// fit, else two bits a position, else one bit, else one bit through a cache by a second index;
    /// sweeps for games without un-moves; cluster-rows or cluster for several machines. The files
    /// are the same
    #[arg(long, value_name = "SOLVER", default_value = "auto", value_parser = parse_solver)]
    solver: Request,
    #[command(flatten)]
    pub bounds: Bounds,
    /// Bytes of a block in the dual-index solver's cache
    #[arg(long, value_name = "SIZE", default_value = "16KiB", value_parser = parse_size)]
    cache_block: u64,
    /// The most memory of the dual-index solver's cache; without it, all bits if they fit, else
    /// what the game's tables leave
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    cache_size: Option<u64>,
    /// Which block leaves the dual-index solver's cache: clock (near least recently used) or fifo
    #[arg(long, value_name = "POLICY", default_value = "clock", value_parser = parse_policy)]
    cache_policy: Policy,
    /// Positions from which on a slice is resumed after an interruption
    #[arg(long, value_name = "N", default_value_t = 1 << 24, hide = true)]
    checkpoint_positions: u64,
    /// Solve by rows without special instructions of the processor, for comparison
    #[arg(long, hide = true)]
    portable: bool,
    /// Solve by rows from disk, with this memory for rows, even where all would fit
    #[arg(long, value_name = "SIZE", hide = true, alias = "row-room", value_parser = parse_size)]
    row_budget: Option<u64>,
}

/// A solver by name, or `auto`.
#[derive(Clone, Copy, Debug)]
struct Request(Option<SolverName>);

/// How much memory, and which range of scores.
#[derive(Clone, Debug, clap::Args)]
pub struct Bounds {
    /// Memory to use, such as 512MiB or 4GiB; without it, what is free, less a margin
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Only whether a score is at least k or at most -k, for k up to K in the last slice, and in
    /// smaller slices what that needs
    #[arg(long, value_name = "K", conflicts_with = "start", value_parser = clap::value_parser!(u8).range(1..=127))]
    window: Option<u8>,
    /// Only what decides every game that starts in this slice, such as 48 for 48 stones
    #[arg(long, value_name = "SLICE", visible_alias = "game-stones")]
    start: Option<String>,
}

impl Bounds {
    /// Whether the memory was limited on the command line.
    pub fn has_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Bytes that may be used.
    pub fn memory(&self) -> u64 {
        self.memory.or_else(|| machine::available_memory().map(with_margin)).unwrap_or(u64::MAX)
    }

    /// An error where scores are to be clipped and there are none.
    pub fn check(&self, metric: Metric) -> Result<(), Failure> {
        let holds = if metric == Metric::Forced { "bounds" } else { "distances" };
        let scores = matches!(metric, Metric::Score | Metric::Wdl);
        if !scores && (self.window.is_some() || self.start.is_some()) {
            return Err(Failure::Usage(format!(
                "--window and --start clip scores, and these databases hold {holds}; leave them out"
            )));
        }
        Ok(())
    }

    /// The range of scores to compute.
    fn window(&self, game: &AnyGame) -> Result<Window, Failure> {
        Ok(match (self.window, &self.start) {
            (Some(window), _) => Window::Top(window),
            (_, Some(start)) => Window::Start(slice_named(game, start)?),
            _ => Window::Full,
        })
    }

    /// Options with these bounds, and otherwise the usual ones.
    pub fn options(&self, game: &AnyGame, threads: usize) -> Result<SolveOptions, Failure> {
        let program = format!("nutcracker {}", env!("CARGO_PKG_VERSION"));
        let (memory, window) = (self.memory(), self.window(game)?);
        Ok(SolveOptions { memory, window, ..SolveOptions::new(threads, program) })
    }
}

impl How {
    /// All of it.
    pub fn options(&self, game: &AnyGame, threads: usize) -> Result<SolveOptions, Failure> {
        Ok(SolveOptions {
            solver: self.solver.0,
            dual_index: DualIndexOptions {
                block_bytes: self.cache_block,
                policy: self.cache_policy,
                cache: self.cache_size,
            },
            checkpoint_positions: self.checkpoint_positions,
            rows: RowOptions { portable: self.portable, budget: self.row_budget },
            ..self.bounds.options(game, threads)?
        })
    }
}

/// What is used of memory that is free.
pub fn with_margin(free: u64) -> u64 {
    free - free / MARGIN
}

fn parse_solver(text: &str) -> Result<Request, String> {
    if text == "auto" {
        return Ok(Request(None));
    }
    let found = SolverName::ALL.into_iter().find(|solver| solver.name() == text);
    found.map(|solver| Request(Some(solver))).ok_or_else(|| {
        let known: Vec<&str> = SolverName::ALL.iter().map(|solver| solver.name()).collect();
        format!("there is no such solver; known are auto, {}", known.join(", "))
    })
}

fn parse_policy(text: &str) -> Result<Policy, String> {
    match text {
        "clock" => Ok(Policy::Clock),
        "fifo" => Ok(Policy::Fifo),
        _ => Err("known are clock and fifo".to_owned()),
    }
}

/// A size in bytes, with or without a unit.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || format!("a size is a number with a unit, such as 512MiB or 4GiB, not {text:?}");
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let bytes = number * factor as f64;
    if (1.0..=1e18).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
}

/// A rate of a network in bytes a second: bits with `b`, bytes with `B`.
pub fn parse_network(text: &str) -> Result<f64, String> {
    let wrong = || format!("a network is a number with a unit, such as 1Gb or 10Gb, not {text:?}");
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().trim_end_matches("/s");
    let unit = unit.strip_suffix("it").or(unit.strip_suffix("ps")).unwrap_or(unit);
    let factor = match unit {
        "kb" | "Kb" => 1e3 / 8.0,
        "Mb" => 1e6 / 8.0,
        "Gb" => 1e9 / 8.0,
        "Tb" => 1e12 / 8.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        _ => return Err(wrong()),
    };
    let bytes = number.parse::<f64>().map_err(|_| wrong())? * factor;
    if (1.0..=1e15).contains(&bytes) { Ok(bytes) } else { Err(wrong()) }
}

/// A short time in seconds.
pub fn parse_latency(text: &str) -> Result<f64, String> {
    let wrong = || format!("a latency is a number with a unit, such as 100us or 1ms, not {text:?}");
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        _ => return Err(wrong()),
    };
    let seconds = number.parse::<f64>().map_err(|_| wrong())? * factor;
    if (0.0..=60.0).contains(&seconds) { Ok(seconds) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::{parse_latency, parse_network, parse_size};

    #[test]
    fn latencies() {
        assert_eq!(parse_latency("0.5ms"), Ok(0.0005));
        assert_eq!(parse_latency("0s"), Ok(0.0));
        for wrong in ["", "1", "ms", "-1ms", "2h", "100s"] {
            assert!(parse_latency(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn networks() {
        for (text, bytes) in
            [("10Gb", 1.25e9), ("10 Gbit/s", 1.25e9), ("1Gbps", 1.25e8), ("2.5GB", 2.5e9)]
        {
            assert_eq!(parse_network(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "10", "Gb", "0Gb", "-1Gb", "10GiB", "10 parsecs", "1e99Gb"] {
            assert!(parse_network(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("512MiB"), Ok(512 << 20));
        assert_eq!(parse_size("1.5g"), Ok(3 << 29));
        assert_eq!(parse_size("2TB"), Ok(2_000_000_000_000));
        for wrong in ["", "MiB", "0", "-1", "12 parsecs", "1e99"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}

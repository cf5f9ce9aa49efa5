//! How fast this machine solves: one slice of seconds, with each solver.

use std::path::{Path, PathBuf};

use nutcracker_game::{Game, SliceId};
use nutcracker_retro::choice::{Solver, Window};
use nutcracker_retro::plan::Rates;
use nutcracker_retro::progress::Silent;
use nutcracker_retro::solve::{Seconds, SolveOptions, open_set, solve};
use nutcracker_table::Reach;

use crate::args::storage;
use crate::failure::Failure;

/// What was measured.
pub struct Measured {
    /// Nanoseconds a position.
    pub rates: Rates,
    /// With this slice.
    pub slice: SliceId,
    /// It has so many positions.
    pub positions: u64,
}

/// A directory that is gone in the end, whatever happens.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("nutcracker-plan-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| {
            Failure::Failed(format!(
                "cannot make {} to measure in: {error}; set TMPDIR to another directory",
                path.display()
            ))
        })?;
        Ok(Temporary(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What stays is in the place for what may be removed.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Solves the largest slice of at most so many positions with each solver.
pub fn measure<G: Game>(game: &G, threads: usize, most: u64) -> Result<Measured, Failure> {
    let slice = (1..=game.largest_slice().0)
        .map(SliceId)
        .take_while(|&slice| game.slice_len(slice) <= most)
        .last()
        .unwrap_or(SliceId(0));
    let positions = game.slice_len(slice);
    let place = Temporary::new()?;
    let path = open_set(game, storage(false), &place.0, 0).path(slice.0, Reach::Exact);
    let run = |solver| {
        // A finished slice would not be solved again.
        let _ = std::fs::remove_file(&path);
        solve_with(game, &place.0, slice, threads, solver)
    };
    // The first run of all warms up what the machine keeps at hand.
    let (cold, warm) = (run(Solver::Memory)?, run(Solver::Memory)?);
    let whole = Seconds {
        conversions: cold.conversions.min(warm.conversions),
        fixpoint: cold.fixpoint.min(warm.fixpoint),
        pack: cold.pack.min(warm.pack),
        verify: cold.verify.min(warm.verify),
    };
    let nanoseconds = |seconds: f64| seconds * 1e9 / positions.max(1) as f64;
    let mut rates = Rates {
        conversions: nanoseconds(whole.conversions),
        conversions_to_disk: nanoseconds(whole.conversions),
        memory: nanoseconds(whole.fixpoint),
        two_bit: 0.0,
        two_bit_sweeps: 0.0,
        one_bit: 0.0,
        dual_index: 0.0,
        rows: 0.0,
        rows_power: 0.0,
        pack: nanoseconds(whole.pack),
        verify: nanoseconds(whole.verify),
    };
    if G::UNMOVES {
        let levels = f64::from(game.max_score(slice).max(1));
        let mut level = |solver| -> Result<f64, Failure> {
            let seconds = run(solver)?;
            let conversions = nanoseconds(seconds.conversions);
            rates.conversions_to_disk = rates.conversions_to_disk.max(conversions);
            Ok(nanoseconds(seconds.fixpoint) / levels)
        };
        let two_bit = level(Solver::TwoBit)?;
        let one_bit = level(Solver::OneBit)?;
        let dual_index = level(Solver::DualIndex)?;
        // Sweeps over two bits are chosen by name only, and look at as much as those over one.
        rates = Rates { two_bit, two_bit_sweeps: one_bit, one_bit, dual_index, ..rates };
    }
    if game.sowing(slice).is_some() && slice.0 > 1 {
        let full = run(Solver::Rows)?.fixpoint.min(run(Solver::Rows)?.fixpoint);
        // A window of one level apart, which is made of the same smaller slices.
        let options = SolveOptions { window: Window::Top(1), ..options(threads, Solver::Rows) };
        let _ = std::fs::remove_file(&path);
        let reports = solve(game, &storage(false), &place.0, slice, &options, &Silent)?;
        let one = reports.last().and_then(|report| report.seconds).unwrap_or_default().fixpoint;
        let levels = f64::from(game.max_score(slice).max(2));
        rates.rows = nanoseconds(one);
        rates.rows_power = ((full / one).ln() / levels.ln()).clamp(0.0, 1.0);
    }
    Ok(Measured { rates, slice, positions })
}

fn options(threads: usize, solver: Solver) -> SolveOptions {
    let verify = solver == Solver::Memory;
    SolveOptions { solver, verify, ..SolveOptions::new(threads, "calibration") }
}

/// The time of one slice; those below are solved on the way if they are not there.
fn solve_with<G: Game>(
    game: &G,
    dir: &Path,
    slice: SliceId,
    threads: usize,
    solver: Solver,
) -> Result<Seconds, Failure> {
    let options = options(threads, solver);
    let reports = solve(game, &storage(false), dir, slice, &options, &Silent)?;
    Ok(reports.last().and_then(|report| report.seconds).unwrap_or_default())
}

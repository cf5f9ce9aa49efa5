//! How fast this machine solves: one slice of seconds, with each solver.

use std::path::PathBuf;

use nutcracker_game::{Game, Metric, SliceId};
use nutcracker_retro::{
    Rate, Rates, Seconds, Silent, SolveOptions, SolverName, Window, fit_solvers, open_metric,
    solve_slices,
};
use nutcracker_table::Reach;

use crate::args::storage;
use crate::failure::Failure;

/// What was measured.
pub struct Measured {
    /// Nanoseconds a position.
    pub rates: Rates,
    /// With this slice.
    pub slice: SliceId,
    /// The number of its positions.
    pub positions: u64,
}

/// A directory that is removed in the end, whatever happens.
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
        // What cannot be removed stays in the directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Solves the largest slice of at most `most` positions with each solver.
pub fn measure<G: Game>(
    game: &G,
    metric: Metric,
    threads: usize,
    most: u64,
) -> Result<Measured, Failure> {
    let slice = (1..=game.largest_slice().0)
        .map(SliceId)
        .take_while(|&slice| game.slice_len(slice) <= most)
        .last()
        .unwrap_or(SliceId(0));
    let positions = game.slice_len(slice);
    let place = Temporary::new()?;
    let path =
        open_metric(game, Some(metric), storage(false), &place.0, 0).path(slice.0, Reach::Exact);
    // Solvers whose files are checked, the fastest first.
    let verified = [SolverName::OnePass, SolverName::Memory, SolverName::Sweeps];
    let run = |solver, window| -> Result<Seconds, Failure> {
        // A finished slice would not be solved again.
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_file(path.with_added_extension("unchecked"));
        let options = SolveOptions {
            metric: Some(metric),
            solver: Some(solver),
            verify: verified.contains(&solver),
            window,
            ..SolveOptions::new(threads, "calibration")
        };
        let slices = [slice];
        let reports = solve_slices(game, &storage(false), &place.0, &slices, &options, &Silent)?;
        Ok(reports.last().and_then(|report| report.seconds).unwrap_or_default())
    };
    let fit = fit_solvers(game, slice, Some(metric));
    let best_of_two = |solver| -> Result<Seconds, Failure> {
        let (one, two) = (run(solver, Window::Full)?, run(solver, Window::Full)?);
        Ok(Seconds {
            exits: one.exits.min(two.exits),
            fixpoint: one.fixpoint.min(two.fixpoint),
            pack: one.pack.min(two.pack),
            verify: one.verify.min(two.verify),
        })
    };
    let nanoseconds = |seconds: f64| seconds * 1e9 / positions.max(1) as f64;
    // The first run of all warms up caches; it is checked, and the others are not.
    let whole = verified.into_iter().find(|solver| fit.contains(solver)).unwrap_or(verified[0]);
    let seconds = best_of_two(whole)?;
    let mut rates = Rates {
        exits: nanoseconds(seconds.exits),
        exits_to_disk: nanoseconds(seconds.exits),
        pack: nanoseconds(seconds.pack),
        verify: nanoseconds(seconds.verify),
        ..Rates::usual(threads)
    };
    let levels = u64::from(metric.largest(game.max_score(slice)).max(1).unsigned_abs());
    let rate = |rates: &mut Rates, solver, seconds: f64| {
        let scale = rates.of(solver).scale(levels);
        let rate = Rate { level: nanoseconds(seconds) / scale, ..rates.of(solver) };
        rates.fixpoint.insert(solver, rate);
    };
    rate(&mut rates, whole, seconds.fixpoint);
    let by_level = [SolverName::TwoBit, SolverName::OneBit, SolverName::DualIndex];
    for solver in by_level.into_iter().filter(|solver| fit.contains(solver)) {
        let seconds = run(solver, Window::Full)?;
        let exits = nanoseconds(seconds.exits);
        rates.exits_to_disk = rates.exits_to_disk.max(exits);
        rate(&mut rates, solver, seconds.fixpoint);
    }
    // Sweeps over two bits are taken by request only, and scan as much as those over one.
    rates.fixpoint.insert(SolverName::TwoBitSweeps, rates.of(SolverName::OneBit));
    if fit.contains(&SolverName::Rows) && levels > 1 {
        let full = best_of_two(SolverName::Rows)?.fixpoint;
        // A window of one level, which is made from the same smaller slices.
        let one = run(SolverName::Rows, Window::Top(1))?.fixpoint;
        let power = ((full / one).ln() / (levels as f64).ln()).clamp(0.0, 1.0);
        rates.fixpoint.insert(SolverName::Rows, Rate { level: nanoseconds(one), power });
    }
    Ok(Measured { rates, slice, positions })
}

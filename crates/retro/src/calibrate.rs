//! How fast this machine solves: one slice of seconds, with each solver.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nutcracker_game::{Game, Metric, SliceId};
use nutcracker_table::{Disk, Reach, Storage};
use thiserror::Error;

use crate::error::SolveError;
use crate::options::{RowOptions, SolveOptions, SolverName};
use crate::plan::{Rate, Rates};
use crate::progress::Silent;
use crate::report::Seconds;
use crate::solve::solve_slices;
use crate::solver::fit_solvers;
use crate::tables::open_metric;
use crate::window::Window;

/// Streaming is measured with a byte of memory for this many positions.
const STREAMED_SHARE: u64 = 8;

/// A slice of fewer positions is over before anything can be measured.
const LEAST_POSITIONS: u64 = 10_000;

/// What was measured.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Nanoseconds a position.
    pub rates: Rates,
    /// With this slice.
    pub slice: SliceId,
    /// The number of its positions.
    pub positions: u64,
}

impl Calibration {
    /// Whether there was a slice to measure with; else the rates are the usual ones.
    pub fn is_measured(&self) -> bool {
        self.positions >= LEAST_POSITIONS
    }
}

/// Why nothing was measured.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// There is no place for the files.
    #[error("cannot make a directory in {} to measure in: {source}", parent.display())]
    Directory {
        /// Where it was to be.
        parent: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The slice cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// Measures how fast this machine solves: the largest slice of at most `most` positions is solved
/// with each of these solvers, or with all that fit if none is named, in a directory inside `parent`
/// that is removed in the end. If even that is too small to measure with, as in a game whose slices
/// are all large, the rates are the usual ones.
///
/// ```
/// use nutcracker_game::Metric;
/// use nutcracker_games::awari::Awari;
/// use nutcracker_retro::calibrate;
///
/// let dir = tempfile::tempdir()?;
/// let measured = calibrate(&Awari::new(3)?, Metric::Score, 1, 20_000, &[], dir.path())?;
/// assert_eq!((measured.slice.0, measured.positions), (15, 15_504));
/// assert!(measured.rates.pack > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn calibrate<G: Game>(
    game: &G,
    metric: Metric,
    threads: usize,
    most: u64,
    solvers: &[SolverName],
    parent: &Path,
) -> Result<Calibration, CalibrationError> {
    let slice = (1..=game.largest_slice().0)
        .map(SliceId)
        .take_while(|&slice| game.slice_len(slice) <= most)
        .last()
        .unwrap_or(SliceId(0));
    let positions = game.slice_len(slice);
    if positions < LEAST_POSITIONS {
        return Ok(Calibration { rates: Rates::usual(threads), slice, positions });
    }
    let place = tempfile::Builder::new()
        .prefix("nutcracker-plan-")
        .tempdir_in(parent)
        .map_err(|source| CalibrationError::Directory { parent: parent.to_owned(), source })?;
    let disk: Arc<dyn Storage> = Arc::new(Disk { map: false });
    let path = open_metric(game, Some(metric), Arc::clone(&disk), place.path(), 0)
        .path(slice.0, Reach::Exact);
    // Solvers whose files are checked, the fastest first.
    let verified = [SolverName::OnePass, SolverName::Memory, SolverName::Sweeps];
    let run = |solver, window, rows| -> Result<Seconds, SolveError> {
        // A finished slice would not be solved again.
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_file(path.with_added_extension("unchecked"));
        let options = SolveOptions {
            metric: Some(metric),
            solver: Some(solver),
            verify: verified.contains(&solver),
            window,
            rows,
            ..SolveOptions::new(threads, "calibration")
        };
        let slices = [slice];
        let reports = solve_slices(game, &disk, place.path(), &slices, &options, &Silent)?;
        Ok(reports.last().and_then(|report| report.seconds).unwrap_or_default())
    };
    let in_memory = RowOptions::default();
    let fit = fit_solvers(game, slice, Some(metric));
    let wanted = |solver: &SolverName| {
        fit.contains(solver) && (solvers.is_empty() || solvers.contains(solver))
    };
    let best_of_two = |solver| -> Result<Seconds, SolveError> {
        let one = run(solver, Window::Full, in_memory)?;
        let two = run(solver, Window::Full, in_memory)?;
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
    for solver in by_level.into_iter().filter(wanted) {
        let seconds = run(solver, Window::Full, in_memory)?;
        let exits = nanoseconds(seconds.exits);
        rates.exits_to_disk = rates.exits_to_disk.max(exits);
        rate(&mut rates, solver, seconds.fixpoint);
    }
    // Sweeps over two bits are taken by request only, and scan as much as those over one.
    rates.fixpoint.insert(SolverName::TwoBitSweeps, rates.of(SolverName::OneBit));
    if wanted(&SolverName::Rows) && levels > 1 {
        let full = best_of_two(SolverName::Rows)?.fixpoint;
        // A window of one level, which is made from the same smaller slices.
        let one = run(SolverName::Rows, Window::Top(1), in_memory)?.fixpoint;
        let streamed = RowOptions { budget: Some(positions / STREAMED_SHARE), ..in_memory };
        let streamed = run(SolverName::Rows, Window::Full, streamed)?.fixpoint;
        rates.streamed = (streamed / full).max(1.0);
        let power = ((full / one).ln() / (levels as f64).ln()).clamp(0.0, 1.0);
        rates.fixpoint.insert(SolverName::Rows, Rate { level: nanoseconds(one), power });
    }
    Ok(Calibration { rates, slice, positions })
}

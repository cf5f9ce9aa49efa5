//! How fast this machine solves: one slice of seconds, with each solver.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use nutcracker_game::{Game, Metric, SliceId, closure};
use nutcracker_table::{DEFAULT_BLOCK_POSITIONS, Disk, Reach, Storage, TableSet};
use rustix::time::{ClockId, clock_gettime};
use thiserror::Error;

use crate::budget::{cache_bytes, overhead};
use crate::check::{Memory, Share, check_with};
use crate::error::SolveError;
use crate::options::{RowOptions, SolveOptions, SolverName};
use crate::plan::{InPieces, Rate, Rates, SlicePlan, mean_moves};
use crate::progress::Progress;
use crate::report::Seconds;
use crate::solve::solve_slices;
use crate::solver::fit_solvers;
use crate::tables::{metric_of, open_metric};
use crate::window::Window;

/// Where no slice is planned to be streamed, streaming is measured with a byte of memory for this
/// many positions.
const STREAMED_SHARE: u64 = 8;

/// A slice of fewer positions is over before anything can be measured.
const LEAST_POSITIONS: u64 = 10_000;

/// A slice that is measured with has at most this many times as many positions together with the slices
/// below it, which are solved for it.
const NEEDED_SHARE: u64 = 3;

/// How many times as long as its share of the processors' time a run takes at most where nothing else
/// uses them: threads wait for each other, and for the disk.
const WAITING: f64 = 1.15;

/// Fewer blocks in the cache than a position's moves lead to would be decoded again for each of them.
const LEAST_BLOCKS: u64 = 64;

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

/// Measures how fast this machine solves: a slice of about `most` positions is solved
/// with each of the solvers that are planned, or with all that fit if nothing is planned, in a
/// directory inside `parent` that is removed in the end, also where `progress` requests a stop; nothing
/// else is reported to it. If even that is too small to measure with,
/// as in a game whose slices are all large, the rates are the usual ones.
///
/// ```
/// use nutcracker_games::awari::Awari;
/// use nutcracker_retro::{Silent, SolveOptions, calibrate};
///
/// let dir = tempfile::tempdir()?;
/// let options = SolveOptions::new(1, "example");
/// let measured = calibrate(&Awari::new(3)?, &options, 20_000, &[], dir.path(), &Silent)?;
/// assert_eq!((measured.slice.0, measured.positions), (15, 15_504));
/// assert!(measured.rates.pack > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn calibrate<G: Game>(
    game: &G,
    options: &SolveOptions,
    most: u64,
    planned: &[SlicePlan],
    parent: &Path,
    progress: &dyn Progress,
) -> Result<Calibration, CalibrationError> {
    let slice = measured_slice(game, most, planned);
    let (positions, threads) = (game.slice_len(slice), options.threads);
    let metric = metric_of(game, options.metric);
    if positions < LEAST_POSITIONS {
        return Ok(Calibration { rates: Rates::usual(metric, threads), slice, positions });
    }
    let place = tempfile::Builder::new()
        .prefix("nutcracker-plan-")
        .tempdir_in(parent)
        .map_err(|source| CalibrationError::Directory { parent: parent.to_owned(), source })?;
    let trial = Trial {
        game,
        metric,
        slice,
        threads,
        storage: Arc::new(Disk { map: false }),
        dir: place.path(),
        progress: &Quiet(progress),
    };
    let fit = fit_solvers(game, slice, Some(metric));
    let wanted = |solver: &SolverName| {
        fit.contains(solver)
            && (planned.is_empty() || planned.iter().any(|plan| plan.solver == *solver))
    };
    let in_memory = RowOptions::default();
    let nanoseconds = |seconds: f64| seconds * 1e9 / positions as f64;
    // The first run of all warms up caches; it is checked, and the others are not.
    let whole = VERIFIED.into_iter().find(|solver| fit.contains(solver)).unwrap_or(VERIFIED[0]);
    let seconds = trial.best_of_two(whole)?;
    let mut rates = Rates {
        exits: nanoseconds(seconds.exits),
        exits_to_disk: nanoseconds(seconds.exits),
        pack: nanoseconds(seconds.pack),
        verify: nanoseconds(seconds.verify),
        moves: Some(mean_moves(game, slice)),
        ..Rates::usual(metric, threads)
    };
    if let Some(points) = trial.in_pieces(planned, options.memory)? {
        rates.verify_in_pieces = InPieces { points };
    }
    let levels = u64::from(metric.largest(game.max_score(slice)).max(1).unsigned_abs());
    let rate = |rates: &mut Rates, solver, seconds: f64| {
        let scale = rates.of(solver).scale(levels);
        let rate = Rate { level: nanoseconds(seconds) / scale, ..rates.of(solver) };
        rates.fixpoint.insert(solver, rate);
    };
    rate(&mut rates, whole, seconds.fixpoint);
    let by_level = [SolverName::TwoBit, SolverName::OneBit, SolverName::DualIndex];
    for solver in by_level.into_iter().filter(wanted) {
        let seconds = trial.run(solver, Window::Full, in_memory)?;
        let exits = nanoseconds(seconds.exits);
        rates.exits_to_disk = rates.exits_to_disk.max(exits);
        rate(&mut rates, solver, seconds.fixpoint);
    }
    // Sweeps over two bits are taken by request only, and scan as much as those over one.
    rates.fixpoint.insert(SolverName::TwoBitSweeps, rates.of(SolverName::OneBit));
    if wanted(&SolverName::Rows) && levels > 1 {
        let full = trial.best_of_two(SolverName::Rows)?.fixpoint;
        rate(&mut rates, SolverName::Rows, full);
        // Bounds are neither clipped nor streamed.
        if metric == Metric::Score {
            // A window of one level, which is made from the same smaller slices.
            let one = trial.run(SolverName::Rows, Window::Top(1), in_memory)?.fixpoint;
            let budget = trial.streamed_budget(planned, options);
            let streamed = RowOptions { budget: Some(budget), ..in_memory };
            let streamed = trial.run(SolverName::Rows, Window::Full, streamed)?.fixpoint;
            rates.streamed = (streamed / full).max(1.0);
            let power = ((full / one).ln() / (levels as f64).ln()).clamp(0.0, 1.0);
            rates.fixpoint.insert(SolverName::Rows, Rate { level: nanoseconds(one), power });
        }
    }
    Ok(Calibration { rates, slice, positions })
}

/// Of the planned slices and those below them, one that with all slices below it has few enough
/// positions: of the larger ones, that whose positions have about as many moves as the planned ones,
/// for in a game of many endings the largest may have next to no wins, and so nothing to measure.
/// Where nothing is planned, the last of the slices with at most `most` positions.
fn measured_slice<G: Game>(game: &G, most: u64, planned: &[SlicePlan]) -> SliceId {
    if planned.is_empty() {
        let slices = (1..=game.largest_slice().0).map(SliceId);
        return slices
            .take_while(|&slice| game.slice_len(slice) <= most)
            .last()
            .unwrap_or(SliceId(0));
    }
    let mut candidates = closure(game, planned.iter().map(|plan| plan.slice));
    candidates.retain(|&slice| {
        let needed =
            || closure(game, [slice]).into_iter().map(|slice| game.slice_len(slice)).sum::<u64>();
        (LEAST_POSITIONS..=2 * most).contains(&game.slice_len(slice))
            && needed() <= NEEDED_SHARE * most
    });
    // In chess, classes in which both sides have the same men are walked in another way.
    let parts =
        planned.iter().max_by_key(|plan| plan.positions).map(|plan| game.parts(plan.slice).len());
    let alike = |slice: &SliceId| Some(game.parts(*slice).len()) == parts;
    if candidates.iter().any(alike) {
        candidates.retain(alike);
    }
    let largest = candidates.iter().map(|&slice| game.slice_len(slice)).max().unwrap_or(0);
    let all: u64 = planned.iter().map(|plan| plan.positions).sum();
    let moves: f64 = planned
        .iter()
        .map(|plan| mean_moves(game, plan.slice) * (plan.positions as f64 / all as f64))
        .sum();
    let candidates = candidates.into_iter().filter(|&slice| game.slice_len(slice) >= largest / 2);
    let difference = |slice: &SliceId| (mean_moves(game, *slice) - moves).abs();
    candidates.min_by(|a, b| difference(a).total_cmp(&difference(b))).unwrap_or(SliceId(0))
}

/// Seconds that all threads of this process have run, together.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Solvers whose files are checked, the fastest first.
const VERIFIED: [SolverName; 4] =
    [SolverName::OnePass, SolverName::Memory, SolverName::Sweeps, SolverName::Bounds];

/// The slice that is measured with.
struct Trial<'a, G> {
    game: &'a G,
    metric: Metric,
    slice: SliceId,
    threads: usize,
    storage: Arc<dyn Storage>,
    dir: &'a Path,
    progress: &'a Quiet<'a>,
}

/// Says when to stop, and reports nothing.
struct Quiet<'a>(&'a dyn Progress);

impl Progress for Quiet<'_> {
    fn must_stop(&self) -> bool {
        self.0.must_stop()
    }
}

impl<G: Game> Trial<'_, G> {
    fn open(&self, cache: u64) -> TableSet {
        open_metric(self.game, Some(self.metric), Arc::clone(&self.storage), self.dir, cache)
    }

    /// Solves the slice again.
    fn run(
        &self,
        solver: SolverName,
        window: Window,
        rows: RowOptions,
    ) -> Result<Seconds, SolveError> {
        // A finished slice would not be solved again.
        let path = self.open(0).path(self.slice.0, Reach::Exact);
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_file(path.with_added_extension("unchecked"));
        let options = SolveOptions {
            metric: Some(self.metric),
            solver: Some(solver),
            verify: VERIFIED.contains(&solver),
            window,
            rows,
            ..SolveOptions::new(self.threads, "calibration")
        };
        let slices = [self.slice];
        let (started, busy) = (Instant::now(), processor_time());
        let reports =
            solve_slices(self.game, &self.storage, self.dir, &slices, &options, self.progress)?;
        let (passed, busy) = (started.elapsed().as_secs_f64(), processor_time() - busy);
        let seconds = reports.last().and_then(|report| report.seconds).unwrap_or_default();
        if rows.budget.is_some() {
            return Ok(seconds);
        }
        // What takes longer than that, other programs have had.
        let own = (WAITING * busy / (self.threads as f64 * passed)).min(1.0);
        Ok(seconds.scaled(own))
    }

    fn best_of_two(&self, solver: SolverName) -> Result<Seconds, SolveError> {
        let one = self.run(solver, Window::Full, RowOptions::default())?;
        let two = self.run(solver, Window::Full, RowOptions::default())?;
        Ok(Seconds {
            exits: one.exits.min(two.exits),
            fixpoint: one.fixpoint.min(two.fixpoint),
            pack: one.pack.min(two.pack),
            verify: one.verify.min(two.verify),
        })
    }

    /// Bytes for rows, as many for a position as in the largest of the planned slices whose rows
    /// are streamed.
    fn streamed_budget(&self, planned: &[SlicePlan], options: &SolveOptions) -> u64 {
        let positions = self.game.slice_len(self.slice);
        let streamed = |plan: &&SlicePlan| plan.solver == SolverName::Rows && plan.work_disk > 0;
        match planned.iter().filter(streamed).map(|plan| plan.positions).max() {
            Some(largest) => {
                let left = options.memory.saturating_sub(overhead(self.threads));
                (left as f64 * positions as f64 / largest as f64) as u64
            }
            None => positions / STREAMED_SHARE,
        }
    }

    /// The check of the solved slice in pieces, with as much memory for a position as in the largest
    /// and in the smallest of the planned slices that are checked so; none if there is none.
    fn in_pieces(
        &self,
        planned: &[SlicePlan],
        memory: u64,
    ) -> Result<Option<Vec<(f64, f64)>>, SolveError> {
        let sizes =
            || planned.iter().filter(|plan| plan.check_in_pieces).map(|plan| plan.positions);
        let (Some(largest), Some(smallest)) = (sizes().max(), sizes().min()) else {
            return Ok(None);
        };
        let positions = self.game.slice_len(self.slice);
        let mut points = Vec::new();
        for planned in [largest, smallest] {
            let scaled = |bytes: u64| (bytes as f64 * positions as f64 / planned as f64) as u64;
            // In a large slice, the cache is a small share and still many blocks.
            let blocks = LEAST_BLOCKS * u64::from(DEFAULT_BLOCK_POSITIONS);
            let set = self.open(scaled(cache_bytes(planned).min(memory / 8)).max(blocks));
            let table = set.get(self.slice.0)?;
            let memory_here = Memory { all: scaled(memory), tables: memory / 8 };
            let started = Instant::now();
            check_with(
                self.game,
                &table,
                &set,
                Share::ALL,
                memory_here,
                self.threads,
                self.progress,
            )?;
            let nanoseconds = started.elapsed().as_secs_f64() * 1e9 / positions as f64;
            points.push((memory as f64 / planned as f64, nanoseconds));
            if smallest == largest {
                break;
            }
        }
        Ok(Some(points))
    }
}

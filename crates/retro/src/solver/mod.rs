//! The solvers: ways to solve one slice. A solver is one folder or file here, and one line in
//! [`all`].

mod bounds;
mod checkpoints;
mod cluster;
mod counts;
mod levels;
mod one_pass;
mod rows;
mod sweeps;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nutcracker_game::{Game, Metric, Score, SliceId};
use nutcracker_table::{Storage, TableSet};

use crate::budget::{cache_bytes, overhead};
use crate::error::{SolveError, Unfit};
use crate::options::{SolveOptions, SolverName};
use crate::progress::{Progress, Stopped};
use crate::report::{Choice, Effort};
use crate::store::disk::WorkFileError;
use crate::store::folder::Folder;
use crate::tables::{SetChildren, metric_of, open_metric};
use crate::window;

pub use checkpoints::{Checkpoints, Reader, Writer};
pub use cluster::{
    Machines, NeededTable, NextSlice, PutValues, SharedSlice, SharedWork, SliceGraph, help_slices,
};
pub use counts::{Codes, States};
pub use rows::{Exchange, RowStates, SharedRows};
pub use sweeps::{sweep_metric, sweep_slice};

/// A way to solve one slice. Everything that depends on the solver is here.
pub(crate) trait SliceSolver<G: Game>: Sync {
    /// Its name. Solvers of the same name are requested together; the first that fits is taken.
    fn name(&self) -> SolverName;
    /// Whether it finds two bounds rather than one score.
    fn finds_bounds(&self) -> bool {
        false
    }
    /// The resources needed; an error gives the reason why the game or slice cannot be solved this
    /// way.
    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit>;
    /// Solves a slice for which [`estimate`](Self::estimate) fits the memory.
    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError>;
}

/// All solvers, in the order in which they are preferred where none is requested.
pub(crate) fn all<G: Game>() -> [&'static dyn SliceSolver<G>; 14] {
    [
        &cluster::ClusterRows,
        &rows::BoundRows,
        &bounds::Bounds,
        &levels::TwoBitBounds,
        &cluster::Cluster,
        &one_pass::OnePass,
        &rows::Rows,
        &counts::Counts,
        &rows::StreamedRows,
        &levels::TwoBit,
        &levels::OneBit,
        &levels::DualIndex,
        &levels::TwoBitSweeps,
        &sweeps::Sweeps,
    ]
}

/// What a solver would take for a slice; an error gives the reason why it does not apply.
pub(crate) fn estimate<G: Game>(
    solver: &dyn SliceSolver<G>,
    task: &SliceTask<'_, G>,
) -> Result<Estimate, Unfit> {
    match (task.metric() == Metric::Forced, solver.finds_bounds()) {
        (true, false) => Err(Unfit::TwoBounds),
        (false, true) => Err(Unfit::OneScore),
        _ if task.metric().counts_to_zeroing() && solver.name() != SolverName::Memory => {
            Err(Unfit::NoZeroing)
        }
        _ => solver.estimate(task),
    }
}

/// What is to be solved, and with what.
#[derive(Clone, Copy)]
pub(crate) struct SliceTask<'a, G> {
    pub(crate) game: &'a G,
    pub(crate) slice: SliceId,
    /// The largest level: the largest score, or the window.
    pub(crate) top: u8,
    pub(crate) options: &'a SolveOptions,
}

impl<G: Game> SliceTask<'_, G> {
    /// The metric of the table.
    pub(crate) fn metric(&self) -> Metric {
        metric_of(self.game, self.options.metric)
    }

    /// The largest value of the slice.
    pub(crate) fn largest(&self) -> Score {
        self.metric().largest(self.game.max_score(self.slice))
    }

    pub(crate) fn positions(&self) -> u64 {
        self.game.slice_len(self.slice)
    }

    /// The slice as messages name it.
    pub(crate) fn slice_name(&self) -> String {
        self.game.slice_label(self.slice)
    }

    /// Bytes of decoded scores of smaller slices.
    fn cache_bytes(&self) -> u64 {
        cache_bytes(self.positions()).min(self.options.memory / 8)
    }

    /// Bytes that every solver needs beside its own arrays.
    fn overhead(&self) -> u64 {
        overhead(self.options.threads) + self.cache_bytes()
    }

    /// Bytes of all look-up tables of the game's two views.
    pub(crate) fn all_tables(&self) -> u64 {
        self.game.view_bytes(self.slice) + self.game.forward_bytes(self.slice)
    }
}

/// What a solver would take for a slice, with the memory that the options allow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    /// Bytes of memory without which it cannot run.
    pub(crate) least: u64,
    /// Bytes of memory from which on it is chosen without being requested; `None` if it never is.
    pub(crate) enough: Option<u64>,
    /// Bytes of memory at its peak.
    pub(crate) peak: u64,
    /// Bytes of these for the game's look-up tables; positions they do not cover are slower.
    pub(crate) tables: u64,
    /// Bytes of work files at their peak.
    pub(crate) work_disk: u64,
    /// Whether exits are written to disk.
    pub(crate) exits_to_disk: bool,
    /// Bytes a position that one level reads from and writes to work files, as far as that takes
    /// time of its own.
    pub(crate) moved: f64,
    /// How many times slower than in a small slice exits and fixpoint are.
    pub(crate) slowdown: [f64; 2],
}

impl Estimate {
    /// A solver in memory that takes `bytes`.
    fn in_memory(bytes: u64) -> Self {
        Estimate {
            least: bytes,
            enough: Some(bytes),
            peak: bytes,
            tables: u64::MAX,
            work_disk: 0,
            exits_to_disk: false,
            moved: 0.0,
            slowdown: [1.0, 1.0],
        }
    }
}

/// A slice to be solved, and where its files are.
pub(crate) struct SliceJob<'a, G> {
    pub(crate) task: SliceTask<'a, G>,
    pub(crate) storage: &'a Arc<dyn Storage>,
    /// The directory of the finished tables.
    pub(crate) dir: &'a Path,
    /// Where work files are, and the table until it is finished: the same directory, or one of this
    /// job's own.
    pub(crate) place: &'a Path,
    pub(crate) progress: &'a dyn Progress,
}

impl<G: Game> SliceJob<'_, G> {
    /// The finished slices, with a cache of decoded blocks.
    pub(crate) fn open_set(&self) -> TableSet {
        let SliceTask { game, options, .. } = self.task;
        let cache = self.task.cache_bytes();
        open_metric(game, options.metric, Arc::clone(self.storage), self.dir, cache)
    }

    /// The scores of smaller slices, as exact as this one needs them.
    fn children<'a>(&self, set: &'a TableSet) -> SetChildren<'a> {
        let SliceTask { game, slice, top, .. } = self.task;
        SetChildren::new(set, slice, |child| window::needed(game, slice, child, top.into()))
    }

    /// Where a solver's work files are. Each has its own: files that one leaves behind after an
    /// interruption are meaningless to another.
    fn folder(&self, solver: SolverName) -> Folder {
        let SliceTask { game, slice, top, options } = self.task;
        let path = work_folder(self.place, slice, top, solver);
        let (id, scheme) = (game.id(), game.index_scheme());
        let description = format!("{id}, slice {slice}, up to {top}, {solver}, {scheme}");
        Folder::new(path, Arc::clone(self.storage), description, options.watch.clone())
    }

    /// A position of the slice has a distance too large to store.
    fn too_far(&self) -> SolveError {
        let SliceTask { game, slice, .. } = self.task;
        SolveError::TooFar { game: game.id().to_string(), slice: game.slice_name(slice) }
    }

    /// The slice cannot be solved in this way.
    fn unfit(&self, solver: SolverName, reason: Unfit) -> SolveError {
        let (game, slice) = (self.task.game.id().to_string(), self.task.slice_name());
        SolveError::Unfit { game, slice, solver, reason }
    }

    /// Whether the slice is resumed after an interruption; else it is restarted, which is faster
    /// for a slice of seconds.
    fn resumable(&self) -> bool {
        self.task.positions() >= self.task.options.checkpoint_positions
    }

    pub(crate) fn stop_if_requested(&self) -> Result<(), Stopped> {
        if self.progress.must_stop() { Err(Stopped) } else { Ok(()) }
    }
}

/// Where the work files of a slice are, whose scores are found up to `top` by this solver.
pub fn work_folder(dir: &Path, slice: SliceId, top: u8, solver: SolverName) -> PathBuf {
    dir.join(format!("{}{top}-{solver}", work_prefix(slice)))
}

/// How the names of all work folders of a slice begin.
pub(crate) fn work_prefix(slice: SliceId) -> String {
    format!("work-{slice}-")
}

/// A slice that is solved and not packed yet.
pub(crate) struct SolvedSlice {
    pub(crate) scores: Box<dyn Scores>,
    pub(crate) effort: Effort,
    /// The time the exits took.
    pub(crate) exit_time: Duration,
}

/// The scores of a solved slice, wherever its solver keeps them.
pub(crate) trait Scores: Sync {
    /// Writes the scores of consecutive positions.
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError>;

    /// Where values are lower bounds: the number of positions whose bounds meet.
    fn exact(&self) -> Option<u64> {
        None
    }
}

impl<S: Scores + Send + ?Sized> Scores for Arc<S> {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        (**self).read(start, out)
    }
}

/// The solver for a slice.
pub(crate) struct Chosen<G: 'static> {
    pub(crate) solver: &'static dyn SliceSolver<G>,
    pub(crate) estimate: Estimate,
}

/// The solver that is requested, or the first that runs at full speed with the memory there is.
pub(crate) fn choose<G: Game>(task: &SliceTask<'_, G>) -> Result<Chosen<G>, SolveError> {
    let (requested, given) = (task.options.solver, task.options.memory);
    let (game, slice) = (task.game.id().to_string(), task.slice_name());
    let mut too_large: Option<(SolverName, u64)> = None;
    let mut unfit: Option<(SolverName, Unfit)> = None;
    for solver in all::<G>() {
        let name = solver.name();
        if requested.is_some_and(|requested| requested != name) {
            continue;
        }
        let estimate = match estimate(solver, task) {
            Ok(estimate) => estimate,
            Err(reason) => {
                // Of two solvers of a name, one is for the kind of value that is wanted.
                let other_kind = matches!(reason, Unfit::TwoBounds | Unfit::OneScore);
                if !other_kind || unfit.is_none_or(|(of, _)| of != name) {
                    unfit = Some((name, reason));
                }
                continue;
            }
        };
        let needed = if requested.is_some() { Some(estimate.least) } else { estimate.enough };
        let Some(needed) = needed else { continue };
        if needed <= given {
            return Ok(Chosen { solver, estimate });
        }
        if too_large.is_none_or(|(_, least)| needed < least) {
            too_large = Some((name, needed));
        }
    }
    let unfit = unfit.unwrap_or((SolverName::Sweeps, Unfit::NoUnmoves));
    Err(match (too_large, unfit) {
        (Some((solver, needed)), _) => {
            SolveError::TooLittleMemory { game, slice, solver, needed, given }
        }
        (None, (solver, reason)) => SolveError::Unfit { game, slice, solver, reason },
    })
}

impl<G: Game> Chosen<G> {
    /// As an event of the progress.
    pub(crate) fn choice(&self, task: &SliceTask<'_, G>) -> Choice {
        let fit = all::<G>()
            .into_iter()
            .filter_map(|solver| Some((solver.name(), estimate(solver, task).ok()?.enough?)));
        Choice {
            slice: task.slice,
            solver: self.solver.name(),
            memory: self.estimate.peak,
            work_disk: self.estimate.work_disk,
            tables: self.estimate.tables.min(task.all_tables()),
            all_tables: task.all_tables(),
            fit: fit.collect(),
        }
    }
}

/// The solvers that are fit for a slice, whatever the memory; for the game's usual metric if none
/// is given.
pub fn fit_solvers<G: Game>(game: &G, slice: SliceId, metric: Option<Metric>) -> Vec<SolverName> {
    let options = SolveOptions { metric, ..SolveOptions::new(1, "") };
    let largest = metric_of(game, metric).largest(game.max_score(slice));
    let task = SliceTask { game, slice, top: largest.clamp(0, 127) as u8, options: &options };
    let fit = all::<G>().into_iter().filter(|solver| estimate(*solver, &task).is_ok());
    let mut names: Vec<SolverName> = fit.map(SliceSolver::name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

//! `memory`: whole states in memory, with a count of open moves for each position.

mod codes;
mod plies;
mod rule;
mod settle;
mod states;
mod zeroing;

use std::time::Instant;

use nutcracker_game::{Children, Exits, Game, Metric, SliceView};
use nutcracker_table::TableError;

pub use codes::Codes;
pub use states::States;

use super::{Estimate, Scores, SliceJob, SliceSolver, SliceTask, SolvedSlice};
use crate::error::{SolveError, Unfit};
use crate::exits::{compute_exits, walk_exits};
use crate::options::SolverName;
use crate::progress::{Meter, Phase};
use crate::report::Effort;
use crate::store::disk::WorkFileError;

/// Whole states in memory.
pub(super) struct Counts;

impl<G: Game> SliceSolver<G> for Counts {
    fn name(&self) -> SolverName {
        SolverName::Memory
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        if !task.game.properties().unmoves {
            return Err(Unfit::NoUnmoves);
        }
        if !States::hold(task.top, task.game.max_internal_moves(task.slice)) {
            return Err(Unfit::TooManyMoves);
        }
        let moves = task.game.max_internal_moves(task.slice);
        let states = task.positions() * States::bytes_per_position(task.top, moves);
        let (states, work_disk) = if task.metric().counts_to_zeroing() {
            (zeroing::bytes(task, states), zeroing::disk_bytes(task))
        } else {
            (states, 0)
        };
        let worklists = States::worklist_bytes::<G::View>(task.positions(), task.options.threads);
        let view = task.game.view_bytes(task.slice);
        let memory = Estimate::in_memory(task.overhead() + states + worklists + view);
        Ok(Estimate { work_disk, ..memory })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let started = Instant::now();
        let SliceTask { game, slice, top, options } = job.task;
        let metric = job.task.metric();
        if metric.counts_to_zeroing() {
            if !G::HAS_ZEROING {
                return Err(job.unfit(SolverName::Memory, Unfit::NoZeroing));
            }
            return zeroing::solve(job, metric);
        }
        let view = game.view(slice);
        let states = States::new(view.len(), top, game.max_internal_moves(slice))?;
        {
            let set = job.open_set();
            enter(job, &view, metric, &job.children(&set), &states)?;
            // The fixpoint reads no files: the cache is released first.
        }
        let exit_time = started.elapsed();
        if metric.is_distance() {
            if states.settle_distances(&view, options.threads, job.progress)? {
                return Err(job.too_far());
            }
        } else {
            states.settle(&view, options.threads, job.progress)?;
        }
        job.stop_if_requested()?;
        Ok(SolvedSlice { scores: Box::new(states), effort: Effort::default(), exit_time })
    }
}

/// Enters the exits of all positions of a slice.
fn enter<G: Game, C: Children<Error = TableError> + Sync>(
    job: &SliceJob<'_, G>,
    view: &G::View,
    metric: Metric,
    children: &C,
    states: &States,
) -> Result<(), SolveError> {
    if view.walks() == 0 {
        return enter_with(job, view, metric, children, |start, run| {
            states.enter(start, run);
            Ok(())
        });
    }
    let meter = Meter::begin(job.progress, Phase::Exits, view.len());
    let enter = |index, exits| {
        if metric.is_distance() && exits == Exits::TOO_FAR {
            return Err(job.too_far());
        }
        states.enter_one(index, exits);
        Ok::<(), SolveError>(())
    };
    let threads = job.task.options.threads;
    walk_exits(view, metric, children, threads, &meter, |index| states.prefetch(index), enter)?;
    meter.finish();
    Ok(())
}

/// Computes the exits of all positions of a slice.
fn enter_with<G: Game, C: Children<Error = TableError> + Sync>(
    job: &SliceJob<'_, G>,
    view: &G::View,
    metric: Metric,
    children: &C,
    put: impl Fn(u64, &[Exits]) -> Result<(), SolveError> + Sync,
) -> Result<(), SolveError> {
    let parts: Vec<u64> = (0..view.parts()).collect();
    let meter = Meter::begin(job.progress, Phase::Exits, view.len());
    let threads = job.task.options.threads;
    compute_exits(view, metric, children, &parts, threads, &meter, |start, run| {
        if metric.is_distance() && run.contains(&Exits::TOO_FAR) {
            return Err(job.too_far());
        }
        put(start, run)?;
        Ok::<u64, SolveError>(run.len() as u64)
    })?;
    meter.finish();
    Ok(())
}

impl Scores for States {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        self.scores(start, out);
        Ok(())
    }
}

//! `memory`: whole states in memory, with a count of open moves for each position.

mod states;

use std::time::Instant;

use nutcracker_game::{Children, Exits, Game, Metric, SliceId, SliceView};
use nutcracker_table::TableError;

pub use states::{Codes, States};

use super::{Estimate, Scores, SliceJob, SliceSolver, SliceTask, SolvedSlice};
use crate::error::{SolveError, Unfit};
use crate::exits::compute_exits;
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
        if !States::hold(task.top, task.game.max_moves(task.slice)) {
            return Err(Unfit::TooManyMoves);
        }
        let states = task.positions()
            * States::bytes_per_position(task.top, task.game.max_moves(task.slice));
        // Who wins is found before the distances, and kept for them.
        let winners = match task.metric() {
            Metric::Dtz => {
                let moves = task.game.max_moves(task.slice);
                task.positions() * States::bytes_per_position(1, moves)
            }
            _ => 0,
        };
        let worklists = States::worklist_bytes::<G::View>(task.positions(), task.options.threads);
        let view = task.game.view_bytes(task.slice);
        Ok(Estimate::in_memory(task.overhead() + states + winners + worklists + view))
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let started = Instant::now();
        let SliceTask { game, slice, top, options } = job.task;
        let metric = job.task.metric();
        let mut view = game.view(slice);
        let states = States::new(view.len(), top, game.max_moves(slice))?;
        {
            let set = job.open_set();
            let children = job.children(&set);
            if metric == Metric::Dtz {
                let winners = States::new(view.len(), 1, game.max_moves(slice))?;
                enter(job, &view, Metric::Wdl, &Winners(&children), &winners)?;
                winners.settle(&view, options.threads, job.progress)?;
                job.stop_if_requested()?;
                view = game
                    .zeroing_view(slice)
                    .ok_or_else(|| job.unfit(SolverName::Memory, Unfit::NoZeroing))?;
                let children = WithOwn { children: &children, slice, winners: &winners };
                enter(job, &view, metric, &children, &states)?;
            } else {
                enter(job, &view, metric, &children, &states)?;
            }
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
    let parts: Vec<u64> = (0..view.parts()).collect();
    let meter = Meter::begin(job.progress, Phase::Exits, view.len());
    let threads = job.task.options.threads;
    compute_exits(view, metric, children, &parts, threads, &meter, |start, run| {
        if metric.is_distance() && run.contains(&Exits::TOO_FAR) {
            return Err(job.too_far());
        }
        states.enter(start, run);
        Ok::<u64, SolveError>(run.len() as u64)
    })?;
    meter.finish();
    Ok(())
}

/// Who wins positions whose distances are given.
struct Winners<'a, C>(&'a C);

impl<C: Children> Children for Winners<'_, C> {
    type Error = C::Error;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), C::Error> {
        self.0.read(slice, start, out)?;
        for value in out {
            *value = value.signum();
        }
        Ok(())
    }
}

/// Finished slices, and who wins in the slice itself.
struct WithOwn<'a, C> {
    children: &'a C,
    slice: SliceId,
    winners: &'a States,
}

impl<C: Children> Children for WithOwn<'_, C> {
    type Error = C::Error;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), C::Error> {
        if slice != self.slice {
            return self.children.read(slice, start, out);
        }
        self.winners.scores(start, out);
        Ok(())
    }
}

impl Scores for States {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        self.scores(start, out);
        Ok(())
    }
}

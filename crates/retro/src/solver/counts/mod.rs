//! `memory`: whole states in memory, with a count of open moves for each position.

mod states;

use std::time::Instant;

use nutcracker_game::{Exits, Game, SliceView};

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
        let worklists = States::worklist_bytes::<G::View>(task.positions(), task.options.threads);
        let view = task.game.view_bytes(task.slice);
        Ok(Estimate::in_memory(task.overhead() + states + worklists + view))
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let started = Instant::now();
        let SliceTask { game, slice, top, options } = job.task;
        let view = game.view(slice);
        let metric = job.task.metric();
        let states = States::new(view.len(), top, game.max_moves(slice))?;
        {
            let set = job.open_set();
            let parts: Vec<u64> = (0..view.parts()).collect();
            let meter = Meter::begin(job.progress, Phase::Exits, view.len());
            let children = job.children(&set);
            compute_exits(
                &view,
                metric,
                &children,
                &parts,
                options.threads,
                &meter,
                |start, run| {
                    if metric.is_distance() && run.contains(&Exits::TOO_FAR) {
                        return Err(job.too_far());
                    }
                    states.enter(start, run);
                    Ok::<u64, SolveError>(run.len() as u64)
                },
            )?;
            meter.finish();
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

impl Scores for States {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        self.scores(start, out);
        Ok(())
    }
}

//! `rows` where a position has two bounds, all in memory.
//!
//! Rows are scanned as for scores: a position whose mover forces the level counts as won there, one
//! whose opponent does as lost, and each leads to the other one move earlier. But here a position can
//! be both, so each has its own undecided bits and its own score, and levels go down to the least.

mod places;
mod states;

use std::time::Instant;

use nutcracker_game::{Game, RowMoves};

use self::states::BoundStates;
use super::{row_moves_of, slowdown, unfit, worthwhile};
use crate::child_bounds::ChildBounds;
use crate::error::{SolveError, Unfit};
use crate::options::SolverName;
use crate::parallel::for_each_until_stopped;
use crate::plies::PlainPlies;
use crate::progress::{Meter, Phase};
use crate::report::Effort;
use crate::solver::{Estimate, SliceJob, SliceSolver, SliceTask, SolvedSlice};
use crate::upper_files::UpperFiles;

/// Positions whose exits a thread computes at a time.
const CHUNK: u64 = 1 << 13;

/// Whole rows of two bounds.
pub(in crate::solver) struct BoundRows;

/// Bytes without bounds of smaller slices.
fn needed<G: Game>(task: &SliceTask<'_, G>, row_moves: &dyn RowMoves) -> u64 {
    task.overhead() + BoundStates::bytes(row_moves, task.top, task.options.threads)
}

impl<G: Game> SliceSolver<G> for BoundRows {
    fn name(&self) -> SolverName {
        SolverName::Rows
    }

    fn finds_bounds(&self) -> bool {
        true
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        if !G::HAS_BOUNDS {
            return Err(Unfit::OneScore);
        }
        let row_moves = row_moves_of(task)?;
        if task.options.rows.budget.is_some() {
            return Err(Unfit::TwoBoundsStreamed);
        }
        let least = needed(task, &*row_moves);
        // Bounds of smaller slices are probed where they do not fit, which is much slower.
        let bytes = least + ChildBounds::bytes(task.game, task.slice);
        Ok(Estimate {
            least,
            enough: worthwhile(task).then_some(bytes),
            peak: bytes.min(task.options.memory.max(least)),
            slowdown: slowdown(task.positions()),
            ..Estimate::in_memory(bytes)
        })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let SliceTask { game, slice, top, options } = job.task;
        if !G::HAS_BOUNDS {
            return Err(unfit(&job.task, Unfit::OneScore));
        }
        let row_moves = row_moves_of(&job.task).map_err(|reason| unfit(&job.task, reason))?;
        let started = Instant::now();
        let states = BoundStates::new(&*row_moves, top, options.rows.portable)?;
        let positions = job.task.positions();
        let files = UpperFiles::new(job);
        {
            let (set, plies) = (job.open_set(), PlainPlies(game));
            let memory = options.memory.saturating_sub(needed(&job.task, &*row_moves));
            let (threads, progress) = (options.threads, job.progress);
            let children = ChildBounds::new(
                (game, slice),
                &plies,
                &set,
                Some(&files),
                memory,
                threads,
                progress,
            );
            let meter = Meter::begin(job.progress, Phase::Exits, positions);
            for_each_until_stopped(positions, CHUNK, options.threads, job.progress, |range| {
                let mut exits = Vec::new();
                children.exits(slice, range.clone(), &mut exits)?;
                states.enter(range.start, &exits);
                meter.add(range.end - range.start);
                Ok::<(), SolveError>(())
            })?;
            meter.finish();
        }
        let exit_time = started.elapsed();
        let rows = states.settle(positions, options.threads, job.progress)?;
        job.stop_if_requested()?;
        files.write(slice.0, options.threads, |start, out| states.upper(start, out))?;
        let effort = Effort { rows, ..Effort::default() };
        Ok(SolvedSlice { scores: Box::new(states), effort, exit_time })
    }
}

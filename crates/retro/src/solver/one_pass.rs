//! `one-pass`: slices in which no position repeats.
//!
//! Where no move stays inside, the exits are the values. Positions with internal moves wait
//! until the pass is over; then each is settled after its successors.

use std::time::Instant;

use nutcracker_game::{Children, Exits, Game, SliceView, is_internal};
use nutcracker_mem::Packed;
use nutcracker_table::TableError;

use super::{Estimate, Scores, SliceJob, SliceSolver, SliceTask, SolvedSlice};
use crate::error::{SolveError, Unfit};
use crate::exits::compute_exits;
use crate::options::SolverName;
use crate::progress::{Meter, Phase};
use crate::report::Effort;
use crate::store::disk::WorkFileError;

/// One pass over a slice without cycles.
pub(super) struct OnePass;

/// A position whose internal successors are to be settled first; less than every value.
const PENDING: i8 = i8::MIN;

impl<G: Game> SliceSolver<G> for OnePass {
    fn name(&self) -> SolverName {
        SolverName::OnePass
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        if !task.game.is_acyclic(task.slice) {
            return Err(Unfit::Cyclic);
        }
        let view = task.game.view_bytes(task.slice);
        Ok(Estimate::in_memory(task.overhead() + task.positions() + view))
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let started = Instant::now();
        let SliceTask { game, slice, top, options } = job.task;
        let (view, metric, top) = (game.view(slice), job.task.metric(), top as i8);
        let values = Packed::<8>::zeroed(view.len())?;
        let set = job.open_set();
        let parts: Vec<u64> = (0..view.parts()).collect();
        let meter = Meter::begin(job.progress, Phase::Exits, view.len());
        let children = job.children(&set);
        compute_exits(&view, metric, &children, &parts, options.threads, &meter, |start, run| {
            if run.contains(&Exits::TOO_FAR) {
                return Err(job.too_far());
            }
            let value = |exits: &Exits| match exits.internal {
                0 => exits.best.clamp(-top, top),
                _ => PENDING,
            };
            values.fill(start, run.iter().map(|exits| u64::from(value(exits) as u8)));
            Ok::<u64, SolveError>(run.len() as u64)
        })?;
        meter.finish();
        let pass = Pass { job, values: &values, children: &children };
        for index in 0..values.len() {
            if values.get(index) as u8 as i8 == PENDING {
                pass.settle(index)?;
            }
        }
        let (scores, exit_time) = (Box::new(values), started.elapsed());
        Ok(SolvedSlice { scores, effort: Effort::default(), exit_time })
    }
}

/// What settles the positions with internal moves.
struct Pass<'a, G, C> {
    job: &'a SliceJob<'a, G>,
    values: &'a Packed<8>,
    children: &'a C,
}

impl<G: Game, C: Children<Error = TableError>> Pass<'_, G, C> {
    /// Settles a position, after all it depends on.
    fn settle(&self, index: u64) -> Result<(), SolveError> {
        let SliceTask { game, slice, .. } = self.job.task;
        let mut open = vec![index];
        while let Some(&index) = open.last() {
            let before = open.len();
            let value = self.value(index, &mut open)?;
            if let Some(value) = value {
                self.values.fill(index, [u64::from(value as u8)].into_iter());
                open.pop();
            } else if open.len() == before || open[..before].contains(&open[before]) {
                let (game, slice) = (game.id().to_string(), game.slice_name(slice));
                return Err(SolveError::Cycle { game, slice });
            }
        }
        Ok(())
    }

    /// The value of a position; `None` if a successor is not settled, which is appended to `open`.
    fn value(&self, index: u64, open: &mut Vec<u64>) -> Result<Option<i8>, SolveError> {
        let SliceTask { game, slice, top, .. } = self.job.task;
        let metric = self.job.task.metric();
        let position = game.unrank(slice, index).expect("a hole has no moves");
        let mut steps = Vec::new();
        if let Some(outcome) = game.expand(&position, &mut steps) {
            return Ok(Some(metric.over(outcome) as i8));
        }
        // A distance too large to store is less than a draw and more than every other loss.
        let mut best = (i16::MIN, false);
        for step in &steps {
            let (to, rank) = (game.slice_of(&step.next), game.rank(&step.next));
            let next = if is_internal(game, slice, step) {
                match self.values.get(rank) as u8 as i8 {
                    PENDING => {
                        open.push(rank);
                        return Ok(None);
                    }
                    value => value.into(),
                }
            } else {
                self.children.score(to, rank)?
            };
            let value = metric.value(step, next);
            best = best.max((value, !metric.is_too_far(value, next)));
        }
        match best {
            (0, false) => Err(self.job.too_far()),
            (best, _) => Ok(Some(best.clamp(-i16::from(top), i16::from(top)) as i8)),
        }
    }
}

impl Scores for Packed<8> {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        for (index, value) in (start..).zip(out) {
            *value = self.get(index) as u8 as i8;
        }
        Ok(())
    }
}

//! Distances to zeroing moves: `dtz`, and those under a rule of moves.
//!
//! After a zeroing move only the winner matters, and the move may stay in the slice. So the winners
//! are found first, then the distances. For `dtz` where no such move stays, only exits differ from
//! those of other distances.

use std::time::Instant;

use nutcracker_game::{Children, Game, Metric, Score, SliceId, SliceView};

use super::{States, enter, rule};
use crate::error::SolveError;
use crate::report::Effort;
use crate::solver::{SliceJob, SliceTask, SolvedSlice};
use crate::tables::SetChildren;

/// Bytes of all states, where one state for each position takes this many.
pub(super) fn bytes<G: Game>(task: &SliceTask<'_, G>, states: u64) -> u64 {
    let SliceTask { game, slice, .. } = *task;
    match task.metric() {
        Metric::Dtz if game.zeroing_view(slice).is_none() => states,
        _ => {
            let len = task.positions();
            let winners = len * States::bytes_per_position(1, game.max_internal_moves(slice));
            // Under a rule there are two views, all un-moves and those that do not zero.
            let views = game.view_bytes(slice) + game.forward_bytes(slice);
            rule::bytes(len, winners) + views
        }
    }
}

/// Bytes of work files.
pub(super) fn disk_bytes<G: Game>(task: &SliceTask<'_, G>) -> u64 {
    rule::disk_bytes(task.positions(), task.metric())
}

/// Solves a slice for a metric that counts to zeroing moves.
pub(super) fn solve<G: Game>(
    job: &SliceJob<'_, G>,
    metric: Metric,
) -> Result<SolvedSlice, SolveError> {
    let started = Instant::now();
    let SliceTask { game, slice, .. } = job.task;
    let set = job.open_set();
    let children = job.children(&set);
    if metric == Metric::Dtz && game.zeroing_view(slice).is_none() {
        return distances(job, &children, started);
    }
    let winners = winners(job, &children)?;
    let exit_time = started.elapsed();
    let scores = rule::solve(job, &children, winners)?;
    Ok(SolvedSlice { scores: Box::new(scores), effort: Effort::default(), exit_time })
}

/// Who wins without a rule inside the slice.
fn winners<G: Game>(
    job: &SliceJob<'_, G>,
    children: &SetChildren<'_>,
) -> Result<States, SolveError> {
    let SliceTask { game, slice, options, .. } = job.task;
    let view = game.view(slice);
    let states = States::new(view.len(), 1, game.max_internal_moves(slice))?;
    enter(job, &view, Metric::Wdl, &Signs(children), &states)?;
    states.settle(&view, options.threads, job.progress)?;
    job.stop_if_requested()?;
    Ok(states)
}

fn distances<G: Game>(
    job: &SliceJob<'_, G>,
    children: &SetChildren<'_>,
    started: Instant,
) -> Result<SolvedSlice, SolveError> {
    let SliceTask { game, slice, top, options } = job.task;
    let view = game.view(slice);
    let states = States::new(view.len(), top, game.max_internal_moves(slice))?;
    enter(job, &view, Metric::Dtz, children, &states)?;
    let exit_time = started.elapsed();
    if states.settle_distances(&view, options.threads, job.progress)? {
        return Err(job.too_far());
    }
    job.stop_if_requested()?;
    Ok(SolvedSlice { scores: Box::new(states), effort: Effort::default(), exit_time })
}

/// Who wins positions whose distances are given.
struct Signs<'a, C>(&'a C);

impl<C: Children> Children for Signs<'_, C> {
    type Error = C::Error;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), C::Error> {
        self.0.read(slice, start, out)?;
        for value in out {
            *value = value.signum();
        }
        Ok(())
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, C::Error> {
        Ok(self.0.score(slice, index)?.signum())
    }
}

/// Values of the slice itself, for its zeroing moves.
type Own<'a> = dyn Fn(u64, &mut [i8]) + Sync + 'a;

/// Finished slices, and values of the slice itself.
pub(super) struct WithOwn<'a, C> {
    pub children: &'a C,
    pub slice: SliceId,
    pub own: &'a Own<'a>,
}

impl<C: Children> Children for WithOwn<'_, C> {
    type Error = C::Error;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), C::Error> {
        if slice != self.slice {
            return self.children.read(slice, start, out);
        }
        (self.own)(start, out);
        Ok(())
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, C::Error> {
        if slice != self.slice {
            return self.children.score(slice, index);
        }
        let mut one = [0];
        (self.own)(index, &mut one);
        Ok(Score::from(one[0]))
    }
}

//! Distances to zeroing moves: `dtz`.
//!
//! After a zeroing move only the winner matters, and the move may stay in the slice. So the winners
//! are found first, then the distances, with zeroing moves as exits that are read. Where no such move
//! stays, only exits differ from those of other distances.

use std::time::Instant;

use nutcracker_game::{Children, Game, Metric, Score, SliceId, SliceView};
use nutcracker_mem::Packed;
use nutcracker_table::TableError;

use super::{States, enter, rule};
use crate::error::SolveError;
use crate::report::Effort;
use crate::solver::{SliceJob, SliceTask, SolvedSlice};
use crate::tables::SetChildren;

/// Bytes of all states, where one state for each position takes this many.
pub(super) fn bytes<G: Game>(task: &SliceTask<'_, G>, states: u64) -> u64 {
    let SliceTask { game, slice, .. } = *task;
    let len = task.positions();
    let stays = game.zeroing_view(slice).is_some();
    let winners = len * States::bytes_per_position(1, game.max_internal_moves(slice));
    match task.metric() {
        Metric::Dtz if stays => winners.max(states) + len / 4,
        Metric::Dtz => states,
        metric => rule::bytes(len, winners, metric, stays),
    }
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
    if metric != Metric::Dtz {
        let winners = winners(job, &children)?;
        let exit_time = started.elapsed();
        let scores = rule::solve(job, &children, &winners)?;
        return Ok(SolvedSlice { scores: Box::new(scores), effort: Effort::default(), exit_time });
    }
    let Some(view) = game.zeroing_view(slice) else {
        let view = game.view(slice);
        return distances(job, &view, &children, started);
    };
    let winners = Winners::of(&winners(job, &children)?, view.len())?;
    let own = |start: u64, out: &mut [i8]| winners.copy(start, out);
    distances(job, &view, &WithOwn { children: &children, slice, own: &own }, started)
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

fn distances<G: Game, C: Children<Error = TableError> + Sync>(
    job: &SliceJob<'_, G>,
    view: &G::View,
    children: &C,
    started: Instant,
) -> Result<SolvedSlice, SolveError> {
    let SliceTask { game, slice, top, options } = job.task;
    let states = States::new(view.len(), top, game.max_internal_moves(slice))?;
    enter(job, view, Metric::Dtz, children, &states)?;
    let exit_time = started.elapsed();
    if states.settle_distances(view, options.threads, job.progress)? {
        return Err(job.too_far());
    }
    job.stop_if_requested()?;
    Ok(SolvedSlice { scores: Box::new(states), effort: Effort::default(), exit_time })
}

/// Who wins each position of a slice, in two bits.
struct Winners(Packed<2>);

impl Winners {
    fn of(states: &States, len: u64) -> Result<Self, SolveError> {
        let packed = Packed::zeroed(len)?;
        states.each_run(len, |start, run| {
            packed.fill(start, run.iter().map(|&score| u64::from(score as u8 & 3)));
        });
        Ok(Winners(packed))
    }

    fn copy(&self, start: u64, out: &mut [i8]) {
        for (index, out) in (start..).zip(out) {
            // 3 is the last two bits of -1.
            *out = [0, 1, 0, -1][self.0.get(index) as usize];
        }
    }
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

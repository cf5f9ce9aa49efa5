//! `sweeps`: forward sweeps in memory until nothing changes.
//!
//! It needs no un-moves, so it solves games without them. It is also simple enough to be trusted,
//! and serves as the reference for the other solvers in tests.

use std::time::Instant;

use nutcracker_game::{Children, Exits, Game, Metric, SliceId, exits_of, is_internal};
use nutcracker_mem::{OutOfMemory, reserve};

use super::{Estimate, Scores, SliceJob, SliceSolver, SliceTask, SolvedSlice};
use crate::error::{SolveError, Unfit};
use crate::options::SolverName;
use crate::progress::{LevelMeter, Meter, Phase, Progress, Silent, Stopped};
use crate::report::{Effort, LevelWork};
use crate::store::disk::WorkFileError;

/// Forward sweeps in memory.
pub(super) struct Sweeps;

/// Bytes a position takes: its best exit, its score or none, and the score in the end.
const BYTES: u64 = (size_of::<i8>() + size_of::<Option<i8>>() + size_of::<i8>()) as u64;

impl<G: Game> SliceSolver<G> for Sweeps {
    fn name(&self) -> SolverName {
        SolverName::Sweeps
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        let bytes = task.overhead() + task.positions() * BYTES;
        let enough = (!task.game.properties().unmoves).then_some(bytes);
        Ok(Estimate { enough, ..Estimate::in_memory(bytes) })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let SliceTask { game, slice, top, .. } = job.task;
        let started = Instant::now();
        let set = job.open_set();
        let metric = job.task.metric();
        let Some(exits) = exits(game, metric, slice, &job.children(&set), job.progress)? else {
            return Err(job.too_far());
        };
        drop(set);
        let exit_time = started.elapsed();
        let Some((mut scores, sweeps)) = sweep(game, metric, slice, &exits, job.progress)? else {
            return Err(job.too_far());
        };
        let top = top as i8;
        for score in &mut scores {
            *score = (*score).clamp(-top, top);
        }
        let effort =
            Effort { levels: LevelWork { sweeps, ..LevelWork::default() }, ..Effort::default() };
        Ok(SolvedSlice { scores: Box::new(scores), effort, exit_time })
    }
}

impl Scores for Vec<i8> {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        out.copy_from_slice(&self[start as usize..start as usize + out.len()]);
        Ok(())
    }
}

/// The scores of a slice, in the order of its index; 0 for holes.
///
/// # Panics
/// If there is not enough memory.
pub fn sweep_slice<G: Game, C: Children>(
    game: &G,
    slice: SliceId,
    children: &C,
) -> Result<Vec<i8>, C::Error> {
    sweep_metric(game, Metric::Score, slice, children)
}

/// The values of a slice by a metric, in the order of its index; 0 for holes.
///
/// # Panics
/// If there is not enough memory, or a distance is too large to store.
pub fn sweep_metric<G: Game, C: Children>(
    game: &G,
    metric: Metric,
    slice: SliceId,
    children: &C,
) -> Result<Vec<i8>, C::Error> {
    let exits = match exits(game, metric, slice, children, &Silent) {
        Ok(exits) => exits.expect("a distance is too large to store"),
        Err(Failure::Children(error)) => return Err(error),
        Err(Failure::Stopped(_) | Failure::Memory(_)) => panic!("there is not enough memory"),
    };
    let Ok(swept) = sweep(game, metric, slice, &exits, &Silent) else {
        panic!("there is not enough memory")
    };
    Ok(swept.expect("a distance is too large to store").0)
}

/// Why the exits are not known.
enum Failure<E> {
    Children(E),
    Stopped(Stopped),
    Memory(OutOfMemory),
}

impl<E> From<Failure<E>> for SolveError
where
    SolveError: From<E>,
{
    fn from(failure: Failure<E>) -> Self {
        match failure {
            Failure::Children(error) => error.into(),
            Failure::Stopped(stopped) => stopped.into(),
            Failure::Memory(error) => error.into(),
        }
    }
}

/// Positions between two checks for a stop.
const STOP_INTERVAL: u64 = 1 << 12;

/// The best exit of every position; `None` if a distance is too large to store.
fn exits<G: Game, C: Children>(
    game: &G,
    metric: Metric,
    slice: SliceId,
    children: &C,
    progress: &dyn Progress,
) -> Result<Option<Vec<i8>>, Failure<C::Error>> {
    let len = game.slice_len(slice);
    let meter = Meter::begin(progress, Phase::Exits, len);
    let mut exits = reserve(len as usize).map_err(Failure::Memory)?;
    let mut steps = Vec::new();
    for index in 0..len {
        if index.is_multiple_of(STOP_INTERVAL) {
            if progress.must_stop() {
                return Err(Failure::Stopped(Stopped));
            }
            meter.reach(index);
        }
        exits.push(match game.unrank(slice, index) {
            Some(position) => {
                let exits = exits_of(game, metric, &position, &mut steps, children)
                    .map_err(Failure::Children)?;
                if exits == Exits::TOO_FAR {
                    return Ok(None);
                }
                exits.best
            }
            None => 0,
        });
    }
    meter.finish();
    Ok(Some(exits))
}

/// The values, and the number of sweeps; `None` if a distance is too large to store.
fn sweep<G: Game>(
    game: &G,
    metric: Metric,
    slice: SliceId,
    exits: &[i8],
    progress: &dyn Progress,
) -> Result<Option<(Vec<i8>, u64)>, SolveError> {
    let len = game.slice_len(slice);
    let top = metric.largest(game.max_score(slice)) as i8;
    // The winner's moves count: a loss is one level below the wins that it rests on.
    let below = i8::from(metric.is_distance());
    let mut too_far = false;
    let meter = LevelMeter::begin(progress, len, u64::from(top.max(0).unsigned_abs()));
    let mut scores: Vec<Option<i8>> = reserve(len as usize)?;
    scores.resize(len as usize, None);
    let mut steps = Vec::new();
    let mut sweeps = 0;
    // Level 0 finds losses that are too far away, where there are distances.
    for level in (1 - below..=top).rev() {
        meter.completed(u64::from((top - level).unsigned_abs()));
        let least_win = i16::from(level) + i16::from(below);
        loop {
            sweeps += 1;
            let mut changed = false;
            for index in 0..len {
                if index.is_multiple_of(STOP_INTERVAL) {
                    if progress.must_stop() {
                        return Err(Stopped.into());
                    }
                    meter.add(STOP_INTERVAL.min(len - index));
                }
                if scores[index as usize].is_some() {
                    continue;
                }
                steps.clear();
                let Some(position) = game.unrank(slice, index) else { continue };
                game.expand(&position, &mut steps);
                let exit = exits[index as usize];
                let mut wins = exit >= level;
                let mut loses = exit <= -level;
                for step in &steps {
                    if !is_internal(game, slice, step) {
                        continue;
                    }
                    let next = scores[game.rank(&step.next) as usize];
                    wins |= next.is_some_and(|score| score <= -level);
                    loses &= next.is_some_and(|score| i16::from(score) >= least_win);
                }
                if level == 0 {
                    too_far |= loses && exit < 0;
                    continue;
                }
                debug_assert!(!(wins && loses));
                if wins || loses {
                    scores[index as usize] = Some(if wins { level } else { -level });
                    changed = true;
                }
            }
            meter.next_pass();
            if !changed {
                break;
            }
        }
    }
    meter.finish();
    let mut out = reserve(len as usize)?;
    out.extend(scores.into_iter().map(|score| score.unwrap_or(0)));
    Ok((!too_far).then_some((out, sweeps)))
}

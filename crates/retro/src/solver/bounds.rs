//! `bounds`: what each side can force where a repetition is worth something, in memory.
//!
//! A position has two values that are settled at different levels: the lower bound of its score,
//! which the mover can force, and the upper one, whose negation the opponent can force. Levels run
//! from the largest score down, and on each
//!
//! - the mover forces it with an exit of that worth, or a move to a position in which the side that
//!   has just moved forces it;
//! - the opponent forces it where all exits and all internal moves of the mover leave that much.
//!
//! What no level settles is worth the least: neither side gets anything from a cycle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use nutcracker_game::{BoundExits, Game, bound_exits};
use nutcracker_mem::Packed;

use super::cluster::{Graph, NextSlice, SliceGraph};
use super::{Estimate, Scores, SliceJob, SliceSolver, SliceTask, SolvedSlice};
use crate::error::{SolveError, Unfit};
use crate::options::SolverName;
use crate::parallel::for_each_until_stopped;
use crate::progress::{LevelMeter, Meter, Phase, Progress};
use crate::report::Effort;
use crate::store::disk::WorkFileError;

/// Both bounds in memory.
pub(super) struct Bounds;

/// Positions a thread takes at a time.
const CHUNK: u64 = 1 << 14;
/// Positions of a worklist; what does not fit is found by another scan.
const WORKLIST: usize = if cfg!(test) { 4 } else { 1 << 20 };
/// Positions whose predecessors are found together.
const BATCH: usize = 64;

impl<G: Game> SliceSolver<G> for Bounds {
    fn name(&self) -> SolverName {
        SolverName::Bounds
    }

    fn finds_bounds(&self) -> bool {
        true
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        if !G::HAS_BOUNDS {
            return Err(Unfit::OneScore);
        }
        if !task.game.properties().unmoves {
            return Err(Unfit::NoUnmoves);
        }
        if task.game.max_internal_moves(task.slice) > u16::from(u8::MAX) {
            return Err(Unfit::TooManyMoves);
        }
        let worklists = (task.options.threads * 2 * WORKLIST * size_of::<u64>()) as u64;
        let states = task.positions() * size_of::<u32>() as u64;
        let view = task.game.view_bytes(task.slice);
        Ok(Estimate::in_memory(task.overhead() + states + worklists + view))
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let SliceTask { game, slice, top, options } = job.task;
        if !G::HAS_BOUNDS {
            let (game, slice) = (game.id().to_string(), job.task.slice_name());
            let (solver, reason) = (SolverName::Bounds, Unfit::OneScore);
            return Err(SolveError::Unfit { game, slice, solver, reason });
        }
        let started = Instant::now();
        let len = job.task.positions();
        let states =
            States { bits: Packed::zeroed(len)?, top: top as i8, exact: AtomicU64::new(0) };
        let set = job.open_set();
        let children = job.children(&set);
        let meter = Meter::begin(job.progress, Phase::Exits, len);
        for_each_until_stopped(len, CHUNK, options.threads, job.progress, |range| {
            for index in range.clone() {
                let Some(position) = game.unrank(slice, index) else { continue };
                states.enter(index, bound_exits(game, &position, &children)?);
            }
            meter.add(range.end - range.start);
            Ok::<(), SolveError>(())
        })?;
        meter.finish();
        drop(set);
        let exit_time = started.elapsed();
        let next = NextSlice { slice, top, rows: false };
        let graph: Arc<dyn SliceGraph> =
            Arc::new(Graph::new(game, job.storage, job.dir, next, options));
        states.settle(&*graph, options.threads, job.progress)?;
        Ok(SolvedSlice { scores: Box::new(states), effort: Effort::default(), exit_time })
    }
}

/// The states of all positions.
struct States {
    bits: Packed<32>,
    /// The largest score.
    top: i8,
    /// Positions whose bounds meet, once all are settled.
    exact: AtomicU64,
}

/// The state of a position: four bytes of one number.
#[derive(Clone, Copy)]
struct State {
    /// What the mover can force, once settled; before, the best exit.
    mover: i8,
    /// What the opponent can force, once settled; before, the least that exits leave.
    other: i8,
    /// Internal moves to positions in which it is not yet known that their mover forces the level.
    open: u8,
    /// Which of the two is settled, and waits to be propagated.
    marks: u8,
}

const MOVER: u8 = 1;
const OTHER: u8 = 2;
const MOVER_WAITS: u8 = 4;
const OTHER_WAITS: u8 = 8;

impl State {
    fn of(bits: u64) -> Self {
        let [mover, other, open, marks, ..] = bits.to_le_bytes();
        State { mover: mover as i8, other: other as i8, open, marks }
    }

    fn bits(self) -> u64 {
        let State { mover, other, open, marks } = self;
        u64::from(u32::from_le_bytes([mover as u8, other as u8, open, marks]))
    }

    /// The state with what the mover can force settled at a level, if it can be.
    fn settle_mover(self, level: i8) -> Option<Self> {
        (self.marks & MOVER == 0).then_some(State {
            mover: level,
            marks: self.marks | MOVER,
            ..self
        })
    }

    /// The same for the opponent.
    fn settle_other(self, level: i8) -> Option<Self> {
        (self.marks & OTHER == 0 && self.open == 0 && self.other >= level).then_some(State {
            other: level,
            marks: self.marks | OTHER,
            ..self
        })
    }
}

/// Newly settled positions of one thread.
#[derive(Default)]
struct Worklists {
    mover: Vec<u64>,
    other: Vec<u64>,
    before: Vec<u64>,
}

impl States {
    fn enter(&self, index: u64, exits: BoundExits) {
        let other = match exits.upper {
            BoundExits::NONE => i8::MAX,
            upper => -upper,
        };
        let open = exits.internal as u8;
        let state = State { mover: exits.lower, other, open, marks: 0 };
        self.bits.set(index, state.bits());
    }

    /// Settles all positions. It is compiled once for all games.
    fn settle(
        &self,
        graph: &dyn SliceGraph,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<(), SolveError> {
        let len = self.bits.len();
        let levels = (i32::from(self.top) * 2).unsigned_abs();
        let meter = LevelMeter::begin(progress, len, levels.into());
        for (done, level) in (1 - self.top..=self.top).rev().enumerate() {
            meter.completed(done as u64);
            loop {
                let waiting = AtomicBool::new(false);
                for_each_until_stopped(len, CHUNK, threads, progress, |range| {
                    let mut work = Worklists::default();
                    for index in range.clone() {
                        self.examine(index, level, &mut work, &waiting);
                        self.propagate(graph, level, &mut work, &waiting);
                    }
                    meter.add(range.end - range.start);
                    Ok::<(), SolveError>(())
                })?;
                meter.next_pass();
                if !waiting.into_inner() {
                    break;
                }
            }
        }
        let least = -self.top;
        for_each_until_stopped(len, CHUNK, threads, progress, |range| {
            let met = range.filter(|&index| {
                let state = State::of(self.bits.get(index));
                let value = |mark, value| if state.marks & mark > 0 { value } else { least };
                value(MOVER, state.mover) == -value(OTHER, state.other)
            });
            self.exact.fetch_add(met.count() as u64, Relaxed);
            Ok::<(), SolveError>(())
        })?;
        meter.finish();
        Ok(())
    }

    /// Settles what exits alone decide, and takes up what waits.
    fn examine(&self, index: u64, level: i8, work: &mut Worklists, waiting: &AtomicBool) {
        let state = State::of(self.bits.get(index));
        if state.marks & MOVER == 0 && state.mover >= level {
            self.settle_mover(index, level, work, waiting);
        }
        if state.marks & OTHER == 0 && state.open == 0 && state.other >= level {
            self.settle_other(index, level, false, work, waiting);
        }
        if state.marks & (MOVER_WAITS | OTHER_WAITS) > 0 {
            let marks = !(MOVER_WAITS | OTHER_WAITS);
            let taken = self.bits.update(index, |bits| {
                let state = State::of(bits);
                Some(State { marks: state.marks & marks, ..state }.bits())
            });
            let taken = taken.map_or(0, |bits| State::of(bits).marks);
            if taken & MOVER_WAITS > 0 {
                work.mover.push(index);
            }
            if taken & OTHER_WAITS > 0 {
                work.other.push(index);
            }
        }
    }

    fn settle_mover(&self, index: u64, level: i8, work: &mut Worklists, waiting: &AtomicBool) {
        let full = work.mover.len() >= WORKLIST;
        let settled = self.bits.update(index, |bits| {
            let state = State::of(bits).settle_mover(level)?;
            let waits = if full { MOVER_WAITS } else { 0 };
            Some(State { marks: state.marks | waits, ..state }.bits())
        });
        if settled.is_some() && full {
            waiting.store(true, Relaxed);
        } else if settled.is_some() {
            work.mover.push(index);
        }
    }

    /// Settles what the opponent can force, if it can be, after one more internal move is known to
    /// lead to a position whose mover forces the level if `after_move`.
    fn settle_other(
        &self,
        index: u64,
        level: i8,
        after_move: bool,
        work: &mut Worklists,
        waiting: &AtomicBool,
    ) {
        let full = work.other.len() >= WORKLIST;
        let mut settled = false;
        self.bits.update(index, |bits| {
            let state = State::of(bits);
            let state = State { open: state.open - u8::from(after_move), ..state };
            let after = state.settle_other(level);
            settled = after.is_some();
            let waits = if settled && full { OTHER_WAITS } else { 0 };
            let state = after.unwrap_or(state);
            Some(State { marks: state.marks | waits, ..state }.bits())
        });
        if settled && full {
            waiting.store(true, Relaxed);
        } else if settled {
            work.other.push(index);
        }
    }

    /// Follows newly settled positions to their predecessors, until none is left.
    fn propagate(
        &self,
        graph: &dyn SliceGraph,
        level: i8,
        work: &mut Worklists,
        waiting: &AtomicBool,
    ) {
        loop {
            let of_mover = !work.mover.is_empty();
            let list = if of_mover { &mut work.mover } else { &mut work.other };
            if list.is_empty() {
                return;
            }
            let batch = list.split_off(list.len().saturating_sub(BATCH));
            let mut before = std::mem::take(&mut work.before);
            before.clear();
            graph.predecessors(&batch, &mut before);
            for &index in &before {
                self.bits.prefetch(index);
            }
            for &index in &before {
                if of_mover {
                    self.settle_other(index, level, true, work, waiting);
                } else {
                    self.settle_mover(index, level, work, waiting);
                }
            }
            work.before = before;
        }
    }
}

impl Scores for States {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        for (index, value) in (start..).zip(out) {
            let state = State::of(self.bits.get(index));
            *value = if state.marks & MOVER > 0 { state.mover } else { -self.top };
        }
        Ok(())
    }

    fn exact(&self) -> Option<u64> {
        Some(self.exact.load(Relaxed))
    }
}

//! `rows`: games of sowing solved by whole rows, up to 64 positions with one instruction.
//!
//! All boards with the same mover's half are a row of bits. A move turns that half into one other
//! half and adds a fixed pattern to the opponent's, which keeps the order: so the decided
//! successors of a row are a part of another row, compressed by a mask. A transposed copy of what
//! is decided, by the opponent's half, makes these rows contiguous.

mod bounds;
mod kernel;
mod layout;
mod memory;
mod shared;
mod streamed;

use std::time::Instant;

use nutcracker_game::{Game, RowMoves, SliceView};

pub(super) use self::bounds::BoundRows;
pub use self::memory::{Exchange, RowStates};
pub use self::shared::SharedRows;
pub(super) use self::shared::bytes as shared_bytes;

use self::kernel::compress::fast_here;
use self::streamed::{Needs, RowFiles, Streaming};
use super::{Estimate, Scores, SliceJob, SliceSolver, SliceTask, SolvedSlice};
use crate::error::{SolveError, Unfit};
use crate::exits::compute_exits;
use crate::options::SolverName;
use crate::progress::{Meter, Phase};
use crate::report::Effort;
use crate::store::disk::WorkFileError;

/// Whole rows, all in memory.
pub(super) struct Rows;
/// Whole rows, streamed from disk.
pub(super) struct StreamedRows;

/// Slices with fewer positions are solved in a moment by any solver, and rows would need tables
/// first.
const LEAST_POSITIONS: u64 = 1 << 18;

/// A slice with more positions than this exceeds every processor's cache and takes longer per
/// position than a small one, by one factor for its exits and another for its fixpoint. Measured
/// with 26 to 36 stones of awari, see `docs/performance.md`.
const OUT_OF_CACHE_POSITIONS: u64 = 1 << 28;
const OUT_OF_CACHE_EXITS: f64 = 1.25;
const OUT_OF_CACHE_FIXPOINT: f64 = 1.5;

/// Bytes a position that streaming reads and writes at one level: of undecided bits and values, and
/// of decided bits if none of them are resident. Measured, see `docs/performance.md`.
const UNDECIDED_MOVED: f64 = 20.0;
const DECIDED_MOVED: f64 = 85.0;

pub(super) fn row_moves_of<G: Game>(task: &SliceTask<'_, G>) -> Result<Box<dyn RowMoves>, Unfit> {
    if task.metric().is_distance() {
        return Err(Unfit::NoDistances);
    }
    task.game.row_moves(task.slice).ok_or(Unfit::NoRows)
}

fn unfit<G: Game>(task: &SliceTask<'_, G>, reason: Unfit) -> SolveError {
    let (game, slice) = (task.game.id().to_string(), task.slice_name());
    SolveError::Unfit { game, slice, solver: SolverName::Rows, reason }
}

/// Whether rows are expected to beat the other solvers here.
fn worthwhile<G: Game>(task: &SliceTask<'_, G>) -> bool {
    task.positions() >= LEAST_POSITIONS && fast_here()
}

pub(super) fn slowdown(positions: u64) -> [f64; 2] {
    if positions > OUT_OF_CACHE_POSITIONS {
        [OUT_OF_CACHE_EXITS, OUT_OF_CACHE_FIXPOINT]
    } else {
        [1.0, 1.0]
    }
}

impl<G: Game> SliceSolver<G> for Rows {
    fn name(&self) -> SolverName {
        SolverName::Rows
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        let row_moves = row_moves_of(task)?;
        if task.options.rows.budget.is_some() {
            return Err(Unfit::Streamed);
        }
        let bytes = task.overhead()
            + RowStates::bytes(&*row_moves, task.top, task.options.threads)
            + task.game.view_bytes(task.slice);
        let enough = worthwhile(task).then_some(bytes);
        let slowdown = slowdown(task.positions());
        Ok(Estimate { enough, slowdown, ..Estimate::in_memory(bytes) })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let started = Instant::now();
        let SliceTask { game, slice, top, options } = job.task;
        let row_moves = row_moves_of(&job.task).map_err(|reason| unfit(&job.task, reason))?;
        let states = RowStates::new(&*row_moves, top, options.rows.portable)?;
        {
            let view = game.view(slice);
            let set = job.open_set();
            let parts: Vec<u64> = (0..view.parts()).collect();
            let meter = Meter::begin(job.progress, Phase::Exits, view.len());
            let children = job.children(&set);
            compute_exits(
                &view,
                job.task.metric(),
                &children,
                &parts,
                options.threads,
                &meter,
                |start, run| {
                    states.enter(start, run);
                    Ok::<u64, SolveError>(run.len() as u64)
                },
            )?;
            meter.finish();
            // The fixpoint needs neither the view nor the cache.
        }
        let exit_time = started.elapsed();
        let rows = states.settle(options.threads, job.progress)?;
        job.stop_if_requested()?;
        let effort = Effort { rows, ..Effort::default() };
        Ok(SolvedSlice { scores: Box::new(states), effort, exit_time })
    }
}

impl StreamedRows {
    /// Bytes for rows and resident blocks.
    fn budget<G: Game>(task: &SliceTask<'_, G>, needs: &Needs) -> u64 {
        // Look-up tables are released before there are rows.
        let left = task.options.memory.saturating_sub(task.overhead() + needs.fixed);
        task.options.rows.budget.unwrap_or(left)
    }

    /// Bytes for the game's look-up tables.
    fn tables<G: Game>(task: &SliceTask<'_, G>, least: u64) -> u64 {
        task.options.memory.saturating_sub(least).min(task.game.view_bytes(task.slice))
    }
}

impl<G: Game> SliceSolver<G> for StreamedRows {
    fn name(&self) -> SolverName {
        SolverName::Rows
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        let row_moves = row_moves_of(task)?;
        let needs = Needs::new(&*row_moves, task.top, task.options.threads);
        let least = task.overhead() + needs.least().max(needs.exits);
        let budget = StreamedRows::budget(task, &needs);
        let resident = Needs::resident_share(&*row_moves, task.top, budget);
        Ok(Estimate {
            least,
            enough: worthwhile(task).then_some(least + task.game.view_bytes(task.slice)),
            peak: least.max((task.overhead() + needs.fixed).saturating_add(budget)),
            tables: u64::MAX,
            work_disk: needs.disk,
            exits_to_disk: false,
            moved: UNDECIDED_MOVED + DECIDED_MOVED * (1.0 - resident),
            slowdown: slowdown(task.positions()),
        })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let task = &job.task;
        let row_moves = row_moves_of(task).map_err(|reason| unfit(task, reason))?;
        let needs = Needs::new(&*row_moves, task.top, task.options.threads);
        let least = task.overhead() + needs.least().max(needs.exits);
        let streaming = Streaming {
            row_moves: &*row_moves,
            top: task.top,
            portable: task.options.rows.portable,
            threads: task.options.threads,
            budget: StreamedRows::budget(task, &needs),
            folder: job.folder(SolverName::Rows),
            resumable: job.resumable(),
        };
        let set = job.open_set();
        let view = || task.game.view_within(task.slice, StreamedRows::tables(task, least));
        let (files, rows, exit_time) = streaming.solve(view, job.children(&set), job.progress)?;
        let effort = Effort { rows, ..Effort::default() };
        Ok(SolvedSlice { scores: Box::new(files), effort, exit_time })
    }
}

impl Scores for RowStates {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        self.scores(start, out);
        Ok(())
    }
}

impl Scores for RowFiles {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        self.scores(start, out)
    }
}

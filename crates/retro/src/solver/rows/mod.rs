//! `rows`: games of sowing solved by whole rows, up to 64 positions with one instruction.
//!
//! All boards with the same mover's half are a row of bits. A move turns that half into one other
//! half and adds a fixed pattern to the opponent's, which keeps the order: so the decided successors
//! of a row are a part of another row, compressed by a mask. A transposed copy of what is decided,
//! by the opponent's half, makes these rows contiguous.

mod kernel;
mod layout;
mod memory;
mod streamed;

use std::time::Instant;

use nutcracker_game::{Game, RowMoves, SliceView};

pub use self::memory::RowStates;

use self::kernel::compress::fast_here;
use self::streamed::{Needs, RowFiles, Streaming};
use super::{Ask, Estimate, Scores, SliceJob, SliceSolver, SolvedSlice};
use crate::error::{SolveError, Unfit};
use crate::exits::compute_exits;
use crate::options::SolverName;
use crate::progress::{Meter, Phase};
use crate::report::Effort;
use crate::store::disk::ScratchError;

/// Whole rows, all in memory.
pub(super) struct Rows;
/// Whole rows, streamed from disk.
pub(super) struct StreamedRows;

/// Slices with fewer positions are solved in a moment by any solver, and rows would need tables
/// first.
const LEAST_POSITIONS: u64 = 1 << 18;

/// A slice with more positions than this fits no processor's cache, and takes longer a position
/// than a small one: in its exits, and in its fixpoint. Measured with 26 to 36 stones of
/// awari, see `docs/performance.md`.
const OUT_OF_CACHE_POSITIONS: u64 = 1 << 28;
const OUT_OF_CACHE_CONVERSIONS: f64 = 1.25;
const OUT_OF_CACHE_FIXPOINT: f64 = 1.5;

/// Bytes a position that streaming reads and writes at one level: of undecided bits and values, and
/// of decided bits if none of them are resident. Measured, see `docs/performance.md`.
const UNDECIDED_MOVED: f64 = 20.0;
const DECIDED_MOVED: f64 = 85.0;

fn row_moves_of<G: Game>(ask: &Ask<'_, G>) -> Result<Box<dyn RowMoves>, Unfit> {
    if ask.metric().is_distance() {
        return Err(Unfit::NoDistances);
    }
    ask.game.row_moves(ask.slice).ok_or(Unfit::NoRows)
}

fn unfit<G: Game>(ask: &Ask<'_, G>, reason: Unfit) -> SolveError {
    let (game, slice) = (ask.game.id().to_string(), ask.slice_name());
    SolveError::Unfit { game, slice, solver: SolverName::Rows, reason }
}

/// Whether rows are expected to beat the other solvers here.
fn worthwhile<G: Game>(ask: &Ask<'_, G>) -> bool {
    ask.positions() >= LEAST_POSITIONS && fast_here()
}

fn slowdown(positions: u64) -> [f64; 2] {
    if positions > OUT_OF_CACHE_POSITIONS {
        [OUT_OF_CACHE_CONVERSIONS, OUT_OF_CACHE_FIXPOINT]
    } else {
        [1.0, 1.0]
    }
}

impl<G: Game> SliceSolver<G> for Rows {
    fn name(&self) -> SolverName {
        SolverName::Rows
    }

    fn estimate(&self, ask: &Ask<'_, G>) -> Result<Estimate, Unfit> {
        let row_moves = row_moves_of(ask)?;
        if ask.options.rows.budget.is_some() {
            return Err(Unfit::Streamed);
        }
        let bytes = ask.overhead()
            + RowStates::bytes(&*row_moves, ask.top, ask.options.threads)
            + ask.game.view_bytes(ask.slice);
        let enough = worthwhile(ask).then_some(bytes);
        let slowdown = slowdown(ask.positions());
        Ok(Estimate { enough, slowdown, ..Estimate::in_memory(bytes) })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let started = Instant::now();
        let Ask { game, slice, top, options } = job.ask;
        let row_moves = row_moves_of(&job.ask).map_err(|reason| unfit(&job.ask, reason))?;
        let states = RowStates::new(&*row_moves, top, options.rows.portable)?;
        {
            let view = game.view(slice);
            let set = job.open_set();
            let parts: Vec<u64> = (0..view.parts()).collect();
            let meter = Meter::begin(job.progress, Phase::Exits, view.len());
            let children = job.children(&set);
            compute_exits(
                &view,
                job.ask.metric(),
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
    fn budget<G: Game>(ask: &Ask<'_, G>, needs: &Needs) -> u64 {
        // Look-up tables are released before there are rows.
        let left = ask.options.memory.saturating_sub(ask.overhead() + needs.fixed);
        ask.options.rows.budget.unwrap_or(left)
    }

    /// Bytes for the game's look-up tables.
    fn tables<G: Game>(ask: &Ask<'_, G>, least: u64) -> u64 {
        ask.options.memory.saturating_sub(least).min(ask.game.view_bytes(ask.slice))
    }
}

impl<G: Game> SliceSolver<G> for StreamedRows {
    fn name(&self) -> SolverName {
        SolverName::Rows
    }

    fn estimate(&self, ask: &Ask<'_, G>) -> Result<Estimate, Unfit> {
        let row_moves = row_moves_of(ask)?;
        let needs = Needs::new(&*row_moves, ask.top, ask.options.threads);
        let least = ask.overhead() + needs.least().max(needs.exits);
        let budget = StreamedRows::budget(ask, &needs);
        let resident = Needs::resident_share(&*row_moves, ask.top, budget);
        Ok(Estimate {
            least,
            enough: worthwhile(ask).then_some(least + ask.game.view_bytes(ask.slice)),
            peak: least.max((ask.overhead() + needs.fixed).saturating_add(budget)),
            tables: u64::MAX,
            work_disk: needs.disk,
            exits_to_disk: false,
            moved: UNDECIDED_MOVED + DECIDED_MOVED * (1.0 - resident),
            slowdown: slowdown(ask.positions()),
        })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let ask = &job.ask;
        let row_moves = row_moves_of(ask).map_err(|reason| unfit(ask, reason))?;
        let needs = Needs::new(&*row_moves, ask.top, ask.options.threads);
        let least = ask.overhead() + needs.least().max(needs.exits);
        let streaming = Streaming {
            row_moves: &*row_moves,
            top: ask.top,
            portable: ask.options.rows.portable,
            threads: ask.options.threads,
            budget: StreamedRows::budget(ask, &needs),
            folder: job.folder(SolverName::Rows),
            resumable: job.resumable(),
        };
        let set = job.open_set();
        let view = || ask.game.view_within(ask.slice, StreamedRows::tables(ask, least));
        let (files, rows, exit_time) = streaming.solve(view, job.children(&set), job.progress)?;
        let effort = Effort { rows, ..Effort::default() };
        Ok(SolvedSlice { scores: Box::new(files), effort, exit_time })
    }
}

impl Scores for RowStates {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), ScratchError> {
        self.scores(start, out);
        Ok(())
    }
}

impl Scores for RowFiles {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), ScratchError> {
        self.scores(start, out)
    }
}

//! `two-bit`, `two-bit-sweeps`, `one-bit`, `dual-index`: the level method with one or two bits a
//! position in memory, and the rest in work files. See [`pass`] for the method.
//!
//! | solver | random side | sequential side | spreads by |
//! |---|---|---|---|
//! | two-bit | two bits in memory | the same two bits | un-moves from each new loss at once, or sweeps |
//! | two-bit-sweeps | two bits in memory | the same two bits | sweeps |
//! | one-bit | one bit in memory | two bits on disk | sweeps |
//! | dual-index | one bit through a cache, by the second index | two bits on disk | sweeps |

mod bounds;
mod changes;
mod follow;
mod pass;
mod run;
mod support;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use nutcracker_game::{ForwardView, Game, SliceView};

pub(super) use self::bounds::TwoBitBounds;
use self::changes::Changes;
use self::follow::Follow;
use self::run::{LevelRun, Spreading};
use super::{Estimate, Scores, SliceJob, SliceSolver, SliceTask, SolvedSlice};
use crate::error::{SolveError, Unfit};
use crate::options::{DualIndexOptions, SolverName};
use crate::report::LevelWork;
use crate::store::bits::{OneBit as OneBitStore, TwoBits};
use crate::store::disk::{Bytes, DiskStatuses, WorkFileError};
use crate::store::paged::{Paged, Paging};

type Key<G> = <<G as Game>::View as SliceView>::Key;
type ForwardCursor<G> = <<G as Game>::Forward as ForwardView>::Cursor;

/// Two bits a position in memory; un-moves are followed from each new loss at once.
pub(super) struct TwoBit;
/// Two bits a position in memory; repeated sweeps.
pub(super) struct TwoBitSweeps;
/// One bit a position in memory, two on disk.
pub(super) struct OneBit;
/// One bit a position through a cache, by the second index, and two on disk.
pub(super) struct DualIndex;

/// Work files of every solver here: the support file, and the scores of two levels while one is
/// made from the other.
fn score_files(positions: u64) -> u64 {
    3 * positions
}

/// Work files of the sequential side: of two levels, likewise.
fn side_files(positions: u64) -> u64 {
    2 * DiskStatuses::bytes(positions)
}

/// What a solver takes that has arrays of `own` bytes in memory and `work_disk` bytes of files.
fn estimate<G: Game>(task: &SliceTask<'_, G>, own: u64, work_disk: u64) -> Result<Estimate, Unfit> {
    if task.metric().is_distance() {
        return Err(Unfit::NoDistances);
    }
    if !task.game.properties().unmoves {
        return Err(Unfit::NoUnmoves);
    }
    let least = task.overhead() + Changes::bytes(task.positions()) + own;
    // By the rules everything is several times slower: without all tables, a solver is taken only
    // by request.
    let all_tables = task.all_tables();
    let tables = all_tables.min(task.options.memory.saturating_sub(least));
    Ok(Estimate {
        least,
        enough: Some(least + all_tables),
        peak: least + tables,
        tables,
        work_disk,
        exits_to_disk: true,
        moved: 0.0,
        slowdown: [1.0, 1.0],
    })
}

impl TwoBit {
    /// The most wins on a thread's worklist.
    fn worklist_len<G: Game>(task: &SliceTask<'_, G>) -> usize {
        // A 64th of the memory, at 16 bytes each.
        (task.options.memory / 64 / 16).clamp(1 << 10, 1 << 18) as usize
    }
}

impl<G: Game> SliceSolver<G> for TwoBit {
    fn name(&self) -> SolverName {
        SolverName::TwoBit
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        let positions = task.positions();
        // A worklist grows by doubling.
        let worklist = TwoBit::worklist_len(task).next_power_of_two() * size_of::<Key<G>>();
        let own = positions.div_ceil(4) + (worklist * task.options.threads) as u64;
        estimate(task, own, score_files(positions))
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        LevelRun::new(job, self, u64::MAX)?.solve(|run| {
            let bits = TwoBits::new(run.len)?;
            let left_over = AtomicBool::new(false);
            let follow = Follow::<G> {
                view: run.view,
                forward: run.forward,
                bits: &bits,
                worklist: TwoBit::worklist_len(&job.task),
                left_over: &left_over,
                progress: job.progress,
            };
            let spreading = Spreading {
                resumable: false,
                follow: Some(&|fresh| follow.spread(fresh)),
                must_sweep: &|| left_over.swap(false, Relaxed),
            };
            run.levels(&bits, |_, _| Ok(&bits), &spreading)
        })
    }
}

impl<G: Game> SliceSolver<G> for TwoBitSweeps {
    fn name(&self) -> SolverName {
        SolverName::TwoBitSweeps
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        let positions = task.positions();
        let estimate = estimate(task, positions.div_ceil(4), score_files(positions))?;
        Ok(Estimate { enough: None, ..estimate })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        LevelRun::new(job, self, u64::MAX)?.solve(|run| {
            let bits = TwoBits::new(run.len)?;
            let spreading = Spreading { resumable: false, ..Spreading::SWEEPS };
            run.levels(&bits, |_, _| Ok(&bits), &spreading)
        })
    }
}

impl<G: Game> SliceSolver<G> for OneBit {
    fn name(&self) -> SolverName {
        SolverName::OneBit
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        let positions = task.positions();
        let files = score_files(positions) + side_files(positions);
        estimate(task, positions.div_ceil(8), files)
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        LevelRun::new(job, self, u64::MAX)?.solve(|run| {
            let bits = OneBitStore::new(run.len)?;
            run.levels(
                &bits,
                |level, resumed| run.disk_statuses(level, resumed),
                &Spreading::SWEEPS,
            )
        })
    }
}

impl DualIndex {
    /// The least bytes for cache and strips.
    const LEAST_CACHE: u64 = 1 << 20;

    /// Positions of a strip beside a cache of `cache_bytes`: an eighth of its bits. Two bits of
    /// each are in memory.
    fn strip(cache_bytes: u64) -> u64 {
        cache_bytes.max(512 << 10)
    }

    /// Bytes beyond the least for tables, and for cache and strips: these come first up to half of
    /// the memory, then tables, then the whole of the bits.
    fn split<G: Game>(task: &SliceTask<'_, G>, least: u64) -> (u64, u64) {
        let DualIndexOptions { block_bytes, cache, .. } = task.options.dual_index;
        let budget = task.options.memory.saturating_sub(least);
        let most = (task.positions() / 8 + 2 * block_bytes).min(cache.unwrap_or(u64::MAX));
        let whole = (most + 2 * DualIndex::strip(most) / 8).saturating_sub(DualIndex::LEAST_CACHE);
        let tables = task.all_tables().min(budget.saturating_sub(whole).max(budget / 2));
        (tables, (budget - tables).min(whole))
    }

    fn paging<G: Game>(task: &SliceTask<'_, G>, least: u64) -> Paging {
        let DualIndexOptions { block_bytes, policy, cache } = task.options.dual_index;
        let (_, bytes) = DualIndex::split(task, least);
        // A fifth is for the two strips.
        let cache_bytes = (bytes + DualIndex::LEAST_CACHE) / 5 * 4;
        Paging { block_bytes, cache_bytes: cache_bytes.min(cache.unwrap_or(u64::MAX)), policy }
    }
}

impl<G: Game> SliceSolver<G> for DualIndex {
    fn name(&self) -> SolverName {
        SolverName::DualIndex
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        let positions = task.positions();
        let wins = Paged::file_bytes(positions, task.options.dual_index.block_bytes);
        let files = score_files(positions) + side_files(positions) + wins;
        let estimate = estimate(task, DualIndex::LEAST_CACHE, files)?;
        let (tables, cache) = DualIndex::split(task, estimate.least);
        // It shares what memory there is between tables and cache.
        let enough = Some(estimate.least);
        Ok(Estimate { enough, tables, peak: estimate.least + tables + cache, ..estimate })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let least =
            SliceSolver::<G>::estimate(self, &job.task).map_or(0, |estimate| estimate.least);
        let paging = DualIndex::paging(&job.task, least);
        LevelRun::new(job, self, DualIndex::strip(paging.cache_bytes))?.solve(|run| {
            // Not resumed: it is made from the other files, and begins with zeros.
            run.folder.remove("wins.bin");
            let bytes = Paged::file_bytes(run.len, paging.block_bytes);
            let bits = Paged::new(run.folder.create("wins.bin", bytes)?, run.len, paging)?;
            let statuses = |level, resumed| run.disk_statuses(level, resumed);
            let (scores, work) = run.levels(&bits, statuses, &Spreading::SWEEPS)?;
            Ok((scores, LevelWork { misses: bits.misses(), ..work }))
        })
    }
}

impl Scores for Bytes {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        Bytes::read(self, start, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_in_memory_is_more_on_disk() {
        assert_eq!([score_files(800), side_files(800)], [2400, 400]);
    }
}

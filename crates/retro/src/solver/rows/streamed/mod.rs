//! A slice solved by rows from disk: exits, the levels, and the scores in files.

mod blocks;
mod budget;
mod exits;
mod files;
mod run;

use std::time::{Duration, Instant};

use nutcracker_game::{Children, RowMoves, SliceView};
use nutcracker_table::TableError;

use self::blocks::Blocks;
pub(super) use self::budget::Needs;
pub(super) use self::files::RowFiles;
use self::run::StreamedRun;
use super::kernel::Kernel;
use super::layout::Shape;
use crate::error::SolveError;
use crate::progress::{Meter, Phase, Progress};
use crate::report::RowWork;
use crate::store::folder::Folder;

/// How a slice is streamed.
pub(super) struct Streaming<'a> {
    /// The game's moves.
    pub(super) row_moves: &'a dyn RowMoves,
    /// The largest level.
    pub(super) top: u8,
    /// Whether to avoid special instructions of the processor.
    pub(super) portable: bool,
    /// The number of threads.
    pub(super) threads: usize,
    /// Bytes of memory for rows and resident blocks; at least a tile's are taken.
    pub(super) budget: u64,
    /// Where the work files are.
    pub(super) folder: Folder,
    /// Whether the work is resumed after an interruption.
    pub(super) resumable: bool,
}

impl Streaming<'_> {
    /// Solves the slice: the scores, what was done, and the time the exits took.
    pub(super) fn solve<V: SliceView, C: Children<Error = TableError> + Sync>(
        &self,
        view: impl FnOnce() -> V,
        children: C,
        progress: &dyn Progress,
    ) -> Result<(RowFiles, RowWork, Duration), SolveError> {
        let started = Instant::now();
        if !self.resumable {
            self.folder.clear();
        }
        self.folder.make()?;
        let shape = Shape::new(self.row_moves.pits(), self.row_moves.stones());
        let planes = Kernel::planes(self.top);
        let mut values = Blocks::open(&self.folder, "values", planes + 1, &shape)?;
        let meter = Meter::begin(progress, Phase::Exits, shape.len());
        if !(0..=shape.stones).all(|row_stones| values.has(row_stones)) {
            let view = view();
            for row_stones in 0..=shape.stones {
                if values.has(row_stones) {
                    let block = shape.block(row_stones);
                    meter.add(block.end - block.start);
                } else {
                    self.exits_of_block(&shape, row_stones, &view, &children, &mut values, &meter)?;
                }
            }
        }
        meter.finish();
        drop(children);
        let exit_time = started.elapsed();
        let mut run = StreamedRun::new(self, values, progress)?;
        run.settle()?;
        let work = run.work();
        let StreamedRun { kernel, values, .. } = run;
        Ok((RowFiles { shape: kernel.shape, top: self.top, values }, work, exit_time))
    }
}

//! How a slice is solved by rows from disk: conversions, the levels, and the scores in files.

use std::time::Instant;

use nutcracker_game::{SliceView, Sowing};

use super::RowWork;
use super::blocks::Blocks;
use super::files::RowFiles;
use super::kernel::Kernel;
use super::shape::Shape;
use super::stream::Run;
use crate::conversions::SetChildren;
use crate::progress::{Phase, Progress};
use crate::solve::SolveError;
use crate::store::folder::Folder;

/// How a slice is streamed.
#[derive(Debug)]
pub struct Streaming<'a> {
    /// The game's moves.
    pub sowing: &'a dyn Sowing,
    /// The largest level.
    pub top: u8,
    /// Whether to do without special instructions of the processor.
    pub portable: bool,
    /// Threads at work.
    pub threads: usize,
    /// Bytes of memory for lines and values of rows at work; at least a tile's are taken.
    pub room: u64,
    /// Where the files at work are.
    pub folder: Folder,
    /// Whether the work goes on after an interruption.
    pub lasting: bool,
}

impl Streaming<'_> {
    /// Solves the slice: the scores, what was done, and the seconds of the conversions.
    pub(crate) fn solve<V: SliceView>(
        &self,
        view: impl FnOnce() -> V,
        children: &SetChildren<'_>,
        progress: &dyn Progress,
    ) -> Result<(RowFiles, RowWork, f64), SolveError> {
        let started = Instant::now();
        if !self.lasting {
            self.folder.clear();
        }
        self.folder.make()?;
        let shape = Shape::new(self.sowing.pits(), self.sowing.stones());
        let planes = Kernel::planes(self.top);
        let mut values = Blocks::open(&self.folder, "values", planes + 1, &shape)?;
        progress.begin(Phase::Conversions, shape.len());
        if !(0..=shape.stones).all(|held| values.has(held)) {
            let view = view();
            for held in 0..=shape.stones {
                progress.advance(shape.block(held).start);
                if !values.has(held) {
                    self.conversions(&shape, held, &view, children, &mut values, progress)?;
                }
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        let mut run = Run::new(self, values, progress)?;
        run.settle()?;
        let work = run.work();
        let Run { kernel, values, .. } = run;
        Ok((RowFiles { shape: kernel.shape, top: self.top, values }, work, seconds))
    }
}

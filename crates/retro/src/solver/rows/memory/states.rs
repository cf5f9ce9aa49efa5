//! A slice solved by rows with all its bits in memory.

use std::sync::atomic::Ordering::Relaxed;

use nutcracker_game::{Exits, RowMoves};
use nutcracker_mem::{OutOfMemory, Words};

use super::passes::SINGLES_BELOW;
use super::propagate::Event;
use crate::solver::rows::kernel::clock::Clock;
use crate::solver::rows::kernel::planes::{exit_planes, put, scores};
use crate::solver::rows::kernel::{
    Decided, Kernel, NewlyDecided, OPEN, ScorePlanes, UNDECIDED_WORDS, Undecided,
};
use crate::solver::rows::layout::{EdgeLists, GROUP, Moves, Shape, TILE};

/// A slice while it is solved, and its scores afterwards.
#[derive(Debug)]
pub struct RowStates {
    pub(in crate::solver::rows) kernel: Kernel,
    undecided: Words,
    values: Words,
    decided: Words,
}

impl RowStates {
    /// A slice without exits, to be solved up to ±`top`; `portable` avoids special instructions of
    /// the processor.
    pub fn new(row_moves: &dyn RowMoves, top: u8, portable: bool) -> Result<Self, OutOfMemory> {
        let kernel = Kernel::new(row_moves, top, portable);
        let words = kernel.shape.total_words();
        Ok(RowStates {
            undecided: Words::zeroed(words * UNDECIDED_WORDS)?,
            values: Words::zeroed(words * (Kernel::planes(top) + 1))?,
            decided: Words::zeroed(words * 2)?,
            kernel,
        })
    }

    /// Words of the rows of a slice.
    pub(crate) fn words(row_moves: &dyn RowMoves) -> u64 {
        Shape::new(row_moves.pits(), row_moves.stones()).total_words() as u64
    }

    /// Bytes of memory for a slice solved by `threads` threads.
    pub(crate) fn bytes(row_moves: &dyn RowMoves, top: u8, threads: usize) -> u64 {
        let shape = Shape::new(row_moves.pits(), row_moves.stones());
        let word = (UNDECIDED_WORDS + 2 + Kernel::planes(top) + 1) * size_of::<u64>();
        let rows = (shape.tiles() * TILE) as u64;
        // Events exist twice while they are put together.
        let events = 2 * size_of::<Event>() as u64 * (shape.len() / SINGLES_BELOW);
        let summaries = NewlyDecided::bytes(&shape);
        (shape.total_words() * word) as u64
            + rows * Clock::ROW_BYTES
            + Moves::bytes(&shape, row_moves.pits())
            + EdgeLists::bytes(&shape, row_moves.pits())
            + threads as u64 * events
            + threads as u64 * (GROUP as u64 * NewlyDecided::bytes(&shape) + summaries)
    }

    pub(in crate::solver::rows) fn undecided(&self) -> Undecided<'_> {
        Undecided { words: self.undecided.as_slice(), base: 0 }
    }

    pub(in crate::solver::rows) fn decided(&self) -> Decided<'_> {
        Decided { words: self.decided.as_slice(), base: 0 }
    }

    pub(in crate::solver::rows) fn values(&self) -> ScorePlanes<'_> {
        let planes = Kernel::planes(self.kernel.top);
        ScorePlanes { words: self.values.as_slice(), base: 0, planes }
    }

    /// Writes the scores of the positions of a tile that were decided at a level.
    #[inline]
    pub(crate) fn score_tile(&self, tile: usize, level: u8) {
        let (undecided, values) = (self.undecided(), self.values());
        for word in self.kernel.shape.tile(tile).word_range() {
            self.kernel.score(word, level, undecided, values);
        }
    }

    /// Enters the exits of consecutive positions. Several threads may enter neighbouring runs.
    pub fn enter(&self, start: u64, run: &[Exits]) {
        let (undecided, values) = (self.undecided(), self.values());
        self.kernel.shape.for_each_word(start, run.len(), |word, first, part| {
            let count = part.len();
            let bits = exit_planes(&run[part], self.kernel.top);
            let all = u64::MAX >> (64 - count);
            put(&undecided.at(word)[OPEN], all, first, count);
            let (unscored, planes) = values.at(word);
            put(unscored, all, first, count);
            for (place, bits) in planes.iter().zip(bits) {
                put(place, bits, first, count);
            }
        });
    }

    /// Writes the scores of consecutive positions, once all are settled.
    pub fn scores(&self, start: u64, out: &mut [i8]) {
        let values = self.values();
        self.kernel.shape.for_each_word(start, out.len(), |word, first, part| {
            let (unscored, planes) = values.at(word);
            let planes = planes.iter().map(|bits| bits.load(Relaxed));
            scores(unscored.load(Relaxed), planes, first, self.kernel.top, &mut out[part]);
        });
    }
}

//! A slice solved by rows with all its bits in memory.

use std::sync::atomic::Ordering::Relaxed;

use nutcracker_game::{Exits, Sowing};
use nutcracker_mem::{OutOfMemory, Words};

use super::clock::Clock;
use super::kernel::{Found, Kernel, Known, Lines, Values, line};
use super::passes::FEW;
use super::shape::{GROUP, Shape, TILE};
use super::singles::Singles;
use super::slices::{put, scores, slice_exits};

/// A slice at work.
#[derive(Debug)]
pub struct RowStates {
    pub(super) kernel: Kernel,
    lines: Words,
    values: Words,
    known: Words,
}

impl RowStates {
    /// A slice of which nothing is known, to be solved up to ±`top`; `portable` does without special
    /// instructions of the processor.
    pub fn new(sowing: &dyn Sowing, top: u8, portable: bool) -> Result<Self, OutOfMemory> {
        let kernel = Kernel::new(sowing, top, portable);
        let words = kernel.shape.total_words();
        Ok(RowStates {
            lines: Words::zeroed(words * line::WORDS)?,
            values: Words::zeroed(words * (Kernel::planes(top) + 1))?,
            known: Words::zeroed(words * 2)?,
            kernel,
        })
    }

    /// Bytes of memory for a slice that so many threads work on.
    pub fn bytes(sowing: &dyn Sowing, top: u8, threads: usize) -> u64 {
        let shape = Shape::new(sowing.pits(), sowing.stones());
        let word = (line::WORDS + 2 + Kernel::planes(top) + 1) as u64 * 8;
        // Up to a move a pit.
        let (single, single_row) = Singles::BYTES;
        let row = Clock::BYTES + single_row + sowing.pits() as u64 * (8 + single);
        // Events are there twice while they are put together.
        shape.total_words() as u64 * word
            + (shape.tiles() * TILE) as u64 * row
            + 16 * threads as u64 * (shape.len() / FEW)
            + (GROUP + 1) as u64 * threads as u64 * Found::bytes(&shape)
    }

    pub(super) fn lines(&self) -> Lines<'_> {
        Lines { words: self.lines.as_slice(), base: 0 }
    }

    pub(super) fn known(&self) -> Known<'_> {
        Known { words: self.known.as_slice(), base: 0 }
    }

    pub(super) fn values(&self) -> Values<'_> {
        let planes = Kernel::planes(self.kernel.top);
        Values { words: self.values.as_slice(), base: 0, planes }
    }

    /// Enters the exits of consecutive positions. Several threads may enter neighbouring runs.
    pub fn enter(&self, start: u64, run: &[Exits]) {
        let (lines, values) = (self.lines(), self.values());
        self.kernel.shape.for_each_word(start, run.len(), |word, first, part| {
            let count = part.len();
            let bits = slice_exits(&run[part], self.kernel.top);
            let all = u64::MAX >> (64 - count);
            put(&lines.at(word)[line::OPEN], all, first, count);
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

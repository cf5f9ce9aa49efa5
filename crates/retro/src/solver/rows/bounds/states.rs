//! A slice with two bounds a position, solved by rows with all its bits in memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{BoundExits, RowMoves};
use nutcracker_mem::{OutOfMemory, Words};

use super::places::Places;
use crate::error::SolveError;
use crate::parallel::for_each_until_stopped;
use crate::progress::Progress;
use crate::report::RowWork;
use crate::solver::Scores;
use crate::solver::rows::kernel::planes::{bytes_of, planes_of};
use crate::solver::rows::kernel::scan::MoveSummary;
use crate::solver::rows::kernel::{
    AT_RISK, Decided, Kernel, OPEN, ScorePlanes, UNDECIDED_WORDS, Undecided, add, below, spread,
};
use crate::solver::rows::layout::{Shape, TILE, Tile};
use crate::solver::rows::memory::{RowStates, Settling, settle_all};
use crate::store::disk::WorkFileError;

/// Positions a thread counts at a time.
const CHUNK: u64 = 1 << 14;

/// A slice while it is solved, and its bounds afterwards.
///
/// Of the two words of undecided bits, one has the positions whose mover is not known to force the
/// level. The other has those of which this is not known of the opponent, although exits allow it.
#[derive(Debug)]
pub(super) struct BoundStates {
    kernel: Kernel,
    places: Places,
    undecided: Words,
    decided: Words,
    /// What the mover can force, and what the opponent can.
    forced: [Words; 2],
    /// Which levels are worth an exit, by `level + top`: no other level settles anything.
    worth: [AtomicU64; 4],
    /// Positions whose bounds meet, once all are settled.
    exact: AtomicU64,
}

/// In [`BoundStates::forced`].
const MOVER: usize = 0;
const OTHER: usize = 1;

impl BoundStates {
    /// A slice without exits.
    pub(super) fn new(
        row_moves: &dyn RowMoves,
        top: u8,
        portable: bool,
    ) -> Result<Self, OutOfMemory> {
        let kernel = Kernel::new(row_moves, top, portable);
        let words = kernel.shape.total_words();
        let planes = || Words::zeroed(words * (Kernel::planes(top) + 1));
        Ok(BoundStates {
            places: Places::new(row_moves, &kernel.shape),
            undecided: Words::zeroed(words * UNDECIDED_WORDS)?,
            decided: Words::zeroed(words * 2)?,
            forced: [planes()?, planes()?],
            worth: Default::default(),
            exact: AtomicU64::new(0),
            kernel,
        })
    }

    /// Bytes of memory for a slice solved by `threads` threads.
    pub(super) fn bytes(row_moves: &dyn RowMoves, top: u8, threads: usize) -> u64 {
        let shape = Shape::new(row_moves.pits(), row_moves.stones());
        let second = shape.total_words() * (Kernel::planes(top) + 1) * size_of::<u64>();
        RowStates::bytes(row_moves, top, threads) + second as u64 + Places::bytes(&shape)
    }

    fn planes(&self, side: usize) -> ScorePlanes<'_> {
        let planes = Kernel::planes(self.kernel.top);
        ScorePlanes { words: self.forced[side].as_slice(), base: 0, planes }
    }

    /// Enters the exits of consecutive positions. Several threads may enter neighbouring runs.
    pub(super) fn enter(&self, start: u64, run: &[BoundExits]) {
        let (top, undecided) = (self.kernel.top, self.undecided());
        let code = |value: i8| value.clamp(-(top as i8), top as i8).wrapping_add(top as i8) as u8;
        let mut worth = [0_u64; 4];
        self.places.for_each_word(&self.kernel.shape, start, run.len(), |word, places, part| {
            let mut all = 0;
            let mut codes = [[0; 64]; 2];
            for (place, exits) in places.iter().zip(&run[part]) {
                let bit = place % 64;
                all |= 1 << bit;
                // Without an exit, nothing is forced by one, and nothing is prevented.
                let other = match exits.upper {
                    BoundExits::NONE => top as i8,
                    upper => -upper,
                };
                for (side, value) in [(MOVER, exits.lower), (OTHER, other)] {
                    let code = code(value);
                    codes[side][bit as usize] = code;
                    worth[usize::from(code / 64)] |= 1 << (code % 64);
                }
            }
            undecided.at(word)[OPEN].fetch_or(all, Relaxed);
            for (side, codes) in codes.iter().enumerate() {
                let (unscored, planes) = self.planes(side).at(word);
                unscored.fetch_or(all, Relaxed);
                for (place, bits) in planes.iter().zip(planes_of(codes)) {
                    place.fetch_or(bits, Relaxed);
                }
            }
        });
        for (all, worth) in self.worth.iter().zip(worth) {
            all.fetch_or(worth, Relaxed);
        }
    }

    /// Settles all positions, unless a stop is requested.
    pub(super) fn settle(
        &self,
        positions: u64,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<RowWork, SolveError> {
        let top = self.kernel.top as i8;
        let is_worth = |level: &i8| {
            let code = level.wrapping_add(top) as u8;
            self.worth[usize::from(code / 64)].load(Relaxed) >> (code % 64) & 1 == 1
        };
        let levels = (1 - top..=top).rev().filter(is_worth).collect();
        let work = settle_all(self, levels, threads, progress)?;
        for_each_until_stopped(positions, CHUNK, threads, progress, |range| {
            let (mut lower, mut upper) = ([0; CHUNK as usize], [0; CHUNK as usize]);
            let len = (range.end - range.start) as usize;
            self.read_side(MOVER, range.start, &mut lower[..len]);
            self.upper(range.start, &mut upper[..len]);
            let met =
                lower[..len].iter().zip(&upper[..len]).filter(|(lower, upper)| lower == upper);
            self.exact.fetch_add(met.count() as u64, Relaxed);
            Ok::<(), SolveError>(())
        })?;
        Ok(work)
    }

    /// Scores what a level has settled in a word.
    #[inline(always)]
    fn score(&self, word: usize, level: i8) {
        let pair = self.undecided().at(word);
        let code = level.wrapping_add(self.kernel.top as i8) as u8;
        for side in [MOVER, OTHER] {
            let (unscored, planes) = self.planes(side).at(word);
            let open = unscored.load(Relaxed);
            let newly = match side {
                MOVER => open & !pair[OPEN].load(Relaxed),
                // Of those whose exits allow it, all that do not wait any more.
                _ => open & !pair[AT_RISK].load(Relaxed) & !below(planes, code),
            };
            if newly == 0 {
                continue;
            }
            unscored.store(open & !newly, Relaxed);
            for (plane, bits) in planes.iter().enumerate() {
                let score = spread(code, plane);
                bits.store(bits.load(Relaxed) & !newly | score & newly, Relaxed);
            }
        }
    }

    /// Of the positions of a word without a score, those with an exit of a worth.
    #[inline(always)]
    fn with_exit(&self, side: usize, word: usize, level: i8) -> u64 {
        let code = level.wrapping_add(self.kernel.top as i8) as u8;
        let (unscored, planes) = self.planes(side).at(word);
        let mut found = unscored.load(Relaxed);
        for (plane, bits) in planes.iter().enumerate() {
            if found == 0 {
                return 0;
            }
            found &= !(bits.load(Relaxed) ^ spread(code, plane));
        }
        found
    }

    fn read_side(&self, side: usize, start: u64, out: &mut [i8]) {
        let top = self.kernel.top;
        self.places.for_each_word(&self.kernel.shape, start, out.len(), |word, places, part| {
            let (_, planes) = self.planes(side).at(word);
            let codes = bytes_of(planes.iter().map(|bits| bits.load(Relaxed)));
            for (value, place) in out[part].iter_mut().zip(places) {
                *value = codes[*place as usize % 64].wrapping_sub(top) as i8;
            }
        });
    }

    /// Writes the upper bounds of consecutive positions, once all are settled.
    pub(super) fn upper(&self, start: u64, out: &mut [i8]) {
        self.read_side(OTHER, start, &mut *out);
        for value in out {
            *value = -*value;
        }
    }
}

impl Settling for BoundStates {
    const BOTH: bool = true;

    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn undecided(&self) -> Undecided<'_> {
        Undecided { words: self.undecided.as_slice(), base: 0 }
    }

    fn decided(&self) -> Decided<'_> {
        Decided { words: self.decided.as_slice(), base: 0 }
    }

    fn begin(&self, tile: &Tile, level: i8, before: Option<i8>, summaries: &mut [MoveSummary]) {
        for row in 0..tile.rows {
            for word in 0..tile.words {
                let place = tile.first_word + row * tile.words + word;
                if let Some(before) = before {
                    self.score(place, before);
                }
                summaries[word * TILE + row].any_lost |= self.with_exit(MOVER, place, level);
                let allowed = self.with_exit(OTHER, place, level);
                if allowed != 0 {
                    add(&self.undecided().at(place)[AT_RISK], allowed);
                }
            }
        }
    }

    fn end(&self, tile: usize, last: Option<i8>) {
        for word in self.kernel.shape.tile(tile).word_range() {
            if let Some(last) = last {
                self.score(word, last);
            }
            // What no level has settled is worth the least.
            for side in [MOVER, OTHER] {
                let (unscored, planes) = self.planes(side).at(word);
                let open = unscored.swap(0, Relaxed);
                for bits in planes {
                    bits.store(bits.load(Relaxed) & !open, Relaxed);
                }
            }
        }
    }
}

impl Scores for BoundStates {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        self.read_side(MOVER, start, out);
        Ok(())
    }

    fn exact(&self) -> Option<u64> {
        Some(self.exact.load(Relaxed))
    }
}

//! Memory and disk of a slice that is streamed: what it needs, and how it splits its budget.

use std::cmp::Reverse;
use std::ops::Range;

use nutcracker_game::RowMoves;

use crate::solver::rows::kernel::clock::Clock;
use crate::solver::rows::kernel::{Kernel, NewlyDecided, UNDECIDED_WORDS};
use crate::solver::rows::layout::{Moves, Shape, TILE};

/// Rows get this part of the budget; the rest is for resident blocks of decided positions.
const ROWS_SHARE: u64 = 4;

/// Which tiles are in memory at once, and which blocks of decided positions always.
#[derive(Debug)]
pub(crate) struct RowBudget {
    /// Tiles that are in memory at once, by the stones in their rows' halves.
    pub(crate) parts: Vec<Vec<Range<usize>>>,
    /// Words of the rows of the largest part.
    pub(crate) part: usize,
    /// Move summaries of the tiles of the largest part.
    pub(crate) summaries: usize,
    /// Blocks of decided positions that are always in memory.
    pub(crate) kept: Vec<usize>,
    /// Words of the largest block of the others.
    pub(crate) block: usize,
}

impl RowBudget {
    /// For `budget` bytes besides those of two blocks, and `values` words of values for each word
    /// of the rows.
    pub(crate) fn new(shape: &Shape, budget: u64, values: usize) -> Self {
        let most = (budget / ROWS_SHARE) as usize / (8 * (UNDECIDED_WORDS + 2 + values));
        let parts: Vec<Vec<Range<usize>>> =
            (0..=shape.stones).map(|row_stones| shape.parts(row_stones, most)).collect();
        let words = |tiles: &Range<usize>| {
            let words = tiles.clone().map(|tile| shape.tile(tile).word_range().len());
            words.sum::<usize>()
        };
        let part = parts.iter().flatten().map(words).max().unwrap_or(0);
        let summaries = |tiles: &Range<usize>| tiles.len() * shape.tile(tiles.start).words * TILE;
        let summaries = parts.iter().flatten().map(summaries).max().unwrap_or(0);
        let sizes: Vec<usize> =
            (0..=shape.stones).map(|row_stones| shape.block_words(row_stones).len()).collect();
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let rows = (part * (UNDECIDED_WORDS + values) + summaries * 2) as u64 * 8;
        let left = (budget.saturating_sub(rows) / 16) as usize;
        let (kept, block) = kept(&sizes, 2 * largest + left);
        RowBudget { parts, part, summaries, kept, block }
    }

    /// The share of decided positions that is always in memory.
    pub(crate) fn resident_share(&self, shape: &Shape) -> f64 {
        let kept: usize =
            self.kept.iter().map(|&row_stones| shape.block_words(row_stones).len()).sum();
        kept as f64 / shape.total_words() as f64
    }
}

/// Which blocks of such sizes stay in memory, the largest first, and the largest of the others: of
/// these, two must fit at a time.
fn kept(sizes: &[usize], budget: usize) -> (Vec<usize>, usize) {
    let mut largest_first: Vec<usize> = (0..sizes.len()).collect();
    largest_first.sort_by_key(|&row_stones| Reverse(sizes[row_stones]));
    let other = |kept: usize| largest_first.get(kept).map_or(0, |&row_stones| sizes[row_stones]);
    let mut sum = 0;
    let mut best = 0;
    for kept in 1..=sizes.len() {
        sum += other(kept - 1);
        if sum + 2 * other(kept) <= budget {
            best = kept;
        }
    }
    let block = other(best);
    largest_first.truncate(best);
    (largest_first, block)
}

/// Bytes of memory that streaming needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// Moves, times, decided positions of two blocks, and what threads have to themselves.
    pub(crate) fixed: u64,
    /// Undecided bits, values and summaries of the largest tile.
    tile: u64,
    /// Values of the largest block, while exits are computed.
    pub(crate) exits: u64,
    /// Bytes of work files, one block of which exists twice.
    pub(crate) disk: u64,
}

impl Needs {
    pub(crate) fn new(row_moves: &dyn RowMoves, top: u8, threads: usize) -> Self {
        let shape = Shape::new(row_moves.pits(), row_moves.stones());
        let values = Kernel::planes(top) as u64 + 1;
        let rows = (shape.tiles() * TILE) as u64;
        let block = (0..=shape.stones)
            .map(|row_stones| shape.block_words(row_stones).len())
            .max()
            .unwrap_or(0) as u64;
        let tile = (0..shape.tiles()).map(|tile| shape.tile(tile).words * TILE).max();
        Needs {
            fixed: rows * Clock::ROW_BYTES
                + Moves::bytes(&shape, row_moves.pits())
                + block * 2 * 16
                + threads as u64 * NewlyDecided::bytes(&shape),
            tile: tile.unwrap_or(0) as u64 * 8 * (UNDECIDED_WORDS as u64 + 2 + values),
            exits: block * 8 * values,
            disk: (shape.total_words() as u64 * (UNDECIDED_WORDS as u64 + 2 + values)
                + block * values)
                * 8,
        }
    }

    /// The share of decided positions that stays in memory with such a budget.
    pub(crate) fn resident_share(row_moves: &dyn RowMoves, top: u8, budget: u64) -> f64 {
        let shape = Shape::new(row_moves.pits(), row_moves.stones());
        RowBudget::new(&shape, budget, Kernel::planes(top) + 1).resident_share(&shape)
    }

    /// The least memory.
    pub(crate) fn least(&self) -> u64 {
        self.fixed + self.tile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_are_kept_while_two_others_fit() {
        let sizes = [8, 9, 8, 7];
        assert_eq!(kept(&sizes, 18), (vec![], 9));
        assert_eq!(kept(&sizes, 24), (vec![], 9));
        assert_eq!(kept(&sizes, 25), (vec![1], 8));
        assert_eq!(kept(&sizes, 31), (vec![1], 8));
        // All of them take less than most of them and two others at a time.
        assert_eq!(kept(&sizes, 32), (vec![1, 0, 2, 3], 0));
        assert_eq!(kept(&[], 0), (vec![], 0));
    }
}

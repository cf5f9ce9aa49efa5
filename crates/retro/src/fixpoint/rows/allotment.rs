//! What a slice that is streamed does with its memory.

use std::cmp::Reverse;
use std::ops::Range;

use super::kernel::line;
use super::shape::{Shape, TILE};

/// What part of the room rows at work get; the rest is for what is known.
const ROWS_SHARE: u64 = 4;

/// Which tiles are in memory at once, and which blocks of what is known always.
#[derive(Debug)]
pub(crate) struct Allotment {
    /// Tiles that are in memory at once, by the stones in their rows' halves.
    pub(crate) parts: Vec<Vec<Range<usize>>>,
    /// Words of the rows of the largest part.
    pub(crate) part: usize,
    /// What the tiles of the largest part see.
    pub(crate) sight: usize,
    /// Blocks of what is known that are always in memory.
    pub(crate) kept: Vec<usize>,
    /// Words of the largest block of the others.
    pub(crate) block: usize,
}

impl Allotment {
    /// For so many bytes besides those of two blocks, and so many words of values for each word of
    /// the rows.
    pub(crate) fn new(shape: &Shape, room: u64, values: usize) -> Self {
        let most = (room / ROWS_SHARE) as usize / (8 * (line::WORDS + 2 + values));
        let parts: Vec<Vec<Range<usize>>> =
            (0..=shape.stones).map(|held| shape.parts(held, most)).collect();
        let words = |tiles: &Range<usize>| {
            let words = tiles.clone().map(|tile| shape.tile(tile).word_range().len());
            words.sum::<usize>()
        };
        let part = parts.iter().flatten().map(words).max().unwrap_or(0);
        let sight = |tiles: &Range<usize>| tiles.len() * shape.tile(tiles.start).words * TILE;
        let sight = parts.iter().flatten().map(sight).max().unwrap_or(0);
        let sizes: Vec<usize> =
            (0..=shape.stones).map(|held| shape.block_words(held).len()).collect();
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let rows = (part * (line::WORDS + values) + sight * 2) as u64 * 8;
        let left = (room.saturating_sub(rows) / 16) as usize;
        let (kept, block) = kept(&sizes, 2 * largest + left);
        Allotment { parts, part, sight, kept, block }
    }

    /// The part of what is known that is always in memory.
    pub(crate) fn kept_share(&self, shape: &Shape) -> f64 {
        let kept: usize = self.kept.iter().map(|&held| shape.block_words(held).len()).sum();
        kept as f64 / shape.total_words() as f64
    }
}

/// Which blocks of such sizes stay in memory, the largest first, and the largest of the others: of
/// these, two must fit at a time.
fn kept(sizes: &[usize], room: usize) -> (Vec<usize>, usize) {
    let mut largest_first: Vec<usize> = (0..sizes.len()).collect();
    largest_first.sort_by_key(|&held| Reverse(sizes[held]));
    let other = |kept: usize| largest_first.get(kept).map_or(0, |&held| sizes[held]);
    let mut sum = 0;
    let mut best = 0;
    for kept in 1..=sizes.len() {
        sum += other(kept - 1);
        if sum + 2 * other(kept) <= room {
            best = kept;
        }
    }
    let block = other(best);
    largest_first.truncate(best);
    (largest_first, block)
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

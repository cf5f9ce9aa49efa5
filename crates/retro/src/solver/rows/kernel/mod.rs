//! The level method on whole rows: what is done to a tile of them.
//!
//! Rows of the mover's half *scan* their moves: a lost successor wins, and a position all of whose
//! successors are won may lose. What is newly decided is then *published*: transposed, square by
//! square, into the opponent-major bitmaps that other rows scan. Nothing decided is ever revoked,
//! so tiles may be scanned in any order and by several threads at once: what a scan misses, the
//! next scan of the same row sees.

pub(crate) mod clock;
pub(crate) mod compress;
pub(crate) mod planes;
pub(crate) mod scan;
pub(crate) mod transpose;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::RowMoves;
use nutcracker_mem::prefetch;

use self::scan::MoveSummary;
use self::transpose::transpose;
use super::layout::{Moves, Shape, TILE, Tile};

/// In [`Undecided`]: neither won nor lost so far.
pub(crate) const OPEN: usize = 0;
/// In [`Undecided`], of an open position: its exits are worth a loss at this level or less, so
/// it is lost once all its internal moves lead to won positions. Of a decided one: lost.
pub(crate) const AT_RISK: usize = 1;
/// Words of [`Undecided`] for every word of the rows.
pub(crate) const UNDECIDED_WORDS: usize = 2;

/// Two words for every word of some consecutive rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs<'a> {
    pub(crate) words: &'a [AtomicU64],
    /// Which word of the slice comes first.
    pub(crate) base: usize,
}

impl<'a> Pairs<'a> {
    #[inline(always)]
    pub(crate) fn at(&self, word: usize) -> &'a [AtomicU64; 2] {
        let first = (word - self.base) * 2;
        let words = &self.words[first..first + 2];
        words.try_into().expect("two words")
    }

    /// The part for some words of the rows.
    #[inline(always)]
    pub(crate) fn part(&self, words: Range<usize>) -> Pairs<'a> {
        let within = (words.start - self.base) * 2..(words.end - self.base) * 2;
        Pairs { words: &self.words[within], base: words.start }
    }
}

/// By the mover's half, for 64 positions each: which are [`OPEN`], and which are [`AT_RISK`].
pub(crate) type Undecided<'a> = Pairs<'a>;

/// By the opponent's half, for 64 positions each: which are won, and which are lost.
pub(crate) type Decided<'a> = Pairs<'a>;

/// For 64 positions each: which have no score yet, then the planes of `value + top`, where the
/// value is the best exit's until the position is scored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScorePlanes<'a> {
    pub(crate) words: &'a [AtomicU64],
    /// Which word of the slice comes first.
    pub(crate) base: usize,
    /// Bits of a value.
    pub(crate) planes: usize,
}

impl<'a> ScorePlanes<'a> {
    /// Which positions have no score, and the planes of the values.
    #[inline(always)]
    pub(crate) fn at(&self, word: usize) -> (&'a AtomicU64, &'a [AtomicU64]) {
        let first = (word - self.base) * (self.planes + 1);
        let all = &self.words[first..=first + self.planes];
        (&all[0], &all[1..])
    }

    /// The part for some words of the rows.
    pub(crate) fn part(&self, words: Range<usize>) -> &'a [AtomicU64] {
        let per_word = self.planes + 1;
        &self.words[(words.start - self.base) * per_word..(words.end - self.base) * per_word]
    }
}

pub(crate) fn zeros(len: usize) -> Vec<AtomicU64> {
    (0..len).map(|_| AtomicU64::new(0)).collect()
}

/// Rows prefetched before they are published.
const PREFETCHED_ROWS: usize = 16;

/// Positions of a tile that were decided and not published yet, square by square: won and lost.
#[derive(Debug)]
pub(crate) struct NewlyDecided {
    /// By word of the rows, then by row.
    squares: Vec<[u64; 2]>,
    /// Which squares are not empty.
    touched: Vec<bool>,
}

impl NewlyDecided {
    /// Space for the largest tile.
    pub(crate) fn new(shape: &Shape) -> Self {
        let words = (0..=shape.stones).map(|row_stones| shape.words(row_stones)).max().unwrap_or(0);
        NewlyDecided { squares: vec![[0; 2]; words * TILE], touched: vec![false; words] }
    }

    /// Bytes it takes.
    pub(crate) fn bytes(shape: &Shape) -> u64 {
        let words = (0..=shape.stones).map(|row_stones| shape.words(row_stones)).max().unwrap_or(0);
        (words * (TILE * 16 + 1)) as u64
    }

    fn square(&mut self, word: usize) -> &mut [[u64; 2]; TILE] {
        let rows = &mut self.squares[word * TILE..(word + 1) * TILE];
        rows.try_into().expect("a row each")
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, row: usize, word: usize, won: u64, lost: u64) {
        let [old_won, old_lost] = &mut self.squares[word * TILE + row];
        *old_won |= won;
        *old_lost |= lost;
        self.touched[word] = true;
    }
}

/// A slice's shape and moves.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) shape: Shape,
    pub(crate) moves: Moves,
    pub(crate) top: u8,
    pub(crate) portable: bool,
}

impl Kernel {
    pub(crate) fn new(row_moves: &dyn RowMoves, top: u8, portable: bool) -> Self {
        let shape = Shape::new(row_moves.pits(), row_moves.stones());
        Kernel { moves: Moves::new(&shape, row_moves), shape, top, portable }
    }

    /// The bits of a value between `-top` and `top`, counted from 0.
    pub(crate) fn planes(top: u8) -> usize {
        (u16::from(top) * 2 + 1).next_power_of_two().trailing_zeros().max(1) as usize
    }

    /// Writes the score of the positions of a word that were decided at a level.
    #[inline(always)]
    pub(crate) fn score(
        &self,
        word: usize,
        level: u8,
        undecided: Undecided<'_>,
        values: ScorePlanes<'_>,
    ) {
        let pair = undecided.at(word);
        let (unscored, planes) = values.at(word);
        let open = pair[OPEN].load(Relaxed);
        let newly = unscored.load(Relaxed) & !open;
        if newly == 0 {
            return;
        }
        unscored.store(open, Relaxed);
        let lost = pair[AT_RISK].load(Relaxed);
        let (won_value, lost_value) = (self.top + level, self.top - level);
        for (plane, bits) in planes.iter().enumerate() {
            let score = spread(won_value, plane) & !lost | spread(lost_value, plane) & lost;
            bits.store(bits.load(Relaxed) & !newly | score & newly, Relaxed);
        }
    }

    /// Begins a level in a word: marks positions whose best exit loses at this level as at
    /// risk, and returns those whose best exit wins.
    #[inline(always)]
    fn seed(
        &self,
        word: usize,
        level: u8,
        undecided: Undecided<'_>,
        values: ScorePlanes<'_>,
    ) -> u64 {
        let pair = undecided.at(word);
        let open = pair[OPEN].load(Relaxed);
        if open == 0 {
            return 0;
        }
        let (won_value, lost_value) = (self.top + level, self.top - level);
        let (mut won, mut at_risk) = (open, open);
        for (plane, bits) in values.at(word).1.iter().enumerate() {
            let bits = bits.load(Relaxed);
            won &= !(bits ^ spread(won_value, plane));
            at_risk &= !(bits ^ spread(lost_value, plane));
        }
        if at_risk != 0 {
            add(&pair[AT_RISK], at_risk);
        }
        won
    }

    /// Begins a level in a tile: wins by an exit enter the summaries of its moves.
    pub(crate) fn begin_level(
        &self,
        tile: &Tile,
        level: u8,
        undecided: Undecided<'_>,
        values: ScorePlanes<'_>,
        summaries: &mut [MoveSummary],
    ) {
        for row in 0..tile.rows {
            for word in 0..tile.words {
                let place = tile.first_word + row * tile.words + word;
                summaries[word * TILE + row].any_lost |= self.seed(place, level, undecided, values);
            }
        }
    }

    /// Rebuilds the undecided bits of a tile from its scores, and from what an earlier run decided
    /// if it left `decided` bits here. All that is decided counts as newly decided. Returns how
    /// many positions these are.
    pub(crate) fn restore(
        &self,
        tile: &Tile,
        decided: bool,
        undecided: Undecided<'_>,
        values: ScorePlanes<'_>,
        found: &mut NewlyDecided,
    ) -> u64 {
        let mut count = 0;
        for row in 0..tile.rows {
            for word in 0..tile.words {
                let place = tile.first_word + row * tile.words + word;
                let (pair, (unscored, planes)) = (undecided.at(place), values.at(place));
                let valid = tile.valid(word);
                let unscored = unscored.load(Relaxed);
                let mut lost = valid & !unscored & below(planes, self.top);
                let mut won = valid & !unscored & !lost;
                if decided {
                    let settled = unscored & !pair[OPEN].load(Relaxed);
                    let lost_here = settled & pair[AT_RISK].load(Relaxed);
                    lost |= lost_here;
                    won |= settled & !lost_here;
                }
                pair[OPEN].store(valid & !(won | lost), Relaxed);
                pair[AT_RISK].store(lost, Relaxed);
                if won | lost != 0 {
                    found.add(row, word, won, lost);
                    count += u64::from((won | lost).count_ones());
                }
            }
        }
        count
    }

    /// Marks positions of a tile as at risk whose best exit loses at a level above this one.
    pub(crate) fn mark_at_risk(
        &self,
        tile: &Tile,
        level: u8,
        undecided: Undecided<'_>,
        values: ScorePlanes<'_>,
    ) {
        for word in tile.word_range() {
            let pair = undecided.at(word);
            let at_risk = below(values.at(word).1, self.top - level);
            add(&pair[AT_RISK], at_risk & pair[OPEN].load(Relaxed));
        }
    }

    /// Transposes newly decided positions of consecutive tiles of a block, the first of which is
    /// `tile`, into the opponent-major bitmaps. The tiles share their rows there, in which their
    /// words are neighbours. Calls `changed(row, tile, won, lost)` for every row changed; returns
    /// the number of squares transposed.
    pub(crate) fn publish(
        &self,
        tile: &Tile,
        found: &mut [NewlyDecided],
        decided: Decided<'_>,
        mut changed: impl FnMut(usize, usize, u64, u64),
    ) -> u64 {
        let row_stones = self.shape.stones - tile.row_stones;
        let words = self.shape.words(row_stones);
        let mut squares = 0;
        for word in 0..tile.words {
            let before = squares;
            for found in &mut *found {
                if found.touched[word] {
                    squares += 1;
                    transpose(found.square(word));
                }
            }
            if squares == before {
                continue;
            }
            let first = self.shape.first_word(row_stones) + word * TILE * words + tile.within;
            let first_row = (self.shape.first_tile(row_stones) + word) * TILE;
            // The last rows of a block are fewer than a tile's.
            let rows = (self.shape.rows(row_stones) - word * TILE).min(TILE);
            for row in 0..rows.min(PREFETCHED_ROWS) {
                prefetch(&decided.at(first + row * words)[0]);
            }
            for row in 0..rows {
                if row + PREFETCHED_ROWS < rows {
                    prefetch(&decided.at(first + (row + PREFETCHED_ROWS) * words)[0]);
                }
                for (at, found) in found.iter_mut().enumerate() {
                    if !found.touched[word] {
                        continue;
                    }
                    let [won, lost] = std::mem::take(&mut found.squares[word * TILE + row]);
                    if won | lost != 0 {
                        let pair = decided.at(first + row * words + at);
                        // This word is this tile's alone.
                        add(&pair[0], won);
                        add(&pair[1], lost);
                        changed(first_row + row, at, won, lost);
                    }
                }
            }
            for found in &mut *found {
                found.touched[word] = false;
            }
        }
        squares
    }
}

/// One bit of a number in all 64 places.
#[inline(always)]
pub(crate) fn spread(value: u8, plane: usize) -> u64 {
    (u64::from(value) >> plane & 1).wrapping_neg()
}

/// The positions whose values, given by their planes, are below a bound.
pub(crate) fn below(planes: &[AtomicU64], bound: u8) -> u64 {
    let (mut below, mut equal) = (0, u64::MAX);
    for (plane, bits) in planes.iter().enumerate().rev() {
        let (bits, bound) = (bits.load(Relaxed), spread(bound, plane));
        below |= equal & !bits & bound;
        equal &= !(bits ^ bound);
    }
    below
}

/// Sets bits that no other thread sets now.
#[inline(always)]
pub(crate) fn add(place: &AtomicU64, bits: u64) {
    place.store(place.load(Relaxed) | bits, Relaxed);
}

/// The places of the bits that are set.
pub(crate) struct Bits(pub(crate) u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(at)
    }
}

/// The runs of neighbouring bits that are set.
pub(crate) struct Runs(pub(crate) u64);

impl Iterator for Runs {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = Bits(self.0).next()?;
        let len = (self.0 >> start).trailing_ones() as usize;
        self.0 &= u64::MAX.checked_shl((start + len) as u32).unwrap_or(0);
        Some(start..start + len)
    }
}

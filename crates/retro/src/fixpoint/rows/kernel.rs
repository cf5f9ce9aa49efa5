//! The level method on whole rows: what is done to a tile of them.
//!
//! Rows of the mover's half *look* at what is known of the rows their moves lead to: a loss there
//! wins here, and wins everywhere lose. What they *find* is then *told*, square by square, to where
//! other rows look. Nothing that is known is ever taken back, so that tiles may be worked on in any
//! order and by several threads at once: what one of them misses now, it sees when it looks again.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::Sowing;
use nutcracker_mem::prefetch;

use super::look::Sight;
use super::moves::Moves;
use super::shape::{Shape, TILE, Tile};
use super::transpose::transpose;

/// What is known of 64 positions of a row of the mover's half.
pub(crate) mod line {
    /// Neither won nor lost so far.
    pub(crate) const OPEN: usize = 0;
    /// While open: lost at this level if no internal move is left, for its conversions are no better.
    /// Once settled: lost.
    pub(crate) const BAD: usize = 1;
    /// Words of a line.
    pub(crate) const WORDS: usize = 2;
}

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

    /// What belongs to some words of the rows.
    #[inline(always)]
    pub(crate) fn part(&self, words: Range<usize>) -> Pairs<'a> {
        let within = (words.start - self.base) * 2..(words.end - self.base) * 2;
        Pairs { words: &self.words[within], base: words.start }
    }
}

/// Lines of rows of the mover's half, see [`line`].
pub(crate) type Lines<'a> = Pairs<'a>;

/// By the opponent's half: who has won, and who has lost.
pub(crate) type Known<'a> = Pairs<'a>;

/// For 64 positions each: which have no score yet, then the bits of `value + top`, where the value
/// is the best conversion's until it is the score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    pub(crate) words: &'a [AtomicU64],
    /// Which word of the slice comes first.
    pub(crate) base: usize,
    /// Bits of a value.
    pub(crate) planes: usize,
}

impl<'a> Values<'a> {
    /// Who has no score, and the bits of the values.
    #[inline(always)]
    pub(crate) fn at(&self, word: usize) -> (&'a AtomicU64, &'a [AtomicU64]) {
        let first = (word - self.base) * (self.planes + 1);
        let all = &self.words[first..=first + self.planes];
        (&all[0], &all[1..])
    }

    /// What belongs to some words of the rows.
    pub(crate) fn part(&self, words: Range<usize>) -> &'a [AtomicU64] {
        let per_word = self.planes + 1;
        &self.words[(words.start - self.base) * per_word..(words.end - self.base) * per_word]
    }
}

pub(crate) fn zeros(len: usize) -> Vec<AtomicU64> {
    (0..len).map(|_| AtomicU64::new(0)).collect()
}

/// Rows that are on their way from memory before they are told.
const EARLY: usize = 16;

/// What looking at a tile's rows led to, square by square: who won and who lost.
#[derive(Debug)]
pub(crate) struct Found {
    /// By word of the rows, then by row.
    squares: Vec<[u64; 2]>,
    /// Which squares have anything.
    touched: Vec<bool>,
}

impl Found {
    /// Room for the largest tile.
    pub(crate) fn new(shape: &Shape) -> Self {
        let words = (0..=shape.stones).map(|held| shape.words(held)).max().unwrap_or(0);
        Found { squares: vec![[0; 2]; words * TILE], touched: vec![false; words] }
    }

    /// Bytes it takes.
    pub(crate) fn bytes(shape: &Shape) -> u64 {
        let words = (0..=shape.stones).map(|held| shape.words(held)).max().unwrap_or(0);
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
    pub(crate) fn new(sowing: &dyn Sowing, top: u8, portable: bool) -> Self {
        let shape = Shape::new(sowing.pits(), sowing.stones());
        Kernel { moves: Moves::new(&shape, sowing), shape, top, portable }
    }

    /// The bits of a value between `-top` and `top`, counted from 0.
    pub(crate) fn planes(top: u8) -> usize {
        (u16::from(top) * 2 + 1).next_power_of_two().trailing_zeros().max(1) as usize
    }

    /// Gives the positions of a word that were settled at a level their score.
    #[inline(always)]
    pub(crate) fn score(&self, word: usize, level: u8, lines: Lines<'_>, values: Values<'_>) {
        let line = lines.at(word);
        let (unscored, planes) = values.at(word);
        let open = line[line::OPEN].load(Relaxed);
        let newly = unscored.load(Relaxed) & !open;
        if newly == 0 {
            return;
        }
        unscored.store(open, Relaxed);
        let lost = line[line::BAD].load(Relaxed);
        let (won_value, lost_value) = (self.top + level, self.top - level);
        for (plane, bits) in planes.iter().enumerate() {
            let score = spread(won_value, plane) & !lost | spread(lost_value, plane) & lost;
            bits.store(bits.load(Relaxed) & !newly | score & newly, Relaxed);
        }
    }

    /// Begins a level in a word: notes who has no conversion that is better than a loss, and returns
    /// who wins by one.
    #[inline(always)]
    fn seed(&self, word: usize, level: u8, lines: Lines<'_>, values: Values<'_>) -> u64 {
        let line = lines.at(word);
        let open = line[line::OPEN].load(Relaxed);
        if open == 0 {
            return 0;
        }
        let (won_value, lost_value) = (self.top + level, self.top - level);
        let (mut won, mut bad) = (open, open);
        for (plane, bits) in values.at(word).1.iter().enumerate() {
            let bits = bits.load(Relaxed);
            won &= !(bits ^ spread(won_value, plane));
            bad &= !(bits ^ spread(lost_value, plane));
        }
        if bad != 0 {
            add(&line[line::BAD], bad);
        }
        won
    }

    /// Begins a level in a tile: what conversions say is as if it had been seen.
    pub(crate) fn begin(
        &self,
        tile: &Tile,
        level: u8,
        lines: Lines<'_>,
        values: Values<'_>,
        sight: &mut [Sight],
    ) {
        for row in 0..tile.rows {
            for word in 0..tile.words {
                let place = tile.first_word + row * tile.words + word;
                sight[word * TILE + row][0] |= self.seed(place, level, lines, values);
            }
        }
    }

    /// Makes the lines of a tile from the scores there are, and from what is settled in the lines
    /// themselves if they are `known`. All that is settled is found once more.
    pub(crate) fn restore(
        &self,
        tile: &Tile,
        known: bool,
        lines: Lines<'_>,
        values: Values<'_>,
        found: &mut Found,
    ) {
        for row in 0..tile.rows {
            for word in 0..tile.words {
                let place = tile.first_word + row * tile.words + word;
                let (line, (unscored, planes)) = (lines.at(place), values.at(place));
                let valid = tile.valid(word);
                let unscored = unscored.load(Relaxed);
                let mut lost = valid & !unscored & below(planes, self.top);
                let mut won = valid & !unscored & !lost;
                if known {
                    let settled = unscored & !line[line::OPEN].load(Relaxed);
                    let lost_here = settled & line[line::BAD].load(Relaxed);
                    lost |= lost_here;
                    won |= settled & !lost_here;
                }
                line[line::OPEN].store(valid & !(won | lost), Relaxed);
                line[line::BAD].store(lost, Relaxed);
                if won | lost != 0 {
                    found.add(row, word, won, lost);
                }
            }
        }
    }

    /// Notes in a tile who has no conversion that is better than a loss at a level above this one.
    pub(crate) fn note_bad(&self, tile: &Tile, level: u8, lines: Lines<'_>, values: Values<'_>) {
        for word in tile.word_range() {
            let line = lines.at(word);
            let bad = below(values.at(word).1, self.top - level);
            add(&line[line::BAD], bad & line[line::OPEN].load(Relaxed));
        }
    }

    /// Tells what was found in consecutive tiles of a block, the first of which is `tile`, to the
    /// rows of the opponent's half it is about: these are the same for all the tiles, whose words
    /// are neighbours in them. `about` hears of each row, which tile, who won and who lost. Returns
    /// how many squares were told.
    pub(crate) fn tell(
        &self,
        tile: &Tile,
        found: &mut [Found],
        known: Known<'_>,
        mut about: impl FnMut(usize, usize, u64, u64),
    ) -> u64 {
        let held = self.shape.stones - tile.held;
        let words = self.shape.words(held);
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
            let first = self.shape.first_word(held) + word * TILE * words + tile.within;
            let first_row = (self.shape.first_tile(held) + word) * TILE;
            // The last rows of a block are fewer than a tile's.
            let rows = (self.shape.rows(held) - word * TILE).min(TILE);
            for row in 0..rows.min(EARLY) {
                prefetch(&known.at(first + row * words)[0]);
            }
            for row in 0..rows {
                if row + EARLY < rows {
                    prefetch(&known.at(first + (row + EARLY) * words)[0]);
                }
                for (at, found) in found.iter_mut().enumerate() {
                    if !found.touched[word] {
                        continue;
                    }
                    let [won, lost] = std::mem::take(&mut found.squares[word * TILE + row]);
                    if won | lost != 0 {
                        let pair = known.at(first + row * words + at);
                        // This word is this tile's alone.
                        add(&pair[0], won);
                        add(&pair[1], lost);
                        about(first_row + row, at, won, lost);
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

/// A bit of a number, in all places.
#[inline(always)]
fn spread(value: u8, plane: usize) -> u64 {
    (u64::from(value) >> plane & 1).wrapping_neg()
}

/// Whose values, given by their bits, are below a bound.
fn below(planes: &[AtomicU64], bound: u8) -> u64 {
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

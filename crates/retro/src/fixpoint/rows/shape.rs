//! A slice cut into rows, words and tiles.
//!
//! A *row* is one half of the board, of h stones, with a bit for every half of the remaining n - h
//! stones, in order; it begins with a new word. Two arrays have this shape: in one the row is the
//! mover's half, in the other it is the opponent's. A *tile* is 64 rows of equally many stones: it
//! turns, square by square, into one word of each row on the other side.

use nutcracker_game::Pits;
use std::ops::Range;

use nutcracker_game::combi::Rows;

/// Rows of a tile.
pub(crate) const TILE: usize = 64;

/// Consecutive tiles that are worked on together: their words on the other side share a line of the
/// processor's cache.
pub(crate) const GROUP: usize = 4;

/// Where rows are.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) halves: Rows,
    pub(crate) stones: usize,
    /// By stones in the row's half, with one more at the end.
    first_tile: Vec<usize>,
    first_word: Vec<usize>,
    first_index: Vec<u64>,
    /// Words of one row.
    words: Vec<usize>,
}

impl Shape {
    pub(crate) fn new(pits: usize, stones: usize) -> Self {
        let halves = Rows::new(pits, stones);
        let mut shape = Shape {
            stones,
            first_tile: vec![0],
            first_word: vec![0],
            first_index: vec![0],
            words: Vec::new(),
            halves,
        };
        for held in 0..=stones {
            let (rows, row) = (shape.halves.count(held), shape.halves.count(stones - held));
            let words = row.div_ceil(64) as usize;
            shape.words.push(words);
            shape.first_tile.push(shape.first_tile[held] + rows.div_ceil(TILE as u64) as usize);
            shape.first_word.push(shape.first_word[held] + rows as usize * words);
            shape.first_index.push(shape.first_index[held] + rows * row);
        }
        shape
    }

    /// Positions of the slice.
    pub(crate) fn len(&self) -> u64 {
        self.first_index[self.stones + 1]
    }

    /// Words of all rows.
    pub(crate) fn total_words(&self) -> usize {
        self.first_word[self.stones + 1]
    }

    pub(crate) fn tiles(&self) -> usize {
        self.first_tile[self.stones + 1]
    }

    pub(crate) fn tile(&self, number: usize) -> Tile {
        let held = self.first_tile.partition_point(|&first| first <= number) - 1;
        let within = number - self.first_tile[held];
        let words = self.words[held];
        Tile {
            number,
            held,
            within,
            rows: (self.halves.count(held) as usize - within * TILE).min(TILE),
            words,
            first_word: self.first_word[held] + within * TILE * words,
            first_rank: (within * TILE) as u64,
            row_len: self.halves.count(self.stones - held),
        }
    }

    /// The positions of the rows with so many stones.
    pub(crate) fn block(&self, held: usize) -> Range<u64> {
        self.first_index[held]..self.first_index[held + 1]
    }

    /// Their words.
    pub(crate) fn block_words(&self, held: usize) -> Range<usize> {
        self.first_word[held]..self.first_word[held + 1]
    }

    /// Their tiles.
    pub(crate) fn block_tiles(&self, held: usize) -> Range<usize> {
        self.first_tile[held]..self.first_tile[held + 1]
    }

    /// Tiles of a block, as many at a time as have so many words, but at least one.
    pub(crate) fn parts(&self, held: usize, most: usize) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let (mut words, tiles) = (0, self.block_tiles(held));
        let mut start = tiles.start;
        for tile in tiles.clone() {
            let more = self.tile(tile).words * TILE;
            if tile > start && words + more > most {
                parts.push(start..tile);
                (start, words) = (tile, 0);
            }
            words += more;
        }
        parts.push(start..tiles.end);
        parts
    }

    /// The tiles of a block, those together that are worked on together.
    pub(crate) fn groups(&self, held: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let tiles = self.block_tiles(held);
        tiles.clone().step_by(GROUP).map(move |first| first..(first + GROUP).min(tiles.end))
    }

    /// Blocks in the order of their turns: those that move into each other most are neighbours.
    pub(crate) fn turns(&self) -> impl Iterator<Item = usize> + '_ {
        (0..=self.stones).map(|turn| if turn % 2 == 0 { turn / 2 } else { self.stones - turn / 2 })
    }

    /// The stones in the half of the row a word belongs to.
    pub(crate) fn held(&self, word: usize) -> usize {
        self.first_word.partition_point(|&first| first <= word) - 1
    }

    /// The tiles with so many stones in their halves begin here.
    pub(crate) fn first_tile(&self, held: usize) -> usize {
        self.first_tile[held]
    }

    pub(crate) fn first_word(&self, held: usize) -> usize {
        self.first_word[held]
    }

    /// Rows with so many stones.
    pub(crate) fn rows(&self, held: usize) -> usize {
        self.halves.count(held) as usize
    }

    pub(crate) fn words(&self, held: usize) -> usize {
        self.words[held]
    }

    /// The number of a row, counted by tiles: some numbers stand for no row.
    pub(crate) fn row(&self, half: &Pits) -> usize {
        let held = stones(half);
        self.first_tile[held] * TILE + self.halves.rank(half) as usize
    }

    /// The stones in a row's half.
    #[inline(always)]
    pub(crate) fn row_held(&self, row: usize) -> usize {
        self.first_tile.partition_point(|&first| first <= row / TILE) - 1
    }

    /// The word of a row's beginning.
    pub(crate) fn row_word(&self, row: usize, held: usize) -> usize {
        self.first_word[held] + (row - self.first_tile[held] * TILE) * self.words[held]
    }

    /// Visits the parts of a run of positions that share a word: the word, the first bit, the part
    /// of the run.
    pub(crate) fn for_each_word(
        &self,
        start: u64,
        count: usize,
        mut visit: impl FnMut(usize, usize, Range<usize>),
    ) {
        let mut done = 0;
        while done < count {
            let index = start + done as u64;
            let held = self.first_index.partition_point(|&first| first <= index) - 1;
            let row = self.halves.count(self.stones - held);
            let within = index - self.first_index[held];
            let (rank, mut bit) = ((within / row) as usize, within % row);
            let first_word = self.first_word[held] + rank * self.words[held];
            while bit < row && done < count {
                let word_end = (bit / 64 + 1) * 64;
                let len = (word_end.min(row) - bit).min((count - done) as u64) as usize;
                visit(first_word + (bit / 64) as usize, (bit % 64) as usize, done..done + len);
                done += len;
                bit += len as u64;
            }
        }
    }
}

/// Up to 64 rows of equally many stones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    pub(crate) number: usize,
    /// Stones in the rows' halves.
    pub(crate) held: usize,
    /// Its number among tiles with as many stones: its word in the rows on the other side.
    pub(crate) within: usize,
    pub(crate) rows: usize,
    pub(crate) words: usize,
    /// The first word of its first row.
    pub(crate) first_word: usize,
    pub(crate) first_rank: u64,
    /// Positions of a row.
    row_len: u64,
}

impl Tile {
    /// The words of its rows.
    pub(crate) fn word_range(&self) -> Range<usize> {
        self.rows_words(0..self.rows)
    }

    /// The words of some of its rows.
    pub(crate) fn rows_words(&self, rows: Range<usize>) -> Range<usize> {
        self.first_word + rows.start * self.words..self.first_word + rows.end * self.words
    }

    /// The bits of a row's word that stand for positions.
    pub(crate) fn valid(&self, word: usize) -> u64 {
        if word + 1 == self.words {
            u64::MAX >> (self.words as u64 * 64 - self.row_len)
        } else {
            u64::MAX
        }
    }
}

pub(crate) fn stones(half: &Pits) -> usize {
    half.iter().map(|&pit| usize::from(pit)).sum()
}

//! A slice cut into rows, words and tiles.
//!
//! A *row* is one half of the board, of h stones, with a bit for every half of the remaining n - h
//! stones, in order; it begins with a new word. Two arrays have this shape: in one the row is the
//! mover's half, in the other it is the opponent's. A *block* is all rows whose half holds the same
//! number of stones, and a *tile* is 64 rows of a block: it is transposed, square by square, into
//! one word of each row on the other side.

use nutcracker_game::Pits;
use std::ops::Range;

use nutcracker_game::combi::PitRows;

/// Rows of a tile.
pub(crate) const TILE: usize = 64;

/// Consecutive tiles that are scanned together: their words on the other side share a line of the
/// processor's cache.
pub(crate) const GROUP: usize = 4;

/// Where rows are.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) halves: PitRows,
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
        let halves = PitRows::new(pits, stones);
        let mut shape = Shape {
            stones,
            first_tile: vec![0],
            first_word: vec![0],
            first_index: vec![0],
            words: Vec::new(),
            halves,
        };
        for row_stones in 0..=stones {
            let (rows, row) =
                (shape.halves.count(row_stones), shape.halves.count(stones - row_stones));
            let words = row.div_ceil(64) as usize;
            shape.words.push(words);
            shape
                .first_tile
                .push(shape.first_tile[row_stones] + rows.div_ceil(TILE as u64) as usize);
            shape.first_word.push(shape.first_word[row_stones] + rows as usize * words);
            shape.first_index.push(shape.first_index[row_stones] + rows * row);
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
        let row_stones = self.first_tile.partition_point(|&first| first <= number) - 1;
        let within = number - self.first_tile[row_stones];
        let words = self.words[row_stones];
        Tile {
            number,
            row_stones,
            within,
            rows: (self.halves.count(row_stones) as usize - within * TILE).min(TILE),
            words,
            first_word: self.first_word[row_stones] + within * TILE * words,
            first_rank: (within * TILE) as u64,
            row_len: self.halves.count(self.stones - row_stones),
        }
    }

    /// The positions of a tile.
    pub(crate) fn tile_range(&self, number: usize) -> Range<u64> {
        let Tile { row_stones, first_rank, rows, row_len, .. } = self.tile(number);
        let start = self.first_index[row_stones] + first_rank * row_len;
        start..start + rows as u64 * row_len
    }

    /// The tile of a position.
    pub(crate) fn tile_of(&self, index: u64) -> usize {
        let row_stones = self.first_index.partition_point(|&first| first <= index) - 1;
        let row = self.halves.count(self.stones - row_stones);
        let rank = (index - self.first_index[row_stones]) / row;
        self.first_tile[row_stones] + rank as usize / TILE
    }

    /// The row that a word belongs to, and the word of its beginning.
    pub(crate) fn row_of_word(&self, word: usize) -> (usize, usize) {
        let row_stones = self.stones_of_word(word);
        let rank = (word - self.first_word[row_stones]) / self.words[row_stones];
        let first = self.first_word[row_stones] + rank * self.words[row_stones];
        (self.first_tile[row_stones] * TILE + rank, first)
    }

    /// The positions of a block.
    pub(crate) fn block(&self, row_stones: usize) -> Range<u64> {
        self.first_index[row_stones]..self.first_index[row_stones + 1]
    }

    /// The words of a block.
    pub(crate) fn block_words(&self, row_stones: usize) -> Range<usize> {
        self.first_word[row_stones]..self.first_word[row_stones + 1]
    }

    /// The tiles of a block.
    pub(crate) fn block_tiles(&self, row_stones: usize) -> Range<usize> {
        self.first_tile[row_stones]..self.first_tile[row_stones + 1]
    }

    /// The tiles of a block in parts of at most `most` words, or of one tile.
    pub(crate) fn parts(&self, row_stones: usize, most: usize) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let (mut words, tiles) = (0, self.block_tiles(row_stones));
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

    /// The tiles of a block in groups that are scanned together.
    pub(crate) fn groups(&self, row_stones: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let tiles = self.block_tiles(row_stones);
        tiles.clone().step_by(GROUP).map(move |first| first..(first + GROUP).min(tiles.end))
    }

    /// Blocks in the order in which they are scanned: those with most moves into each other are
    /// neighbours.
    pub(crate) fn order(&self) -> impl Iterator<Item = usize> + '_ {
        (0..=self.stones).map(|turn| if turn % 2 == 0 { turn / 2 } else { self.stones - turn / 2 })
    }

    /// The stones in the half of the row a word belongs to.
    pub(crate) fn stones_of_word(&self, word: usize) -> usize {
        self.first_word.partition_point(|&first| first <= word) - 1
    }

    /// The first tile of a block.
    pub(crate) fn first_tile(&self, row_stones: usize) -> usize {
        self.first_tile[row_stones]
    }

    pub(crate) fn first_word(&self, row_stones: usize) -> usize {
        self.first_word[row_stones]
    }

    /// The rows of a block.
    pub(crate) fn rows(&self, row_stones: usize) -> usize {
        self.halves.count(row_stones) as usize
    }

    pub(crate) fn words(&self, row_stones: usize) -> usize {
        self.words[row_stones]
    }

    /// Row number with each block padded to whole tiles; padding numbers are unused.
    pub(crate) fn row(&self, half: &Pits) -> usize {
        let row_stones = stones(half);
        self.first_tile[row_stones] * TILE + self.halves.rank(half) as usize
    }

    /// The stones in a row's half.
    #[inline(always)]
    pub(crate) fn stones_of_row(&self, row: usize) -> usize {
        self.first_tile.partition_point(|&first| first <= row / TILE) - 1
    }

    /// The word of a row's beginning.
    pub(crate) fn row_word(&self, row: usize, row_stones: usize) -> usize {
        self.first_word[row_stones]
            + (row - self.first_tile[row_stones] * TILE) * self.words[row_stones]
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
            let row_stones = self.first_index.partition_point(|&first| first <= index) - 1;
            let row = self.halves.count(self.stones - row_stones);
            let within = index - self.first_index[row_stones];
            let (rank, mut bit) = ((within / row) as usize, within % row);
            let first_word = self.first_word[row_stones] + rank * self.words[row_stones];
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
    pub(crate) row_stones: usize,
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

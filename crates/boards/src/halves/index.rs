//! The index of whole boards.

use nutcracker_game::IndexMatrix;
use nutcracker_game::combi::PitRows;

use super::{BYTES, Board, Half, LIMIT, MAX_PITS, stones};

/// The index by halves.
///
/// Boards with n stones are numbered by σ, the stones on the mover's side, then by the mover's half
/// S, then by the other half N: base(n, σ) + rank(S) · row(ν) + rank(N), with ν = n - σ and row(ν)
/// the number of halves N. These are all halves with ν stones, in lexicographic order; or, by
/// [`Halves::reachable`], only those with an empty pit, because a move empties its pit. Then halves
/// with an empty pit rank before those without.
#[derive(Clone, Debug)]
pub struct Halves {
    rows: PitRows,
    /// What each pit adds to the lexicographic rank of its half, by the stones in it and in the
    /// pits after it, wrapping; 0 for pits beyond the game's.
    steps: Box<[[u64; LIMIT]; MAX_PITS]>,
    /// The number of other halves with each number of stones.
    counts: Box<[u64; LIMIT]>,
    /// `bases[n * (max + 2) + own]`: see [`Halves::base`].
    bases: Vec<u64>,
    /// The same for the second index, by the stones of the other half.
    second_bases: Vec<u64>,
}

impl Halves {
    /// The index of all boards for this many pits a half and up to `max` stones.
    pub fn new(pits: usize, max: usize) -> Self {
        Self::of(PitRows::new(pits, max))
    }

    /// The index of the boards on which the other half has an empty pit.
    #[inline]
    pub fn reachable(pits: usize, max: usize) -> Self {
        Self::of(PitRows::gaps_first(pits, max))
    }

    fn of(rows: PitRows) -> Self {
        let (pits, max) = (rows.pits(), rows.max());
        assert!((1..=MAX_PITS).contains(&pits), "a half has 1 to {MAX_PITS} pits");
        assert!(max < LIMIT, "a board has fewer than {LIMIT} stones");
        let mut steps = Box::new([[0; LIMIT]; MAX_PITS]);
        let mut counts = Box::new([0; LIMIT]);
        for stones in 0..=max {
            counts[stones] = others(&rows, stones);
            for (pit, steps) in steps.iter_mut().enumerate().take(pits) {
                steps[stones] = rows.step(pit, stones);
            }
        }
        let places = (max + 1) * (max + 2);
        let (mut bases, mut second_bases) =
            (Vec::with_capacity(places), Vec::with_capacity(places));
        for n in 0..=max {
            let (mut base, mut second_base) = (0, 0);
            for leading in 0..max + 2 {
                bases.push(base);
                second_bases.push(second_base);
                if leading <= n {
                    base += rows.count(leading) * counts[n - leading];
                    second_base += counts[leading] * rows.count(n - leading);
                }
            }
        }
        Halves { rows, steps, counts, bases, second_bases }
    }

    /// The numbering of halves.
    #[inline]
    pub fn rows(&self) -> &PitRows {
        &self.rows
    }

    /// Pits a half.
    #[inline]
    pub fn pits(&self) -> usize {
        self.rows.pits()
    }

    /// The number of boards with `n` stones.
    #[inline]
    pub fn len(&self, n: usize) -> u64 {
        self.base(n, n + 1)
    }

    /// The number of boards with `n` stones, fewer than `own` of them on the mover's side.
    #[inline]
    pub fn base(&self, n: usize, own: usize) -> u64 {
        self.bases[n * (self.rows.max() + 2) + own]
    }

    /// The number of other halves with this many stones: the boards with one mover's half.
    #[inline]
    pub fn row(&self, other: usize) -> u64 {
        self.counts[other]
    }

    /// Whether a board has an index.
    #[inline]
    pub fn contains(&self, board: &Board) -> bool {
        !self.rows.has_gaps_first() || has_gap(&board.other, self.pits())
    }

    /// The rank of a half among those with the same number of stones.
    #[inline]
    pub fn half_rank(&self, half: &Half) -> u64 {
        if self.rows.has_gaps_first() {
            return self.rows.rank(half);
        }
        // Byte i of the product is the sum of bytes 0 to i: all look-ups can begin at once.
        let sums = u64::from_le_bytes(*half).wrapping_mul(BYTES).to_le_bytes();
        let all = sums[7];
        let mut rank = self.steps[0][usize::from(all) % LIMIT];
        for (steps, before) in self.steps[1..].iter().zip(sums) {
            rank = rank.wrapping_add(steps[usize::from(all - before) % LIMIT]);
        }
        rank
    }

    /// The index of a board among those with the same number of stones.
    #[inline]
    pub fn rank(&self, board: &Board) -> u64 {
        let (own, other) = (stones(&board.own), stones(&board.other));
        self.base(own + other, own)
            + self.half_rank(&board.own) * self.counts[other % LIMIT]
            + self.half_rank(&board.other)
    }

    /// The board with `n` stones and this index.
    #[inline]
    pub fn unrank(&self, n: usize, index: u64) -> Board {
        let own = (0..n).find(|&own| index < self.base(n, own + 1)).unwrap_or(n);
        let index = index - self.base(n, own);
        let row = self.counts[n - own];
        let mut board = Board::default();
        self.rows.unrank(own, index / row, &mut board.own);
        self.rows.unrank(n - own, index % row, &mut board.other);
        board
    }

    /// The board after this one among those with the same number of stones; after the last, any
    /// board.
    #[must_use]
    #[inline]
    pub fn after(&self, mut board: Board) -> Board {
        if self.rows.advance(&mut board.other) && self.contains(&board) {
            return board;
        }
        let (own, other) = (stones(&board.own), stones(&board.other));
        if self.rows.advance(&mut board.own) {
            board.other = self.first_half(other);
            board
        } else {
            Board { own: self.first_half(own + 1), other: self.first_half(other.saturating_sub(1)) }
        }
    }

    /// The first half with this many stones: all of them in the last pit, in either order.
    fn first_half(&self, stones: usize) -> Half {
        let mut half = Half::default();
        half[self.pits() - 1] = stones as u8;
        half
    }

    /// The second index of a board, which orders by the other half first.
    #[inline]
    pub fn second_rank(&self, board: &Board) -> u64 {
        let (own, other) = (stones(&board.own), stones(&board.other));
        self.second_base(own + other, other)
            + self.half_rank(&board.other) * self.rows.count(own)
            + self.half_rank(&board.own)
    }

    /// The number of boards with `n` stones, fewer than `other` of them on the other side.
    fn second_base(&self, n: usize, other: usize) -> u64 {
        self.second_bases[n * (self.rows.max() + 2) + other]
    }

    /// The board with `n` stones and this second index.
    #[inline]
    pub fn second_unrank(&self, n: usize, index: u64) -> Board {
        let other = (0..n).find(|&other| index < self.second_base(n, other + 1)).unwrap_or(n);
        let index = index - self.second_base(n, other);
        let row = self.rows.count(n - other);
        let mut board = Board::default();
        self.rows.unrank(other, index / row, &mut board.other);
        self.rows.unrank(n - other, index % row, &mut board.own);
        board
    }

    /// The boards with `n` stones as matrices, one for each number of stones on the mover's side:
    /// the first index is row-major, by the mover's half, the second column-major, by the other
    /// half.
    #[inline]
    pub fn matrices(&self, n: usize) -> Vec<IndexMatrix> {
        (0..=n)
            .map(|own| IndexMatrix {
                first: self.base(n, own),
                second: self.second_base(n, n - own),
                rows: self.rows.count(own),
                columns: self.counts[n - own],
            })
            .collect()
    }

    /// The board after this one in the second index; after the last, any board.
    #[must_use]
    #[inline]
    pub fn second_after(&self, mut board: Board) -> Board {
        if self.rows.advance(&mut board.own) {
            return board;
        }
        let (own, other) = (stones(&board.own), stones(&board.other));
        board.own = self.first_half(own);
        if self.rows.advance(&mut board.other) && self.contains(&board) {
            board
        } else {
            Board { own: self.first_half(own.saturating_sub(1)), other: self.first_half(other + 1) }
        }
    }
}

fn has_gap(half: &Half, pits: usize) -> bool {
    half[..pits].contains(&0)
}

/// The number of other halves with this many stones.
#[inline]
pub(super) fn others(rows: &PitRows, stones: usize) -> u64 {
    if rows.has_gaps_first() { rows.with_gap(stones) } else { rows.count(stones) }
}

//! Boards as pairs of half ids, indexed by look-up.

use nutcracker_game::combi::PitRows;

use super::index::others;
use super::{Board, Half, Halves, stones};

/// A board as a pair of half ids: the mover's and the other's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The id of the mover's half.
    pub own: u32,
    /// The id of the other half.
    pub other: u32,
}

/// The boards with one number of stones ordered by one of their halves, which leads, and then by
/// the other, which follows: index = origin + leading id · row + following id, wrapping.
#[derive(Clone, Debug, Default)]
struct Order {
    /// By the stones of the leading half.
    origin: Vec<u64>,
    row: Vec<u64>,
    /// The index of the first board with this many stones in the leading half.
    base: Vec<u64>,
    /// One over `row`: a multiplication replaces a division.
    inverse: Vec<f64>,
    /// For the first index of each of some equal parts, the stones of the leading half.
    guesses: Vec<u8>,
    /// A part has two to the power of this many boards.
    part_bits: u32,
}

/// There are about this many parts.
const PARTS: u64 = 4096;

impl Order {
    fn new(rows: &PitRows, leads: impl Fn(usize) -> u64, follows: impl Fn(usize) -> u64) -> Self {
        let n = rows.max();
        let mut order = Order::default();
        let mut base = 0u64;
        for leading in 0..=n {
            let row = follows(n - leading);
            let skipped = rows.first_id(leading).wrapping_mul(row);
            order.origin.push(base.wrapping_sub(skipped).wrapping_sub(rows.first_id(n - leading)));
            order.row.push(row);
            order.inverse.push(1.0 / row as f64);
            order.base.push(base);
            base += leads(leading) * row;
        }
        order.base.push(base);
        order.part_bits = (base / PARTS).max(1).ilog2();
        let mut leading = 0;
        for first in (0..base).step_by(1 << order.part_bits) {
            while order.base[leading + 1] <= first {
                leading += 1;
            }
            order.guesses.push(leading as u8);
        }
        order
    }

    /// The stones of the leading half of the board with this index, and the rank of that half.
    #[inline]
    fn leading(&self, index: u64) -> (usize, u64) {
        let mut stones = usize::from(self.guesses[(index >> self.part_bits) as usize]);
        while self.base[stones + 1] <= index {
            stones += 1;
        }
        let place = index - self.base[stones];
        // Rounding is off by one at most: fewer boards than 2^53.
        let mut rank = (place as f64 * self.inverse[stones]) as u64;
        if rank * self.row[stones] > place {
            rank -= 1;
        } else if (rank + 1) * self.row[stones] <= place {
            rank += 1;
        }
        (stones, rank)
    }

    #[inline(always)]
    fn index(&self, leading_stones: usize, leading: u32, following: u32) -> u64 {
        self.origin[leading_stones]
            .wrapping_add(u64::from(leading) * self.row[leading_stones])
            .wrapping_add(u64::from(following))
    }

    /// The ids of the leading and the following half of the board with this index.
    fn ids(&self, rows: &PitRows, cursor: &mut PairCursor, index: u64) -> (u32, u32) {
        if !(cursor.start..cursor.end).contains(&index) {
            let (leading, row) = self.leading(index);
            cursor.start = self.base[leading] + row * self.row[leading];
            cursor.end = cursor.start + self.row[leading];
            cursor.leading = (rows.first_id(leading) + row) as u32;
            cursor.first_following = rows.first_id(rows.max() - leading) as u32;
        }
        (cursor.leading, cursor.first_following + (index - cursor.start) as u32)
    }
}

/// The index by halves for one number of stones, from half ids: a multiplication and two additions.
#[derive(Clone, Debug)]
pub struct PairIndex {
    rows: PitRows,
    first: Order,
    second: Order,
    /// By stones: the end of the ids of other halves.
    other_ends: Vec<u32>,
}

/// The range of the last key's row.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairCursor {
    start: u64,
    end: u64,
    leading: u32,
    first_following: u32,
}

impl PairIndex {
    /// The index of boards with `n` stones.
    pub fn new(halves: &Halves, n: usize) -> Self {
        let pits = halves.pits();
        let gaps_first = halves.rows().has_gaps_first();
        let rows = if gaps_first { PitRows::gaps_first(pits, n) } else { PitRows::new(pits, n) };
        let all = |stones| rows.count(stones);
        let other = |stones| others(&rows, stones);
        let (first, second) = (Order::new(&rows, all, other), Order::new(&rows, other, all));
        let other_ends = (0..=n).map(|m| (rows.first_id(m) + other(m)) as u32).collect();
        PairIndex { rows, first, second, other_ends }
    }

    /// The numbering of halves with up to this number of stones.
    #[inline]
    pub fn rows(&self) -> &PitRows {
        &self.rows
    }

    /// The number of boards.
    #[inline]
    pub fn len(&self) -> u64 {
        self.base(self.rows.max() + 1)
    }

    /// Whether there are none; always false.
    #[inline]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The index of the first board with this many stones on the mover's side.
    #[inline]
    pub fn base(&self, own: usize) -> u64 {
        self.first.base[own]
    }

    /// The number of boards with the same mover's half of this many stones.
    #[inline]
    pub fn row(&self, own: usize) -> u64 {
        self.first.row[own]
    }

    /// Whether a board whose other half has this many stones has an index.
    #[inline(always)]
    pub fn contains(&self, other_stones: usize, pair: Pair) -> bool {
        pair.other < self.other_ends[other_stones]
    }

    /// The index of a board whose mover's half has this many stones.
    #[inline(always)]
    pub fn index(&self, own_stones: usize, pair: Pair) -> u64 {
        self.first.index(own_stones, pair.own, pair.other)
    }

    /// The second index of a board whose other half has this many stones.
    #[inline(always)]
    pub fn second_index(&self, other_stones: usize, pair: Pair) -> u64 {
        self.second.index(other_stones, pair.other, pair.own)
    }

    /// The stones of the half with this id.
    #[inline]
    pub fn stones(&self, id: u32) -> usize {
        let n = self.rows.max();
        (0..n).find(|&m| u64::from(id) < self.rows.first_id(m + 1)).unwrap_or(n)
    }

    /// The id of a half.
    #[inline]
    pub fn id(&self, halves: &Halves, half: &Half) -> u32 {
        (self.rows.first_id(stones(half)) + halves.half_rank(half)) as u32
    }

    /// The half with this id.
    #[inline]
    pub fn half(&self, id: u32) -> Half {
        let held = self.stones(id);
        let mut half = Half::default();
        self.rows.unrank(held, u64::from(id) - self.rows.first_id(held), &mut half);
        half
    }

    /// The ids of a board.
    #[inline]
    pub fn key_of(&self, halves: &Halves, board: &Board) -> Pair {
        Pair { own: self.id(halves, &board.own), other: self.id(halves, &board.other) }
    }

    /// The ids of the board with this index.
    #[inline]
    pub fn key_at(&self, cursor: &mut PairCursor, index: u64) -> Pair {
        let (own, other) = self.first.ids(&self.rows, cursor, index);
        Pair { own, other }
    }

    /// The ids of the board with this second index.
    #[inline]
    pub fn second_key_at(&self, cursor: &mut PairCursor, second: u64) -> Pair {
        let (other, own) = self.second.ids(&self.rows, cursor, second);
        Pair { own, other }
    }

    /// Visits all halves with up to this many stones in the order of their ids.
    #[inline]
    pub fn for_each_half(&self, most: usize, mut visit: impl FnMut(&Half)) {
        for held in 0..=most {
            let mut half = Half::default();
            self.rows.unrank(held, 0, &mut half);
            loop {
                visit(&half);
                if !self.rows.advance(&mut half) {
                    break;
                }
            }
        }
    }

    /// The largest number of stones such that tables over all halves with up to this number take no
    /// more than `bytes`, at `each` bytes a half.
    #[inline]
    pub fn most_stones(&self, each: usize, bytes: u64) -> usize {
        let fits = |&held: &usize| self.rows.first_id(held).saturating_mul(each as u64) <= bytes;
        (0..=self.rows.max()).rev().find(|held| *held == 0 || fits(&(held + 1))).unwrap_or(0)
    }
}

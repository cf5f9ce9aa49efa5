//! Slices and numbers of connect four: the heights of the columns, then the colours.

use std::sync::{Arc, OnceLock};

use nutcracker_game::{
    Metric, Numbering, Properties, Reachable, Rules, Score, SliceId, combi, plain_views,
};

use super::ConnectFour;
use nutcracker_boards::grid::{Grid, Stones, squares};

/// Numbers of the largest slice for which there are databases: a bit for each is 512 MiB.
const LARGEST: u64 = 1 << 32;

/// Numbers by heights and colours, and which of them are positions.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    /// `ways[columns][stones]`: the number of ways to put `stones` into the last `columns` columns.
    ways: Vec<Vec<u64>>,
    /// `binomials[n][k]`: n over k.
    binomials: Vec<Vec<u64>>,
    /// Marked when a number is first asked for its position.
    reachable: Arc<OnceLock<Reachable>>,
}

impl Numbers {
    /// `None` where a slice has too many numbers.
    pub(super) fn new(grid: Grid) -> Option<Self> {
        let size = grid.size() as usize;
        let mut ways = vec![vec![0; size + 1]; grid.columns() as usize + 1];
        ways[0][0] = 1;
        for columns in 1..ways.len() {
            for stones in 0..=size {
                let heights = 0..=stones.min(grid.rows() as usize);
                ways[columns][stones] = heights.map(|last| ways[columns - 1][stones - last]).sum();
            }
        }
        let row = |n| (0..=size as u64).map(move |k| combi::binomial(n, k).unwrap_or(u64::MAX));
        let binomials = (0..=size as u64).map(|n| row(n).collect()).collect();
        let numbers = Numbers { ways, binomials, reachable: Arc::default() };
        (0..=size).all(|stones| numbers.len(stones) <= LARGEST).then_some(numbers)
    }

    /// The number of ways to colour the stones: half of them, rounded down, are the mover's.
    fn colours(&self, stones: usize) -> u64 {
        self.binomials[stones][stones / 2]
    }

    /// The length of the slice of boards with this number of stones.
    fn len(&self, stones: usize) -> u64 {
        let heights = self.ways.last().map_or(0, |ways| ways[stones]);
        heights.saturating_mul(self.colours(stones))
    }

    fn rank(&self, grid: &Grid, stones: Stones) -> u64 {
        let occupied = stones.occupied();
        let mut left = occupied.count_ones() as usize;
        let colours_of_all = self.colours(left);
        let (mut heights, mut colours, mut before) = (0, 0, 0);
        for column in 0..grid.columns() {
            let height = (occupied & grid.column(column)).count_ones() as usize;
            let ways = &self.ways[(grid.columns() - column - 1) as usize];
            heights += (left - height + 1..=left).map(|left| ways[left]).sum::<u64>();
            left -= height;
            let own = (stones.own & grid.column(column)) >> (column * (grid.rows() + 1));
            colours |= own << before;
            before += height;
        }
        let mut rank = 0;
        for (place, size) in squares(colours).zip(1..) {
            rank += self.binomials[place.trailing_zeros() as usize][size];
        }
        heights * colours_of_all + rank
    }

    fn unrank(&self, grid: &Grid, stones: usize, index: u64) -> Stones {
        let of_all = self.colours(stones);
        let (mut heights, mut rank) = (index / of_all, index % of_all);
        let (mut colours, mut place) = (0u64, stones);
        for size in (1..=stones / 2).rev() {
            place -= 1;
            while self.binomials[place][size] > rank {
                place -= 1;
            }
            rank -= self.binomials[place][size];
            colours |= 1 << place;
        }
        let (mut left, mut result) = (stones, Stones::default());
        for column in 0..grid.columns() {
            let ways = &self.ways[(grid.columns() - column - 1) as usize];
            let mut height = 0;
            while heights >= ways[left - height] {
                heights -= ways[left - height];
                height += 1;
            }
            left -= height;
            let (all, shift) = ((1 << height) - 1, column * (grid.rows() + 1));
            result.own |= (colours & all) << shift;
            result.other |= (!colours & all) << shift;
            colours >>= height;
        }
        result
    }
}

impl ConnectFour {
    fn numbers(&self) -> &Numbers {
        self.numbers.as_ref().unwrap_or_else(|| panic!("{} has no numbers", self.id()))
    }

    fn stones_in(&self, slice: SliceId) -> usize {
        (self.grid.size() - slice.0) as usize
    }

    /// Which numbers are positions: those that play from the start leads to. It takes a while on
    /// large boards when it is first asked for.
    pub fn reachable(&self) -> &Reachable {
        let numbers = self.numbers();
        numbers.reachable.get_or_init(|| {
            Reachable::from_start(self, |slice, index| {
                numbers.unrank(&self.grid, self.stones_in(slice), index)
            })
        })
    }
}

impl Numbering for ConnectFour {
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Dtw, Metric::Wdl]
    }

    fn properties(&self) -> Properties {
        Properties { holes: true, ..Properties::default() }
    }

    fn has_database(&self, slice: SliceId) -> bool {
        self.numbers.is_some() && slice <= self.largest_slice()
    }

    fn largest_slice(&self) -> SliceId {
        SliceId(self.grid.size())
    }

    fn slice_of(&self, stones: &Stones) -> SliceId {
        SliceId(self.grid.size() - stones.occupied().count_ones())
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        self.numbers.as_ref().map_or(u64::MAX, |numbers| numbers.len(self.stones_in(slice)))
    }

    fn rank(&self, stones: &Stones) -> u64 {
        self.numbers().rank(&self.grid, *stones)
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<Stones> {
        let stones = || self.numbers().unrank(&self.grid, self.stones_in(slice), index);
        self.reachable().contains(slice, index).then(stones)
    }

    fn index_scheme(&self) -> &'static str {
        "heights-colours-1"
    }

    fn max_score(&self, _: SliceId) -> Score {
        1
    }

    fn max_moves(&self, _: SliceId) -> u16 {
        self.grid.columns() as u16
    }

    /// Every move fills a square.
    fn is_acyclic(&self, _: SliceId) -> bool {
        true
    }

    fn slice_unit(&self) -> &'static str {
        "empty"
    }
}

plain_views!(ConnectFour);

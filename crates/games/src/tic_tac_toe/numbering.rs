//! Slices and numbers of tic-tac-toe: one number for all mirror images.

use nutcracker_game::{Metric, Numbering, Properties, Score, SliceId, combi, plain_views};

use super::{GRID, TicTacToe};
use nutcracker_boards::grid::{Stones, squares};

const SQUARES: u64 = 9;

fn binomial(n: u64, k: u64) -> u64 {
    combi::binomial(n, k).expect("nine squares are few")
}

/// The number of a set among all sets of its size: of elements in ascending order, the i-th at
/// place p stands after C(p, i) others.
fn rank(places: impl Iterator<Item = u64>) -> u64 {
    places.zip(1..).map(|(place, size)| binomial(place, size)).sum()
}

/// The places of the set of `size` with this number, from the last to the first.
fn unrank(size: u64, mut index: u64) -> impl Iterator<Item = u64> {
    (1..=size).rev().map(move |size| {
        let place = (0..SQUARES).rev().find(|&place| binomial(place, size) <= index).unwrap_or(0);
        index -= binomial(place, size);
        place
    })
}

/// The nine squares in the order of their bits.
fn square(place: u64) -> u64 {
    GRID.square((place / 3) as u32, (place % 3) as u32)
}

fn place(square: u64) -> u64 {
    let (column, row) = GRID.place(square);
    u64::from(3 * column + row)
}

/// The board turned by one of its eight symmetries.
fn turned(stones: Stones, symmetry: u32) -> Stones {
    let set = |set: u64| {
        squares(set).fold(0, |turned, square| {
            let (mut column, mut row) = GRID.place(square);
            if symmetry & 1 > 0 {
                column = 2 - column;
            }
            if symmetry & 2 > 0 {
                row = 2 - row;
            }
            if symmetry & 4 > 0 {
                (column, row) = (row, column);
            }
            turned | GRID.square(column, row)
        })
    };
    Stones { own: set(stones.own), other: set(stones.other) }
}

/// First which squares have a stone, then which of these are the mover's.
impl Numbering for TicTacToe {
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Dtw, Metric::Wdl]
    }

    fn properties(&self) -> Properties {
        Properties { symmetric: true, holes: true, ..Properties::default() }
    }

    fn largest_slice(&self) -> SliceId {
        SliceId(SQUARES as u32)
    }

    fn slice_of(&self, stones: &Stones) -> SliceId {
        SliceId(SQUARES as u32 - stones.occupied().count_ones())
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        let stones = SQUARES - u64::from(slice.0);
        binomial(SQUARES, stones) * binomial(stones, stones / 2)
    }

    fn canonical(&self, stones: &Stones) -> Stones {
        (0..8).map(|symmetry| turned(*stones, symmetry)).min().expect("there are eight")
    }

    fn images(&self, stones: &Stones) -> u32 {
        8 / (0..8).filter(|&symmetry| turned(*stones, symmetry) == *stones).count() as u32
    }

    fn rank(&self, stones: &Stones) -> u64 {
        let stones = self.canonical(stones);
        let occupied = || squares(stones.occupied());
        let own = (0..).zip(occupied()).filter(|(_, square)| stones.own & square != 0);
        let (count, own) = (occupied().count() as u64, rank(own.map(|(place, _)| place)));
        rank(occupied().map(place)) * binomial(count, count / 2) + own
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<Stones> {
        let count = SQUARES - u64::from(slice.0);
        let colours = binomial(count, count / 2);
        let mut occupied: Vec<u64> = unrank(count, index / colours).map(square).collect();
        occupied.reverse();
        let own = unrank(count / 2, index % colours).map(|place| occupied[place as usize]).sum();
        let stones = Stones { own, other: occupied.iter().sum::<u64>() - own };
        let is_position = GRID.arises(stones, |occupied| occupied);
        (is_position && self.canonical(&stones) == stones).then_some(stones)
    }

    fn index_scheme(&self) -> &'static str {
        "stones-colours-1"
    }

    fn max_score(&self, _: SliceId) -> Score {
        1
    }

    fn max_moves(&self, slice: SliceId) -> u16 {
        slice.0 as u16
    }

    /// Every move fills a square.
    fn is_acyclic(&self, _: SliceId) -> bool {
        true
    }

    fn slice_unit(&self) -> &'static str {
        "empty"
    }
}

plain_views!(TicTacToe);

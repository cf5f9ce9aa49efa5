//! Where the positions of an index by halves are in rows.

use std::ops::Range;

use nutcracker_game::combi::PitRows;
use nutcracker_game::{Pits, RowMoves};

use crate::solver::rows::layout::Shape;

/// The numbers of positions as places in rows. Rows have a bit for every other half, in lexicographic
/// order; an index may leave some out, and may number halves in another order.
#[derive(Debug)]
pub(super) struct Places {
    /// By id of a half, as the index numbers halves: its rank in lexicographic order.
    ranks: Vec<u32>,
    /// By stones: the first id of a half.
    first_id: Vec<usize>,
    /// By stones: the number of other halves.
    others: Vec<u64>,
    /// By stones of the mover's half, with one more at the end: the first number of a position.
    first_index: Vec<u64>,
}

impl Places {
    pub(super) fn new(row_moves: &dyn RowMoves, shape: &Shape) -> Self {
        let (pits, stones) = (row_moves.pits(), row_moves.stones());
        let gaps_first = row_moves.gaps_first();
        let halves =
            if gaps_first { PitRows::gaps_first(pits, stones) } else { PitRows::new(pits, stones) };
        let mut places = Places {
            ranks: Vec::with_capacity(halves.total() as usize),
            first_id: (0..=stones).map(|held| halves.first_id(held) as usize).collect(),
            others: (0..=stones)
                .map(|held| if gaps_first { halves.with_gap(held) } else { halves.count(held) })
                .collect(),
            first_index: vec![0],
        };
        for held in 0..=stones {
            let mut half = Pits::default();
            halves.unrank(held, 0, &mut half);
            loop {
                places.ranks.push(shape.halves.rank(&half) as u32);
                if !halves.advance(&mut half) {
                    break;
                }
            }
            let block = halves.count(held) * places.others[stones - held];
            places.first_index.push(places.first_index[held] + block);
        }
        places
    }

    /// Bytes it takes.
    pub(super) fn bytes(shape: &Shape) -> u64 {
        shape.halves.total() * size_of::<u32>() as u64
    }

    /// Visits a run of positions word by word: which word, the places of the positions in their
    /// row, and which part of the run they are.
    pub(super) fn for_each_word(
        &self,
        shape: &Shape,
        start: u64,
        count: usize,
        mut visit: impl FnMut(usize, &[u32], Range<usize>),
    ) {
        let mut done = 0;
        while done < count {
            let index = start + done as u64;
            let held = self.first_index.partition_point(|&first| first <= index) - 1;
            let other = shape.stones - held;
            let within = index - self.first_index[held];
            let (row, column) =
                (within / self.others[other], (within % self.others[other]) as usize);
            let rank = self.ranks[self.first_id[held] + row as usize] as usize;
            let first_word = shape.first_word(held) + rank * shape.words(held);
            let end = (self.others[other] as usize).min(column + count - done);
            let columns = self.first_id[other] + column..self.first_id[other] + end;
            for places in self.ranks[columns].chunk_by(|a, b| a / 64 == b / 64) {
                visit(first_word + places[0] as usize / 64, places, done..done + places.len());
                done += places.len();
            }
        }
    }
}

//! One slice of sorted piles.
//!
//! Where the piles are alike, several moves lead to one number: what counts is the set of successors.

use nutcracker_game::{Metric, Numbering, Properties, Score, SliceId, plain_views};

use super::Subtraction;
use crate::piles::Piles;

impl Numbering for Subtraction {
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Dtw, Metric::Wdl]
    }

    fn properties(&self) -> Properties {
        Properties { unmoves: true, symmetric: true, ..Properties::default() }
    }

    fn largest_slice(&self) -> SliceId {
        SliceId(0)
    }

    fn slice_of(&self, _: &Piles) -> SliceId {
        SliceId(0)
    }

    fn slice_len(&self, _: SliceId) -> u64 {
        self.shape.positions()
    }

    fn canonical(&self, piles: &Piles) -> Piles {
        self.shape.sorted(*piles)
    }

    fn rank(&self, piles: &Piles) -> u64 {
        self.shape.rank(piles)
    }

    fn unrank(&self, _: SliceId, index: u64) -> Option<Piles> {
        Some(self.shape.unrank(index))
    }

    fn index_scheme(&self) -> &'static str {
        "sorted-1"
    }

    fn max_score(&self, _: SliceId) -> Score {
        1
    }

    fn max_moves(&self, _: SliceId) -> u16 {
        (self.shape.piles() * self.take.len()) as u16
    }

    /// Every move takes counters, and none brings any back.
    fn is_acyclic(&self, _: SliceId) -> bool {
        true
    }

    fn unmoves(&self, piles: &Piles, out: &mut Vec<Piles>) {
        for (pile, &counters) in piles[..self.shape.piles()].iter().enumerate() {
            let room = self.shape.largest() as u8 - counters;
            for &number in self.take.iter().take_while(|&&number| number <= room) {
                let mut before = *piles;
                before[pile] += number;
                out.push(before);
            }
        }
    }
}

plain_views!(Subtraction);

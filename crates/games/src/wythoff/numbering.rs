//! One slice of sorted pairs of piles.
//!
//! Where the piles are alike, several moves lead to one number: what counts is the set of successors.

use nutcracker_game::{Metric, Numbering, Properties, Score, SliceId, plain_views};

use super::{Variant, Wythoff};
use crate::piles::Piles;

impl Numbering for Wythoff {
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
        let largest = self.shape.largest();
        let both = match self.variant {
            Variant::Constant(bound) => largest.min(2 * usize::from(bound) - 1),
            _ => largest,
        };
        (largest * (2 + both)) as u16
    }

    /// Every move takes counters, and none brings any back.
    fn is_acyclic(&self, _: SliceId) -> bool {
        true
    }

    fn unmoves(&self, piles: &Piles, out: &mut Vec<Piles>) {
        let (&[x, y, ..], largest) = (piles, self.shape.largest() as u8);
        let mut push = |earlier: [u8; 2]| {
            let mut before = *piles;
            before[..2].copy_from_slice(&earlier);
            out.push(before);
        };
        (x + 1..=largest).for_each(|more| push([more, y]));
        (y + 1..=largest).for_each(|more| push([x, more]));
        let both = (x + 1..=largest).flat_map(|x| (y + 1..=largest).map(move |y| [x, y]));
        both.filter(|&earlier| self.is_bounded(earlier, [x, y])).for_each(push);
    }
}

plain_views!(Wythoff);

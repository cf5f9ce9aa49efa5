//! The index of Othello's boards: those of 4×4 squares.

use nutcracker_game::{Numbering, Properties, Rules, Score, SliceId, plain_views};

use super::{Discs, Othello, index};

impl Numbering for Othello {
    fn properties(&self) -> Properties {
        Properties { unmoves: true, ..Properties::default() }
    }

    fn has_database(&self, slice: SliceId) -> bool {
        self.size == 4 && slice <= self.largest_slice()
    }

    fn largest_slice(&self) -> SliceId {
        SliceId((self.size * self.size) as u32 - 4)
    }

    fn slice_of(&self, discs: &Discs) -> SliceId {
        SliceId(self.empty(*discs))
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        if self.has_databases() { index::len(slice.0 as usize) } else { u64::MAX }
    }

    fn rank(&self, discs: &Discs) -> u64 {
        assert!(self.has_databases(), "{} has no numbers", self.id());
        index::rank(*discs)
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<Discs> {
        assert!(self.has_databases(), "{} has no numbers", self.id());
        Some(index::unrank(slice.0 as usize, index))
    }

    fn max_score(&self, _: SliceId) -> Score {
        (self.size * self.size) as Score
    }

    fn max_moves(&self, _: SliceId) -> u16 {
        self.largest_slice().0 as u16
    }

    fn index_scheme(&self) -> &'static str {
        "empty-colours-1"
    }

    /// Only a pass stays in its slice.
    fn unmoves(&self, discs: &Discs, out: &mut Vec<Discs>) {
        let before = discs.turned();
        if before.targets(self.area) == 0 && discs.targets(self.area) != 0 {
            out.push(before);
        }
    }

    /// Two passes never follow each other.
    fn is_acyclic(&self, _: SliceId) -> bool {
        true
    }

    fn slice_unit(&self) -> &'static str {
        "empty"
    }
}

plain_views!(Othello);

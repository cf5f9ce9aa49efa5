//! Numbers that stand for no position, many at a time.

use std::ops::Range;

use nutcracker_game::SliceId;

use crate::digits::Digits;
use crate::index::{Layout, layout};

/// A class whose holes are found.
pub(crate) struct Holes {
    layout: &'static Layout,
    digits: Option<Digits>,
}

impl Holes {
    pub fn new(slice: SliceId) -> Self {
        let layout = layout(slice.0);
        Holes { layout, digits: Digits::new(slice, layout) }
    }

    /// Visits the holes of a range, ascending.
    pub fn visit(&self, range: Range<u64>, visit: &mut dyn FnMut(u64)) {
        let mut at = range.start;
        while at < range.end {
            let row = self.digits.as_ref().and_then(|digits| digits.holes(at));
            if let Some((row, holes)) = row {
                let end = row.end.min(range.end);
                (at..end).filter(|at| holes >> (at - row.start) & 1 == 1).for_each(&mut *visit);
                at = end;
            } else {
                if self.is_hole(at) {
                    visit(at);
                }
                at += 1;
            }
        }
    }

    fn is_hole(&self, index: u64) -> bool {
        match &self.digits {
            Some(digits) if digits.covers(index) => digits.at(index).is_none(),
            _ => self.layout.unrank(index).is_none(),
        }
    }
}

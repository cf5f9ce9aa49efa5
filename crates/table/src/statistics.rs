//! Counts of a table: positions by value and by part, and holes.

use crate::format::{HOLE, Part};
use crate::histogram::Histogram;

/// How many positions of each part have each value, and how many indices have no position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Indices without a position.
    pub holes: u64,
    /// One histogram for each part of the header, in its order.
    pub parts: Vec<Histogram>,
    /// In a table of lower bounds: the positions whose upper bound is the same.
    pub exact: Option<u64>,
}

impl Statistics {
    /// Empty counts for this number of parts.
    pub(crate) fn new(parts: usize) -> Self {
        Self { holes: 0, parts: vec![Histogram::new(); parts], exact: None }
    }

    /// The sum of all parts.
    pub fn whole(&self) -> Histogram {
        let mut whole = Histogram::new();
        for part in &self.parts {
            whole.merge(part);
        }
        whole
    }

    /// Counts the values of consecutive indices from `start` on; returns how many of them are
    /// holes.
    pub(crate) fn add(&mut self, parts: &[Part], start: u64, values: &[i8]) -> u64 {
        let before = self.holes;
        for (place, histogram) in self.parts.iter_mut().enumerate() {
            let bound = |part: Option<&Part>| {
                part.map_or(values.len(), |part| {
                    part.first.saturating_sub(start).min(values.len() as u64) as usize
                })
            };
            let range = bound(parts.get(place))..bound(parts.get(place + 1));
            histogram.add(values.get(range).unwrap_or_default());
            self.holes += histogram.take(HOLE);
        }
        self.holes - before
    }

    /// Adds the counts of another one with the same number of parts.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.holes += other.holes;
        for (part, other) in self.parts.iter_mut().zip(&other.parts) {
            part.merge(other);
        }
    }
}

/// One part without holes.
impl From<Histogram> for Statistics {
    fn from(histogram: Histogram) -> Self {
        Self { holes: 0, parts: vec![histogram], exact: None }
    }
}

/// Gives holes the value before them, so that runs continue; holes at the beginning get the first
/// value that follows, and 0 where there is none.
pub(crate) fn fill_holes(values: &mut [i8]) {
    let mut last = values.iter().copied().find(|&value| value != HOLE).unwrap_or(0);
    for value in values {
        if *value == HOLE {
            *value = last;
        }
        last = *value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_continue_the_run() {
        for (mut values, filled) in [
            (vec![HOLE, HOLE, 3, HOLE, -2, HOLE], vec![3, 3, 3, 3, -2, -2]),
            (vec![HOLE, HOLE], vec![0, 0]),
            (vec![], vec![]),
        ] {
            fill_holes(&mut values);
            assert_eq!(values, filled);
        }
    }

    #[test]
    fn positions_are_counted_by_part() {
        let parts = [("white", 0), ("black", 5), ("none", 9)]
            .map(|(name, first)| Part { name: name.into(), first });
        let values = [1, HOLE, 1, 0, -1, -1, 2, HOLE, 2];
        for size in 1..=values.len() {
            let mut statistics = Statistics::new(parts.len());
            let mut holes = 0;
            for (number, chunk) in (0..).zip(values.chunks(size)) {
                holes += statistics.add(&parts, number * size as u64, chunk);
            }
            assert_eq!((holes, statistics.holes), (2, 2));
            let counts: Vec<Vec<_>> =
                statistics.parts.iter().map(|part| part.iter().collect()).collect();
            assert_eq!(counts, [vec![(-1, 1), (0, 1), (1, 2)], vec![(-1, 1), (2, 2)], vec![]]);
            assert_eq!(statistics.whole().total(), 7);
        }
    }
}

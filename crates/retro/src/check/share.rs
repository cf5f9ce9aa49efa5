//! A check in shares: who compares which positions, and who founds which levels.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

use nutcracker_game::{Metric, Score};
use nutcracker_table::Table;

/// One of several shares of a check, such as the second of eight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// From 0 on.
    part: u32,
    of: u32,
}

impl Share {
    /// The whole check.
    pub const ALL: Share = Share { part: 0, of: 1 };
    /// The most shares.
    pub const MOST: u32 = 1000;

    /// The share with this number, from 1 on.
    pub fn new(part: u32, of: u32) -> Option<Self> {
        ((1..=of).contains(&part) && of <= Self::MOST).then(|| Share { part: part - 1, of })
    }

    /// Its number, from 1 on.
    pub fn part(self) -> u32 {
        self.part + 1
    }

    /// How many there are.
    pub fn count(self) -> u32 {
        self.of
    }

    /// Its part of a range: the parts of all shares are disjoint, and together the range.
    pub(super) fn of(self, range: Range<u64>) -> Range<u64> {
        let len = u128::from(range.end.saturating_sub(range.start));
        let at = |part: u32| range.start + (len * u128::from(part) / u128::from(self.of)) as u64;
        at(self.part)..at(self.part + 1)
    }

    /// The sizes of the scores of a table that this share is to found, descending; `None` for all
    /// of them, and where values need no foundation. The largest goes to the share that has least,
    /// and so on.
    pub(super) fn levels(self, table: &Table, metric: Metric) -> Option<Vec<Score>> {
        if self == Share::ALL || metric.is_distance() {
            return None;
        }
        let mut levels = levels(table);
        levels.sort_by_key(|&(level, positions)| (Reverse(positions), level));
        let mut loads = vec![0; self.of as usize];
        let mut own = Vec::new();
        for (level, positions) in levels {
            let least = (0..loads.len()).min_by_key(|&share| loads[share]).unwrap_or(0);
            loads[least] += positions;
            // Where every slice has one level, they go to different shares.
            if (least as u32 + table.header().slice) % self.of == self.part {
                own.push(level);
            }
        }
        own.sort_unstable_by_key(|&level| Reverse(level));
        Some(own)
    }

    /// The work of a share, in positions: half for their comparison, half for their foundation.
    pub(super) fn work(self, table: &Table, levels: Option<&[Score]>) -> u64 {
        let compared = table.positions() / u64::from(self.of);
        match levels {
            None => compared,
            Some(levels) => compared.midpoint(levels.iter().map(|&level| size(table, level)).sum()),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part(), self.of)
    }
}

/// The sizes of the scores in a table other than 0, and how many positions have each.
pub(super) fn levels(table: &Table) -> Vec<(Score, u64)> {
    let all = (1..=i8::MAX.into()).map(|level| (level, size(table, level)));
    all.filter(|&(_, positions)| positions > 0).collect()
}

fn size(table: &Table, level: Score) -> u64 {
    table.histogram().count(level as i8) + table.histogram().count(-level as i8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_a_range_are_all_of_it() {
        for of in [1, 2, 3, 8, 1000] {
            for range in [0..0, 5..6, 3..1003, 7..u64::MAX] {
                let mut end = range.start;
                for part in 1..=of {
                    let own = Share::new(part, of).unwrap().of(range.clone());
                    assert_eq!(own.start, end);
                    end = own.end;
                }
                assert_eq!(end, range.end);
            }
        }
        assert!(Share::new(0, 1).is_none() && Share::new(2, 1).is_none());
        assert!(Share::new(1, 1001).is_none() && Share::new(1, 1) == Some(Share::ALL));
    }
}

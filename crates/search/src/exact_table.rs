//! Results of a search, by position.

use std::hash::Hash;
use std::num::NonZeroU32;

use nutcracker_game::Score;

use crate::hash::Key;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    /// The score is at least this.
    pub lower: Score,
    /// The score is at most this.
    pub upper: Score,
    /// The move to try first, by its place in the order of the rules.
    pub best: u16,
}

#[derive(Clone, Copy)]
struct Entry<P> {
    position: P,
    known: Known,
    /// The nodes it took to find: what was expensive is kept longest.
    work: NonZeroU32,
}

/// Positions that share a place in the table.
const BUCKET: usize = 4;
/// Buckets of a new table.
const FIRST: usize = 1 << 8;

/// A hash table of bounded size.
///
/// Positions are stored in full, so that two are never confused. The table grows with what is
/// stored until it has reached its limit; from then on the entry of a bucket that took the least
/// work is replaced.
pub(crate) struct Table<P> {
    buckets: Vec<[Option<Entry<P>>; BUCKET]>,
    most_buckets: usize,
    entries: usize,
}

impl<P: Copy + Eq + Hash> Table<P> {
    /// A table that never takes more than `bytes`, but for one bucket that it always has.
    pub(crate) fn new(bytes: usize) -> Self {
        // While it grows, a table and one of half its size exist together.
        let bucket = size_of::<[Option<Entry<P>>; BUCKET]>();
        let most_buckets = (bytes / 3 * 2 / bucket).max(1);
        Table { buckets: vec![[None; BUCKET]; FIRST.min(most_buckets)], most_buckets, entries: 0 }
    }

    /// What is known of a position.
    pub(crate) fn get(&self, position: &P) -> Option<Known> {
        let bucket = &self.buckets[Key::of(position).among(self.buckets.len())];
        bucket.iter().flatten().find(|entry| entry.position == *position).map(|entry| entry.known)
    }

    /// Stores the result of a position, which took `work` nodes.
    pub(crate) fn put(&mut self, position: &P, known: Known, work: u64) {
        let work = NonZeroU32::MIN.saturating_add(u32::try_from(work).unwrap_or(u32::MAX));
        if self.entries > self.buckets.len() * BUCKET / 2 && self.buckets.len() < self.most_buckets
        {
            self.grow();
        }
        self.entries +=
            usize::from(insert(&mut self.buckets, Entry { position: *position, known, work }));
    }

    /// Doubles the table; where there is no memory for that, it stays as large as it is.
    fn grow(&mut self) {
        let len = (self.buckets.len() * 2).min(self.most_buckets);
        let mut larger = Vec::new();
        if larger.try_reserve_exact(len).is_err() {
            self.most_buckets = self.buckets.len();
            return;
        }
        larger.resize(len, [None; BUCKET]);
        let entries = self.buckets.iter().flatten().flatten();
        self.entries = entries.filter(|entry| insert(&mut larger, **entry)).count();
        self.buckets = larger;
    }
}

/// Puts an entry into its bucket; whether the table has one more for it.
fn insert<P: Copy + Eq + Hash>(
    buckets: &mut [[Option<Entry<P>>; BUCKET]],
    entry: Entry<P>,
) -> bool {
    let bucket = &mut buckets[Key::of(&entry.position).among(buckets.len())];
    let mut victim = 0;
    let mut least = u32::MAX;
    for (i, slot) in bucket.iter().enumerate() {
        let work = match slot {
            Some(old) if old.position == entry.position => {
                victim = i;
                break;
            }
            Some(old) => old.work.get(),
            None => 0,
        };
        if work < least {
            (victim, least) = (i, work);
        }
    }
    bucket[victim].replace(entry).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(lower: Score) -> Known {
        Known { lower, upper: lower + 1, best: 0 }
    }

    #[test]
    fn grows_to_its_limit_and_no_further() {
        let bytes = 100 * size_of::<[Option<Entry<u32>>; BUCKET]>();
        let mut table = Table::new(bytes * 30);
        for position in 0..100_000 {
            table.put(&position, known((position % 99) as Score), 1);
            assert_eq!(table.get(&position), Some(known((position % 99) as Score)));
        }
        assert_eq!(table.buckets.len(), 2000);
        let kept = (0..100_000).filter(|position| table.get(position).is_some()).count();
        assert_eq!(kept, table.entries);
        assert!(kept > 7000, "{kept} of 8000 places are used");
    }

    #[test]
    fn the_last_entry_of_a_position_is_kept() {
        let mut table = Table::new(1 << 20);
        table.put(&7u32, known(1), 5);
        table.put(&7u32, known(2), 1);
        assert_eq!(table.get(&7), Some(known(2)));
        assert_eq!(table.entries, 1);
    }

    #[test]
    fn the_entry_that_took_least_work_is_replaced() {
        let mut table = Table::new(0);
        for (position, work) in [(0u32, 50), (1, 20), (2, 90), (3, 30), (4, 10)] {
            table.put(&position, known(0), work);
        }
        let kept: Vec<u32> = (0..5).filter(|position| table.get(position).is_some()).collect();
        assert_eq!(kept, [0, 2, 3, 4]);
    }
}

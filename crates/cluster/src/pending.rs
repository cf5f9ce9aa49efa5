//! The frontier as bits: positions that are settled and whose predecessors do not know it yet.

use nutcracker_mem::{OutOfMemory, reserve};

/// A set of numbers below a limit. A second level of bits, one for each word that is not zero, makes
/// it cheap to find the few that are left when a level ends.
#[derive(Debug)]
pub(crate) struct Pending {
    words: Vec<u64>,
    summary: Vec<u64>,
    count: u64,
    /// The word of the summary from which on numbers are taken.
    next: usize,
}

impl Pending {
    /// No numbers, all below `limit`.
    pub(crate) fn new(limit: u64) -> Result<Self, OutOfMemory> {
        let len = limit.div_ceil(64) as usize;
        let (mut words, mut summary) = (reserve(len)?, reserve(len.div_ceil(64))?);
        words.resize(len, 0);
        summary.resize(len.div_ceil(64), 0);
        Ok(Pending { words, summary, count: 0, next: 0 })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a number.
    #[inline]
    pub(crate) fn insert(&mut self, number: u64) {
        let word = (number / 64) as usize;
        let bit = 1 << (number % 64);
        self.count += u64::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
        self.summary[word / 64] |= 1 << (word % 64);
    }

    /// Removes about `most` numbers, at least one if there are any, and appends them to `out`. It
    /// goes on where it ended before, so that none waits for ever.
    pub(crate) fn take(&mut self, most: usize, out: &mut Vec<u64>) {
        let end = out.len() + most;
        while self.count > 0 && out.len() < end {
            let place = self.next;
            while self.summary[place] != 0 && out.len() < end {
                let word = place * 64 + self.summary[place].trailing_zeros() as usize;
                self.summary[place] &= self.summary[place] - 1;
                let mut bits = std::mem::take(&mut self.words[word]);
                self.count -= u64::from(bits.count_ones());
                while bits != 0 {
                    out.push(word as u64 * 64 + u64::from(bits.trailing_zeros()));
                    bits &= bits - 1;
                }
            }
            if self.summary[place] == 0 {
                self.next = (place + 1) % self.summary.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nutcracker_game::Random;

    use super::*;

    #[test]
    fn behaves_like_a_set() {
        let limit = 20_000;
        let (mut pending, mut set) = (Pending::new(limit).unwrap(), BTreeSet::new());
        let mut random = Random::new(1);
        for round in 0..200 {
            for _ in 0..round {
                let number = random.below(limit);
                pending.insert(number);
                set.insert(number);
            }
            let mut out = Vec::new();
            pending.take(80, &mut out);
            assert!(!out.is_empty() || set.is_empty());
            assert!(out.iter().all(|number| set.remove(number)));
            assert_eq!(pending.is_empty(), set.is_empty());
        }
        let mut out = Vec::new();
        pending.take(usize::MAX - 1, &mut out);
        out.sort_unstable();
        assert_eq!(out, set.into_iter().collect::<Vec<_>>());
        assert!(pending.is_empty());
    }
}

//! How many positions have each score.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The number of positions for each score.
///
/// ```
/// use nutcracker_table::Histogram;
/// let mut histogram = Histogram::new();
/// histogram.add(&[2, 0, -1, 2]);
/// assert_eq!(histogram.iter().collect::<Vec<_>>(), [(-1, 1), (0, 1), (2, 2)]);
/// assert_eq!((histogram.wins(), histogram.draws(), histogram.losses()), (2, 1, 1));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    /// By score + 128.
    counts: Box<[u64; 256]>,
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self { counts: Box::new([0; 256]) }
    }

    /// Counts every score of `values`.
    pub fn add(&mut self, values: &[i8]) {
        for &value in values {
            self.counts[usize::from(value as u8 ^ 0x80)] += 1;
        }
    }

    /// Counts `positions` more positions of one score, saturating at `u64::MAX`.
    pub fn add_count(&mut self, score: i8, positions: u64) {
        let slot = &mut self.counts[usize::from(score as u8 ^ 0x80)];
        *slot = slot.saturating_add(positions);
    }

    /// Removes and returns the count of one score.
    pub(crate) fn take(&mut self, score: i8) -> u64 {
        std::mem::take(&mut self.counts[usize::from(score as u8 ^ 0x80)])
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (score, count) in other.iter() {
            self.add_count(score, count);
        }
    }

    /// The number of positions with a score.
    pub fn count(&self, score: i8) -> u64 {
        self.counts[usize::from(score as u8 ^ 0x80)]
    }

    /// Scores that occur, ascending, with their numbers of positions.
    pub fn iter(&self) -> impl Iterator<Item = (i8, u64)> + '_ {
        (i8::MIN..=i8::MAX).zip(self.counts.iter().copied()).filter(|&(_, count)| count > 0)
    }

    /// The number of positions counted.
    pub fn total(&self) -> u64 {
        self.sum(|_| true)
    }

    /// Positions with a score above 0.
    pub fn wins(&self) -> u64 {
        self.sum(|score| score > 0)
    }

    /// Positions with score 0.
    pub fn draws(&self) -> u64 {
        self.count(0)
    }

    /// Positions with a score below 0.
    pub fn losses(&self) -> u64 {
        self.sum(|score| score < 0)
    }

    /// The mean score; 0 without a position.
    pub fn mean(&self) -> f64 {
        let total = self.total();
        if total == 0 {
            return 0.0;
        }
        let sum: i128 = self.iter().map(|(score, n)| i128::from(score) * i128::from(n)).sum();
        sum as f64 / total as f64
    }

    /// The largest distance of a score from 0.
    pub(crate) fn reach(&self) -> u8 {
        self.iter().map(|(score, _)| score.unsigned_abs()).max().unwrap_or(0)
    }

    fn sum(&self, wanted: impl Fn(i8) -> bool) -> u64 {
        // Saturating: counts from a hostile file must not overflow.
        self.iter()
            .filter(|&(score, _)| wanted(score))
            .fold(0, |sum, (_, count)| sum.saturating_add(count))
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl FromIterator<(i8, u64)> for Histogram {
    fn from_iter<I: IntoIterator<Item = (i8, u64)>>(counts: I) -> Self {
        let mut histogram = Self::new();
        for (score, count) in counts {
            histogram.add_count(score, count);
        }
        histogram
    }
}

/// As `[[score, count], ...]`, ascending, without zero counts.
impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let counts = Vec::<(i8, u64)>::deserialize(deserializer)?;
        if counts.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return Err(D::Error::custom("the scores of a histogram are not ascending"));
        }
        Ok(counts.into_iter().collect())
    }
}

//! How fast a worker is, and so how much it takes at once.

use std::time::Duration;

use crate::protocol::MOST_POSITIONS;

/// The share of the last batch in the speed.
const NEW: f64 = 0.5;
/// A batch is at most this many times as large as the one before: the first ones are short, and
/// say little.
const GROWTH: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Pace {
    batch: Duration,
    /// Positions a second.
    speed: Option<f64>,
    most: usize,
}

impl Pace {
    pub fn new(batch: Duration) -> Self {
        Pace { batch, speed: None, most: 1 }
    }

    /// The first batch has a few positions for each expert.
    pub fn start_with(&mut self, experts: usize) {
        self.most = (2 * experts).clamp(1, MOST_POSITIONS);
    }

    pub fn speed(&self) -> f64 {
        self.speed.unwrap_or(0.0)
    }

    /// Positions of the next batch.
    pub fn batch(&self) -> usize {
        let wanted = self.speed.map_or(self.most, |speed| {
            (speed * self.batch.as_secs_f64()).round().min(1e9) as usize
        });
        wanted.clamp(1, self.most)
    }

    /// Notes a batch.
    pub fn note(&mut self, positions: usize, took: Duration) {
        if positions == 0 {
            return;
        }
        let now = positions as f64 / took.as_secs_f64().max(1e-6);
        self.speed = Some(self.speed.map_or(now, |before| (1.0 - NEW) * before + NEW * now));
        self.most = (GROWTH * positions.max(self.most)).min(MOST_POSITIONS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_approach_a_minute() {
        let mut pace = Pace::new(Duration::from_mins(1));
        pace.start_with(2);
        assert_eq!(pace.batch(), 4);
        // Ten positions a second.
        for _ in 0..8 {
            let batch = pace.batch();
            pace.note(batch, Duration::from_millis(100 * batch as u64));
        }
        assert_eq!(pace.batch(), 600);
        assert!((pace.speed() - 10.0).abs() < 1e-6);
        // A hundred times slower: soon a few positions are a minute.
        for _ in 0..12 {
            let batch = pace.batch();
            pace.note(batch, Duration::from_secs(10 * batch as u64));
        }
        assert!(pace.batch() <= 7, "{}", pace.batch());
        pace.note(1, Duration::from_hours(2));
        pace.note(1, Duration::from_hours(2));
        assert!(pace.batch() >= 1);
    }
}

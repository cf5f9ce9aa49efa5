//! The data of a histogram: counts by score, and their sums.

use std::collections::BTreeMap;

/// How many positions of one slice have each score.
///
/// Scores are those of the side to move: above 0 is won, 0 drawn, below 0 lost. They may come in
/// any order; a score named twice counts twice, one that is absent has no positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScoreSlice {
    /// The name of the slice, for example `15 stones`.
    pub label: String,
    /// Scores and the number of positions that have them.
    pub counts: Vec<(i16, u64)>,
}

/// The three outcomes of a game, with their names in the style sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Lost,
    Drawn,
    Won,
}

impl Outcome {
    pub const ALL: [Outcome; 3] = [Outcome::Lost, Outcome::Drawn, Outcome::Won];

    pub fn of(score: i32) -> Outcome {
        match score {
            0 => Outcome::Drawn,
            1.. => Outcome::Won,
            _ => Outcome::Lost,
        }
    }

    pub fn class(self) -> &'static str {
        ["lost", "drawn", "won"][self as usize]
    }

    pub fn name(self) -> &'static str {
        ["Lost", "Drawn", "Won"][self as usize]
    }
}

/// Positions by score; only scores that occur.
#[derive(Debug, Default)]
pub struct Tally {
    pub counts: BTreeMap<i32, u128>,
}

impl Tally {
    pub fn new<'a>(slices: impl IntoIterator<Item = &'a ScoreSlice>) -> Tally {
        let mut counts = BTreeMap::new();
        for &(score, positions) in slices.into_iter().flat_map(|slice| &slice.counts) {
            if positions > 0 {
                *counts.entry(i32::from(score)).or_default() += u128::from(positions);
            }
        }
        Tally { counts }
    }

    pub fn total(&self) -> u128 {
        self.counts.values().sum()
    }

    pub fn with(&self, outcome: Outcome) -> u128 {
        let of_outcome = self.counts.iter().filter(|&(&score, _)| Outcome::of(score) == outcome);
        of_outcome.map(|(_, positions)| positions).sum()
    }

    /// The mean score; `None` without positions.
    pub fn mean(&self) -> Option<f64> {
        let sum: i128 =
            self.counts.iter().map(|(&s, &positions)| i128::from(s) * positions as i128).sum();
        (!self.counts.is_empty()).then(|| sum as f64 / self.total() as f64)
    }

    /// The least and the greatest score.
    pub fn range(&self) -> Option<(i32, i32)> {
        Some((*self.counts.keys().next()?, *self.counts.keys().next_back()?))
    }

    /// The most frequent score (the smallest such), and its number of positions.
    pub fn mode(&self) -> Option<(i32, u128)> {
        self.counts.iter().rev().max_by_key(|&(_, &positions)| positions).map(|(&s, &p)| (s, p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        let counts = vec![(-2, 40), (0, 12), (2, 20), (2, 6), (9, 0)];
        let tally = Tally::new([&ScoreSlice { label: String::new(), counts }]);
        assert_eq!(tally.total(), 78);
        assert_eq!(Outcome::ALL.map(|outcome| tally.with(outcome)), [40, 12, 26]);
        assert_eq!(tally.range(), Some((-2, 2)));
        assert_eq!(tally.mode(), Some((-2, 40)));
        assert_eq!(tally.mean(), Some(-28.0 / 78.0));
    }

    #[test]
    fn nothing_has_no_mean() {
        let tally = Tally::new([]);
        assert_eq!((tally.mean(), tally.mode(), tally.total()), (None, None, 0));
    }
}

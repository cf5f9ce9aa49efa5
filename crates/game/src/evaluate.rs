//! Heuristic evaluation, for positions outside the databases.

use crate::{Game, Step};

/// The weighted sum of features, in hundredths of a point where weights are in points.
#[inline]
pub fn weigh(features: &[f32], weights: &[f32]) -> i32 {
    let points: f32 = features.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    (points * 100.0).round() as i32
}

/// A guess of a position's score, for searches that stop before the game does.
///
/// The guess is a weighted sum of features; the weights are fitted to exact values, not chosen. A
/// game that defines nothing here is evaluated as level everywhere, and can still be searched.
///
/// ```
/// use nutcracker_game::{Evaluate, toy::Heap};
///
/// // One feature, the counters beyond a multiple of four, with a weight of 0.3 points.
/// assert_eq!(Heap.feature_names().len(), 1);
/// assert_eq!(Heap.evaluate(&7, Heap.fitted()), 90);
/// ```
pub trait Evaluate: Game {
    /// What each feature is called.
    fn feature_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// The features of a position as its mover sees it; `out` has one place a feature, zeroed.
    fn features(&self, _position: &Self::Position, _out: &mut [f32]) {}

    /// A weight for each feature, in points of score, as `nutcracker tune` fitted them.
    fn fitted(&self) -> &[f32] {
        &[]
    }

    /// The guessed score of the side to move from here on, in hundredths of a point.
    ///
    /// A game overrides this where its evaluation can be computed without the list of its features;
    /// the two must agree.
    fn evaluate(&self, position: &Self::Position, weights: &[f32]) -> i32 {
        let mut features = vec![0.0; self.feature_names().len()];
        self.features(position, &mut features);
        weigh(&features, weights)
    }

    /// How promising a move looks before anything is searched: larger is tried earlier.
    fn promise(
        &self,
        _position: &Self::Position,
        _mv: &Self::Move,
        step: &Step<Self::Position>,
    ) -> i32 {
        i32::from(step.gain)
    }

    /// Whether a search should not stop at this position because its evaluation would be
    /// unreliable, such as in the middle of an exchange.
    fn is_unquiet(&self, _position: &Self::Position) -> bool {
        false
    }
}

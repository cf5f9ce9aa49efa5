//! Weights of the evaluation of connect four.

/// In points of score, for each feature; chosen by hand, not fitted yet.
pub(super) const FITTED: [f32; 6] = [0.05, 0.1, 1.0, 0.015, 0.004, 0.0];

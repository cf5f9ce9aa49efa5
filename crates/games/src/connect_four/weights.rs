//! Weights of the evaluation of connect four.

/// One weight for each feature.
pub(super) const FITTED: [f32; 6] = [0.05, 0.1, 1.0, 0.015, 0.004, 0.0];

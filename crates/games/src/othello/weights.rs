//! Fitted weights.

/// In points of score.
pub(super) const FITTED: [f32; 30] = [0.0; 30];

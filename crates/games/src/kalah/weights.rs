//! Fitted weights.

/// In points of score.
pub(super) const FITTED: [f32; 13] = [0.0; 13];

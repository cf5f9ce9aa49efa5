//! Weights fitted by `nutcracker tune`; docs/evaluation.md has their quality.

/// In points of score, by
/// `nutcracker tune kalah --from 4 --up-to 13 --test-up-to 16 --format rust`.
pub(super) const FITTED: [f32; 13] = [
    0.9590,  // seeds: own minus other
    0.7530,  // pits in use: own minus other
    -1.3348, // pits that reach the store: own minus other
    -0.8975, // seeds that go over: own minus other
    1.3994,  // moves again: own
    -0.8950, // moves again: other
    -0.1487, // any move again: own
    1.2625,  // best capture: own
    -0.0646, // best capture: other
    -0.0956, // capturing pits: own
    -0.4579, // capturing pits: other
    -0.1218, // first pit: own minus other
    0.1762,  // on move
];

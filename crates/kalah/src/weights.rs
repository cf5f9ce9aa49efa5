//! Weights fitted by `nutcracker tune`; docs/evaluation.md has their quality.

/// In points of score, by
/// `nutcracker tune kalah --from 4 --up-to 13 --test-up-to 16 --format rust`.
pub(super) const FITTED: [f32; 13] = [
    0.9639,  // seeds: own minus other
    0.7683,  // pits in use: own minus other
    -1.2936, // pits that reach the store: own minus other
    -0.9079, // seeds that go over: own minus other
    1.3766,  // moves again: own
    -0.8724, // moves again: other
    -0.1276, // any move again: own
    1.2530,  // best capture: own
    -0.0656, // best capture: other
    -0.0763, // capturing pits: own
    -0.4770, // capturing pits: other
    -0.1218, // first pit: own minus other
    0.1788,  // on move
];

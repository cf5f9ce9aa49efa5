//! Weights fitted by `nutcracker tune`; docs/evaluation.md has their quality.

/// In points of score, by
/// `nutcracker tune awari --from 8 --up-to 15 --test-up-to 19 --format rust`.
pub(super) const FITTED: [f32; 13] = [
    -13.5602, // stones, share of all: own minus other
    2.8444,   // pits in use: own minus other
    -0.8200,  // pits with one stone: own minus other
    -0.1506,  // pits with two stones: own minus other
    -0.4558,  // pits that reach over: own minus other
    2.6278,   // pits with twelve or more: own minus other
    0.1404,   // stones in the last pit: own minus other
    3.6504,   // steps within the row, share of all stones: own minus other
    1.8831,   // best capture: own
    -0.3354,  // best capture: other
    -0.2468,  // capturing pits: own
    -0.1799,  // capturing pits: other
    0.0840,   // on move
];

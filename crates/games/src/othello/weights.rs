//! What `nutcracker tune` fitted; docs/evaluation.md says how well.

/// In points of score, by
/// `nutcracker tune othello --games 20000 --solve-at 10 --format rust`.
pub(super) const FITTED: [f32; 30] = [
    -0.3118,  // discs, empty board
    -0.1622,  // moves, empty board
    -0.4529,  // empty squares beside the opponent's discs, empty board
    33.5122,  // corners, empty board
    -10.2356, // squares beside an empty corner, empty board
    -1.1846,  // squares diagonal to an empty corner, empty board
    2.1025,   // stable discs, empty board
    13.7674,  // corners to move to, empty board
    0.5587,   // parity, empty board
    1.3509,   // on move, empty board
    -0.4019,  // discs, half full board
    0.1442,   // moves, half full board
    -0.2751,  // empty squares beside the opponent's discs, half full board
    9.9615,   // corners, half full board
    -5.0893,  // squares beside an empty corner, half full board
    0.7910,   // squares diagonal to an empty corner, half full board
    1.7612,   // stable discs, half full board
    4.1400,   // corners to move to, half full board
    -2.2896,  // parity, half full board
    -0.6280,  // on move, half full board
    0.5108,   // discs, full board
    2.0222,   // moves, full board
    -0.1055,  // empty squares beside the opponent's discs, full board
    -0.9824,  // corners, full board
    -1.7796,  // squares beside an empty corner, full board
    -1.5956,  // squares diagonal to an empty corner, full board
    0.4756,   // stable discs, full board
    0.0768,   // corners to move to, full board
    0.8116,   // parity, full board
    1.8064,   // on move, full board
];

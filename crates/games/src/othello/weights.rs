//! Weights fitted by `nutcracker tune`; docs/evaluation.md has their quality.

/// In points of score, by `nutcracker tune othello --games 20000`, twice: the second time to games
/// played with the weights of the first.
pub(super) const FITTED: [f32; 30] = [
    -1.193,  // discs, empty board
    0.642,   // moves, empty board
    -0.524,  // empty squares beside the opponent's discs, empty board
    9.929,   // corners, empty board
    -8.928,  // squares beside an empty corner, empty board
    -15.162, // squares diagonal to an empty corner, empty board
    3.718,   // stable discs, empty board
    -0.536,  // corners to move to, empty board
    -2.392,  // parity, empty board
    -1.021,  // on move, empty board
    -0.787,  // discs, half full board
    -0.160,  // moves, half full board
    0.365,   // empty squares beside the opponent's discs, half full board
    8.920,   // corners, half full board
    -3.369,  // squares beside an empty corner, half full board
    -5.057,  // squares diagonal to an empty corner, half full board
    2.128,   // stable discs, half full board
    3.015,   // corners to move to, half full board
    -1.172,  // parity, half full board
    -2.164,  // on move, half full board
    0.335,   // discs, full board
    3.094,   // moves, full board
    -0.240,  // empty squares beside the opponent's discs, full board
    -1.803,  // corners, full board
    -0.791,  // squares beside an empty corner, full board
    1.824,   // squares diagonal to an empty corner, full board
    0.711,   // stable discs, full board
    0.927,   // corners to move to, full board
    0.564,   // parity, full board
    2.785,   // on move, full board
];

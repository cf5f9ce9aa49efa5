//! Heuristic evaluation of checkers: pieces, where men stand, and how free the pieces are.

use nutcracker_game::{Evaluate, Step, weigh};

use super::Checkers;
use super::board::{CheckersMove, CheckersPosition, HOME, SQUARES, bits, step};

/// Features.
const COUNT: usize = 11;

/// As `nutcracker tune` fitted them to the results of games: see docs/evaluation.md.
const FITTED: [f32; COUNT] = [
    0.4478 * SCALE,  // men: own minus other
    0.606 * SCALE,   // kings: own minus other
    0.009 * SCALE,   // ranks of men: own minus other
    0.0009 * SCALE,  // men on the home rank: own minus other
    0.1554 * SCALE,  // both men of the bridge: own minus other
    -0.1232 * SCALE, // men on the edge: own minus other
    -0.1357 * SCALE, // men in the centre: own minus other
    0.0667 * SCALE,  // kings away from the edge: own minus other
    0.0289 * SCALE,  // steps of men: own minus other
    0.0026 * SCALE,  // steps of kings: own minus other
    0.0022 * SCALE,  // on move
];

/// Results are -1, 0 or 1, and with a lead of a few men the fitted sum is more than a win. A search
/// compares estimates with each other, and with proven wins, which must be worth more than all.
const SCALE: f32 = 0.25;

/// What each feature is called.
const FEATURES: [&str; COUNT] = [
    "men: own minus other",
    "kings: own minus other",
    "ranks of men: own minus other",
    "men on the home rank: own minus other",
    "both men of the bridge: own minus other",
    "men on the edge: own minus other",
    "men in the centre: own minus other",
    "kings away from the edge: own minus other",
    "steps of men: own minus other",
    "steps of kings: own minus other",
    "on move",
];

/// Where the features of one side end.
const OF_A_SIDE: usize = COUNT - 1;

/// The features of one side, which plays up the board.
fn count(men: u32, kings: u32, empty: u32) -> [f32; OF_A_SIDE] {
    let ranks: u32 = bits(men).map(|man| man.trailing_zeros() / 4).sum();
    let count = |squares: u32| squares.count_ones() as f32;
    let steps = |pieces: u32, directions: u8| {
        let to = (0..directions).map(|direction| step(pieces, direction) & empty);
        to.map(u32::count_ones).sum::<u32>() as f32
    };
    [
        count(men),
        count(kings),
        ranks as f32,
        count(men & HOME),
        f32::from(u8::from(men & BRIDGE == BRIDGE)),
        count(men & !INNER & !HOME),
        count(men & CENTRE),
        count(kings & INNER),
        steps(men, 2),
        steps(kings, 4),
    ]
}

/// Two squares of the home rank from which men keep the opponent's from becoming kings.
const BRIDGE: u32 = 0b101;
/// Squares of the middle ranks on no edge.
const CENTRE: u32 = 0x00FF_FF00 & INNER;
/// Squares on no edge of the board.
const INNER: u32 = inner();

const fn inner() -> u32 {
    let (mut squares, mut square) = (0, 4);
    while square < SQUARES - 4 {
        let at_edge = if square / 4 % 2 == 0 { square % 4 == 3 } else { square % 4 == 0 };
        if !at_edge {
            squares |= 1 << square;
        }
        square += 1;
    }
    squares
}

fn features(position: &CheckersPosition) -> [f32; COUNT] {
    let turned = position.turned();
    let own = count(position.men, position.kings, position.empty());
    let other = count(turned.men, turned.kings, turned.empty());
    let mut out = [1.0; COUNT];
    for (out, (own, other)) in out.iter_mut().zip(own.into_iter().zip(other)) {
        *out = own - other;
    }
    out
}

impl Evaluate for Checkers {
    fn feature_names(&self) -> &'static [&'static str] {
        &FEATURES
    }

    fn features(&self, position: &CheckersPosition, out: &mut [f32]) {
        out.copy_from_slice(&features(position));
    }

    fn evaluate(&self, position: &CheckersPosition, weights: &[f32]) -> i32 {
        weigh(&features(position), weights)
    }

    fn fitted(&self) -> &[f32] {
        &FITTED
    }

    /// Captures are forced; of several, the one that takes most comes first, then promotions.
    fn promise(
        &self,
        position: &CheckersPosition,
        mv: &CheckersMove,
        step: &Step<CheckersPosition>,
    ) -> i32 {
        let promotes = step.converts && position.men >> mv.from & 1 != 0;
        4 * i32::from(mv.jumps) + i32::from(promotes)
    }

    /// A position in which a capture is forced decides little by itself.
    fn is_unquiet(&self, position: &CheckersPosition) -> bool {
        position.can_capture()
    }
}

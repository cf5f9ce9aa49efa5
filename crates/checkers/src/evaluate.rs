//! Heuristic evaluation of checkers: pieces, how far men have come, and the home rank.

use nutcracker_game::{Evaluate, Step};

use super::Checkers;
use super::board::{CheckersMove, CheckersPosition, HOME, SQUARES, bits};

/// In points of score, where a win is one point.
const FITTED: [f32; 6] = [
    0.10,  // men
    0.15,  // kings
    0.005, // ranks of men
    0.02,  // men on the home rank
    0.01,  // kings away from the edge
    0.01,  // on move
];

/// What each feature is called.
const FEATURES: [&str; 6] = [
    "men: own minus other",
    "kings: own minus other",
    "ranks of men: own minus other",
    "men on the home rank: own minus other",
    "kings away from the edge: own minus other",
    "on move",
];

/// The features of one side, which plays up the board.
fn count(men: u32, kings: u32) -> [f32; 5] {
    let ranks: u32 = bits(men).map(|man| man.trailing_zeros() / 4).sum();
    let count = |squares: u32| squares.count_ones() as f32;
    [count(men), count(kings), ranks as f32, count(men & HOME), count(kings & INNER)]
}

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

impl Evaluate for Checkers {
    fn feature_names(&self) -> &'static [&'static str] {
        &FEATURES
    }

    fn features(&self, position: &CheckersPosition, out: &mut [f32]) {
        let turned = position.turned();
        let own = count(position.men, position.kings);
        let other = count(turned.men, turned.kings);
        for (out, (own, other)) in out.iter_mut().zip(own.into_iter().zip(other)) {
            *out = own - other;
        }
        out[5] = 1.0;
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

//! Heuristic evaluation of kalah.

use std::cmp::Ordering;

use nutcracker_game::{Evaluate, Step, Turn, weigh};

use super::Kalah;
use super::weights::FITTED;
use nutcracker_boards::halves::{Board, stones};

/// The features of one side.
#[derive(Clone, Copy, Default)]
struct HalfFeatures {
    seeds: f32,
    pits: f32,
    /// Seeds that reach the side's own store when each pit is sown once.
    near: f32,
    /// Seeds that go to the other side then.
    over: f32,
    /// Pits whose last seed falls into the store.
    again: f32,
    /// The most seeds it could capture if it were to move, and the number of capturing pits.
    prize: f32,
    captures: f32,
}

impl Kalah {
    /// The features of a board's mover.
    fn side(&self, board: &Board) -> HalfFeatures {
        let pits = self.pits;
        let mut side = HalfFeatures { seeds: stones(&board.own) as f32, ..HalfFeatures::default() };
        for (pit, &seeds) in board.own[..pits].iter().enumerate() {
            if seeds == 0 {
                continue;
            }
            side.pits += 1.0;
            let distance = pits - pit;
            match usize::from(seeds).cmp(&distance) {
                Ordering::Less => {}
                Ordering::Equal => {
                    side.again += 1.0;
                    side.near += 1.0;
                }
                Ordering::Greater => {
                    side.near += 1.0;
                    side.over += (usize::from(seeds) - distance).min(pits) as f32;
                }
            }
            // A capture by a move within the mover's own pits: an empty pit with seeds opposite.
            let last = pit + usize::from(seeds);
            if last < pits && board.own[last] == 0 && board.other[pits - 1 - last] > 0 {
                side.captures += 1.0;
                side.prize = side.prize.max(f32::from(board.other[pits - 1 - last]) + 1.0);
            }
        }
        side
    }
}

/// What each feature is called.
const FEATURES: &[&str] = &[
    "seeds: own minus other",
    "pits in use: own minus other",
    "pits that reach the store: own minus other",
    "seeds that go over: own minus other",
    "moves again: own",
    "moves again: other",
    "any move again: own",
    "best capture: own",
    "best capture: other",
    "capturing pits: own",
    "capturing pits: other",
    "first pit: own minus other",
    "on move",
];

impl Evaluate for Kalah {
    fn feature_names(&self) -> &'static [&'static str] {
        FEATURES
    }

    fn features(&self, board: &Board, out: &mut [f32]) {
        let (own, other) = (self.side(board), self.side(&board.turned()));
        let values = [
            own.seeds - other.seeds,
            own.pits - other.pits,
            own.near - other.near,
            own.over - other.over,
            own.again,
            other.again,
            own.again.min(1.0),
            own.prize,
            other.prize,
            own.captures,
            other.captures,
            f32::from(board.own[0]) - f32::from(board.other[0]),
            1.0,
        ];
        out.copy_from_slice(&values);
    }

    fn fitted(&self) -> &[f32] {
        &FITTED
    }

    fn evaluate(&self, board: &Board, weights: &[f32]) -> i32 {
        let mut features = [0.0; FEATURES.len()];
        self.features(board, &mut features);
        weigh(&features, weights)
    }

    /// Moves that keep the turn, then those that bank most, then those from the pits nearest to the
    /// store, whose seeds are soonest lost to a longer sowing.
    fn promise(&self, _: &Board, &pit: &u8, step: &Step<Board>) -> i32 {
        let again = if step.turn == Turn::Stays { 1000 } else { 0 };
        again + 10 * i32::from(step.gain) + i32::from(pit)
    }
}

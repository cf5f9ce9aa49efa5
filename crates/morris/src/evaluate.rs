//! Heuristic evaluation of morris: men, lines, and room to move.

use nutcracker_game::{Evaluate, Step};

use super::Morris;
use super::board::each;
use super::position::{MorrisMove, MorrisPosition};

/// In points of score, where a win is one point.
const FITTED: [f32; 5] = [
    0.12, // men
    0.04, // stones in mills
    0.05, // lines that lack one stone
    0.02, // points to go to
    0.02, // on move
];

/// What each feature is called.
const FEATURES: [&str; 5] = [
    "men: own minus other",
    "stones in mills: own minus other",
    "lines that lack one stone: own minus other",
    "empty neighbours: own minus other",
    "on move",
];

impl Morris {
    fn count(&self, position: &MorrisPosition) -> [f32; 4] {
        let empty = self.empty(position);
        let near = each(position.own)
            .fold(0, |near, point| near | self.board.neighbours[point as usize] & empty);
        [
            position.men() as f32,
            self.board.in_mills(position.own).count_ones() as f32,
            self.board.open_lines(position.own, empty) as f32,
            near.count_ones() as f32,
        ]
    }
}

impl Evaluate for Morris {
    fn feature_names(&self) -> &'static [&'static str] {
        &FEATURES
    }

    fn features(&self, position: &MorrisPosition, out: &mut [f32]) {
        let both = self.count(position).into_iter().zip(self.count(&position.turned()));
        for (out, (own, other)) in out.iter_mut().zip(both) {
            *out = own - other;
        }
        out[4] = 1.0;
    }

    fn fitted(&self) -> &[f32] {
        &FITTED
    }

    /// Mills come first.
    fn promise(&self, _: &MorrisPosition, mv: &MorrisMove, _: &Step<MorrisPosition>) -> i32 {
        i32::from(mv.take.is_some())
    }
}

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

/// What a mill is worth, and a stone in the way of one, where moves are put in order: a line that
/// may become a mill is worth less than four, and there are up to four through a point.
const MILL: i32 = 1000;
const BLOCKED: i32 = 20;

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

    /// Mills come first, then stones that keep the opponent from one, then lines that may become one.
    fn promise(&self, position: &MorrisPosition, mv: &MorrisMove, _: &Step<MorrisPosition>) -> i32 {
        let rest = position.own & !mv.from.map_or(0, |from| 1 << from);
        let line = |&line: &u32| {
            let [own, other] = [rest, position.other].map(|stones| (line & stones).count_ones());
            match (line, own, other) {
                (0, ..) => 0,
                (_, 0, 2) => BLOCKED,
                (_, 1, 0) => 3,
                (_, 0, 1) => 2,
                (_, 0, 0) => 1,
                _ => 0,
            }
        };
        let lines: i32 = self.board.through[usize::from(mv.to)].iter().map(line).sum();
        let taken = mv.take.map_or(0, |take| {
            let left = position.other & !(1 << take);
            let empty = self.empty(position);
            let fewer =
                self.board.open_lines(position.other, empty) - self.board.open_lines(left, empty);
            MILL + fewer as i32
        });
        taken + lines
    }
}

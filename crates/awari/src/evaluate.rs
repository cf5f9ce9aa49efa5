//! Heuristic evaluation of awari.
//!
//! The spread of scores hardly grows with the number of stones on the board. So no feature does:
//! counts of stones are shares of all stones, or bounded. Weights fitted to endgames with few
//! stones are then meaningful on a full board.

use nutcracker_game::{Evaluate, Step, weigh};

use super::weights::FITTED;
use super::{Awari, Pit, is_prize};
use nutcracker_boards::halves::{Board, Half, stones};

/// From this many stones on, a sowing comes round the board.
const KROO: u8 = 12;

/// The features of one side.
#[derive(Clone, Copy, Default)]
struct HalfFeatures {
    stones: f32,
    pits: f32,
    ones: f32,
    twos: f32,
    reach: f32,
    kroos: f32,
    last: f32,
    /// The steps its stones can take before they leave its row, one by one.
    room: f32,
    /// The most stones it could capture if it were to move, and the number of capturing pits.
    prize: f32,
    captures: f32,
}

impl Awari {
    /// The features of a board's mover, without the opponent's.
    fn side(&self, board: &Board) -> HalfFeatures {
        let pits = self.pits();
        let mut side =
            HalfFeatures { stones: stones(&board.own) as f32, ..HalfFeatures::default() };
        for (pit, &stones) in board.own[..pits].iter().enumerate() {
            if stones == 0 {
                continue;
            }
            side.pits += 1.0;
            side.room += f32::from(stones) * (pits - 1 - pit) as f32;
            side.ones += f32::from(u8::from(stones == 1));
            side.twos += f32::from(u8::from(stones == 2));
            side.kroos += f32::from(u8::from(stones >= KROO));
            let mut sown = self.sow(board, pit);
            side.reach += f32::from(u8::from(usize::from(stones) + pit >= pits));
            let captured = Self::capture(&mut sown);
            // Captures of all the opponent's stones are not legal moves.
            if captured > 0 && sown.other != Half::default() {
                side.captures += 1.0;
                side.prize = side.prize.max(f32::from(captured));
            }
        }
        side.last = f32::from(board.own[pits - 1].min(KROO));
        side
    }
}

/// What each feature is called.
const FEATURES: &[&str] = &[
    "stones, share of all: own minus other",
    "pits in use: own minus other",
    "pits with one stone: own minus other",
    "pits with two stones: own minus other",
    "pits that reach over: own minus other",
    "pits with twelve or more: own minus other",
    "stones in the last pit: own minus other",
    "steps within the row, share of all stones: own minus other",
    "best capture: own",
    "best capture: other",
    "capturing pits: own",
    "capturing pits: other",
    "on move",
];

impl Evaluate for Awari {
    fn feature_names(&self) -> &'static [&'static str] {
        FEATURES
    }

    fn features(&self, board: &Board, out: &mut [f32]) {
        let (own, other) = (self.side(board), self.side(&board.turned()));
        let all = (own.stones + other.stones).max(1.0);
        let values = [
            (own.stones - other.stones) / all,
            own.pits - other.pits,
            own.ones - other.ones,
            own.twos - other.twos,
            own.reach - other.reach,
            own.kroos - other.kroos,
            own.last - other.last,
            (own.room - other.room) / all,
            own.prize,
            other.prize,
            own.captures,
            other.captures,
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

    /// Captures first, then moves that leave the opponent the least to capture.
    fn promise(&self, _: &Board, _: &Pit, step: &Step<Board>) -> i32 {
        let mut least = 0;
        for &pit in &step.next.other[..self.pits()] {
            least += i32::from(is_prize(pit + 1));
        }
        100 * i32::from(step.gain) - least
    }
}

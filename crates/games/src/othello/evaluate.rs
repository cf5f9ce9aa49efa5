//! Heuristic evaluation of Othello.
//!
//! The importance of features changes during a game: mobility in the beginning, discs in the end.
//! So every feature has three weights, for an empty, a half full and a full board, and between
//! these the two nearest are interpolated.

use nutcracker_game::{Evaluate, Step, weigh};

use super::discs::{FILE_A, spread};
use super::weights::FITTED;
use super::{Discs, Move, Othello};

/// Features of the board.
const KINDS: usize = 10;
/// Weights: one for each feature and stage.
const STAGES: usize = 3;

/// Squares of special importance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Regions {
    /// The corners, one by one.
    corners: [u64; 4],
    /// The squares beside each of them along the edges.
    beside: [u64; 4],
    /// The square diagonal to each of them.
    diagonal: [u64; 4],
    /// The outermost files, and the outermost ranks.
    sides: [u64; 2],
    /// All squares of the edge.
    edge: u64,
}

impl Regions {
    pub(super) fn new(size: usize) -> Self {
        let last = size - 1;
        let square = |file: usize, rank: usize| 1u64 << (8 * rank + file);
        let near = |at: usize| if at == 0 { 1 } else { at - 1 };
        let corners = [(0, 0), (last, 0), (0, last), (last, last)];
        let row = u64::MAX >> (64 - size);
        let file = FILE_A & (u64::MAX >> (64 - 8 * size));
        let sides = [file | file << last, row | row << (8 * last)];
        Regions {
            corners: corners.map(|(file, rank)| square(file, rank)),
            beside: corners.map(|(file, rank)| square(near(file), rank) | square(file, near(rank))),
            diagonal: corners.map(|(file, rank)| square(near(file), near(rank))),
            sides,
            edge: sides[0] | sides[1],
        }
    }

    fn all_corners(&self) -> u64 {
        self.corners.iter().fold(0, |all, corner| all | corner)
    }

    /// Discs of one side that can never be flipped: every line through them ends on one of its two
    /// sides at the edge of the board or with such a disc. There may be more than are found.
    fn stable(&self, discs: u64) -> u64 {
        let mut stable = discs & self.all_corners();
        if stable == 0 {
            return 0;
        }
        let [files, ranks] = self.sides;
        loop {
            let across = files | (stable << 1 & !FILE_A) | (stable >> 1 & !(FILE_A << 7));
            let along = ranks | stable << 8 | stable >> 8;
            let falling = self.edge | (stable << 9 & !FILE_A) | (stable >> 9 & !(FILE_A << 7));
            let rising = self.edge | (stable << 7 & !(FILE_A << 7)) | (stable >> 7 & !FILE_A);
            let more = discs & across & along & falling & rising | stable;
            if more == stable {
                return stable;
            }
            stable = more;
        }
    }
}

fn count(set: u64) -> f32 {
    set.count_ones() as f32
}

impl Othello {
    /// The features of the board, without the stage.
    fn kinds(&self, discs: Discs) -> [f32; KINDS] {
        let regions = &self.regions;
        let Discs { own, other } = discs;
        let empty = self.area & !discs.occupied();
        let (mine, theirs) = (discs.targets(self.area), discs.turned().targets(self.area));
        let corners = regions.all_corners();
        let (mut beside, mut diagonal) = (0, 0);
        for i in 0..4 {
            if empty & regions.corners[i] != 0 {
                beside |= regions.beside[i];
                diagonal |= regions.diagonal[i];
            }
        }
        let difference = |own: u64, other: u64| count(own) - count(other);
        [
            difference(own, other),
            difference(mine, theirs),
            difference(empty & spread(other), empty & spread(own)),
            difference(own & corners, other & corners),
            difference(own & beside, other & beside),
            difference(own & diagonal, other & diagonal),
            difference(regions.stable(own), regions.stable(other)),
            difference(mine & corners, theirs & corners),
            if empty.count_ones() % 2 == 1 { 1.0 } else { -1.0 },
            1.0,
        ]
    }

    /// The weight of each stage: 1 in total on the standard board, and less on a smaller one, whose
    /// scores are smaller too.
    fn stages(&self, discs: Discs) -> [f32; STAGES] {
        let squares = (self.size * self.size) as f32;
        let part = 2.0 * (1.0 - self.empty(discs) as f32 / (squares - 4.0));
        let stages = [(1.0 - part).max(0.0), 1.0 - (1.0 - part).abs(), (part - 1.0).max(0.0)];
        stages.map(|stage| stage * squares / 64.0)
    }
}

/// What each feature is called.
const FEATURES: &[&str] = &[
    "discs, empty board",
    "moves, empty board",
    "empty squares beside the opponent's discs, empty board",
    "corners, empty board",
    "squares beside an empty corner, empty board",
    "squares diagonal to an empty corner, empty board",
    "stable discs, empty board",
    "corners to move to, empty board",
    "parity, empty board",
    "on move, empty board",
    "discs, half full board",
    "moves, half full board",
    "empty squares beside the opponent's discs, half full board",
    "corners, half full board",
    "squares beside an empty corner, half full board",
    "squares diagonal to an empty corner, half full board",
    "stable discs, half full board",
    "corners to move to, half full board",
    "parity, half full board",
    "on move, half full board",
    "discs, full board",
    "moves, full board",
    "empty squares beside the opponent's discs, full board",
    "corners, full board",
    "squares beside an empty corner, full board",
    "squares diagonal to an empty corner, full board",
    "stable discs, full board",
    "corners to move to, full board",
    "parity, full board",
    "on move, full board",
];

impl Evaluate for Othello {
    fn feature_names(&self) -> &'static [&'static str] {
        FEATURES
    }

    fn features(&self, discs: &Discs, out: &mut [f32]) {
        let kinds = self.kinds(*discs);
        for (out, stage) in out.chunks_exact_mut(KINDS).zip(self.stages(*discs)) {
            for (out, kind) in out.iter_mut().zip(kinds) {
                *out = kind * stage;
            }
        }
    }

    fn fitted(&self) -> &[f32] {
        &FITTED
    }

    fn evaluate(&self, discs: &Discs, weights: &[f32]) -> i32 {
        let mut features = [0.0; KINDS * STAGES];
        self.features(discs, &mut features);
        weigh(&features, weights)
    }

    /// Corners first, squares that give one away last, and otherwise the moves that leave the
    /// opponent the fewest moves.
    fn promise(&self, discs: &Discs, mv: &Move, step: &Step<Discs>) -> i32 {
        let Move::Disc(square) = *mv else { return 0 };
        let square = 1u64 << square;
        let regions = &self.regions;
        let mut worth = 0;
        for i in 0..4 {
            if regions.corners[i] == square {
                worth += 12;
            } else if (regions.diagonal[i] & square) != 0
                && discs.occupied() & regions.corners[i] == 0
            {
                worth -= 6;
            }
        }
        worth - step.next.targets(self.area).count_ones() as i32
    }
}

#[cfg(test)]
mod tests {
    use nutcracker_game::Rules;

    use super::*;

    #[test]
    fn regions_of_all_sizes() {
        let regions = Regions::new(4);
        assert_eq!(regions.all_corners(), 0x0900_0009);
        assert_eq!(regions.edge, 0x0F09_090F);
        assert_eq!(regions.diagonal, [1 << 9, 1 << 10, 1 << 17, 1 << 18]);
        assert_eq!(regions.beside[0], 1 << 1 | 1 << 8);
        assert_eq!(Regions::new(8).all_corners(), 0x8100_0000_0000_0081);
        assert_eq!(Regions::new(8).edge, 0xFF81_8181_8181_81FF);
    }

    /// No line of play flips a disc that was classified as stable.
    #[test]
    fn stable_discs_never_turn() {
        let mut random = 3u64;
        let mut seen = 0;
        for size in [4, 6, 8] {
            let othello = Othello::new(size).unwrap();
            for _ in 0..200 {
                let mut at = othello.start();
                let [mut first, mut second] = [0; 2];
                let mut moves = Vec::new();
                loop {
                    let [own, other] = match at.mover {
                        nutcracker_game::Side::First => [&mut first, &mut second],
                        nutcracker_game::Side::Second => [&mut second, &mut first],
                    };
                    assert_eq!(*own & !at.position.own, 0);
                    assert_eq!(*other & !at.position.other, 0);
                    *own |= othello.regions.stable(at.position.own);
                    *other |= othello.regions.stable(at.position.other);
                    seen += own.count_ones() + other.count_ones();
                    moves.clear();
                    othello.moves(&at.position, &mut moves);
                    if moves.is_empty() {
                        break;
                    }
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let mv = moves[((random >> 33) % moves.len() as u64) as usize];
                    at = othello.advance(&at, &othello.play(&at.position, &mv));
                }
            }
        }
        assert!(seen > 10_000);
    }
}

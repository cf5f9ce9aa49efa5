//! A class as the check walks through it, by its moves.

use nutcracker_game::{ForwardView, Score, SliceId, Target, Turn};

use crate::board::{ChessPosition, Role};
use crate::digits::{Digits, Way};
use crate::index::{Layout, layout};
use crate::material::{CLASSES, counts};

/// A class of men, with both sides to move.
#[derive(Clone, Copy, Debug)]
pub struct ChessForward {
    layout: &'static Layout,
    /// Walks by digits, where that is possible.
    digits: Option<Digits>,
}

impl ChessForward {
    pub(crate) fn new(slice: SliceId) -> Self {
        let layout = layout(slice.0);
        ChessForward { layout, digits: Digits::new(slice, layout) }
    }

    /// The digits of a number, if it is walked by them.
    #[inline(always)]
    fn digits(&self, index: u64) -> Option<&Digits> {
        self.digits.as_ref().filter(|digits| digits.covers(index))
    }

    /// The position with a number, and where its moves lead; `None` for a hole.
    #[inline]
    fn collect(&self, index: u64, out: &mut Vec<Target>) -> Option<ChessPosition> {
        let Some(digits) = self.digits(index) else {
            let position = self.layout.unrank(index)?;
            self.targets(position, |target| out.push(target));
            return Some(position);
        };
        let at = digits.at(index)?;
        at.ways(|way| match way {
            Way::Quiet(role, from, to) => {
                digits.quiet(&at, role, from, to, |index| out.push(Target::Inside(index)));
            }
            Way::Push(mv) => out.push(Target::Zeroing(digits.pushed(&at, mv))),
            Way::Leaves(mv) => {
                let (slice, index) = digits.left(&at, mv);
                out.push(outside(slice, index));
            }
        });
        Some(at.position)
    }
}

/// The score of a position that has no moves.
fn over(position: &ChessPosition, stuck: bool) -> Option<Score> {
    stuck.then(|| -Score::from(position.is_check()))
}

/// A position of a smaller class.
fn outside(slice: SliceId, index: u64) -> Target {
    Target::Outside { slice, index, gain: 0, turn: Turn::Passes, converts: true }
}

/// Numbers in a walk.
const WALK: u64 = 1 << 10;

/// Which side of its class is to move.
#[inline]
fn mover(position: &ChessPosition) -> usize {
    let [own, other] = counts(position);
    CLASSES.find(own, other).map_or(0, |found| found.1)
}

impl ForwardView for ChessForward {
    type Position = ChessPosition;
    type Key = ChessPosition;
    type Cursor = ();

    fn key_at(&self, (): &mut (), index: u64) -> Option<ChessPosition> {
        self.layout.unrank(index)
    }

    fn second_key_at(&self, (): &mut (), second: u64) -> Option<ChessPosition> {
        self.layout.unrank(second)
    }

    fn locate(&self, position: &ChessPosition) -> (u64, ChessPosition) {
        let index = self.index(*position);
        (index, self.layout.unrank(index).unwrap_or(*position))
    }

    fn position(&self, key: ChessPosition) -> ChessPosition {
        key
    }

    fn index(&self, key: ChessPosition) -> u64 {
        self.layout.rank(&key, mover(&key))
    }

    fn outcome(&self, key: ChessPosition) -> Option<Score> {
        over(&key, !key.can_move())
    }

    fn targets(&self, key: ChessPosition, mut visit: impl FnMut(Target)) {
        let next_mover = self.layout.next(mover(&key));
        key.legal(|found| {
            let (next, converts) = key.after(found.mv);
            if !converts {
                let index = self.layout.rank(&next, next_mover);
                let zeroes = found.role == Role::Pawn;
                visit(if zeroes { Target::Zeroing(index) } else { Target::Inside(index) });
                return;
            }
            let [own, other] = counts(&next);
            let (slice, mover) = CLASSES.find(own, other).expect("fewer men: a smaller class");
            visit(outside(slice, layout(slice.0).rank(&next, mover)));
        });
    }

    fn inside_second(&self, key: ChessPosition, visit: impl FnMut(u64)) {
        self.inside(key, visit);
    }

    fn inside_at(&self, (): &mut (), index: u64, mut visit: impl FnMut(u64, bool)) {
        let Some(digits) = self.digits(index) else {
            let Some(key) = self.layout.unrank(index) else { return };
            self.targets(key, |target| {
                if let Some((index, zeroes)) = target.inside() {
                    visit(index, zeroes);
                }
            });
            return;
        };
        let Some(at) = digits.at(index) else { return };
        at.ways(|way| match way {
            Way::Quiet(role, from, to) => {
                digits.quiet(&at, role, from, to, |index| visit(index, false));
            }
            Way::Push(mv) => visit(digits.pushed(&at, mv), true),
            Way::Leaves(_) => {}
        });
    }

    fn walks(&self) -> u64 {
        self.layout.len().div_ceil(WALK)
    }

    fn walk(&self, walk: u64, mut visit: impl FnMut(u64, Option<Score>, &[Target])) {
        let mut targets = Vec::new();
        for index in walk * WALK..((walk + 1) * WALK).min(self.layout.len()) {
            targets.clear();
            if let Some(position) = self.collect(index, &mut targets) {
                visit(index, over(&position, targets.is_empty()), &targets);
            }
        }
    }
}

//! A class as the check walks through it, by its moves.

use nutcracker_game::{ForwardView, Score, SliceId, Target, Turn};

use crate::board::{ChessPosition, Role};
use crate::index::{Layout, layout};
use crate::material::{CLASSES, counts};

/// A class of men, with both sides to move.
#[derive(Clone, Copy, Debug)]
pub struct ChessForward {
    layout: &'static Layout,
}

impl ChessForward {
    pub(crate) fn new(slice: SliceId) -> Self {
        ChessForward { layout: layout(slice.0) }
    }
}

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
        (!key.can_move()).then(|| -Score::from(key.is_check()))
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
            let index = layout(slice.0).rank(&next, mover);
            visit(Target::Outside { slice, index, gain: 0, turn: Turn::Passes, converts });
        });
    }

    fn inside_second(&self, key: ChessPosition, visit: impl FnMut(u64)) {
        self.inside(key, visit);
    }
}

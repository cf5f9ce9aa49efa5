//! Checkers as solvers and the check walk through it: nothing is allocated, and what does not change
//! from one number to the next is not computed again.

use nutcracker_game::{
    Children, Exits, ForwardView, Metric, Numbering, Score, SliceId, SliceView, Target, Turn,
};

use super::Checkers;
use super::board::{CROWN, CheckersPosition, step};
use super::index::{Layout, Walk};
use super::material::{OVER, Slice, Slices};
use super::numbering::LOST;

/// A slice of checkers.
#[derive(Clone, Copy, Debug)]
pub struct CheckersView {
    id: SliceId,
    /// `None` if one side has no pieces left.
    slice: Option<&'static Slice>,
    len: u64,
    /// The first number in which the second side has the move.
    second: u64,
}

/// A position, and whether the slice's second side has the move.
type Key = (CheckersPosition, bool);

/// Where a walk through the numbers is.
#[derive(Clone, Debug, Default)]
pub struct Cursor(Option<(bool, Walk)>);

impl CheckersView {
    pub(super) fn new(id: SliceId) -> Self {
        let slice = Slices::get().slice(id);
        let lens: Vec<u64> =
            slice.map_or(vec![1], |slice| slice.layouts.iter().map(Layout::len).collect());
        CheckersView { id, slice, len: lens.iter().sum(), second: lens[0] }
    }

    fn key(&self, cursor: &mut Cursor, index: u64) -> Key {
        let Some(slice) = self.slice else { return (LOST, false) };
        let second = index >= self.second;
        let (layout, index) = match &slice.layouts[..] {
            [_, other] if second => (other, index - self.second),
            [first, ..] => (first, index),
            [] => return (LOST, false),
        };
        match &mut cursor.0 {
            Some((side, walk)) if *side == second => (layout.walk_to(walk, index), second),
            _ => {
                let mut walk = Walk::default();
                let position = layout.walk_to(&mut walk, index);
                cursor.0 = Some((second, walk));
                (position, second)
            }
        }
    }

    #[inline]
    fn number(&self, position: &CheckersPosition, second: bool) -> u64 {
        match self.slice.map(|slice| &slice.layouts[..]) {
            Some([_, other]) if second => self.second + other.rank(position),
            Some([first, ..]) => first.rank(position),
            _ => 0,
        }
    }

    /// Whether the second side has the move after one of the other, in this slice.
    fn flipped(&self, second: bool) -> bool {
        !second && self.second < self.len
    }

    /// The number of steps that stay in the slice, of a position without captures; and the men that
    /// can become kings.
    fn steps_inside(position: &CheckersPosition) -> (u16, bool) {
        let empty = position.empty();
        let (mut inside, mut crowns) = (0, false);
        for direction in 0..4 {
            inside += (step(position.kings, direction) & empty).count_ones();
        }
        for direction in 0..2 {
            let to = step(position.men, direction) & empty;
            inside += (to & !CROWN).count_ones();
            crowns |= to & CROWN != 0;
        }
        (inside as u16, crowns)
    }

    fn exits_at<C: Children>(
        metric: Metric,
        position: &CheckersPosition,
        children: &C,
    ) -> Result<Exits, C::Error> {
        let captures = position.can_capture();
        let (internal, crowns) = if captures { (0, false) } else { Self::steps_inside(position) };
        let mut exits = Exits { best: Exits::NONE, internal };
        if !captures && !crowns {
            if internal == 0 {
                exits.best = metric.over(-1) as i8;
            }
            return Ok(exits);
        }
        // A distance too large to store is less than a draw and more than every other loss.
        let (mut draws, mut too_far, mut failed) = (false, false, None);
        position.each_move(|_, effect| {
            if failed.is_some() || effect.captured == 0 && !position.promotes(effect) {
                return;
            }
            let next = position.after(effect);
            let value = match children.score(Checkers.slice_of(&next), Checkers.rank(&next)) {
                Ok(score) => {
                    let value = metric.through(0, Turn::Passes, true, score);
                    if metric.is_too_far(value, score) {
                        too_far = true;
                    } else {
                        draws |= value == 0;
                    }
                    value
                }
                Err(error) => {
                    failed = Some(error);
                    return;
                }
            };
            exits.best = exits.best.max(value as i8);
        });
        match failed {
            Some(error) => Err(error),
            None if too_far && exits.best == 0 && !draws => Ok(Exits::TOO_FAR),
            None => Ok(exits),
        }
    }
}

impl SliceView for CheckersView {
    type Key = Key;
    type Cursor = Cursor;

    fn len(&self) -> u64 {
        self.len
    }

    fn key_at(&self, cursor: &mut Cursor, index: u64) -> Key {
        self.key(cursor, index)
    }

    fn second_index(&self, (position, second): Key) -> u64 {
        self.number(&position, second)
    }

    fn predecessors(&self, (position, second): Key, mut visit: impl FnMut(u64, Key)) {
        if self.id == OVER {
            return;
        }
        let second = self.flipped(second);
        position.each_before(|before| visit(self.number(&before, second), (before, second)));
    }

    fn exits<C: Children>(
        &self,
        metric: Metric,
        part: u64,
        children: &C,
        mut put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        let range = self.part_range(part);
        if self.id == OVER {
            put(0, &[Exits { best: metric.over(-1) as i8, internal: 0 }]);
            return Ok(());
        }
        let (mut cursor, mut run) =
            (Cursor::default(), Vec::with_capacity((range.end - range.start) as usize));
        for index in range.clone() {
            let (position, _) = self.key(&mut cursor, index);
            run.push(Self::exits_at(metric, &position, children)?);
        }
        put(range.start, &run);
        Ok(())
    }
}

impl ForwardView for CheckersView {
    type Position = CheckersPosition;
    type Key = CheckersPosition;
    type Cursor = Cursor;

    fn key_at(&self, cursor: &mut Cursor, index: u64) -> Option<CheckersPosition> {
        Some(self.key(cursor, index).0)
    }

    fn second_key_at(&self, cursor: &mut Cursor, second: u64) -> Option<CheckersPosition> {
        Some(self.key(cursor, second).0)
    }

    fn locate(&self, position: &CheckersPosition) -> (u64, CheckersPosition) {
        let position = if self.id == OVER { LOST } else { *position };
        (self.index(position), position)
    }

    fn position(&self, position: CheckersPosition) -> CheckersPosition {
        position
    }

    fn index(&self, position: CheckersPosition) -> u64 {
        self.number(&position, Slices::get().of(&position).1)
    }

    fn outcome(&self, position: CheckersPosition) -> Option<Score> {
        (!position.can_move()).then_some(-1)
    }

    fn targets(&self, position: CheckersPosition, mut visit: impl FnMut(Target)) {
        let second = self.flipped(Slices::get().of(&position).1);
        position.each_move(|_, effect| {
            let next = position.after(effect);
            visit(if effect.captured == 0 && !position.promotes(effect) {
                Target::Inside(self.number(&next, second))
            } else {
                let (slice, index) = (Checkers.slice_of(&next), Checkers.rank(&next));
                Target::Outside { slice, index, gain: 0, turn: Turn::Passes, converts: true }
            });
        });
    }

    fn inside_second(&self, position: CheckersPosition, visit: impl FnMut(u64)) {
        self.inside(position, visit);
    }
}

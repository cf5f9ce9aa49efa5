//! Checkers as solvers and the check walk through it: nothing is allocated, and what does not change
//! from one number to the next is not computed again.

use nutcracker_game::{
    Children, Exits, ForwardView, Metric, Numbering, Score, SliceId, SliceView, Target, Turn,
};

use super::Checkers;
use super::board::{CROWN, CheckersPosition, step};
use super::index::{Layout, Walk};
use super::material::{OVER, Side, Slice};
use super::numbering::LOST;

/// A slice of checkers.
#[derive(Clone, Copy, Debug)]
pub struct CheckersView {
    game: Checkers,
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
    pub(super) fn new(game: Checkers, id: SliceId) -> Self {
        let slice = game.slices().slice(id);
        let lens: Vec<u64> =
            slice.map_or(vec![1], |slice| slice.layouts.iter().map(Layout::len).collect());
        CheckersView { game, id, slice, len: lens.iter().sum(), second: lens[0] }
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

    /// The side to move; `None` where one has no pieces left.
    fn mover(&self, second: bool) -> Option<Side> {
        self.slice.map(|slice| slice.sides[usize::from(second)])
    }

    /// Squares whose reaching takes the mover's men out of the slice.
    fn beyond(&self, second: bool) -> u32 {
        self.mover(second).map_or(CROWN, Side::beyond)
    }

    /// Whether the second side has the move in a position.
    fn is_second(&self, position: &CheckersPosition) -> bool {
        self.game.slices().of(position).1
    }

    /// Whether the second side has the move after one of the other, in this slice.
    fn flipped(&self, second: bool) -> bool {
        !second && self.second < self.len
    }

    /// The number of steps that stay in the slice, of a position without captures; and whether men
    /// can leave it.
    fn steps_inside(position: &CheckersPosition, beyond: u32) -> (u16, bool) {
        let empty = position.empty();
        let (mut inside, mut leaves) = (0, false);
        for direction in 0..4 {
            inside += (step(position.kings, direction) & empty).count_ones();
        }
        for direction in 0..2 {
            let to = step(position.men, direction) & empty;
            inside += (to & !beyond).count_ones();
            leaves |= to & beyond != 0;
        }
        (inside as u16, leaves)
    }

    fn exits_at<C: Children>(
        &self,
        metric: Metric,
        (position, second): &Key,
        children: &C,
    ) -> Result<Exits, C::Error> {
        let captures = position.can_capture();
        let beyond = self.beyond(*second);
        let (internal, leaves) =
            if captures { (0, false) } else { Self::steps_inside(position, beyond) };
        let mut exits = Exits { best: Exits::NONE, internal };
        if !captures && !leaves {
            if internal == 0 {
                exits.best = metric.over(-1) as i8;
            }
            return Ok(exits);
        }
        // A distance too large to store is less than a draw and more than every other loss.
        let (mut draws, mut too_far, mut failed) = (false, false, None);
        position.each_move(|_, effect| {
            if failed.is_some() || !position.leaves(effect, beyond) {
                return;
            }
            let next = position.after(effect);
            let value = match children.score(self.game.slice_of(&next), self.game.rank(&next)) {
                Ok(score) => {
                    let value = metric.through(0, Turn::Passes, position.converts(effect), score);
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
        // A foremost man that stepped here from the rank before was in another slice there.
        let lead = self.mover(second).map_or(u32::MAX, Side::lead_rank);
        position.each_before(|before| {
            if lead == u32::MAX || before.men & lead != 0 {
                visit(self.number(&before, second), (before, second));
            }
        });
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
            let key = self.key(&mut cursor, index);
            run.push(self.exits_at(metric, &key, children)?);
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
        self.number(&position, self.is_second(&position))
    }

    fn outcome(&self, position: CheckersPosition) -> Option<Score> {
        (!position.can_move()).then_some(-1)
    }

    fn targets(&self, position: CheckersPosition, mut visit: impl FnMut(Target)) {
        let second = self.is_second(&position);
        let (beyond, next_second) = (self.beyond(second), self.flipped(second));
        position.each_move(|_, effect| {
            let next = position.after(effect);
            visit(if position.leaves(effect, beyond) {
                let (slice, index) = (self.game.slice_of(&next), self.game.rank(&next));
                let converts = position.converts(effect);
                Target::Outside { slice, index, gain: 0, turn: Turn::Passes, converts }
            } else {
                Target::Inside(self.number(&next, next_second))
            });
        });
    }

    fn inside_second(&self, position: CheckersPosition, visit: impl FnMut(u64)) {
        self.inside(position, visit);
    }
}

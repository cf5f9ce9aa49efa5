//! Morris as solvers and the check walk through it: nothing is allocated, and the numbers of
//! successors are found without looking up their slice.

use std::ops::Range;

use nutcracker_game::{
    Children, Exits, ForwardView, Metric, Numbering, Rules, Score, SliceId, SliceView, Target, Turn,
};

use super::Morris;
use super::classes::NO_OTHER;
use super::index::Layout;
use super::numbering::LOST;
use super::position::MorrisPosition;
use super::row::Row;
use super::slices::{Stones, hands_of};

/// A slice of morris.
#[derive(Clone, Debug)]
pub struct MorrisView {
    game: Morris,
    /// None if the game is over for want of men; two if either side of a slice with different
    /// numbers of stones may have the move.
    layouts: Vec<Layout>,
    /// The first number of the second layout, or the number of all.
    second: u64,
    len: u64,
    /// The mover's stones in hand, and the opponent's.
    hands: [u8; 2],
}

/// More than a position has moves that take nothing once all stones are placed.
const MOST_QUIET: usize = 96;

/// A number, and the stones of the position that stands for it and its images.
type Numbered = (u64, [u32; 2]);

/// Some positions by number, images of one another once.
struct Numbers {
    list: [Numbered; MOST_QUIET],
    len: usize,
}

impl Numbers {
    fn new() -> Self {
        Numbers { list: [(0, [0; 2]); MOST_QUIET], len: 0 }
    }

    fn push(&mut self, numbered: Numbered) {
        self.list[self.len] = numbered;
        self.len += 1;
    }

    /// Each of them once, in ascending order.
    fn different(&mut self) -> impl Iterator<Item = Numbered> {
        let list = &mut self.list[..self.len];
        list.sort_unstable();
        let mut last = None;
        list.iter().copied().filter(move |&(number, _)| last.replace(number) != Some(number))
    }
}

impl MorrisView {
    pub(super) fn new(game: &Morris, id: SliceId) -> Self {
        let stones = game.slices.stones(id);
        let layouts = game.layouts(stones);
        let len = if layouts.is_empty() { 1 } else { layouts.iter().map(Layout::len).sum() };
        let second = layouts.first().map_or(1, Layout::len);
        let hands = match stones {
            Stones::Placing { hands, .. } => hands_of(hands),
            Stones::Over | Stones::Moving { .. } => [0; 2],
        };
        MorrisView { game: game.clone(), layouts, second, len, hands }
    }

    fn at(&self, index: u64) -> Option<MorrisPosition> {
        let [own, other] = match &self.layouts[..] {
            [] => return Some(LOST),
            [_, second] if index >= self.second => second.unrank(index - self.second)?,
            [first, ..] => first.unrank(index)?,
        };
        Some(MorrisPosition { own, other, hand: self.hands[0], other_hand: self.hands[1] })
    }

    /// The number of a position of this slice.
    #[inline]
    fn numbered(&self, position: &MorrisPosition) -> Numbered {
        let (own, other) = (position.own, position.other);
        match &self.layouts[..] {
            [] => (0, [LOST.own, LOST.other]),
            [first, second] if own.count_ones() != first.own => {
                let (number, stones) = second.rank(own, other);
                (self.second + number, stones)
            }
            [first, ..] => first.rank(own, other),
        }
    }

    fn number(&self, position: &MorrisPosition) -> u64 {
        self.numbered(position).0
    }

    /// The rows of a walk: who is on the move, and the classes of the opponent's stones.
    fn rows(&self, walk: u64) -> (Layout, Range<u64>) {
        let mut walk = walk;
        for &layout in &self.layouts {
            if let Some(later) = walk.checked_sub(walks(&layout)) {
                walk = later;
                continue;
            }
            let (size, all) = (rows_in_walk(&layout), layout.turned().classes());
            return (layout, walk * size..((walk + 1) * size).min(all));
        }
        unreachable!("a walk of the slice")
    }

    /// Whether moves that take nothing stay in the slice.
    fn moves_inside(&self) -> bool {
        self.hands[0] == 0 && !self.layouts.is_empty()
    }

    fn exits_at<C: Children>(
        &self,
        metric: Metric,
        position: &MorrisPosition,
        children: &C,
    ) -> Result<Exits, C::Error> {
        if let Some(score) = self.game.outcome(position) {
            return Ok(Exits { best: metric.over(score) as i8, internal: 0 });
        }
        let (mut inside, moves_inside) = (Numbers::new(), self.moves_inside());
        let mut exits = Exits { best: Exits::NONE, internal: 0 };
        // A distance too large to store is less than a draw and more than every other loss.
        let (mut draws, mut too_far, mut failed) = (false, false, None);
        self.game.each_move(position, |mv| {
            let next = position.after(mv);
            if moves_inside && mv.take.is_none() {
                inside.push(self.numbered(&next));
                return;
            }
            if failed.is_some() {
                return;
            }
            match children.score(self.game.slice_of(&next), self.game.rank(&next)) {
                Ok(score) => {
                    let value = metric.through(0, Turn::Passes, mv.take.is_some(), score);
                    if metric.is_too_far(value, score) {
                        too_far = true;
                    } else {
                        draws |= value == 0;
                    }
                    exits.best = exits.best.max(value as i8);
                }
                Err(error) => failed = Some(error),
            }
        });
        match failed {
            Some(error) => Err(error),
            None if too_far && exits.best == 0 && !draws => Ok(Exits::TOO_FAR),
            None => {
                exits.internal = inside.different().count() as u16;
                Ok(exits)
            }
        }
    }
}

impl SliceView for MorrisView {
    type Key = MorrisPosition;
    type Cursor = ();

    fn len(&self) -> u64 {
        self.len
    }

    fn key_at(&self, (): &mut (), index: u64) -> MorrisPosition {
        self.at(index).expect("only positions have values to spread")
    }

    fn second_index(&self, position: MorrisPosition) -> u64 {
        self.number(&position)
    }

    fn predecessors(&self, position: MorrisPosition, mut visit: impl FnMut(u64, MorrisPosition)) {
        if !self.moves_inside() {
            return;
        }
        let board = self.game.board;
        let classes = board.classes(position.own.count_ones());
        if classes.keep(classes.of(board, position.own).0) == NO_OTHER {
            // Only images by symmetries that keep the stones which have not moved are the same.
            self.game.each_before(&position, |before| {
                let (number, [own, other]) = self.numbered(&before);
                visit(number, MorrisPosition { own, other, ..position });
            });
            return;
        }
        let mut numbers = Numbers::new();
        self.game.each_before(&position, |before| numbers.push(self.numbered(&before)));
        for (number, [own, other]) in numbers.different() {
            visit(number, MorrisPosition { own, other, ..position });
        }
    }

    fn exits<C: Children>(
        &self,
        metric: Metric,
        part: u64,
        children: &C,
        mut put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        let range = self.part_range(part);
        let mut run = Vec::with_capacity((range.end - range.start) as usize);
        for index in range.clone() {
            run.push(match self.at(index) {
                Some(position) => self.exits_at(metric, &position, children)?,
                None => Exits::HOLE,
            });
        }
        put(range.start, &run);
        Ok(())
    }

    fn walks(&self) -> u64 {
        if self.moves_inside() { self.layouts.iter().map(walks).sum() } else { 0 }
    }

    fn walk_exits<C: Children>(
        &self,
        metric: Metric,
        walk: u64,
        children: &C,
        mut put: impl FnMut(u64, Exits),
    ) -> Result<(), C::Error> {
        let (layout, rows) = self.rows(walk);
        for class in rows {
            let row = Row::new(&self.game, layout, class as u32);
            row.exits(metric, children, |position, exits| put(self.number(&position), exits))?;
        }
        // A share of the holes.
        let walks = SliceView::walks(self);
        let share = |of: u64| of * walk / walks..of * (walk + 1) / walks;
        let mut start = 0;
        for layout in &self.layouts {
            layout.each_hole(share(layout.len()), |number| put(start + number, Exits::HOLE));
            start += layout.len();
        }
        Ok(())
    }
}

impl ForwardView for MorrisView {
    type Position = MorrisPosition;
    type Key = MorrisPosition;
    type Cursor = ();

    fn key_at(&self, (): &mut (), index: u64) -> Option<MorrisPosition> {
        self.at(index)
    }

    fn second_key_at(&self, (): &mut (), second: u64) -> Option<MorrisPosition> {
        self.at(second)
    }

    fn locate(&self, position: &MorrisPosition) -> (u64, MorrisPosition) {
        let position = self.game.canonical(position);
        (self.number(&position), position)
    }

    fn position(&self, position: MorrisPosition) -> MorrisPosition {
        position
    }

    fn index(&self, position: MorrisPosition) -> u64 {
        self.number(&position)
    }

    fn outcome(&self, position: MorrisPosition) -> Option<Score> {
        self.game.outcome(&position)
    }

    fn targets(&self, position: MorrisPosition, mut visit: impl FnMut(Target)) {
        if self.layouts.is_empty() {
            return;
        }
        let moves_inside = self.moves_inside();
        self.game.each_move(&position, |mv| {
            let next = position.after(mv);
            visit(if moves_inside && mv.take.is_none() {
                Target::Inside(self.number(&next))
            } else {
                Target::Outside {
                    slice: self.game.slice_of(&next),
                    index: self.game.rank(&next),
                    gain: 0,
                    turn: Turn::Passes,
                    converts: mv.take.is_some(),
                }
            });
        });
    }

    fn inside_second(&self, position: MorrisPosition, visit: impl FnMut(u64)) {
        self.inside(position, visit);
    }

    fn walks(&self) -> u64 {
        SliceView::walks(self)
    }

    fn walk(&self, walk: u64, mut visit: impl FnMut(u64, Option<Score>, &[Target])) {
        let (layout, rows) = self.rows(walk);
        for class in rows {
            Row::new(&self.game, layout, class as u32).targets(|position, over, targets| {
                visit(self.number(&position), over, targets);
            });
        }
    }
}

/// Positions in a walk, unless a row has more.
const WALK: u64 = 1 << 12;

/// The rows of a walk in which the mover's stones are those of a layout.
fn rows_in_walk(layout: &Layout) -> u64 {
    (WALK / layout.turned().ways()).max(1)
}

/// The number of its walks.
fn walks(layout: &Layout) -> u64 {
    layout.turned().classes().div_ceil(rows_in_walk(layout))
}

//! A class as solvers walk through it: exits and un-moves by bitboards, nothing looked up by name.

use nutcracker_game::{Children, Exits, Metric, Score, SliceId, SliceView, Turn};

use crate::board::{ChessPosition, Role};
use crate::digits::{Digits, Way};
use crate::index::{Layout, layout};
use crate::material::{CLASSES, counts};
use crate::moves::Found;

/// A class of men, with both sides to move.
#[derive(Clone, Copy, Debug)]
pub struct ChessView {
    slice: SliceId,
    layout: &'static Layout,
    /// Whether pawns' moves leave the class, if only to come back to it.
    zeroing: bool,
    /// Walks by digits, where that is possible.
    digits: Option<Digits>,
}

impl ChessView {
    pub(crate) fn new(slice: SliceId, zeroing: bool) -> Self {
        let layout = layout(slice.0);
        ChessView { slice, layout, zeroing, digits: Digits::new(slice, layout) }
    }

    /// The exits of a position of which side `mover` of the class is to move; `inside` is scratch
    /// space.
    #[inline]
    fn exits_of<C: Children>(
        &self,
        metric: Metric,
        position: &ChessPosition,
        mover: usize,
        inside: &mut Vec<u64>,
        children: &C,
    ) -> Result<Exits, C::Error> {
        let shared = self.layout.may_share(position, true);
        inside.clear();
        let (mut tally, mut moves) = (Tally::new(metric), false);
        position.legal(|Found { mv, role }| {
            moves = true;
            let converts = position.converts(mv);
            let zeroes = converts || self.zeroing && role == Role::Pawn;
            if !zeroes {
                tally.internal += 1;
                if shared {
                    let (next, _) = position.after(mv);
                    inside.push(self.layout.rank(&next, self.layout.next(mover)));
                }
                return;
            }
            let (next, _) = position.after(mv);
            let value = if converts {
                read(&next, children)
            } else {
                let index = self.layout.rank(&next, self.layout.next(mover));
                children.score(self.slice, index)
            };
            tally.enter(value);
        });
        if !moves {
            return Ok(without_moves(metric, position));
        }
        tally.finish(shared.then_some(inside))
    }

    /// As [`exits_of`](Self::exits_of) by the digits of a number: quiet moves are counted, and only
    /// those that leave the class are made.
    #[inline]
    fn digit_exits<C: Children>(
        &self,
        digits: &Digits,
        metric: Metric,
        index: u64,
        inside: &mut Vec<u64>,
        children: &C,
    ) -> Result<Exits, C::Error> {
        let Some(at) = digits.at(index) else { return Ok(Exits::HOLE) };
        let shared = self.layout.may_share(&at.position, true);
        inside.clear();
        let most = metric.through(0, Turn::Passes, true, metric.over(-1)) as i8;
        let (mut tally, mut moves) = (Tally::new(metric), false);
        at.ways(|way| match way {
            Way::Quiet(role, from, to) => {
                moves |= to != 0;
                tally.internal += to.count_ones() as u16;
                if shared {
                    digits.quiet(&at, role, from, to, |index| inside.push(index));
                }
            }
            Way::Push(mv) => {
                moves = true;
                if !self.zeroing {
                    tally.internal += 1;
                } else if tally.best < most {
                    tally.enter(children.score(self.slice, digits.pushed(&at, mv)));
                }
            }
            Way::Leaves(mv) => {
                moves = true;
                if tally.best < most {
                    let (slice, index) = digits.left(&at, mv);
                    tally.enter(children.score(slice, index));
                }
            }
        });
        if !moves {
            return Ok(without_moves(metric, &at.position));
        }
        tally.finish(shared.then_some(inside))
    }
}

/// What the moves of a position are worth that leave the class, and how many stay in it.
struct Tally<E> {
    metric: Metric,
    best: i8,
    internal: u16,
    draws: bool,
    too_far: bool,
    failed: Option<E>,
}

impl<E> Tally<E> {
    fn new(metric: Metric) -> Self {
        let (draws, too_far, failed) = (false, false, None);
        Tally { metric, best: Exits::NONE, internal: 0, draws, too_far, failed }
    }

    /// Enters the value of the position after a move.
    #[inline]
    fn enter(&mut self, value: Result<Score, E>) {
        match value {
            Ok(next) => {
                let value = self.metric.through(0, Turn::Passes, true, next);
                if self.metric.is_too_far(value, next) {
                    self.too_far = true;
                } else {
                    self.draws |= value == 0;
                }
                self.best = self.best.max(value as i8);
            }
            Err(error) => self.failed = Some(error),
        }
    }

    /// The exits; of moves that may lead to the same number, `inside` has the numbers.
    #[inline]
    fn finish(self, inside: Option<&mut Vec<u64>>) -> Result<Exits, E> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.too_far && self.best == 0 && !self.draws {
            return Ok(Exits::TOO_FAR);
        }
        let internal = inside.map_or(self.internal, |inside| {
            inside.sort_unstable();
            inside.dedup();
            inside.len() as u16
        });
        Ok(Exits { best: self.best, internal })
    }
}

/// The exits of a mate or a stalemate.
fn without_moves(metric: Metric, position: &ChessPosition) -> Exits {
    let score = -Score::from(position.is_check());
    Exits { best: metric.over(score) as i8, internal: 0 }
}

/// The value of a position of a smaller class.
fn read<C: Children>(next: &ChessPosition, children: &C) -> Result<Score, C::Error> {
    let [own, other] = counts(next);
    let (slice, mover) = CLASSES.find(own, other).expect("fewer men are in a smaller class");
    children.score(slice, layout(slice.0).rank(next, mover))
}

impl SliceView for ChessView {
    /// The position's number.
    type Key = u64;
    type Cursor = ();

    fn len(&self) -> u64 {
        self.layout.len()
    }

    #[inline]
    fn key_at(&self, (): &mut (), index: u64) -> u64 {
        index
    }

    fn second_index(&self, key: u64) -> u64 {
        key
    }

    #[inline]
    fn predecessors(&self, key: u64, mut visit: impl FnMut(u64, u64)) {
        if let Some(digits) = self.digits.as_ref().filter(|digits| digits.covers(key)) {
            let Some(at) = digits.moved(key) else { return };
            if self.layout.may_share(&at.position, true) {
                let mut seen = Vec::with_capacity(64);
                digits.before(&at, !self.zeroing, |index| seen.push(index));
                seen.sort_unstable();
                seen.dedup();
                for index in seen {
                    visit(index, index);
                }
                return;
            }
            if !digits.may_have_passed(&at) {
                digits.before(&at, !self.zeroing, |index| visit(index, index));
                return;
            }
        }
        let Some((position, mover)) = self.layout.position(key) else { return };
        let before = self.layout.next(mover);
        let mut visit_once = |index: u64| visit(index, index);
        if self.layout.may_share(&position, false) {
            let mut seen = Vec::with_capacity(64);
            position.before(!self.zeroing, |earlier| seen.push(self.layout.rank(&earlier, before)));
            seen.sort_unstable();
            seen.dedup();
            seen.into_iter().for_each(visit_once);
        } else {
            position
                .before(!self.zeroing, |earlier| visit_once(self.layout.rank(&earlier, before)));
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
        let mut inside = Vec::new();
        for index in range.clone() {
            if let Some(digits) = self.digits.as_ref().filter(|digits| digits.covers(index)) {
                run.push(self.digit_exits(digits, metric, index, &mut inside, children)?);
                continue;
            }
            run.push(match self.layout.position(index) {
                Some((position, mover)) => {
                    self.exits_of(metric, &position, mover, &mut inside, children)?
                }
                None => Exits::HOLE,
            });
        }
        put(range.start, &run);
        Ok(())
    }
}

//! Classes walked by the digits of their numbers: a move changes one digit.
//!
//! Positions in which a pawn can be captured in passing, and moves to them and from them, are not
//! walked so; neither are classes whose sides have the same men, which are turned with every move.

use std::ops::Range;

use nutcracker_game::SliceId;

use crate::attacks::{self, FLIP, Set, squares};
use crate::board::{ChessPosition, ENDS, Role};
use crate::group::Group;
use crate::index::{Kings, Layout, Pairs, layout, turn};
use crate::material::{CLASSES, PAWNS, counts};
use crate::moves::ChessMove;

/// The most groups of men of one kind and side.
const MOST_GROUPS: usize = 3;

/// A class whose sides have different men.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits {
    layout: &'static Layout,
    pairs: &'static Pairs,
    groups: &'static [Group],
    /// What one more in each group's digit adds to the number.
    strides: [u64; MOST_GROUPS],
    /// Numbers with the same two kings.
    men_len: u64,
    /// Numbers with the same side to move, and of those the ones in which no pawn can be captured in
    /// passing, which come first.
    half: u64,
    plain: u64,
    /// Men on the board.
    count: u32,
    /// Whether both sides have pawns, so that one can be captured in passing.
    passes: bool,
    /// By the side to move and the man that it captures, in the order of [`Role::MEN`]: the class
    /// after that, and which side of it is to move.
    captures: [[(SliceId, u8); 5]; 2],
}

/// What a man can do.
pub(crate) enum Way {
    /// A man other than a pawn goes from a square to empty ones.
    Quiet(Role, u8, Set),
    /// A pawn goes to an empty square and stays a pawn.
    Push(ChessMove),
    /// A capture or a promotion.
    Leaves(ChessMove),
}

/// A number taken apart.
pub(crate) struct Placed {
    /// As the side sees the board that moves, or that has moved: its men are the own ones.
    pub position: ChessPosition,
    /// Which side of the class that is.
    pub own: usize,
    /// The number among those with the same side to move, and its digits without those of kings.
    number: u64,
    men_number: u64,
    /// The squares of each group's men, as the first side sees the board.
    men: [Set; MOST_GROUPS],
    /// Whether both kings stand on the long diagonal.
    tied: bool,
}

impl Placed {
    /// Exchanges the ranks of a square if the side does not see the board as the first side does.
    #[inline(always)]
    fn seen(&self, square: u8) -> u8 {
        square ^ flip(self.own)
    }

    /// Visits what the men can do.
    #[inline(always)]
    pub fn ways(&self, mut visit: impl FnMut(Way)) {
        let position = &self.position;
        let (occupied, king) = (position.occupied(), position.king(true));
        position.targets(position.attacked(occupied & !(1 << king)), |from, role, to| {
            if role != Role::Pawn {
                visit(Way::Quiet(role, from, to & !occupied));
                let leave = |to| visit(Way::Leaves(ChessMove { from, to, promotion: None }));
                squares(to & occupied).for_each(leave);
                return;
            }
            for to in squares(to) {
                if ENDS >> to & 1 == 1 {
                    for role in Role::PROMOTED {
                        visit(Way::Leaves(ChessMove { from, to, promotion: Some(role) }));
                    }
                } else {
                    let mv = ChessMove { from, to, promotion: None };
                    let takes = occupied >> to & 1 == 1;
                    visit(if takes { Way::Leaves(mv) } else { Way::Push(mv) });
                }
            }
        });
    }
}

/// What exchanges the ranks for the second side of a class.
#[inline(always)]
const fn flip(own: usize) -> u8 {
    if own == 0 { 0 } else { FLIP }
}

/// Squares as a side of the class sees them.
#[inline(always)]
const fn seen_by(own: usize, set: Set) -> Set {
    if own == 0 { set } else { set.swap_bytes() }
}

impl Digits {
    /// `None` for a class whose sides have the same men.
    pub fn new(slice: SliceId, layout: &'static Layout) -> Option<Self> {
        let class = CLASSES.all[slice.0 as usize];
        let groups = layout.groups();
        if class.is_even() || groups.len() > MOST_GROUPS {
            return None;
        }
        let mut strides = [1; MOST_GROUPS];
        let mut men_len = 1;
        for (stride, group) in strides.iter_mut().zip(groups).rev() {
            *stride = men_len;
            men_len *= group.len;
        }
        let after = |mover: usize, place: usize| {
            let (own, mut other) = (class.sides[mover], class.sides[1 - mover]);
            other[place] = other[place].saturating_sub(1);
            let (slice, mover) =
                CLASSES.find(other, own).expect("fewer men are in a smaller class");
            (slice, mover as u8)
        };
        Some(Digits {
            layout,
            pairs: layout.pairs,
            groups,
            strides,
            men_len,
            half: layout.half_len(0),
            plain: layout.pairs.squares.len() as u64 * men_len,
            count: 2 + groups.iter().map(|group| u32::from(group.count)).sum::<u32>(),
            passes: class.sides.iter().all(|side| side[PAWNS] > 0),
            captures: [0, 1].map(|mover| [0, 1, 2, 3, 4].map(|place| after(mover, place))),
        })
    }

    /// Which side of the class is to move, and the number among those with that side to move.
    #[inline(always)]
    fn split(&self, index: u64) -> (usize, u64) {
        if index < self.half { (0, index) } else { (1, index - self.half) }
    }

    /// Whether a number is walked by its digits: no pawn can be captured in passing.
    #[inline(always)]
    pub fn covers(&self, index: u64) -> bool {
        self.split(index).1 < self.plain
    }

    /// The position with this number, seen by the side to move or by the side that has moved; `None`
    /// if two men stand on a square.
    #[inline(always)]
    fn placed(&self, index: u64, has_moved: bool) -> Option<Placed> {
        let (mover, number) = self.split(index);
        let own = if has_moved { 1 - mover } else { mover };
        let mut rest = number;
        let mut men = [0; MOST_GROUPS];
        let mut position = ChessPosition::EMPTY;
        for (group, men) in self.groups.iter().zip(&mut men).rev() {
            let digit;
            (digit, rest) = group.split(rest);
            *men = group.unrank(digit);
            position.put_all(seen_by(own, *men), group.role, group.first == (own == 0));
        }
        let [first, second] = self.pairs.squares[rest as usize];
        position.put_all(1 << (first ^ flip(own)), Role::King, own == 0);
        position.put_all(1 << (second ^ flip(own)), Role::King, own == 1);
        let tied = self.pairs.of(first, second).tied;
        (position.occupied().count_ones() == self.count).then_some(Placed {
            position,
            own,
            number,
            men_number: number - rest * self.men_len,
            men,
            tied,
        })
    }

    /// The numbers that differ from this one in the last digit, and the holes among them as bits;
    /// `None` where they are not known at once.
    #[inline(always)]
    pub fn holes(&self, index: u64) -> Option<(Range<u64>, Set)> {
        let (last, others) = self.groups.split_last()?;
        let (mover, number) = self.split(index);
        if last.count != 1 || number >= self.plain {
            return None;
        }
        let (digit, mut rest) = last.split(number);
        let row = index - digit..index - digit + last.len;
        let mut position = ChessPosition::EMPTY;
        for group in others.iter().rev() {
            let digit;
            (digit, rest) = group.split(rest);
            let men = seen_by(mover, group.unrank(digit));
            position.put_all(men, group.role, group.first == (mover == 0));
        }
        let [first, second] = self.pairs.squares[rest as usize];
        if self.pairs.of(first, second).tied {
            return None;
        }
        position.put_all(1 << (first ^ flip(mover)), Role::King, mover == 0);
        position.put_all(1 << (second ^ flip(mover)), Role::King, mover == 1);
        let occupied = position.occupied();
        if occupied.count_ones() + 1 != self.count {
            return Some((row, !0));
        }
        let mut holes = occupied | !position.shielded(position.own(), occupied);
        if last.first == (mover == 0) {
            holes |= position.attackers_of_king(last.role, occupied);
        }
        let holes = seen_by(mover, holes);
        Some((row, if last.role == Role::Pawn { holes >> 8 } else { holes }))
    }

    /// The position with this number, seen by the side to move; `None` for a hole.
    #[inline(always)]
    pub fn at(&self, index: u64) -> Option<Placed> {
        let at = self.placed(index, false)?;
        let hole = at.position.is_exposed()
            || at.tied && self.turned(self.kings(&at), at.men) != at.number;
        (!hole).then_some(at)
    }

    #[inline(always)]
    fn kings(&self, at: &Placed) -> Kings {
        let [own, other] = [true, false].map(|own| at.seen(at.position.king(own)));
        if at.own == 0 { self.pairs.of(own, other) } else { self.pairs.of(other, own) }
    }

    /// The number of men on these squares with kings for which the board has to be turned.
    fn turned(&self, kings: Kings, men: [Set; MOST_GROUPS]) -> u64 {
        let number = |mirrored: bool| {
            let image = |square: u8| {
                let square = turn(square, kings.turn);
                if mirrored { turn(square, 4) } else { square }
            };
            let digits = self.groups.iter().zip(men);
            digits.fold(u64::from(kings.number), |number, (group, men)| {
                let men = squares(men).fold(0, |men, square| men | 1 << image(square));
                number * group.len + group.rank(men)
            })
        };
        if kings.tied { number(false).min(number(true)) } else { number(false) }
    }

    /// The number when a man of a group goes from one square to another.
    #[inline(always)]
    fn shifted(&self, at: &Placed, place: usize, from: u8, to: u8) -> u64 {
        let (from, to) = (at.seen(from), at.seen(to));
        let (group, stride) = (&self.groups[place], self.strides[place]);
        let men = at.men[place] ^ 1 << from ^ 1 << to;
        if at.tied {
            let mut all = at.men;
            all[place] = men;
            return self.turned(self.kings(at), all);
        }
        let before = if group.count == 1 { from.into() } else { group.rank(at.men[place]) };
        let after = if group.count == 1 { to.into() } else { group.rank(men) };
        at.number + after * stride - before * stride
    }

    /// The number when the own king goes to another square.
    #[inline(always)]
    fn with_king(&self, at: &Placed, to: u8) -> u64 {
        let (to, other) = (at.seen(to), at.seen(at.position.king(false)));
        let (first, second) = if at.own == 0 { (to, other) } else { (other, to) };
        let kings = self.pairs.of(first, second);
        if kings.turn == 0 && !kings.tied {
            u64::from(kings.number) * self.men_len + at.men_number
        } else {
            self.turned(kings, at.men)
        }
    }

    /// Visits the numbers after quiet moves of a man.
    #[inline(always)]
    pub fn quiet(&self, at: &Placed, role: Role, from: u8, to: Set, mut visit: impl FnMut(u64)) {
        let start = self.after(at);
        if role == Role::King {
            squares(to).for_each(|to| visit(start + self.with_king(at, to)));
            return;
        }
        let place = self.place(role, at.own);
        squares(to).for_each(|to| visit(start + self.shifted(at, place, from, to)));
    }

    /// The number after a pawn's move that leaves the men as they are.
    #[inline(always)]
    pub fn pushed(&self, at: &Placed, mv: ChessMove) -> u64 {
        if self.passes && mv.to == mv.from + 16 {
            return self.layout.rank(&at.position.after(mv).0, 1 - at.own);
        }
        let place = self.place(Role::Pawn, at.own);
        self.after(at) + self.shifted(at, place, mv.from, mv.to)
    }

    /// The class after a move that captures or promotes, and the number there.
    #[inline]
    pub fn left(&self, at: &Placed, mv: ChessMove) -> (SliceId, u64) {
        let (next, _) = at.position.after(mv);
        let (slice, mover) = match at.position.man(mv.to) {
            Some((taken, _)) if mv.promotion.is_none() => {
                let place = Role::Queen as usize - taken as usize;
                let (slice, mover) = self.captures[at.own][place];
                (slice, usize::from(mover))
            }
            _ => {
                let [own, other] = counts(&next);
                CLASSES.find(own, other).expect("a promotion leads to a smaller class")
            }
        };
        (slice, layout(slice.0).rank(&next, mover))
    }

    /// The first number with the other side to move.
    #[inline(always)]
    fn after(&self, at: &Placed) -> u64 {
        if at.own == 0 { self.half } else { 0 }
    }

    /// The group of men of a kind.
    #[inline(always)]
    fn place(&self, role: Role, own: usize) -> usize {
        let moves = |group: &Group| group.role == role && group.first == (own == 0);
        self.groups.iter().position(moves).unwrap_or(0)
    }

    /// The position with this number, which is no hole, seen by the side that has moved.
    #[inline(always)]
    pub fn moved(&self, index: u64) -> Option<Placed> {
        self.placed(index, true)
    }

    /// Visits the numbers of all positions from which a move that captures and promotes nothing leads
    /// to this one, seen by the side that has moved; by moves of pawns, too, or without them. A number
    /// comes several times if mirror images do.
    #[inline(always)]
    pub fn before(&self, at: &Placed, pawns: bool, mut visit: impl FnMut(u64)) {
        let start = if at.own == 0 { 0 } else { self.half };
        let position = &at.position;
        let occupied = position.occupied();
        for (place, group) in self.groups.iter().enumerate() {
            if group.first != (at.own == 0) {
                continue;
            }
            for to in squares(seen_by(at.own, at.men[place])) {
                let from = match group.role {
                    Role::Pawn if !pawns => 0,
                    Role::Pawn => attacks::pawn_sources(to, occupied),
                    _ => attacks::of(group.role, to, occupied),
                };
                for from in squares(from & !occupied & position.unexposed(group.role, to)) {
                    visit(start + self.shifted(at, place, to, from));
                }
            }
        }
        let to = position.king(true);
        let from = attacks::king(to) & !occupied & position.unexposed(Role::King, to);
        for from in squares(from) {
            visit(start + self.with_king(at, from));
        }
    }

    /// Whether the last move may have been one of two squares after which a pawn can be captured in
    /// passing, or the position before one in which it can be: then moves are taken back one by one.
    #[inline(always)]
    pub fn may_have_passed(&self, at: &Placed) -> bool {
        if !self.passes {
            return false;
        }
        let pawns = at.position.of(Role::Pawn);
        let (own, other) = (pawns & at.position.own(), pawns & at.position.other());
        let (fourth, fifth, sixth) = (0xFF << 24, 0xFF << 32, 0xFF << 40);
        own & fourth != 0 && other & fourth != 0 || own & (fifth | sixth) != 0 && other & fifth != 0
    }
}

//! Classes without pawns, walked by the digits of their numbers: a move changes one digit.
//!
//! The board is not turned for the side to move: without pawns, men move alike in all directions.

use nutcracker_game::SliceId;

use crate::attacks::{self, DIAGONAL, STRAIGHT, Set, line, squares};
use crate::board::{ChessPosition, Role};
use crate::index::{Group, Kings, Layout, Pairs, turn};
use crate::material::CLASSES;

/// The most groups of men of one kind and side.
const MOST_GROUPS: usize = 3;

/// A class without pawns whose sides have different men.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bare {
    pairs: &'static Pairs,
    groups: &'static [Group],
    /// What one more in each group's digit adds to the number.
    strides: [u64; MOST_GROUPS],
    /// Numbers with the same two kings.
    men_len: u64,
    /// Numbers with the same side to move.
    half: u64,
    /// Men on the board.
    count: u32,
    /// By the side to move and the man that it captures, in the order of [`Role::MEN`]: the class
    /// after that, and which side of it is to move.
    captures: [[(SliceId, u8); 5]; 2],
}

/// A number taken apart.
pub(crate) struct Placed {
    /// As the first side of the class sees the board, with men of the side that moves as own ones.
    pub position: ChessPosition,
    /// Which side of the class that is.
    pub own: usize,
    /// The number among those with the same side to move.
    number: u64,
    /// The squares of each group's men.
    men: [Set; MOST_GROUPS],
    /// Whether both kings stand on the long diagonal.
    tied: bool,
}

impl Bare {
    /// `None` for a class with pawns, and for one whose sides have the same men: that is turned with
    /// every move.
    pub fn new(slice: SliceId, layout: &'static Layout) -> Option<Self> {
        let class = CLASSES.all[slice.0 as usize];
        let groups = layout.groups();
        if class.pawns() > 0 || class.is_even() || groups.len() > MOST_GROUPS {
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
        let captures = [0, 1].map(|mover| [0, 1, 2, 3, 4].map(|place| after(mover, place)));
        let (pairs, half) = (layout.pairs, layout.half_len(0));
        let count = 2 + groups.iter().map(|group| u32::from(group.count)).sum::<u32>();
        Some(Bare { pairs, groups, strides, men_len, half, count, captures })
    }

    /// The class after a capture, and which side of it is to move.
    #[inline(always)]
    pub fn after_capture(&self, mover: usize, taken: Role) -> (SliceId, usize) {
        let (slice, mover) = self.captures[mover][Role::Queen as usize - taken as usize];
        (slice, usize::from(mover))
    }

    /// The position with this number, seen by the side to move or by the side that has moved; `None`
    /// if two men stand on a square.
    #[inline(always)]
    fn placed(&self, index: u64, has_moved: bool) -> Option<Placed> {
        let (mover, number) = if index < self.half { (0, index) } else { (1, index - self.half) };
        let own = if has_moved { 1 - mover } else { mover };
        let mut rest = number;
        let mut men = [0; MOST_GROUPS];
        let mut position = ChessPosition::EMPTY;
        for (group, men) in self.groups.iter().zip(&mut men).rev() {
            let digit;
            (digit, rest) = group.split(rest);
            *men = group.unrank(digit);
            position.put_all(*men, group.role, group.first == (own == 0));
        }
        let [first, second] = self.pairs.squares[rest as usize];
        position.put_all(1 << first, Role::King, own == 0);
        position.put_all(1 << second, Role::King, own == 1);
        let tied = self.pairs.of(first, second).tied;
        (position.occupied().count_ones() == self.count).then_some(Placed {
            position,
            own,
            number,
            men,
            tied,
        })
    }

    /// The position with this number, seen by the side to move; `None` for a hole.
    #[inline(always)]
    pub fn at(&self, index: u64) -> Option<Placed> {
        let at = self.placed(index, false)?;
        let hole = at.position.is_exposed()
            || at.tied && self.turned(self.kings(&at.position, at.own), at.men) != at.number;
        (!hole).then_some(at)
    }

    #[inline(always)]
    fn kings(&self, position: &ChessPosition, own: usize) -> Kings {
        self.pairs.of(position.king(own == 0), position.king(own == 1))
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
        let (group, stride) = (&self.groups[place], self.strides[place]);
        let men = at.men[place] ^ 1 << from ^ 1 << to;
        if at.tied {
            let mut all = at.men;
            all[place] = men;
            return self.turned(self.kings(&at.position, at.own), all);
        }
        let before = if group.count == 1 { from.into() } else { group.rank(at.men[place]) };
        let after = if group.count == 1 { to.into() } else { group.rank(men) };
        at.number + after * stride - before * stride
    }

    /// The number when the own king goes to another square.
    #[inline(always)]
    fn with_king(&self, at: &Placed, to: u8) -> u64 {
        let other = at.position.king(false);
        let (first, second) = if at.own == 0 { (to, other) } else { (other, to) };
        let kings = self.pairs.of(first, second);
        if kings.turn == 0 && !kings.tied {
            u64::from(kings.number) * self.men_len + at.number % self.men_len
        } else {
            self.turned(kings, at.men)
        }
    }

    /// The number after a move that captures nothing.
    #[inline(always)]
    pub fn after(&self, at: &Placed, role: Role, from: u8, to: u8) -> u64 {
        let start = if at.own == 0 { self.half } else { 0 };
        if role == Role::King {
            return start + self.with_king(at, to);
        }
        let moves = |group: &Group| group.role == role && group.first == (at.own == 0);
        let place = self.groups.iter().position(moves).unwrap_or(0);
        start + self.shifted(at, place, from, to)
    }

    /// The position with this number, which is no hole, seen by the side that has moved.
    #[inline(always)]
    pub fn moved(&self, index: u64) -> Option<Placed> {
        self.placed(index, true)
    }

    /// Visits the numbers of all positions from which a move that captures nothing leads to this one,
    /// seen by the side that has moved; a number several times if mirror images do.
    #[inline(always)]
    pub fn before(&self, at: &Placed, mut visit: impl FnMut(u64)) {
        let start = if at.own == 0 { 0 } else { self.half };
        let position = &at.position;
        let occupied = position.occupied();
        for (place, group) in self.groups.iter().enumerate() {
            if group.first != (at.own == 0) {
                continue;
            }
            for to in squares(at.men[place]) {
                let from = attacks::of(group.role, to, occupied);
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
}

impl ChessPosition {
    /// The squares on which an own man can have stood that is on `square` now, so that no own man
    /// attacked the other king.
    #[inline(always)]
    fn unexposed(&self, role: Role, square: u8) -> Set {
        let king = self.king(false);
        let (others, free) = (self.own() & !(1 << square), self.occupied() & !(1 << square));
        let mut allowed = !attacks::of(role, king, free);
        if attacks::knight(king) & self.of(Role::Knight) & others != 0 {
            return 0;
        }
        for (directions, sliders) in
            [(STRAIGHT, self.straight() & others), (DIAGONAL, self.diagonal() & others)]
        {
            if sliders == 0 {
                continue;
            }
            for direction in directions {
                let seen = line(direction, king, free);
                if seen & sliders != 0 {
                    allowed &= seen;
                }
            }
        }
        allowed
    }
}

//! The board: squares, diagonals, and the moves of a position.
//!
//! Squares are numbered as the mover sees them: 0 is on the mover's home rank, 31 on the rank where
//! men become kings. For Black these are the usual numbers less one; for White the board is turned,
//! so that square s becomes 31 - s. Four squares are a rank; those of even ranks lie one column to
//! the right of those of odd ranks.

/// Squares of the board.
pub(crate) const SQUARES: u32 = 32;
/// The mover's home rank.
pub(crate) const HOME: u32 = 0xF;
/// The rank where the mover's men become kings.
pub(crate) const CROWN: u32 = 0xF << 28;

/// Ranks 0, 2, 4 and 6.
const EVEN: u32 = 0x0F0F_0F0F;
const ODD: u32 = !EVEN;
/// The first square of every rank, and the last.
const LEFT: u32 = 0x1111_1111;
const RIGHT: u32 = 0x8888_8888;

/// Diagonal directions: two forward, then two backward; the opposite of d is 3 - d.
const DIRECTIONS: u8 = 4;
/// Those of a man.
const FORWARD: u8 = 2;

/// The neighbours of squares in a direction.
pub(crate) const fn step(squares: u32, direction: u8) -> u32 {
    match direction {
        0 => (squares & EVEN) << 4 | (squares & ODD & !LEFT) << 3,
        1 => (squares & EVEN & !RIGHT) << 5 | (squares & ODD) << 4,
        2 => (squares & EVEN) >> 4 | (squares & ODD & !LEFT) >> 5,
        _ => (squares & EVEN & !RIGHT) >> 3 | (squares & ODD) >> 4,
    }
}

/// A position as its mover sees it, who plays up the board: a bit for every square.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct CheckersPosition {
    /// The mover's men.
    pub men: u32,
    /// The mover's kings.
    pub kings: u32,
    /// The opponent's men.
    pub other_men: u32,
    /// The opponent's kings.
    pub other_kings: u32,
}

/// A move: a step, or jumps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CheckersMove {
    /// From this square, as the mover sees it.
    pub from: u8,
    /// The number of jumps; 0 for a step.
    pub jumps: u8,
    /// The directions of the jumps, or of the step: two bits each, the first lowest.
    pub path: u32,
}

impl CheckersMove {
    /// What the move does.
    pub(crate) fn effect(self) -> Effect {
        let from = 1 << self.from;
        if self.jumps == 0 {
            return Effect { from, to: step(from, self.path as u8), captured: 0 };
        }
        let (mut to, mut captured) = (from, 0);
        for jump in 0..self.jumps {
            let over = step(to, self.direction(jump));
            captured |= over;
            to = step(over, self.direction(jump));
        }
        Effect { from, to, captured }
    }

    /// The direction of a jump, from 0 on.
    pub(crate) fn direction(self, jump: u8) -> u8 {
        (self.path >> (2 * jump)) as u8 & 3
    }
}

/// What a move does to the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effect {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) captured: u32,
}

impl CheckersPosition {
    /// The mover's pieces.
    pub fn own(&self) -> u32 {
        self.men | self.kings
    }

    /// The opponent's pieces.
    pub fn other(&self) -> u32 {
        self.other_men | self.other_kings
    }

    pub(crate) fn empty(&self) -> u32 {
        !(self.own() | self.other())
    }

    /// The same position as the opponent sees it.
    #[must_use]
    pub fn turned(&self) -> Self {
        CheckersPosition {
            men: self.other_men.reverse_bits(),
            kings: self.other_kings.reverse_bits(),
            other_men: self.men.reverse_bits(),
            other_kings: self.kings.reverse_bits(),
        }
    }

    /// The mover's pieces that may go in a direction.
    fn movers(&self, direction: u8) -> u32 {
        if direction < FORWARD { self.own() } else { self.kings }
    }

    /// Whether the mover can capture, and so must.
    pub fn can_capture(&self) -> bool {
        let (other, empty) = (self.other(), self.empty());
        (0..DIRECTIONS).any(|direction| {
            let over = step(self.movers(direction), direction) & other;
            step(over, direction) & empty != 0
        })
    }

    /// Whether the mover has a move.
    pub fn can_move(&self) -> bool {
        let empty = self.empty();
        let steps = |direction| step(self.movers(direction), direction) & empty != 0;
        (0..DIRECTIONS).any(steps) || self.can_capture()
    }

    /// Visits every legal move. Ways that begin and end on the same squares and capture the same
    /// pieces are one move.
    pub(crate) fn each_move(&self, mut visit: impl FnMut(CheckersMove, Effect)) {
        if self.can_capture() {
            let mut found = Vec::new();
            for from in bits(self.own()) {
                let mut way = Way { position: self, from, visit: &mut visit, found: &mut found };
                way.jump(from, 0, 0, 0);
            }
            return;
        }
        let empty = self.empty();
        for from in bits(self.own()) {
            let directions = if self.kings & from != 0 { DIRECTIONS } else { FORWARD };
            for direction in 0..directions {
                let to = step(from, direction) & empty;
                if to != 0 {
                    let square = from.trailing_zeros() as u8;
                    let mv = CheckersMove { from: square, jumps: 0, path: direction.into() };
                    visit(mv, Effect { from, to, captured: 0 });
                }
            }
        }
    }

    /// Whether a man becomes a king.
    pub(crate) fn promotes(&self, effect: Effect) -> bool {
        self.men & effect.from != 0 && effect.to & CROWN != 0
    }

    /// Whether a move is what distances to a conversion count to: a capture or a promotion.
    pub(crate) fn converts(&self, effect: Effect) -> bool {
        effect.captured != 0 || self.promotes(effect)
    }

    /// Whether a move leaves its slice: a capture, or a man's step to squares beyond it.
    pub(crate) fn leaves(&self, effect: Effect, beyond: u32) -> bool {
        effect.captured != 0 || self.men & effect.from != 0 && effect.to & beyond != 0
    }

    /// The position after a move, as the opponent sees it.
    pub(crate) fn after(&self, effect: Effect) -> Self {
        let Effect { from, to, captured } = effect;
        let mut next = *self;
        let king = self.kings & from != 0 || to & CROWN != 0;
        next.men &= !from;
        next.kings &= !from;
        if king {
            next.kings |= to;
        } else {
            next.men |= to;
        }
        next.other_men &= !captured;
        next.other_kings &= !captured;
        next.turned()
    }

    /// Visits every position from which a step that is no promotion leads to this one.
    pub(crate) fn each_before(&self, mut visit: impl FnMut(CheckersPosition)) {
        // As the side that moved sees it.
        let after = self.turned();
        let empty = after.empty();
        for direction in 0..DIRECTIONS {
            for to in bits(after.movers(direction)) {
                let from = step(to, 3 - direction) & empty;
                if from == 0 {
                    continue;
                }
                let mut before = after;
                if after.kings & to != 0 {
                    before.kings ^= to | from;
                } else {
                    before.men ^= to | from;
                }
                // A side that can capture must: its steps were not legal.
                if !before.can_capture() {
                    visit(before);
                }
            }
        }
    }
}

/// Every square of a set, as a set.
pub(crate) fn bits(mut squares: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = squares & squares.wrapping_neg();
        squares ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

/// The jumps of one piece.
struct Way<'a, V> {
    position: &'a CheckersPosition,
    from: u32,
    visit: &'a mut V,
    /// Moves of four jumps and more: only these can capture the same pieces in another order.
    found: &'a mut Vec<Effect>,
}

impl<V: FnMut(CheckersMove, Effect)> Way<'_, V> {
    fn jump(&mut self, at: u32, captured: u32, jumps: u8, path: u32) {
        let position = self.position;
        let man = position.men & self.from != 0;
        let (other, empty) = (position.other() & !captured, position.empty() | self.from);
        let mut ends = true;
        // A man that reaches the last rank becomes a king, and its move ends.
        if !(man && at & CROWN != 0) {
            for direction in 0..if man { FORWARD } else { DIRECTIONS } {
                let over = step(at, direction) & other;
                let to = step(over, direction) & empty;
                if to != 0 {
                    ends = false;
                    let path = path | u32::from(direction) << (2 * jumps);
                    self.jump(to, captured | over, jumps + 1, path);
                }
            }
        }
        if !ends || jumps == 0 {
            return;
        }
        let effect = Effect { from: self.from, to: at, captured };
        if jumps >= 4 {
            if self.found.contains(&effect) {
                return;
            }
            self.found.push(effect);
        }
        let from = self.from.trailing_zeros() as u8;
        (self.visit)(CheckersMove { from, jumps, path }, effect);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_by_columns() {
        for square in 0..SQUARES {
            let (rank, column) = (square / 4, 2 * (square % 4) + (1 - square / 4 % 2));
            for (direction, (up, right)) in [(1, -1), (1, 1), (-1, -1), (-1, 1)].iter().enumerate()
            {
                let (rank, column) = (rank as i32 + up, column as i32 + right);
                let inside = (0..8).contains(&rank) && (0..8).contains(&column);
                let expected = if inside { 1 << (rank * 4 + column / 2) } else { 0 };
                assert_eq!(step(1 << square, direction as u8), expected, "{square} {direction}");
            }
        }
    }

    #[test]
    fn a_step_and_its_opposite() {
        for square in 0..SQUARES {
            for direction in 0..DIRECTIONS {
                let to = step(1 << square, direction);
                assert!(to == 0 || step(to, 3 - direction) == 1 << square);
            }
        }
    }
}

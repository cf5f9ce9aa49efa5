//! Positions and moves.

use super::Morris;
use super::board::each;

/// A position as its mover sees it: a bit for every point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct MorrisPosition {
    /// The mover's stones.
    pub own: u32,
    /// The opponent's stones.
    pub other: u32,
    /// The mover's stones that are not on the board yet.
    pub hand: u8,
    /// The opponent's.
    pub other_hand: u8,
}

/// A move: a stone placed or moved, and one taken away where that closes a mill.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MorrisMove {
    /// The point that the stone leaves; `None` where it comes from the hand.
    pub from: Option<u8>,
    /// The point that it goes to.
    pub to: u8,
    /// The opponent's stone that is taken.
    pub take: Option<u8>,
}

impl MorrisPosition {
    /// The same position as the opponent sees it.
    #[must_use]
    pub fn turned(&self) -> Self {
        MorrisPosition {
            own: self.other,
            other: self.own,
            hand: self.other_hand,
            other_hand: self.hand,
        }
    }

    /// The mover's stones on the board and in hand.
    pub(crate) fn men(&self) -> u32 {
        self.own.count_ones() + u32::from(self.hand)
    }

    /// The opponent's.
    pub(crate) fn other_men(&self) -> u32 {
        self.other.count_ones() + u32::from(self.other_hand)
    }

    /// Stones of both that are not on the board yet.
    pub(crate) fn hands(&self) -> u8 {
        self.hand + self.other_hand
    }

    /// The position after a move, as the opponent sees it.
    pub(crate) fn after(&self, mv: MorrisMove) -> Self {
        let mut next = *self;
        match mv.from {
            Some(from) => next.own ^= 1 << from,
            None => next.hand -= 1,
        }
        next.own |= 1 << mv.to;
        if let Some(take) = mv.take {
            next.other ^= 1 << take;
        }
        next.turned()
    }
}

impl Morris {
    /// Points without stones.
    pub(crate) fn empty(&self, position: &MorrisPosition) -> u32 {
        self.board.all() & !(position.own | position.other)
    }

    /// Whether stones may be moved to any empty point.
    pub(crate) fn flies(&self, stones: u32) -> bool {
        self.flying && stones.count_ones() == 3
    }

    /// The stones that may be taken: those in no mill, or all if all are in mills.
    pub(crate) fn takeable(&self, other: u32) -> u32 {
        let free = other & !self.board.in_mills(other);
        if free == 0 { other } else { free }
    }

    /// Visits where stones may go: from, `None` for the hand, and the points to go to.
    fn each_way(&self, position: &MorrisPosition, mut visit: impl FnMut(Option<u8>, u32)) {
        let empty = self.empty(position);
        if position.hand > 0 {
            visit(None, empty);
            return;
        }
        let flies = self.flies(position.own);
        for from in each(position.own) {
            let reach = if flies { empty } else { self.board.neighbours[from as usize] & empty };
            visit(Some(from as u8), reach);
        }
    }

    /// Visits every legal move of a position in which the game is not over.
    pub(crate) fn each_move(&self, position: &MorrisPosition, mut visit: impl FnMut(MorrisMove)) {
        let mut takeable = None;
        self.each_way(position, |from, reach| {
            let rest = position.own & !from.map_or(0, |from| 1 << from);
            for to in each(reach) {
                let mv = MorrisMove { from, to: to as u8, take: None };
                if position.other != 0 && self.board.is_in_mill(rest | 1 << to, to) {
                    let takeable = *takeable.get_or_insert_with(|| self.takeable(position.other));
                    for take in each(takeable) {
                        visit(MorrisMove { take: Some(take as u8), ..mv });
                    }
                } else {
                    visit(mv);
                }
            }
        });
    }

    /// Whether the mover has a move.
    pub(crate) fn can_move(&self, position: &MorrisPosition) -> bool {
        let mut can = false;
        self.each_way(position, |_, reach| can |= reach != 0);
        can
    }

    /// Visits every position of the second phase from which a move that takes nothing leads to this
    /// one.
    pub(crate) fn each_before(
        &self,
        position: &MorrisPosition,
        mut visit: impl FnMut(MorrisPosition),
    ) {
        // As the side that moved sees it. A stone that stands in a mill has closed it, and so took
        // another.
        let after = position.turned();
        let (empty, flies) = (self.empty(position), self.flies(after.own));
        for to in each(after.own & !self.board.in_mills(after.own)) {
            let from = if flies { empty } else { self.board.neighbours[to as usize] & empty };
            for from in each(from) {
                visit(MorrisPosition { own: after.own ^ (1 << to | 1 << from), ..after });
            }
        }
    }
}

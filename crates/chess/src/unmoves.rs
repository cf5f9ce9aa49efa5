//! Moves taken back.

use crate::attacks::{self, FLIP, Set, squares};
use crate::board::{ChessPosition, Role};

impl ChessPosition {
    /// Visits every position from which a move that captures and promotes nothing leads to this
    /// one, without rights to castle; by moves of pawns, too, or without them.
    #[inline(always)]
    pub(crate) fn before(&self, pawns: bool, mut visit: impl FnMut(ChessPosition)) {
        // As the side sees the board that has moved.
        let after = self.turned();
        let occupied = after.occupied();
        let mut undo = |from: u8, to: u8, role: Role| {
            let mut before = after;
            before.clear(to);
            before.put(from, role, true);
            // The side that is not to move there would be in check.
            if before.is_exposed() {
                return;
            }
            visit(before);
            before.with_passed(&mut visit);
        };
        if let Some(square) = self.passed() {
            // Only the pawn that can be captured has just moved.
            let to = (square ^ FLIP) + 8;
            if pawns {
                undo(to - 16, to, Role::Pawn);
            }
            return;
        }
        for to in squares(after.own()) {
            let Some((role, _)) = after.man(to) else { continue };
            let from = match role {
                Role::Pawn if !pawns => 0,
                Role::Pawn => {
                    let from = attacks::pawn_sources(to, occupied);
                    // After two squares a pawn that can be captured in passing makes another
                    // position.
                    let passes = to / 8 == 3 && self.can_pass((to - 8) ^ FLIP);
                    if passes { from & !0xFF00 } else { from }
                }
                _ => attacks::of(role, to, occupied),
            };
            for from in squares(from & !occupied) {
                undo(from, to, role);
            }
        }
    }

    /// Visits this position again with each pawn that may have just moved two squares and can be
    /// captured in passing.
    #[inline(always)]
    fn with_passed(&self, visit: &mut impl FnMut(ChessPosition)) {
        let fifth = 0xFF_0000_0000;
        let pawns = self.of(Role::Pawn);
        if pawns & self.own() & fifth == 0 {
            return;
        }
        for taken in squares(pawns & self.other() & fifth) {
            let square = taken + 8;
            let behind = 1 << square | 1 << (square + 8);
            if self.occupied() & behind == 0 && self.can_pass(square) {
                let mut before = *self;
                before.set_passed(Some(square));
                visit(before);
            }
        }
    }

    /// The squares on which an own man can have stood that is on `square` now, so that no own man
    /// attacked the other king.
    #[inline(always)]
    pub(crate) fn unexposed(&self, role: Role, square: u8) -> Set {
        let (others, occupied) = (self.own() & !(1 << square), self.occupied() & !(1 << square));
        let shielded = self.shielded(others, occupied);
        if shielded == 0 { 0 } else { shielded & !self.attackers_of_king(role, occupied) }
    }
}

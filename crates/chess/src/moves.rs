//! Legal moves, and what they do.

use crate::attacks::{self, DIAGONAL, FLIP, STRAIGHT, Set, line, squares};
use crate::board::{ChessPosition, ENDS, LONG, Role, SHORT};

/// A move, as the side to move sees the board. Castling is the move of the king.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChessMove {
    /// Where the man stands.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
    /// What a pawn becomes.
    pub promotion: Option<Role>,
}

/// A move with what is known of it when it is found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub mv: ChessMove,
    pub role: Role,
}

/// The home squares of king and rooks.
const KING_HOME: u8 = 4;
const ROOK_HOMES: [(u8, u8); 2] = [(7, SHORT), (0, LONG)];

/// The second and the fourth rank.
const SECOND: Set = 0xFF00;
const FOURTH: Set = 0xFF00_0000;

/// The king's square is attacked or not, and men that stand before it.
struct Safety {
    king: u8,
    /// Where a man other than the king may go: anywhere, or where it ends a check.
    allowed: Set,
    /// Men that may only move along the line between the king and what attacks it.
    pinned: Set,
}

impl ChessPosition {
    /// Visits every legal move: king, then the other men by their squares, then castling.
    #[inline(always)]
    pub(crate) fn legal(&self, mut visit: impl FnMut(Found)) {
        let (own, occupied) = (self.own(), self.occupied());
        let king = self.king(true);
        let attacked = self.attacked(occupied & !(1 << king));
        self.targets(attacked, |from, role, to| {
            let promotes = role == Role::Pawn && to & ENDS != 0;
            for to in squares(to) {
                if promotes {
                    for role in Role::PROMOTED {
                        let mv = ChessMove { from, to, promotion: Some(role) };
                        visit(Found { mv, role: Role::Pawn });
                    }
                } else {
                    visit(Found { mv: ChessMove { from, to, promotion: None }, role });
                }
            }
        });
        if let Some(to) = self.passed() {
            for from in squares(attacks::pawn(to, false) & own & self.of(Role::Pawn)) {
                if self.may_pass(from, to) {
                    let mv = ChessMove { from, to, promotion: None };
                    visit(Found { mv, role: Role::Pawn });
                }
            }
        }
        for (rook, right) in ROOK_HOMES {
            if self.castling() & right != 0 {
                let (to, way, empty): (u8, Set, Set) =
                    if right == SHORT { (6, 0x70, 0x60) } else { (2, 0x1C, 0xE) };
                debug_assert_eq!(self.man(rook), Some((Role::Rook, true)));
                if empty & occupied == 0 && way & attacked == 0 {
                    let mv = ChessMove { from: king, to, promotion: None };
                    visit(Found { mv, role: Role::King });
                }
            }
        }
    }

    /// Visits where each man can go, the king first: all legal moves but captures in passing and
    /// castling. `attacked` are the squares that men of the other side attack, through the king.
    #[inline(always)]
    pub(crate) fn targets(&self, attacked: Set, mut visit: impl FnMut(u8, Role, Set)) {
        let (own, other, occupied) = (self.own(), self.other(), self.occupied());
        let safety = self.safety();
        let king = safety.king;
        visit(king, Role::King, attacks::king(king) & !own & !attacked);
        if safety.allowed == 0 {
            return;
        }
        for from in squares(own & !(1 << king)) {
            let Some((role, _)) = self.man(from) else { continue };
            let mut to = safety.allowed
                & match role {
                    Role::Pawn => pawn_targets(from, other, occupied),
                    _ => attacks::of(role, from, occupied) & !own,
                };
            if safety.pinned >> from & 1 == 1 {
                to &= self.pin_line(king, from);
            }
            visit(from, role, to);
        }
    }

    /// Which moves would leave the mover's king in check.
    #[inline(always)]
    fn safety(&self) -> Safety {
        let (own, other, occupied) = (self.own(), self.other(), self.occupied());
        let king = self.king(true);
        let mut safety = Safety { king, allowed: !0, pinned: 0 };
        let jumpers = attacks::pawn(king, true) & self.of(Role::Pawn)
            | attacks::knight(king) & self.of(Role::Knight);
        // With two checks at once, only the king can move.
        for checker in squares(jumpers & other) {
            safety.allowed &= 1 << checker;
        }
        for (directions, sliders) in
            [(STRAIGHT, self.straight() & other), (DIAGONAL, self.diagonal() & other)]
        {
            if sliders == 0 {
                continue;
            }
            for direction in directions {
                let seen = line(direction, king, occupied);
                if seen & sliders != 0 {
                    safety.allowed &= seen;
                } else if seen & own != 0 {
                    let beyond = line(direction, king, occupied & !(seen & own));
                    if beyond & sliders != 0 {
                        safety.pinned |= seen & own;
                    }
                }
            }
        }
        safety
    }

    /// The squares to which a man can move that stands between its king and what attacks it.
    fn pin_line(&self, king: u8, from: u8) -> Set {
        let occupied = self.occupied() & !(1 << from);
        let lines = STRAIGHT.into_iter().chain(DIAGONAL);
        lines
            .map(|direction| line(direction, king, occupied))
            .find(|line| line >> from & 1 == 1)
            .unwrap_or(0)
    }

    /// Whether a capture in passing leaves the mover's king safe.
    fn may_pass(&self, from: u8, to: u8) -> bool {
        let taken = 1 << (to - 8);
        let occupied = (self.occupied() ^ 1 << from ^ taken) | 1 << to;
        self.attackers(self.king(true), false, occupied) & !taken == 0
    }

    /// Whether some pawn can capture legally on this square in passing.
    pub(crate) fn can_pass(&self, to: u8) -> bool {
        let pawns = attacks::pawn(to, false) & self.own() & self.of(Role::Pawn);
        squares(pawns).any(|from| self.may_pass(from, to))
    }

    /// Whether the side to move has a legal move.
    pub(crate) fn can_move(&self) -> bool {
        let mut any = false;
        self.legal(|_| any = true);
        any
    }

    /// Whether a legal move captures or promotes.
    #[inline(always)]
    pub(crate) fn converts(&self, mv: ChessMove) -> bool {
        self.occupied() >> mv.to & 1 == 1
            || mv.promotion.is_some()
            || self.passed() == Some(mv.to) && self.of(Role::Pawn) >> mv.from & 1 == 1
    }

    /// Whether a move is a pawn's.
    #[inline(always)]
    pub(crate) fn is_push(&self, mv: ChessMove) -> bool {
        self.of(Role::Pawn) >> mv.from & 1 == 1
    }

    /// The position after a legal move, as the opponent sees it, and whether the move captures or
    /// promotes.
    #[inline(always)]
    pub(crate) fn after(&self, mv: ChessMove) -> (Self, bool) {
        let ChessMove { from, to, promotion } = mv;
        let mut next = *self;
        let role = self.man(from).map_or(Role::King, |(role, _)| role);
        let takes = self.occupied() >> to & 1 == 1;
        next.clear(from);
        if takes {
            next.clear(to);
        }
        next.put(to, promotion.unwrap_or(role), true);
        let mut converts = takes || promotion.is_some();
        let mut skipped = None;
        if role == Role::Pawn {
            if self.passed() == Some(to) {
                next.clear(to - 8);
                converts = true;
            } else if to == from + 16 {
                skipped = Some(from + 8);
            }
        }
        if self.castling() != 0 {
            next.castle(role, mv);
        }
        let mut next = next.turned();
        if let Some(square) = skipped {
            let square = square ^ FLIP;
            if next.can_pass(square) {
                next.set_passed(Some(square));
            }
        }
        (next, converts)
    }

    /// Moves the rook of a king that castles, and removes the rights that a move has ended.
    fn castle(&mut self, role: Role, ChessMove { from, to, .. }: ChessMove) {
        let mut rights = self.castling();
        if role == Role::King {
            if from == KING_HOME && rights & SHORT != 0 && to == 6 {
                self.clear(7);
                self.put(5, Role::Rook, true);
            } else if from == KING_HOME && rights & LONG != 0 && to == 2 {
                self.clear(0);
                self.put(3, Role::Rook, true);
            }
            rights &= !(SHORT | LONG);
        }
        for (home, right) in ROOK_HOMES {
            if from == home {
                rights &= !right;
            }
            if to == home ^ FLIP {
                rights &= !(right << 2);
            }
        }
        self.set_castling(rights);
    }
}

/// Where a pawn goes that moves up the board, captures in passing aside.
#[inline(always)]
fn pawn_targets(from: u8, other: Set, occupied: Set) -> Set {
    let one = (1 << from) << 8 & !occupied;
    let two = if SECOND >> from & 1 == 1 { one << 8 & !occupied & FOURTH } else { 0 };
    one | two | attacks::pawn(from, true) & other
}

//! Men on the board: a position as sets of squares.

use crate::attacks::{self, DIAGONAL, STRAIGHT, Set, line, squares};

/// What a man is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Role {
    /// Moves forward, captures diagonally, is promoted on the last rank.
    Pawn = 1,
    /// Jumps.
    Knight,
    /// Moves along diagonals.
    Bishop,
    /// Moves along ranks and files.
    Rook,
    /// Moves along all lines.
    Queen,
    /// Is what the game is about.
    King,
}

impl Role {
    /// All but the king, the most valuable first: the order in which endings are named.
    pub const MEN: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    /// What pawns become.
    pub const PROMOTED: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

    /// Its letter, in upper case.
    pub fn letter(self) -> char {
        match self {
            Role::Pawn => 'P',
            Role::Knight => 'N',
            Role::Bishop => 'B',
            Role::Rook => 'R',
            Role::Queen => 'Q',
            Role::King => 'K',
        }
    }

    /// The man with this letter, in upper or lower case.
    pub fn from_letter(letter: char) -> Option<Self> {
        let letter = letter.to_ascii_uppercase();
        [Role::King].into_iter().chain(Role::MEN).find(|role| role.letter() == letter)
    }
}

/// A position as its mover sees it, who plays up the board: a move turns the board over, so that
/// rank 1 is always the home of the side to move. Files stay where they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChessPosition {
    /// The squares with men of the side to move.
    own: Set,
    /// The squares whose [`Role`], as a number of three bits, has bit 0, 1 and 2 set.
    bits: [Set; 3],
    /// Who may still castle: [`SHORT`] and [`LONG`] of the mover, and of the opponent two bits up.
    castling: u8,
    /// The square on which a pawn can be captured in passing; 0 if no such capture is legal.
    passed: u8,
}

/// The right to castle on the king's side.
pub(crate) const SHORT: u8 = 1;
/// The right to castle on the queen's side.
pub(crate) const LONG: u8 = 2;

/// The first and the last rank.
pub(crate) const ENDS: Set = 0xFF00_0000_0000_00FF;

impl ChessPosition {
    /// No men at all.
    pub(crate) const EMPTY: ChessPosition =
        ChessPosition { own: 0, bits: [0; 3], castling: 0, passed: 0 };

    /// The squares with a man of this kind, of either side.
    #[inline(always)]
    pub(crate) fn of(&self, role: Role) -> Set {
        let [a, b, c] = self.bits;
        match role {
            Role::Pawn => a & !(b | c),
            Role::Knight => b & !(a | c),
            Role::Bishop => a & b,
            Role::Rook => c & !(a | b),
            Role::Queen => a & c,
            Role::King => b & c,
        }
    }

    /// The squares with men of the side to move.
    #[inline(always)]
    pub(crate) fn own(&self) -> Set {
        self.own
    }

    /// The squares with men of the other side.
    #[inline(always)]
    pub(crate) fn other(&self) -> Set {
        self.occupied() ^ self.own
    }

    /// The squares with men.
    #[inline(always)]
    pub(crate) fn occupied(&self) -> Set {
        self.bits[0] | self.bits[1] | self.bits[2]
    }

    /// The squares with queens and rooks.
    #[inline(always)]
    pub(crate) fn straight(&self) -> Set {
        self.bits[2] & !self.bits[1]
    }

    /// The squares with queens and bishops.
    #[inline(always)]
    pub(crate) fn diagonal(&self) -> Set {
        self.bits[0] & (self.bits[1] | self.bits[2])
    }

    /// The square of a king, the mover's or the other.
    #[inline(always)]
    pub(crate) fn king(&self, own: bool) -> u8 {
        let side = if own { self.own } else { !self.own };
        (self.of(Role::King) & side).trailing_zeros() as u8
    }

    /// What stands on a square, and whether it belongs to the side to move.
    #[inline(always)]
    pub fn man(&self, square: u8) -> Option<(Role, bool)> {
        let bit = |set: Set| (set >> square & 1) as u8;
        let role = match bit(self.bits[0]) | bit(self.bits[1]) << 1 | bit(self.bits[2]) << 2 {
            1 => Role::Pawn,
            2 => Role::Knight,
            3 => Role::Bishop,
            4 => Role::Rook,
            5 => Role::Queen,
            6 => Role::King,
            _ => return None,
        };
        Some((role, bit(self.own) == 1))
    }

    /// Puts a man on an empty square.
    #[inline(always)]
    pub(crate) fn put(&mut self, square: u8, role: Role, own: bool) {
        for (number, bits) in self.bits.iter_mut().enumerate() {
            *bits |= u64::from(role as u8 >> number & 1) << square;
        }
        self.own |= u64::from(own) << square;
    }

    /// Puts equal men on empty squares.
    #[inline(always)]
    pub(crate) fn put_all(&mut self, squares: Set, role: Role, own: bool) {
        for (number, bits) in self.bits.iter_mut().enumerate() {
            *bits |= if role as u8 >> number & 1 == 1 { squares } else { 0 };
        }
        self.own |= if own { squares } else { 0 };
    }

    /// Takes what stands on a square off the board.
    #[inline(always)]
    pub(crate) fn clear(&mut self, square: u8) {
        let mask = !(1 << square);
        self.bits = self.bits.map(|bits| bits & mask);
        self.own &= mask;
    }

    /// Rights to castle, see the field.
    #[inline(always)]
    pub(crate) fn castling(&self) -> u8 {
        self.castling
    }

    pub(crate) fn set_castling(&mut self, castling: u8) {
        self.castling = castling;
    }

    /// The square on which the mover can capture a pawn in passing.
    #[inline(always)]
    pub fn passed(&self) -> Option<u8> {
        (self.passed != 0).then_some(self.passed)
    }

    pub(crate) fn set_passed(&mut self, square: Option<u8>) {
        self.passed = square.unwrap_or(0);
    }

    /// The same position as the opponent sees it, with the opponent to move. Nothing can be captured
    /// in passing there.
    #[inline(always)]
    #[must_use]
    pub(crate) fn turned(&self) -> Self {
        ChessPosition {
            own: self.other().swap_bytes(),
            bits: self.bits.map(Set::swap_bytes),
            castling: (self.castling << 2 | self.castling >> 2) & 15,
            passed: 0,
        }
    }

    /// The men of a side that attack a square when the squares of `occupied` have men.
    #[inline(always)]
    pub(crate) fn attackers(&self, square: u8, own: bool, occupied: Set) -> Set {
        let men = if own { self.own } else { self.other() };
        // A pawn attacks what a pawn of the other side there would attack it from.
        let found = attacks::pawn(square, !own) & self.of(Role::Pawn)
            | attacks::knight(square) & self.of(Role::Knight)
            | attacks::king(square) & self.of(Role::King)
            | attacks::rook(square, occupied) & self.straight()
            | attacks::bishop(square, occupied) & self.diagonal();
        found & men & occupied
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub fn is_check(&self) -> bool {
        self.attackers(self.king(true), false, self.occupied()) != 0
    }

    /// Whether the side that is not to move is in check, which no legal move leaves it in.
    #[inline(always)]
    pub(crate) fn is_exposed(&self) -> bool {
        self.attackers(self.king(false), true, self.occupied()) != 0
    }

    /// The squares on which a further man keeps these men of the side to move from attacking the other
    /// king: all if they do not attack it.
    #[inline(always)]
    pub(crate) fn shielded(&self, men: Set, occupied: Set) -> Set {
        let king = self.king(false);
        let jumpers = attacks::knight(king) & self.of(Role::Knight)
            | attacks::pawn(king, false) & self.of(Role::Pawn);
        if jumpers & men != 0 {
            return 0;
        }
        let mut shielded = !0;
        for (directions, sliders) in
            [(STRAIGHT, self.straight() & men), (DIAGONAL, self.diagonal() & men)]
        {
            if sliders == 0 {
                continue;
            }
            for direction in directions {
                let seen = line(direction, king, occupied);
                if seen & sliders != 0 {
                    shielded &= seen;
                }
            }
        }
        shielded
    }

    /// The squares from which a man of the side to move attacks the other king.
    #[inline(always)]
    pub(crate) fn attackers_of_king(&self, role: Role, occupied: Set) -> Set {
        let king = self.king(false);
        match role {
            Role::Pawn => attacks::pawn(king, false),
            _ => attacks::of(role, king, occupied),
        }
    }

    /// All squares that men of the other side attack when the squares of `occupied` have men.
    #[inline(always)]
    pub(crate) fn attacked(&self, occupied: Set) -> Set {
        let other = self.other();
        let pawns = other & self.of(Role::Pawn);
        let not_a = !0x0101_0101_0101_0101;
        let not_h = !0x8080_8080_8080_8080;
        let mut set = (pawns & not_a) >> 9 | (pawns & not_h) >> 7;
        set |= attacks::king(self.king(false));
        for square in squares(other & self.of(Role::Knight)) {
            set |= attacks::knight(square);
        }
        for square in squares(other & self.straight()) {
            set |= attacks::rook(square, occupied);
        }
        for square in squares(other & self.diagonal()) {
            set |= attacks::bishop(square, occupied);
        }
        set
    }
}

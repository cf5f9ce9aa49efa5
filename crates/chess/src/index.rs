//! The number of a position in its class.
//!
//! | digits | values |
//! |---|---|
//! | which side is to move | 2; 1 where both sides have the same men |
//! | the two kings | 462 without pawns, 1,806 with pawns |
//! | the men of each kind and side | 64, or 48 of pawns; as combinations where there are several |
//!
//! The board is seen by the first side of the class, and turned so that its king stands in the
//! triangle a1, d1, d4; with pawns, on the files a to d. Without pawns and with both kings on the
//! long diagonal, the smaller of two numbers counts, and the other is a hole; so is every number
//! with two men on a square, or with the side to move able to take the king.
//!
//! Positions in which a pawn can be captured in passing have numbers of their own behind those of
//! their side. The pawn that captures stands beside the one that is captured: 14 pairs of files.

use std::sync::LazyLock;

use crate::attacks::{self, FLIP};
use crate::board::{ChessPosition, Role};
use crate::group::Group;
use crate::material::{CLASSES, Counts, Material, PAWNS};

/// Ways to turn the board: a bit each for exchanging files, ranks, and files with ranks.
type Turn = u8;

#[inline(always)]
pub(crate) fn turn(square: u8, turn: Turn) -> u8 {
    let square = square ^ if turn & 1 != 0 { 7 } else { 0 } ^ if turn & 2 != 0 { FLIP } else { 0 };
    if turn & 4 != 0 { (square >> 3 | square << 3) & 63 } else { square }
}

/// Where two kings are in the list of pairs, and how the board is turned for that.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kings {
    pub number: u16,
    pub turn: Turn,
    /// Whether another turn leads to the same pair: both stand on the long diagonal.
    pub tied: bool,
}

/// Pairs of kings, up to mirror images.
#[derive(Debug)]
pub(crate) struct Pairs {
    /// By the squares of both.
    kings: Vec<Kings>,
    /// The squares of each pair.
    pub squares: Vec<[u8; 2]>,
}

impl Pairs {
    /// With pawns, only files can be exchanged.
    fn new(pawns: bool) -> Self {
        let turns: &[Turn] = if pawns { &[0, 1] } else { &[0, 1, 2, 3, 4, 5, 6, 7] };
        let mut squares: Vec<[u8; 2]> = Vec::new();
        let mut kings = vec![Kings { number: u16::MAX, ..Kings::default() }; 64 * 64];
        for first in 0..64 {
            for second in 0..64 {
                if first == second || attacks::king(first) >> second & 1 == 1 {
                    continue;
                }
                let image = |by: Turn| [turn(first, by), turn(second, by)];
                let in_place = |&by: &Turn| {
                    let [file, rank] = [image(by)[0] % 8, image(by)[0] / 8];
                    file < 4 && (pawns || rank <= file)
                };
                let mut fit: Vec<Turn> = turns.iter().copied().filter(in_place).collect();
                // Of two images, the one with the other king nearer to the first rank.
                fit.sort_by_key(|&by| (image(by)[0], image(by)[1] / 8, image(by)[1]));
                let pair = image(fit[0]);
                let tied = fit.iter().filter(|&&by| image(by) == pair).count() > 1;
                let number = squares.iter().position(|&known| known == pair).unwrap_or_else(|| {
                    squares.push(pair);
                    squares.len() - 1
                });
                kings[usize::from(first) * 64 + usize::from(second)] =
                    Kings { number: number as u16, turn: fit[0], tied };
            }
        }
        Pairs { kings, squares }
    }

    /// The pair of kings on these squares.
    #[inline(always)]
    pub fn of(&self, first: u8, second: u8) -> Kings {
        self.kings[usize::from(first) * 64 + usize::from(second)]
    }
}

/// Pairs without and with pawns.
static PAIRS: LazyLock<[Pairs; 2]> = LazyLock::new(|| [Pairs::new(false), Pairs::new(true)]);

/// A run of numbers with the same digits.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Block {
    groups: Vec<Group>,
    /// Pairs of files with a pawn that can be captured in passing; 1 where there is none.
    files: u64,
    len: u64,
}

impl Block {
    fn new(sides: &[Counts; 2], kings: u64, files: u64) -> Self {
        let mut groups = Vec::new();
        // What moves farthest changes the last digits, so that its moves stay near.
        for (place, role) in Role::MEN.into_iter().enumerate().rev() {
            for side in [1, 0] {
                if sides[side][place] > 0 {
                    groups.push(Group::new(role, side == 0, sides[side][place]));
                }
            }
        }
        let len = groups.iter().fold(kings * files, |len, group| len * group.len);
        Block { groups, files, len }
    }
}

/// The numbers of a class.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    class: Material,
    pub pairs: &'static Pairs,
    /// By the side to move, the first or the second of the class: positions without and with a pawn
    /// that can be captured in passing.
    halves: Vec<[Block; 2]>,
}

/// All classes' layouts.
static LAYOUTS: LazyLock<Vec<Layout>> =
    LazyLock::new(|| CLASSES.all.iter().map(Layout::new).collect());

/// The numbers of the class of a slice.
pub(crate) fn layout(slice: u32) -> &'static Layout {
    &LAYOUTS[slice as usize]
}

impl Layout {
    fn new(class: &Material) -> Self {
        let pairs = &PAIRS[usize::from(class.pawns() > 0)];
        let kings = pairs.squares.len() as u64;
        let mut fewer = class.sides;
        let passing = if fewer.iter().all(|side| side[PAWNS] > 0) {
            for side in &mut fewer {
                side[PAWNS] -= 1;
            }
            Block::new(&fewer, kings, 14)
        } else {
            Block { groups: Vec::new(), files: 0, len: 0 }
        };
        let half = [Block::new(&class.sides, kings, 1), passing];
        let halves = vec![half; if class.is_even() { 1 } else { 2 }];
        Layout { class: *class, pairs, halves }
    }

    /// The men of positions in which none can be captured in passing, the last digits last.
    pub fn groups(&self) -> &[Group] {
        &self.halves[0][0].groups
    }

    /// Numbers with this side of the class to move.
    pub fn half_len(&self, mover: usize) -> u64 {
        self.halves[mover].iter().map(|block| block.len).sum()
    }

    /// All numbers.
    pub fn len(&self) -> u64 {
        (0..self.halves.len()).map(|mover| self.half_len(mover)).sum()
    }

    /// The side of the class that moves after this one: the same where both have the same men.
    #[inline(always)]
    pub fn next(&self, mover: usize) -> usize {
        if self.halves.len() == 1 { 0 } else { 1 - mover }
    }

    /// Whether two moves of the side to move, or two un-moves of the other side, can lead to mirror
    /// images. Then the king that stays where it is stands on a long diagonal, as only that does
    /// not change when the board is turned, and the other one on it or beside it.
    #[inline(always)]
    pub fn may_share(&self, position: &ChessPosition, forward: bool) -> bool {
        if self.class.pawns() > 0 {
            return false;
        }
        let place = |own: bool| {
            let square = position.king(own);
            let (file, rank) = ((square % 8) as i8, (square / 8) as i8);
            [file - rank, file + rank - 7]
        };
        let ([a, b], [c, d]) = (place(!forward), place(forward));
        a == 0 && c.abs() <= 1 || b == 0 && d.abs() <= 1
    }

    /// The number of a position of which side `mover` of the class is to move.
    #[inline]
    pub fn rank(&self, position: &ChessPosition, mover: usize) -> u64 {
        // As the first side sees the board.
        let flip = if mover == 0 { 0 } else { FLIP };
        let [first, second] = [mover == 0, mover == 1].map(|own| position.king(own) ^ flip);
        let kings = self.pairs.of(first, second);
        let start = if mover == 0 { 0 } else { self.half_len(0) };
        let number = self.digits(position, mover, kings, flip);
        if kings.tied {
            // The other image of the same two kings has files and ranks exchanged after the turn.
            let mirrored = Kings { turn: kings.turn | 8, ..kings };
            return start + number.min(self.digits(position, mover, mirrored, flip));
        }
        start + number
    }

    /// The digits of a position when the board is turned; bit 3 of the turn stands for exchanging
    /// files and ranks after it.
    #[inline(always)]
    fn digits(&self, position: &ChessPosition, mover: usize, kings: Kings, flip: u8) -> u64 {
        let [plain, passing] = &self.halves[mover];
        let place = |square: u8| {
            let square = turn(square ^ flip, kings.turn);
            if kings.turn & 8 != 0 { turn(square, 4) } else { square }
        };
        let mut number = u64::from(kings.number);
        let mut removed = 0;
        let block = match position.passed() {
            None => plain,
            Some(square) => {
                let taken = square - 8;
                // Seen from the first side, the pawn that captures on the left counts.
                let pawns = position.own() & position.of(Role::Pawn);
                let left = place(taken).wrapping_sub(1);
                let capturers = [taken.wrapping_sub(1), taken + 1]
                    .into_iter()
                    .filter(|&from| from / 8 == taken / 8 && pawns >> from & 1 == 1);
                let from =
                    capturers.min_by_key(|&from| place(from) != left).expect("a pawn can capture");
                let file = u64::from(place(taken) % 8);
                number = number * 14 + if place(from) == left { file - 1 } else { 7 + file };
                removed = 1 << taken | 1 << from;
                passing
            }
        };
        for group in &block.groups {
            let own = group.first == (mover == 0);
            let men = if own { position.own() } else { position.other() };
            let men = position.of(group.role) & men & !removed;
            let mut squares = 0;
            for square in attacks::squares(men) {
                squares |= 1 << place(square);
            }
            number = number * group.len + group.rank(squares);
        }
        if position.passed().is_some() { plain.len + number } else { number }
    }

    /// The position with this number; `None` for a hole.
    pub fn unrank(&self, index: u64) -> Option<ChessPosition> {
        self.position(index).map(|found| found.0)
    }

    /// The position with this number, and which side of the class is to move.
    #[inline]
    pub fn position(&self, index: u64) -> Option<(ChessPosition, usize)> {
        let first_half = self.half_len(0);
        let (mover, rest) = if index < first_half { (0, index) } else { (1, index - first_half) };
        let [plain, passing] = &self.halves[mover];
        let (block, mut rest) =
            if rest < plain.len { (plain, rest) } else { (passing, rest - plain.len) };
        // As the first side sees the board.
        let mut seen = ChessPosition::EMPTY;
        let mut put = |square: u8, role: Role, first: bool| {
            let free = seen.occupied() >> square & 1 == 0;
            if free {
                seen.put(square, role, first);
            }
            free
        };
        for group in block.groups.iter().rev() {
            let squares = group.unrank(rest % group.len);
            rest /= group.len;
            for square in attacks::squares(squares) {
                if !put(square, group.role, group.first) {
                    return None;
                }
            }
        }
        let mut taken = None;
        if block.files == 14 {
            let pair = (rest % 14) as u8;
            rest /= 14;
            let rank = if mover == 0 { 4 } else { 3 };
            let (file, from) = if pair < 7 { (pair + 1, pair) } else { (pair - 7, pair - 6) };
            let square = rank * 8 + file;
            if !put(square, Role::Pawn, mover == 1) || !put(rank * 8 + from, Role::Pawn, mover == 0)
            {
                return None;
            }
            taken = Some(square);
        }
        let [first, second] = self.pairs.squares[rest as usize];
        if !put(first, Role::King, true) || !put(second, Role::King, false) {
            return None;
        }
        let mut position = if mover == 0 { seen } else { seen.turned() };
        if position.is_exposed() {
            return None;
        }
        if let Some(taken) = taken {
            let square = (if mover == 0 { taken } else { taken ^ FLIP }) + 8;
            let behind = 1 << square | 1 << (square + 8);
            if position.occupied() & behind != 0 || !position.can_pass(square) {
                return None;
            }
            position.set_passed(Some(square));
        }
        // Of two numbers with the same meaning, one is a hole.
        let tied = self.pairs.of(first, second).tied;
        let unique = !tied && taken.is_none();
        (unique || self.rank(&position, mover) == index).then_some((position, mover))
    }

    /// Which side of its class is to move.
    pub fn mover_names(&self) -> Vec<String> {
        let name = |mover: usize| {
            format!("{} v {}", self.class.side_name(mover), self.class.side_name(1 - mover))
        };
        (0..self.halves.len()).map(name).collect()
    }
}

//! Positions in eight bytes, and their numbers by look-up.
//!
//! A position is a list of men: two lions, and two each of elephants, giraffes and chicks, every
//! one with its place. Nothing in it is turned or mirrored when a move is made. A *frame*, which
//! depends on the lions and the side to move alone, maps places to what the mover sees in the
//! orientation that is numbered; the rest of the number is found by look-up:
//!
//! ```text
//! number = class of the lions · CLASS + start of (elephants, giraffes) + chicks
//! ```
//!
//! where places are counted among the ten squares that the lions leave, and those of the chicks
//! among the squares that all others leave.

use std::sync::LazyLock;

use super::{Animal, DobutsuPosition, LAST_RANK, Man, SQUARES, reach};

/// A place: the square, plus 12 for the side that plays down the board; or [`HAND`] plus the side;
/// plus [`HEN`] for a chick that is one.
pub(super) const HAND: u8 = 24;
pub(super) const HEN: u8 = 32;
/// The place without [`HEN`].
pub(super) const PLACE: u8 = 31;

/// A position as a list of men.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Men {
    /// The squares of the lions of side 0 and of side 1; the first is increased by 12 where side 1
    /// is to move.
    pub(super) lions: [u8; 2],
    /// The places of two elephants, two giraffes and two chicks or hens.
    pub(super) men: [u8; 6],
}

impl Men {
    /// The side to move: 0 plays up the board, 1 down.
    #[inline(always)]
    pub(super) fn side(self) -> usize {
        usize::from(self.lions[0] >= 12)
    }

    /// The lion's square of each side.
    #[inline(always)]
    pub(super) fn lions(self) -> [usize; 2] {
        let first = self.lions[0] - 12 * u8::from(self.lions[0] >= 12);
        [usize::from(first), usize::from(self.lions[1])]
    }

    /// The same men with the other side to move.
    #[inline(always)]
    pub(super) fn passed(mut self) -> Self {
        self.lions[0] = if self.lions[0] >= 12 { self.lions[0] - 12 } else { self.lions[0] + 12 };
        self
    }

    /// The key of a number of slice `end`, which stands for many positions.
    pub(super) fn end(index: u64) -> Self {
        Men { lions: [u8::MAX, index as u8], men: [PLACE; 6] }
    }

    /// The number of which this is the key in slice `end`.
    pub(super) fn end_index(self) -> Option<u64> {
        (self.lions[0] == u8::MAX).then_some(self.lions[1].into())
    }

    /// A position with both lions on the board, seen by its mover as side 0.
    pub(super) fn new(position: &DobutsuPosition) -> Self {
        let mut men = Men { lions: [0; 2], men: [PLACE; 6] };
        let mut add = |place: Option<usize>, at: u8| {
            let Some(place) = place else { return };
            let slot = 2 * place + usize::from(men.men[2 * place] != PLACE);
            men.men[slot] = at;
        };
        for (square, man) in position.men() {
            let hen = if man.animal == Animal::Hen { HEN } else { 0 };
            let side = u8::from(!man.own);
            add(man.animal.place(), square as u8 + 12 * side + hen);
        }
        for (side, hand) in (0..).zip(position.hands) {
            for (place, count) in hand.into_iter().enumerate() {
                for _ in 0..count {
                    add(Some(place), HAND + side);
                }
            }
        }
        let lion = |own| position.lion(own).expect("both lions are on the board") as u8;
        men.lions = [lion(true), lion(false)];
        men
    }

    /// The position of men whose mover is side 0.
    pub(super) fn position(self) -> DobutsuPosition {
        let mut position = DobutsuPosition::empty();
        for (square, own) in self.lions.into_iter().zip([true, false]) {
            position.board[usize::from(square)] = Some(Man { animal: Animal::Lion, own });
        }
        for (slot, at) in self.men.into_iter().enumerate() {
            let place = at & PLACE;
            if place >= HAND {
                position.hands[usize::from(place - HAND)][slot / 2] += 1;
            } else {
                let animal = if at & HEN > 0 { Animal::Hen } else { Animal::IN_HAND[slot / 2] };
                let own = place < SQUARES as u8;
                position.board[usize::from(place) % SQUARES] = Some(Man { animal, own });
            }
        }
        position
    }
}

/// Squares that the lions leave.
const FREE: usize = 10;
/// Places as a frame maps them: twice the free square, plus 1 for the opponent's men; then the
/// hands of both.
const PLACES: usize = 2 * FREE + 2;
/// Classes of the lions' squares, mirror images together.
const CLASSES: usize = 72;
/// Those of open positions, which come first.
const OPEN_CLASSES: usize = 21;
/// Ways to place a pair of elephants, or of giraffes, if there were no other men but lions.
const PAIRS: usize = 223;
/// Ways to place the chicks among ten squares.
const CHICKS: usize = 803;
/// Numbers for each class of the lions.
pub(super) const CLASS: u64 = 11_878_227;
/// Numbers of open positions, and of those in which nothing but the lion's being attacked prevents
/// that.
pub(super) const NUMBERS: u64 = OPEN_CLASSES as u64 * CLASS;
/// Numbers of all positions with both lions on the board.
#[cfg(test)]
pub(super) const ALL_NUMBERS: u64 = CLASSES as u64 * CLASS;

/// How the mover sees places, given the lions and the side to move.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The first number of the lions' class.
    base: u32,
    /// The frame of the mirror image, if that has the same class; else 0.
    twin: u32,
    map: [u8; 32],
}

/// How a class of lions is laid out in the orientation that is numbered.
#[derive(Clone, Copy, Debug)]
struct Class {
    lions: [u8; 2],
    /// The place of each mapped place.
    unmap: [u8; 32],
}

/// Numbers of elephants and giraffes with the same places.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: u32,
    pairs: [u8; 2],
}

/// A bit for every square: the low half of men of side 0, the high half of side 1.
pub(super) type Sides = u32;

/// All tables; half a megabyte.
#[derive(Debug)]
pub(super) struct Tables {
    /// By the bytes of the lions; those with a twin are followed by the twins.
    frames: Vec<Frame>,
    classes: [Class; CLASSES],
    /// The number of a pair by both its mapped places.
    pair: [u8; 1024],
    pair_places: [[u8; 2]; PAIRS],
    /// The free squares that a pair takes.
    pair_squares: [u16; 256],
    /// By both pairs.
    starts: Box<[u32; 1 << 16]>,
    blocks: Vec<Block>,
    /// By number within a class, divided by [`COARSE`]: the block that this begins in.
    coarse: Vec<u16>,
    /// The number of the chicks by both their places among the squares left to them.
    chicks: Box<[u16; 4096]>,
    chick_places: [[u8; 2]; CHICKS],
    /// The free squares below a mapped place.
    below: [u16; 32],
    ones: [u8; 1024],
    /// The free square of the n-th one that is not taken.
    left: Box<[[u8; 16]; 1024]>,
    /// The squares that a man attacks, by kind and place.
    pub(super) attacks: [[Sides; 64]; 3],
    /// The square of a place.
    pub(super) squares: [Sides; 32],
    /// The squares around one.
    pub(super) around: [u16; 16],
    /// The squares from which elephants, giraffes, chicks and hens attack a square, by the place
    /// that they would have there.
    pub(super) from: [[u16; 32]; 4],
}

/// Fewer numbers than the smallest block has.
const COARSE: u64 = 256;

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// The tables, made when they are first used.
pub(super) fn tables() -> &'static Tables {
    &TABLES
}

/// Squares as the mover sees them.
fn turned(square: usize, side: usize) -> usize {
    if side == 0 { square } else { SQUARES - 1 - square }
}

fn mirrored(square: usize) -> usize {
    square + 2 - 2 * (square % 3)
}

fn lion(own: bool) -> Man {
    Man { animal: Animal::Lion, own }
}

/// Whether an open position can have its lions there, the mover's first.
fn lions_fit(own: usize, other: usize) -> bool {
    let apart = reach(lion(true), own).all(|square| square != other);
    apart && own < LAST_RANK && other >= 3
}

/// Whether these are the lions of the numbered orientation; true for both images of lions on the
/// middle file.
fn lions_numbered(own: usize, other: usize) -> bool {
    match own % 3 {
        0 => true,
        1 => other % 3 < 2,
        _ => false,
    }
}

/// Ways to place the chicks on `squares` squares: by the highest of their squares, 8 ways for one
/// chick there and the other in a hand, and 16 for every lower square of the other.
const fn chick_ways(squares: usize) -> u32 {
    (3 + 8 * squares + 8 * squares * squares.saturating_sub(1)) as u32
}

/// The ways to place two men of a kind, as mapped places, the lower square first. `forms` are what
/// may stand on a square: it is added to the place of an own man that is no hen.
fn pairs(forms: &[u8]) -> Vec<[u8; 2]> {
    let hands = [2 * FREE as u8, 2 * FREE as u8 + 1];
    let mut ways = vec![[hands[0]; 2], hands, [hands[1]; 2]];
    for high in 0..FREE as u8 {
        for &form in forms {
            ways.extend(hands.map(|hand| [2 * high + form, hand]));
        }
        for low in 0..high {
            for &form in forms {
                ways.extend(forms.iter().map(|lower| [2 * low + lower, 2 * high + form]));
            }
        }
    }
    ways
}

impl Tables {
    fn new() -> Self {
        let mut tables = Tables {
            frames: Vec::new(),
            classes: [Class { lions: [0; 2], unmap: [0; 32] }; CLASSES],
            pair: [0; 1024],
            pair_places: [[0; 2]; PAIRS],
            pair_squares: [0; 256],
            starts: vec![0; 1 << 16].try_into().expect("it has as many entries"),
            blocks: Vec::new(),
            coarse: Vec::new(),
            chicks: Box::new([0; 4096]),
            chick_places: [[0; 2]; CHICKS],
            below: [0; 32],
            ones: [0; 1024],
            left: Box::new([[0; 16]; 1024]),
            attacks: [[0; 64]; 3],
            squares: [0; 32],
            around: [0; 16],
            from: [[0; 32]; 4],
        };
        tables.make_pairs();
        tables.make_blocks();
        tables.make_frames();
        tables.make_moves();
        tables
    }

    fn make_pairs(&mut self) {
        for (number, [a, b]) in pairs(&[0, 1]).into_iter().enumerate() {
            self.pair_places[number] = [a, b];
            for (a, b) in [(a, b), (b, a)] {
                self.pair[usize::from(a) << 5 | usize::from(b)] = number as u8;
                if usize::from(a) < 2 * FREE {
                    self.pair_squares[number] |= 1 << (a / 2);
                }
            }
        }
        for (number, [a, b]) in pairs(&[0, 1, HEN, HEN + 1]).into_iter().enumerate() {
            self.chick_places[number] = [a, b];
            for (a, b) in [(a, b), (b, a)] {
                self.chicks[usize::from(a) << 6 | usize::from(b)] = number as u16;
            }
        }
        for place in 0..2 * FREE {
            self.below[place] = (1 << (place / 2)) - 1;
        }
        for taken in 0..1usize << FREE {
            self.ones[taken] = taken.count_ones() as u8;
            let left = (0..FREE as u8).filter(|square| taken >> square & 1 == 0);
            for (place, square) in left.enumerate() {
                self.left[taken][place] = square;
            }
        }
    }

    fn make_blocks(&mut self) {
        let mut start = 0;
        for elephants in 0..PAIRS {
            for giraffes in 0..PAIRS {
                let [taken, more] = [elephants, giraffes].map(|pair| self.pair_squares[pair]);
                if taken & more != 0 {
                    continue;
                }
                self.starts[elephants << 8 | giraffes] = start;
                self.blocks.push(Block { start, pairs: [elephants as u8, giraffes as u8] });
                start += chick_ways(FREE - (taken | more).count_ones() as usize);
            }
        }
        assert_eq!(u64::from(start), CLASS, "all ways to place the men");
        self.coarse = (0..CLASS.div_ceil(COARSE))
            .map(|part| {
                let first = part * COARSE;
                self.blocks.partition_point(|block| u64::from(block.start) <= first) as u16 - 1
            })
            .collect();
    }

    fn make_frames(&mut self) {
        let pairs = (0..SQUARES).flat_map(|own| (0..SQUARES).map(move |other| [own, other]));
        let mut numbered: Vec<[usize; 2]> =
            pairs.filter(|&[own, other]| own != other && lions_numbered(own, other)).collect();
        numbered.sort_by_key(|&[own, other]| !lions_fit(own, other));
        for (class, [own, other]) in self.classes.iter_mut().zip(numbered) {
            class.lions = [own as u8, other as u8];
            let free = (0..SQUARES).filter(|square| ![own, other].contains(square));
            for (at, square) in free.enumerate() {
                class.unmap[2 * at] = square as u8;
                class.unmap[2 * at + 1] = (square + SQUARES) as u8;
            }
            class.unmap[2 * FREE] = HAND;
            class.unmap[2 * FREE + 1] = HAND + 1;
        }
        let mut twins = Vec::new();
        for side in 0..2 {
            for first in 0..SQUARES {
                for second in 0..SQUARES {
                    let lions = if side == 0 { [first, second] } else { [second, first] };
                    let mut frame = self.frame(lions, side, false);
                    if let Some(twin) = self.frame(lions, side, true) {
                        match &mut frame {
                            Some(frame) => {
                                frame.twin = (2 * SQUARES * SQUARES + twins.len()) as u32;
                                twins.push(twin);
                            }
                            None => frame = Some(twin),
                        }
                    }
                    let none = Frame { base: u32::MAX, twin: 0, map: [0; 32] };
                    self.frames.push(frame.unwrap_or(none));
                }
            }
        }
        self.frames.append(&mut twins);
    }

    /// How the side to move sees the board, with the mover's lion first and perhaps through a
    /// mirror; `None` where that is not the numbered orientation.
    fn frame(&self, lions: [usize; 2], side: usize, mirror: bool) -> Option<Frame> {
        let seen = |square: usize| {
            let square = turned(square, side);
            if mirror { mirrored(square) } else { square }
        };
        let lions = lions.map(|square| seen(square) as u8);
        let class = self.classes.iter().position(|class| class.lions == lions)?;
        let mut map = [0; 32];
        for (mapped, &unmapped) in self.classes[class].unmap[..PLACES].iter().enumerate() {
            let place = if unmapped >= HAND {
                HAND + ((unmapped - HAND) ^ side as u8)
            } else {
                let (square, other) = (usize::from(unmapped) % SQUARES, unmapped >= 12);
                let square = if mirror { mirrored(square) } else { square };
                (turned(square, side) + SQUARES * usize::from(other != (side == 1))) as u8
            };
            map[usize::from(place)] = mapped as u8;
        }
        Some(Frame { base: (class as u64 * CLASS) as u32, twin: 0, map })
    }

    fn make_moves(&mut self) {
        let kinds = [Animal::Elephant, Animal::Giraffe, Animal::Chick, Animal::Hen];
        for square in 0..SQUARES {
            self.around[square] = reach(lion(true), square).fold(0, |set, to| set | 1 << to);
            for side in 0..2 {
                let place = square + SQUARES * side;
                self.squares[place] = 1 << (square + 16 * side);
                for (kind, animal) in kinds.into_iter().enumerate() {
                    let at = place + if kind == 3 { usize::from(HEN) } else { 0 };
                    for to in reach(Man { animal, own: side == 0 }, square) {
                        self.attacks[kind.min(2)][at] |= 1 << (to + 16 * side);
                        self.from[kind][to + SQUARES * side] |= 1 << square;
                    }
                }
            }
        }
    }

    /// The number of men, as their mover sees them in a frame.
    #[inline(always)]
    fn number(&self, frame: &Frame, men: [u8; 6]) -> u32 {
        let mapped = men.map(|at| usize::from(frame.map[usize::from(at & PLACE)]));
        let pair = |a: usize, b: usize| usize::from(self.pair[(a << 5 | b) & 1023]);
        let (elephants, giraffes) = (pair(mapped[0], mapped[1]), pair(mapped[2], mapped[3]));
        let taken = self.pair_squares[elephants] | self.pair_squares[giraffes];
        let chick = |slot: usize| {
            let place = mapped[slot] & 31;
            let below = self.ones[usize::from(taken & self.below[place]) & 1023];
            place - 2 * usize::from(below) + usize::from(men[slot] & HEN)
        };
        let chicks = self.chicks[(chick(4) << 6 | chick(5)) & 4095];
        frame.base + self.starts[elephants << 8 | giraffes] + u32::from(chicks)
    }

    #[inline(always)]
    fn frame_of(&self, men: Men) -> &Frame {
        &self.frames[usize::from(men.lions[0]) * SQUARES + usize::from(men.lions[1])]
    }

    /// The number of a position with both lions on the board.
    #[inline(always)]
    pub(super) fn index(&self, men: Men) -> u64 {
        let frame = self.frame_of(men);
        let number = self.number(frame, men.men);
        if frame.twin == 0 { number.into() } else { number.min(self.twin(frame, men)).into() }
    }

    #[inline(never)]
    fn twin(&self, frame: &Frame, men: Men) -> u32 {
        self.number(&self.frames[frame.twin as usize], men.men)
    }

    /// Whether a position is its own mirror image.
    #[inline(always)]
    pub(super) fn is_symmetric(&self, men: Men) -> bool {
        let frame = self.frame_of(men);
        frame.twin != 0 && self.number(frame, men.men) == self.twin(frame, men)
    }

    /// The men with a number, seen by their mover as side 0, each pair from the lower square to
    /// the higher; `None` where another number stands for their mirror image. They may attack the
    /// lion.
    #[inline]
    pub(super) fn men(&self, index: u64) -> Option<Men> {
        let class = &self.classes[(index / CLASS) as usize];
        let within = index % CLASS;
        let mut block = usize::from(self.coarse[(within / COARSE) as usize]);
        if self.blocks.get(block + 1).is_some_and(|next| u64::from(next.start) <= within) {
            block += 1;
        }
        let Block { start, pairs: [elephants, giraffes] } = self.blocks[block];
        let taken =
            self.pair_squares[usize::from(elephants)] | self.pair_squares[usize::from(giraffes)];
        let left = &self.left[usize::from(taken) & 1023];
        let unmap = |mapped: u8| class.unmap[usize::from(mapped) & 31];
        let [e, g] =
            [elephants, giraffes].map(|pair| self.pair_places[usize::from(pair)].map(unmap));
        let c = self.chick_places[within as usize - start as usize].map(|place| {
            let (hen, place) = (place & HEN, place & PLACE);
            let hand = usize::from(place) >= 2 * FREE;
            let place = if hand { place } else { 2 * left[usize::from(place / 2)] + place % 2 };
            unmap(place) | hen
        });
        let men = Men { lions: class.lions, men: [e[0], e[1], g[0], g[1], c[0], c[1]] };
        let frame = self.frame_of(men);
        if frame.twin != 0 && u64::from(self.twin(frame, men)) < index { None } else { Some(men) }
    }

    /// The squares that the men other than lions attack, and those that they stand on.
    #[inline(always)]
    pub(super) fn survey(&self, men: Men) -> [Sides; 2] {
        let (mut attacked, mut squares) = (0, 0);
        for (slot, at) in men.men.into_iter().enumerate() {
            attacked |= self.attacks[slot / 2][usize::from(at) & 63];
            squares |= self.squares[usize::from(at & PLACE)];
        }
        [attacked, squares]
    }

    /// The men with a number, where that stands for an open position.
    #[inline]
    pub(super) fn open(&self, index: u64) -> Option<Men> {
        let men = self.men(index)?;
        let [attacked, _] = self.survey(men);
        (attacked >> men.lions[1] & 1 == 0).then_some(men)
    }
}

//! Slices: which pieces the two sides have.

use std::sync::OnceLock;

use nutcracker_game::SliceId;

use super::board::CheckersPosition;
use super::index::Layout;

/// Pieces of a side at the start of a game: it never has more.
pub(crate) const MOST: usize = 12;
/// Pieces of both sides in the largest slices that are numbered.
pub(crate) const LARGEST: u32 = 8;

/// The pieces of one side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Force {
    pub(crate) kings: u8,
    pub(crate) men: u8,
}

impl Force {
    pub(crate) fn pieces(self) -> u32 {
        u32::from(self.kings) + u32::from(self.men)
    }

    /// A number for each, fewer pieces first.
    fn code(self) -> usize {
        let pieces = self.pieces() as usize;
        pieces * (pieces + 1) / 2 + usize::from(self.kings)
    }

    /// What is left when the other side captures, in every possible way; nothing is one of them.
    fn captured(self) -> impl Iterator<Item = Force> {
        let all =
            (0..=self.kings).flat_map(move |kings| (0..=self.men).map(move |men| (kings, men)));
        all.map(|(kings, men)| Force { kings, men }).filter(move |&left| left != self)
    }

    /// Such as `2 kings, 1 man`.
    pub(crate) fn in_words(self) -> String {
        let pieces = [(self.kings, "king", "kings"), (self.men, "man", "men")];
        let words = pieces
            .into_iter()
            .filter(|&(count, ..)| count > 0)
            .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
        words.collect::<Vec<_>>().join(", ")
    }

    /// After a promotion.
    fn promoted(self) -> Option<Force> {
        (self.men > 0).then(|| Force { kings: self.kings + 1, men: self.men - 1 })
    }
}

impl std::fmt::Display for Force {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}K+{}C", self.kings, self.men)
    }
}

/// The numbers of [`Force`].
const FORCES: usize = (MOST + 1) * (MOST + 2) / 2;

/// A slice: the pieces of one side and of the other, either of which has the move.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// The stronger side first.
    pub(crate) forces: [Force; 2],
    /// The numbering if the first side has the move, and if the other has. Only one where they are
    /// equal; none in slices too large to have a database.
    pub(crate) layouts: Vec<Layout>,
}

impl Slice {
    pub(crate) fn pieces(&self) -> u32 {
        self.forces.iter().map(|force| force.pieces()).sum()
    }

    /// The sides in the order of play, for each layout.
    pub(crate) fn orders(&self) -> impl Iterator<Item = [Force; 2]> {
        let [first, second] = self.forces;
        let both = [[first, second], [second, first]];
        both.into_iter().take(if first == second { 1 } else { 2 })
    }
}

/// All slices, in the order of their numbers. Number 0 has no material: one side has no pieces left.
pub(crate) struct Slices {
    all: Vec<Slice>,
    /// Number and order of play by the codes of both forces, the mover's first.
    numbers: Vec<(u16, bool)>,
}

/// One side has no pieces left.
pub(crate) const OVER: SliceId = SliceId(0);

impl Slices {
    pub(crate) fn get() -> &'static Slices {
        static SLICES: OnceLock<Slices> = OnceLock::new();
        SLICES.get_or_init(Slices::new)
    }

    fn new() -> Self {
        let forces: Vec<Force> = (1..=MOST as u8)
            .flat_map(|pieces| (0..=pieces).map(move |kings| Force { kings, men: pieces - kings }))
            .collect();
        let mut pairs: Vec<[Force; 2]> = forces
            .iter()
            .flat_map(|&second| forces.iter().map(move |&first| [first, second]))
            .filter(|[first, second]| first.code() >= second.code())
            .collect();
        // Captures take pieces away, promotions men; neither is ever undone.
        let order = |[first, second]: &[Force; 2]| {
            let pieces = first.pieces() + second.pieces();
            (pieces, first.men + second.men, first.code(), second.code())
        };
        pairs.sort_by_key(order);
        let mut numbers = vec![(0, false); FORCES * FORCES];
        let mut all = Vec::with_capacity(pairs.len());
        for (number, forces) in (1..).zip(pairs) {
            let [first, second] = forces;
            numbers[second.code() * FORCES + first.code()] = (number, true);
            numbers[first.code() * FORCES + second.code()] = (number, false);
            let mut slice = Slice { forces, layouts: Vec::new() };
            if slice.pieces() <= LARGEST {
                slice.layouts = slice.orders().map(Layout::new).collect();
            }
            all.push(slice);
        }
        Slices { all, numbers }
    }

    /// The slice with a number; `None` for [`OVER`].
    pub(crate) fn slice(&self, slice: SliceId) -> Option<&Slice> {
        self.all.get((slice.0 as usize).checked_sub(1)?)
    }

    /// The slice of a position, and whether its second order of play applies.
    pub(crate) fn of(&self, position: &CheckersPosition) -> (SliceId, bool) {
        let own = Force {
            kings: position.kings.count_ones() as u8,
            men: position.men.count_ones() as u8,
        };
        let other = Force {
            kings: position.other_kings.count_ones() as u8,
            men: position.other_men.count_ones() as u8,
        };
        self.number([own, other])
    }

    fn number(&self, [own, other]: [Force; 2]) -> (SliceId, bool) {
        if own.pieces() == 0 || other.pieces() == 0 {
            return (OVER, false);
        }
        let (number, second) = self.numbers[own.code() * FORCES + other.code()];
        (SliceId(number.into()), second)
    }

    /// The last slice with a database.
    pub(crate) fn largest(&self) -> SliceId {
        SliceId(self.all.partition_point(|slice| slice.pieces() <= LARGEST) as u32)
    }

    /// The slices with these pieces in all.
    pub(crate) fn with_pieces(&self, pieces: u32) -> Vec<SliceId> {
        let numbered = (1..).zip(&self.all);
        let these = numbered.filter(|(_, slice)| slice.pieces() == pieces);
        these.map(|(number, _)| SliceId(number)).collect()
    }

    /// The slice with the name of its pieces: `2110` for two kings and a man against a king.
    pub(crate) fn named(&self, name: &str) -> Option<SliceId> {
        if name == "over" {
            return Some(OVER);
        }
        let digits: Vec<u8> =
            name.chars().map(|c| c.to_digit(10).map(|digit| digit as u8)).collect::<Option<_>>()?;
        let &[first, second, first_men, second_men] = digits.as_slice() else { return None };
        let forces =
            [Force { kings: first, men: first_men }, Force { kings: second, men: second_men }];
        let legal = |force: Force| (1..=MOST as u32).contains(&force.pieces());
        forces.into_iter().all(legal).then(|| self.number(forces).0)
    }

    /// Its name, the stronger side first.
    pub(crate) fn name(&self, slice: SliceId) -> String {
        self.slice(slice).map_or_else(
            || "over".to_owned(),
            |slice| {
                let [first, second] = slice.forces;
                format!("{}{}{}{}", first.kings, second.kings, first.men, second.men)
            },
        )
    }

    /// The slices that captures and promotions lead to.
    pub(crate) fn below(&self, slice: SliceId) -> Vec<SliceId> {
        let Some(slice) = self.slice(slice) else { return Vec::new() };
        let mut found = Vec::new();
        for [own, other] in slice.orders() {
            for own_after in [Some(own), own.promoted()].into_iter().flatten() {
                found.extend(other.captured().map(|left| self.number([own_after, left]).0));
                if own_after != own {
                    found.push(self.number([own_after, other]).0);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

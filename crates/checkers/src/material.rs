//! Slices: which pieces the two sides have, and how far their foremost men have come.

use std::sync::OnceLock;

use nutcracker_game::SliceId;

use super::board::{CROWN, CheckersPosition, SQUARES};
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

/// A side as slices distinguish them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Side {
    pub(crate) force: Force,
    /// The rank of the foremost man, from 1 to 7 as the side sees it; 0 without men, and where slices
    /// do not depend on it.
    pub(crate) lead: u8,
}

/// The last rank on which men stand.
const LAST: u8 = 7;

impl Force {
    /// The ranks that the foremost man can have.
    fn leads(self) -> std::ops::RangeInclusive<u8> {
        if self.men == 0 { 0..=0 } else { self.men.div_ceil(4)..=LAST }
    }
}

impl Side {
    fn code(self, led: bool) -> usize {
        if led { self.force.code() * 8 + usize::from(self.lead) } else { self.force.code() }
    }

    /// Squares that the side's men do not reach within the slice, as it sees them.
    pub(crate) fn beyond(self) -> u32 {
        if self.lead == 0 { CROWN } else { u32::MAX << (4 * self.lead) }
    }

    /// The rank on which a man must stand; all squares where there is none.
    pub(crate) fn lead_rank(self) -> u32 {
        if self.lead == 0 { u32::MAX } else { 0xF << (4 * (self.lead - 1)) }
    }

    /// Sides with these pieces, whose foremost man is on one of these ranks.
    fn each(force: Force, leads: std::ops::RangeInclusive<u8>, led: bool) -> Vec<Side> {
        if !led || force.men == 0 {
            return vec![Side { force, lead: 0 }];
        }
        let possible = force.leads().filter(|lead| leads.contains(lead));
        possible.map(|lead| Side { force, lead }).collect()
    }
}

/// The numbers of [`Force`].
const FORCES: usize = (MOST + 1) * (MOST + 2) / 2;

/// A slice: one side and the other, either of which has the move.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// The stronger side first.
    pub(crate) sides: [Side; 2],
    /// The numbering if the first side has the move, and if the other has. Only one where they are
    /// equal; none in slices too large to have a database.
    pub(crate) layouts: Vec<Layout>,
}

impl Slice {
    pub(crate) fn pieces(&self) -> u32 {
        self.sides.iter().map(|side| side.force.pieces()).sum()
    }

    /// The sides in the order of play, for each layout.
    pub(crate) fn orders(&self) -> impl Iterator<Item = [Side; 2]> {
        let [first, second] = self.sides;
        let both = [[first, second], [second, first]];
        both.into_iter().take(if first == second { 1 } else { 2 })
    }
}

/// All slices, in the order of their numbers. Number 0 has no material: one side has no pieces left.
pub(crate) struct Slices {
    all: Vec<Slice>,
    /// Whether they are divided by the ranks of the foremost men, too; those too large to have a
    /// database are not.
    led: bool,
    /// Number and order of play by the codes of both sides, the mover's first.
    numbers: Vec<(u16, bool)>,
    codes: usize,
}

/// One side has no pieces left.
pub(crate) const OVER: SliceId = SliceId(0);

impl Slices {
    /// The slices by material, or by leading ranks as well.
    pub(crate) fn get(led: bool) -> &'static Slices {
        static SLICES: [OnceLock<Slices>; 2] = [OnceLock::new(), OnceLock::new()];
        SLICES[usize::from(led)].get_or_init(|| Slices::new(led))
    }

    fn new(led: bool) -> Self {
        let forces: Vec<Force> = (1..=MOST as u8)
            .flat_map(|pieces| (0..=pieces).map(move |kings| Force { kings, men: pieces - kings }))
            .collect();
        let mut pairs: Vec<[Side; 2]> = Vec::new();
        for &second in &forces {
            for &first in &forces {
                let led = led && first.pieces() + second.pieces() <= LARGEST;
                let sides = |force: Force| {
                    let leads = if led { force.leads() } else { 0..=0 };
                    leads.map(move |lead| Side { force, lead })
                };
                pairs.extend(
                    sides(second).flat_map(|second| sides(first).map(move |first| [first, second])),
                );
            }
        }
        pairs.retain(|[first, second]| first.code(led) >= second.code(led));
        // Captures take pieces away, promotions men, and a foremost man goes further; none of that is
        // ever undone.
        let order = |[first, second]: &[Side; 2]| {
            let pieces = first.force.pieces() + second.force.pieces();
            let men = first.force.men + second.force.men;
            let still_to_go = 2 * LAST - first.lead - second.lead;
            (pieces, men, still_to_go, first.code(led), second.code(led))
        };
        pairs.sort_by_key(order);
        let codes = if led { 8 * FORCES } else { FORCES };
        let mut numbers = vec![(0, false); codes * codes];
        let mut all = Vec::with_capacity(pairs.len());
        for (number, sides) in (1..).zip(pairs) {
            let [first, second] = sides;
            numbers[second.code(led) * codes + first.code(led)] = (number, true);
            numbers[first.code(led) * codes + second.code(led)] = (number, false);
            let mut slice = Slice { sides, layouts: Vec::new() };
            if slice.pieces() <= LARGEST {
                slice.layouts = slice.orders().map(Layout::new).collect();
            }
            all.push(slice);
        }
        Slices { all, led, numbers, codes }
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
        let leads = if self.led && own.pieces() + other.pieces() <= LARGEST {
            let [lead, other_lead] =
                [position.men.leading_zeros(), position.other_men.trailing_zeros()];
            [lead, other_lead].map(|empty| (SQUARES - empty).div_ceil(4) as u8)
        } else {
            [0, 0]
        };
        self.number([Side { force: own, lead: leads[0] }, Side { force: other, lead: leads[1] }])
    }

    fn number(&self, [own, other]: [Side; 2]) -> (SliceId, bool) {
        if own.force.pieces() == 0 || other.force.pieces() == 0 {
            return (OVER, false);
        }
        let place = own.code(self.led) * self.codes + other.code(self.led);
        let (number, second) = self.numbers[place];
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

    /// All slices with the pieces of a name such as `2110`; several where they are divided further.
    pub(crate) fn with_material(&self, name: &str) -> Vec<SliceId> {
        let by_pieces = Slices::get(false);
        let Some(named) = by_pieces.named(name).and_then(|slice| by_pieces.slice(slice)) else {
            return Vec::new();
        };
        let forces = |slice: &Slice| slice.sides.map(|side| side.force);
        let numbered = (1..).zip(&self.all);
        let these = numbered.filter(|(_, slice)| forces(slice) == forces(named));
        these.map(|(number, _)| SliceId(number)).collect()
    }

    /// The slice with the name of its pieces: `2110` for two kings and a man against a king; and of
    /// the ranks of the foremost men, `2110r70`, where slices are divided by them.
    pub(crate) fn named(&self, name: &str) -> Option<SliceId> {
        if name == "over" {
            return Some(OVER);
        }
        let (pieces, leads) = match name.split_once('r') {
            Some(parts) if self.led => parts,
            None if !self.led => (name, "00"),
            _ => return None,
        };
        let digits = |text: &str| -> Option<Vec<u8>> {
            text.chars().map(|c| c.to_digit(10).map(|digit| digit as u8)).collect()
        };
        let &[first, second, first_men, second_men] = digits(pieces)?.as_slice() else {
            return None;
        };
        let &[lead, other_lead] = digits(leads)?.as_slice() else { return None };
        let sides = [
            Side { force: Force { kings: first, men: first_men }, lead },
            Side { force: Force { kings: second, men: second_men }, lead: other_lead },
        ];
        let is_legal = |side: Side| {
            (1..=MOST as u32).contains(&side.force.pieces())
                && (!self.led || side.force.leads().contains(&side.lead))
        };
        let pieces: u32 = sides.iter().map(|side| side.force.pieces()).sum();
        (sides.into_iter().all(is_legal) && pieces <= LARGEST).then(|| self.number(sides).0)
    }

    /// Its name, the stronger side first.
    pub(crate) fn name(&self, slice: SliceId) -> String {
        let Some(slice) = self.slice(slice) else { return "over".to_owned() };
        let [first, second] = slice.sides;
        let (own, other) = (first.force, second.force);
        let name = format!("{}{}{}{}", own.kings, other.kings, own.men, other.men);
        if self.led && slice.pieces() <= LARGEST {
            format!("{name}r{}{}", first.lead, second.lead)
        } else {
            name
        }
    }

    /// The slices that captures, promotions, and steps of foremost men lead to.
    pub(crate) fn below(&self, slice: SliceId) -> Vec<SliceId> {
        let Some(slice) = self.slice(slice) else { return Vec::new() };
        let mut found = Vec::new();
        for [own, other] in slice.orders() {
            // Jumps take men forward; without a man, or without its foremost one, a side's lead is
            // smaller.
            let stays = Side::each(own.force, own.lead..=LAST, self.led);
            let crowned = own.force.promoted();
            let crowned =
                crowned.map_or(Vec::new(), |force| Side::each(force, 0..=own.lead, self.led));
            for &own_after in stays.iter().chain(&crowned) {
                let left = other.force.captured();
                let left = left.flat_map(|force| Side::each(force, 0..=other.lead, self.led));
                found.extend(left.map(|left| self.number([own_after, left]).0));
            }
            found.extend(crowned.iter().map(|&own_after| self.number([own_after, other]).0));
            if (1..LAST).contains(&own.lead) {
                found.push(self.number([Side { lead: own.lead + 1, ..own }, other]).0);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

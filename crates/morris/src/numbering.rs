//! Slices and numbers of morris.

use std::ops::Range;

use nutcracker_game::{Game, Metric, Numbering, ParseError, Part, Properties, Score, SliceId};

use super::index::Layout;
use super::position::MorrisPosition;
use super::slices::{FEWEST, OVER, Slices, Stones, hands_of};
use super::{Morris, MorrisView};

/// The position that stands for all in which the mover has fewer than three men.
pub(super) const LOST: MorrisPosition =
    MorrisPosition { own: 0b101, other: 0b1_0101_0000, hand: 0, other_hand: 0 };

/// The most steps that lead away from a point.
const MOST_STEPS: u16 = 4;

impl Morris {
    /// The numberings of a slice, one for each side that can have the move.
    pub(crate) fn layouts(&self, stones: Stones) -> Vec<Layout> {
        let layout =
            |own: u8, other: u8| Layout { board: self.board, own: own.into(), other: other.into() };
        match stones {
            Stones::Over => Vec::new(),
            Stones::Moving { more, fewer } if more == fewer => vec![layout(more, fewer)],
            Stones::Moving { more, fewer } => vec![layout(more, fewer), layout(fewer, more)],
            Stones::Placing { own, other, .. } => vec![layout(own, other)],
        }
    }

    /// The layout of a number of a slice, and the number in it.
    #[inline]
    fn layout_at(&self, stones: Stones, index: u64) -> Option<(Layout, u64)> {
        let (own, other) = match stones {
            Stones::Over => return None,
            Stones::Moving { more, fewer } => (more, fewer),
            Stones::Placing { own, other, .. } => (own, other),
        };
        let layout = Layout { board: self.board, own: own.into(), other: other.into() };
        let beyond = index.checked_sub(layout.len());
        match (beyond, stones) {
            (None, _) => Some((layout, index)),
            (Some(beyond), Stones::Moving { more, fewer }) if more > fewer => {
                Some((layout.turned(), beyond)).filter(|(layout, beyond)| *beyond < layout.len())
            }
            _ => None,
        }
    }

    /// The layout of a position, and the first number that it is used for.
    fn layout_of(&self, position: &MorrisPosition) -> (Layout, u64) {
        let [own, other] = [position.own, position.other].map(u32::count_ones);
        let layout = Layout { board: self.board, own, other };
        (layout, if position.hands() == 0 { layout.start() } else { 0 })
    }
}

/// A slice has all positions with the same numbers of stones on the board and in hand; once all are
/// placed, whichever side has the move. Slice `over` has one number for all positions in which the
/// mover has fewer than three men.
impl Numbering for Morris {
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Dtw, Metric::Wdl, Metric::Dtc]
    }

    fn properties(&self) -> Properties {
        Properties {
            unmoves: true,
            symmetric: true,
            holes: true,
            parts_by_material: true,
            ..Properties::default()
        }
    }

    fn largest_slice(&self) -> SliceId {
        self.slices.last()
    }

    fn slice_of(&self, position: &MorrisPosition) -> SliceId {
        self.slices.number(Slices::of(position))
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        match self.slices.stones(slice) {
            Stones::Over => 1,
            stones => self.layouts(stones).iter().map(Layout::len).sum(),
        }
    }

    fn canonical(&self, position: &MorrisPosition) -> MorrisPosition {
        if Slices::of(position) == Stones::Over {
            return LOST;
        }
        let (_, [own, other]) = self.layout_of(position).0.rank(position.own, position.other);
        MorrisPosition { own, other, ..*position }
    }

    fn images(&self, position: &MorrisPosition) -> u32 {
        let all = self.board.symmetries();
        let stays = |&symmetry: &u8| {
            let men = [position.own, position.other];
            men.map(|points| self.board.image(symmetry, points)) == men
        };
        u32::from(all) / (0..all).filter(stays).count() as u32
    }

    fn rank(&self, position: &MorrisPosition) -> u64 {
        if Slices::of(position) == Stones::Over {
            return 0;
        }
        let (layout, start) = self.layout_of(position);
        start + layout.rank(position.own, position.other).0
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<MorrisPosition> {
        let stones = self.slices.stones(slice);
        let [hand, other_hand] = match stones {
            Stones::Over => return Some(LOST),
            Stones::Moving { .. } => [0; 2],
            Stones::Placing { hands, .. } => hands_of(hands),
        };
        let (layout, number) = self.layout_at(stones, index)?;
        let [own, other] = layout.unrank(number)?;
        Some(MorrisPosition { own, other, hand, other_hand })
    }

    fn holes(&self, slice: SliceId, range: Range<u64>, visit: &mut dyn FnMut(u64)) {
        let mut start = 0;
        for layout in self.layouts(self.slices.stones(slice)) {
            let end = start + layout.len();
            let of = range.start.max(start)..range.end.min(end);
            if of.start < of.end {
                layout.each_hole(of.start - start..of.end - start, |hole| visit(start + hole));
            }
            start = end;
        }
    }

    fn index_scheme(&self) -> &'static str {
        "stones-1"
    }

    fn max_score(&self, _: SliceId) -> Score {
        1
    }

    /// Ways to go, each of which might take any stone; with three stones that fly, at most three of
    /// them close a mill.
    fn max_moves(&self, slice: SliceId) -> u16 {
        let points = self.board.points as u16;
        let of = |own: u16, other: u16| {
            let empty = points.saturating_sub(own + other);
            let ways = MOST_STEPS * own.min(empty) * other.max(1);
            ways.max(if self.flying && own == 3 { 3 * empty + 3 * other } else { 0 })
        };
        match self.slices.stones(slice) {
            Stones::Over => 0,
            Stones::Moving { more, fewer } => {
                of(more.into(), fewer.into()).max(of(fewer.into(), more.into()))
            }
            Stones::Placing { own, other, .. } => {
                points.saturating_sub(u16::from(own + other)) * u16::from(other.max(1))
            }
        }
    }

    fn max_internal_moves(&self, slice: SliceId) -> u16 {
        let points = self.board.points as u16;
        let Stones::Moving { more, fewer } = self.slices.stones(slice) else { return 0 };
        let empty = points.saturating_sub(u16::from(more + fewer));
        let steps = MOST_STEPS * empty.min(more.into());
        steps.max(if self.flying && u32::from(fewer) == FEWEST { 3 * empty } else { 0 })
    }

    fn slice_name(&self, slice: SliceId) -> String {
        self.slices.name(slice)
    }

    fn slice_named(&self, name: &str) -> Option<SliceId> {
        self.slices.named(name)
    }

    fn slice_title(&self, slice: SliceId) -> Option<String> {
        match self.slices.stones(slice) {
            Stones::Over => None,
            Stones::Moving { more, fewer } => Some(format!("{more} v {fewer} stones")),
            Stones::Placing { hands, own, other } => {
                Some(format!("{own} v {other} stones, {hands} to place"))
            }
        }
    }

    fn below(&self, slice: SliceId) -> Vec<SliceId> {
        self.slices.below(self.slices.stones(slice))
    }

    fn select(&self, text: &str) -> Result<Vec<SliceId>, ParseError> {
        if let Some(slice) = self.slice_named(text) {
            return Ok(vec![slice]);
        }
        let men = self.men;
        let number = text.parse().ok().filter(|number| (3..=men).contains(number));
        let chosen = |stones: Stones| match (stones, number) {
            (Stones::Moving { more, .. }, Some(most)) => more <= most,
            (_, None) => text == "all",
            _ => false,
        };
        if number.is_none() && text != "all" {
            return Err(ParseError::new(format!(
                "morris with {men} men has databases of 3 to {men} stones a side after placing, \
                 slices such as 4v3, or h2_3v3 with two stones to place, and all; not {text:?}"
            )));
        }
        Ok(self
            .slices
            .iter()
            .filter(|&(_, stones)| chosen(stones))
            .map(|(slice, _)| slice)
            .collect())
    }

    fn parts(&self, slice: SliceId) -> Vec<Part> {
        let mut start = 0;
        let part = |layout: &Layout| {
            let range = start..start + layout.len();
            start = range.end;
            Part { name: format!("{} v {}", layout.own, layout.other), range }
        };
        match self.slices.stones(slice) {
            Stones::Over => vec![Part { name: "over".to_owned(), range: 0..1 }],
            stones => self.layouts(stones).iter().map(part).collect(),
        }
    }

    fn is_acyclic(&self, slice: SliceId) -> bool {
        slice == OVER || matches!(self.slices.stones(slice), Stones::Placing { .. })
    }

    fn unmoves(&self, position: &MorrisPosition, out: &mut Vec<MorrisPosition>) {
        if matches!(Slices::of(position), Stones::Moving { .. }) {
            self.each_before(position, |before| out.push(before));
        }
    }
}

impl Game for Morris {
    type View = MorrisView;
    type Forward = MorrisView;

    fn view_within(&self, slice: SliceId, _: u64) -> MorrisView {
        MorrisView::new(self, slice)
    }

    fn forward_within(&self, slice: SliceId, _: u64) -> MorrisView {
        MorrisView::new(self, slice)
    }
}

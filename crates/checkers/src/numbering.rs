//! Slices and numbers of checkers.

use nutcracker_game::{Game, Metric, Numbering, ParseError, Part, Properties, Score, SliceId};

use super::board::CheckersPosition;
use super::index::Layout;
use super::material::{LARGEST, OVER, Slices};
use super::{Checkers, CheckersView};

/// The position that stands for all in which the mover has no pieces.
pub(super) const LOST: CheckersPosition =
    CheckersPosition { men: 0, kings: 0, other_men: 0, other_kings: 1 };

impl Checkers {
    pub(super) fn slices(self) -> &'static Slices {
        Slices::get(self.leading_ranks)
    }
}

/// A slice has all positions with the same pieces, whichever side has the move, or those of them
/// with the same ranks of the foremost men; slice `over` has one number for all positions in which
/// the mover has no pieces left.
impl Numbering for Checkers {
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Dtw, Metric::Wdl, Metric::Dtc]
    }

    fn properties(&self) -> Properties {
        Properties {
            unmoves: true,
            symmetric: true,
            parts_by_material: true,
            ..Properties::default()
        }
    }

    fn largest_slice(&self) -> SliceId {
        self.slices().largest()
    }

    fn slice_of(&self, position: &CheckersPosition) -> SliceId {
        self.slices().of(position).0
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        let slice = self.slices().slice(slice);
        slice.map_or(1, |slice| slice.layouts.iter().map(Layout::len).sum())
    }

    fn canonical(&self, position: &CheckersPosition) -> CheckersPosition {
        if position.own() == 0 { LOST } else { *position }
    }

    fn rank(&self, position: &CheckersPosition) -> u64 {
        let slices = self.slices();
        let (slice, second) = slices.of(position);
        match slices.slice(slice).map(|slice| &slice.layouts[..]) {
            Some([first, other]) if second => first.len() + other.rank(position),
            Some([first, ..]) => first.rank(position),
            _ => 0,
        }
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<CheckersPosition> {
        Some(match self.slices().slice(slice).map(|slice| &slice.layouts[..]) {
            Some([first, other]) if index >= first.len() => other.unrank(index - first.len()),
            Some([first, ..]) => first.unrank(index),
            _ => LOST,
        })
    }

    fn index_scheme(&self) -> &'static str {
        if self.leading_ranks { "ranks-1" } else { "pieces-1" }
    }

    fn max_score(&self, _: SliceId) -> Score {
        1
    }

    /// Steps go in two or four directions. Captures are counted generously: every piece that can be
    /// taken opens at most four ways more.
    fn max_moves(&self, slice: SliceId) -> u16 {
        let Some(slice) = self.slices().slice(slice) else { return 0 };
        let most = slice.orders().map(|[own, other]| {
            let steps = 4 * u16::from(own.force.kings) + 2 * u16::from(own.force.men);
            steps.max(4 * other.force.pieces() as u16)
        });
        most.max().unwrap_or(0)
    }

    fn slice_name(&self, slice: SliceId) -> String {
        self.slices().name(slice)
    }

    fn slice_named(&self, name: &str) -> Option<SliceId> {
        self.slices().named(name).filter(|&slice| slice <= self.largest_slice())
    }

    fn below(&self, slice: SliceId) -> Vec<SliceId> {
        self.slices().below(slice)
    }

    fn select(&self, text: &str) -> Result<Vec<SliceId>, ParseError> {
        if let Some(slice) = self.slice_named(text) {
            return Ok(vec![slice]);
        }
        let slices = self.slices();
        let with_material = slices.with_material(text);
        if !with_material.is_empty() {
            return Ok(with_material);
        }
        match text.parse() {
            Ok(pieces @ 2..=LARGEST) => {
                Ok((2..=pieces).flat_map(|pieces| slices.with_pieces(pieces)).collect())
            }
            _ => Err(ParseError::new(format!(
                "checkers has databases of 2 to {LARGEST} pieces, and slices such as 2110 for two \
                 kings and a man against a king; not {text:?}"
            ))),
        }
    }

    fn slice_title(&self, slice: SliceId) -> Option<String> {
        self.slices().slice(slice).map(|slice| {
            let [first, second] = slice.sides.map(|side| side.force.in_words());
            let leads = slice.sides.map(|side| side.lead).into_iter().filter(|&lead| lead > 0);
            let leads: Vec<String> = leads.map(|lead| lead.to_string()).collect();
            match leads.as_slice() {
                [] => format!("{first} v {second}"),
                _ => format!("{first} v {second}, foremost men on rank {}", leads.join(" and ")),
            }
        })
    }

    fn parts(&self, slice: SliceId) -> Vec<Part> {
        let Some(slice) = self.slices().slice(slice) else {
            return vec![Part { name: "over".to_owned(), range: 0..1 }];
        };
        let mut start = 0;
        let parts = slice.orders().zip(&slice.layouts).map(|([own, other], layout)| {
            let range = start..start + layout.len();
            start = range.end;
            Part { name: format!("{} v {}", own.force, other.force), range }
        });
        parts.collect()
    }

    fn is_acyclic(&self, slice: SliceId) -> bool {
        slice == OVER
    }

    fn unmoves(&self, position: &CheckersPosition, out: &mut Vec<CheckersPosition>) {
        if position.own() != 0 {
            let slice = self.slice_of(position);
            position.each_before(|before| {
                if !self.leading_ranks || self.slice_of(&before) == slice {
                    out.push(before);
                }
            });
        }
    }
}

impl Game for Checkers {
    type View = CheckersView;
    type Forward = CheckersView;

    fn view_within(&self, slice: SliceId, _: u64) -> CheckersView {
        CheckersView::new(*self, slice)
    }

    fn forward_within(&self, slice: SliceId, _: u64) -> CheckersView {
        CheckersView::new(*self, slice)
    }
}

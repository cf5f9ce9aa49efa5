//! Slices of chess: material classes of up to five men, and numbers in them.

use std::ops::Range;

use nutcracker_game::{
    Game, Metric, Numbering, ParseError, Part, Properties, Recognised, Score, SliceId,
};

use super::Chess;
use super::attacks;
use super::board::{ChessPosition, Role};
use super::forward::ChessForward;
use super::holes::Holes;
use super::index::{layout, turn};
use super::material::{CLASSES, MOST_MEN, Material, counts};
use super::recogniser;
use super::view::ChessView;

/// The most moves of a man of each kind, in the order of [`Role::MEN`]; and of a king.
const MOST_MOVES: [u16; 5] = [27, 14, 13, 8, 12];
const KING_MOVES: u16 = 8;

/// The slice of a position, and which side of its class is to move.
fn class_of(position: &ChessPosition) -> Option<(SliceId, usize)> {
    if position.castling() != 0 || position.occupied().count_ones() > MOST_MEN as u32 {
        return None;
    }
    let [own, other] = counts(position);
    CLASSES.find(own, other)
}

/// A class of men is a slice, with both sides to move. Positions with more men, and those with a
/// right to castle, are in slices without databases: by the number of men and pawns.
impl Numbering for Chess {
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Dtw, Metric::Dtc, Metric::Dtz, Metric::Wdl]
    }

    /// Distance to mate.
    fn metric_name(&self, metric: Metric) -> &'static str {
        if metric == Metric::Dtw { "dtm" } else { metric.name() }
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
        SliceId(CLASSES.all.len() as u32 - 1)
    }

    fn slice_of(&self, position: &ChessPosition) -> SliceId {
        class_of(position).map_or_else(
            || {
                let pawns = position.of(Role::Pawn).count_ones();
                let men = position.occupied().count_ones();
                SliceId(CLASSES.all.len() as u32 + men * 17 + pawns)
            },
            |(slice, _)| slice,
        )
    }

    fn beyond(&self, position: &ChessPosition) -> Option<String> {
        let men = position.occupied().count_ones();
        if men > MOST_MEN as u32 {
            return Some(format!("it has {men} men, and databases have up to {MOST_MEN}"));
        }
        (position.castling() != 0)
            .then(|| "it has a right to castle, and databases have none".to_owned())
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        if self.has_database(slice) { layout(slice.0).len() } else { u64::MAX }
    }

    fn rank(&self, position: &ChessPosition) -> u64 {
        let (slice, mover) = class_of(position).expect("only classes have numbers");
        layout(slice.0).rank(position, mover)
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<ChessPosition> {
        layout(slice.0).unrank(index)
    }

    fn holes(&self, slice: SliceId, range: Range<u64>, visit: &mut dyn FnMut(u64)) {
        Holes::new(slice).visit(range, visit);
    }

    fn canonical(&self, position: &ChessPosition) -> ChessPosition {
        match class_of(position) {
            Some((slice, mover)) => {
                let layout = layout(slice.0);
                let canonical = layout.unrank(layout.rank(position, mover));
                canonical.expect("the number of a position stands for one")
            }
            None => *position,
        }
    }

    fn images(&self, position: &ChessPosition) -> u32 {
        if class_of(position).is_none() {
            return 1;
        }
        let turns: u8 = if position.of(Role::Pawn) == 0 { 8 } else { 2 };
        let stays = |by: u8| {
            let mut men = attacks::squares(position.occupied());
            men.all(|square| position.man(turn(square, by)) == position.man(square))
        };
        u32::from(turns) / (0..turns).filter(|&by| stays(by)).count() as u32
    }

    fn recognise(&self, position: &ChessPosition) -> Option<Recognised> {
        recogniser::recognise(position)
    }

    fn index_scheme(&self) -> &'static str {
        "kings-men-1"
    }

    fn max_score(&self, _: SliceId) -> Score {
        1
    }

    /// Published: no position has more than 218 moves.
    fn max_moves(&self, slice: SliceId) -> u16 {
        let Some(class) = CLASSES.all.get(slice.0 as usize) else { return 218 };
        let most = class.sides.map(|men| {
            let of = |(&count, most): (&u8, u16)| u16::from(count) * most;
            KING_MOVES + men.iter().zip(MOST_MOVES).map(of).sum::<u16>()
        });
        most[0].max(most[1])
    }

    fn slice_name(&self, slice: SliceId) -> String {
        let large = || {
            let number = slice.0 - CLASSES.all.len() as u32;
            format!("{}men{}pawns", number / 17, number % 17)
        };
        CLASSES.all.get(slice.0 as usize).map_or_else(large, Material::name)
    }

    fn slice_named(&self, name: &str) -> Option<SliceId> {
        let class = Material::from_name(name)?;
        (class.name() == name).then(|| CLASSES.slice(&class))?
    }

    fn select(&self, text: &str) -> Result<Vec<SliceId>, ParseError> {
        if let Ok(men @ 2..=MOST_MEN) = text.parse() {
            return Ok(CLASSES.up_to(men));
        }
        let class = Material::from_name(text);
        class.and_then(|class| CLASSES.slice(&class)).map(|slice| vec![slice]).ok_or_else(|| {
            ParseError::new(format!(
                "chess has endings of 2 to {MOST_MEN} men, such as 4 for all of up to four, or \
                 krkn, not {text:?}"
            ))
        })
    }

    fn below(&self, slice: SliceId) -> Vec<SliceId> {
        CLASSES.below(slice)
    }

    fn slice_unit(&self) -> &'static str {
        "men"
    }

    fn parts(&self, slice: SliceId) -> Vec<Part> {
        let layout = layout(slice.0);
        let mut start = 0;
        let part = |(mover, name)| {
            let end = start + layout.half_len(mover);
            let range = start..end;
            start = end;
            Part { name, range }
        };
        layout.mover_names().into_iter().enumerate().map(part).collect()
    }

    fn unmoves(&self, position: &ChessPosition, out: &mut Vec<ChessPosition>) {
        position.before(true, |before| out.push(before));
    }
}

impl Game for Chess {
    type View = ChessView;
    type Forward = ChessForward;

    const HAS_ZEROING: bool = true;

    fn view_within(&self, slice: SliceId, _: u64) -> ChessView {
        ChessView::new(slice, false)
    }

    fn zeroing_view(&self, slice: SliceId) -> Option<ChessView> {
        // Without pawns only captures zero, which leave the class.
        let pawns = CLASSES.all[slice.0 as usize].pawns();
        (pawns > 0).then(|| ChessView::new(slice, true))
    }

    fn forward_within(&self, slice: SliceId, _: u64) -> ChessForward {
        ChessForward::new(slice)
    }
}

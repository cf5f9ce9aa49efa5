//! Slices and numbers of king and rook against king: one position for all its mirror images.

use nutcracker_game::{
    Metric, Numbering, ParseError, Part, Properties, Score, SliceId, plain_views,
};

use super::{Krk, KrkPosition, around, slides};

const KK: SliceId = SliceId(0);
const KRK: SliceId = SliceId(1);

/// The squares of the triangle a1-d1-d4, to which every square can be turned.
const TRIANGLE: [u8; 10] = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27];
/// Numbers for each side to move.
const HALF: u64 = TRIANGLE.len() as u64 * 64 * 64;

/// Slice `krk` has every position up to rotation and reflection of the board; slice `kk` stands for
/// all boards with bare kings, which are drawn.
impl Numbering for Krk {
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Dtw, Metric::Dtc, Metric::Wdl]
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
        KRK
    }

    fn slice_of(&self, position: &KrkPosition) -> SliceId {
        if position.rook.is_some() { KRK } else { KK }
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        if slice == KRK { 2 * HALF } else { 1 }
    }

    fn canonical(&self, position: &KrkPosition) -> KrkPosition {
        if position.rook.is_none() {
            return KrkPosition { white: true, king: 0, black: 2, rook: None };
        }
        let in_triangle = position.images().filter(|image| TRIANGLE.contains(&image.king));
        in_triangle.min().expect("every square can be turned into the triangle")
    }

    fn images(&self, position: &KrkPosition) -> u32 {
        if position.rook.is_none() {
            return 1;
        }
        8 / position.images().filter(|image| image == position).count() as u32
    }

    fn rank(&self, position: &KrkPosition) -> u64 {
        let KrkPosition { white, king, black, rook } = self.canonical(position);
        let Some(rook) = rook else { return 0 };
        let king = TRIANGLE.iter().position(|&at| at == king).expect("it is canonical") as u64;
        let half = if white { 0 } else { HALF };
        half + (king * 64 + u64::from(black)) * 64 + u64::from(rook)
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<KrkPosition> {
        if slice == KK {
            return Some(KrkPosition { white: true, king: 0, black: 2, rook: None });
        }
        let position = KrkPosition {
            white: index < HALF,
            king: TRIANGLE[(index % HALF / 4096) as usize],
            black: (index / 64 % 64) as u8,
            rook: Some((index % 64) as u8),
        };
        (position.is_legal() && self.canonical(&position) == position).then_some(position)
    }

    fn index_scheme(&self) -> &'static str {
        "triangle-1"
    }

    fn max_score(&self, slice: SliceId) -> Score {
        slice.0 as Score
    }

    fn max_moves(&self, _: SliceId) -> u16 {
        22
    }

    fn slice_name(&self, slice: SliceId) -> String {
        ["kk", "krk"][slice.0 as usize].to_owned()
    }

    fn slice_named(&self, name: &str) -> Option<SliceId> {
        ["kk", "krk"].iter().position(|&slice| slice == name).map(|at| SliceId(at as u32))
    }

    fn select(&self, text: &str) -> Result<Vec<SliceId>, ParseError> {
        match self.slice_named(text) {
            Some(slice) => Ok(vec![slice]),
            None => Err(ParseError::new(format!("krk has slices kk and krk, not {text:?}"))),
        }
    }

    fn slice_unit(&self) -> &'static str {
        "pieces"
    }

    fn parts(&self, slice: SliceId) -> Vec<Part> {
        if slice == KK {
            return vec![Part { name: "K v K".to_owned(), range: 0..1 }];
        }
        vec![
            Part { name: "KR v K".to_owned(), range: 0..HALF },
            Part { name: "K v KR".to_owned(), range: HALF..2 * HALF },
        ]
    }

    fn is_acyclic(&self, slice: SliceId) -> bool {
        slice == KK
    }

    fn unmoves(&self, position: &KrkPosition, out: &mut Vec<KrkPosition>) {
        let KrkPosition { white, king, black, rook } = *position;
        let Some(rook) = rook else { return };
        let before = KrkPosition { white: !white, ..*position };
        if white {
            out.extend(around(black).map(|from| KrkPosition { black: from, ..before }));
        } else {
            out.extend(around(king).map(|from| KrkPosition { king: from, ..before }));
            let slides = slides(rook, [king, black]).into_iter();
            out.extend(slides.map(|from| KrkPosition { rook: Some(from), ..before }));
        }
        out.retain(|before| before.is_legal());
    }
}

plain_views!(Krk);

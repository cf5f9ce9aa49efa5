//! What a position looks worth where nobody knows.

use crate::{Game, Step};

/// The weighted sum of features, in hundredths of a point where weights are in points.
#[inline]
pub fn weigh(features: &[f32], weights: &[f32]) -> i32 {
    let points: f32 = features.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    (points * 100.0).round() as i32
}

/// A guess of a position's score, for searches that stop before the game does.
///
/// The guess is a weighted sum of features; the weights are fitted to exact values, not chosen. A
/// game that says nothing here is guessed to be level everywhere, and can be searched all the same.
///
/// ```
/// use nutcracker_game::Evaluate;
/// # use nutcracker_game::{
/// #     Game, GameId, ParseError, PlainView, Score, Side, Situation, SliceId, Step,
/// # };
/// # #[derive(Clone, Debug)]
/// # struct Subtraction;
/// # impl Game for Subtraction {
/// #     type Position = u32;
/// #     type Move = u32;
/// #     type View = PlainView<Self>;
/// #     type Forward = PlainView<Self>;
/// #     fn id(&self) -> GameId { GameId::new("subtraction", "take=3") }
/// #     fn outcome(&self, &heap: &u32) -> Option<Score> { (heap == 0).then_some(-1) }
/// #     fn moves(&self, &heap: &u32, out: &mut Vec<u32>) { out.extend(1..=heap.min(3)) }
/// #     fn play(&self, heap: &u32, &take: &u32) -> Step<u32> { Step::quiet(heap - take) }
/// #     fn largest_slice(&self) -> SliceId { SliceId(1000) }
/// #     fn slice_of(&self, &heap: &u32) -> SliceId { SliceId(heap) }
/// #     fn slice_len(&self, _: SliceId) -> u64 { 1 }
/// #     fn rank(&self, _: &u32) -> u64 { 0 }
/// #     fn unrank(&self, slice: SliceId, _: u64) -> u32 { slice.0 }
/// #     fn max_score(&self, _: SliceId) -> Score { 1 }
/// #     fn max_moves(&self) -> u8 { 3 }
/// #     fn index_scheme(&self) -> &'static str { "heap-1" }
/// #     fn view(&self, slice: SliceId) -> PlainView<Self> { PlainView::new(self.clone(), slice) }
/// #     fn forward(&self, slice: SliceId) -> PlainView<Self> { self.view(slice) }
/// #     fn start(&self) -> Situation<u32> { Situation::new(21, Side::First) }
/// #     fn parse(&self, _: &str) -> Result<Situation<u32>, ParseError> { Err(ParseError::new("no notation")) }
/// #     fn format(&self, s: &Situation<u32>) -> String { s.position.to_string() }
/// #     fn format_move(&self, _: &Situation<u32>, take: &u32, _: &Step<u32>) -> String {
/// #         take.to_string()
/// #     }
/// # }
///
/// impl Evaluate for Subtraction {
///     const FEATURES: &'static [&'static str] = &["counters beyond a multiple of four"];
///     fn features(&self, &heap: &u32, out: &mut [f32]) {
///         out[0] = (heap % 4) as f32;
///     }
///     fn fitted(&self) -> &[f32] {
///         &[0.3]
///     }
/// }
///
/// assert_eq!(Subtraction.evaluate(&7, Subtraction.fitted()), 90);
/// ```
pub trait Evaluate: Game {
    /// What each feature is called.
    const FEATURES: &'static [&'static str] = &[];

    /// The features of a position as its mover sees it; `out` has one place a feature, zeroed.
    fn features(&self, _position: &Self::Position, _out: &mut [f32]) {}

    /// A weight for each feature, in points of score, as `nutcracker tune` fitted them.
    fn fitted(&self) -> &[f32] {
        &[]
    }

    /// The guessed score of the side to move from here on, in hundredths of a point.
    ///
    /// A game overrides this where its guess can be had without the list of its features; the two
    /// must agree.
    fn evaluate(&self, position: &Self::Position, weights: &[f32]) -> i32 {
        let mut features = vec![0.0; Self::FEATURES.len()];
        self.features(position, &mut features);
        weigh(&features, weights)
    }

    /// How promising a move looks before anything is searched: larger is tried earlier.
    fn promise(
        &self,
        _position: &Self::Position,
        _mv: &Self::Move,
        step: &Step<Self::Position>,
    ) -> i32 {
        i32::from(step.gain)
    }

    /// Whether a search should not stop at this position because its guess would say little, such
    /// as in the middle of an exchange.
    fn is_unquiet(&self, _position: &Self::Position) -> bool {
        false
    }
}

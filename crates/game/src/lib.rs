//! The rules interface of Nutcracker: what a game must say about itself so that it can be solved,
//! stored, probed, verified and shown.
//!
//! A game implements [`Game`]: its positions, moves and outcomes, how its positions fall into
//! [slices](SliceId) that are solved one after another, and how positions and moves are written.
//! Everything else in Nutcracker is generic over this trait. What is optional (un-moves, a second
//! index, a faster [`SliceView`]) has a fallback; [`law::check`] tests a game against its own
//! claims before hours are spent on it.
//!
//! This crate does no input or output, starts no threads and depends on nothing.
//!
//! # A game in a few lines
//!
//! One heap; a move takes one to three counters; who takes the last one wins. A slice is one size
//! of the heap, so every move leaves its slice.
//!
//! ```
//! use nutcracker_game::{
//!     law, Game, GameId, ParseError, PlainView, Score, Side, Situation, SliceId, Step,
//! };
//!
//! #[derive(Clone, Debug)]
//! struct Subtraction;
//!
//! impl Game for Subtraction {
//!     type Position = u32;
//!     type Move = u32;
//!     type View = PlainView<Self>;
//!     type Forward = PlainView<Self>;
//!
//!     fn id(&self) -> GameId { GameId::new("subtraction", "take=3") }
//!     fn outcome(&self, &heap: &u32) -> Option<Score> { (heap == 0).then_some(-1) }
//!     fn moves(&self, &heap: &u32, out: &mut Vec<u32>) { out.extend(1..=heap.min(3)) }
//!     fn play(&self, heap: &u32, &take: &u32) -> Step<u32> { Step::quiet(heap - take) }
//!
//!     fn largest_slice(&self) -> SliceId { SliceId(1000) }
//!     fn slice_of(&self, &heap: &u32) -> SliceId { SliceId(heap) }
//!     fn slice_len(&self, _: SliceId) -> u64 { 1 }
//!     fn rank(&self, _: &u32) -> u64 { 0 }
//!     fn unrank(&self, slice: SliceId, _: u64) -> u32 { slice.0 }
//!     fn max_score(&self, _: SliceId) -> Score { 1 }
//!     fn max_moves(&self) -> u8 { 3 }
//!     fn index_scheme(&self) -> &'static str { "heap-1" }
//!     fn view(&self, slice: SliceId) -> PlainView<Self> { PlainView::new(self.clone(), slice) }
//!     fn forward(&self, slice: SliceId) -> PlainView<Self> { self.view(slice) }
//!
//!     fn start(&self) -> Situation<u32> { Situation::new(21, Side::First) }
//!     fn parse(&self, text: &str) -> Result<Situation<u32>, ParseError> {
//!         let heap = text.parse().map_err(|_| ParseError::new("a heap is a whole number"))?;
//!         Ok(Situation::new(heap, Side::First))
//!     }
//!     fn format(&self, s: &Situation<u32>) -> String { s.position.to_string() }
//!     fn format_move(&self, _: &Situation<u32>, take: &u32, _: &Step<u32>) -> String {
//!         format!("take {take}")
//!     }
//! }
//!
//! let report = law::check(&Subtraction, SliceId(20), 1000).unwrap();
//! assert!(report.positions >= 21);
//! ```

pub mod combi;
mod evaluate;
mod game;
pub mod law;
mod notation;
pub mod perft;
mod slice;
mod sowing;
mod view;

pub use evaluate::{Evaluate, weigh};
pub use game::{Exchange, Game, GameId, Step, Turn};
pub use notation::{ParseError, Side, Situation};
pub use slice::SliceId;
pub use sowing::{Leaves, Pits, RowMove, Sowing};
pub use view::{
    Children, Exits, ForwardView, PlainView, SliceView, Target, exits_of, inside_second_of,
    targets_of,
};

/// The value of a position for the side to move, in the game's own unit: stones in awari,
/// `1`, `0`, `-1` for a win, a draw and a loss in a game that knows no more.
pub type Score = i16;

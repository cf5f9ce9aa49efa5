//! The rules interface of Nutcracker: what a game must define so that it can be solved, stored,
//! probed, verified and shown.
//!
//! A game defines it in three steps, each a trait with a page that lists what is required and what
//! is optional:
//!
//! 1. [`Rules`]: its positions, moves and outcomes, and how they are written;
//! 2. [`Numbering`]: how positions fall into [slices](SliceId), which form a graph and are solved
//!    one after another, and which number a position has in its slice;
//! 3. [`Game`]: the views through which solvers and the check walk a slice. [`plain_views!`] gives
//!    every game views that work; one that solves millions of positions a second brings its own.
//!
//! [`Metric`] is what a table holds for each position: scores, or distances to the end of the game
//! or to a conversion. [`law::check`] tests a game against its own claims before hours are spent on
//! it.
//!
//! This crate does no input or output, starts no threads and depends on nothing. The feature `toy`
//! adds small games for tests.
//!
//! # A game in a few lines
//!
//! One heap; a move takes one to three counters; the player who takes the last one wins. A slice is
//! one size of the heap, so every move leaves its slice.
//!
//! ```
//! use nutcracker_game::{
//!     Metric, Numbering, GameId, ParseError, Rules, Score, Side, Situation, SliceId, Step, law,
//!     plain_views,
//! };
//!
//! #[derive(Clone, Debug)]
//! struct Subtraction;
//!
//! impl Rules for Subtraction {
//!     type Position = u32;
//!     type Move = u32;
//!
//!     fn id(&self) -> GameId { GameId::new("subtraction", "take=3") }
//!     fn outcome(&self, &heap: &u32) -> Option<Score> { (heap == 0).then_some(-1) }
//!     fn moves(&self, &heap: &u32, out: &mut Vec<u32>) { out.extend(1..=heap.min(3)) }
//!     fn play(&self, heap: &u32, &take: &u32) -> Step<u32> { Step::quiet(heap - take) }
//!     fn start(&self) -> Situation<u32> { Situation::new(21, Side::First) }
//!
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
//! impl Numbering for Subtraction {
//!     fn metrics(&self) -> &'static [Metric] { &[Metric::Wdl, Metric::Dtw] }
//!     fn largest_slice(&self) -> SliceId { SliceId(1000) }
//!     fn slice_of(&self, &heap: &u32) -> SliceId { SliceId(heap) }
//!     fn slice_len(&self, _: SliceId) -> u64 { 1 }
//!     fn rank(&self, _: &u32) -> u64 { 0 }
//!     fn unrank(&self, slice: SliceId, _: u64) -> Option<u32> { Some(slice.0) }
//!     fn index_scheme(&self) -> &'static str { "heap-1" }
//!     fn max_score(&self, _: SliceId) -> Score { 1 }
//!     fn max_moves(&self, _: SliceId) -> u16 { 3 }
//! }
//!
//! plain_views!(Subtraction);
//!
//! let report = law::check(&Subtraction, [SliceId(20)], 1000).unwrap();
//! assert!(report.positions >= 21);
//! ```

mod bounds;
pub mod combi;
mod evaluate;
mod foreign;
mod game;
pub mod law;
mod matrix;
mod metric;
mod move_name;
mod notation;
mod numbering;
pub mod perft;
mod random;
mod reachable;
mod recognise;
mod row_moves;
mod rules;
mod slices;
#[cfg(feature = "toy")]
pub mod toy;
mod view;

pub use bounds::{BoundExits, bound_exits, upper_bound};
pub use evaluate::{Evaluate, weigh};
pub use foreign::{Notation, format_in};
pub use game::Game;
pub use matrix::{Line, MoveMatrix};
pub use metric::{MOST_MOVES, Metric, WinDistance};
pub use move_name::{MoveError, find_move, find_move_in, shortened};
pub use notation::{ParseError, Side, Situation};
pub use numbering::{IndexMatrix, Numbering, Part, Properties};
pub use random::Random;
pub use reachable::Reachable;
pub use recognise::Recognised;
pub use row_moves::{Leaves, Pits, RowMove, RowMoves, Slams};
pub use rules::{Deck, GameId, Rules, Step, Turn};
pub use slices::{SliceId, closure};
pub use view::{
    Children, Exits, ForwardView, PlainView, SliceView, Target, exits_of, inside_second_of,
    is_counted, is_internal, targets_of,
};

/// The value of a position for the side to move, in the game's own unit: stones in awari,
/// `1`, `0`, `-1` for a win, a draw and a loss in a game that knows no more.
pub type Score = i16;

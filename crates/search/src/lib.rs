//! The exact value of a position by forward search over databases.
//!
//! [`exact_value`] searches from a position downwards until every line of play ends or reaches a
//! slice whose scores an [`Oracle`] knows. Nothing is guessed: what it returns is the score, or
//! that the [limits](ExactLimits) did not suffice, or an [error](ExactError).
//!
//! # Where it may be used
//! Above the databases the game must not repeat positions: in kalah every move brings seeds nearer
//! to a store, in awari stones go round for ever. The value of a position that repeats depends on
//! how it was reached, which no search of this kind can store by position. A repetition on the way
//! is noticed and reported as [`ExactError::Repeats`]; a score that was returned is right for
//! every game, because it rests on lines of play that all came to an end.
//!
//! # Example
//! A heap from which either side takes one, two or three counters and banks them; who takes three
//! moves again.
//!
//! ```
//! # use nutcracker_game::{Game, GameId, ParseError, PlainView, Score, Side, Situation, SliceId};
//! # use nutcracker_game::{Step, Turn};
//! use nutcracker_search::{Empty, ExactLimits, exact_value};
//!
//! #[derive(Clone, Debug)]
//! struct Heap;
//!
//! impl Game for Heap {
//!     type Position = u32;
//!     type Move = u32;
//!     fn outcome(&self, &heap: &u32) -> Option<Score> { (heap == 0).then_some(0) }
//!     fn moves(&self, &heap: &u32, out: &mut Vec<u32>) { out.extend(1..=heap.min(3)) }
//!     fn play(&self, heap: &u32, &take: &u32) -> Step<u32> {
//!         let turn = if take == 3 { Turn::Stays } else { Turn::Passes };
//!         Step { next: heap - take, gain: take as Score, turn }
//!     }
//!     // ... slices and notation
//! #    type View = PlainView<Self>;
//! #    type Forward = PlainView<Self>;
//! #    fn id(&self) -> GameId { GameId::new("heap", "") }
//! #    fn largest_slice(&self) -> SliceId { SliceId(100) }
//! #    fn slice_of(&self, &heap: &u32) -> SliceId { SliceId(heap) }
//! #    fn slice_len(&self, _: SliceId) -> u64 { 1 }
//! #    fn rank(&self, _: &u32) -> u64 { 0 }
//! #    fn unrank(&self, slice: SliceId, _: u64) -> u32 { slice.0 }
//! #    fn max_score(&self, slice: SliceId) -> Score { slice.0 as Score }
//! #    fn max_moves(&self) -> u8 { 3 }
//! #    fn index_scheme(&self) -> &'static str { "heap-1" }
//! #    fn view(&self, slice: SliceId) -> PlainView<Self> { PlainView::new(self.clone(), slice) }
//! #    fn forward(&self, slice: SliceId) -> PlainView<Self> { self.view(slice) }
//! #    fn start(&self) -> Situation<u32> { Situation::new(14, Side::First) }
//! #    fn parse(&self, _: &str) -> Result<Situation<u32>, ParseError> { unimplemented!() }
//! #    fn format(&self, s: &Situation<u32>) -> String { s.position.to_string() }
//! #    fn format_move(&self, _: &Situation<u32>, take: &u32, _: &Step<u32>) -> String {
//! #        take.to_string()
//! #    }
//! }
//!
//! let solved = exact_value(&Heap, &14, &Empty, &ExactLimits::default())?.expect("no limit was set");
//! assert_eq!(solved.score, 14);
//! assert_eq!(solved.best, [3]);
//! # Ok::<(), nutcracker_search::ExactError<std::convert::Infallible>>(())
//! ```

mod alphabeta;
mod exact;
mod exact_table;
mod limits;
mod oracle;
mod pool;
mod report;
mod table_oracle;
mod value;

pub use exact::{ExactError, ExactLimits, Search, Solved, exact_value};
pub use limits::{EngineOptions, Limits};
pub use oracle::{Empty, Oracle, UpTo};
pub use pool::{Engine, SearchError};
pub use report::{MoveValues, Report};
pub use table_oracle::TableOracle;
pub use value::Value;

//! Retrograde analysis on one machine: slices solved one after another, packed into files, and
//! checked by code that knows nothing of the solver.
//!
//! A game needs no more than its rules for all of this. Here a heap of counters, from which a move
//! takes one to three; taking the last one wins:
//!
//! ```
//! use std::sync::Arc;
//! use nutcracker_game::{
//!     Game, GameId, ParseError, PlainView, Score, Side, Situation, SliceId, Step,
//! };
//! use nutcracker_retro::{Silent, SolveOptions, open_set, solve};
//! use nutcracker_table::{Disk, Storage};
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
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! let disk: Arc<dyn Storage> = Arc::new(Disk::default());
//! let options = SolveOptions::new(2, "example");
//! solve(&Subtraction, &disk, dir.path(), SliceId(21), &options, &Silent)?;
//!
//! // A multiple of four is lost.
//! let tables = open_set(&Subtraction, disk, dir.path(), 1 << 20);
//! for heap in 0..=21 {
//!     assert_eq!(tables.probe(heap, 0)?, if heap % 4 == 0 { -1 } else { 1 });
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | part | items |
//! |---|---|
//! | solving | [`solve`], [`SolveOptions`], [`SolverName`], [`Window`], [`SliceReport`], [`SolveError`] |
//! | while it runs | [`Progress`], [`Phase`], [`Choice`], [`Silent`] |
//! | before it runs | [`plan()`], [`SlicePlan`], [`Rates`], [`fit_solvers`] |
//! | finished files | [`open_set`], [`check`], [`sample`], [`stats`] |
//! | measurements and tests | [`experiment`], [`in_memory`] |

mod budget;
pub mod check;
mod conversions;
mod error;
pub mod experiment;
mod fault;
mod options;
mod parallel;
mod plan;
mod progress;
mod report;
pub mod sample;
mod solve;
mod solver;
pub mod stats;
mod store;
mod tables;
mod window;

pub use budget::{cache_bytes, memory_to_check};
pub use error::{SolveError, Unfit};
pub use options::{DualIndexOptions, RowOptions, SolveOptions, SolverName};
pub use parallel::ThreadError;
pub use plan::{BITS, BY_RULES, DISK, Phases, Rate, Rates, SlicePlan, plan};
pub use progress::{Phase, Progress, Silent, Stopped};
pub use report::{Choice, Effort, LevelWork, RowWork, Seconds, SliceReport};
pub use solve::solve;
pub use solver::{fit_solvers, work_folder};
pub use store::disk::ScratchError;
pub use store::folder::{Operation, Watch};
pub use store::paged::Policy;
pub use tables::open_set;
pub use window::Window;

/// Solvers without files, for benches and tests.
pub mod in_memory {
    pub use crate::solver::{RowStates, States, sweep_slice};
}

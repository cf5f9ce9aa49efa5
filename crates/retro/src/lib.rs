//! Retrograde analysis on one machine: slices solved one after another, packed into files, and
//! checked by code that knows nothing of the solver.
//!
//! A game needs no more than its rules for all of this. Here a heap of counters, from which a move
//! takes one to three; taking the last one wins:
//!
//! ```
//! use std::sync::Arc;
//! use nutcracker_game::{SliceId, toy::Heap};
//! use nutcracker_retro::{Silent, SolveOptions, open_set, solve};
//! use nutcracker_table::{Disk, Storage};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! let disk: Arc<dyn Storage> = Arc::new(Disk::default());
//! let options = SolveOptions::new(2, "example");
//! solve(&Heap, &disk, dir.path(), SliceId(21), &options, &Silent)?;
//!
//! // A multiple of four is lost.
//! let tables = open_set(&Heap, disk, dir.path(), 1 << 20);
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
//! | before it runs | [`default_set()`], [`quick_set`], [`plan()`], [`plan_together()`], [`SlicePlan`], [`Rates`], [`calibrate`], [`fit_solvers`] |
//! | finished files | [`open_set`], [`open_metric`], [`folder`], [`check`], [`stats`], [`rewrite`] |
//! | several machines | [`Machines`], [`SliceGraph`], [`help_slices`], [`solve_fleet`] |
//! | measurements and tests | [`experiment`], [`in_memory`] |

mod budget;
mod calibrate;
pub mod check;
mod check_error;
mod child_bounds;
mod compact;
mod default_set;
mod error;
mod exits;
pub mod experiment;
mod fleet;
mod options;
mod parallel;
mod plan;
mod plan_together;
mod plies;
mod progress;
mod report;
mod solve;
mod solver;
pub mod stats;
mod store;
mod tables;
mod upper_files;
mod window;

pub use budget::cache_bytes;
pub use calibrate::{Calibration, CalibrationError, calibrate};
pub use compact::{COMPACT_BLOCK, Form, RewriteOptions, Rewritten, rewrite};
pub use default_set::{default_set, quick_set};
pub use error::{SolveError, Unfit};
pub use fleet::{FLEET_FOLDER, PATIENCE, record_checked, solve_fleet};
pub use options::{DualIndexOptions, RowOptions, SolveOptions, SolverName};
pub use parallel::ThreadError;
pub use plan::{BITS, BY_RULES, DISK, InPieces, Phases, Rate, Rates, SlicePlan, plan};
pub use plan_together::{
    Hosts, RECORDS_SENT, RECORDS_SLOWDOWN, ROWS_SENT, ROWS_SLOWDOWN, SharedPlan, TOGETHER_FROM,
    is_together, plan_together,
};
pub use progress::{Phase, Progress, Silent, Stopped};
pub use report::{Choice, Effort, LevelWork, RowWork, Seconds, SliceReport};
pub use solve::{solve, solve_slices};
pub use solver::{
    Checkpoints, Codes, Exchange, Machines, NeededTable, NextSlice, PutValues, Reader, SharedRows,
    SharedSlice, SharedWork, SliceGraph, States, Writer, fit_solvers, help_slices, work_folder,
};
pub use store::disk::WorkFileError;
pub use store::folder::{Operation, Watch};
pub use store::paged::Policy;
pub use tables::{available_metric, folder, open_metric, open_set};
pub use window::Window;

/// Solvers without files, for benches and tests.
pub mod in_memory {
    pub use crate::solver::{RowStates, States, sweep_metric, sweep_slice};
}

//! How to solve.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use nutcracker_game::Metric;

use crate::solver::Machines;
use crate::store::folder::Watch;
use crate::store::paged::Policy;
use crate::window::Window;

/// A solver by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SolverName {
    /// Whole states in memory: a count of open moves for each position.
    Memory,
    /// Two bits a position in memory, un-moves followed at once.
    TwoBit,
    /// Two bits a position in memory, repeated sweeps.
    TwoBitSweeps,
    /// One bit a position in memory.
    OneBit,
    /// One bit a position through a cache, by the second index.
    DualIndex,
    /// Whole rows of boards at once, for games of sowing; in memory, or streamed from disk.
    Rows,
    /// Forward sweeps in memory, for games without un-moves.
    Sweeps,
    /// One pass in memory, for slices in which no position repeats.
    OnePass,
    /// Whole states in the memory of several machines.
    Cluster,
    /// Whole rows of boards in the memory of several machines.
    ClusterRows,
    /// What each side can force where a repetition is worth something; in memory.
    Bounds,
}

impl SolverName {
    /// All of them.
    pub const ALL: [SolverName; 11] = [
        SolverName::Memory,
        SolverName::TwoBit,
        SolverName::TwoBitSweeps,
        SolverName::OneBit,
        SolverName::DualIndex,
        SolverName::Rows,
        SolverName::Sweeps,
        SolverName::OnePass,
        SolverName::Cluster,
        SolverName::ClusterRows,
        SolverName::Bounds,
    ];

    /// Its name on the command line, and in the names of work folders.
    pub fn name(self) -> &'static str {
        match self {
            SolverName::Memory => "memory",
            SolverName::TwoBit => "two-bit",
            SolverName::TwoBitSweeps => "two-bit-sweeps",
            SolverName::OneBit => "one-bit",
            SolverName::DualIndex => "dual-index",
            SolverName::Rows => "rows",
            SolverName::Sweeps => "sweeps",
            SolverName::OnePass => "one-pass",
            SolverName::Cluster => "cluster",
            SolverName::ClusterRows => "cluster-rows",
            SolverName::Bounds => "bounds",
        }
    }
}

impl fmt::Display for SolverName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How to solve. The files do not depend on it, windows apart.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// The number of threads.
    pub threads: usize,
    /// Whether each file is checked by independent code as soon as it is written.
    pub verify: bool,
    /// The program and its version, for the manifest.
    pub program: String,
    /// The metric of the tables; `None` for the game's usual one.
    pub metric: Option<Metric>,
    /// Which solver; `None` for the fastest that fits the memory.
    pub solver: Option<SolverName>,
    /// Bytes of memory that may be used.
    pub memory: u64,
    /// The range of scores to compute.
    pub window: Window,
    /// Slices with at least this many positions are resumed after an interruption; smaller ones
    /// are restarted.
    pub checkpoint_positions: u64,
    /// The time between two checkpoints inside a slice that several machines solve.
    pub checkpoint_every: Duration,
    /// How the dual-index solver works.
    pub dual_index: DualIndexOptions,
    /// How the solver by rows works.
    pub rows: RowOptions,
    /// The machines that solve slices together; `None` for this one alone.
    pub machines: Option<Arc<dyn Machines>>,
    /// For tests: called before each operation on work files.
    pub watch: Watch,
}

/// How the dual-index solver works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DualIndexOptions {
    /// Bytes of a block in its cache; a power of two.
    pub block_bytes: u64,
    /// Which block leaves the cache.
    pub policy: Policy,
    /// The most bytes the cache takes; without it, what the memory allows.
    pub cache: Option<u64>,
}

impl Default for DualIndexOptions {
    fn default() -> Self {
        DualIndexOptions { block_bytes: 16 << 10, policy: Policy::Clock, cache: None }
    }
}

/// How the solver by rows works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RowOptions {
    /// Whether it avoids special instructions of the processor.
    pub portable: bool,
    /// Bytes of memory for rows in memory and decided blocks. With it, rows are streamed from disk
    /// even where all would fit; without it, what the memory leaves is used.
    pub budget: Option<u64>,
}

impl SolveOptions {
    /// All memory, exact scores, the fastest solver that fits, files checked.
    pub fn new(threads: usize, program: impl Into<String>) -> Self {
        SolveOptions {
            threads,
            verify: true,
            program: program.into(),
            metric: None,
            solver: None,
            memory: u64::MAX,
            window: Window::Full,
            checkpoint_positions: 1 << 24,
            checkpoint_every: Duration::from_mins(1),
            dual_index: DualIndexOptions::default(),
            rows: RowOptions::default(),
            machines: None,
            watch: Watch::default(),
        }
    }
}

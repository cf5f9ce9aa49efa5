//! What was chosen, what was done, and how long it took.

use nutcracker_game::SliceId;
use nutcracker_table::Histogram;

use crate::options::SolverName;

/// Which solver was chosen for a slice.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The slice.
    pub slice: SliceId,
    /// The solver.
    pub solver: SolverName,
    /// Bytes of memory at its peak.
    pub memory: u64,
    /// Bytes of work files at its peak; 0 for a solver that works in memory alone.
    pub work_disk: u64,
    /// Bytes for the game's look-up tables.
    pub tables: u64,
    /// Bytes that all of these tables would take.
    pub all_tables: u64,
    /// What every solver that is fit for the slice would take at full speed, in bytes of memory.
    pub fit: Vec<(SolverName, u64)>,
}

/// Seconds spent in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Best values through moves that leave the slice.
    pub exits: f64,
    /// Values spread inside the slice.
    pub fixpoint: f64,
    /// Blocks, checksums, the finished file.
    pub pack: f64,
    /// The finished file checked by other code.
    pub verify: f64,
}

impl Seconds {
    /// All phases together.
    pub fn total(&self) -> f64 {
        self.exits + self.fixpoint + self.pack + self.verify
    }

    /// This many times as long.
    pub(crate) fn scaled(self, by: f64) -> Self {
        let Seconds { exits, fixpoint, pack, verify } = self;
        Seconds { exits: exits * by, fixpoint: fixpoint * by, pack: pack * by, verify: verify * by }
    }
}

/// A finished slice.
#[derive(Clone, Debug, PartialEq)]
pub struct SliceReport {
    /// Which.
    pub slice: SliceId,
    /// The number of positions, without holes.
    pub positions: u64,
    /// 0 if scores are exact, else what they are clipped to.
    pub window: u8,
    /// The size of the file.
    pub bytes: u64,
    /// The number of positions of each score.
    pub histogram: Histogram,
    /// How long it took; `None` where an earlier run did it.
    pub seconds: Option<Seconds>,
    /// What the solver did.
    pub effort: Effort,
}

/// What a solver did. Parts that belong to another solver are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Sweeps of the solvers with one or two bits a position.
    pub levels: LevelWork,
    /// What the solver by rows did.
    pub rows: RowWork,
}

/// What a solver with one or two bits a position did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelWork {
    /// Sweeps over the open positions, all levels together.
    pub sweeps: u64,
    /// Chunks scanned in sweeps.
    pub chunks: u64,
    /// Chunks skipped because nothing they depend on had changed.
    pub skipped: u64,
    /// Blocks read into the cache of the dual-index solver.
    pub misses: u64,
}

/// What the solver by rows did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowWork {
    /// Passes, all levels together.
    pub passes: u64,
    /// Rows scanned.
    pub rows: u64,
    /// Squares of 64 by 64 positions transposed.
    pub squares: u64,
    /// Positions decided one by one.
    pub singles: u64,
    /// Bytes read from and written to work files.
    pub moved: u64,
}

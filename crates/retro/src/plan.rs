//! What solving will take, estimated before it starts.

use std::collections::BTreeMap;

use nutcracker_game::{Game, Metric, SliceId};
use nutcracker_table::Reach;

use crate::check::memory_at_full_speed;
use crate::error::SolveError;
use crate::options::{SolveOptions, SolverName};
use crate::solver::{Estimate, SliceTask, choose};
use crate::tables::metric_of;
use crate::window;

/// What one slice takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlicePlan {
    /// Which.
    pub slice: SliceId,
    /// The number of positions.
    pub positions: u64,
    /// 0 if scores are exact, else what they are clipped to.
    pub window: u8,
    /// The solver that the memory allows.
    pub solver: SolverName,
    /// The share of positions, 0 to 1, that the game's look-up tables cover as far as they fit the
    /// memory too. The others are computed by the rules.
    pub tables: f64,
    /// Bytes of memory at the peak. More than what is given means that no solver, or not the one
    /// requested, fits.
    pub memory: u64,
    /// Bytes of its file, estimated.
    pub disk: u64,
    /// Bytes of work files, which are removed when it is finished.
    pub work_disk: u64,
    /// Whether the memory is too small for the check at full speed, so that it runs in pieces.
    pub check_in_pieces: bool,
    /// Seconds, estimated.
    pub seconds: f64,
    /// Seconds by phase.
    pub phases: Phases,
}

/// Seconds by phase, estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Best values through moves that leave the slice.
    pub exits: f64,
    /// Values spread inside the slice.
    pub fixpoint: f64,
    /// Work files read and written, where the solver streams them.
    pub transfer: f64,
    /// Blocks, checksums, the finished file.
    pub pack: f64,
    /// The finished file checked by other code.
    pub verify: f64,
}

impl Phases {
    /// All of them.
    pub fn total(&self) -> f64 {
        self.exits + self.fixpoint + self.transfer + self.pack + self.verify
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: &Phases) -> Phases {
        Phases {
            exits: self.exits + other.exits,
            fixpoint: self.fixpoint + other.fixpoint,
            transfer: self.transfer + other.transfer,
            pack: self.pack + other.pack,
            verify: self.verify + other.verify,
        }
    }
}

impl SlicePlan {
    /// Whether a file with one of these reaches, the best first, makes solving needless.
    pub fn served_by(&self, available: &[Reach]) -> bool {
        available.first().is_some_and(|best| best.serves(Reach::from(self.window)))
    }

    /// The number of levels.
    pub fn levels<G: Game>(&self, game: &G) -> u64 {
        match self.window {
            0 => game.max_score(self.slice).unsigned_abs().into(),
            window => window.into(),
        }
    }
}

/// Nanoseconds a position takes in each phase, with all threads working.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// Best values through moves that leave the slice.
    pub exits: f64,
    /// The same, written to the disk for solvers with little memory.
    pub exits_to_disk: f64,
    /// Values spread inside the slice, by solver.
    pub fixpoint: BTreeMap<SolverName, Rate>,
    /// How many times as long the fixpoint by rows takes if they are streamed from the disk, without
    /// the time of the disk itself.
    pub streamed: f64,
    /// Blocks, checksums, the finished file.
    pub pack: f64,
    /// The finished file checked by other code.
    pub verify: f64,
    /// The same in pieces, where memory is too small for that.
    pub verify_in_pieces: InPieces,
    /// The mean number of moves in the slice that was measured with. Where positions are computed
    /// by the rules one by one, slices with more moves take longer.
    pub moves: Option<f64>,
}

/// What a position takes by the rules beside its moves, in moves. In Othello on 4x4 squares exits and
/// check of the slices then differ by at most a sixth.
const POSITION_IN_MOVES: f64 = 4.0;

/// Positions whose moves are counted.
const COUNTED: u64 = 1000;

/// The mean number of moves in a slice, of positions at even distances.
pub(crate) fn mean_moves<G: Game>(game: &G, slice: SliceId) -> f64 {
    let len = game.slice_len(slice);
    let (mut moves, mut counted) = (Vec::new(), 0_u32);
    for number in 0..COUNTED.min(len) {
        let index = (u128::from(len) * u128::from(number) / u128::from(COUNTED.min(len))) as u64;
        if let Some(position) = game.unrank(slice, index) {
            game.moves(&position, &mut moves);
            counted += 1;
        }
    }
    moves.len() as f64 / f64::from(counted.max(1))
}

/// Nanoseconds a position takes in the check in pieces: the less memory there is for each, the more.
#[derive(Clone, Debug, PartialEq)]
pub struct InPieces {
    /// Bytes of memory for a position, in ascending order, and nanoseconds with these.
    pub points: Vec<(f64, f64)>,
}

impl InPieces {
    /// Nanoseconds with this many bytes for a position. Between two points time falls with the
    /// logarithm of the memory; beyond the last ones it stays as it is.
    pub fn nanoseconds(&self, bytes: f64) -> f64 {
        let above = self.points.partition_point(|&(point, _)| point < bytes);
        match (above.checked_sub(1).map(|below| self.points[below]), self.points.get(above)) {
            (Some((low, most)), Some(&(high, least))) => {
                most + (least - most) * (bytes / low).ln() / (high / low).ln()
            }
            (Some((_, only)), None) | (None, Some(&(_, only))) => only,
            (None, None) => 0.0,
        }
    }
}

/// Nanoseconds a position takes in the fixpoint: those of one level, times the number of levels to
/// a power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// With one level.
    pub level: f64,
    /// 0 where the number of levels does not matter, 1 where every level takes the same.
    pub power: f64,
}

impl Rate {
    /// Nanoseconds with `levels` levels.
    pub fn nanoseconds(&self, levels: u64) -> f64 {
        self.level * self.scale(levels)
    }

    /// The time of `levels` levels, relative to one level.
    pub fn scale(&self, levels: u64) -> f64 {
        (levels.max(1) as f64).powf(self.power)
    }
}

impl Rates {
    /// Measured with awari on one machine, see `docs/performance.md`; other games and machines
    /// differ by a small factor.
    pub fn usual(metric: Metric, threads: usize) -> Self {
        let of = |nanoseconds: f64| nanoseconds / threads as f64;
        // Two bounds of a position take several times as long as one value.
        let [rows, verify] = match metric {
            Metric::Forced => [75.0, 1850.0],
            _ => [20.0, 85.0],
        };
        let fixpoint = [
            (SolverName::Memory, 150.0, 0.0),
            (SolverName::TwoBit, 60.0, 1.0),
            (SolverName::TwoBitSweeps, 160.0, 1.0),
            (SolverName::OneBit, 180.0, 1.0),
            (SolverName::DualIndex, 220.0, 1.0),
            (SolverName::Rows, rows, 0.55),
            // As many times faster as there are machines, if the network allows.
            (SolverName::Cluster, 400.0, 0.0),
            (SolverName::ClusterRows, 22.0, 0.55),
            // By the rules, and on one thread whatever their number.
            (SolverName::Sweeps, 2000.0 * threads as f64, 1.0),
            // By the rules, both bounds together; exits take two plies, and are part of it.
            (SolverName::Bounds, 1300.0, 0.0),
            // All of it is exits.
            (SolverName::OnePass, 0.0, 0.0),
        ];
        let rate = |(solver, level, power)| (solver, Rate { level: of(level), power });
        Rates {
            exits: of(20.0),
            exits_to_disk: of(35.0),
            fixpoint: fixpoint.into_iter().map(rate).collect(),
            streamed: 3.0,
            pack: of(30.0),
            verify: of(verify),
            verify_in_pieces: InPieces {
                points: vec![(0.3, of(2500.0)), (0.6, of(2200.0)), (1.6, of(1300.0))],
            },
            moves: None,
        }
    }

    /// The rate of a solver.
    pub fn of(&self, solver: SolverName) -> Rate {
        self.fixpoint.get(&solver).copied().unwrap_or(Rate { level: 0.0, power: 1.0 })
    }
}

/// How many times slower the rules are than the tables, in awari: see `docs/performance.md`.
pub const BY_RULES: f64 = 2.2;

/// Bits a position takes in a file, a little more than awari needs.
pub const BITS: f64 = 3.6;

/// Bytes a second of a disk that is read and written in long runs: a usual solid-state disk.
pub const DISK: f64 = 1.5e9;

/// What solving takes, for each of the selected slices and those that their moves can lead to.
pub fn plan<G: Game>(
    game: &G,
    selected: &[SliceId],
    options: &SolveOptions,
    rates: &Rates,
) -> Vec<SlicePlan> {
    let window = options.window;
    let slices = window::slices(game, selected, window);
    let last = slices.last().copied().unwrap_or(SliceId(0));
    slices
        .into_iter()
        .map(|slice| {
            let top = window.of(game, metric_of(game, options.metric), slice, last);
            plan_slice(&SliceTask { game, slice, top, options }, rates)
        })
        .collect()
}

/// The solver for a slice, and what it takes; without an estimate, the memory it lacks.
fn solver_for<G: Game>(task: &SliceTask<'_, G>) -> (SolverName, Result<Estimate, u64>) {
    match choose(task) {
        Ok(chosen) => (chosen.solver.name(), Ok(chosen.estimate)),
        Err(SolveError::TooLittleMemory { solver, needed, .. }) => (solver, Err(needed)),
        Err(_) => (task.options.solver.unwrap_or(SolverName::Sweeps), Err(0)),
    }
}

pub(crate) fn plan_slice<G: Game>(task: &SliceTask<'_, G>, rates: &Rates) -> SlicePlan {
    let SliceTask { game, slice, top, options } = *task;
    let positions = task.positions();
    let window = window::reach(game, task.metric(), slice, top).into();
    let (solver, estimate) = solver_for(task);
    let mut memory = estimate.map_or_else(|needed| needed, |estimate| estimate.peak);
    let estimate = estimate.ok();
    // With less memory than that, the check runs in pieces; that of bounds cannot.
    let to_check = memory_at_full_speed(game, task.metric(), slice);
    let check_in_pieces =
        options.verify && task.metric() != Metric::Forced && to_check > options.memory;
    if options.verify && to_check <= options.memory && memory <= options.memory {
        memory = memory.max(to_check);
    }
    let verify = match (options.verify, check_in_pieces) {
        (false, _) => 0.0,
        (true, false) => rates.verify,
        (true, true) => {
            rates.verify_in_pieces.nanoseconds(options.memory as f64 / positions.max(1) as f64)
        }
    };
    // Clipped scores take no more than their number allows.
    let bits = match window {
        0 => BITS,
        window => BITS.min(f64::from(2 * u16::from(window) + 1).log2() + 0.2),
    };
    let tables = match estimate {
        Some(estimate) if estimate.tables < task.all_tables() => {
            game.covered_by_tables(slice, estimate.tables)
        }
        _ => 1.0,
    };
    let mut plan = SlicePlan {
        slice,
        positions,
        window,
        solver,
        tables,
        memory,
        disk: (positions as f64 * bits / 8.0) as u64 + 1024,
        work_disk: estimate.map_or(0, |estimate| estimate.work_disk),
        check_in_pieces,
        seconds: 0.0,
        phases: Phases::default(),
    };
    let (levels, rate) = (plan.levels(game), rates.of(solver));
    let seconds = |nanoseconds: f64| positions as f64 * nanoseconds / 1e9;
    let [slow_exits, mut slow_fixpoint] = estimate.map_or([1.0, 1.0], |estimate| estimate.slowdown);
    if solver == SolverName::Rows && plan.work_disk > 0 {
        slow_fixpoint *= rates.streamed;
    }
    let by_rules = match rates.moves {
        Some(measured) if matches!(solver, SolverName::OnePass | SolverName::Sweeps) => {
            (POSITION_IN_MOVES + mean_moves(game, slice)) / (POSITION_IN_MOVES + measured)
        }
        _ => 1.0,
    };
    let to_disk = estimate.is_some_and(|estimate| estimate.exits_to_disk);
    let exits = if to_disk { rates.exits_to_disk } else { rates.exits };
    // Transfers grow with the number of levels as computation does.
    let moved = estimate.map_or(0.0, |estimate| estimate.moved) * rate.scale(levels);
    plan.phases = Phases {
        exits: slow_exits * seconds(exits) * by_rules,
        fixpoint: slow_fixpoint
            * seconds(rate.nanoseconds(levels))
            * (tables + BY_RULES * (1.0 - tables)),
        transfer: positions as f64 * moved / DISK,
        pack: seconds(rates.pack),
        verify: seconds(verify) * by_rules,
    };
    plan.seconds = plan.phases.total();
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_memory_for_a_check_takes_more_time() {
        let rate = InPieces { points: vec![(0.5, 3000.0), (2.0, 1000.0)] };
        let nanoseconds =
            [0.1, 0.5, 1.0, 2.0, 9.0].map(|bytes| rate.nanoseconds(bytes).round() as u64);
        assert_eq!(nanoseconds, [3000, 3000, 2000, 1000, 1000]);
    }
}

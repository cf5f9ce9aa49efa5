//! What solving will take, told before it starts.

use nutcracker_game::{Game, SliceId};
use nutcracker_table::Reach;

use crate::choice::{Chosen, Solver, choose, memory_to_check};
use crate::fixpoint::rows::Needs;
use crate::solve::{SolveError, SolveOptions};

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
    pub solver: Solver,
    /// The share of positions, 0 to 1, that the game's tables serve as far as they fit the memory
    /// too. The others go by the rules.
    pub tables: f64,
    /// Bytes of memory at the peak. More than what is given says that no solver, or not the one
    /// asked for, can do with it.
    pub memory: u64,
    /// Bytes of its file, as far as can be said before.
    pub disk: u64,
    /// Bytes of files at work, which are gone when it is finished.
    pub work_disk: u64,
    /// Seconds, as far as can be said before.
    pub seconds: f64,
    /// Seconds by phase.
    pub phases: Phases,
}

/// Seconds by phase, as far as can be said before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Best values through moves that leave the slice.
    pub conversions: f64,
    /// Values spread inside the slice.
    pub fixpoint: f64,
    /// Files at work read and written, where the solver streams them.
    pub transfer: f64,
    /// Blocks, checksums, the finished file.
    pub pack: f64,
    /// The finished file checked by other code.
    pub verify: f64,
}

impl Phases {
    /// All of them.
    pub fn total(&self) -> f64 {
        self.conversions + self.fixpoint + self.transfer + self.pack + self.verify
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: &Phases) -> Phases {
        Phases {
            conversions: self.conversions + other.conversions,
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

    /// How many levels a solver with little memory goes through.
    pub fn levels<G: Game>(&self, game: &G) -> u64 {
        match self.window {
            0 => game.max_score(self.slice).unsigned_abs().into(),
            window => window.into(),
        }
    }
}

/// Nanoseconds a position takes in each phase, with all threads at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Best values through moves that leave the slice.
    pub conversions: f64,
    /// The same, written to the disk for solvers with little memory.
    pub conversions_to_disk: f64,
    /// Values spread inside the slice, whole states in memory.
    pub memory: f64,
    /// For each level, two bits in memory, un-moves followed.
    pub two_bit: f64,
    /// For each level, two bits in memory, repeated sweeps.
    pub two_bit_sweeps: f64,
    /// For each level, one bit in memory.
    pub one_bit: f64,
    /// For each level, one bit through a cache.
    pub dual_index: f64,
    /// One level by rows.
    pub rows: f64,
    /// More levels by rows cost as much as one times this power of their number: what is settled at
    /// one level is not looked at again.
    pub rows_power: f64,
    /// Blocks, checksums, the finished file.
    pub pack: f64,
    /// The finished file checked by other code.
    pub verify: f64,
}

impl Rates {
    /// Measured with awari on one machine, see `docs/performance.md`; other games and machines
    /// differ by a small factor.
    pub fn usual(threads: usize) -> Self {
        let of = |nanoseconds: f64| nanoseconds / threads as f64;
        Rates {
            conversions: of(20.0),
            conversions_to_disk: of(35.0),
            memory: of(150.0),
            two_bit: of(60.0),
            two_bit_sweeps: of(160.0),
            one_bit: of(180.0),
            dual_index: of(220.0),
            rows: of(20.0),
            rows_power: 0.55,
            pack: of(30.0),
            verify: of(85.0),
        }
    }

    /// Nanoseconds of a position in all levels.
    fn fixpoint(&self, solver: Solver, levels: u64) -> f64 {
        let level = match solver {
            Solver::Auto | Solver::Memory => return self.memory,
            Solver::TwoBit => self.two_bit,
            Solver::TwoBitSweeps => self.two_bit_sweeps,
            Solver::OneBit => self.one_bit,
            Solver::DualIndex => self.dual_index,
            Solver::Rows => return self.rows * (levels as f64).powf(self.rows_power),
        };
        level * levels as f64
    }
}

/// How many times slower the rules are than the tables, in awari: see `docs/performance.md`.
pub const BY_RULES: f64 = 2.2;

/// Bits a position takes in a file, a little more than awari needs.
pub const BITS: f64 = 3.6;

/// Bytes a position that the solver by rows reads and writes at one level when it streams: of lines
/// and values, and of what is known if none of it stays in memory. Measured, see
/// `docs/performance.md`.
const LINE_BYTES: f64 = 20.0;
const KNOWN_BYTES: f64 = 85.0;

/// A slice by rows of more positions than this fits no processor's cache, and takes longer a
/// position than the one that was measured: conversions, and values inside the slice. Measured with
/// 26 to 36 stones of awari, see `docs/performance.md`.
const FAR: u64 = 1 << 28;
const FAR_CONVERSIONS: f64 = 1.25;
const FAR_VALUES: f64 = 1.5;

/// Bytes a second of a disk that is read and written in long runs: a usual solid-state disk.
pub const DISK: f64 = 1.5e9;

/// Bytes of decoded scores of smaller slices kept while a slice of this size is solved or checked.
pub fn cache_bytes(positions: u64) -> u64 {
    (positions / 10).clamp(8 << 20, 64 << 20)
}

/// What each of the slices up to `last` takes that the options ask for.
pub fn plan<G: Game>(
    game: &G,
    last: SliceId,
    options: &SolveOptions,
    rates: &Rates,
) -> Vec<SlicePlan> {
    let window = options.window;
    window
        .slices(game, last)
        .map(|slice| plan_slice(game, slice, window.of(game, slice, last), options, rates))
        .collect()
}

/// What streaming by rows takes of the disk.
#[derive(Clone, Copy)]
struct Streamed {
    /// Bytes of files at work.
    disk: u64,
    /// The part of what is known that stays in memory.
    kept: f64,
}

fn plan_slice<G: Game>(
    game: &G,
    slice: SliceId,
    top: u8,
    options: &SolveOptions,
    rates: &Rates,
) -> SlicePlan {
    let positions = game.slice_len(slice);
    let window = if i16::from(top) < game.max_score(slice) { top } else { 0 };
    let all_tables = game.view_bytes(slice) + game.forward_bytes(slice);
    let mut streamed = None;
    let (solver, tables, mut memory) = match choose(game, slice, top, options) {
        Ok(choice) => match choice.solver {
            Chosen::Rows(sowing, room) => {
                streamed = room.map(|room| Streamed {
                    disk: Needs::new(&*sowing, top, options.threads).disk,
                    kept: Needs::kept_share(&*sowing, top, room),
                });
                (Solver::Rows, 1.0, choice.memory)
            }
            Chosen::Memory | Chosen::Sweep => (Solver::Memory, 1.0, choice.memory),
            Chosen::Limited(method) => {
                let share =
                    if all_tables == 0 { 1.0 } else { choice.tables as f64 / all_tables as f64 };
                (method.solver(), share, choice.memory)
            }
        },
        Err(SolveError::TooLittleMemory { solver, needed, .. }) => (solver, 1.0, needed),
        Err(_) => (options.solver, 1.0, 0),
    };
    let fits = memory <= options.memory;
    // The scores are compared with each other only where that fits the memory.
    let to_check = memory_to_check(game, slice);
    let checked = options.verify && to_check <= options.memory;
    if checked && fits {
        memory = memory.max(to_check);
    }
    // Clipped scores take no more than their number allows.
    let bits = match window {
        0 => BITS,
        window => BITS.min(f64::from(2 * u16::from(window) + 1).log2() + 0.2),
    };
    let mut plan = SlicePlan {
        slice,
        positions,
        window,
        solver,
        tables,
        memory,
        disk: (positions as f64 * bits / 8.0) as u64 + 1024,
        work_disk: streamed.map_or_else(|| work_disk(solver, positions), |streamed| streamed.disk),
        seconds: 0.0,
        phases: Phases::default(),
    };
    let levels = plan.levels(game);
    let seconds = |nanoseconds: f64| positions as f64 * nanoseconds / 1e9;
    // More levels move more in the same way as they compute more.
    let moved = match streamed {
        Some(Streamed { kept, .. }) => {
            let level = LINE_BYTES + KNOWN_BYTES * (1.0 - kept);
            level * (levels as f64).powf(rates.rows_power)
        }
        None => 0.0,
    };
    let far = solver == Solver::Rows && positions > FAR;
    let (far_conversions, far_values) =
        if far { (FAR_CONVERSIONS, FAR_VALUES) } else { (1.0, 1.0) };
    plan.phases = Phases {
        conversions: far_conversions
            * seconds(match solver {
                Solver::Memory | Solver::Rows => rates.conversions,
                _ => rates.conversions_to_disk,
            }),
        fixpoint: far_values
            * seconds(rates.fixpoint(solver, levels))
            * (tables + BY_RULES * (1.0 - tables)),
        transfer: positions as f64 * moved / DISK,
        pack: seconds(rates.pack),
        verify: if checked { seconds(rates.verify) } else { 0.0 },
    };
    plan.seconds = plan.phases.total();
    plan
}

/// The support file with a byte a position, the scores of two levels while one turns into the
/// other, and what a solver with less than two bits in memory keeps on disk: the sides of two
/// levels, and with the dual index the wins.
fn work_disk(solver: Solver, positions: u64) -> u64 {
    let scores = 3 * positions;
    let sides = 2 * positions.div_ceil(4);
    match solver {
        Solver::Auto | Solver::Memory | Solver::Rows => 0,
        Solver::TwoBit | Solver::TwoBitSweeps => scores,
        Solver::OneBit => scores + sides,
        Solver::DualIndex => scores + sides + positions.div_ceil(8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_file_serves_and_a_narrower_does_not() {
        let plan = |window| SlicePlan {
            slice: SliceId(9),
            positions: 1,
            window,
            solver: Solver::Memory,
            tables: 1.0,
            memory: 0,
            disk: 0,
            work_disk: 0,
            seconds: 0.0,
            phases: Phases::default(),
        };
        assert!(!plan(0).served_by(&[]) && !plan(2).served_by(&[]));
        assert!(
            plan(0).served_by(&[0].map(Reach::from)) && plan(2).served_by(&[0, 1].map(Reach::from))
        );
        assert!(
            plan(2).served_by(&[3, 1].map(Reach::from)) && plan(2).served_by(&[2].map(Reach::from))
        );
        assert!(
            !plan(2).served_by(&[1].map(Reach::from)) && !plan(0).served_by(&[8].map(Reach::from))
        );
    }

    #[test]
    fn less_in_memory_is_more_on_disk() {
        let on_disk = [Solver::Memory, Solver::TwoBit, Solver::OneBit, Solver::DualIndex]
            .map(|s| work_disk(s, 800));
        assert_eq!(on_disk, [0, 2400, 2800, 2900]);
    }
}

//! What solving with several machines will take, estimated before it starts.
//!
//! The solver and the memory of each slice are those that [`solve_slices`](crate::solve_slices) would
//! choose with these machines. What is added here is what the network carries: `cluster` sends eight
//! bytes to the owner of every predecessor, `cluster-rows` sends what is newly decided to all. Packing
//! and the check are always done by the first machine.

use std::path::Path;
use std::sync::Arc;

use nutcracker_game::{Game, SliceId};
use nutcracker_table::Storage;

use crate::error::SolveError;
use crate::options::{SolveOptions, SolverName};
use crate::plan::{DISK, Rate, Rates, SlicePlan, plan_slice};
use crate::progress::Progress;
use crate::solver::{Machines, NextSlice, SharedSlice, SharedWork, SliceTask, all};
use crate::tables::metric_of;
use crate::window;

/// Slices with fewer positions are solved by the first machine alone.
pub const TOGETHER_FROM: u64 = 1 << 16;

/// How many times as long as the solver `memory` the solver `cluster` computes, all machines
/// together: see `docs/performance.md`.
pub const RECORDS_SLOWDOWN: f64 = 1.8;

/// Bytes a position that `cluster` would send if every predecessor had another owner: records and
/// states. With n machines, the share (n - 1) / n of it is sent. Measured with awari: 22 at 13
/// stones, 24 at 16.
pub const RECORDS_SENT: f64 = 24.0;

/// The same for `cluster-rows` and `rows`.
pub const ROWS_SLOWDOWN: f64 = 1.1;

/// Bytes a position that `cluster-rows` sends to every other machine: the words that changed.
/// Measured with awari: 5.7 at 14 stones, 6.1 at 17.
pub const ROWS_SENT: f64 = 7.0;

/// Bytes a position for the value that goes to the first machine in the end.
const VALUE: f64 = 1.0;

/// Machines of the same kind, and what connects them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hosts {
    /// How many.
    pub count: u64,
    /// Bytes a second that each can send, and receive at the same time.
    pub network: f64,
}

/// Whether all machines work on a slice with this solver.
pub fn is_together(solver: SolverName) -> bool {
    matches!(solver, SolverName::Cluster | SolverName::ClusterRows)
}

/// Machines that are not there, for the estimates of solvers.
#[derive(Debug)]
struct Planned(u64);

impl Planned {
    fn refuse<T>() -> Result<T, SolveError> {
        Err(SolveError::Machine("machines that are only planned cannot solve".to_owned()))
    }
}

impl Machines for Planned {
    fn count(&self) -> u64 {
        self.0
    }

    fn me(&self) -> u64 {
        0
    }

    fn smallest(&self) -> u64 {
        TOGETHER_FROM
    }

    fn solve(&self, _: &SharedSlice<'_>, _: &dyn Progress) -> Result<SharedWork, SolveError> {
        Self::refuse()
    }

    fn next(
        &self,
        _: &Arc<dyn Storage>,
        _: &Path,
        _: &dyn Progress,
    ) -> Result<Option<NextSlice>, SolveError> {
        Self::refuse()
    }
}

/// What one slice takes with several machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedPlan {
    /// Time, disk, and the memory of the first machine.
    pub plan: SlicePlan,
    /// Bytes of memory of every other machine.
    pub memory_of_others: u64,
    /// Bytes on the wire, all machines together.
    pub wire: u64,
    /// Seconds of `plan.seconds` in which the network is waited for.
    pub network: f64,
    /// The least memory a machine with which all could work on it, where that is more than what is
    /// given.
    pub together_from: Option<u64>,
}

/// What solving with several machines takes, for each of the selected slices and those that their
/// moves can lead to. `options` has the memory of each machine.
///
/// ```
/// use nutcracker_game::{Metric, SliceId};
/// use nutcracker_games::awari::Awari;
/// use nutcracker_retro::{Hosts, Rates, SolveOptions, is_together, plan_together};
///
/// let options = SolveOptions { memory: 64 << 30, ..SolveOptions::new(2, "example") };
/// let hosts = Hosts { count: 8, network: 1.25e9 };
/// let rates = Rates::usual(Metric::Score, 2);
/// let plan = plan_together(&Awari::new(6)?, &[SliceId(30)], &options, &rates, &hosts);
/// let last = plan.last().unwrap();
/// assert!(is_together(last.plan.solver) && last.wire > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_together<G: Game>(
    game: &G,
    selected: &[SliceId],
    options: &SolveOptions,
    rates: &Rates,
    hosts: &Hosts,
) -> Vec<SharedPlan> {
    let mut options = options.clone();
    if hosts.count > 1 {
        options.machines = Some(Arc::new(Planned(hosts.count)));
    }
    let mut rates = rates.clone();
    let records = rates.of(SolverName::Memory);
    let records = Rate { level: records.level * RECORDS_SLOWDOWN, ..records };
    rates.fixpoint.insert(SolverName::Cluster, records);
    let rows = rates.of(SolverName::Rows);
    let rows = Rate { level: rows.level * ROWS_SLOWDOWN, ..rows };
    rates.fixpoint.insert(SolverName::ClusterRows, rows);
    let window = options.window;
    let slices = window::slices(game, selected, window);
    let last = slices.last().copied().unwrap_or(SliceId(0));
    let mut plans: Vec<SharedPlan> = slices
        .into_iter()
        .map(|slice| {
            let top = window.of(game, metric_of(game, options.metric), slice, last);
            plan_shared(&SliceTask { game, slice, top, options: &options }, &rates, hosts)
        })
        .collect();
    // The others get the tables that later slices need from the first machine, one after another.
    if let Some(last) = plans.iter().rposition(|shared| is_together(shared.plan.solver)) {
        for shared in &mut plans[..last] {
            let copies = shared.plan.disk * (hosts.count - 1);
            shared.wire += copies;
            shared.wait(copies as f64 / hosts.network);
        }
    }
    plans
}

impl SharedPlan {
    /// The network is waited for.
    fn wait(&mut self, seconds: f64) {
        self.network += seconds;
        self.plan.seconds += seconds;
    }
}

fn plan_shared<G: Game>(task: &SliceTask<'_, G>, rates: &Rates, hosts: &Hosts) -> SharedPlan {
    let plan = plan_slice(task, rates);
    // Bytes of memory of each machine by the solvers for several.
    let shares = || {
        let solvers = all::<G>().into_iter().filter(|solver| is_together(solver.name()));
        solvers.filter_map(|solver| Some((solver.name(), solver.estimate(task).ok()?.least)))
    };
    let mut shared =
        SharedPlan { plan, memory_of_others: 0, wire: 0, network: 0.0, together_from: None };
    if !is_together(plan.solver) {
        let least = shares().map(|(_, least)| least).min();
        let lacks = least.filter(|&least| least > task.options.memory);
        shared.together_from = lacks.filter(|_| plan.positions >= TOGETHER_FROM);
        return shared;
    }
    let own = shares().find(|&(solver, _)| solver == plan.solver);
    shared.memory_of_others = own.map_or(0, |(_, least)| least);
    let (positions, count) = (plan.positions as f64, hosts.count as f64);
    let others = (count - 1.0) / count;
    // What a machine sends, and receives.
    let sent = match plan.solver {
        SolverName::ClusterRows => ROWS_SENT * others,
        _ => RECORDS_SENT * others / count,
    };
    // All values but those of the first machine arrive there in the end.
    let values = VALUE * others;
    shared.wire = (positions * (sent * count + values)) as u64;
    shared.wait(positions * (sent + values) / hosts.network);
    // Where memory is short, values are written to the disk and read again.
    let on_disk = 2.0 * plan.work_disk as f64 / DISK;
    shared.plan.phases.transfer += on_disk;
    shared.plan.seconds += on_disk;
    shared
}

#[cfg(test)]
mod tests {
    use nutcracker_game::{Metric, Numbering};
    use nutcracker_games::awari::Awari;
    use nutcracker_games::dobutsu::Dobutsu;

    use super::*;
    use crate::plan::plan;

    fn awari(count: u64, memory: u64) -> Vec<SharedPlan> {
        let options = SolveOptions { memory, ..SolveOptions::new(2, "test") };
        let hosts = Hosts { count, network: 1.25e9 };
        let game = Awari::new(6).unwrap();
        plan_together(&game, &[SliceId(48)], &options, &Rates::usual(Metric::Score, 2), &hosts)
    }

    #[test]
    fn one_machine_is_planned_as_before() {
        let options = SolveOptions { memory: 64 << 30, ..SolveOptions::new(2, "test") };
        let game = Awari::new(6).unwrap();
        let before = plan(&game, &[SliceId(48)], &options, &Rates::usual(Metric::Score, 2));
        let shared = awari(1, 64 << 30);
        assert_eq!(shared.iter().map(|shared| shared.plan).collect::<Vec<_>>(), before);
        assert!(shared.iter().all(|shared| shared.wire == 0 && !is_together(shared.plan.solver)));
    }

    #[test]
    fn together_it_is_faster_or_fits() {
        let (alone, shared) = (awari(1, 64 << 30), awari(8, 64 << 30));
        for (alone, shared) in alone.iter().zip(&shared) {
            assert_eq!(alone.plan.slice, shared.plan.slice);
            assert!(shared.plan.memory <= 64 << 30, "{shared:?}");
            assert_eq!(is_together(shared.plan.solver), shared.memory_of_others > 0);
            if is_together(shared.plan.solver) {
                let computes = |plan: &SlicePlan| plan.phases.exits + plan.phases.fixpoint;
                assert!(computes(&shared.plan) < computes(&alone.plan), "{shared:?}");
                assert!(shared.together_from.is_none());
            }
        }
        // Two bits a position of 48 stones are 65 GiB; so are the states of an eighth.
        let last = shared.last().unwrap();
        assert!(last.together_from.is_some_and(|least| least > 64 << 30), "{last:?}");
        assert!(!is_together(last.plan.solver));
        // More machines, and the states fit.
        let last = *awari(64, 64 << 30).last().unwrap();
        assert_eq!((last.plan.solver, last.together_from), (SolverName::Cluster, None));
    }

    #[test]
    fn the_wire_carries_what_the_solver_sends() {
        let (positions, slice) = (Awari::new(6).unwrap().slice_len(SliceId(30)), 30);
        let shared = awari(8, 64 << 30)[slice];
        let tables = 7 * shared.plan.disk;
        let solving = match shared.plan.solver {
            SolverName::ClusterRows => ROWS_SENT * 7.0,
            _ => RECORDS_SENT * 7.0 / 8.0,
        } + 7.0 / 8.0;
        let expected = positions as f64 * solving + tables as f64;
        assert!((shared.wire as f64 - expected).abs() < 10.0, "{shared:?} {expected}");
        // Eight machines that send at the same time take an eighth of the time, or more.
        assert!(shared.network > shared.wire as f64 / 8.0 / 1.25e9, "{shared:?}");
    }

    #[test]
    fn a_game_without_rows_sends_records() {
        let options = SolveOptions::new(2, "test");
        let hosts = Hosts { count: 4, network: 1.25e9 };
        let game = Dobutsu;
        let slices = [game.largest_slice()];
        let plans =
            plan_together(&game, &slices, &options, &Rates::usual(Metric::Score, 2), &hosts);
        assert!(plans.iter().all(|plan| plan.plan.solver != SolverName::ClusterRows));
    }
}

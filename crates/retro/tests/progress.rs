//! What a solver reports while it runs is honest, a panic in one of its threads ends the run with
//! an error, and its estimates are what it takes.

use std::panic::panic_any;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

use crate::common::{disk, tables};
use nutcracker_game::toy::Graph;
use nutcracker_game::{Game, Metric, Numbering, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_retro::{
    Choice, Phase, Progress, Rates, RowOptions, Silent, SolveError, SolveOptions, SolverName,
    ThreadError, Unfit, fit_solvers, plan, solve,
};

use nutcracker_table::Manifest;

/// Every solver for awari, rows from disk as well.
fn every_solver(threads: usize) -> Vec<SolveOptions> {
    let options = |solver, budget| SolveOptions {
        solver: Some(solver),
        rows: RowOptions { budget, ..RowOptions::default() },
        verify: false,
        ..SolveOptions::new(threads, "test")
    };
    let mut all: Vec<SolveOptions> = fit_solvers(&Awari::new(6).unwrap(), SliceId(8), None)
        .into_iter()
        .map(|solver| options(solver, None))
        .collect();
    all.push(options(SolverName::Rows, Some(1 << 16)));
    all
}

#[derive(Default)]
struct Record(Mutex<Vec<(Phase, u64, Vec<u64>)>>);

impl Progress for Record {
    fn begin(&self, phase: Phase, positions: u64) {
        self.0.lock().unwrap().push((phase, positions, Vec::new()));
    }

    fn advance(&self, done: u64) {
        self.0.lock().unwrap().last_mut().unwrap().2.push(done);
    }
}

#[test]
fn every_phase_of_every_solver_advances_from_its_beginning_to_its_end() {
    let awari = Awari::new(6).unwrap();
    for options in every_solver(2) {
        let solver = options.solver.unwrap();
        let last = if solver == SolverName::Sweeps { 6 } else { 8 };
        let dir = tempfile::tempdir().unwrap();
        let below = SolveOptions { solver: None, ..options.clone() };
        solve(&awari, &disk(), dir.path(), SliceId(last - 1), &below, &Silent).unwrap();
        let record = Record::default();
        solve(&awari, &disk(), dir.path(), SliceId(last), &options, &record).unwrap();
        let phases = record.0.into_inner().unwrap();
        let order: Vec<Phase> = phases.iter().map(|(phase, ..)| *phase).collect();
        assert_eq!(order, [Phase::Exits, Phase::Fixpoint, Phase::Pack], "{solver}");
        for (phase, positions, seen) in phases {
            assert!(seen.is_sorted(), "{solver}, {phase:?}: {seen:?}");
            assert_eq!(seen.last(), Some(&positions), "{solver}, {phase:?}");
            assert_eq!(positions, awari.slice_len(SliceId(last)), "{solver}, {phase:?}");
            // More than the end alone: there are reports on the way.
            let on_the_way = seen.iter().filter(|&&done| 0 < done && done < positions).count();
            assert!(phase != Phase::Fixpoint || on_the_way >= 3, "{solver}: {seen:?}");
        }
    }
}

/// Panics at a call of `must_stop`, in a thread that the solver has started.
struct Panics {
    at: u64,
    queries: AtomicU64,
}

impl Progress for Panics {
    fn must_stop(&self) -> bool {
        let started_here = thread::current().name().is_none();
        if started_here && self.queries.fetch_add(1, Relaxed) == self.at {
            panic_any("on request");
        }
        false
    }
}

#[test]
fn a_panic_in_one_thread_ends_the_run_with_an_error() {
    let awari = Awari::new(4).unwrap();
    let expected = {
        let dir = tempfile::tempdir().unwrap();
        solve(&awari, &disk(), dir.path(), SliceId(7), &SolveOptions::new(1, "test"), &Silent)
            .unwrap();
        tables(dir.path())
    };
    for options in every_solver(3) {
        let dir = tempfile::tempdir().unwrap();
        for at in [0, 2, 9] {
            let progress = Panics { at, queries: AtomicU64::new(0) };
            match solve(&awari, &disk(), dir.path(), SliceId(7), &options, &progress) {
                Err(SolveError::Threads(ThreadError::Panicked { message })) => {
                    assert_eq!(message, "on request");
                }
                Err(error) => panic!("{:?}: {error}", options.solver),
                // The threads share the queries as they like, and sweeps start none.
                Ok(_) => {}
            }
        }
        solve(&awari, &disk(), dir.path(), SliceId(7), &options, &Silent).unwrap();
        assert!(tables(dir.path()) == expected, "{:?}", options.solver);
    }
}

#[derive(Default)]
struct Choices(Mutex<Vec<Choice>>);

impl Progress for Choices {
    fn chose(&self, choice: &Choice) {
        self.0.lock().unwrap().push(choice.clone());
    }
}

#[test]
fn a_game_without_unmoves_is_solved_by_sweeps_and_by_nothing_else() {
    let game = Graph::random(1, 10, 3, true);
    assert!(!game.properties().unmoves);
    let options = SolveOptions::new(1, "test");
    let dir = tempfile::tempdir().unwrap();
    let choices = Choices::default();
    solve(&game, &disk(), dir.path(), SliceId(9), &options, &choices).unwrap();
    let choices = choices.0.into_inner().unwrap();
    assert!(choices.iter().all(|choice| choice.solver == SolverName::Sweeps), "{choices:?}");
    let planned = plan(&game, &[SliceId(9)], &options, &Rates::usual(Metric::Score, 1));
    for (planned, choice) in planned.iter().zip(&choices) {
        assert_eq!(
            (planned.solver, planned.positions),
            (SolverName::Sweeps, game.slice_len(planned.slice))
        );
        // One array of bytes, one of optional bytes, and the result.
        assert!(choice.memory >= 4 * planned.positions, "{choice:?}");
    }
    for solver in [SolverName::Memory, SolverName::TwoBit, SolverName::OneBit] {
        let dir = tempfile::tempdir().unwrap();
        let options = SolveOptions { solver: Some(solver), ..options.clone() };
        let error = solve(&game, &disk(), dir.path(), SliceId(0), &options, &Silent).unwrap_err();
        assert!(matches!(error, SolveError::Unfit { reason: Unfit::NoUnmoves, .. }), "{error}");
        assert!(!error.to_string().contains("--"), "{error}");
    }
    let dir = tempfile::tempdir().unwrap();
    let little = SolveOptions { memory: 1 << 20, ..options };
    let error = solve(&game, &disk(), dir.path(), SliceId(0), &little, &Silent).unwrap_err();
    assert!(matches!(error, SolveError::TooLittleMemory { .. }), "{error}");
    assert!(!error.to_string().contains("--"), "{error}");
}

#[test]
fn a_plan_has_the_share_of_positions_the_tables_cover() {
    let awari = Awari::new(6).unwrap();
    // Enough for the bits of 30 stones and a fifth of the tables.
    let tables = awari.view_bytes(SliceId(30)) + awari.forward_bytes(SliceId(30));
    let options = SolveOptions {
        solver: Some(SolverName::OneBit),
        memory: awari.slice_len(SliceId(30)) / 8 + (90 << 20) + tables / 5,
        ..SolveOptions::new(1, "test")
    };
    let planned = plan(
        &awari,
        &(0..=30).map(SliceId).collect::<Vec<_>>(),
        &options,
        &Rates::usual(Metric::Score, 1),
    );
    let planned = planned.last().unwrap();
    assert_eq!(planned.solver, SolverName::OneBit);
    // A share of bytes would be about a fifth.
    assert!((0.4..1.0).contains(&planned.tables), "{}", planned.tables);
}

#[test]
fn a_stop_on_request_is_no_failure() {
    assert_eq!(SolveError::from(nutcracker_retro::Stopped).kind(), None);
}

/// Stops when work on a slice begins.
struct StopAt(SliceId, AtomicBool);

impl Progress for StopAt {
    fn slice(&self, slice: SliceId, _: u64) {
        self.1.fetch_or(slice == self.0, Relaxed);
    }

    fn must_stop(&self) -> bool {
        self.1.load(Relaxed)
    }
}

#[test]
fn files_that_an_interrupted_check_leaves_stay_in_the_manifest() {
    let (awari, dir) = (Awari::new(6).unwrap(), tempfile::tempdir().unwrap());
    let last = SliceId(5);
    let checking = SolveOptions::new(1, "test");
    let solving = SolveOptions { verify: false, ..SolveOptions::new(1, "test") };
    solve(&awari, &disk(), dir.path(), last, &solving, &Silent).unwrap();
    let stop = StopAt(SliceId(3), AtomicBool::new(false));
    solve(&awari, &disk(), dir.path(), last, &checking, &stop).unwrap_err();
    let manifest = Manifest::load(&*disk(), dir.path()).unwrap();
    let checked: Vec<bool> = manifest.entries().iter().map(|entry| entry.checked).collect();
    assert_eq!(checked, [true, true, true, false, false, false]);
    solve(&awari, &disk(), dir.path(), last, &checking, &Silent).unwrap();
    let manifest = Manifest::load(&*disk(), dir.path()).unwrap();
    assert!(manifest.entries().iter().all(|entry| entry.checked));
}

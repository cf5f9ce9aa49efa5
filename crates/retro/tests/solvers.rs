//! Every solver gives the same files, byte for byte.

use std::path::Path;

use crate::common::{disk, tables};
use nutcracker_game::{Game, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_retro::{DualIndexOptions, Policy, Silent, SolveOptions, SolverName, Window, solve};

fn run<G: Game>(game: &G, dir: &Path, last: u32, options: &SolveOptions) {
    solve(game, &disk(), dir, SliceId(last), options, &Silent)
        .unwrap_or_else(|error| panic!("{} by {:?}: {error}", game.id(), options.solver));
}

const OTHERS: [SolverName; 5] = [
    SolverName::TwoBit,
    SolverName::TwoBitSweeps,
    SolverName::OneBit,
    SolverName::DualIndex,
    SolverName::Rows,
];

fn all_the_same<G: Game>(game: &G, last: u32, window: Window, threads: &[usize]) {
    let reference = tempfile::tempdir().unwrap();
    let options = |solver, threads| SolveOptions {
        solver: Some(solver),
        window,
        ..SolveOptions::new(threads, "test")
    };
    run(game, reference.path(), last, &options(SolverName::Memory, 2));
    let expected = tables(reference.path());
    assert!(!expected.is_empty());
    let has_rows = game.row_moves(SliceId(last)).is_some();
    for solver in OTHERS.into_iter().filter(|&solver| has_rows || solver != SolverName::Rows) {
        for &threads in threads {
            let dir = tempfile::tempdir().unwrap();
            run(game, dir.path(), last, &options(solver, threads));
            let found = tables(dir.path());
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert!(
                    found == expected,
                    "{} of {} differs by {solver} with {threads} threads",
                    found.0,
                    game.id()
                );
            }
            let left = std::fs::read_dir(dir.path()).unwrap().filter(|entry| {
                entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("work")
            });
            assert_eq!(left.count(), 0, "work files are gone");
        }
    }
}

#[test]
fn awari_by_every_solver() {
    all_the_same(&Awari::new(6).unwrap(), 10, Window::Full, &[1, 2, 3]);
}

#[test]
fn small_awari_by_every_solver() {
    all_the_same(&Awari::new(2).unwrap(), 16, Window::Full, &[1, 2]);
    all_the_same(&Awari::new(3).unwrap(), 14, Window::Full, &[1, 2]);
    all_the_same(&Awari::new(4).unwrap(), 10, Window::Full, &[1, 2]);
}

#[test]
fn reachable_awari_by_every_solver() {
    all_the_same(&Awari::reachable(6).unwrap(), 9, Window::Full, &[2]);
    all_the_same(&Awari::reachable(3).unwrap(), 13, Window::Full, &[1, 3]);
    all_the_same(&Awari::reachable(4).unwrap(), 10, Window::Top(2), &[2]);
}

#[test]
fn kalah_by_every_solver() {
    all_the_same(&Kalah::new(3, 2, false).unwrap(), 12, Window::Full, &[1, 2]);
    all_the_same(&Kalah::new(6, 1, true).unwrap(), 7, Window::Full, &[2]);
    all_the_same(&Kalah::new(3, 2, false).unwrap().playing_on(), 12, Window::Full, &[2]);
}

#[test]
fn windows_by_every_solver() {
    all_the_same(&Awari::new(6).unwrap(), 9, Window::Top(2), &[2]);
    all_the_same(&Awari::new(3).unwrap(), 12, Window::Start(SliceId(12)), &[2]);
    all_the_same(&Kalah::new(3, 2, false).unwrap(), 12, Window::Top(1), &[2]);
}

#[test]
fn a_small_cache_changes_nothing() {
    let awari = Awari::new(6).unwrap();
    let reference = tempfile::tempdir().unwrap();
    run(&awari, reference.path(), 9, &SolveOptions::new(2, "test"));
    for policy in [Policy::Clock, Policy::Fifo] {
        let dir = tempfile::tempdir().unwrap();
        let options = SolveOptions {
            solver: Some(SolverName::DualIndex),
            dual_index: DualIndexOptions { block_bytes: 64, policy, cache: None },
            ..SolveOptions::new(2, "test")
        };
        run(&awari, dir.path(), 9, &options);
        assert!(tables(dir.path()) == tables(reference.path()));
    }
}

#[test]
fn small_tables_change_nothing() {
    let awari = Awari::new(6).unwrap();
    let reference = tempfile::tempdir().unwrap();
    run(&awari, reference.path(), 11, &SolveOptions::new(2, "test"));
    // The tables would take 1.7 MB.
    for (solver, memory) in [
        (SolverName::DualIndex, 18_500),
        (SolverName::OneBit, 17_600),
        (SolverName::TwoBit, 18_200),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let options = SolveOptions {
            solver: Some(solver),
            memory: memory << 10,
            ..SolveOptions::new(2, "test")
        };
        run(&awari, dir.path(), 11, &options);
        assert!(tables(dir.path()) == tables(reference.path()), "{solver}");
    }
}

#[test]
fn larger_awari_by_every_solver() {
    let awari = Awari::new(6).unwrap();
    let options = |solver| SolveOptions {
        solver: Some(solver),
        verify: false,
        ..SolveOptions::new(2, "test")
    };
    let reference = tempfile::tempdir().unwrap();
    run(&awari, reference.path(), 13, &options(SolverName::Memory));
    let expected = tables(reference.path());
    for solver in [SolverName::TwoBit, SolverName::OneBit, SolverName::DualIndex, SolverName::Rows]
    {
        let dir = tempfile::tempdir().unwrap();
        run(&awari, dir.path(), 13, &options(solver));
        assert!(tables(dir.path()) == expected, "{solver}");
    }
}

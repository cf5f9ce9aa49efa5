//! The solver by rows gives the same files as the one with whole states, in memory and from disk,
//! with and without the processor's instruction, and after interruptions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::common::{Heap, disk, tables};
use nutcracker_game::{Game, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_retro::{
    Progress, RowOptions, Silent, SolveError, SolveOptions, SolverName, Unfit, Window, solve,
};

fn options(window: Window, threads: usize) -> SolveOptions {
    SolveOptions {
        solver: Some(SolverName::Memory),
        window,
        verify: false,
        ..SolveOptions::new(threads, "test")
    }
}

fn by_rows(window: Window, threads: usize, portable: bool, budget: Option<u64>) -> SolveOptions {
    let rows = RowOptions { portable, budget };
    SolveOptions { solver: Some(SolverName::Rows), rows, ..options(window, threads) }
}

fn files<G: Game>(game: &G, last: u32, options: &SolveOptions) -> Vec<(String, Vec<u8>)> {
    let dir = tempfile::tempdir().unwrap();
    solve(game, &disk(), dir.path(), SliceId(last), options, &Silent)
        .unwrap_or_else(|error| panic!("{}: {error}", game.id()));
    tables(dir.path())
}

/// In memory and from disk, a tile at a time and more, with and without the instruction.
fn agree<G: Game>(game: &G, last: u32, window: Window) {
    let expected = files(game, last, &options(window, 2));
    let ways = [
        (1, false, None),
        (2, true, None),
        (3, false, None),
        (1, true, Some(1)),
        (2, false, Some(1)),
        (3, false, Some(1 << 14)),
        (2, false, Some(1 << 30)),
    ];
    for (threads, portable, budget) in ways {
        let found = files(game, last, &by_rows(window, threads, portable, budget));
        assert!(
            found == expected,
            "{} up to {last}, {window:?}: {threads} threads, portable {portable}, budget {budget:?}",
            game.id()
        );
    }
}

#[test]
fn awari_of_every_size() {
    for (pits, last) in [(2, 12), (3, 10), (4, 8), (5, 7), (6, 7)] {
        agree(&Awari::new(pits).unwrap(), last, Window::Full);
    }
}

#[test]
fn kalah_too() {
    agree(&Kalah::new(1, 4, false).unwrap(), 8, Window::Full);
    agree(&Kalah::new(3, 2, false).unwrap(), 12, Window::Full);
    agree(&Kalah::new(4, 2, true).unwrap(), 10, Window::Full);
    agree(&Kalah::new(3, 2, false).unwrap().playing_on(), 12, Window::Full);
    agree(&Kalah::new(4, 2, true).unwrap().playing_on(), 9, Window::Full);
}

#[test]
fn windows() {
    let awari = Awari::new(6).unwrap();
    agree(&awari, 7, Window::Top(1));
    agree(&awari, 7, Window::Top(3));
    agree(&awari, 7, Window::Start(SliceId(7)));
    agree(&Awari::new(3).unwrap(), 10, Window::Start(SliceId(14)));
    agree(&Kalah::new(3, 2, false).unwrap(), 9, Window::Top(2));
}

#[test]
fn larger_rows_of_awari() {
    let awari = Awari::new(6).unwrap();
    let expected = files(&awari, 13, &options(Window::Full, 2));
    assert!(files(&awari, 13, &by_rows(Window::Full, 2, false, None)) == expected);
    assert!(files(&awari, 13, &by_rows(Window::Full, 2, false, Some(1 << 20))) == expected);
}

/// Panics at a given progress report.
struct Stops {
    at: u64,
    reports: AtomicU64,
}

impl Progress for Stops {
    fn advance(&self, _done: u64) {
        assert!(self.reports.fetch_add(1, Relaxed) != self.at, "stopped");
    }
}

#[test]
fn stopped_anywhere_it_resumes_to_the_same_files() {
    let awari = Awari::new(4).unwrap();
    let expected = files(&awari, 8, &options(Window::Full, 1));
    let mut resumable = by_rows(Window::Full, 1, false, Some(1));
    resumable.checkpoint_positions = 1;
    let dir = tempfile::tempdir().unwrap();
    let run = |dir: &Path, progress: &dyn Progress| {
        solve(&awari, &disk(), dir, SliceId(8), &resumable, progress)
    };
    // The number of progress reports of an undisturbed run.
    let counter = Stops { at: u64::MAX, reports: AtomicU64::new(0) };
    run(dir.path(), &counter).unwrap();
    let reports = counter.reports.into_inner();
    assert!(tables(dir.path()) == expected);

    std::panic::set_hook(Box::new(|_| {}));
    for first in (0..reports).step_by((reports / 12).max(1) as usize) {
        let dir = tempfile::tempdir().unwrap();
        // Stopped again and again, a little later each time.
        for turn in 0..3 {
            let stops = Stops { at: first / (turn + 1), reports: AtomicU64::new(0) };
            let _ = catch_unwind(AssertUnwindSafe(|| run(dir.path(), &stops)));
        }
        run(dir.path(), &Silent).unwrap();
        assert!(tables(dir.path()) == expected, "stopped at {first} of {reports}");
    }
}

#[test]
fn a_game_without_rows_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let options = by_rows(Window::Full, 1, false, None);
    let error = solve(&Heap, &disk(), dir.path(), SliceId(3), &options, &Silent).unwrap_err();
    assert!(matches!(error, SolveError::Unfit { reason: Unfit::NoRows, .. }), "{error}");
    let options = SolveOptions::new(1, "test");
    solve(&Heap, &disk(), dir.path(), SliceId(3), &options, &Silent).unwrap();
}

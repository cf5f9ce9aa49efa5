//! Work that was interrupted inside a slice goes on from its last checkpoint, with the same files.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use nutcracker_game::{Game, Numbering, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_games::krk::Krk;
use nutcracker_retro::{Operation, Phase, Progress, Silent, SolveOptions, SolverName, Watch};

use crate::files::{tables, tables_alone};
use crate::machines::solve_together;

/// Requests a stop after some reports of the fixpoint, and keeps what it was told.
#[derive(Default)]
struct Interrupted {
    after: Option<u64>,
    in_fixpoint: AtomicBool,
    reports: AtomicU64,
    notes: Mutex<Vec<String>>,
}

impl Progress for Interrupted {
    fn begin(&self, phase: Phase, positions: u64) {
        self.in_fixpoint.store(phase == Phase::Fixpoint && positions > 10_000, Relaxed);
    }

    fn advance(&self, _: u64) {
        self.reports.fetch_add(self.in_fixpoint.load(Relaxed).into(), Relaxed);
    }

    fn note(&self, text: &str) {
        self.notes.lock().unwrap().push(text.to_owned());
    }

    fn must_stop(&self) -> bool {
        self.after.is_some_and(|after| self.reports.load(Relaxed) > after)
    }
}

/// Interrupts the work again and again; whether it went on inside a slice, and ended with the files
/// of one machine.
fn interrupt<G: Game>(game: &G, slices: &[SliceId], solver: SolverName, threads: usize, step: u64) {
    let options = SolveOptions {
        solver: Some(solver),
        threads,
        checkpoint_positions: 0,
        checkpoint_every: Duration::ZERO,
        ..SolveOptions::new(1, "test")
    };
    let expected = tables_alone(game, slices, &options);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let paths: [&Path; 2] = [dirs[0].path(), dirs[1].path()];
    let (mut resumed, mut interruptions) = (0, 0);
    for attempt in 1.. {
        let progress = Interrupted { after: Some(attempt * step), ..Interrupted::default() };
        let results = solve_together(game, &paths, slices, &options, &progress);
        let notes = progress.notes.into_inner().unwrap();
        resumed += notes.iter().filter(|note| note.starts_with("going on at level")).count();
        if results.iter().all(Result::is_ok) {
            break;
        }
        interruptions += 1;
        assert!(attempt < 200, "{results:?}");
    }
    assert!(interruptions > 0 && resumed > 0, "{interruptions} interruptions, {resumed} resumed");
    assert!(tables(paths[0]) == expected, "{solver} with {threads} threads");
    // Nothing is left behind.
    for path in paths {
        let names = std::fs::read_dir(path).unwrap().flatten().map(|entry| entry.file_name());
        let left: Vec<_> =
            names.filter(|name| name.to_string_lossy().starts_with("work-")).collect();
        assert!(left.is_empty(), "{left:?} in {}", path.display());
    }
}

#[test]
fn rows() {
    let slices: Vec<SliceId> = (0..=10).map(SliceId).collect();
    for threads in [1, 2] {
        interrupt(&Awari::new(6).unwrap(), &slices, SolverName::ClusterRows, threads, 25);
    }
}

#[test]
fn records() {
    let slices: Vec<SliceId> = (0..=9).map(SliceId).collect();
    for threads in [1, 2] {
        interrupt(&Awari::new(6).unwrap(), &slices, SolverName::Cluster, threads, 2);
    }
}

#[test]
fn distances() {
    let slices: Vec<SliceId> = (0..=Krk.largest_slice().0).map(SliceId).collect();
    interrupt(&Krk, &slices, SolverName::Cluster, 1, 2);
}

/// A disk that is full on one machine, once some work files have been made there.
fn full_after(files: u64, machine: &'static str) -> Watch {
    let made = AtomicU64::new(0);
    Watch::new(move |operation, path| {
        let here = path.to_string_lossy().contains(machine);
        if operation != Operation::Allocate || !here || made.fetch_add(1, Relaxed) < files {
            return Ok(());
        }
        Err(ErrorKind::StorageFull.into())
    })
}

#[test]
fn a_full_disk_on_one_machine() {
    let awari = Awari::new(6).unwrap();
    let slices: Vec<SliceId> = (0..=7).map(SliceId).collect();
    for solver in [SolverName::ClusterRows, SolverName::Cluster] {
        let options = SolveOptions {
            solver: Some(solver),
            checkpoint_positions: 0,
            checkpoint_every: Duration::ZERO,
            ..SolveOptions::new(1, "test")
        };
        let expected = tables_alone(&awari, &slices, &options);
        for machine in ["1-of-2", "2-of-2"] {
            let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
            let paths: [&Path; 2] = [dirs[0].path(), dirs[1].path()];
            for files in [0, 1, 5, 12] {
                let options = SolveOptions { watch: full_after(files, machine), ..options.clone() };
                let results = solve_together(&awari, &paths, &slices, &options, &Silent);
                let what = format!("{solver}, {machine} after {files} files: {results:?}");
                for result in results {
                    let said = result.expect_err(&what).to_string();
                    assert!(said.contains("the disk is full: make room"), "{what}");
                }
                // What is there is right.
                let found = tables(paths[0]);
                assert!(found.iter().all(|table| expected.contains(table)), "{what}");
            }
            for result in solve_together(&awari, &paths, &slices, &options, &Silent) {
                result.unwrap();
            }
            assert!(tables(paths[0]) == expected, "{solver}, {machine}");
        }
    }
}

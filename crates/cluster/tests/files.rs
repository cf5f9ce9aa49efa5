//! The files are those of one machine, byte for byte.

use std::path::Path;
use std::sync::Mutex;

use nutcracker_game::{Game, Metric, Numbering, SliceId, closure};
use nutcracker_games::awari::Awari;
use nutcracker_games::fox_and_hounds::FoxAndHounds;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::krk::Krk;
use nutcracker_retro::{Choice, Progress, Silent, SolveOptions, SolverName, Window, solve_slices};

use crate::machines::{disk, solve_together};

/// Names and bytes of tables.
pub type Tables = Vec<(String, Vec<u8>)>;

/// The tables of a directory.
pub fn tables(dir: &Path) -> Tables {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.path().extension().is_some_and(|end| end == "nut") {
            found.push((name, std::fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

/// The tables that one machine writes.
pub fn tables_alone<G: Game>(game: &G, slices: &[SliceId], options: &SolveOptions) -> Tables {
    let alone = tempfile::tempdir().unwrap();
    let options = SolveOptions { solver: None, ..options.clone() };
    solve_slices(game, &disk(), alone.path(), slices, &options, &Silent).unwrap();
    tables(alone.path())
}

/// Compares the files of several numbers of machines and threads with those of one machine.
fn compare<G: Game>(
    game: &G,
    slices: &[SliceId],
    options: &SolveOptions,
    matrix: &[(usize, usize)],
) {
    let expected = tables_alone(game, slices, options);
    assert_eq!(expected.len(), closure(game, slices.iter().copied()).len());
    for &(machines, threads) in matrix {
        let dirs: Vec<_> = (0..machines).map(|_| tempfile::tempdir().unwrap()).collect();
        let paths: Vec<&Path> = dirs.iter().map(tempfile::TempDir::path).collect();
        let options = SolveOptions { threads, ..options.clone() };
        for result in solve_together(game, &paths, slices, &options, &Silent) {
            result.unwrap();
        }
        let found = tables(paths[0]);
        assert!(found == expected, "{} with {machines} machines of {threads} threads", game.id());
        // The others were sent what the last slice needs.
        for path in &paths[1..] {
            let copies = tables(path);
            assert!(copies.iter().all(|copy| expected.contains(copy)));
            assert!(!copies.is_empty() || expected.len() == 1);
        }
    }
}

fn up_to(last: u32) -> Vec<SliceId> {
    (0..=last).map(SliceId).collect()
}

fn options() -> SolveOptions {
    SolveOptions::new(1, "test")
}

fn by(solver: SolverName) -> SolveOptions {
    SolveOptions { solver: Some(solver), ..options() }
}

#[test]
fn awari_by_records() {
    let matrix = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)];
    compare(&Awari::new(6).unwrap(), &up_to(8), &by(SolverName::Cluster), &matrix);
}

#[test]
fn awari_by_rows() {
    let matrix = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 2)];
    compare(&Awari::new(6).unwrap(), &up_to(9), &by(SolverName::ClusterRows), &matrix);
}

#[test]
fn rows_are_the_default_for_games_of_sowing() {
    let awari = chosen(&Awari::new(6).unwrap(), 7);
    assert!(awari.iter().all(|&solver| solver == SolverName::ClusterRows), "{awari:?}");
    let krk = chosen(&Krk, Krk.largest_slice().0);
    assert!(krk.contains(&SolverName::Cluster), "{krk:?}");
}

/// The solvers that two machines choose for the slices of a game.
fn chosen<G: Game>(game: &G, last: u32) -> Vec<SolverName> {
    #[derive(Default)]
    struct Chosen(Mutex<Vec<SolverName>>);
    impl Progress for Chosen {
        fn chose(&self, choice: &Choice) {
            self.0.lock().unwrap().push(choice.solver);
        }
    }
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (paths, chosen) = ([dirs[0].path(), dirs[1].path()], Chosen::default());
    for result in solve_together(game, &paths, &up_to(last), &options(), &chosen) {
        result.unwrap();
    }
    chosen.0.into_inner().unwrap()
}

#[test]
fn awari_within_a_window() {
    for solver in [SolverName::Cluster, SolverName::ClusterRows] {
        let options = SolveOptions { window: Window::Top(2), ..by(solver) };
        compare(&Awari::new(6).unwrap(), &up_to(8), &options, &[(2, 1)]);
    }
}

#[test]
fn values_wait_on_disk_where_memory_is_short() {
    // Enough for the other solvers on one machine, and for the share of this one.
    let options = SolveOptions { memory: 20 << 20, ..by(SolverName::Cluster) };
    compare(&Awari::new(6).unwrap(), &up_to(11), &options, &[(2, 1)]);
}

#[test]
fn kalah() {
    let kalah = Kalah::new(4, 3, true).unwrap();
    for solver in [SolverName::Cluster, SolverName::ClusterRows] {
        compare(&kalah, &up_to(7), &by(solver), &[(1, 2), (2, 1), (3, 2)]);
    }
}

#[test]
fn a_game_with_symmetry_holes_and_distances() {
    let slices = up_to(Krk.largest_slice().0);
    for (metric, matrix) in [(Metric::Dtw, (2, 1)), (Metric::Wdl, (2, 2))] {
        let options = SolveOptions { metric: Some(metric), ..options() };
        compare(&Krk, &slices, &options, &[matrix]);
    }
}

#[test]
fn a_game_with_holes() {
    let game = FoxAndHounds::new(6).unwrap();
    let slices = up_to(game.largest_slice().0);
    compare(&game, &slices, &options(), &[(2, 1)]);
}

//! Tables and manifests of format version 1, written by the last program that wrote them, are read
//! and hold the values that are solved now.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{disk, tables};
use nutcracker_game::{Game, Rules, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_retro::Silent;
use nutcracker_retro::Window;
use nutcracker_retro::check::check_file;
use nutcracker_retro::{SolveOptions, open_set, solve};
use nutcracker_table::{Manifest, Part, SCORE, Table};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/format-1").join(name)
}

fn values(table: &Table) -> Vec<i8> {
    let mut values = vec![0; table.positions() as usize];
    table.read(0, &mut values).unwrap();
    values
}

fn compare<G: Game>(game: &G, name: &str, window: Window) {
    let old = folder(name);
    let new = tempfile::tempdir().unwrap();
    let options = SolveOptions { window, ..SolveOptions::new(1, "test") };
    solve(game, &disk(), new.path(), SliceId(4), &options, &Silent).unwrap();
    let (before, now) =
        (open_set(game, disk(), &old, 0), open_set(game, disk(), new.path(), 1 << 20));
    let manifest = Manifest::load(&*disk(), &old).unwrap();
    assert_eq!(before.slices().unwrap(), [0, 1, 2, 3, 4]);
    for slice in 0..=4 {
        let (old, new) = (before.get(slice).unwrap(), now.get(slice).unwrap());
        assert_eq!(fs::read(old.path()).unwrap()[8], 1, "the format version");
        assert_eq!(fs::read(new.path()).unwrap()[8], 2, "the format version");
        assert!(old.is_checked() && new.is_checked());
        assert_eq!(old.header(), new.header());
        assert_eq!((old.header().metric.as_str(), old.holes()), (SCORE, 0));
        assert_eq!(old.header().parts, [Part::all()]);
        assert_eq!(old.histogram(), new.histogram());
        assert!(values(&old) == values(&new), "{name}, slice {slice}");
        old.verify_file(|_| {}).unwrap();
        manifest.check(&old).unwrap();
        check_file(game, &old, &before, u64::MAX, 1, &Silent).unwrap();
    }
}

#[test]
fn old_files_hold_what_is_solved_now() {
    compare(&Awari::new(6).unwrap(), "awari", Window::Full);
    compare(&Awari::new(6).unwrap(), "clipped", Window::Top(2));
    compare(&Kalah::new(6, 4, false).unwrap().playing_on(), "kalah", Window::Full);
}

/// They are of the end that was the only one: under the usual end other values would be right.
#[test]
fn old_files_of_kalah_are_not_taken_for_another_end() {
    let kalah = Kalah::new(6, 4, false).unwrap();
    assert_ne!(kalah.id(), kalah.clone().playing_on().id());
    let old = open_set(&kalah, disk(), &folder("kalah"), 0);
    let refused = old.get(4).unwrap_err().to_string();
    assert!(refused.contains("play-on"), "{refused}");
}

#[test]
fn solving_continues_on_old_files() {
    let dir = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder("awari")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, dir.path().join(path.file_name().unwrap())).unwrap();
    }
    let before = tables(dir.path());
    let awari = Awari::new(6).unwrap();
    let reports = crate::common::solve_on(&awari, &disk(), dir.path(), 5, 1).unwrap();
    let solved: Vec<_> =
        reports.iter().filter(|report| report.seconds.is_some()).map(|r| r.slice.0).collect();
    assert_eq!(solved, [5]);
    let after = tables(dir.path());
    assert_eq!(after[..5], before[..]);
    assert_eq!(after[5].0, "awari-05.nut");
    let manifest = Manifest::load(&*disk(), dir.path()).unwrap();
    assert_eq!((manifest.version, manifest.entries().len()), (2, 6));
}

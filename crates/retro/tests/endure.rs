//! Interruptions, full disks and crashes lose no finished work and leave nothing wrong behind.

use std::path::Path;
use std::sync::Arc;

use crate::common::{disk, solve_on};
use nutcracker_game::{Numbering, Rules, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_retro::Silent;
use nutcracker_retro::SolverName;
use nutcracker_retro::{RowOptions, SolveError, SolveOptions, solve};
use nutcracker_table::fault::{Fault, Loss, MemoryStorage};
use nutcracker_table::{
    DirLock, ErrorKind, Header, Manifest, PackOptions, REMOVED, Reach, Storage, pack, pack_with,
};

const LAST: u32 = 4;

fn file(slice: u32) -> String {
    format!("awari-{slice:02}.nut")
}

/// The files of an undisturbed run.
fn undisturbed(awari: &Awari, dir: &Path) -> (Vec<Vec<u8>>, u64) {
    let storage = MemoryStorage::new();
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    solve_on(awari, &shared, dir, LAST, 1).unwrap();
    let files = (0..=LAST).map(|slice| storage.bytes(&dir.join(file(slice))).unwrap());
    (files.collect(), storage.operations())
}

#[test]
fn any_failure_at_any_moment_can_be_continued() {
    let awari = Awari::new(6).unwrap();
    // The lock is a real file, everything else is in memory.
    let dir = tempfile::tempdir().unwrap();
    let (expected, operations) = undisturbed(&awari, dir.path());
    for fault in [Fault::Error, Fault::NoSpace, Fault::Crash] {
        for operation in 0..operations {
            let storage = MemoryStorage::new();
            let shared: Arc<dyn Storage> = Arc::new(storage.clone());
            storage.fail_at(operation, fault);
            let failed = solve_on(&awari, &shared, dir.path(), LAST, 1);
            // The machine restarts, or space is freed.
            storage.restart(if fault == Fault::Crash { Loss::Unsynced } else { Loss::Nothing });
            if let Err(error) = failed {
                assert!(!error.to_string().is_empty());
            }
            solve_on(&awari, &shared, dir.path(), LAST, 1)
                .unwrap_or_else(|error| panic!("{fault:?} at {operation}: {error}"));
            for (slice, expected) in (0..).zip(&expected) {
                let bytes = storage.bytes(&dir.path().join(file(slice)));
                assert_eq!(bytes.as_ref(), Some(expected), "{fault:?} at {operation}, {slice}");
            }
        }
    }
}

/// How many ways to lose what was not synced are tried at each moment: more in `scripts/test-long`.
fn seeds() -> u64 {
    if std::env::var_os("NUTCRACKER_LONG").is_some() { 8 } else { 1 }
}

#[test]
fn after_a_loss_of_power_at_any_moment_the_next_run_gives_the_same_tables() {
    // Small boards: every operation is a moment, for every solver.
    let awari = Awari::new(2).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (expected, _) = undisturbed(&awari, dir.path());
    let solvers = [
        SolverName::Memory,
        SolverName::Rows,
        SolverName::TwoBit,
        SolverName::TwoBitSweeps,
        SolverName::OneBit,
        SolverName::DualIndex,
    ];
    for solver in solvers {
        let rows = RowOptions { budget: Some(1 << 20), ..RowOptions::default() };
        let options = SolveOptions {
            solver: Some(solver),
            checkpoint_positions: 1,
            rows,
            ..SolveOptions::new(1, "test")
        };
        let run = |storage: &MemoryStorage| {
            let shared: Arc<dyn Storage> = Arc::new(storage.clone());
            solve(&awari, &shared, dir.path(), SliceId(LAST), &options, &Silent)
        };
        let storage = MemoryStorage::new();
        run(&storage).unwrap();
        let operations = storage.operations();
        for at in 0..operations {
            for seed in 1..=seeds() {
                let storage = MemoryStorage::new();
                storage.fail_at(at, Fault::Crash);
                let _ = run(&storage);
                storage.restart(Loss::Power(seed * 0x9E37_79B9 + at));
                run(&storage).unwrap_or_else(|error| panic!("{solver} at {at}, {seed}: {error}"));
                for (slice, expected) in (0..).zip(&expected) {
                    let bytes = storage.bytes(&dir.path().join(file(slice)));
                    assert_eq!(bytes.as_ref(), Some(expected), "{solver} at {at}, slice {slice}");
                }
                let left = storage.list(dir.path()).unwrap();
                assert!(left.iter().all(|name| !name.starts_with("work-")), "{left:?}");
            }
        }
    }
}

#[test]
fn a_second_run_solves_only_what_is_missing() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), 3, 1).unwrap();
    std::fs::write(dir.path().join("awari-04.nut.tmp"), "half a file").unwrap();
    let reports = solve_on(&awari, &disk(), dir.path(), 5, 1).unwrap();
    let solved: Vec<bool> = reports.iter().map(|report| report.seconds.is_some()).collect();
    assert_eq!(solved, [false, false, false, false, true, true]);
    assert!(!dir.path().join("awari-04.nut.tmp").exists());

    std::fs::remove_file(dir.path().join(file(2))).unwrap();
    let reports = solve_on(&awari, &disk(), dir.path(), 5, 1).unwrap();
    let solved: Vec<bool> = reports.iter().map(|report| report.seconds.is_some()).collect();
    assert_eq!(solved, [false, false, true, false, false, false]);
}

#[test]
fn a_second_builder_gets_an_error_that_names_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let _lock = DirLock::acquire(dir.path()).unwrap();
    let error = solve_on(&Awari::new(6).unwrap(), &disk(), dir.path(), 1, 1).unwrap_err();
    let SolveError::Table(error) = error else { panic!("{error}") };
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
}

#[test]
fn a_damaged_smaller_slice_stops_the_next_one() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), 4, 1).unwrap();
    let path = dir.path().join(file(3));
    let mut bytes = std::fs::read(&path).unwrap();
    // Somewhere in the only block, behind the header.
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = solve_on(&awari, &disk(), dir.path(), 6, 1).unwrap_err();
    assert!(error.to_string().contains("awari-03.nut"), "{error}");
    assert!(!dir.path().join(file(6)).exists());
}

#[test]
fn a_file_that_was_never_checked_is_checked_before_it_is_used() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), 3, 1).unwrap();
    // As if the run had written wrong scores and ended before its check: a whole file that the
    // manifest does not know.
    let (path, manifest) = (dir.path().join(file(3)), dir.path().join("manifest.json"));
    let mut wrong = crate::common::scores(&awari, &disk(), dir.path(), 3);
    wrong[5] = if wrong[5] == 1 { 2 } else { 1 };
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_file(&manifest).unwrap();
    let id = awari.id();
    let header = Header::new(id.name, id.options, 3, wrong.len() as u64, 3, awari.index_scheme());
    pack(&*disk(), dir.path(), &header, &PackOptions::default(), &wrong).unwrap();
    for _ in 0..2 {
        let error = solve_on(&awari, &disk(), dir.path(), 5, 1).unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::DataBroken));
        assert!(error.to_string().contains("awari-03.nut"), "{error}");
    }
    std::fs::remove_file(&path).unwrap();
    solve_on(&awari, &disk(), dir.path(), 5, 1).unwrap();
}

/// As if the check of a wrong table had been interrupted: it is not checked, and work files are
/// left.
fn plant_unchecked(dir: &Path) -> std::path::PathBuf {
    let awari = Awari::new(6).unwrap();
    solve_on(&awari, &disk(), dir, 3, 1).unwrap();
    let mut wrong = crate::common::scores(&awari, &disk(), dir, 3);
    wrong[5] = if wrong[5] == 1 { 2 } else { 1 };
    std::fs::remove_file(dir.join(file(3))).unwrap();
    let id = awari.id();
    let header = Header::new(id.name, id.options, 3, wrong.len() as u64, 3, awari.index_scheme());
    let storage = disk();
    let sealed = pack_with(&*storage, dir, &header, &PackOptions::default(), |start, out| {
        out.copy_from_slice(&wrong[start as usize..start as usize + out.len()]);
        Ok(())
    });
    let path = sealed.unwrap().publish(false).unwrap().path;
    assert_eq!(path, dir.join("awari-03.nut.unchecked"));
    path
}

#[test]
fn a_refused_table_is_removed_with_its_work_files_and_the_next_run_solves_it_anew() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), 3, 1).unwrap();
    let right = crate::common::tables(dir.path());
    let path = plant_unchecked(dir.path());
    let work = dir.path().join("work-3-3-two-bit");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("level.checkpoint"), "2\n").unwrap();
    let error = solve_on(&awari, &disk(), dir.path(), 3, 1).unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::DataBroken));
    assert!(error.to_string().contains("awari-03.nut"), "{error}");
    assert!(!path.exists() && !work.exists());
    // No probe is answered from it.
    let set = nutcracker_retro::open_set(&awari, disk(), dir.path(), 0);
    assert_eq!(set.probe(3, 5).unwrap_err().kind(), ErrorKind::NotHere);
    solve_on(&awari, &disk(), dir.path(), 3, 1).unwrap();
    assert!(crate::common::tables(dir.path()) == right && dir.path().join(file(3)).exists());
}

/// A run that is killed while it removes work files leaves them under a name that is never resumed:
/// some of them without the others would be another state.
#[test]
fn work_files_that_were_being_removed_are_removed_by_the_next_run() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join(format!("work-3-3-rows{REMOVED}"));
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("undecided-0.bin"), "some").unwrap();
    solve_on(&awari, &disk(), dir.path(), 3, 1).unwrap();
    assert!(!work.exists());
}

#[test]
fn unchecked_tables_are_marked_and_checked_by_the_next_run() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let options = SolveOptions { verify: false, ..SolveOptions::new(1, "test") };
    let last = nutcracker_game::SliceId(3);
    solve(&awari, &disk(), dir.path(), last, &options, &Silent).unwrap();
    let manifest = || Manifest::load(&*disk(), dir.path()).unwrap();
    assert!(manifest().entries().iter().all(|entry| !entry.checked));
    let set = || nutcracker_retro::open_set(&awari, disk(), dir.path(), 0);
    assert!(!set().get(3).unwrap().is_checked());
    let before = crate::common::tables(dir.path());
    let reports = solve_on(&awari, &disk(), dir.path(), 3, 1).unwrap();
    assert!(reports.iter().all(|report| report.seconds.is_none()), "nothing is solved again");
    assert!(manifest().entries().iter().all(|entry| entry.checked));
    assert!(set().get(3).unwrap().is_checked());
    assert!(crate::common::tables(dir.path()) == before);
}

#[test]
fn a_clipped_file_is_checked_though_an_exact_one_is_beside_it() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), 4, 1).unwrap();
    // A wrong file of slice 4, clipped to 1, that no manifest knows.
    let exact = crate::common::scores(&awari, &disk(), dir.path(), 4);
    let mut wrong: Vec<i8> = exact.iter().map(|&score| score.clamp(-1, 1)).collect();
    wrong[7] = if wrong[7] == 1 { -1 } else { 1 };
    std::fs::remove_file(dir.path().join("manifest.json")).unwrap();
    let id = awari.id();
    let mut header =
        Header::new(id.name, id.options, 4, wrong.len() as u64, 4, awari.index_scheme());
    header.reach = Reach::from(1);
    pack(&*disk(), dir.path(), &header, &PackOptions::default(), &wrong).unwrap();
    for _ in 0..2 {
        let error = solve_on(&awari, &disk(), dir.path(), 4, 1).unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::DataBroken));
        assert!(error.to_string().contains("awari-04-w1.nut"), "{error}");
    }
    std::fs::remove_file(dir.path().join("awari-04-w1.nut")).unwrap();
    solve_on(&awari, &disk(), dir.path(), 4, 1).unwrap();
}

#[test]
fn a_slice_that_does_not_exist_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let error = solve_on(&Awari::new(2).unwrap(), &disk(), dir.path(), 17, 1).unwrap_err();
    assert!(matches!(error, SolveError::NoSuchSlice { .. }), "{error}");
}

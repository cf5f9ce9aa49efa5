//! Several processes over one directory: the files of one, whoever dies.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::common::{disk, solve_on, tables};
use nutcracker_game::{Game, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_retro::{
    FLEET_FOLDER, PATIENCE, Progress, Silent, SliceReport, SolveError, SolveOptions, Window,
    solve_fleet, solve_slices,
};
use nutcracker_table::{DirLock, MANIFEST, Manifest};

fn join<G: Game>(
    game: &G,
    dir: &Path,
    last: u32,
    options: &SolveOptions,
    patience: Duration,
    progress: &dyn Progress,
) -> Result<Vec<SliceReport>, SolveError> {
    solve_fleet(game, &disk(), dir, &[SliceId(last)], options, patience, progress)
}

/// The files, and the manifest.
fn all(dir: &Path) -> (Vec<(String, Vec<u8>)>, Manifest) {
    assert!(!dir.join(FLEET_FOLDER).exists(), "nothing is left");
    (tables(dir), Manifest::load(&*disk(), dir).unwrap())
}

fn together<G: Game>(game: &G, last: u32, options: &SolveOptions) {
    let alone = tempfile::tempdir().unwrap();
    solve_slices(game, &disk(), alone.path(), &[SliceId(last)], options, &Silent).unwrap();
    for processes in [1, 2, 3] {
        let dir = tempfile::tempdir().unwrap();
        let solved = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..processes {
                scope.spawn(|| {
                    let reports = join(game, dir.path(), last, options, PATIENCE, &Silent).unwrap();
                    let own = reports.iter().filter(|report| report.seconds.is_some()).count();
                    solved.fetch_add(own as u64, Relaxed);
                    let slices: Vec<SliceId> = reports.iter().map(|report| report.slice).collect();
                    assert_eq!(slices, nutcracker_game::closure(game, [SliceId(last)]));
                });
            }
        });
        assert!(all(dir.path()) == all(alone.path()), "{processes} processes");
        // Each slice was solved once.
        assert_eq!(solved.into_inner(), all(alone.path()).0.len() as u64);
    }
}

#[test]
fn processes_write_the_files_of_one() {
    let options = SolveOptions::new(1, "test");
    together(&Awari::new(6).unwrap(), 7, &options);
    together(&Kalah::new(3, 2, true).unwrap(), 8, &options);
    let options = SolveOptions { window: Window::Top(2), ..options };
    together(&Awari::new(6).unwrap(), 6, &options);
    let options = SolveOptions { verify: false, ..options };
    together(&Awari::new(6).unwrap(), 6, &options);
}

/// Requests a stop after a number of questions.
struct StopAfter(AtomicU64);

impl Progress for StopAfter {
    fn must_stop(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// A process that stops gives its slice back; the next one continues at once, with what is left of
/// the work.
#[test]
fn a_stopped_process_gives_its_slice_back() {
    let awari = Awari::new(6).unwrap();
    let alone = tempfile::tempdir().unwrap();
    let options = SolveOptions { checkpoint_positions: 1, ..SolveOptions::new(1, "test") };
    solve_slices(&awari, &disk(), alone.path(), &[SliceId(7)], &options, &Silent).unwrap();
    for solver in [None, Some(nutcracker_retro::SolverName::TwoBit)] {
        let options = SolveOptions { solver, ..options.clone() };
        let dir = tempfile::tempdir().unwrap();
        let mut stops = 0;
        loop {
            let stop = StopAfter(AtomicU64::new(60 + 7 * stops));
            match join(&awari, dir.path(), 7, &options, PATIENCE, &stop) {
                Ok(_) => break,
                Err(SolveError::Stopped(_)) => stops += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(stops > 3, "{stops}");
        assert!(all(dir.path()) == all(alone.path()));
    }
}

#[test]
fn a_process_alone_and_a_fleet_refuse_each_other() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let options = SolveOptions::new(1, "test");
    let lock = DirLock::acquire(dir.path()).unwrap();
    let error = join(&awari, dir.path(), 3, &options, PATIENCE, &Silent).unwrap_err();
    assert!(error.to_string().contains("is building in"), "{error}");
    drop(lock);
    let shared = DirLock::share(dir.path()).unwrap();
    join(&awari, dir.path(), 3, &options, PATIENCE, &Silent).unwrap();
    let error = solve_on(&awari, &disk(), dir.path(), 4, 1).unwrap_err();
    assert!(error.to_string().starts_with("a fleet works in "), "{error}");
    drop(shared);
    // Where the file system has no locks, the counters of the fleet are watched.
    let folder = dir.path().join(FLEET_FOLDER);
    let leases = nutcracker_table::Leases::new(disk(), &folder, Duration::from_secs(3)).unwrap();
    let (mut watch, now) = (nutcracker_table::Watch::default(), std::time::Instant::now());
    let presence = leases.claim("member-0", "other terms", &mut watch, now).unwrap();
    let heart = leases.keep_beating().unwrap();
    let error = solve_on(&awari, &disk(), dir.path(), 4, 1).unwrap_err();
    let pid = std::process::id();
    assert!(error.to_string().starts_with(&format!("a fleet (pid {pid} on ")), "{error}");
    // So are options that differ.
    let error = join(&awari, dir.path(), 4, &options, PATIENCE, &Silent).unwrap_err();
    assert!(error.to_string().contains(" with other terms, and this process with "), "{error}");
    drop((presence, heart));
    solve_on(&awari, &disk(), dir.path(), 4, 1).unwrap();
    assert!(!folder.exists());
}

/// A file that no manifest has is checked by one of them, not solved again.
#[test]
fn files_that_are_there_are_checked() {
    let awari = Awari::new(6).unwrap();
    let alone = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), alone.path(), 6, 1).unwrap();
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in tables(alone.path()) {
        let name = if name.contains("-04") { name + ".unchecked" } else { name };
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    let options = SolveOptions::new(1, "test");
    let reports = join(&awari, dir.path(), 6, &options, PATIENCE, &Silent).unwrap();
    assert!(reports.iter().all(|report| report.seconds.is_none()));
    assert!(all(dir.path()) == all(alone.path()));
    // One that is wrong is refused, as by a process alone.
    std::fs::remove_file(dir.path().join(MANIFEST)).unwrap();
    std::fs::copy(dir.path().join("awari-04.nut"), dir.path().join("awari-05.nut")).unwrap();
    assert!(join(&awari, dir.path(), 6, &options, PATIENCE, &Silent).is_err());
}

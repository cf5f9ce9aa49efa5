//! Files at work on a disk that is full or fails, and work that somebody stops: nothing finished is
//! lost, and the same call goes on to the same bytes.

mod common;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use common::disk;
use nutcracker_game::SliceId;
use nutcracker_games::awari::Awari;
use nutcracker_retro::choice::Solver;
use nutcracker_retro::progress::{Progress, Silent};
use nutcracker_retro::solve::{RowOptions, SolveError, SolveOptions, solve};
use nutcracker_retro::store::folder::{Operation, Watch};
use tempfile::TempDir;

const LAST: u32 = 5;
const LIMITED: [Solver; 5] =
    [Solver::TwoBit, Solver::TwoBitSweeps, Solver::OneBit, Solver::DualIndex, Solver::Rows];

/// A directory in memory where there is one: syncing it costs nothing.
fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}

fn options(solver: Solver) -> SolveOptions {
    // Everything is kept, so that there is something to go on from.
    let rows = RowOptions { room: Some(1 << 20), ..RowOptions::default() };
    SolveOptions { solver, checkpoint_positions: 1, rows, ..SolveOptions::new(2, "test") }
}

fn run(dir: &Path, options: &SolveOptions, progress: &dyn Progress) -> Result<(), SolveError> {
    let awari = Awari::new(6).unwrap();
    solve(&awari, &disk(), dir, SliceId(LAST), options, progress).map(drop)
}

/// The names and bytes of the finished files.
fn finished(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "nut"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

fn undisturbed() -> (TempDir, Vec<(String, Vec<u8>)>) {
    let dir = directory();
    run(dir.path(), &options(Solver::Memory), &Silent).unwrap();
    let files = finished(dir.path());
    assert_eq!(files.len() as u32, LAST + 1);
    (dir, files)
}

/// A directory in which only the last slice is missing.
fn all_but_the_last(from: &Path) -> TempDir {
    let dir = directory();
    for slice in 0..LAST {
        let name = format!("awari-{slice:02}.nut");
        fs::copy(from.join(&name), dir.path().join(name)).unwrap();
    }
    let unverified = SolveOptions { verify: false, ..options(Solver::Memory) };
    let awari = Awari::new(6).unwrap();
    solve(&awari, &disk(), dir.path(), SliceId(LAST - 1), &unverified, &Silent).unwrap();
    dir
}

/// The first few, and then some at even distances.
fn some_of(count: u64) -> impl Iterator<Item = u64> {
    let step = (count / 8).max(1);
    (0..count).filter(move |k| *k < 4 || k % step == 0)
}

/// Fails the operation's k-th call, or all calls from there on.
fn fail(operation: Operation, at: u64, once: bool, kind: io::ErrorKind) -> (Watch, Arc<AtomicU64>) {
    let count = Arc::new(AtomicU64::new(0));
    let counting = Arc::clone(&count);
    let watch = Watch::new(move |now, _| {
        if now != operation {
            return Ok(());
        }
        let number = counting.fetch_add(1, Relaxed);
        let fails = if once { number == at } else { number >= at };
        if fails { Err(kind.into()) } else { Ok(()) }
    });
    (watch, count)
}

#[test]
fn every_operation_can_fail_at_any_time() {
    let (reference, expected) = undisturbed();
    for solver in LIMITED {
        for operation in Operation::ALL {
            let (watch, count) = fail(operation, u64::MAX, true, io::ErrorKind::Other);
            let dir = all_but_the_last(reference.path());
            run(dir.path(), &SolveOptions { watch, ..options(solver) }, &Silent).unwrap();
            let count = count.load(Relaxed);
            assert!(count > 0, "{solver} never does {operation:?}");
            for k in some_of(count) {
                for (once, kind) in [
                    (true, io::ErrorKind::Other),
                    (false, io::ErrorKind::StorageFull),
                    (true, io::ErrorKind::FileTooLarge),
                ] {
                    let what = format!("{solver}, {operation:?} number {k}, {kind:?}");
                    let dir = all_but_the_last(reference.path());
                    let (watch, _) = fail(operation, k, once, kind);
                    let disturbed = SolveOptions { watch, ..options(solver) };
                    match run(dir.path(), &disturbed, &Silent) {
                        Err(error @ SolveError::Scratch(_)) => {
                            check_sentence(&error.to_string(), kind, &what);
                        }
                        Err(error) => panic!("{what}: {error}"),
                        // Threads share the calls as they like; the last ones may not come.
                        Ok(()) => assert!(k > 0, "{what}"),
                    }
                    let kept = finished(dir.path());
                    assert!(kept.iter().zip(&expected).all(|(a, b)| a == b), "{what}");
                    run(dir.path(), &options(solver), &Silent)
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    assert!(finished(dir.path()) == expected, "{what}");
                }
            }
        }
    }
}

fn check_sentence(sentence: &str, kind: io::ErrorKind, what: &str) {
    assert!(sentence.starts_with("cannot ") && !sentence.contains('\n'), "{what}: {sentence}");
    assert!(sentence.contains("work-5-5-"), "{what}: {sentence}");
    assert!(sentence.contains("the same command goes on"), "{what}: {sentence}");
    let says = match kind {
        io::ErrorKind::StorageFull => "the disk is full: make room",
        io::ErrorKind::FileTooLarge => "ulimit -f",
        _ => "and only this slice begins anew",
    };
    assert!(sentence.contains(says), "{what}: {sentence}");
}

#[test]
fn a_file_at_work_that_was_cut_off_is_not_believed() {
    let (reference, expected) = undisturbed();
    for name in ["exits.bin", "scores-3.bin", "sides-3.bin"] {
        let dir = all_but_the_last(reference.path());
        let work = dir.path().join("work-5-5-one-bit");
        // It ends after level 3, which is the one to go on from.
        let watch = Watch::new(|_, path| {
            let level_2 = path.file_name().is_some_and(|name| name == "sides-2.bin");
            if level_2 { Err(io::Error::other("the disk failed")) } else { Ok(()) }
        });
        let disturbed = SolveOptions { watch, ..options(Solver::OneBit) };
        run(dir.path(), &disturbed, &Silent).unwrap_err();
        let path = work.join(name);
        let len = fs::metadata(&path).unwrap().len();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(len - 1).unwrap();
        let error = run(dir.path(), &options(Solver::OneBit), &Silent).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(&format!("{len} belong")), "{error}");
        // As the sentence says.
        fs::remove_dir_all(&work).unwrap();
        run(dir.path(), &options(Solver::OneBit), &Silent).unwrap();
        assert!(finished(dir.path()) == expected);
    }
}

/// Has enough after so many questions.
struct Patience(AtomicU64, u64);

impl Progress for Patience {
    fn must_stop(&self) -> bool {
        self.0.fetch_add(1, Relaxed) >= self.1
    }
}

#[test]
fn stopped_at_any_moment_it_goes_on_to_the_same_bytes() {
    let (reference, expected) = undisturbed();
    for solver in [&LIMITED[..], &[Solver::Memory]].concat() {
        let dir = all_but_the_last(reference.path());
        let patience = Patience(AtomicU64::new(0), u64::MAX);
        run(dir.path(), &options(solver), &patience).unwrap();
        let questions = patience.0.load(Relaxed);
        assert!(questions > 5, "{solver} asks only {questions} times");
        // All moments, or a hundred of them.
        let step = (questions / 100).max(1);
        for k in (0..questions).step_by(step as usize) {
            let dir = all_but_the_last(reference.path());
            match run(dir.path(), &options(solver), &Patience(AtomicU64::new(0), k)) {
                Err(SolveError::Stopped(stopped)) => {
                    assert_eq!(stopped.to_string(), "stopped; the same command goes on from here");
                }
                Err(error) => panic!("{solver} after {k} questions: {error}"),
                Ok(()) => assert!(k > questions / 2, "{solver} after {k} questions"),
            }
            run(dir.path(), &options(solver), &Silent).unwrap();
            assert!(finished(dir.path()) == expected, "{solver} after {k} questions");
        }
        // Always a little further: it comes to an end.
        let dir = all_but_the_last(reference.path());
        let mut stops = 0;
        while run(dir.path(), &options(solver), &Patience(AtomicU64::new(0), stops)).is_err() {
            stops += step;
        }
        assert!(finished(dir.path()) == expected, "{solver} after {stops} stops");
    }
}

#[test]
fn files_at_work_take_the_disk_that_was_foretold() {
    use nutcracker_retro::plan::{Rates, plan};
    let awari = Awari::new(6).unwrap();
    let (reference, _) = undisturbed();
    for solver in LIMITED {
        let dir = all_but_the_last(reference.path());
        let peak = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&peak);
        let watch = Watch::new(move |_, path| {
            let folder = if path.is_dir() { path } else { path.parent().unwrap() };
            let files = fs::read_dir(folder).into_iter().flatten().flatten();
            let data = files.filter(|file| {
                let path = file.path();
                path.extension().is_some_and(|end| end == "bin")
                    || path.ends_with("exits.tmp")
                    || path.ends_with("scores.tmp")
            });
            let bytes = data.filter_map(|file| Some(file.metadata().ok()?.len())).sum();
            seen.fetch_max(bytes, Relaxed);
            Ok(())
        });
        let options = SolveOptions { watch, ..options(solver) };
        let foretold = plan(&awari, SliceId(LAST), &options, &Rates::usual(1));
        let foretold = foretold[LAST as usize].work_disk;
        run(dir.path(), &options, &Silent).unwrap();
        let peak = peak.load(Relaxed);
        // The wins of the dual index are rounded up to a block.
        let slack = if solver == Solver::DualIndex { 16 << 10 } else { 0 };
        // A block of rows is there twice when it is written anew.
        let twice = if solver == Solver::Rows { foretold / 2 } else { 0 };
        assert!(
            peak <= foretold + slack && foretold <= peak + twice,
            "{solver}: {peak} bytes, {foretold} were foretold"
        );
    }
}

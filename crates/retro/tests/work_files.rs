//! Work files on a disk that is full or fails, and work that is stopped: nothing finished is lost,
//! and the same call resumes to the same bytes.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::common::{disk, tables};
use nutcracker_game::{Metric, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_retro::SolverName;
use nutcracker_retro::{Operation, Watch};
use nutcracker_retro::{Progress, Silent};
use nutcracker_retro::{RowOptions, SolveError, SolveOptions, solve};
use tempfile::TempDir;

const LAST: u32 = 5;
const LIMITED: [SolverName; 5] = [
    SolverName::TwoBit,
    SolverName::TwoBitSweeps,
    SolverName::OneBit,
    SolverName::DualIndex,
    SolverName::Rows,
];

/// A directory in memory where there is one: syncing it costs nothing.
fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}

fn options(solver: SolverName) -> SolveOptions {
    // Everything is kept, so that there is something to resume from.
    let rows = RowOptions { budget: Some(1 << 20), ..RowOptions::default() };
    SolveOptions {
        solver: Some(solver),
        checkpoint_positions: 1,
        rows,
        ..SolveOptions::new(2, "test")
    }
}

fn run(dir: &Path, options: &SolveOptions, progress: &dyn Progress) -> Result<(), SolveError> {
    let awari = Awari::new(6).unwrap();
    solve(&awari, &disk(), dir, SliceId(LAST), options, progress).map(drop)
}

fn undisturbed() -> (TempDir, Vec<(String, Vec<u8>)>) {
    let dir = directory();
    run(dir.path(), &options(SolverName::Memory), &Silent).unwrap();
    let files = tables(dir.path());
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
    let unverified = SolveOptions { verify: false, ..options(SolverName::Memory) };
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
                        Err(error @ SolveError::WorkFile(_)) => {
                            check_sentence(&error.to_string(), kind, &what);
                        }
                        Err(error) => panic!("{what}: {error}"),
                        // Threads share the calls as they like; the last ones may not come.
                        Ok(()) => assert!(k > 0, "{what}"),
                    }
                    let kept = tables(dir.path());
                    assert!(kept.iter().zip(&expected).all(|(a, b)| a == b), "{what}");
                    run(dir.path(), &options(solver), &Silent)
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    assert!(tables(dir.path()) == expected, "{what}");
                }
            }
        }
    }
}

fn check_sentence(sentence: &str, kind: io::ErrorKind, what: &str) {
    assert!(sentence.starts_with("cannot ") && !sentence.contains('\n'), "{what}: {sentence}");
    assert!(sentence.contains("work-5-5-"), "{what}: {sentence}");
    assert!(sentence.contains("the same command continues"), "{what}: {sentence}");
    let advice = match kind {
        io::ErrorKind::StorageFull => "the disk is full: make room",
        io::ErrorKind::FileTooLarge => "ulimit -f",
        _ => "and only this slice starts again",
    };
    assert!(sentence.contains(advice), "{what}: {sentence}");
}

#[test]
fn a_work_file_that_was_cut_off_is_not_trusted() {
    let (reference, expected) = undisturbed();
    for name in ["exits.bin", "scores-3.bin", "sides-3.bin"] {
        let dir = all_but_the_last(reference.path());
        let work = dir.path().join("work-5-5-one-bit");
        // It ends after level 3, which is the one to resume from.
        let watch = Watch::new(|_, path| {
            let level_2 = path.file_name().is_some_and(|name| name == "sides-2.bin");
            if level_2 { Err(io::Error::other("the disk failed")) } else { Ok(()) }
        });
        let disturbed = SolveOptions { watch, ..options(SolverName::OneBit) };
        run(dir.path(), &disturbed, &Silent).unwrap_err();
        let path = work.join(name);
        let len = fs::metadata(&path).unwrap().len();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(len - 1).unwrap();
        // The slice starts again, and reports why.
        let notes = Notes::default();
        run(dir.path(), &options(SolverName::OneBit), &notes).unwrap();
        let notes = notes.0.into_inner().unwrap();
        let why = format!("{name} is damaged: it has {} bytes", len - 1);
        assert!(notes.iter().any(|note| note.contains(&why)), "{notes:?}");
        assert!(tables(dir.path()) == expected);
    }
}

/// Keeps the notes of a run.
#[derive(Default)]
struct Notes(std::sync::Mutex<Vec<String>>);

impl Progress for Notes {
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

/// Requests a stop at a given call of `must_stop`.
struct StopAfter(AtomicU64, u64);

impl Progress for StopAfter {
    fn must_stop(&self) -> bool {
        self.0.fetch_add(1, Relaxed) >= self.1
    }
}

#[test]
fn stopped_at_any_moment_it_resumes_to_the_same_bytes() {
    let (reference, expected) = undisturbed();
    for solver in [&LIMITED[..], &[SolverName::Memory]].concat() {
        let dir = all_but_the_last(reference.path());
        let progress = StopAfter(AtomicU64::new(0), u64::MAX);
        run(dir.path(), &options(solver), &progress).unwrap();
        let checks = progress.0.load(Relaxed);
        assert!(checks > 5, "{solver} checks only {checks} times");
        // All moments, or a hundred of them.
        let step = (checks / 100).max(1);
        for k in (0..checks).step_by(step as usize) {
            let dir = all_but_the_last(reference.path());
            match run(dir.path(), &options(solver), &StopAfter(AtomicU64::new(0), k)) {
                Err(SolveError::Stopped(stopped)) => {
                    assert_eq!(
                        stopped.to_string(),
                        "stopped; the same command continues from here"
                    );
                }
                Err(error) => panic!("{solver} after {k} checks: {error}"),
                Ok(()) => assert!(k > checks / 2, "{solver} after {k} checks"),
            }
            run(dir.path(), &options(solver), &Silent).unwrap();
            assert!(tables(dir.path()) == expected, "{solver} after {k} checks");
        }
        // A little further each time, until it finishes.
        let dir = all_but_the_last(reference.path());
        let mut stops = 0;
        while run(dir.path(), &options(solver), &StopAfter(AtomicU64::new(0), stops)).is_err() {
            stops += step;
        }
        assert!(tables(dir.path()) == expected, "{solver} after {stops} stops");
    }
}

/// The bytes of a work file's data: header and checksums are not estimated.
fn data_bytes(path: &Path) -> Option<u64> {
    let mut header = [0; 24];
    io::Read::read_exact(&mut fs::File::open(path).ok()?, &mut header).ok()?;
    Some(u64::from_le_bytes(header[16..].try_into().ok()?))
}

#[test]
fn work_files_take_the_disk_that_was_estimated() {
    use nutcracker_retro::{Rates, plan};
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
            let bytes = data.filter_map(|file| data_bytes(&file.path())).sum();
            seen.fetch_max(bytes, Relaxed);
            Ok(())
        });
        let options = SolveOptions { watch, ..options(solver) };
        let estimated = plan(&awari, &[SliceId(LAST)], &options, &Rates::usual(Metric::Score, 1));
        let estimated = estimated.last().unwrap().work_disk;
        run(dir.path(), &options, &Silent).unwrap();
        let peak = peak.load(Relaxed);
        // The wins of the dual index are rounded up to a block.
        let slack = if solver == SolverName::DualIndex { 16 << 10 } else { 0 };
        // A block of rows exists twice while it is rewritten.
        let twice = if solver == SolverName::Rows { estimated / 2 } else { 0 };
        assert!(
            peak <= estimated + slack && estimated <= peak + twice,
            "{solver}: {peak} bytes, {estimated} were estimated"
        );
    }
}

/// Flips a bit or zeroes 4 KiB of a file.
fn damage(path: &Path, kind: usize) {
    let mut bytes = fs::read(path).unwrap();
    let len = bytes.len();
    match kind {
        // In the middle, near the end, where the data begins.
        0 => bytes[len / 2] ^= 16,
        1 => bytes[len - len / 5 - 1] ^= 1,
        2 => {
            let at = (len - 1).min(4200);
            bytes[at] ^= 128;
        }
        _ => {
            let start = (len / 2).min(4096);
            let end = (start + 4096).min(len);
            bytes[start..end].fill(0);
        }
    }
    fs::write(path, bytes).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

#[test]
fn damage_to_any_work_file_never_reaches_a_table() {
    let (reference, expected) = undisturbed();
    for solver in LIMITED {
        // Nothing but the work files' own checksums stands between damage and the table.
        let unchecked = SolveOptions { verify: false, ..options(solver) };
        let mut kinds = std::collections::BTreeSet::new();
        for at in [3, 7, 11, 16, 24] {
            let interrupted = all_but_the_last(reference.path());
            let (watch, _) = fail(Operation::Sync, at, false, io::ErrorKind::Other);
            let stopped =
                run(interrupted.path(), &SolveOptions { watch, ..unchecked.clone() }, &Silent);
            if stopped.is_ok() {
                break;
            }
            let folders = fs::read_dir(interrupted.path()).unwrap().map(|e| e.unwrap().path());
            let Some(work) = folders.into_iter().find(|path| path.is_dir()) else { continue };
            for entry in fs::read_dir(&work).unwrap() {
                let name = entry.unwrap().file_name();
                let kind = name.to_string_lossy().split(['-', '.']).next().unwrap().to_owned();
                let end = name.to_string_lossy().rsplit('.').next().unwrap().to_owned();
                kinds.insert(format!("{kind}.{end}"));
                for number in 0..4 {
                    let dir = directory();
                    copy(interrupted.path(), dir.path());
                    damage(&dir.path().join(work.file_name().unwrap()).join(&name), number);
                    let what = format!("{solver}, {name:?} after {at}, damage {number}");
                    run(dir.path(), &unchecked, &Silent)
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    assert!(tables(dir.path()) == expected, "{what}");
                }
            }
        }
        assert!(kinds.len() > 1, "{solver}: {kinds:?}");
    }
}

/// Bits that are changed in place may be torn by a kill: their level decides them again, and the
/// slice does not start again.
#[test]
fn torn_blocks_of_streamed_rows_are_decided_again() {
    let (reference, expected) = undisturbed();
    let unchecked = SolveOptions { verify: false, ..options(SolverName::Rows) };
    let mut torn = 0;
    for at in [14, 24, 34] {
        let dir = all_but_the_last(reference.path());
        let (watch, _) = fail(Operation::Sync, at, false, io::ErrorKind::Other);
        run(dir.path(), &SolveOptions { watch, ..unchecked.clone() }, &Silent).unwrap_err();
        let work = dir.path().join(format!("work-{LAST}-{LAST}-rows"));
        for row_stones in 0..=LAST {
            let path = work.join(format!("undecided-{row_stones}.bin"));
            if path.exists() {
                damage(&path, 2);
                torn += 1;
            }
        }
        let notes = Notes::default();
        run(dir.path(), &unchecked, &notes).unwrap();
        let notes = notes.0.into_inner().unwrap();
        assert!(!notes.iter().any(|note| note.contains("again")), "{notes:?}");
        assert!(tables(dir.path()) == expected);
    }
    assert!(torn > 0);
}

#[test]
fn work_files_of_other_work_are_not_taken() {
    let (reference, expected) = undisturbed();
    let dir = all_but_the_last(reference.path());
    let unchecked = SolveOptions { verify: false, ..options(SolverName::OneBit) };
    let (watch, _) = fail(Operation::Sync, 12, false, io::ErrorKind::Other);
    run(dir.path(), &SolveOptions { watch, ..unchecked.clone() }, &Silent).unwrap_err();
    // As if two-bit had written what one-bit wrote.
    let name = |solver| format!("work-{LAST}-{LAST}-{solver}");
    fs::rename(dir.path().join(name("one-bit")), dir.path().join(name("two-bit"))).unwrap();
    let unchecked = SolveOptions { verify: false, ..options(SolverName::TwoBit) };
    run(dir.path(), &unchecked, &Silent).unwrap();
    assert!(tables(dir.path()) == expected);
}

#[test]
fn work_folders_of_finished_slices_are_removed() {
    let (dir, _) = undisturbed();
    let work = |slice: u32| dir.path().join(format!("work-{slice}-{slice}-rows"));
    for slice in [3, LAST + 1] {
        fs::create_dir(work(slice)).unwrap();
        fs::write(work(slice).join("values-0.bin"), "left").unwrap();
    }
    run(dir.path(), &SolveOptions { solver: None, ..options(SolverName::Memory) }, &Silent)
        .unwrap();
    assert!(!work(3).exists() && work(LAST + 1).exists());
}

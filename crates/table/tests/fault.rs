//! Failures and crashes at every operation: the old state or the whole new one, and nothing else.

use std::path::Path;

use nutcracker_table::fault::{Fault, Loss, MemoryStorage};
use nutcracker_table::{
    ErrorKind, Header, Manifest, Naming, PackOptions, Reach, Result, Storage, Table, pack,
    remove_unfinished,
};

const DIR: &str = "data";
const FILE: &str = "data/awari-04.nut";

fn header(window: u8) -> Header {
    Header { reach: Reach::from(window), ..Header::new("awari", "", 4, 40_000, 4, "halves-1") }
}

fn values(window: u8) -> Vec<i8> {
    let bound = header(window).bound() as i8;
    (0..40_000u32).map(|i| (((i * 2 / 7) % 9) as i8 - 4).clamp(-bound, bound)).collect()
}

/// Solves a slice: table, then manifest.
fn build(storage: &MemoryStorage, window: u8) -> Result<()> {
    let options = PackOptions { threads: 2, ..PackOptions::default() };
    let dir = Path::new(DIR);
    let mut manifest = Manifest::load_or_new(storage, dir, "awari", "", "test 1")?;
    let sealed = pack(storage, dir, &header(window), &options, &values(window))?;
    manifest.record(&sealed);
    manifest.save(storage, dir)
}

/// Whether the table with a window exists. If so, it must be whole.
fn is_there(storage: &MemoryStorage, window: u8) -> bool {
    let path = Path::new(DIR).join(header(window).file_name());
    if !storage.exists(&path).unwrap() {
        return false;
    }
    let table = Table::open(storage, &path).unwrap();
    table.verify_file(|_| {}).unwrap();
    let mut found = vec![0; table.positions() as usize];
    table.read(0, &mut found).unwrap();
    assert!(found == values(window));
    true
}

/// The next start: manifest and files agree again.
fn recover(storage: &MemoryStorage) {
    let dir = Path::new(DIR);
    let mut manifest = Manifest::load_or_new(storage, dir, "awari", "", "test 1").unwrap();
    manifest.reconcile(storage, dir, &Naming::default()).unwrap();
    manifest.save(storage, dir).unwrap();
    remove_unfinished(storage, dir).unwrap();
    assert!(manifest.reconcile(storage, dir, &Naming::default()).unwrap().is_clean());
    for window in [0, 2] {
        assert_eq!(manifest.entry_for(4, Reach::from(window)).is_some(), is_there(storage, window));
    }
    for entry in manifest.entries() {
        manifest.check(&Table::open(storage, &dir.join(&entry.file)).unwrap()).unwrap();
    }
    assert_no_temporary(storage);
}

fn assert_no_temporary(storage: &MemoryStorage) {
    let left = storage.list(Path::new(DIR)).unwrap();
    assert!(left.iter().all(|name| !name.contains(".tmp")), "{left:?}");
}

/// A storage without a table, or with one of the same slice and another window.
fn begin(with_another: bool) -> MemoryStorage {
    let storage = MemoryStorage::new();
    if with_another {
        build(&storage, 2).unwrap();
    }
    storage
}

fn operations() -> u64 {
    let storage = begin(false);
    build(&storage, 0).unwrap();
    storage.operations()
}

#[test]
fn a_failure_at_every_operation() {
    let operations = operations();
    assert!(operations > 10);
    for another in [false, true] {
        for fault in [Fault::Error, Fault::NoSpace] {
            // One more for the manifest that is read if there is one.
            for at in 0..=operations {
                let storage = begin(another);
                storage.fail_at(at, fault);
                let result = build(&storage, 0);
                storage.restart(Loss::Nothing);
                let there = is_there(&storage, 0);
                assert_eq!(is_there(&storage, 2), another);
                match result {
                    Ok(()) => assert!(there),
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
                        assert!(error.to_string().contains(DIR), "{error}");
                        assert_no_temporary(&storage);
                    }
                }
                recover(&storage);
            }
        }
    }
}

#[test]
fn a_crash_at_every_operation() {
    let operations = operations();
    for another in [false, true] {
        for loss in [Loss::Nothing, Loss::Unsynced, Loss::UnsyncedData] {
            for at in 0..=operations {
                let storage = begin(another);
                storage.fail_at(at, Fault::Crash);
                let result = build(&storage, 0);
                storage.restart(loss);
                let there = is_there(&storage, 0);
                assert!(there || result.is_err(), "gone at {at} after {loss:?}");
                assert_eq!(is_there(&storage, 2), another, "at {at} after {loss:?}");
                recover(&storage);
                if !there {
                    build(&storage, 0).unwrap();
                }
                assert!(is_there(&storage, 0));
            }
        }
    }
}

#[test]
fn a_finished_file_stays_whatever_is_built_and_fails() {
    for at in 0..=operations() {
        for fault in [Fault::Error, Fault::NoSpace, Fault::Crash] {
            let storage = begin(false);
            build(&storage, 0).unwrap();
            let before = storage.bytes(Path::new(FILE));
            storage.fail_at(at, fault);
            let error = build(&storage, 0).unwrap_err();
            assert!([ErrorKind::Usage, ErrorKind::Io].contains(&error.kind()), "{error}");
            storage.restart(Loss::Nothing);
            assert_eq!(storage.bytes(Path::new(FILE)), before);
            recover(&storage);
        }
    }
}

#[test]
fn finished_files_survive_the_loss_of_unsynced_data() {
    for loss in [Loss::Unsynced, Loss::UnsyncedData] {
        let storage = MemoryStorage::new();
        build(&storage, 2).unwrap();
        storage.restart(loss);
        assert!(is_there(&storage, 2));
        Manifest::load(&storage, Path::new(DIR)).unwrap();
        // Also before the manifest is written, which syncs the directory once more.
        let storage = MemoryStorage::new();
        let options = PackOptions::default();
        pack(&storage, Path::new(DIR), &header(0), &options, &values(0)).unwrap();
        storage.restart(loss);
        assert!(is_there(&storage, 0));
    }
}

#[test]
fn short_writes_change_nothing() {
    let (whole, short) = (MemoryStorage::new(), MemoryStorage::new());
    short.shorten_writes();
    for storage in [&whole, &short] {
        build(storage, 0).unwrap();
    }
    assert!(short.operations() > whole.operations());
    assert_eq!(whole.bytes(Path::new(FILE)), short.bytes(Path::new(FILE)));
}

#[test]
fn a_full_disk_is_named() {
    let storage = MemoryStorage::new();
    // The manifest, the finished file, checked and not, the directory and the new file come first.
    storage.fail_at(5, Fault::NoSpace);
    let error = build(&storage, 0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    let text = error.to_string();
    assert!(text.contains("cannot write data/awari-04.nut.tmp: no storage space"), "{text}");
    assert!(text.contains("free some space"), "{text}");
}

#[test]
fn a_failing_read_is_an_error_and_no_damage() {
    let storage = MemoryStorage::new();
    build(&storage, 0).unwrap();
    let table = Table::open(&storage, Path::new(FILE)).unwrap();
    storage.fail_at(0, Fault::Error);
    let error = table.probe(5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    assert_eq!(table.probe(5).unwrap(), values(0)[5]);
}

//! Failures and crashes at every operation: the old state or the whole new one, and nothing else.

use std::path::Path;

use nutcracker_table::fault::{Fault, Loss, MemoryStorage};
use nutcracker_table::{
    ErrorKind, Header, Manifest, PackOptions, Result, Storage, Table, pack, remove_unfinished,
};

const DIR: &str = "data";
const FILE: &str = "data/awari-04.nut";

fn values(version: u32) -> Vec<i8> {
    (0..40_000u32).map(|i| ((i * version / 7) % 9) as i8 - 4).collect()
}

/// Solves a slice: table, then manifest.
fn build(storage: &MemoryStorage, version: u32) -> Result<()> {
    let values = values(version);
    let header = Header::new("awari", "", 4, values.len() as u64, 4, "halves-1");
    let options = PackOptions { threads: 2, ..PackOptions::default() };
    let dir = Path::new(DIR);
    let mut manifest = Manifest::load_or_new(storage, dir, "awari", "", "test 1")?;
    let sealed = pack(storage, dir, &header, &options, &values)?;
    manifest.record(&sealed);
    manifest.save(storage, dir)
}

/// Which version is there: 0 for none. Whatever is there must be whole.
fn version(storage: &MemoryStorage) -> u32 {
    if !storage.exists(Path::new(FILE)).unwrap() {
        return 0;
    }
    let table = Table::open(storage, Path::new(FILE)).unwrap();
    table.verify_file(|_| {}).unwrap();
    let mut found = vec![0; table.positions() as usize];
    table.read(0, &mut found).unwrap();
    (1..=2).find(|&version| found == values(version)).expect("neither old nor new")
}

/// What the next start does: manifest and files agree again.
fn recover(storage: &MemoryStorage) {
    let dir = Path::new(DIR);
    let mut manifest = Manifest::load_or_new(storage, dir, "awari", "", "test 1").unwrap();
    manifest.reconcile(storage, dir).unwrap();
    manifest.save(storage, dir).unwrap();
    remove_unfinished(storage, dir).unwrap();
    assert!(manifest.reconcile(storage, dir).unwrap().is_clean());
    if version(storage) > 0 {
        manifest.check(&Table::open(storage, Path::new(FILE)).unwrap()).unwrap();
    } else {
        assert_eq!(manifest.entries(), []);
    }
    assert_no_temporary(storage);
}

fn assert_no_temporary(storage: &MemoryStorage) {
    let left = storage.list(Path::new(DIR)).unwrap();
    assert!(left.iter().all(|name| !name.contains(".tmp")), "{left:?}");
}

fn operations() -> u64 {
    let storage = MemoryStorage::new();
    build(&storage, 1).unwrap();
    storage.operations()
}

#[test]
fn a_failure_at_every_operation() {
    let operations = operations();
    assert!(operations > 10);
    for old in [0, 1] {
        for fault in [Fault::Error, Fault::NoSpace] {
            // One more for the manifest that is read if there is one.
            for at in 0..=operations {
                let storage = MemoryStorage::new();
                if old > 0 {
                    build(&storage, old).unwrap();
                }
                storage.fail_at(at, fault);
                let result = build(&storage, 2);
                storage.restart(Loss::Nothing);
                match result {
                    Ok(()) => assert_eq!(version(&storage), 2),
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
                        assert!(error.to_string().contains(DIR), "{error}");
                        assert!([old, 2].contains(&version(&storage)));
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
    for old in [0, 1] {
        for loss in [Loss::Nothing, Loss::Unsynced, Loss::UnsyncedData] {
            for at in 0..=operations {
                let storage = MemoryStorage::new();
                if old > 0 {
                    build(&storage, old).unwrap();
                }
                storage.fail_at(at, Fault::Crash);
                let result = build(&storage, 2);
                storage.restart(loss);
                let found = version(&storage);
                if result.is_ok() {
                    assert_eq!(found, 2);
                } else {
                    assert!([old, 2].contains(&found), "{found} at {at} after {loss:?}");
                }
                recover(&storage);
                build(&storage, 2).unwrap();
                assert_eq!(version(&storage), 2);
            }
        }
    }
}

#[test]
fn what_is_finished_survives_the_loss_of_all_that_was_not_synced() {
    for loss in [Loss::Unsynced, Loss::UnsyncedData] {
        let storage = MemoryStorage::new();
        build(&storage, 2).unwrap();
        storage.restart(loss);
        assert_eq!(version(&storage), 2);
        Manifest::load(&storage, Path::new(DIR)).unwrap();
        // Also before the manifest is written, which syncs the directory once more.
        let storage = MemoryStorage::new();
        let header = Header::new("awari", "", 4, 40_000, 4, "halves-1");
        let options = PackOptions::default();
        pack(&storage, Path::new(DIR), &header, &options, &values(1)).unwrap();
        storage.restart(loss);
        assert_eq!(version(&storage), 1);
    }
}

#[test]
fn short_writes_change_nothing() {
    let (whole, short) = (MemoryStorage::new(), MemoryStorage::new());
    short.shorten_writes();
    for storage in [&whole, &short] {
        build(storage, 1).unwrap();
    }
    assert!(short.operations() > whole.operations());
    assert_eq!(whole.bytes(Path::new(FILE)), short.bytes(Path::new(FILE)));
}

#[test]
fn a_full_disk_is_named() {
    let storage = MemoryStorage::new();
    storage.fail_at(3, Fault::NoSpace);
    let error = build(&storage, 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    let text = error.to_string();
    assert!(text.contains("cannot write data/awari-04.nut.tmp: no storage space"), "{text}");
    assert!(text.contains("free some space"), "{text}");
}

#[test]
fn a_failing_read_is_an_error_and_no_damage() {
    let storage = MemoryStorage::new();
    build(&storage, 1).unwrap();
    let table = Table::open(&storage, Path::new(FILE)).unwrap();
    storage.fail_at(0, Fault::Error);
    let error = table.probe(5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    assert_eq!(table.probe(5).unwrap(), values(1)[5]);
}

//! Manifest and lock.

use std::path::Path;

use nutcracker_table::fault::{Loss, MemoryStorage};
use nutcracker_table::{
    DirLock, Disk, ErrorKind, Header, LOCK, MANIFEST, Manifest, Naming, PackOptions, Published,
    REMOVED, Reach, Storage, Table, pack,
};

const DIR: &str = "data";

fn put(storage: &dyn Storage, slice: u32, values: &[i8]) -> Published {
    let header = Header::new("awari", "pits=6", slice, values.len() as u64, 9, "halves-1");
    pack(storage, Path::new(DIR), &header, &PackOptions::default(), values).unwrap()
}

fn fresh(storage: &dyn Storage) -> Manifest {
    Manifest::load_or_new(storage, Path::new(DIR), "awari", "pits=6", "nutcracker 1").unwrap()
}

#[test]
fn a_manifest_round_trips() {
    let storage = MemoryStorage::new();
    let mut manifest = fresh(&storage);
    for slice in [11, 2, 5] {
        manifest.record(&put(&storage, slice, &[3, -9, 0, 0, 3]));
    }
    manifest.save(&storage, Path::new(DIR)).unwrap();
    let loaded = Manifest::load(&storage, Path::new(DIR)).unwrap();
    assert_eq!(loaded, manifest);
    let slices: Vec<_> = loaded.entries().iter().map(|entry| entry.slice).collect();
    assert_eq!(slices, [2, 5, 11]);
    let entry = loaded.entry(5).unwrap();
    assert_eq!((entry.file.as_str(), entry.positions), ("awari-05.nut", 5));
    let histogram = &entry.histogram;
    assert_eq!((histogram.wins(), histogram.draws(), histogram.losses()), (2, 2, 1));
    assert!((histogram.mean() + 0.6).abs() < 1e-12);
    let text = String::from_utf8(storage.bytes(&Path::new(DIR).join(MANIFEST)).unwrap()).unwrap();
    let compact: String = text.split_whitespace().collect();
    assert!(compact.contains(r#""histogram":[[-9,1],[0,2],[3,2]]"#), "{text}");
}

#[test]
fn an_adopted_entry_equals_the_recorded_one() {
    let storage = MemoryStorage::new();
    let sealed = put(&storage, 4, &[1, -1, 0]);
    let (mut recorded, mut adopted) = (fresh(&storage), fresh(&storage));
    recorded.record(&sealed);
    let table = Table::open(&storage, &sealed.path).unwrap();
    assert_eq!(adopted.check(&table).unwrap_err().kind(), ErrorKind::DataBroken);
    adopted.adopt(&table).unwrap();
    assert_eq!(adopted, recorded);
    adopted.check(&table).unwrap();
    let mut other = Manifest::new("kalah", "pits=6", "nutcracker 1");
    assert_eq!(other.adopt(&table).unwrap_err().kind(), ErrorKind::DataBroken);
}

#[test]
fn files_and_manifest_are_reconciled() {
    let storage = MemoryStorage::new();
    let mut manifest = fresh(&storage);
    for slice in 0..4 {
        manifest.record(&put(&storage, slice, &[1, -1, 0]));
    }
    let before = manifest.clone();
    assert!(manifest.reconcile(&storage, Path::new(DIR), &Naming::default()).unwrap().is_clean());
    assert_eq!(manifest, before);
    // One file missing, one replaced, one new.
    storage.remove(&Path::new(DIR).join("awari-01.nut")).unwrap();
    storage.remove(&Path::new(DIR).join("awari-02.nut")).unwrap();
    let replaced = put(&storage, 2, &[1, 1, 1]);
    put(&storage, 7, &[2]);
    let table = Table::open(&storage, &replaced.path).unwrap();
    let error = manifest.check(&table).unwrap_err();
    assert!(error.to_string().contains("blake3"), "{error}");
    let result = manifest.reconcile(&storage, Path::new(DIR), &Naming::default()).unwrap();
    assert_eq!(
        (result.adopted, result.missing),
        (vec![(2, Reach::Exact), (7, Reach::Exact)], vec![(1, Reach::Exact)])
    );
    manifest.check(&table).unwrap();
    assert_eq!(manifest.remove(7, Reach::Exact).unwrap().positions, 1);
    assert_eq!(manifest.remove(7, Reach::Exact), None);
    // A damaged file is not adopted.
    storage.put(&Path::new(DIR).join("awari-07.nut"), b"rubbish");
    let error = manifest.reconcile(&storage, Path::new(DIR), &Naming::default()).unwrap_err();
    assert!(error.to_string().contains("awari-07.nut"), "{error}");
}

#[test]
fn damaged_manifests_are_named() {
    let storage = MemoryStorage::new();
    let mut manifest = fresh(&storage);
    manifest.record(&put(&storage, 1, &[1, -1, 0]));
    manifest.record(&put(&storage, 2, &[1, -1, 0]));
    manifest.save(&storage, Path::new(DIR)).unwrap();
    let path = Path::new(DIR).join(MANIFEST);
    let good = String::from_utf8(storage.bytes(&path).unwrap()).unwrap();
    let load = |text: &str| {
        storage.put(&path, text.as_bytes());
        Manifest::load_or_new(&storage, Path::new(DIR), "awari", "pits=6", "nutcracker 1")
    };
    load(&good).unwrap();
    for (from, to, reason) in [
        ("\"version\": 2", "\"version\": 3", "format version 3"),
        ("\"game\": \"awari\"", "\"game\": \"kalah\"", "slice 1 has file \"awari-01.nut\""),
        ("pits=6", "pits=5", "rule options"),
        ("\"slice\": 2", "\"slice\": 1", "order"),
        ("awari-01.nut", "../../passwd", "slice 1 has file"),
        ("\"positions\": 3", "\"positions\": 4", "do not add up"),
        ("{", "", "line 2"),
    ] {
        let error = load(&good.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DataBroken, "{error}");
        let text = error.to_string();
        assert!(text.contains(reason) && text.contains("data/manifest.json"), "{text}");
    }
    for len in (0..good.len() - 2).step_by(7) {
        assert_eq!(load(&good[..len]).unwrap_err().kind(), ErrorKind::DataBroken);
    }
}

#[test]
fn a_directory_has_one_builder() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("new");
    let lock = DirLock::acquire(&dir).unwrap();
    let error = DirLock::acquire(&dir).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert_eq!(
        error.to_string(),
        format!(
            "another process (pid {}) is building in {}; wait for it or use another directory",
            std::process::id(),
            dir.display()
        )
    );
    drop(lock);
    // A longer process id of an earlier holder leaves nothing behind.
    std::fs::write(dir.join(LOCK), "12345678901234567890\n").unwrap();
    let lock = DirLock::acquire(&dir).unwrap();
    let text = std::fs::read_to_string(lock.path()).unwrap();
    assert_eq!(text, format!("{}\n", std::process::id()));
}

/// The name is gone at once, whatever a process that died has left of an earlier removal.
#[test]
fn a_directory_is_removed_in_one_step() {
    let place = tempfile::tempdir().unwrap();
    let [work, half_removed] = ["", REMOVED].map(|end| place.path().join(format!("work{end}")));
    for dir in [&work, &half_removed] {
        std::fs::create_dir(dir).unwrap();
        std::fs::write(dir.join("level.checkpoint"), "2").unwrap();
    }
    let disk = Disk::default();
    for _ in 0..2 {
        disk.remove_dir(&work).unwrap();
        assert!(!work.exists() && !half_removed.exists());
    }

    let (storage, dir) = (MemoryStorage::new(), Path::new("data/work"));
    for name in ["a", "b"] {
        storage.create(&dir.join(name)).unwrap().sync().unwrap();
    }
    storage.sync_dir(dir).unwrap();
    storage.remove_dir(dir).unwrap();
    storage.restart(Loss::Unsynced);
    assert!(storage.list(dir).unwrap().is_empty());
}

//! Names of slices, metrics, parts, holes, and tables that are not checked.

use std::path::Path;
use std::sync::Arc;

use nutcracker_table::fault::MemoryStorage;
use nutcracker_table::{
    CodecId, Disk, ErrorKind, Expect, HOLE, Header, Manifest, Naming, PackOptions, Part, Reach,
    Sealed, Table, TableSet, pack, pack_with, remove_unfinished,
};

const DIR: &str = "data";
const NAMES: [&str; 4] = ["kk", "krk", "krkn", "0110"];

fn naming() -> Naming {
    Naming::new(
        |slice| NAMES[slice as usize].to_owned(),
        |name| NAMES.iter().position(|&known| known == name).map(|slice| slice as u32),
    )
}

fn header(slice: u32, numbers: u64) -> Header {
    Header {
        name: NAMES[slice as usize].to_owned(),
        metric: "dtw".to_owned(),
        block_positions: 4,
        parts: vec![
            Part { name: "white".to_owned(), first: 0 },
            Part { name: "black".to_owned(), first: 6 },
        ],
        ..Header::new("chess", "", slice, numbers, 127, "plain-1")
    }
}

const VALUES: [i8; 12] = [HOLE, 1, HOLE, 1, HOLE, HOLE, HOLE, HOLE, 0, -1, HOLE, -1];

fn sealed<'a>(storage: &'a MemoryStorage, header: &Header, values: &[i8]) -> Sealed<'a> {
    let options = PackOptions { threads: 2, ..PackOptions::default() };
    pack_with(storage, Path::new(DIR), header, &options, |start, out| {
        out.copy_from_slice(&values[start as usize..start as usize + out.len()]);
        Ok(())
    })
    .unwrap()
}

fn set(storage: &MemoryStorage) -> TableSet {
    TableSet::open(Arc::new(storage.clone()), DIR, "chess", "", 1 << 20).named(naming())
}

#[test]
fn holes_are_counted_and_continue_the_run() {
    for codec in CodecId::ALL {
        let storage = MemoryStorage::new();
        let header = Header { codec, ..header(2, 12) };
        let file = sealed(&storage, &header, &VALUES).publish(true).unwrap();
        assert_eq!(file.path, Path::new("data/chess-krkn.nut"));
        let table = Table::open(&storage, &file.path).unwrap();
        assert_eq!((table.header(), table.holes()), (&header, 7));
        let mut stored = [0; 12];
        table.read(0, &mut stored).unwrap();
        // The second block has holes only.
        assert_eq!(stored, [1, 1, 1, 1, 0, 0, 0, 0, 0, -1, -1, -1]);
        let parts: Vec<(&str, Vec<(i8, u64)>)> =
            table.parts().map(|(part, h)| (part.name.as_str(), h.iter().collect())).collect();
        assert_eq!(parts, [("white", vec![(1, 2)]), ("black", vec![(-1, 2), (0, 1)])]);
        assert_eq!(table.histogram().total(), 5);
        table.verify_file(|_| {}).unwrap();
        // A count that contradicts the stored values.
        let mut counted = table.histogram().clone();
        counted.add_count(2, 7);
        table.verify_histogram(&counted).unwrap();
        counted.add_count(2, 1);
        assert!(table.verify_histogram(&counted).is_err());
    }
}

#[test]
fn slices_are_found_by_their_names() {
    let storage = MemoryStorage::new();
    for slice in [2, 0, 3] {
        sealed(&storage, &header(slice, 12), &VALUES).publish(slice != 0).unwrap();
    }
    let clipped = Header { reach: Reach::from(1), ..header(3, 12) };
    sealed(&storage, &clipped, &VALUES).publish(true).unwrap();
    // Names that are not canonical.
    for other in ["chess-kqk.nut", "chess-00.nut", "chess-krk.nut.tmp", "chess-krk.unchecked"] {
        storage.put(&Path::new(DIR).join(other), b"x");
    }
    let set = set(&storage);
    assert_eq!(set.slices().unwrap(), [0, 2, 3]);
    assert_eq!(set.path(3, Reach::from(1)), Path::new("data/chess-0110-w1.nut"));
    assert_eq!(set.available(3).unwrap(), [Reach::Exact, Reach::from(1)]);
    assert!(set.get(2).unwrap().is_checked() && !set.get(0).unwrap().is_checked());
    let mut manifest = Manifest::new("chess", "", "test 1");
    let found = manifest.reconcile(&storage, Path::new(DIR), &naming()).unwrap();
    assert_eq!(found.adopted.len(), 4);
    manifest.save(&storage, Path::new(DIR)).unwrap();
    let mut manifest = Manifest::load(&storage, Path::new(DIR)).unwrap();
    let entry = manifest.entry(0).unwrap();
    assert_eq!((entry.name.as_str(), entry.metric.as_str()), ("kk", "dtw"));
    assert_eq!((entry.checked, entry.file.as_str()), (false, "chess-kk.nut.unchecked"));
    assert_eq!((entry.holes, entry.parts.len()), (7, 2));
    // The check passed: only the name changes.
    let bytes = storage.bytes(&Path::new(DIR).join("chess-kk.nut.unchecked"));
    assert!(set.promote(&set.get(0).unwrap()).unwrap().is_checked());
    assert_eq!(storage.bytes(&Path::new(DIR).join("chess-kk.nut")), bytes);
    let found = manifest.reconcile(&storage, Path::new(DIR), &naming()).unwrap();
    assert_eq!((found.renamed, found.adopted), (vec![(0, Reach::Exact)], vec![]));
    // A table under the name of another slice.
    storage.put(&Path::new(DIR).join("chess-krk.nut"), &bytes.unwrap());
    assert_eq!(set.get(1).unwrap_err().kind(), ErrorKind::DataBroken);
}

#[test]
fn another_metric_is_refused() {
    let storage = MemoryStorage::new();
    sealed(&storage, &header(2, 12), &VALUES).publish(true).unwrap();
    let expect = |metric: &'static str| {
        set(&storage).expecting(move |_| {
            let (scheme, metric) = ("plain-1".to_owned(), metric.to_owned());
            Some(Expect { positions: 12, range: 127, scheme, metric })
        })
    };
    expect("dtw").get(2).unwrap();
    let error = expect("dtc").get(2).unwrap_err().to_string();
    assert!(error.contains("has metric \"dtw\", but \"dtc\" is expected"), "{error}");
}

#[test]
fn a_sealed_table_is_invisible_until_it_is_published() {
    let storage = MemoryStorage::new();
    let table = sealed(&storage, &header(2, 12), &VALUES);
    assert!(!table.open().unwrap().is_checked());
    table.open().unwrap().verify_file(|_| {}).unwrap();
    assert_eq!(set(&storage).slices().unwrap(), [0u32; 0]);
    assert_eq!(set(&storage).get(2).unwrap_err().kind(), ErrorKind::NotHere);
    drop(table);
    assert_eq!(nutcracker_table::Storage::list(&storage, Path::new(DIR)).unwrap(), [""; 0]);
}

#[test]
fn a_table_that_another_program_has_checked_is_opened_again() {
    let storage = MemoryStorage::new();
    sealed(&storage, &header(0, 12), &VALUES).publish(false).unwrap();
    let (reader, checker) = (set(&storage), set(&storage));
    assert!(!reader.get(0).unwrap().is_checked());
    reader.forget_renamed();
    assert!(!reader.get(0).unwrap().is_checked());
    checker.promote(&checker.get(0).unwrap()).unwrap();
    reader.forget_renamed();
    assert!(reader.get(0).unwrap().is_checked());
}

#[test]
fn an_unchecked_table_beside_a_checked_one_is_removed() {
    let storage = MemoryStorage::new();
    let file = sealed(&storage, &header(2, 12), &VALUES).publish(true).unwrap();
    let bytes = storage.bytes(&file.path).unwrap();
    storage.put(Path::new("data/chess-krkn.nut.unchecked"), &bytes);
    storage.put(Path::new("data/chess-kk.nut.unchecked"), &bytes);
    assert!(set(&storage).get(2).unwrap().is_checked());
    assert_eq!(remove_unfinished(&storage, Path::new(DIR)).unwrap(), 1);
    assert_eq!(storage.bytes(Path::new("data/chess-krkn.nut.unchecked")), None);
}

#[cfg(unix)]
#[test]
fn opening_a_pipe_does_not_block() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["awari-03.nut", "manifest.json"] {
        let made = std::process::Command::new("mkfifo").arg(dir.path().join(name)).status();
        assert!(made.unwrap().success());
    }
    for map in [false, true] {
        let disk = Disk { map };
        let error = Table::open(&disk, &dir.path().join("awari-03.nut")).unwrap_err();
        assert!(error.to_string().contains("not a regular file"), "{error}");
        let error = Manifest::load(&disk, dir.path()).unwrap_err();
        assert!(error.to_string().contains("not a regular file"), "{error}");
    }
    // What may not be read is not helped by a directory that may be written.
    let header = Header::new("nim", "", 0, 1, 3, "plain-1");
    let path = pack(&Disk::default(), dir.path(), &header, &PackOptions::default(), &[0]);
    let path = path.unwrap().path;
    let mut rights = std::fs::metadata(&path).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0);
    std::fs::set_permissions(&path, rights).unwrap();
    if let Err(error) = Table::open(&Disk::default(), &path) {
        assert!(error.to_string().contains("allow this user to read it"), "{error}");
    }
}

//! Tables of clipped scores beside exact ones.

use std::path::Path;
use std::sync::Arc;

use nutcracker_table::fault::MemoryStorage;
use nutcracker_table::{
    Codec, CodecId, Disk, ErrorKind, Expect, Header, Histogram, MANIFEST, Manifest, Naming,
    PackOptions, Published, Reach, SCORE, Storage, Table, TableError, TableSet, TableWriter, pack,
};

const DIR: &str = "data";
const RANGE: u8 = 9;

fn header(slice: u32, window: u8) -> Header {
    Header {
        reach: Reach::from(window),
        ..Header::new("awari", "pits=6", slice, 100, RANGE, "halves-1")
    }
}

/// Scores from -9 to 9, clipped.
fn values(window: u8) -> Vec<i8> {
    let bound = header(0, window).bound() as i8;
    (0..100).map(|i| (i % 19 - 9).clamp(-bound, bound)).collect()
}

fn reaches(windows: &[u8]) -> Vec<Reach> {
    windows.iter().map(|&window| Reach::from(window)).collect()
}

fn put(storage: &dyn Storage, slice: u32, window: u8) -> Published {
    let header = header(slice, window);
    pack(storage, Path::new(DIR), &header, &PackOptions::default(), &values(window)).unwrap()
}

fn set(storage: &MemoryStorage) -> TableSet {
    TableSet::open(Arc::new(storage.clone()), DIR, "awari", "pits=6", 1 << 20)
}

fn fresh(storage: &dyn Storage) -> Manifest {
    Manifest::load_or_new(storage, Path::new(DIR), "awari", "pits=6", "nutcracker 1").unwrap()
}

fn listed(manifest: &Manifest) -> Vec<(u32, u8, &str)> {
    let entries = manifest.entries().iter();
    entries.map(|entry| (entry.slice, entry.reach.into(), entry.file.as_str())).collect()
}

#[test]
fn the_window_is_in_the_name() {
    assert_eq!(header(30, 0).file_name(), "awari-30.nut");
    assert_eq!(header(30, 4).file_name(), "awari-30-w4.nut");
    assert_eq!(header(7, 1).file_name(), "awari-07-w1.nut");
    assert_eq!(header(100, 8).file_name(), "awari-100-w8.nut");
    let storage = MemoryStorage::new();
    let set = set(&storage);
    for window in [0, 4] {
        assert_eq!(
            set.path(30, Reach::from(window)),
            Path::new(DIR).join(header(30, window).file_name())
        );
        assert_eq!(put(&storage, 30, window).path, set.path(30, Reach::from(window)));
    }
}

#[test]
fn a_window_that_clips_nothing_is_refused() {
    for window in [RANGE, RANGE + 1, 127] {
        let reason = header(1, window).check().unwrap_err();
        assert!(reason.contains("such a table is exact"), "{reason}");
    }
    for window in 0..RANGE {
        header(1, window).check().unwrap();
    }
    let error = Header { range: 0, ..header(0, 1) }.check().unwrap_err();
    assert!(error.contains("window 1"), "{error}");
    Header { range: 0, ..header(0, 0) }.check().unwrap();
}

#[test]
fn scores_at_the_edge_are_clipped_and_others_are_not() {
    let storage = MemoryStorage::new();
    let clipped = Table::open(&storage, &put(&storage, 5, 4).path).unwrap();
    assert_eq!(clipped.header(), &header(5, 4));
    for score in -4..=4 {
        assert_eq!(clipped.is_clipped(score), score == 4 || score == -4, "{score}");
    }
    let exact = Table::open(&storage, &put(&storage, 5, 0).path).unwrap();
    assert!((-9..=9).all(|score| !exact.is_clipped(score)));
    // What is not clipped is the true score, what is clipped lies between it and 0.
    for index in 0..100 {
        let (score, truth) = (clipped.probe(index).unwrap(), exact.probe(index).unwrap());
        if clipped.is_clipped(score) {
            assert!(truth.signum() == score.signum() && truth.abs() >= score.abs());
        } else {
            assert_eq!(score, truth);
        }
    }
}

#[test]
fn a_set_knows_all_files_of_a_slice() {
    let storage = MemoryStorage::new();
    let set = set(&storage);
    for (slice, window) in [(12, 4), (3, 0), (12, 0), (12, 8), (5, 2), (5, 1)] {
        put(&storage, slice, window);
    }
    // Names that are not canonical.
    for other in [
        "awari-06-w0.nut",
        "awari-06-w04.nut",
        "awari-06-w+4.nut",
        "awari-06-w127.nut",
        "awari-06-w300.nut",
        "awari-06-w.nut",
        "awari-6-w4.nut",
        "awari-06-w4-w4.nut",
        "awari-06-4.nut",
        "awari-06-w4.nut.tmp",
        "awari-w4.nut",
    ] {
        storage.put(&Path::new(DIR).join(other), b"x");
    }
    assert_eq!(set.slices().unwrap(), [3, 5, 12]);
    assert_eq!(set.available(3).unwrap(), reaches(&[0]));
    assert_eq!(set.available(5).unwrap(), reaches(&[2, 1]));
    assert_eq!(set.available(12).unwrap(), reaches(&[0, 8, 4]));
    assert_eq!(set.available(6).unwrap(), []);
    for (slice, window) in [(3, 0), (5, 2), (12, 0)] {
        let table = set.get(slice).unwrap();
        assert_eq!(table.header().reach, Reach::from(window));
        assert_eq!(set.probe(slice, 0).unwrap(), values(window)[0]);
        let mut scores = [0; 100];
        set.read(slice, 0, &mut scores).unwrap();
        assert_eq!(scores[..], values(window));
    }
}

#[test]
fn the_narrowest_file_that_serves_a_need() {
    let storage = MemoryStorage::new();
    for window in [0, 3, 6] {
        put(&storage, 12, window);
    }
    put(&storage, 13, 0);
    let set = set(&storage);
    for need in 0..=u8::MAX {
        let table = set.get_for(12, Reach::needed(need)).unwrap();
        let window = match need {
            0..=3 => 3,
            4..=6 => 6,
            _ => 0,
        };
        assert_eq!(table.header().reach, Reach::from(window), "{need}");
        // One file is opened once, whatever the need.
        assert!(Arc::ptr_eq(&table, &set.get_for(12, Reach::needed(need)).unwrap()));
        assert_eq!(set.get_for(13, Reach::needed(need)).unwrap().header().reach, Reach::from(0));
    }
    assert!(Arc::ptr_eq(
        &set.get_for(12, Reach::needed(1)).unwrap(),
        &set.get_for(12, Reach::needed(3)).unwrap()
    ));
    assert!(Arc::ptr_eq(&set.get(12).unwrap(), &set.get_for(12, Reach::needed(9)).unwrap()));
    assert!(!Arc::ptr_eq(&set.get(12).unwrap(), &set.get_for(12, Reach::needed(3)).unwrap()));
}

#[test]
fn blocks_of_different_files_of_a_slice_are_kept_apart() {
    let storage = MemoryStorage::new();
    put(&storage, 12, 0);
    put(&storage, 12, 2);
    let set = set(&storage);
    for _ in 0..2 {
        for (need, window) in [(2, 2), (9, 0)] {
            let table = set.get_for(12, Reach::needed(need)).unwrap();
            for index in 0..100 {
                let score = set.cache().probe(&table, index).unwrap();
                assert_eq!(score, values(window)[index as usize]);
            }
        }
    }
    assert_eq!(set.cache_stats().misses, 2);
}

#[test]
fn a_narrow_window_is_an_error_that_names_both_windows() {
    let storage = MemoryStorage::new();
    for window in [1, 3] {
        put(&storage, 28, window);
    }
    let free = set(&storage);
    let error = free.get_for(28, Reach::needed(5)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotHere);
    assert!(matches!(error, TableError::TooNarrow { .. }));
    assert_eq!(
        error.to_string(),
        "slice 28 of awari in data is available only with window 3, and window 5 is needed; \
         solve it with window 5 or exactly"
    );
    let exact = "slice 28 of awari in data is available only with window 3, and exact scores \
                 are needed; solve it exactly";
    assert_eq!(free.get_for(28, Reach::needed(u8::MAX)).unwrap_err().to_string(), exact);
    // The range turns a need of nine into one of exact scores.
    let expecting = set(&storage).expecting(|slice| {
        let (scheme, metric) = ("halves-1".to_owned(), SCORE.to_owned());
        (slice < 40).then_some(Expect { positions: 100, range: RANGE, scheme, metric })
    });
    assert_eq!(expecting.get_for(28, Reach::needed(RANGE)).unwrap_err().to_string(), exact);
    assert!(
        expecting
            .get_for(28, Reach::needed(RANGE - 1))
            .unwrap_err()
            .to_string()
            .contains("with window 8")
    );
    assert_eq!(expecting.get_for(28, Reach::needed(3)).unwrap().header().reach, Reach::from(3));
    assert_eq!(expecting.get_for(40, Reach::needed(3)).unwrap_err().kind(), ErrorKind::Usage);
    let error = expecting.get_for(29, Reach::needed(3)).unwrap_err();
    assert!(matches!(error, TableError::MissingSlice { slice: 29, .. }), "{error}");
    // A wider file that is added later is found.
    put(&storage, 28, 6);
    assert_eq!(free.get_for(28, Reach::needed(5)).unwrap().header().reach, Reach::from(6));
}

#[test]
fn a_choice_holds_until_it_is_forgotten() {
    let storage = MemoryStorage::new();
    put(&storage, 8, 3);
    let set = set(&storage);
    assert_eq!(set.get(8).unwrap().header().reach, Reach::from(3));
    put(&storage, 8, 0);
    assert_eq!(set.get(8).unwrap().header().reach, Reach::from(3));
    assert_eq!(set.get_for(8, Reach::needed(4)).unwrap().header().reach, Reach::from(0));
    set.forget(8);
    assert_eq!(set.get(8).unwrap().header().reach, Reach::from(0));
}

#[test]
fn a_file_under_the_name_of_another_window_is_refused() {
    let storage = MemoryStorage::new();
    let bytes = storage.bytes(&put(&storage, 8, 3).path).unwrap();
    let set = set(&storage);
    for (window, reason) in
        [(0, "has window 3, but 0 is expected"), (5, "has window 3, but 5 is expected")]
    {
        storage.put(&set.path(8, Reach::from(window)), &bytes);
        set.forget(8);
        for error in [
            set.get(8).unwrap_err(),
            fresh(&storage).reconcile(&storage, Path::new(DIR), &Naming::default()).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::DataBroken);
            assert!(error.to_string().contains(reason), "{error}");
        }
        storage.remove(&set.path(8, Reach::from(window))).unwrap();
    }
}

#[test]
fn a_manifest_has_an_entry_for_each_file() {
    let storage = MemoryStorage::new();
    let mut manifest = fresh(&storage);
    for (slice, window) in [(5, 2), (12, 4), (12, 0), (3, 0), (5, 1), (12, 8)] {
        manifest.record(&put(&storage, slice, window));
    }
    let all = [
        (3, 0, "awari-03.nut"),
        (5, 2, "awari-05-w2.nut"),
        (5, 1, "awari-05-w1.nut"),
        (12, 0, "awari-12.nut"),
        (12, 8, "awari-12-w8.nut"),
        (12, 4, "awari-12-w4.nut"),
    ];
    assert_eq!(listed(&manifest), all);
    manifest.save(&storage, Path::new(DIR)).unwrap();
    let mut manifest = Manifest::load(&storage, Path::new(DIR)).unwrap();
    assert_eq!(listed(&manifest), all);
    for (slice, window) in [(3, 0), (5, 2), (12, 0)] {
        assert_eq!(manifest.entry(slice).unwrap().reach, Reach::from(window));
    }
    for slice in [0, 4, 13] {
        assert_eq!(manifest.entry(slice), None);
    }
    assert_eq!(manifest.entry_for(12, Reach::from(4)).unwrap().file, "awari-12-w4.nut");
    assert_eq!(manifest.entry_for(12, Reach::from(5)), None);
    assert_eq!(manifest.entry_for(5, Reach::from(0)), None);
    // Each file is compared with its own entry.
    for entry in manifest.entries() {
        let table = Table::open(&storage, &Path::new(DIR).join(&entry.file)).unwrap();
        manifest.check(&table).unwrap();
    }
    let table = Table::open(&storage, &Path::new(DIR).join("awari-12-w4.nut")).unwrap();
    assert_eq!(manifest.remove(12, Reach::from(4)).unwrap().file, "awari-12-w4.nut");
    assert_eq!(manifest.remove(12, Reach::from(4)), None);
    assert_eq!(manifest.check(&table).unwrap_err().kind(), ErrorKind::DataBroken);
    manifest.adopt(&table).unwrap();
    assert_eq!(listed(&manifest), all);
    manifest.check(&table).unwrap();
}

#[test]
fn every_file_of_a_slice_is_reconciled() {
    let storage = MemoryStorage::new();
    let dir = Path::new(DIR);
    let mut manifest = fresh(&storage);
    for window in [0, 2, 5] {
        manifest.record(&put(&storage, 12, window));
    }
    assert!(manifest.reconcile(&storage, dir, &Naming::default()).unwrap().is_clean());
    // Two files missing, one of another slice new, one replaced.
    storage.remove(&dir.join("awari-12.nut")).unwrap();
    storage.remove(&dir.join("awari-12-w5.nut")).unwrap();
    storage.remove(&dir.join("awari-12-w2.nut")).unwrap();
    put(&storage, 13, 4);
    pack(&storage, dir, &header(12, 2), &PackOptions::default(), &[-2; 100]).unwrap();
    let result = manifest.reconcile(&storage, dir, &Naming::default()).unwrap();
    assert_eq!(result.adopted, [(12, Reach::from(2)), (13, Reach::from(4))]);
    assert_eq!(result.missing, [(12, Reach::Exact), (12, Reach::from(5))]);
    assert_eq!(listed(&manifest), [(12, 2, "awari-12-w2.nut"), (13, 4, "awari-13-w4.nut")]);
    assert_eq!(manifest.entry(12).unwrap().histogram.losses(), 100);
}

#[test]
fn manifests_with_wrong_windows_are_named() {
    let storage = MemoryStorage::new();
    let mut manifest = fresh(&storage);
    for window in [0, 2, 5] {
        manifest.record(&put(&storage, 12, window));
    }
    manifest.save(&storage, Path::new(DIR)).unwrap();
    let path = Path::new(DIR).join(MANIFEST);
    let good = String::from_utf8(storage.bytes(&path).unwrap()).unwrap();
    for (from, to, reason) in [
        ("\"window\": 5", "\"window\": 1", "order"),
        ("\"window\": 5", "\"window\": 2", "order"),
        ("\"window\": 2", "\"window\": 0", "order"),
        ("\"window\": 5", "\"window\": 6", "slice 12 has file \"awari-12-w5.nut\""),
        ("awari-12-w2.nut", "awari-12.nut", "slice 12 has file \"awari-12.nut\""),
    ] {
        storage.put(&path, good.replacen(from, to, 1).as_bytes());
        let error = Manifest::load(&storage, Path::new(DIR)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DataBroken);
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_manifest_without_windows_is_read() {
    let text = r#"{
  "version": 1,
  "program": "nutcracker 0.1.0",
  "game": "awari",
  "options": "pits=6",
  "slices": [
    { "slice": 0, "positions": 1, "range": 0, "window": 0, "scheme": "halves-1",
      "file": "awari-00.nut", "bytes": 180, "blake3": "00", "histogram": [[0, 1]] },
    { "slice": 1, "positions": 12, "range": 1, "window": 0, "scheme": "halves-1",
      "file": "awari-01.nut", "bytes": 190, "blake3": "01", "histogram": [[-1, 5], [1, 7]] }
  ]
}"#;
    let storage = MemoryStorage::new();
    storage.put(&Path::new(DIR).join(MANIFEST), text.as_bytes());
    let manifest = fresh(&storage);
    assert_eq!(listed(&manifest), [(0, 0, "awari-00.nut"), (1, 0, "awari-01.nut")]);
    assert_eq!(manifest.entry(1), manifest.entry_for(1, Reach::from(0)));
}

fn assert_refused(error: &TableError, name: &str) {
    assert_eq!(error.kind(), ErrorKind::Usage);
    let text = error.to_string();
    let reason = format!("{name} exists already, and finished files are not changed");
    assert!(text.contains(&reason), "{text}");
}

#[test]
fn a_finished_file_is_not_replaced() {
    let real = tempfile::tempdir().unwrap();
    let (memory, disk) = (MemoryStorage::new(), Disk::default());
    for (storage, dir) in [(&memory as &dyn Storage, Path::new(DIR)), (&disk, real.path())] {
        let options = PackOptions::default();
        for window in [0, 4] {
            let sealed = pack(storage, dir, &header(6, window), &options, &values(window)).unwrap();
            let error = pack(storage, dir, &header(6, window), &options, &[0; 100]).unwrap_err();
            assert_refused(&error, &header(6, window).file_name());
            let table = Table::open(storage, &sealed.path).unwrap();
            assert_eq!(table.blake3(), sealed.blake3);
            table.verify_file(|_| {}).unwrap();
        }
        assert_eq!(storage.list(dir).unwrap(), ["awari-06-w4.nut", "awari-06.nut"]);
        // Once removed, it can be built again.
        storage.remove(&dir.join("awari-06.nut")).unwrap();
        pack(storage, dir, &header(6, 0), &options, &[0; 100]).unwrap();
    }
}

#[test]
fn a_file_that_was_finished_meanwhile_is_not_replaced() {
    let storage = MemoryStorage::new();
    let dir = Path::new(DIR);
    let codec = Codec::new(CodecId::Zstd, 1, &[]);
    let mut writer = TableWriter::create(&storage, dir, &header(6, 4), &codec).unwrap();
    writer.append(&[0, 1], 100).unwrap();
    let path = dir.join("awari-06-w4.nut");
    storage.put(&path, b"another one");
    let counts: Histogram = [(1, 100)].into_iter().collect();
    let error = writer.seal(&counts.into()).unwrap().publish(true).unwrap_err();
    assert_refused(&error, "awari-06-w4.nut");
    assert_eq!(storage.bytes(&path).unwrap(), b"another one");
    assert_eq!(storage.list(dir).unwrap(), ["awari-06-w4.nut"]);
}

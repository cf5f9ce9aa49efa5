//! Cache and set: the right score by every method, from many threads.

use std::path::Path;
use std::sync::Arc;

use nutcracker_table::fault::MemoryStorage;
use nutcracker_table::{
    BlockCache, Disk, ErrorKind, Expect, Header, PackOptions, Reach, SCORE, Storage, Table,
    TableSet, pack,
};

const DIR: &str = "data";

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn values(slice: u32, len: u32) -> Vec<i8> {
    (0..len).map(|i| ((i.wrapping_mul(2_654_435_761) >> 16) % (slice % 50 + 2)) as i8).collect()
}

fn put(storage: &dyn Storage, slice: u32, len: u32) -> Vec<i8> {
    let values = values(slice, len);
    let header = Header::new("awari", "pits=6", slice, len.into(), 60, "halves-1");
    let header = Header { block_positions: 512, ..header };
    pack(storage, Path::new(DIR), &header, &PackOptions::default(), &values).unwrap();
    values
}

#[test]
fn a_tiny_cache_and_many_threads() {
    let storage = MemoryStorage::new();
    let truth: Vec<_> = (0..3).map(|slice| put(&storage, slice, 20_000)).collect();
    for capacity in [0, 600, 1500, 5000, 200_000, 8 << 20] {
        let set = TableSet::open(Arc::new(storage.clone()), DIR, "awari", "pits=6", capacity);
        std::thread::scope(|scope| {
            for thread in 1..5 {
                let (set, truth) = (&set, &truth);
                scope.spawn(move || {
                    let mut state = thread * 0x9E37_79B9;
                    for _ in 0..3000 {
                        let slice = random(&mut state) % 3;
                        // Mostly a few hot blocks.
                        let reach = if random(&mut state) % 4 < 3 { 1500 } else { 20_000 };
                        let index = random(&mut state) % reach;
                        let score = set.probe(slice as u32, index).unwrap();
                        assert_eq!(score, truth[slice as usize][index as usize]);
                    }
                    let mut part = [0; 1300];
                    set.read(2, 700, &mut part).unwrap();
                    assert_eq!(part[..], truth[2][700..2000]);
                });
            }
        });
        let stats = set.cache_stats();
        assert!(stats.bytes <= capacity as u64, "{stats:?}");
        assert!(stats.hits + stats.misses >= 12_000);
        assert!(capacity > 0 || stats.hits == 0, "{stats:?}");
        assert!(capacity < 5000 || stats.hits > 1000, "{stats:?}");
    }
}

#[test]
fn hot_blocks_stay() {
    let storage = MemoryStorage::new();
    put(&storage, 0, 100 * 512);
    let table = Table::open(&storage, &Path::new(DIR).join("awari-00.nut")).unwrap();
    let cache = BlockCache::new(10 * (512 + 96));
    let mut misses_of_hot = 0;
    for round in 0..1000 {
        cache.probe(&table, 512 + round % 99 * 512).unwrap();
        let before = cache.stats().misses;
        cache.probe(&table, round % 512).unwrap();
        misses_of_hot += cache.stats().misses - before;
    }
    assert!(misses_of_hot < 5, "{misses_of_hot}");
}

#[test]
fn a_reopened_table_does_not_see_the_old_blocks() {
    let storage = MemoryStorage::new();
    put(&storage, 4, 1000);
    let set = TableSet::open(Arc::new(storage.clone()), DIR, "awari", "pits=6", 1 << 20);
    let old = set.probe(4, 7).unwrap();
    let header = Header::new("awari", "pits=6", 4, 1000, 60, "halves-1");
    let new = old + 1;
    let options = PackOptions::default();
    storage.remove(&set.path(4, Reach::Exact)).unwrap();
    pack(&storage, Path::new(DIR), &header, &options, &[new; 1000]).unwrap();
    assert_eq!(set.probe(4, 7).unwrap(), old);
    set.forget(4);
    assert_eq!(set.probe(4, 7).unwrap(), new);
}

#[test]
fn a_set_finds_its_slices() {
    let storage = MemoryStorage::new();
    let set = TableSet::open(Arc::new(storage.clone()), DIR, "awari", "pits=6", 0);
    assert_eq!(set.slices().unwrap(), [0u32; 0]);
    for slice in [100, 3, 12] {
        put(&storage, slice, 10);
    }
    for other in ["awari-5.nut", "awari-+7.nut", "awari-08.nut.tmp", "kalah-09.nut", "awari-.nut"] {
        storage.put(&Path::new(DIR).join(other), b"x");
    }
    assert_eq!(set.slices().unwrap(), [3, 12, 100]);
    let error = set.probe(5, 0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotHere);
    assert_eq!(
        error.to_string(),
        "there is no awari table for slice 5 in data; solve that slice first"
    );
    let error = set.probe(3, 10).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert_eq!(error.to_string(), "index 10 is not in data/awari-03.nut, which has 10 positions");
    assert_eq!(set.read(3, u64::MAX, &mut [0; 2]).unwrap_err().kind(), ErrorKind::Usage);
    let nowhere = TableSet::open(Arc::new(Disk::default()), "/nonexistent/x", "awari", "", 0);
    assert_eq!(nowhere.slices().unwrap(), [0u32; 0]);
    assert_eq!(nowhere.get(0).unwrap_err().kind(), ErrorKind::NotHere);
}

#[test]
fn a_set_rejects_foreign_tables() {
    let storage = MemoryStorage::new();
    put(&storage, 3, 10);
    let bytes = storage.bytes(&Path::new(DIR).join("awari-03.nut")).unwrap();
    storage.put(&Path::new(DIR).join("awari-04.nut"), &bytes);
    storage.put(&Path::new(DIR).join("kalah-03.nut"), &bytes);
    let storage: Arc<dyn Storage> = Arc::new(storage);
    let open = |game: &str, options: &str| TableSet::open(storage.clone(), DIR, game, options, 0);
    let expecting = |positions, range, scheme: &'static str| {
        open("awari", "pits=6").expecting(move |slice| {
            (slice < 5).then(|| Expect {
                positions,
                range,
                scheme: scheme.to_owned(),
                metric: SCORE.to_owned(),
            })
        })
    };
    assert!(expecting(10, 60, "halves-1").get(3).is_ok());
    for (set, slice, reason) in [
        (open("awari", "pits=6"), 4, "has slice 3, but 4 is expected"),
        (open("kalah", "pits=6"), 3, "has game \"awari\", but \"kalah\" is expected"),
        (open("awari", "pits=5"), 3, "has rule options \"pits=6\", but \"pits=5\" is expected"),
        (expecting(11, 60, "halves-1"), 3, "has number of positions 10, but 11 is expected"),
        (expecting(10, 61, "halves-1"), 3, "has score range 60, but 61 is expected"),
        (expecting(10, 60, "halves-2"), 3, "has index scheme \"halves-1\", but \"halves-2\""),
    ] {
        let error = set.get(slice).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DataBroken);
        assert!(error.to_string().contains(reason), "{error}");
    }
    let error = expecting(10, 60, "halves-1").get(5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
}

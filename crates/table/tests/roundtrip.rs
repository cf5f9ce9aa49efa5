//! Values are read as they were written, with every codec, block size, number of threads and way of
//! reading.

use std::path::Path;

use nutcracker_table::fault::MemoryStorage;
use nutcracker_table::{
    Codec, CodecId, Disk, ErrorKind, Header, Histogram, PackOptions, Reach, Statistics, Table,
    TableWriter, pack, pack_with,
};
use proptest::prelude::*;

fn header(values: &[i8], codec: CodecId, block_positions: u32) -> Header {
    let header = Header::new("awari", "pits=6", 7, values.len() as u64, 127, "halves-1");
    Header { codec, block_positions, ..header }
}

/// Scores that look like a game's: runs, noise, constant stretches.
fn scores(len: usize) -> Vec<i8> {
    let mut state = 1u32;
    (0..len)
        .map(|i| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if i % 5000 < 1500 { 3 } else { (state >> 28) as i8 - (i / 37 % 9) as i8 }
        })
        .collect()
}

fn counts(counts: &[(i8, u64)]) -> Statistics {
    counts.iter().copied().collect::<Histogram>().into()
}

fn check(storage: &MemoryStorage, path: &Path, values: &[i8]) {
    let table = Table::open(storage, path).unwrap();
    let mut all = vec![0; values.len()];
    table.read(0, &mut all).unwrap();
    assert!(all == values);
    table.verify_file(|_| {}).unwrap();
    let mut counted = Histogram::new();
    counted.add(values);
    assert_eq!(*table.histogram(), counted);
    assert_eq!(table.probe(values.len() as u64).unwrap_err().kind(), ErrorKind::Usage);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_values(
        values in prop_oneof![
            prop::collection::vec(-127i8..=127, 0..2000),
            prop::collection::vec(-1i8..=1, 0..2000),
            prop::collection::vec(Just(-5i8), 0..2000),
        ],
        codec in prop::sample::select(CodecId::ALL.to_vec()),
        block_positions in 1u32..700,
        level in -3..22,
        threads in 0usize..4,
        at in any::<prop::sample::Index>(),
        len in 0usize..900,
    ) {
        let storage = MemoryStorage::new();
        let header = header(&values, codec, block_positions);
        let options = PackOptions { level, dictionary_bytes: 512, threads, exact: None };
        let sealed = pack(&storage, Path::new("d"), &header, &options, &values).unwrap();
        check(&storage, &sealed.path, &values);
        if !values.is_empty() {
            let start = at.index(values.len());
            let table = Table::open(&storage, &sealed.path).unwrap();
            prop_assert_eq!(table.probe(start as u64).unwrap(), values[start]);
            let mut part = vec![0; len.min(values.len() - start)];
            table.read(start as u64, &mut part).unwrap();
            prop_assert_eq!(&part[..], &values[start..start + part.len()]);
        }
    }

    #[test]
    fn any_bytes_decode_or_fail(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        method in 0u8..4,
        len in 0usize..1000,
        codec in prop::sample::select(CodecId::ALL.to_vec()),
    ) {
        let codec = Codec::new(codec, 3, b"some dictionary");
        let mut out = vec![0; len];
        let _ = codec.decode(&bytes, &mut out);
        let _ = codec.decode(&[&[method], &bytes[..]].concat(), &mut out);
    }
}

#[test]
fn the_same_bytes_whatever_the_threads() {
    let values = scores(300_000);
    for codec in CodecId::ALL {
        let files: Vec<_> = [1, 2, 3, 8]
            .map(|threads| {
                let storage = MemoryStorage::new();
                let header = header(&values, codec, 1024);
                let options = PackOptions { threads, ..PackOptions::default() };
                let sealed = pack(&storage, Path::new("d"), &header, &options, &values).unwrap();
                check(&storage, &sealed.path, &values);
                storage.bytes(&sealed.path).unwrap()
            })
            .into();
        assert!(files.windows(2).all(|pair| pair[0] == pair[1]), "{codec}");
    }
}

#[test]
fn a_dictionary_is_trained_and_used() {
    let values: Vec<i8> = (0..200_000u64).map(|i| (i * i % 1009 % 11) as i8).collect();
    let bytes = [CodecId::Raw, CodecId::Zstd, CodecId::ZstdDictionary].map(|codec| {
        let storage = MemoryStorage::new();
        let header = header(&values, codec, 256);
        let options = PackOptions { dictionary_bytes: 4096, ..PackOptions::default() };
        let sealed = pack(&storage, Path::new("d"), &header, &options, &values).unwrap();
        check(&storage, &sealed.path, &values);
        sealed.bytes
    });
    assert!(bytes[0] > bytes[1] && bytes[1] > bytes[2], "{bytes:?}");
}

#[test]
fn constant_blocks_cost_two_bytes() {
    for codec in CodecId::ALL {
        let mut out = Vec::new();
        Codec::new(codec, 5, &[]).encode(&[-4; 8192], &mut out);
        assert_eq!(out.len(), 2);
    }
}

#[test]
fn from_the_disk_by_map_and_by_read() {
    let dir = tempfile::tempdir().unwrap();
    let values = scores(50_000);
    let header = header(&values, CodecId::Zstd, 4096);
    let options = PackOptions { threads: 2, ..PackOptions::default() };
    let dir = dir.path().join("new").join("awari");
    let sealed = pack(&Disk::default(), &dir, &header, &options, &values).unwrap();
    assert_eq!(sealed.path, dir.join("awari-07.nut"));
    assert_eq!(std::fs::metadata(&sealed.path).unwrap().len(), sealed.bytes);
    for map in [true, false] {
        let table = Table::open(&Disk { map }, &sealed.path).unwrap();
        assert_eq!(*table.header(), header);
        assert_eq!(table.blake3(), sealed.blake3);
        table.verify_file(|_| {}).unwrap();
        for index in (0..50_000).step_by(997) {
            assert_eq!(table.probe(index).unwrap(), values[index as usize]);
        }
    }
    let names: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["awari-07.nut"]);
}

#[test]
fn the_blake3_is_of_all_but_the_last_40_bytes() {
    let storage = MemoryStorage::new();
    let values = scores(3000);
    let header = header(&values, CodecId::Zstd, 512);
    let sealed = pack(&storage, Path::new("d"), &header, &PackOptions::default(), &values).unwrap();
    let bytes = storage.bytes(&sealed.path).unwrap();
    assert_eq!(blake3::hash(&bytes[..bytes.len() - 40]).to_hex().as_str(), sealed.blake3);
}

#[test]
fn scores_outside_range_or_window_are_refused() {
    let storage = MemoryStorage::new();
    let dir = Path::new("d");
    let fits = [0, 3, -3, 1];
    let mut header = Header::new("nim", "", 0, 4, 3, "plain-1");
    let options = PackOptions::default();
    for wrong in [[0, 4, 0, 0], [0, 0, 0, -127]] {
        let error = pack(&storage, dir, &header, &options, &wrong).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.to_string().contains("nim-00.nut: the histogram"), "{error}");
    }
    pack(&storage, dir, &header, &options, &fits).unwrap();
    header.reach = Reach::from(2);
    let error = pack(&storage, dir, &header, &options, &fits).unwrap_err();
    assert!(error.to_string().contains("nim-00-w2.nut: the histogram"), "{error}");
    let sealed = pack(&storage, dir, &header, &options, &[0, 2, -2, 1]).unwrap();
    check(&storage, &sealed.path, &[0, 2, -2, 1]);
}

#[test]
fn headers_that_no_table_can_have_are_refused() {
    let good = Header::new("nim", "", 0, 4, 3, "plain-1");
    let wrong = [
        Header { game: String::new(), ..good.clone() },
        Header { game: "../nim".into(), ..good.clone() },
        Header { options: "x".repeat(256), ..good.clone() },
        Header { scheme: "a\nb".into(), ..good.clone() },
        Header { block_positions: 0, ..good.clone() },
        Header { block_positions: u32::MAX, ..good.clone() },
        Header { range: 128, ..good.clone() },
        Header { reach: Reach::from(128), ..good.clone() },
        Header { reach: Reach::from(3), ..good.clone() },
        Header { range: 0, reach: Reach::from(1), ..good.clone() },
        Header { positions: 5, ..good.clone() },
    ];
    for header in wrong {
        let storage = MemoryStorage::new();
        let error = pack(&storage, Path::new("d"), &header, &PackOptions::default(), &[0; 4]);
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Usage, "{header:?}");
        assert_eq!(storage.operations(), 0);
    }
}

#[test]
fn blocks_must_come_complete() {
    let storage = MemoryStorage::new();
    let dir = Path::new("d");
    let header = Header { block_positions: 2, ..Header::new("nim", "", 0, 3, 3, "plain-1") };
    let codec = Codec::new(CodecId::Zstd, 5, &[]);
    let mut writer = TableWriter::create(&storage, dir, &header, &codec).unwrap();
    assert!(writer.append(&[0, 1], 1).is_err());
    writer.append(&[0, 1], 2).unwrap();
    let error = writer.seal(&counts(&[(1, 2)])).unwrap_err();
    assert!(error.to_string().contains("1 of 2 blocks"), "{error}");
    let mut writer = TableWriter::create(&storage, dir, &header, &codec).unwrap();
    writer.append(&[0, 1], 2).unwrap();
    writer.append(&[0, 1], 1).unwrap();
    assert!(writer.append(&[0, 1], 1).is_err());
    let error = writer.seal(&counts(&[(1, 2)])).unwrap_err();
    assert!(error.to_string().contains("histogram"), "{error}");
    let raw = Codec::new(CodecId::Raw, 0, &[]);
    assert!(TableWriter::create(&storage, dir, &header, &raw).is_err());
    assert_eq!(storage.bytes(&dir.join("nim-00.nut.tmp")), None);
    assert_eq!(storage.bytes(&dir.join("nim-00.nut")), None);
}

#[test]
fn a_panic_in_fill_reaches_the_caller_and_leaves_no_file() {
    let storage = MemoryStorage::new();
    let header = Header { block_positions: 1, ..Header::new("nim", "", 0, 1000, 3, "plain-1") };
    let options = PackOptions { threads: 3, ..PackOptions::default() };
    let result = std::panic::catch_unwind(|| {
        pack_with(&storage, Path::new("d"), &header, &options, |start, _| {
            assert!(start != 500, "asked for 500");
            Ok(())
        })
    });
    assert!(result.is_err());
    assert_eq!(storage.bytes(Path::new("d/nim-00.nut")), None);
    assert_eq!(storage.bytes(Path::new("d/nim-00.nut.tmp")), None);
}

//! Damaged, foreign and hostile files: a clear error, never a wrong score.

use std::path::Path;

use nutcracker_table::fault::MemoryStorage;
use nutcracker_table::{
    BlockCache, Codec, CodecId, Disk, ErrorKind, Header, Histogram, Result, Statistics, Table,
    TableError, TableWriter,
};
use xxhash_rust::xxh3::xxh3_64;

const PATH: &str = "data/awari-03.nut";

fn values() -> Vec<i8> {
    // Noise, a constant block, repetition: all methods of blocks occur.
    let noise = (0..64).map(|i: i32| (i * i * 7919 % 251 - 125) as i8);
    let same = std::iter::repeat_n(2, 64);
    noise.chain(same).chain((0..150).map(|i| (i % 3) as i8)).collect()
}

/// A small file with a dictionary if the codec has one; compact, with a digest, if the codec is that of
/// compact tables.
fn file(codec: CodecId) -> Vec<u8> {
    let storage = MemoryStorage::new();
    let values = values();
    let header = Header::new("awari", "pits=6", 3, values.len() as u64, 127, "halves-1");
    let compact = (codec == CodecId::Runs).then_some([7; 32]);
    let header = Header { codec, block_positions: 64, compact, ..header };
    let codec = Codec::new(codec, 5, &[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
    let mut writer = TableWriter::create(&storage, Path::new("data"), &header, &codec).unwrap();
    let mut histogram = Histogram::new();
    for block in values.chunks(64) {
        let mut encoded = Vec::new();
        codec.encode(block, &mut encoded);
        histogram.add(block);
        writer.append(&encoded, block.len()).unwrap();
    }
    let sealed = writer.seal(&histogram.clone().into()).unwrap().publish(true).unwrap();
    storage.bytes(&sealed.path).unwrap()
}

fn counts(counts: &[(i8, u64)]) -> Statistics {
    counts.iter().copied().collect::<Histogram>().into()
}

fn open(bytes: &[u8]) -> Result<Table> {
    let storage = MemoryStorage::new();
    storage.put(Path::new(PATH), bytes);
    Table::open(&storage, Path::new(PATH))
}

fn assert_clear(error: &TableError) {
    let text = error.to_string();
    assert!(text.contains(PATH), "{text}");
    assert!(!text.contains('\n'), "{text}");
    assert_eq!(error.kind(), ErrorKind::DataBroken, "{text}");
}

#[test]
fn every_flipped_byte_is_detected() {
    let values = values();
    for codec in CodecId::ALL {
        let good = file(codec);
        open(&good).unwrap().verify_file(|_| {}).unwrap();
        for place in 0..good.len() {
            for pattern in [0x01, 0x80, 0xFF, 0x20, 0x5A] {
                let mut bad = good.clone();
                bad[place] ^= pattern;
                let table = match open(&bad) {
                    Ok(table) => table,
                    Err(error) => {
                        assert_clear(&error);
                        continue;
                    }
                };
                let error = table.verify_file(|_| {}).expect_err("damage must be found");
                assert_clear(&error);
                let cache = BlockCache::new(1 << 20);
                for (index, &value) in values.iter().enumerate() {
                    for probed in [table.probe(index as u64), cache.probe(&table, index as u64)] {
                        match probed {
                            Ok(score) => assert_eq!(score, value, "byte {place}"),
                            Err(error) => assert_clear(&error),
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_truncation_is_detected() {
    for codec in CodecId::ALL {
        let good = file(codec);
        for len in 0..good.len() {
            assert_clear(&open(&good[..len]).unwrap_err());
        }
    }
}

#[test]
fn appended_bytes_are_detected() {
    let good = file(CodecId::Zstd);
    for added in [&[0][..], &[0; 64], &[0xFF; 1000], &good] {
        assert_clear(&open(&[&good, added].concat()).unwrap_err());
        assert_clear(&open(&[added, &good].concat()).map(|_| ()).err().unwrap_or_else(|| {
            // A file appended to garbage ends with a valid trailer.
            panic!("garbage of {} bytes in front was not found", added.len())
        }));
    }
}

#[test]
fn swapped_blocks_are_detected() {
    let values: Vec<i8> = (0..64).map(|i| if i < 32 { 1 } else { 2 }).collect();
    let storage = MemoryStorage::new();
    let header = Header::new("awari", "", 3, 64, 127, "halves-1");
    let header = Header { block_positions: 32, ..header };
    let sealed = nutcracker_table::pack(
        &storage,
        Path::new("data"),
        &header,
        &nutcracker_table::PackOptions::default(),
        &values,
    )
    .unwrap();
    let mut bytes = storage.bytes(&sealed.path).unwrap();
    let start = u16::from_le_bytes([bytes[10], bytes[11]]) as usize;
    assert_eq!(bytes[start..start + 4], [0, 1, 0, 2]);
    bytes.swap(start + 1, start + 3);
    let table = open(&bytes).unwrap();
    assert_clear(&table.probe(0).unwrap_err());
    assert_clear(&table.probe(40).unwrap_err());
}

#[test]
fn messages_name_the_reason() {
    let good = file(CodecId::Zstd);
    let mut newer = good.clone();
    newer[8] = 9;
    let mut version_0 = good.clone();
    version_0[8] = 0;
    let mut as_text = good.clone();
    as_text.remove(4);
    let mut block = good.clone();
    block[u16::from_le_bytes([good[10], good[11]]) as usize + 5] ^= 1;
    for (bytes, reason) in [
        (vec![], "it is empty"),
        (b"# Some other file\n".to_vec(), "not a nutcracker file"),
        (vec![0; 5000], "not a nutcracker file"),
        (newer, "format version 9"),
        (version_0, "version is 0"),
        (as_text, "transfer as text"),
        (good[..5].to_vec(), "first 8 bytes"),
        (good[..50].to_vec(), "within its header"),
        (good[..good.len() - 1].to_vec(), "cut off"),
        (good[..good.len() / 2].to_vec(), "cut off"),
        (block, "block 0 at byte"),
    ] {
        let error = open(&bytes).and_then(|table| table.probe(0)).unwrap_err();
        assert_clear(&error);
        assert!(error.to_string().contains(reason), "{error} / {reason}");
    }
}

#[test]
fn only_regular_files_are_opened() {
    let dir = tempfile::tempdir().unwrap();
    for map in [true, false] {
        let error = Table::open(&Disk { map }, dir.path()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        let missing = Table::open(&Disk { map }, &dir.path().join("none")).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotHere, "{missing}");
        let empty = dir.path().join("empty");
        std::fs::write(&empty, []).unwrap();
        let error = Table::open(&Disk { map }, &empty).unwrap_err();
        assert!(error.to_string().contains("it is empty"), "{error}");
    }
}

/// Writes a field of the header and fixes all checksums, as an attacker would.
fn forge(mut bytes: Vec<u8>, place: usize, field: &[u8]) -> Vec<u8> {
    bytes[place..place + field.len()].copy_from_slice(field);
    let header = u16::from_le_bytes([bytes[10], bytes[11]]) as usize;
    if (55..bytes.len()).contains(&header) {
        let sum = xxh3_64(&bytes[..header - 8]);
        bytes[header - 8..header].copy_from_slice(&sum.to_le_bytes());
    }
    seal(&mut bytes);
    bytes
}

fn seal(bytes: &mut [u8]) {
    let trailer = bytes.len() - 64;
    let index = u64::from_le_bytes(bytes[trailer..trailer + 8].try_into().unwrap());
    if let Some(index) = bytes.get(index as usize..trailer) {
        let sum = xxh3_64(index);
        bytes[trailer + 8..trailer + 16].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = xxh3_64(&bytes[trailer..trailer + 56]);
    bytes[trailer + 56..].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn forged_headers_neither_panic_nor_allocate() {
    for codec in CodecId::ALL {
        let good = file(codec);
        assert_eq!(forge(good.clone(), 12, &3u32.to_le_bytes()), good);
        let trailer = good.len() - 64;
        let index = u64::from_le_bytes(good[trailer..trailer + 8].try_into().unwrap()) as usize;
        let histogram = index + 12 * values().len().div_ceil(64) + 8;
        let huge = u64::MAX.to_le_bytes();
        for (place, field) in [
            (10, &u16::MAX.to_le_bytes()[..]),
            (10, &60u16.to_le_bytes()),
            (16, &huge),
            (16, &(1u64 << 60).to_le_bytes()),
            (16, &0u64.to_le_bytes()),
            (16, &100u64.to_le_bytes()),
            (24, &0u32.to_le_bytes()),
            (24, &u32::MAX.to_le_bytes()),
            (24, &(1u32 << 20).to_le_bytes()),
            (28, &[128]),
            (28, &[1]),
            (29, &[255]),
            (29, &[127]),
            (30, &77u16.to_le_bytes()),
            (32, &u32::MAX.to_le_bytes()),
            (32, &(1u32 << 24).to_le_bytes()),
            (32, &(good.len() as u32).to_le_bytes()),
            (44, &[255]),
            (44, &[0]),
            (45, &[0xC3, 0x28]),
            (45, b"/"),
            (index, &u32::MAX.to_le_bytes()),
            (index, &0u32.to_le_bytes()),
            (histogram, &u16::MAX.to_le_bytes()),
            (histogram + 3, &huge),
            (trailer, &huge),
            (trailer, &0u64.to_le_bytes()),
            (trailer, &(trailer as u64).to_le_bytes()),
            (trailer + 16, &huge),
        ] {
            let error = open(&forge(good.clone(), place, field)).unwrap_err();
            assert_clear(&error);
        }
    }
}

#[test]
fn forged_blocks_neither_panic_nor_exceed_the_range() {
    let values = [1, 2, 3, 4];
    let good_histogram: Histogram = values.iter().map(|&value| (value, 1)).collect();
    let mut bomb = vec![2];
    bomb.extend(zstd::bulk::compress(&vec![1; 50_000_000], 1).unwrap());
    let mut long = vec![2];
    long.extend(zstd::bulk::compress(&[1, 2, 3, 4, 4], 1).unwrap());
    let mut short = vec![2];
    short.extend(zstd::bulk::compress(&[1, 2, 3], 1).unwrap());
    for block in [
        &[0][..],
        &[0, 1, 1],
        &[1, 1, 2, 3],
        &[1, 1, 2, 3, 5],
        &[1, 1, 2, 3, 0x80],
        &[2],
        &[2, 1, 2, 3, 4],
        &[3, 1, 2, 3, 4],
        &bomb,
        &long,
        &short,
    ] {
        let storage = MemoryStorage::new();
        let header = Header::new("awari", "", 3, 4, 4, "halves-1");
        let codec = Codec::new(CodecId::Zstd, 1, &[]);
        let mut writer = TableWriter::create(&storage, Path::new("data"), &header, &codec).unwrap();
        writer.append(block, 4).unwrap();
        let path = writer.seal(&good_histogram.clone().into()).unwrap().publish(true).unwrap().path;
        let table = Table::open(&storage, &path).unwrap();
        assert_clear(&table.probe(0).unwrap_err());
        assert_clear(&table.verify_file(|_| {}).unwrap_err());
    }
}

#[test]
fn a_wrong_histogram_is_detected() {
    let storage = MemoryStorage::new();
    let header = Header::new("awari", "", 3, 4, 4, "halves-1");
    let codec = Codec::new(CodecId::Zstd, 1, &[]);
    let mut writer = TableWriter::create(&storage, Path::new("data"), &header, &codec).unwrap();
    writer.append(&[0, 1], 4).unwrap();
    let path = writer.seal(&counts(&[(1, 3), (2, 1)])).unwrap().publish(true).unwrap().path;
    let error = Table::open(&storage, &path).unwrap().verify_file(|_| {}).unwrap_err();
    assert!(error.to_string().contains("histogram"), "{error}");
}

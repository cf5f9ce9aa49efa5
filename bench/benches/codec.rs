//! Block sizes and codecs on awari scores: the table in `docs/database-format.md`.
//!
//! `cargo bench -p nutcracker-bench --bench codec`; `STONES=18` for another slice.

use std::time::Instant;

use nutcracker_bench::ScoreArrays;
use nutcracker_games::awari::Awari;
use nutcracker_table::{Codec, CodecId, train_dictionary};

/// Positions encoded for each line, in blocks spread evenly over the slice.
const SAMPLE: usize = 3_000_000;
/// Bytes of the block index for each block.
const INDEX: f64 = 12.0;

fn main() {
    let stones: u32 =
        std::env::var("STONES").map_or(16, |stones| stones.parse().expect("a number"));
    let awari = Awari::new(6).expect("awari has six pits");
    let scores = ScoreArrays::below(&awari, stones + 1).0.pop().expect("a slice was solved");
    println!("| block | codec | bits a position | encode, ns a position | decode, µs a block |");
    println!("|---|---|---|---|---|");
    for block in [4096, 8192, 16384, 32768] {
        let (blocks, samples) = (spread(&scores, block, 0), spread(&scores, block, block / 2));
        for level in [1, 3, 5, 9, 13, 19] {
            measure(&blocks, "zstd", level, &Codec::new(CodecId::Zstd, level, &[]));
        }
        let samples: Vec<Vec<i8>> = samples.iter().map(|sample| sample.to_vec()).collect();
        let dictionary = train_dictionary(&samples, 64 << 10);
        for level in [1, 19] {
            let codec = Codec::new(CodecId::ZstdDictionary, level, &dictionary);
            measure(&blocks, "zstd with dictionary", level, &codec);
        }
    }
}

fn spread(scores: &[i8], block: usize, offset: usize) -> Vec<&[i8]> {
    let count = (SAMPLE / block).min(scores.len() / block - 1);
    let step = (scores.len() - block) / count;
    (0..count).map(|i| &scores[i * step + offset.min(step)..][..block]).collect()
}

fn measure(blocks: &[&[i8]], name: &str, level: i32, codec: &Codec) {
    let len = blocks[0].len();
    let positions = (blocks.len() * len) as f64;
    let started = Instant::now();
    let encoded: Vec<Vec<u8>> = blocks
        .iter()
        .map(|block| {
            let mut out = Vec::new();
            codec.encode(block, &mut out);
            out
        })
        .collect();
    let encode = started.elapsed().as_secs_f64() * 1e9 / positions;
    let bytes = encoded.iter().map(Vec::len).sum::<usize>() as f64 + INDEX * blocks.len() as f64;
    let mut decoded = vec![0; len];
    let started = Instant::now();
    for (block, encoded) in blocks.iter().zip(&encoded) {
        codec.decode(encoded, &mut decoded).expect("just encoded");
        assert_eq!(decoded, *block);
    }
    let decode = started.elapsed().as_secs_f64() * 1e6 / blocks.len() as f64;
    println!(
        "| {len} | {name} -{level} | {:.2} | {encode:.0} | {decode:.0} |",
        bytes * 8.0 / positions
    );
}

//! throwaway
use nutcracker_table::*;
use std::time::Instant;
fn main() {
    let n: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let t = Table::open(
        &Disk { map: true },
        &std::path::PathBuf::from(format!("/tmp/pipe/awari-{n:02}.nut")),
    )
    .unwrap();
    let mut v = vec![0i8; t.positions() as usize];
    t.read(0, &mut v).unwrap();
    // sample blocks evenly: use ~4M positions in contiguous 64K runs
    for bs in [4096usize, 8192, 16384, 32768] {
        let nb = v.len() / bs;
        let take = (3_000_000 / bs).min(nb);
        let step = nb / take;
        let blocks: Vec<&[i8]> = (0..take).map(|i| &v[i * step * bs..i * step * bs + bs]).collect();
        let tot = (take * bs) as f64;
        for (id, level) in [
            (CodecId::Zstd, 1),
            (CodecId::Zstd, 3),
            (CodecId::Zstd, 5),
            (CodecId::Zstd, 7),
            (CodecId::Zstd, 9),
            (CodecId::Zstd, 13),
            (CodecId::Zstd, 19),
            (CodecId::ZstdDictionary, 3),
            (CodecId::ZstdDictionary, 5),
            (CodecId::ZstdDictionary, 9),
            (CodecId::ZstdDictionary, 19),
        ] {
            let dict = if id == CodecId::ZstdDictionary {
                let samples: Vec<Vec<i8>> = (0..take)
                    .step_by(2)
                    .map(|i| {
                        let o = (i * step + step / 2) * bs;
                        v[o..o + bs].to_vec()
                    })
                    .collect();
                train_dictionary(&samples, 64 << 10)
            } else {
                vec![]
            };
            let c = Codec::new(id, level, &dict);
            let t0 = Instant::now();
            let enc: Vec<Vec<u8>> = blocks
                .iter()
                .map(|b| {
                    let mut o = vec![];
                    c.encode(b, &mut o);
                    o
                })
                .collect();
            let te = t0.elapsed().as_secs_f64();
            let bytes: usize = enc.iter().map(|e| e.len()).sum();
            let mut out = vec![0i8; bs];
            let t0 = Instant::now();
            for e in &enc {
                c.decode(e, &mut out).unwrap();
            }
            let td = t0.elapsed().as_secs_f64();
            println!(
                "block {bs:6} {id:?} level {level:2}: {:.3} bits/pos (index {:.3}), encode {:.1} ns/pos, decode {:.1} us/block ({:.2} ns/pos)",
                bytes as f64 * 8.0 / tot,
                12.0 * 8.0 / bs as f64,
                te * 1e9 / tot,
                td * 1e6 / take as f64,
                td * 1e9 / tot
            );
        }
    }
}

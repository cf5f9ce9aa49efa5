//! Probes of a database file: cold (a block decoded for each), and warm.
//!
//! `cargo bench -p nutcracker-bench --bench probe`

use std::sync::Arc;

use criterion::Criterion;
use nutcracker_bench::ScoreArrays;
use nutcracker_game::{Numbering, Rules, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_retro::open_set;
use nutcracker_table::{Disk, Header, PackOptions, pack};

const STONES: u32 = 15;

fn main() {
    let awari = Awari::new(6).expect("awari has six pits");
    let slices = ScoreArrays::below(&awari, STONES + 1);
    let scores = &slices.0[STONES as usize];
    let dir = tempfile::tempdir().expect("a temporary directory");
    let id = awari.id();
    let (len, scheme) = (scores.len() as u64, awari.index_scheme());
    let header = Header::new(id.name, id.options, STONES, len, STONES as u8, scheme);
    let options = PackOptions { threads: 2, ..PackOptions::default() };
    pack(&Disk::default(), dir.path(), &header, &options, scores).expect("room for a table");

    let mut criterion = Criterion::default().configure_from_args();
    for (name, map) in [("mapped", true), ("read", false)] {
        let set = open_set(&awari, Arc::new(Disk { map }), dir.path(), 64 << 20);
        let table = set.get(STONES).expect("the table just written");
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 32) % len
        };
        criterion.bench_function(&format!("cold probe, {name}"), |bench| {
            bench.iter(|| table.probe(next()).expect("a sound table"));
        });
        for index in 0..len {
            set.probe(STONES, index).expect("a sound table");
        }
        criterion.bench_function(&format!("warm probe, {name}"), |bench| {
            bench.iter(|| set.probe(STONES, next()).expect("a sound table"));
        });
        criterion.bench_function(&format!("warm probe of a position, {name}"), |bench| {
            let positions: Vec<_> =
                (0..1024).map(|_| awari.unrank(SliceId(STONES), next()).unwrap()).collect();
            let mut at = 0;
            bench.iter(|| {
                at = (at + 1) % positions.len();
                set.probe(STONES, awari.rank(&positions[at])).expect("a sound table")
            });
        });
    }
    criterion.final_summary();
}

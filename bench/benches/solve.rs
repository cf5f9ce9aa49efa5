//! The in-memory solver on awari: positions a second, against the same algorithm without tables,
//! and the cost of an edge against the cost of a random update of memory.
//!
//! `cargo bench -p nutcracker-bench --bench solve`; `STONES=18` for another slice.

use criterion::{Criterion, Throughput};
use nutcracker_bench::{ScoreArrays, edges, random_update};
use nutcracker_game::{Game, Numbering, PlainView, SliceId, SliceView};
use nutcracker_games::awari::Awari;

fn main() {
    let stones: u32 =
        std::env::var("STONES").map_or(16, |stones| stones.parse().expect("a number"));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let awari = Awari::new(6).expect("awari has six pits");
    let slices = ScoreArrays::below(&awari, stones);
    let slice = SliceId(stones);
    let positions = awari.slice_len(slice);

    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group(format!("awari {stones}"));
    group.sample_size(10).throughput(Throughput::Elements(positions));
    for threads in [1, threads] {
        group.bench_function(format!("solve, {threads} threads"), |bench| {
            bench.iter(|| {
                let view = awari.view(slice);
                slices.solve(&view, stones as u8, threads)
            });
        });
    }
    group.finish();
    criterion.final_summary();

    ratios(&awari, &slices, slice, threads);
}

/// All in one run and in alternation, because the machine's speed changes from minute to minute.
fn ratios(awari: &Awari, slices: &ScoreArrays, slice: SliceId, threads: usize) {
    let max = slice.0 as u8;
    let view = awari.view(slice);
    let plain = PlainView::new(awari.clone(), slice);
    let positions = view.len() as f64;
    let (states, _) = slices.solve(&view, max, threads);
    let mut scores = vec![0; view.len() as usize];
    states.scores(0, &mut scores);
    drop(states);
    let edges = edges(&view, &scores) as f64;

    println!("{} stones, {positions} positions, {edges} edges, {threads} threads", slice.0);
    println!("  by tables       plain   ratio   ns an edge   ns an update   ratio");
    for _ in 0..5 {
        let by_tables = slices.solve(&awari.view(slice), max, threads).1;
        let by_rules = slices.solve(&plain, max, threads).1;
        let update = random_update(view.len(), threads);
        let rate = |seconds: f64| positions / seconds / 1e6;
        let edge = by_tables.fixpoint.as_secs_f64() * 1e9 * threads as f64 / edges;
        let (fast, slow) = (by_tables.total().as_secs_f64(), by_rules.total().as_secs_f64());
        println!(
            "{:7.2} M/s {:7.2} M/s {:7.2} {edge:12.2} {update:14.2} {:7.2}",
            rate(fast),
            rate(slow),
            slow / fast,
            edge / update
        );
    }
}

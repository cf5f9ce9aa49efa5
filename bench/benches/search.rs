//! The engine: positions a second on one core, and the time to a fixed depth with one and two
//! threads.
//!
//! `cargo bench -p nutcracker-bench --bench search`

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use nutcracker_game::Evaluate;
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::othello::Othello;
use nutcracker_search::{Empty, Engine, EngineOptions, Limits};

/// An engine with an empty transposition table whose pages are already mapped.
fn engine<G: Evaluate>(game: &G, threads: usize) -> Engine<G, Empty> {
    let options = EngineOptions { threads, ..EngineOptions::default() };
    let mut engine = Engine::new(game.clone(), Empty, options);
    engine.clear();
    engine
}

/// Searches the start position; returns the number of positions.
fn search<G: Evaluate>(engine: &mut Engine<G, Empty>, limits: &Limits<'_>) -> u64 {
    let start = engine.game().start().position;
    let Ok(report) = engine.search(&start, &[], limits, &mut |_| ());
    report.nodes
}

fn game<G: Evaluate>(criterion: &mut Criterion, name: &str, game: &G, depth: u32) {
    let mut group = criterion.benchmark_group(format!("{name}, nodes"));
    let nodes = 1_000_000;
    group.sample_size(10).throughput(Throughput::Elements(nodes));
    group.bench_function("one thread", |bench| {
        bench.iter_batched_ref(
            || engine(game, 1),
            |engine| search(engine, &Limits::nodes(nodes)),
            BatchSize::PerIteration,
        );
    });
    group.finish();
    let mut group = criterion.benchmark_group(format!("{name}, {depth} plies"));
    group.sample_size(10);
    for threads in [1, 2] {
        group.bench_with_input(BenchmarkId::new("threads", threads), &threads, |bench, threads| {
            bench.iter_batched_ref(
                || engine(game, *threads),
                |engine| search(engine, &Limits::depth(depth)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    game(&mut criterion, "awari", &Awari::new(6).expect("awari has six pits"), 16);
    game(&mut criterion, "kalah", &Kalah::new(6, 4, false).expect("kalah has six pits"), 13);
    game(&mut criterion, "othello", &Othello::new(8).expect("othello has eight files"), 8);
    criterion.final_summary();
}

//! The rules alone, on one core: perft, lines a second.
//!
//! `cargo bench -p nutcracker-bench --bench rules`

use criterion::{Criterion, Throughput};
use nutcracker_game::{Evaluate, Rules, perft::perft};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::othello::Othello;

/// Othello's lines of nine moves.
const OTHELLO_9: u64 = 3_005_288;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let othello = Othello::new(8).expect("8 is a size of Othello");
    assert_eq!(perft(&othello, &othello.start().position, 9), OTHELLO_9);
    count(&mut criterion, &othello, 9);
    count(&mut criterion, &Awari::new(6).expect("awari has six pits"), 9);
    count(&mut criterion, &Kalah::new(6, 4, false).expect("kalah has six pits"), 8);
    criterion.final_summary();
}

/// Counts lines of play, and evaluates the positions they lead to.
fn count<G: Evaluate>(criterion: &mut Criterion, game: &G, depth: u32) {
    let start = game.start().position;
    let lines = perft(game, &start, depth);
    let mut group = criterion.benchmark_group(game.id().name);
    group.sample_size(10).throughput(Throughput::Elements(lines));
    group.bench_function(format!("perft {depth}"), |bench| {
        bench.iter(|| perft(game, &start, depth));
    });
    let mut positions = vec![start];
    for _ in 0..4 {
        let mut steps = Vec::new();
        for position in &positions {
            game.steps(position, &mut steps);
        }
        positions = steps.iter().map(|step| step.next).collect();
    }
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("evaluate", |bench| {
        bench.iter(|| {
            positions.iter().map(|position| game.evaluate(position, game.fitted())).sum::<i32>()
        });
    });
    group.finish();
}

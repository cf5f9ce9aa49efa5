//! One thread that plays 64 hosts finds the same values, and writes down what each would do.

use std::sync::Arc;

use nutcracker_cluster::{HOSTS, Rack, Tracer};
use nutcracker_game::{Game, Metric, Numbering, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_games::krk::Krk;
use nutcracker_retro::{Silent, SolveOptions, SolverName, solve_slices};

use crate::files::tables;
use crate::machines::disk;

/// Solves with a tracer; the files are compared with the usual ones.
fn traced<G: Game>(game: &G, slice: SliceId, metric: Option<Metric>) -> nutcracker_cluster::Trace {
    let (usual, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = SolveOptions { metric, ..SolveOptions::new(1, "test") };
    solve_slices(game, &disk(), usual.path(), &[slice], &options, &Silent).unwrap();
    let tracer = Arc::new(Tracer::new(game.slice_len(slice)));
    let machines = Some(Arc::clone(&tracer) as _);
    let options = SolveOptions { machines, solver: Some(SolverName::Cluster), ..options };
    solve_slices(game, &disk(), dir.path(), &[slice], &options, &Silent).unwrap();
    assert!(tables(dir.path()) == tables(usual.path()), "{}", game.id());
    let trace = tracer.take().expect("a trace");
    assert_eq!(trace.positions, game.slice_len(slice));
    assert!(tracer.take().is_none());
    trace
}

#[test]
fn the_files_are_the_same_and_the_loads_add_up() {
    let trace = traced(&Awari::new(6).unwrap(), SliceId(9), None);
    // Exits, nine levels with a sweep and some rounds each, values.
    assert!(trace.steps.len() > 2 + 9 * 3, "{}", trace.steps.len());
    for step in &trace.steps {
        assert_eq!(step.0[0].bytes, 0, "one host sends nothing");
        // The busiest host of twice as many has not more to do, and half as much or more.
        for pair in step.0.windows(2) {
            assert!(pair[1].seconds <= pair[0].seconds, "{step:?}");
            assert!(pair[1].seconds >= pair[0].seconds / 2.0 * (1.0 - 1e-9), "{step:?}");
        }
    }
    let free = Rack { threads: 1, network: 1e18, latency: 0.0 };
    let forecasts = trace.forecast(&free, 1.0);
    let seconds: f64 = trace.steps.iter().map(|step| step.0[0].seconds).sum();
    assert!((forecasts[0].seconds() - seconds).abs() < 1e-9, "what was measured");
    for (forecast, hosts) in forecasts.iter().zip(HOSTS) {
        assert_eq!(forecast.hosts, hosts);
        assert!(forecast.efficiency() <= 1.0 + 1e-9, "{forecast:?}");
        assert!(forecast.imbalance >= 1.0 - 1e-9, "{forecast:?}");
    }
    // Blocks are spread well: two hosts have about the same to do.
    assert!(forecasts[1].imbalance < 1.2, "{:?}", forecasts[1]);
}

#[test]
fn distances_and_holes() {
    let trace = traced(&Krk, Krk.largest_slice(), Some(Metric::Dtw));
    assert!(trace.steps.len() > 32);
}

//! Whole games solved in files, for tests that compare their values.

use std::sync::Arc;

use nutcracker_any::AnyGame;
use nutcracker_game::{Evaluate, Metric, Numbering, SliceId};
use nutcracker_retro::{Silent, SolveOptions, SolverName, open_metric};
use nutcracker_table::{Disk, Storage};

/// The values of the slices up to `last`, holes as they are stored; solved and checked through
/// virtual calls, so that no solvers are compiled for each game.
pub fn solved<G: Evaluate>(
    game: &G,
    metric: Metric,
    solver: Option<SolverName>,
    last: SliceId,
) -> Vec<Vec<i8>> {
    solved_any(&AnyGame::small(game.clone()), metric, solver, last)
}

/// The same for a game whose type is erased already.
pub fn solved_any(
    game: &AnyGame,
    metric: Metric,
    solver: Option<SolverName>,
    last: SliceId,
) -> Vec<Vec<i8>> {
    let dir = tempfile::tempdir().unwrap();
    let disk: Arc<dyn Storage> = Arc::new(Disk { map: false });
    let options = SolveOptions { metric: Some(metric), solver, ..SolveOptions::new(2, "test") };
    let slices: Vec<SliceId> = (0..=last.0).map(SliceId).collect();
    game.solve_slices(&disk, dir.path(), &slices, &options, &Silent).unwrap();
    let set = open_metric(game, Some(metric), disk, dir.path(), 1 << 20);
    let values = |slice: &SliceId| {
        let mut values = vec![0; game.slice_len(*slice) as usize];
        set.get(slice.0).unwrap().read(0, &mut values).unwrap();
        values
    };
    slices.iter().map(values).collect()
}

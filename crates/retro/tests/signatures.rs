//! How much work fixed solves take: a change of these numbers is a change of a solver, intended or
//! not. One thread, so that they are the same every time.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::common::{Plain, disk};
use nutcracker_game::{Children, Exits, Game, Metric, SliceId, SliceView};
use nutcracker_games::awari::Awari;
use nutcracker_retro::in_memory::States;
use nutcracker_retro::{DualIndexOptions, RowOptions, Silent, SolveOptions, SolverName, solve};

const STONES: u32 = 10;

/// What the last slice took, as one line of numbers.
fn signature(solver: SolverName, rows: RowOptions) -> String {
    let dir = tempfile::tempdir().unwrap();
    let awari = Awari::new(6).unwrap();
    let below = SolveOptions {
        solver: Some(SolverName::Memory),
        verify: false,
        ..SolveOptions::new(1, "test")
    };
    solve(&awari, &disk(), dir.path(), SliceId(STONES - 1), &below, &Silent).unwrap();
    let options = SolveOptions {
        solver: Some(solver),
        rows,
        dual_index: DualIndexOptions {
            block_bytes: 1 << 10,
            cache: Some(16 << 10),
            ..DualIndexOptions::default()
        },
        ..below
    };
    let reports = solve(&awari, &disk(), dir.path(), SliceId(STONES), &options, &Silent).unwrap();
    let effort = reports.last().unwrap().effort;
    let (work, rows) = (effort.levels, effort.rows);
    format!(
        "{solver}: {} sweeps, {} chunks, {} skipped, {} misses; {} passes, {} rows, {} squares, {} \
         singles",
        work.sweeps,
        work.chunks,
        work.skipped,
        work.misses,
        rows.passes,
        rows.rows,
        rows.squares,
        rows.singles,
    )
}

#[test]
fn the_work_of_every_solver() {
    let in_memory = RowOptions::default();
    let signatures = [
        (SolverName::Memory, in_memory),
        (SolverName::TwoBit, in_memory),
        (SolverName::TwoBitSweeps, in_memory),
        (SolverName::OneBit, in_memory),
        (SolverName::DualIndex, in_memory),
        (SolverName::Rows, in_memory),
        (SolverName::Rows, RowOptions { budget: Some(1 << 16), ..in_memory }),
        (SolverName::Rows, RowOptions { budget: Some(1), ..in_memory }),
    ]
    .map(|(solver, rows)| signature(solver, rows));
    let pinned = [
        "memory: 0 sweeps, 0 chunks, 0 skipped, 0 misses; 0 passes, 0 rows, 0 squares, 0 singles",
        "two-bit: 0 sweeps, 0 chunks, 0 skipped, 0 misses; 0 passes, 0 rows, 0 squares, 0 singles",
        "two-bit-sweeps: 45 sweeps, 2965 chunks, 950 skipped, 0 misses; 0 passes, 0 rows, 0 squares, 0 singles",
        "one-bit: 45 sweeps, 2965 chunks, 950 skipped, 0 misses; 0 passes, 0 rows, 0 squares, 0 singles",
        "dual-index: 45 sweeps, 2663 chunks, 1252 skipped, 7487 misses; 0 passes, 0 rows, 0 squares, 0 singles",
        "rows: 0 sweeps, 0 chunks, 0 skipped, 0 misses; 57 passes, 266763 rows, 8825 squares, 23845 singles",
        "rows: 0 sweeps, 0 chunks, 0 skipped, 0 misses; 159 passes, 325701 rows, 13908 squares, 0 singles",
        "rows: 0 sweeps, 0 chunks, 0 skipped, 0 misses; 159 passes, 325699 rows, 13908 squares, 0 singles",
    ];
    assert_eq!(signatures[..], pinned[..], "{signatures:#?}");
}

/// A view that counts a solver's queries.
struct Counted<V> {
    view: V,
    keys: AtomicU64,
    visits: AtomicU64,
}

impl<V: SliceView> SliceView for Counted<V> {
    type Key = V::Key;
    type Cursor = V::Cursor;

    fn len(&self) -> u64 {
        self.view.len()
    }
    fn key_at(&self, cursor: &mut V::Cursor, index: u64) -> V::Key {
        self.keys.fetch_add(1, Relaxed);
        self.view.key_at(cursor, index)
    }
    fn second_index(&self, key: V::Key) -> u64 {
        self.view.second_index(key)
    }
    fn predecessors(&self, key: V::Key, mut visit: impl FnMut(u64, V::Key)) {
        self.view.predecessors(key, |index, key| {
            self.visits.fetch_add(1, Relaxed);
            visit(index, key);
        });
    }
    fn parts(&self) -> u64 {
        self.view.parts()
    }
    fn part_range(&self, part: u64) -> Range<u64> {
        self.view.part_range(part)
    }
    fn exits<C: Children>(
        &self,
        metric: Metric,
        part: u64,
        children: &C,
        put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        self.view.exits(metric, part, children, put)
    }
}

#[test]
fn the_positions_that_the_in_memory_solver_visits() {
    let awari = Awari::new(6).unwrap();
    let plain = Plain::solve(&awari, 6);
    let count = |worklist| {
        let view = Counted {
            view: awari.view(SliceId(7)),
            keys: AtomicU64::new(0),
            visits: AtomicU64::new(0),
        };
        let states = States::new(view.len(), 7, 6).unwrap();
        for part in 0..view.parts() {
            let Ok(()) =
                view.exits(Metric::Score, part, &plain, |start, run| states.enter(start, run));
        }
        states.settle_within(&view, 1, worklist, &Silent).unwrap();
        (view.keys.into_inner(), view.visits.into_inner())
    };
    assert_eq!([count(1 << 12), count(4)], [(5076, 56384), (24828, 56384)]);
}

#[test]
fn the_sweeps_of_the_plain_solver() {
    let dir = tempfile::tempdir().unwrap();
    let options = SolveOptions { solver: Some(SolverName::Sweeps), ..SolveOptions::new(1, "test") };
    let awari = Awari::new(6).unwrap();
    let reports = solve(&awari, &disk(), dir.path(), SliceId(7), &options, &Silent).unwrap();
    let sweeps: Vec<u64> = reports.iter().map(|report| report.effort.levels.sweeps).collect();
    assert_eq!(sweeps, [0, 3, 8, 21, 37, 58, 59, 72]);
}

//! How much work fixed solves take: a change of these numbers is a change of a solver, intended or
//! not. One thread, so that they are the same every time.

mod common;

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use common::{Plain, disk};
use nutcracker_game::{Children, Exits, Game, SliceId, SliceView};
use nutcracker_games::awari::Awari;
use nutcracker_retro::choice::Solver;
use nutcracker_retro::fixpoint::memory::States;
use nutcracker_retro::fixpoint::sweep;
use nutcracker_retro::progress::Silent;
use nutcracker_retro::solve::{RowOptions, SolveOptions, solve};

const STONES: u32 = 10;

/// What the last slice took, as one line of numbers.
fn signature(solver: Solver, rows: RowOptions) -> String {
    let dir = tempfile::tempdir().unwrap();
    let awari = Awari::new(6).unwrap();
    let below =
        SolveOptions { solver: Solver::Memory, verify: false, ..SolveOptions::new(1, "test") };
    solve(&awari, &disk(), dir.path(), SliceId(STONES - 1), &below, &Silent).unwrap();
    let options = SolveOptions {
        solver,
        rows,
        cache: Some(16 << 10),
        paging: (1 << 10, SolveOptions::new(1, "").paging.1),
        ..below
    };
    let reports = solve(&awari, &disk(), dir.path(), SliceId(STONES), &options, &Silent).unwrap();
    let effort = reports.last().unwrap().effort;
    let (work, rows) = (effort.work, effort.rows);
    format!(
        "{solver}: {} sweeps, {} chunks, {} skipped, {} misses; {} passes, {} rows, {} squares, {} \
         singles",
        work.sweeps,
        work.chunks,
        work.skipped,
        effort.misses,
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
        (Solver::Memory, in_memory),
        (Solver::TwoBit, in_memory),
        (Solver::TwoBitSweeps, in_memory),
        (Solver::OneBit, in_memory),
        (Solver::DualIndex, in_memory),
        (Solver::Rows, in_memory),
        (Solver::Rows, RowOptions { room: Some(1 << 16), ..in_memory }),
        (Solver::Rows, RowOptions { room: Some(1), ..in_memory }),
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

/// A view that counts what a solver asks of it.
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
        part: u64,
        children: &C,
        put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        self.view.exits(part, children, put)
    }
}

#[test]
fn the_positions_that_the_in_memory_solver_looks_at() {
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
            let Ok(()) = view.exits(part, &plain, |start, run| states.enter(start, run));
        }
        states.settle_within(&view, 1, worklist, &Silent);
        (view.keys.into_inner(), view.visits.into_inner())
    };
    assert_eq!([count(1 << 12), count(4)], [(5076, 56384), (24828, 56384)]);
}

#[test]
fn the_sweeps_of_the_plain_solver() {
    let awari = Awari::new(6).unwrap();
    let plain = Plain::solve(&awari, 6);
    let asked = Cell::new(0);
    let go_on = || {
        asked.set(asked.get() + 1);
        true
    };
    let Ok(scores) = sweep::solve_while(&awari, SliceId(7), &plain, go_on);
    assert_eq!(
        (asked.get(), scores.iter().map(|&score| i64::from(score)).sum::<i64>()),
        (584, 19081)
    );
}

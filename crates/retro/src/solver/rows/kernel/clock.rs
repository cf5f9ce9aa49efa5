//! Which rows must be scanned again.

use std::sync::atomic::{AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

use super::Bits;
use crate::solver::rows::layout::{Moves, TILE, Tile};

/// When rows were scanned, and when the rows they depend on changed. Every scan advances the time.
#[derive(Debug)]
pub(crate) struct Clock {
    now: AtomicU32,
    /// By row of the mover's half: when its last scan began.
    scanned: Vec<AtomicU32>,
    /// By row of the opponent's half: by when it had changed.
    changed: Vec<AtomicU32>,
}

impl Clock {
    /// Bytes for each row.
    pub(crate) const ROW_BYTES: u64 = 2 * size_of::<AtomicU32>() as u64;

    /// For `rows` rows, none of which was scanned or has changed.
    pub(crate) fn new(rows: usize) -> Self {
        let never = || (0..rows).map(|_| AtomicU32::new(0)).collect();
        Clock { now: AtomicU32::new(1), scanned: never(), changed: never() }
    }

    /// A scan begins.
    pub(crate) fn tick(&self) -> u32 {
        self.now.fetch_add(1, AcqRel)
    }

    /// The rows of a tile with a move to a row that may have changed since they were scanned.
    pub(crate) fn due(&self, tile: &Tile, moves: &Moves) -> u64 {
        let mut due = 0_u64;
        for group in moves.groups_of_tile(tile.number) {
            for edge in moves.edges(group) {
                let changed = self.changed[edge.to as usize].load(Relaxed);
                let scanned = self.scanned[edge.row as usize].load(Relaxed);
                due |= u64::from(changed > scanned) << (edge.row as usize % TILE);
            }
        }
        due
    }

    /// Rows of a tile are scanned, from a time on.
    pub(crate) fn begin_scan(&self, tile: &Tile, rows: u64, time: u32) {
        for row in Bits(rows) {
            self.scanned[tile.number * TILE + row].store(time, Relaxed);
        }
    }

    /// Rows have changed: a scan that began before now may have missed it.
    pub(crate) fn change(&self, rows: &[u32]) {
        let now = self.now.load(Acquire);
        for &row in rows {
            self.changed[row as usize].store(now, Relaxed);
        }
    }
}

//! Who must look again.

use std::sync::atomic::{AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

use super::kernel::Bits;
use super::moves::Moves;
use super::shape::{TILE, Tile};

/// When rows looked, and when what they look at changed: time goes on with every look.
#[derive(Debug)]
pub(crate) struct Clock {
    now: AtomicU32,
    /// By row of the mover's half: when it began to look.
    looked: Vec<AtomicU32>,
    /// By row of the opponent's half: by when it had changed.
    changed: Vec<AtomicU32>,
}

impl Clock {
    /// Bytes for each row.
    pub(crate) const BYTES: u64 = 8;

    /// For so many rows, none of which has looked or changed.
    pub(crate) fn new(rows: usize) -> Self {
        let never = || (0..rows).map(|_| AtomicU32::new(0)).collect();
        Clock { now: AtomicU32::new(1), looked: never(), changed: never() }
    }

    /// A look begins.
    pub(crate) fn tick(&self) -> u32 {
        self.now.fetch_add(1, AcqRel)
    }

    /// The rows of a tile with a move to a row that may have changed since they looked.
    pub(crate) fn due(&self, tile: &Tile, moves: &Moves) -> u64 {
        let mut due = 0_u64;
        for same in moves.of_tile(tile.number) {
            for step in moves.steps(same) {
                let changed = self.changed[step.to as usize].load(Relaxed);
                let looked = self.looked[step.row as usize].load(Relaxed);
                due |= u64::from(changed > looked) << (step.row as usize % TILE);
            }
        }
        due
    }

    /// Rows of a tile looked, from a time on.
    pub(crate) fn look(&self, tile: &Tile, rows: u64, time: u32) {
        for row in Bits(rows) {
            self.looked[tile.number * TILE + row].store(time, Relaxed);
        }
    }

    /// Rows have changed: whoever began to look before now may have missed it.
    pub(crate) fn change(&self, rows: &[u32]) {
        let now = self.now.load(Acquire);
        for &row in rows {
            self.changed[row as usize].store(now, Relaxed);
        }
    }
}

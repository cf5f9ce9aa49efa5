//! What streaming takes.

use nutcracker_game::Sowing;

use super::allotment::Allotment;
use super::clock::Clock;
use super::kernel::{Found, Kernel, line};
use super::shape::{Shape, TILE};

/// Bytes of memory that streaming needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// Tables, times, what is known of two blocks, and what threads have to themselves.
    pub(crate) fixed: u64,
    /// Lines, values and sight of the largest tile.
    tile: u64,
    /// Values of the largest block, while conversions are computed.
    pub(crate) conversions: u64,
    /// Bytes of files at work, one block of which is there twice.
    pub(crate) disk: u64,
}

impl Needs {
    pub(crate) fn new(sowing: &dyn Sowing, top: u8, threads: usize) -> Self {
        let shape = Shape::new(sowing.pits(), sowing.stones());
        let values = Kernel::planes(top) as u64 + 1;
        let rows = (shape.tiles() * TILE) as u64;
        let block =
            (0..=shape.stones).map(|held| shape.block_words(held).len()).max().unwrap_or(0) as u64;
        let tile = (0..shape.tiles()).map(|tile| shape.tile(tile).words * TILE).max();
        let selections: u64 =
            (0..=shape.stones).map(|held| (shape.words(held) * (shape.stones - held)) as u64).sum();
        Needs {
            fixed: rows * (Clock::BYTES + 8 * sowing.pits() as u64)
                + selections * 40
                + block * 2 * 16
                + threads as u64 * Found::bytes(&shape),
            tile: tile.unwrap_or(0) as u64 * 8 * (line::WORDS as u64 + 2 + values),
            conversions: block * 8 * values,
            disk: (shape.total_words() as u64 * (line::WORDS as u64 + 2 + values) + block * values)
                * 8,
        }
    }

    /// The part of what is known that stays in memory with so much room.
    pub(crate) fn kept_share(sowing: &dyn Sowing, top: u8, room: u64) -> f64 {
        let shape = Shape::new(sowing.pits(), sowing.stones());
        Allotment::new(&shape, room, Kernel::planes(top) + 1).kept_share(&shape)
    }

    /// The least memory.
    pub(crate) fn least(&self) -> u64 {
        self.fixed + self.tile
    }
}

//! The values of the slice under check, each with a mark that it is founded.

use nutcracker_game::Score;
use nutcracker_mem::Packed;
use nutcracker_table::{Table, TableSet};

use super::pages::Pages;
use crate::check_error::CheckError;

/// Twice a value, plus one where it is founded. So the larger of two cells has the larger value,
/// and of two equal values the founded one.
pub(super) type Cell = i16;

/// The value in a cell.
#[inline(always)]
pub(super) const fn value(cell: Cell) -> Score {
    cell >> 1
}

/// Whether a cell is founded.
#[inline(always)]
pub(super) const fn is_founded(cell: Cell) -> bool {
    cell & 1 == 1
}

/// The cells of a slice, in memory or in pieces.
pub(super) trait Cells: Sync {
    /// Whether random access to single cells is cheap.
    const RANDOM_ACCESS: bool;

    /// Reads consecutive cells.
    fn load(&self, start: u64, out: &mut [Cell]) -> Result<(), CheckError>;

    /// Reads one cell.
    fn get(&self, index: u64) -> Result<Cell, CheckError>;

    /// Prefetches one cell, where cells are in memory.
    fn prefetch(&self, _index: u64) {}

    /// Marks the positions `start + i` for the bits i of `mask` as founded; returns how many of
    /// them were not.
    fn mark(&self, start: u64, mask: u64) -> Result<u32, CheckError>;
}

/// All cells in memory, at 8 or 16 bits each.
#[derive(Debug)]
pub(super) struct Whole<const BITS: u32>(pub(super) Packed<BITS>);

impl<const BITS: u32> Whole<BITS> {
    /// The number that stands for an unfounded value.
    #[inline]
    pub(super) fn encode(value: i8) -> u64 {
        (i64::from(value) << 1) as u64 & (u64::MAX >> (64 - BITS))
    }
}

/// Cells that are copied at a time.
const CHUNK: usize = 512;

impl<const BITS: u32> Cells for Whole<BITS> {
    const RANDOM_ACCESS: bool = true;

    #[inline]
    fn load(&self, start: u64, out: &mut [Cell]) -> Result<(), CheckError> {
        const { assert!(BITS == 8 || BITS == 16) };
        let each = BITS as usize / 8;
        let mut bytes = [0; (CHUNK + 8) * 2];
        for (number, out) in (0..).zip(out.chunks_mut(CHUNK)) {
            let start = start + number * CHUNK as u64;
            let skip = (start % Packed::<BITS>::LANES) as usize * each;
            let length = (skip + out.len() * each).next_multiple_of(8);
            self.0.copy_to(start - start % Packed::<BITS>::LANES, &mut bytes[..length]);
            if BITS == 8 {
                for (out, &byte) in out.iter_mut().zip(&bytes[skip..]) {
                    *out = Cell::from(byte as i8);
                }
            } else {
                for (out, pair) in out.iter_mut().zip(bytes[skip..].chunks_exact(2)) {
                    *out = Cell::from_le_bytes([pair[0], pair[1]]);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn get(&self, index: u64) -> Result<Cell, CheckError> {
        let unused = 64 - BITS;
        Ok(((self.0.get(index) << unused) as i64 >> unused) as Cell)
    }

    #[inline]
    fn prefetch(&self, index: u64) {
        self.0.prefetch(index);
    }

    #[inline]
    fn mark(&self, start: u64, mask: u64) -> Result<u32, CheckError> {
        Ok(self.0.set_low_bits(start, mask))
    }
}

/// Values in memory that need no foundation (distances), one byte each.
#[derive(Debug)]
pub(super) struct Values(pub(super) Packed<8>);

impl Cells for Values {
    const RANDOM_ACCESS: bool = true;

    fn load(&self, start: u64, out: &mut [Cell]) -> Result<(), CheckError> {
        for (index, out) in (start..).zip(out) {
            *out = self.get(index)?;
        }
        Ok(())
    }

    #[inline]
    fn get(&self, index: u64) -> Result<Cell, CheckError> {
        Ok(Cell::from(self.0.get(index) as u8 as i8) << 1 | 1)
    }

    #[inline]
    fn prefetch(&self, index: u64) {
        self.0.prefetch(index);
    }

    fn mark(&self, _start: u64, _mask: u64) -> Result<u32, CheckError> {
        Ok(0)
    }
}

/// Values read from the file whenever they are needed, marks in pages that may be on disk.
pub(super) struct Pieces<'a> {
    pub(super) table: &'a Table,
    pub(super) set: &'a TableSet,
    pub(super) marks: Pages,
}

impl Cells for Pieces<'_> {
    const RANDOM_ACCESS: bool = false;

    fn load(&self, start: u64, out: &mut [Cell]) -> Result<(), CheckError> {
        let mut values = [0; CHUNK];
        for (number, out) in (0..).zip(out.chunks_mut(CHUNK)) {
            let start = start + number * CHUNK as u64;
            let values = &mut values[..out.len()];
            self.set.values(self.table, start, values)?;
            for (out, &value) in out.iter_mut().zip(&*values) {
                *out = Cell::from(value) << 1;
            }
            self.marks.add_to(start, out)?;
        }
        Ok(())
    }

    fn get(&self, index: u64) -> Result<Cell, CheckError> {
        let mut cell = [0];
        self.load(index, &mut cell)?;
        Ok(cell[0])
    }

    fn mark(&self, start: u64, mask: u64) -> Result<u32, CheckError> {
        self.marks.set(start, mask)
    }
}

//! Wins of consecutive positions, out of a random side that is kept in another order.
//!
//! By the second index, neighbours are far apart, and a pass in sequence would bring in a block for
//! every position. Both numberings read the same matrices, one by rows and one by columns: so some
//! rows are taken at once, as many as fit a buffer, and each block is brought in once for them all.

use std::fmt;
use std::ops::Range;

use nutcracker_game::IndexMatrix;
use nutcracker_mem::{OutOfMemory, Packed};

use super::disk::WorkFileError;
use super::{Session, Wins};

/// Some rows of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatrixRows {
    exchange: IndexMatrix,
    first: u64,
    count: u64,
}

impl MatrixRows {
    /// Cuts matrices into groups of rows of at most `most` positions, one row at least.
    pub fn cut(exchanges: &[IndexMatrix], most: u64) -> Vec<MatrixRows> {
        let mut list = Vec::new();
        for &exchange in exchanges {
            let count = (most / exchange.columns.max(1)).clamp(1, exchange.rows.max(1));
            list.extend((0..exchange.rows).step_by(count as usize).map(|first| MatrixRows {
                exchange,
                first,
                count: count.min(exchange.rows - first),
            }));
        }
        list
    }

    /// Their positions.
    pub fn range(&self) -> Range<u64> {
        let IndexMatrix { first, columns, .. } = self.exchange;
        first + self.first * columns..first + (self.first + self.count) * columns
    }

    /// The number of columns.
    pub fn columns(&self) -> u64 {
        self.exchange.columns
    }

    /// The second numbers of a column, one after another.
    fn column(&self, column: u64) -> Range<u64> {
        let start = self.exchange.second + column * self.exchange.rows + self.first;
        start..start + self.count
    }
}

/// Wins of consecutive positions: those of the random side, and new ones.
#[derive(Debug)]
pub struct Strip {
    rows: MatrixRows,
    start: u64,
    won: Packed<1>,
    new_wins: Packed<1>,
}

impl Strip {
    /// Nothing is won yet.
    pub fn new(rows: MatrixRows) -> Result<Self, OutOfMemory> {
        let range = rows.range();
        let len = range.end - range.start;
        let (won, new_wins) = (Packed::zeroed(len)?, Packed::zeroed(len)?);
        Ok(Strip { rows, start: range.start, won, new_wins })
    }

    /// Reads some columns from the random side.
    pub fn load(
        &self,
        columns: Range<u64>,
        session: &mut impl Session,
    ) -> Result<(), WorkFileError> {
        for column in columns {
            let seconds = self.rows.column(column);
            session.each_won(seconds.clone(), &mut |second| {
                let place = (second - seconds.start) * self.rows.columns() + column;
                self.won.update(place, |_| Some(1));
            })?;
        }
        Ok(())
    }

    /// Writes the new wins of some columns to the random side, and calls `note` for each.
    pub fn store(
        &self,
        columns: Range<u64>,
        session: &mut impl Session,
        note: impl Fn(u64),
    ) -> Result<(), WorkFileError> {
        // A row after another, because the bits are in that order; the columns are few enough that
        // their blocks stay.
        let mut failure = Ok(());
        for row in 0..self.rows.count {
            let start = row * self.rows.columns();
            let range = start + columns.start..start + columns.end;
            self.new_wins.find_nonzero(range, |place| {
                let second = self.rows.column(place - start).start + row;
                match session.win(second) {
                    Ok(true) => note(second),
                    Ok(false) => {}
                    Err(error) => failure = Err(error),
                }
            });
        }
        failure
    }

    /// Whether a position is won.
    pub fn is_won(&self, index: u64) -> bool {
        let place = index - self.start;
        self.won.get(place) == 1 || self.new_wins.get(place) == 1
    }

    /// Marks a position as won.
    pub fn win(&self, index: u64) {
        let place = index - self.start;
        if self.won.get(place) == 0 {
            self.new_wins.update(place, |bit| (bit == 0).then_some(1));
        }
    }
}

/// A thread's access to the wins of a piece of consecutive positions.
pub enum Own<'a, W: Wins + 'a> {
    /// The random side is in the same order.
    Direct(W::Session<'a>),
    /// It is not.
    Strip(&'a Strip),
}

impl<W: Wins> fmt::Debug for Own<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Own::Direct(_)) { "Direct" } else { "Strip" })
    }
}

impl<W: Wins> Own<'_, W> {
    /// Whether a position is won.
    #[inline]
    pub fn is_won(&mut self, index: u64) -> Result<bool, WorkFileError> {
        match self {
            Own::Direct(session) => session.is_won(index),
            Own::Strip(strip) => Ok(strip.is_won(index)),
        }
    }

    /// Marks a position as won; true if that is new and will not be noted later.
    #[inline]
    pub fn win(&mut self, index: u64) -> Result<bool, WorkFileError> {
        match self {
            Own::Direct(session) => session.win(index),
            Own::Strip(strip) => {
                strip.win(index);
                Ok(false)
            }
        }
    }
}

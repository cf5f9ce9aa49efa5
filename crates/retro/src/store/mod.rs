//! Storage for the bits of a slice that is solved with little memory.
//!
//! A solver of the level method (`solver/levels`) has two sides. The *random* side holds which
//! positions are won and is accessed by position, in any order. The *sequential* side holds what
//! else is known and is read and written from front to back.

pub mod bits;
pub mod disk;
pub mod folder;
pub mod paged;
pub mod strip;
mod work;

use std::ops::Range;

use crate::store::disk::WorkFileError;

/// The state of a position at a level, in the sequential side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Status {
    /// Lost once all internal moves lead to won positions: no exit is better than a loss.
    Open = 0,
    /// It cannot lose at this level, and may still be won.
    Safe = 1,
    /// Won, at this level or a higher one.
    Won = 2,
    /// Lost, at this level or a higher one.
    Lost = 3,
}

impl Status {
    /// From its two bits.
    pub fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Status::Open,
            1 => Status::Safe,
            2 => Status::Won,
            _ => Status::Lost,
        }
    }
}

/// The random side: which positions are won.
pub trait Wins: Sync {
    /// Whether positions are numbered by the second index here.
    const SECOND: bool;
    /// One thread's access.
    type Session<'a>: Session
    where
        Self: 'a;

    /// Access for a thread.
    fn session(&self) -> Self::Session<'_>;
}

/// One thread's access to the random side.
pub trait Session {
    /// Whether a position is won.
    fn is_won(&mut self, index: u64) -> Result<bool, WorkFileError>;
    /// Marks a position as won; true if it was not.
    fn win(&mut self, index: u64) -> Result<bool, WorkFileError>;
    /// Visits those of a range that are won.
    fn each_won(
        &mut self,
        range: Range<u64>,
        visit: &mut dyn FnMut(u64),
    ) -> Result<(), WorkFileError> {
        for index in range {
            if self.is_won(index)? {
                visit(index);
            }
        }
        Ok(())
    }
}

/// The sequential side: two bits a position.
pub trait Sequence: Sync {
    /// Whether it is on disk.
    const ON_DISK: bool;
    /// Reads the statuses of consecutive positions.
    fn load(&self, range: Range<u64>, out: &mut Vec<Status>) -> Result<(), WorkFileError>;
    /// Writes all of them; no other thread may use this range meanwhile.
    fn store(&self, start: u64, statuses: &[Status]) -> Result<(), WorkFileError>;
    /// Marks positions of a range, which was loaded as `statuses`, as lost.
    fn lose(&self, start: u64, statuses: &[Status], lost: &[u64]) -> Result<(), WorkFileError>;
    /// Announces that these positions will be read soon.
    fn will_read(&self, _range: Range<u64>) {}
    /// Waits until everything written is durable; in memory there is nothing to do.
    fn sync(&self) -> Result<(), WorkFileError> {
        Ok(())
    }
}

impl<Q: Sequence> Sequence for &Q {
    const ON_DISK: bool = Q::ON_DISK;

    fn load(&self, range: Range<u64>, out: &mut Vec<Status>) -> Result<(), WorkFileError> {
        (**self).load(range, out)
    }

    fn store(&self, start: u64, statuses: &[Status]) -> Result<(), WorkFileError> {
        (**self).store(start, statuses)
    }

    fn lose(&self, start: u64, statuses: &[Status], lost: &[u64]) -> Result<(), WorkFileError> {
        (**self).lose(start, statuses, lost)
    }

    fn will_read(&self, range: Range<u64>) {
        (**self).will_read(range);
    }

    fn sync(&self) -> Result<(), WorkFileError> {
        (**self).sync()
    }
}

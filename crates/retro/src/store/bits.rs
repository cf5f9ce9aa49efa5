//! Bits in memory.

use std::ops::Range;

use nutcracker_mem::{OutOfMemory, Packed};

use super::disk::WorkFileError;
use super::{Sequence, Session, Status, Wins};

/// One bit a position in memory: won or not. The sequential side is on disk.
#[derive(Debug)]
pub struct OneBit(Packed<1>);

impl OneBit {
    /// No position is won yet.
    pub fn new(len: u64) -> Result<Self, OutOfMemory> {
        Ok(OneBit(Packed::zeroed(len)?))
    }
}

impl Wins for OneBit {
    const SECOND: bool = false;
    type Session<'a> = &'a OneBit;

    fn session(&self) -> &OneBit {
        self
    }
}

impl Session for &OneBit {
    #[inline]
    fn is_won(&mut self, index: u64) -> Result<bool, WorkFileError> {
        Ok(self.0.get(index) == 1)
    }

    #[inline]
    fn win(&mut self, index: u64) -> Result<bool, WorkFileError> {
        Ok(self.0.update(index, |bit| (bit == 0).then_some(1)).is_some())
    }
}

/// Two bits a position in memory: both sides at once.
#[derive(Debug)]
pub struct TwoBits(Packed<2>);

impl TwoBits {
    /// Everything is open.
    pub fn new(len: u64) -> Result<Self, OutOfMemory> {
        Ok(TwoBits(Packed::zeroed(len)?))
    }

    /// What is known of a position.
    #[inline]
    pub fn status(&self, index: u64) -> Status {
        Status::from_bits(self.0.get(index) as u8)
    }

    /// Marks a position as won; true if it was not.
    #[inline]
    pub fn win_one(&self, index: u64) -> bool {
        let open = |status| status == Status::Open as u64 || status == Status::Safe as u64;
        self.0.update(index, |status| open(status).then_some(Status::Won as u64)).is_some()
    }

    /// Prefetches a position's bits.
    #[inline]
    pub fn prefetch(&self, index: u64) {
        self.0.prefetch(index);
    }

    /// Marks an open position as lost; false if it was not open any more.
    #[inline]
    pub fn lose_one(&self, index: u64) -> bool {
        let lost = Status::Lost as u64;
        self.0.update(index, |status| (status == Status::Open as u64).then_some(lost)).is_some()
    }
}

impl Wins for TwoBits {
    const SECOND: bool = false;
    type Session<'a> = &'a TwoBits;

    fn session(&self) -> &TwoBits {
        self
    }
}

impl Session for &TwoBits {
    #[inline]
    fn is_won(&mut self, index: u64) -> Result<bool, WorkFileError> {
        Ok(self.status(index) == Status::Won)
    }

    #[inline]
    fn win(&mut self, index: u64) -> Result<bool, WorkFileError> {
        Ok(self.win_one(index))
    }
}

impl Sequence for TwoBits {
    const ON_DISK: bool = false;

    fn load(&self, range: Range<u64>, out: &mut Vec<Status>) -> Result<(), WorkFileError> {
        out.clear();
        self.0.for_each(range, |status| out.push(Status::from_bits(status as u8)));
        Ok(())
    }

    fn store(&self, start: u64, statuses: &[Status]) -> Result<(), WorkFileError> {
        self.0.fill(start, statuses.iter().map(|&status| status as u64));
        Ok(())
    }

    fn lose(&self, _start: u64, _statuses: &[Status], lost: &[u64]) -> Result<(), WorkFileError> {
        for &index in lost {
            self.lose_one(index);
        }
        Ok(())
    }
}

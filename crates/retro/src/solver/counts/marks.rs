//! Marked positions, of which few are found among many.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Release};

use nutcracker_mem::{OutOfMemory, Packed};

/// Positions in a run.
const RUN: u64 = 1 << 12;
/// Runs that a thread takes at a time.
pub(super) const RUNS_AT_A_TIME: u64 = 16;

/// A bit for each position, and a flag for each run of them that has marks.
pub(super) struct Marks {
    bits: Packed<1>,
    runs: Vec<AtomicBool>,
}

impl Marks {
    pub fn new(len: u64) -> Result<Self, OutOfMemory> {
        let runs = (0..len.div_ceil(RUN)).map(|_| AtomicBool::new(false)).collect();
        Ok(Marks { bits: Packed::zeroed(len)?, runs })
    }

    /// Bytes of the marks of `len` positions.
    pub fn bytes(len: u64) -> u64 {
        len / 8 + len / RUN
    }

    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.runs.len() as u64
    }

    #[inline]
    pub fn add(&self, index: u64) {
        self.bits.update(index, |bit| (bit == 0).then_some(1));
        // After the bit: who takes the flag sees it.
        self.runs[(index / RUN) as usize].store(true, Release);
    }

    /// Visits the marked positions of some runs; marks that `is_due` is true of are removed first.
    pub fn take(&self, runs: Range<u64>, is_due: impl Fn(u64) -> bool, mut visit: impl FnMut(u64)) {
        let mut due = Vec::new();
        for run in runs {
            let flag = &self.runs[run as usize];
            if !flag.swap(false, AcqRel) {
                continue;
            }
            let mut left = false;
            self.bits.find_nonzero(run * RUN..((run + 1) * RUN).min(self.bits.len()), |index| {
                if is_due(index) { due.push(index) } else { left = true }
            });
            if left {
                flag.store(true, Release);
            }
            for index in due.drain(..) {
                self.bits.set(index, 0);
                visit(index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_are_not_due_stay() {
        let marks = Marks::new(10_000).unwrap();
        for index in [0, 4095, 4096, 9999, 9999] {
            marks.add(index);
        }
        let taken = |is_due: fn(u64) -> bool| {
            let mut taken = Vec::new();
            marks.take(0..marks.runs(), is_due, |index| taken.push(index));
            taken
        };
        assert_eq!(taken(|index| index % 2 == 0), [0, 4096]);
        assert_eq!(taken(|_| true), [4095, 9999]);
        assert_eq!(taken(|_| true), [0; 0]);
    }
}

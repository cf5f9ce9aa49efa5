//! The states of a slice in memory.

use nutcracker_game::{Exits, SliceView};
use nutcracker_mem::{OutOfMemory, Packed};

use super::codes::Codes;
use super::settle::{settle, worklist_len};
use crate::error::SolveError;
use crate::progress::Progress;

/// Scores that are read at a time.
const RUN: usize = 1 << 12;

/// The states of a slice's positions while it is solved, and their scores afterwards.
#[derive(Debug)]
pub enum States {
    /// One byte a position.
    Narrow(Packed<8>, Codes),
    /// Two bytes a position, where the scores are too many for one.
    Wide(Packed<16>, Codes),
}

/// Calls generic code with the packed array, whatever its width.
macro_rules! with_packed {
    ($states:expr, $packed:ident, $codes:ident => $body:expr) => {
        match $states {
            States::Narrow($packed, $codes) => $body,
            States::Wide($packed, $codes) => $body,
        }
    };
}

impl States {
    /// Bytes a position takes with scores up to `max` and up to `moves` internal moves.
    pub fn bytes_per_position(max: u8, moves: u16) -> u64 {
        if Codes::new(max, moves).count() <= 1 << 8 { 1 } else { 2 }
    }

    /// The states of `len` positions, of which nothing is known.
    pub fn new(len: u64, max: u8, moves: u16) -> Result<Self, OutOfMemory> {
        let codes = Codes::new(max, moves);
        Ok(if Self::bytes_per_position(max, moves) == 1 {
            States::Narrow(Packed::zeroed(len)?, codes)
        } else {
            States::Wide(Packed::zeroed(len)?, codes)
        })
    }

    /// Enters the exits of consecutive positions.
    pub fn enter(&self, start: u64, run: &[Exits]) {
        with_packed!(self, packed, codes => {
            packed.fill(start, run.iter().map(|&exits| codes.open(exits)));
        });
    }

    /// Enters the exits of one position.
    #[inline]
    pub(super) fn enter_one(&self, index: u64, exits: Exits) {
        with_packed!(self, packed, codes => packed.set(index, codes.open(exits)));
    }

    /// Prefetches the state of a position.
    #[inline]
    pub(super) fn prefetch(&self, index: u64) {
        with_packed!(self, packed, _codes => packed.prefetch(index));
    }

    /// Bytes of all worklists for a slice of `len` positions.
    pub(super) fn worklist_bytes<V: SliceView>(len: u64, threads: usize) -> u64 {
        (2 * threads * worklist_len(len, threads) * size_of::<V::Key>()) as u64
    }

    /// Settles every position of the slice. If a stop is requested, it returns before that is done.
    pub fn settle<V: SliceView>(
        &self,
        view: &V,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<(), SolveError> {
        self.settle_within(view, threads, worklist_len(view.len(), threads), progress)
    }

    /// As [`settle`](Self::settle), with space for `worklist` wins and as many losses a thread; the
    /// less, the more sweeps.
    pub fn settle_within<V: SliceView>(
        &self,
        view: &V,
        threads: usize,
        worklist: usize,
        progress: &dyn Progress,
    ) -> Result<(), SolveError> {
        with_packed!(self, packed, codes => {
            settle::<false, _, _>(packed, *codes, view, threads, worklist, 1, progress)
        })?;
        Ok(())
    }

    /// As [`settle`](Self::settle), where values are distances. Whether some position is lost too
    /// far away to store: then the values mean nothing.
    pub fn settle_distances<V: SliceView>(
        &self,
        view: &V,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<bool, SolveError> {
        self.settle_distances_to(1, view, threads, progress)
    }

    /// As [`settle_distances`](Self::settle_distances), down to a level: what is farther away stays
    /// open.
    pub(super) fn settle_distances_to<V: SliceView>(
        &self,
        lowest: u64,
        view: &V,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<bool, SolveError> {
        let worklist = worklist_len(view.len(), threads);
        with_packed!(self, packed, codes => {
            settle::<true, _, _>(packed, *codes, view, threads, worklist, lowest, progress)
        })
    }

    /// Whether two bytes hold every state with values up to `max` and up to `moves` internal moves.
    pub fn hold(max: u8, moves: u16) -> bool {
        Codes::new(max, moves).count() <= 1 << 16
    }

    /// Visits the scores of all positions, in runs, and gives the memory of those visited back on
    /// the way.
    pub(super) fn hand_over(mut self, mut visit: impl FnMut(u64, &[i8])) {
        const RELEASED: u64 = 1 << 21;
        let len = with_packed!(&self, packed, _codes => packed.len());
        let mut scores = vec![0; RUN];
        for start in (0..len).step_by(RUN) {
            let run = &mut scores[..RUN.min((len - start) as usize)];
            self.scores(start, run);
            visit(start, run);
            if start % RELEASED == 0 && start > 0 {
                with_packed!(&mut self, packed, _codes => packed.release(start - RELEASED..start));
            }
        }
    }

    /// Writes the scores of consecutive positions.
    pub fn scores(&self, start: u64, out: &mut [i8]) {
        with_packed!(self, packed, codes => {
            let mut at = 0;
            packed.for_each(start..start + out.len() as u64, |code| {
                out[at] = codes.score(code);
                at += 1;
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use nutcracker_game::PlainView;
    use nutcracker_games::kalah::Kalah;

    use super::*;

    #[test]
    fn worklists_are_estimated_as_they_are_allocated() {
        // An eighth of a byte a position for keys of 8 bytes, a quarter for those of 16.
        let positions = 1 << 24;
        let key = size_of::<<PlainView<Kalah> as SliceView>::Key>() as u64;
        for threads in [1, 2, 4] {
            let bytes = States::worklist_bytes::<PlainView<Kalah>>(positions, threads);
            assert_eq!(bytes, positions / 64 * key);
        }
    }
}

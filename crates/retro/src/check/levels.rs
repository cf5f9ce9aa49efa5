//! Foundation in memory, from the largest value down.
//!
//! On the level of k only positions worth ±k are open: those of larger values are founded, or the
//! check would have ended. A loss is founded when no move leads to an open win, a win when a move
//! leads to a loss of its size that is founded. So a level needs one bit for each open win and one
//! for each open loss, which the caches of a processor hold far longer than the values.
//!
//! Where the only level is that of wins and losses, losses have the number of their moves to open wins
//! counted, up to 15: a loss is examined again when as many of them were founded. Elsewhere it is
//! examined whenever one of them was.
//!
//! Un-moves only suggest which positions to examine after one was founded; nothing is accepted
//! because of them, and a level ends with passes over what is still open, which use none.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{ForwardView, Game, Score, SliceId, SliceView};
use nutcracker_mem::Packed;

use super::cells::{Cells, Whole, value};
use super::{BackKey, CHUNK, Check};
use crate::check_error::CheckError;
use crate::parallel::for_each_until_stopped;

/// Positions per thread whose predecessors are still to be examined; beyond that, passes find what
/// is left.
const MOST_FRESH: usize = if cfg!(test) { 1 } else { 1 << 16 };
/// Positions whose predecessors are examined together, so that their memory is prefetched while
/// others are processed.
const BATCH: usize = 24;

/// Whether the moves of losses to open wins are counted, which takes four bits a position.
pub(super) fn counts_waits<G: Game>(game: &G, slice: SliceId) -> bool {
    game.max_score(slice) == 1
}

/// The open positions of a level.
pub(super) struct Levels<'a, const BITS: u32, G: Game> {
    check: &'a Check<'a, Whole<BITS>, G>,
    back: &'a G::View,
    wins: Packed<1>,
    losses: Packed<1>,
    /// Open wins that must be founded before a loss is examined again; 0 if it was not examined yet.
    waits: Option<Packed<4>>,
    threads: usize,
}

/// A position that was founded just now.
struct Fresh<K> {
    index: u64,
    key: K,
    wins: bool,
}

/// An open position that may be founded now.
struct Candidate<K> {
    index: u64,
    key: K,
    /// The successor that was founded just now, if it is examined because of that.
    next: Option<u64>,
    wins: bool,
    /// Where its internal successors begin among those of the batch.
    first: usize,
}

struct LevelScratch<K> {
    fresh: Vec<Fresh<K>>,
    candidates: Vec<Candidate<K>>,
    inside: Vec<u64>,
    founded: u64,
}

impl<'a, const BITS: u32, G: Game> Levels<'a, BITS, G> {
    pub(super) fn new(
        check: &'a Check<'a, Whole<BITS>, G>,
        back: &'a G::View,
        threads: usize,
    ) -> Result<Self, CheckError> {
        let positions = check.cells.0.len();
        let waits = if counts_waits(check.game, check.slice) {
            Some(Packed::zeroed(positions)?)
        } else {
            None
        };
        Ok(Levels {
            check,
            back,
            wins: Packed::zeroed(positions)?,
            losses: Packed::zeroed(positions)?,
            waits,
            threads,
        })
    }

    /// Founds the positions worth `level` and `-level`. Returns how many passes it took, and how
    /// many positions stay open with the first of them.
    pub(super) fn run(&self, level: Score) -> Result<(u32, Option<(u64, u64)>), CheckError> {
        let mut open = self.open(level)?;
        let mut passes = 0;
        while open > 0 {
            let founded = self.pass((passes > 0).then_some(level))?;
            passes += 1;
            open -= founded;
            if founded == 0 && passes > 1 {
                let positions = self.check.cells.0.len();
                let mut first = positions;
                for bits in [&self.wins, &self.losses] {
                    bits.find_nonzero(0..positions, |index| first = first.min(index));
                }
                return Ok((passes, Some((open, first))));
            }
        }
        Ok((passes, None))
    }

    /// Collects the open positions of a level; returns how many there are.
    fn open(&self, level: Score) -> Result<u64, CheckError> {
        let cells = &self.check.cells.0;
        let open = AtomicU64::new(0);
        let (win, loss) = (Whole::<BITS>::encode(level as i8), Whole::<BITS>::encode(-level as i8));
        for_each_until_stopped(cells.len(), CHUNK, self.threads, self.check.progress, |range| {
            let (mut wins, mut losses) = (Vec::new(), Vec::new());
            wins.resize((CHUNK / 8) as usize, 0u8);
            losses.resize((CHUNK / 8) as usize, 0u8);
            let mut count = 0;
            cells.find(range.clone(), [win, loss], |index, cell| {
                let at = index - range.start;
                let bits = if cell == win { &mut wins } else { &mut losses };
                bits[(at / 8) as usize] |= 1 << (at % 8);
                count += 1;
            });
            self.wins.copy_from(range.start, &wins);
            self.losses.copy_from(range.start, &losses);
            open.fetch_add(count, Relaxed);
            Ok::<(), CheckError>(())
        })?;
        Ok(open.into_inner())
    }

    /// Examines the open losses, and what can be founded through them; after the first pass of a
    /// level, also its open wins. Returns how many positions were founded.
    fn pass(&self, wins_of: Option<Score>) -> Result<u64, CheckError> {
        let total = AtomicU64::new(0);
        let check = self.check;
        for_each_until_stopped(self.losses.len(), CHUNK, self.threads, check.progress, |range| {
            let mut scratch = LevelScratch {
                fresh: Vec::new(),
                candidates: Vec::new(),
                inside: Vec::new(),
                founded: 0,
            };
            let mut cursor = Default::default();
            self.losses.find_nonzero(range.clone(), |index| {
                let key = self.back.key_at(&mut cursor, index);
                scratch.candidates.push(Candidate {
                    index,
                    key,
                    next: None,
                    wins: false,
                    first: 0,
                });
                if scratch.candidates.len() == BATCH {
                    self.spread(&mut scratch);
                }
            });
            self.spread(&mut scratch);
            if let Some(level) = wins_of {
                self.wins(range, level, &mut scratch)?;
            }
            total.fetch_add(scratch.founded, Relaxed);
            check.advance(0, scratch.founded);
            Ok::<(), CheckError>(())
        })?;
        Ok(total.into_inner())
    }

    /// Founds open wins of a range with a move to a founded loss of their size.
    fn wins(
        &self,
        range: Range<u64>,
        level: Score,
        scratch: &mut LevelScratch<BackKey<G>>,
    ) -> Result<(), CheckError> {
        let (view, cells) = (self.check.view, self.check.cells);
        let (mut cursor, mut back_cursor) = (Default::default(), Default::default());
        let mut open = Vec::new();
        self.wins.find_nonzero(range, |index| open.push(index));
        for index in open {
            let mut losses = Vec::new();
            view.inside_at(&mut cursor, index, |next, _| losses.push(next));
            for next in losses {
                let is_loss = value(cells.get(next)?) == -level;
                if is_loss && self.losses.get(next) == 0 && self.close(index, true) {
                    let key = self.back.key_at(&mut back_cursor, index);
                    scratch.founded += 1;
                    scratch.fresh.push(Fresh { index, key, wins: true });
                    self.spread(scratch);
                }
            }
        }
        Ok(())
    }

    /// Closes an open position; false if it was not open.
    fn close(&self, index: u64, wins: bool) -> bool {
        let bits = if wins { &self.wins } else { &self.losses };
        bits.update(index, |bit| (bit == 1).then_some(0)).is_some()
    }

    /// Founds those of the candidates that can be, then those of their predecessors that can be
    /// founded through them, and so on.
    fn spread(&self, scratch: &mut LevelScratch<BackKey<G>>) {
        loop {
            self.decide(scratch);
            scratch.candidates.clear();
            let LevelScratch { fresh, candidates, .. } = scratch;
            if fresh.is_empty() {
                return;
            }
            for Fresh { index: next, key, wins } in fresh.drain(fresh.len().saturating_sub(BATCH)..)
            {
                let bits = if wins { &self.losses } else { &self.wins };
                self.back.predecessors(key, |index, key| {
                    bits.prefetch(index);
                    let next = Some(next);
                    candidates.push(Candidate { index, key, next, wins: !wins, first: 0 });
                });
            }
        }
    }

    fn decide(&self, scratch: &mut LevelScratch<BackKey<G>>) {
        let LevelScratch { inside, fresh, candidates, founded } = scratch;
        let view = self.check.view;
        inside.clear();
        let mut cursor = Default::default();
        let mut found = |index, key, wins| {
            if self.close(index, wins) {
                *founded += 1;
                if fresh.len() < MOST_FRESH {
                    fresh.push(Fresh { index, key, wins });
                }
            }
        };
        candidates.retain_mut(|candidate| {
            let Candidate { index, key: back_key, next, wins, .. } = *candidate;
            let bits = if wins { &self.wins } else { &self.losses };
            if bits.get(index) == 0 {
                return false;
            }
            if wins {
                let mut leads = false;
                view.inside_at(&mut cursor, index, |successor, _| leads |= Some(successor) == next);
                if leads {
                    found(index, back_key, true);
                }
                return false;
            }
            if next.is_some() && !self.waited(index) {
                return false;
            }
            candidate.first = inside.len();
            view.inside_at(&mut cursor, index, |successor, _| {
                self.wins.prefetch(successor);
                inside.push(successor);
            });
            true
        });
        let mut end = inside.len();
        for &Candidate { index, key, first, .. } in candidates.iter().rev() {
            let inside = &mut inside[first..std::mem::replace(&mut end, first)];
            if inside.iter().all(|&next| self.wins.get(next) == 0) {
                found(index, key, false);
            } else if let Some(waits) = &self.waits {
                waits.set(index, self.open_among(inside).min(15));
            }
        }
    }

    /// Counts an open win after this position as founded; whether the position is to be examined.
    fn waited(&self, index: u64) -> bool {
        let Some(waits) = &self.waits else { return true };
        waits.update(index, |left| left.checked_sub(1)) == Some(1)
    }

    /// How many different ones of these positions are open wins.
    fn open_among(&self, inside: &mut [u64]) -> u64 {
        inside.sort_unstable();
        let is_first = |at: usize| at == 0 || inside[at - 1] != inside[at];
        (0..inside.len()).map(|at| if is_first(at) { self.wins.get(inside[at]) } else { 0 }).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nutcracker_game::SliceId;
    use nutcracker_games::awari::Awari;
    use nutcracker_table::{Disk, Storage};

    use crate::{Silent, SolveOptions, open_set, solve};

    #[test]
    fn what_does_not_fit_the_list_is_found_by_passes() {
        let awari = Awari::new(6).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Storage> = Arc::new(Disk::default());
        let options = SolveOptions::new(1, "test");
        solve(&awari, &disk, dir.path(), SliceId(7), &options, &Silent).unwrap();
        let set = open_set(&awari, disk, dir.path(), 1 << 20);
        let checked =
            crate::check::check_slice(&awari, SliceId(7), &set, u64::MAX, 1, &Silent).unwrap();
        // One for agreement, then those of the level that took most.
        assert!(checked.sweeps > 3, "{checked:?}");
    }
}

//! The check of single positions.

use std::ops::Range;

use nutcracker_game::{ForwardView, Game, Score, Target, Turn};

use super::cells::{Cell, Cells, is_founded, value};
use super::{Check, Key, Pass, Scratch, rests};
use crate::check_error::{CheckError, Discrepancy};
use crate::tables::Nearby;

/// Positions that wait while the memory of their values is prefetched.
const PREFETCHED: usize = 32;

impl<C: Cells, G: Game> Check<'_, C, G> {
    /// Compares a position with its moves in the first pass, and marks it if it is founded.
    pub(super) fn position(
        &self,
        index: u64,
        key: Key<G>,
        pass: Pass,
        scratch: &mut Scratch<'_>,
    ) -> Result<(), CheckError> {
        let stored = self.cells.get(index)?;
        let fault = if let Some(outcome) = self.view.outcome(key) {
            let outcome = self.metric.over(outcome);
            if outcome.clamp(-self.window, self.window) == value(stored) {
                if !self.defers(stored, pass) {
                    scratch.founded += u64::from(self.cells.mark(index, 1)?);
                }
                return Ok(());
            }
            let position = self.notation(&self.view.position(key));
            Discrepancy::NotOutcome { position, index, stored: value(stored) as i8, outcome }
        } else {
            let (best, all) = self.moves(key, scratch)?;
            // A draw in a table of distances comes from a drawing move, not from a distance too
            // large to store.
            let too_far = self.metric.is_distance() && !is_founded(best);
            let agrees = value(best) == value(stored) || self.agrees(value(stored), value(best));
            if agrees && !too_far && self.is_in_time(key, value(stored), value(best))? {
                if rests(stored, best, all) && !self.defers(stored, pass) {
                    scratch.founded += u64::from(self.cells.mark(index, 1)?);
                }
                return Ok(());
            }
            let (position, best) = (self.notation(&self.view.position(key)), value(best));
            let stored = value(stored) as i8;
            if too_far {
                Discrepancy::TooFar { position, index, stored }
            } else {
                Discrepancy::NotBest { position, index, stored, best }
            }
        };
        match pass {
            Pass::Compare => self.refuse(index, fault),
            Pass::Exits => scratch.founded += u64::from(self.cells.mark(index, 1)?),
            Pass::Pending => {}
        }
        Ok(())
    }

    fn agrees(&self, stored: Score, best: Score) -> bool {
        self.metric.is_distance() && self.metric.agrees(stored, best)
    }

    /// What a move is worth.
    #[inline]
    fn target(&self, target: Target, nearby: &mut Nearby<'_>) -> Result<Cell, CheckError> {
        match target {
            Target::Inside(next) => self.cells.get(next).map(|cell| self.inside(cell)),
            Target::Zeroing(next) if self.metric.counts_to_zeroing() => {
                self.cells.get(next).map(|cell| self.outside(0, Turn::Passes, true, value(cell)))
            }
            Target::Zeroing(next) => self.cells.get(next).map(|cell| self.inside(cell)),
            Target::Outside { slice, index, gain, turn, converts } => nearby
                .score(slice, index)
                .map(|next| self.outside(gain, turn, converts, next))
                .map_err(CheckError::from),
        }
    }

    /// The best of a position's moves, and whether all of them are founded, in the last bit.
    fn moves(&self, key: Key<G>, scratch: &mut Scratch<'_>) -> Result<(Cell, Cell), CheckError> {
        let (mut best, mut all) = (Cell::MIN, 1);
        let mut failure = None;
        self.view.targets(key, |target| match self.target(target, &mut scratch.nearby) {
            Ok(cell) => {
                best = best.max(cell);
                all &= cell;
            }
            Err(error) => failure = Some(error),
        });
        failure.map_or(Ok((best, all)), Err)
    }

    /// Compares the positions of a walk with their moves; returns how many there are. What does not
    /// agree is compared again by itself, which says why.
    pub(super) fn walk(&self, walk: u64, scratch: &mut Scratch<'_>) -> Result<u64, CheckError> {
        let (mut waiting, mut at) = ([None; PREFETCHED], 0);
        let mut failure = None;
        self.view.walk(walk, |index, outcome, targets| {
            let worth = match outcome {
                Some(score) => Ok((self.over(score), 1)),
                None => targets.iter().try_fold((Cell::MIN, 1), |(best, all), &target| {
                    let cell = self.target(target, &mut scratch.nearby)?;
                    Ok((best.max(cell), all & cell))
                }),
            };
            self.cells.prefetch(index);
            let next = worth.and_then(|worth| {
                let ready = waiting[at % PREFETCHED].replace((index, worth));
                at += 1;
                ready.map_or(Ok(()), |ready| self.walked(ready, scratch))
            });
            if let Err(error) = next {
                failure.get_or_insert(error);
            }
        });
        failure.map_or(Ok(()), Err)?;
        for ready in waiting.into_iter().flatten() {
            self.walked(ready, scratch)?;
        }
        Ok(at as u64)
    }

    /// Compares a position with what its best move is worth, and all of its moves are in the last bit.
    fn walked(
        &self,
        (index, (best, all)): (u64, (Cell, Cell)),
        scratch: &mut Scratch<'_>,
    ) -> Result<(), CheckError> {
        let stored = self.cells.get(index)?;
        let too_far = self.metric.is_distance() && !is_founded(best);
        if value(best) == value(stored) && !too_far {
            if rests(stored, best, all) && !self.defers(stored, Pass::Compare) {
                scratch.founded += u64::from(self.cells.mark(index, 1)?);
            }
            return Ok(());
        }
        match self.view.key_at(&mut Default::default(), index) {
            Some(key) => self.position(index, key, Pass::Compare, scratch),
            None => Ok(()),
        }
    }

    /// The cell of a position in which the game is over with this score.
    fn over(&self, score: Score) -> Cell {
        self.metric.over(score).clamp(-self.window, self.window) << 1 | 1
    }

    /// Examines the pending positions of a range and marks those that are founded.
    pub(super) fn pending(
        &self,
        range: Range<u64>,
        pass: Pass,
        scratch: &mut Scratch<'_>,
    ) -> Result<(), CheckError> {
        let mut cells = std::mem::take(&mut scratch.cells);
        cells.resize((range.end - range.start) as usize, 0);
        self.cells.load(range.start, &mut cells)?;
        let mut cursor = Default::default();
        for (index, _) in (range.start..).zip(&cells).filter(|(_, cell)| !is_founded(**cell)) {
            match self.view.key_at(&mut cursor, index) {
                Some(key) => self.position(index, key, pass, scratch)?,
                None => self.skip_hole(index, scratch)?,
            }
        }
        scratch.cells = cells;
        Ok(())
    }
}

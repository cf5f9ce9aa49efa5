//! Sweeps over a slice under check: in parts, on several threads.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use nutcracker_game::{ForwardView, Game, MoveMatrix, Score, Side, Situation, Turn};

use super::cells::{Cell, Cells, is_founded, value};
use super::share::Share;
use super::{CHUNK, Check, Pass, Scratch, TILE, negated, tile};
use crate::check_error::{CheckError, Discrepancy};
use crate::parallel::for_each_until_stopped;
use crate::tables::Nearby;

/// A sweep on several threads.
struct Sweep<'a> {
    pass: Pass,
    threads: usize,
    /// Scratch memory of threads, for reuse.
    scratches: Mutex<Vec<Scratch<'a>>>,
}

/// A part of a sweep.
enum Part {
    /// Neighbouring columns of a matrix.
    Tile(Range<u64>),
    /// Consecutive indices, one position after another.
    Range(Range<u64>),
    /// A walk of the view, whose order keeps successors close together.
    Walk(u64),
    /// Consecutive second indices, in whose order successors lie close together.
    Second(Range<u64>),
}

impl<C: Cells, G: Game> Check<'_, C, G> {
    /// What a quiet move to a position of the same slice is worth.
    #[inline(always)]
    pub(super) fn inside(&self, next: Cell) -> Cell {
        if self.metric.is_distance() {
            self.final_cell(self.metric.inside(value(next)), value(next))
        } else {
            negated(next)
        }
    }

    /// What a move to a position of a finished slice is worth.
    #[inline(always)]
    pub(super) fn outside(&self, gain: Score, turn: Turn, converts: bool, next: Score) -> Cell {
        self.final_cell(self.metric.through(gain, turn, converts, next), next)
    }

    /// The cell of a final value. A distance too large to store is less than a draw and more than
    /// every other loss: 0 without a mark.
    #[inline(always)]
    fn final_cell(&self, value: Score, next: Score) -> Cell {
        if self.metric.is_too_far(value, next) {
            0
        } else {
            value.clamp(-self.window, self.window) << 1 | 1
        }
    }

    /// Whether a sweep leaves a position to the levels that follow it.
    pub(super) fn defers(&self, stored: Cell, pass: Pass) -> bool {
        self.defer_losses && pass.may_defer() && value(stored) < 0
    }

    /// Counts positions that were compared and positions that were founded: half of the work each.
    pub(super) fn advance(&self, compared: u64, founded: u64) {
        let compared = self.compared.fetch_add(compared, Relaxed) + compared;
        let founded = self.founded.fetch_add(founded, Relaxed) + founded;
        self.meter.reach(compared.midpoint(founded));
    }

    /// One pass over the slice.
    pub(super) fn sweep(
        &self,
        positions: u64,
        pass: Pass,
        threads: usize,
    ) -> Result<(), CheckError> {
        let sweep = Sweep { pass, threads, scratches: Mutex::new(Vec::new()) };
        let share = if pass == Pass::Compare { self.share } else { Share::ALL };
        let mut end = 0;
        for number in (0..).take_while(|_| !self.metric.is_distance()) {
            let Some(matrix) = self.view.matrix(number) else { break };
            self.run(&sweep, None, &parts(share.of(end..matrix.first), CHUNK, Part::Range))?;
            end = matrix.first + matrix.rows * matrix.columns;
            let width = if C::RANDOM_ACCESS {
                TILE
            } else {
                // A cell takes two bytes and two bits.
                (self.tile_bytes / (3 * matrix.rows)).max(1).next_multiple_of(64)
            };
            let tiles = parts(share.of(0..matrix.columns), width, Part::Tile);
            self.run(&sweep, Some((number, &matrix)), &tiles)?;
        }
        // Shares are cut in one way, whatever the memory of a machine.
        let by_second =
            end == 0 && pass == Pass::Compare && C::RANDOM_ACCESS && share == Share::ALL;
        let walks = if by_second && self.late.is_none() { self.view.walks() } else { 0 };
        let rest = if walks > 0 {
            (0..walks).map(Part::Walk).collect()
        } else if by_second {
            parts(0..positions, CHUNK, Part::Second)
        } else {
            parts(share.of(end..positions), CHUNK, Part::Range)
        };
        self.run(&sweep, None, &rest)
    }

    /// Works through parts of a sweep on several threads.
    fn run<'s>(
        &'s self,
        sweep: &Sweep<'s>,
        matrix: Option<(u64, &MoveMatrix)>,
        parts: &[Part],
    ) -> Result<(), CheckError> {
        let Sweep { pass, threads, scratches } = sweep;
        for_each_until_stopped(parts.len() as u64, 1, *threads, self.progress, |range| {
            let kept = scratches.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut scratch = kept.unwrap_or_else(|| self.scratch());
            for part in &parts[range.start as usize..range.end as usize] {
                let positions = match (part, matrix) {
                    (Part::Tile(columns), Some((number, matrix))) => {
                        self.tile(number, matrix, columns.clone(), *pass, &mut scratch)?;
                        (columns.end - columns.start) * matrix.rows
                    }
                    (Part::Tile(_), None) => 0,
                    (Part::Range(range), _) => self.range(range.clone(), *pass, &mut scratch)?,
                    (&Part::Walk(walk), _) => self.walk(walk, &mut scratch)?,
                    (Part::Second(range), _) => self.second(range.clone(), &mut scratch)?,
                };
                let compared = if *pass == Pass::Compare { positions } else { 0 };
                self.advance(compared, std::mem::take(&mut scratch.founded));
            }
            scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
            Ok(())
        })
    }

    fn scratch(&self) -> Scratch<'_> {
        Scratch {
            nearby: Nearby::new(self.children),
            tile: tile::TileScratch::default(),
            cells: Vec::new(),
            founded: 0,
        }
    }

    fn range<'s>(
        &'s self,
        range: Range<u64>,
        pass: Pass,
        scratch: &mut Scratch<'s>,
    ) -> Result<u64, CheckError> {
        if pass == Pass::Compare {
            let mut cursor = Default::default();
            for index in range.clone() {
                match self.view.key_at(&mut cursor, index) {
                    Some(key) => self.position(index, key, pass, scratch)?,
                    None => self.skip_hole(index, scratch)?,
                }
            }
        } else {
            self.pending(range.clone(), pass, scratch)?;
        }
        Ok(range.end - range.start)
    }

    fn second<'s>(
        &'s self,
        range: Range<u64>,
        scratch: &mut Scratch<'s>,
    ) -> Result<u64, CheckError> {
        let mut cursor = Default::default();
        for second in range.clone().rev() {
            if let Some(key) = self.view.second_key_at(&mut cursor, second) {
                self.position(self.view.index(key), key, Pass::Compare, scratch)?;
            }
        }
        Ok(range.end - range.start)
    }

    /// Numbers without a position need no check.
    pub(super) fn skip_hole(
        &self,
        index: u64,
        scratch: &mut Scratch<'_>,
    ) -> Result<(), CheckError> {
        scratch.founded += u64::from(self.cells.mark(index, 1)?);
        Ok(())
    }

    pub(super) fn refuse(&self, index: u64, fault: Discrepancy) {
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
            *first = Some((index, fault));
        }
    }

    pub(super) fn first_fault(&self) -> Option<(u64, Discrepancy)> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The first position that is not founded; there must be one.
    pub(super) fn first_unfounded(&self, positions: u64) -> Result<u64, CheckError> {
        let mut cells = vec![0; CHUNK as usize];
        for start in (0..positions).step_by(CHUNK as usize) {
            let cells = &mut cells[..CHUNK.min(positions - start) as usize];
            self.cells.load(start, cells)?;
            if let Some(at) = cells.iter().position(|&cell| !is_founded(cell)) {
                return Ok(start + at as u64);
            }
        }
        Ok(0)
    }

    pub(super) fn unfounded_at(&self, index: u64, count: u64) -> Result<Discrepancy, CheckError> {
        let position = self.game.unrank(self.slice, index);
        let position = position.map_or_else(String::new, |position| self.notation(&position));
        let stored = value(self.cells.get(index)?) as i8;
        Ok(Discrepancy::Unfounded { position, index, stored, count })
    }

    pub(super) fn notation(&self, position: &G::Position) -> String {
        self.game.format(&Situation::new(*position, Side::First))
    }
}

/// A range in parts of the same size.
fn parts(range: Range<u64>, size: u64, part: fn(Range<u64>) -> Part) -> Vec<Part> {
    let end = range.end;
    range.step_by(size as usize).map(|first| part(first..(first + size).min(end))).collect()
}

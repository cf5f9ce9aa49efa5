//! The check of tables of lower bounds, in memory.
//!
//! Upper bounds follow from the file by one ply. Then both must agree with each other over every
//! move, and both must be *founded*: a lower bound on an exit of that worth, or on a move to a
//! position whose upper bound is its negation and founded; an upper bound on the founded lower
//! bounds, of that size, of all internal moves. As with scores, agreement rules out that a bound is
//! too weak, and foundation that it rests on a cycle. All of it works forward by the plain rules,
//! and nothing is shared with the solver but these and the reader of tables.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use nutcracker_game::{
    Children, Game, Score, Side, Situation, Step, Turn, is_internal, upper_bound,
};
use nutcracker_mem::Packed;

use super::{CHUNK, CheckJob, Checked};
use crate::check_error::{CheckError, Discrepancy};
use crate::parallel::for_each_until_stopped;
use crate::tables::SetChildren;

/// Bits of a position's marks: its lower and its upper bound are founded.
const LOWER: u64 = 1;
const UPPER: u64 = 2;

/// Bytes of both bounds and their marks.
pub(super) fn bytes(positions: u64) -> u64 {
    2 * positions + positions / 4
}

/// The bounds of all positions, each as a byte.
struct Bounds<'a, G> {
    job: &'a CheckJob<'a, G>,
    children: SetChildren<'a>,
    lower: Packed<8>,
    upper: Packed<8>,
    marks: Packed<2>,
}

fn score(bits: u64) -> Score {
    Score::from(bits as u8 as i8)
}

impl<G: Game> CheckJob<'_, G> {
    /// Checks both bounds of every position.
    pub(super) fn check_bounds(&self) -> Result<Checked, CheckError> {
        let positions = self.table.positions();
        let lower = Packed::<8>::zeroed(positions)?;
        self.read(|start, values| {
            lower.fill(start, values.iter().map(|&value| u64::from(value as u8)));
        })?;
        let (upper, marks) = (Packed::zeroed(positions)?, Packed::zeroed(positions)?);
        let bounds = Bounds { job: self, children: self.children(), lower, upper, marks };
        bounds.each(|index, position| {
            let upper = upper_bound(self.game, position, &mut |next| bounds.lower_of(next))?;
            bounds.upper.set(index, u64::from(upper as i8 as u8));
            Ok(None)
        })?;
        let exact = AtomicU64::new(0);
        bounds.each(|index, position| {
            let fault = bounds.compare(index, position)?;
            let met = bounds.lower.get(index) == bounds.upper.get(index);
            exact.fetch_add(u64::from(met), Relaxed);
            self.meter.add(u64::from(fault.is_none()));
            Ok(fault)
        })?;
        if self.table.exact() != Some(exact.into_inner()) {
            return Err(self.wrong(Discrepancy::Counts));
        }
        let sweeps = bounds.found()?;
        let share = self.share.of(0..positions);
        self.finish(share.end - share.start, 1 + sweeps, false)
    }
}

impl<G: Game> Bounds<'_, G> {
    /// Visits all positions on all threads, until one is wrong.
    fn each(
        &self,
        visit: impl Fn(u64, &G::Position) -> Result<Option<Discrepancy>, CheckError> + Sync,
    ) -> Result<(), CheckError> {
        let CheckJob { game, slice, threads, progress, .. } = *self.job;
        let fault = Mutex::new(None);
        for_each_until_stopped(self.lower.len(), CHUNK / 16, threads, progress, |range| {
            for index in range {
                let Some(position) = game.unrank(slice, index) else { continue };
                if let Some(wrong) = visit(index, &position)? {
                    let mut first = fault.lock().unwrap_or_else(PoisonError::into_inner);
                    *first = first.take().filter(|&(at, _)| at < index).or(Some((index, wrong)));
                    return Ok(());
                }
            }
            Ok::<(), CheckError>(())
        })?;
        match fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, fault)) => Err(self.job.wrong(fault)),
            None => Ok(()),
        }
    }

    /// The lower bound of a position of this slice or a smaller one.
    fn lower_of(&self, position: &G::Position) -> Result<Score, CheckError> {
        let CheckJob { game, slice, .. } = *self.job;
        let (to, index) = (game.slice_of(position), game.rank(position));
        if to == slice {
            return Ok(score(self.lower.get(index)));
        }
        Ok(self.children.score(to, index)?)
    }

    /// What a move is worth at least, by the upper bound of the position it leads to.
    fn through(&self, step: &Step<G::Position>) -> Result<Score, CheckError> {
        let CheckJob { game, slice, .. } = *self.job;
        Ok(match step.turn {
            Turn::Stays => step.gain + self.lower_of(&step.next)?,
            Turn::Passes if game.slice_of(&step.next) == slice => {
                step.gain - score(self.upper.get(game.rank(&step.next)))
            }
            Turn::Passes => {
                step.gain - upper_bound(game, &step.next, &mut |next| self.lower_of(next))?
            }
        })
    }

    /// Whether a lower bound is the best of its moves.
    fn compare(
        &self,
        index: u64,
        position: &G::Position,
    ) -> Result<Option<Discrepancy>, CheckError> {
        let game = self.job.game;
        let stored = self.lower.get(index) as u8 as i8;
        let notation = || game.format(&Situation::new(*position, Side::First));
        let mut steps = Vec::new();
        if let Some(outcome) = game.expand(position, &mut steps) {
            self.marks.set(index, LOWER | UPPER);
            let fault = || Discrepancy::NotOutcome { position: notation(), index, stored, outcome };
            return Ok((outcome != Score::from(stored)).then(fault));
        }
        let mut best = Score::MIN;
        for step in &steps {
            best = best.max(self.through(step)?);
        }
        let fault = || Discrepancy::NotBest { position: notation(), index, stored, best };
        Ok((best != Score::from(stored)).then(fault))
    }

    /// Founds bounds by sweeps until all are founded, or no more can be; returns how many it took.
    fn found(&self) -> Result<u32, CheckError> {
        let CheckJob { game, slice, threads, progress, .. } = *self.job;
        let (len, least) = (self.marks.len(), -game.max_score(slice));
        let mut sweeps = 0;
        loop {
            let (left, changed) = (AtomicU64::new(0), AtomicU64::new(0));
            let first = AtomicU64::new(u64::MAX);
            for_each_until_stopped(len, CHUNK / 16, threads, progress, |range| {
                for index in range {
                    // To and fro: what a sweep founds helps the next one where it begins.
                    let index = if sweeps % 2 == 0 { index } else { len - 1 - index };
                    let marks = self.marks.get(index);
                    if marks == LOWER | UPPER {
                        continue;
                    }
                    let Some(position) = game.unrank(slice, index) else { continue };
                    let now = self.founded(index, &position, marks, least)?;
                    if now != marks {
                        self.marks.set(index, now);
                        changed.fetch_add(1, Relaxed);
                    }
                    if now != LOWER | UPPER {
                        left.fetch_add(1, Relaxed);
                        first.fetch_min(index, Relaxed);
                    }
                }
                Ok::<(), CheckError>(())
            })?;
            sweeps += 1;
            let (count, index) = (left.into_inner(), first.into_inner());
            if count == 0 {
                return Ok(sweeps);
            }
            if changed.into_inner() == 0 {
                let position = game.unrank(slice, index).map_or_else(String::new, |position| {
                    game.format(&Situation::new(position, Side::First))
                });
                let stored = self.lower.get(index) as u8 as i8;
                return Err(self.job.wrong(Discrepancy::Unforced {
                    position,
                    index,
                    stored,
                    count,
                }));
            }
        }
    }

    /// The marks of a position after a look at its moves.
    fn founded(
        &self,
        index: u64,
        position: &G::Position,
        marks: u64,
        least: Score,
    ) -> Result<u64, CheckError> {
        let CheckJob { game, slice, .. } = *self.job;
        let (lower, upper) = (score(self.lower.get(index)), score(self.upper.get(index)));
        // The least needs no reason.
        let (mut has_lower, mut has_upper) = (lower == least, true);
        let mut steps = Vec::new();
        game.steps(position, &mut steps);
        for step in &steps {
            if !is_internal(game, slice, step) {
                has_lower = has_lower || self.through(step)? == lower;
                continue;
            }
            let next = game.rank(&step.next);
            let founded = |mark| self.marks.get(next) & mark > 0;
            has_lower |= score(self.upper.get(next)) == -lower && founded(UPPER);
            has_upper &= score(self.lower.get(next)) != -upper || founded(LOWER);
        }
        has_upper |= upper == -least;
        let mark = |has: bool, mark: u64| if has { mark } else { 0 };
        Ok(marks | mark(has_lower, LOWER) | mark(has_upper, UPPER))
    }
}

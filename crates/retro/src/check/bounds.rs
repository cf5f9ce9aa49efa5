//! The check of tables of lower bounds, in memory.
//!
//! Upper bounds follow from the file by one ply. Then both must agree with each other over every
//! move, and both must be *founded*: a lower bound on an exit of that worth, or on a move to a
//! position whose upper bound is its negation and founded; an upper bound on the founded lower
//! bounds, of that size, of all internal moves. As with scores, agreement rules out that a bound is
//! too weak, and foundation that it rests on a cycle. All of it works forward by the plain rules.
//! Where the game has un-moves, predecessors of a newly founded bound are examined at once: un-moves
//! only suggest candidates, and nothing is accepted because of them.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use nutcracker_game::{Game, Score, Side, Situation, SliceId, is_internal};
use nutcracker_mem::Packed;

use super::{CHUNK, CheckJob, Checked};
use crate::check_error::{CheckError, Discrepancy};
use crate::child_bounds::{ChildBounds, batches, bounds};
use crate::parallel::for_each_until_stopped;
use crate::plies::{Expanded, Expansion, PlainPlies, Ply, Wanted};

/// Bits of a position's marks: its lower and its upper bound are founded.
const LOWER: u64 = 1;
const UPPER: u64 = 2;

/// Newly founded bounds of a thread whose predecessors wait; those of others are found by sweeps.
const WAITING: usize = 1 << 16;

/// Bytes of both bounds of a slice and of those below it, and of marks.
pub(super) fn bytes<G: Game>(game: &G, slice: SliceId) -> u64 {
    own_bytes(game.slice_len(slice)) + ChildBounds::bytes(game, slice)
}

fn own_bytes(positions: u64) -> u64 {
    2 * positions + positions / 4
}

/// The bounds of all positions, two bytes each.
struct Bounds<'a, G> {
    job: &'a CheckJob<'a, G>,
    children: ChildBounds<'a>,
    both: Packed<16>,
    marks: Packed<2>,
    /// The least bound.
    least: i8,
}

/// A newly founded bound.
struct Event<P> {
    position: P,
    index: u64,
    mark: u64,
}

impl<G: Game> CheckJob<'_, G> {
    /// Checks both bounds of every position.
    pub(super) fn check_bounds(&self) -> Result<Checked, CheckError> {
        let CheckJob { game, slice, table, set, memory, threads, progress, .. } = *self;
        let positions = table.positions();
        let (plies, memory) = (PlainPlies(game), memory.saturating_sub(own_bytes(positions)));
        let children =
            ChildBounds::new((game, slice), &plies, set, None, memory, threads, progress);
        let both = children.by_one_ply(table)?;
        let (marks, least) = (Packed::zeroed(positions)?, -game.max_score(slice) as i8);
        let bounds = Bounds { job: self, children, both, marks, least };
        let exact = bounds.compare()?;
        if table.exact() != Some(exact) {
            return Err(self.wrong(Discrepancy::Counts));
        }
        let sweeps = bounds.found()?;
        let share = self.share.of(0..positions);
        self.finish(share.end - share.start, 1 + sweeps, false)
    }
}

impl<G: Game> Bounds<'_, G> {
    /// Compares every lower bound with the best of its moves, and founds what it can. Returns the
    /// number of positions whose bounds meet.
    fn compare(&self) -> Result<u64, CheckError> {
        let CheckJob { threads, progress, meter, .. } = *self.job;
        let (fault, exact) = (Mutex::new(None), AtomicU64::new(0));
        for_each_until_stopped(self.both.len(), CHUNK / 16, threads, progress, |range| {
            let (mut expansion, mut events) = (Expansion::default(), Vec::new());
            for batch in batches(range) {
                let wrong = self.compare_batch(batch.clone(), &mut expansion, &mut events)?;
                if let Some((index, wrong)) = wrong {
                    let mut first = fault.lock().unwrap_or_else(PoisonError::into_inner);
                    *first = first.take().filter(|&(at, _)| at < index).or(Some((index, wrong)));
                    return Ok(());
                }
                meter.add(batch.end - batch.start);
                let met = batch.filter(|&index| {
                    let [lower, upper] = bounds(self.both.get(index));
                    lower == upper
                });
                exact.fetch_add(met.count() as u64, Relaxed);
                self.follow(&mut events);
            }
            Ok::<(), CheckError>(())
        })?;
        match fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, fault)) => Err(self.job.wrong(fault)),
            None => Ok(exact.into_inner()),
        }
    }

    /// Compares some positions; returns the first that is wrong.
    fn compare_batch(
        &self,
        batch: Range<u64>,
        expansion: &mut Expansion,
        events: &mut Vec<Event<G::Position>>,
    ) -> Result<Option<(u64, Discrepancy)>, CheckError> {
        let CheckJob { game, slice, .. } = *self.job;
        let own = Some(&self.both);
        self.children.expand(slice, batch.clone(), Wanted::All, own, expansion)?;
        let mut at = None;
        for (index, (expanded, moves)) in batch.zip(expansion.positions()) {
            let position = match at {
                Some(mut position) if !game.properties().holes => {
                    game.next_index(slice, index, &mut position);
                    Some(position)
                }
                _ => game.unrank(slice, index),
            };
            at = position;
            let Some(position) = position else { continue };
            let (best, founded) = self.compare_one(index, expanded, moves)?;
            let [stored, _] = bounds(self.both.get(index));
            if best != Score::from(stored) {
                let notation = game.format(&Situation::new(position, Side::First));
                return Ok(Some((
                    index,
                    if expanded.over.is_some() {
                        Discrepancy::NotOutcome { position: notation, index, stored, outcome: best }
                    } else {
                        Discrepancy::NotBest { position: notation, index, stored, best }
                    },
                )));
            }
            self.mark(index, &position, founded, events);
        }
        Ok(None)
    }

    /// The best of a position's moves, and which of its bounds are founded.
    fn compare_one(
        &self,
        index: u64,
        expanded: &Expanded,
        moves: &[Ply],
    ) -> Result<(Score, u64), CheckError> {
        if let Some(outcome) = expanded.over {
            return Ok((outcome.into(), LOWER | UPPER));
        }
        let slice = self.job.slice;
        let [lower, upper] = bounds(self.both.get(index));
        let (mut has_lower, mut has_upper) = (lower == self.least, true);
        let mut best = Score::MIN;
        for ply in moves {
            let [lower_there, upper_there] = self.children.after(slice, Some(&self.both), ply)?;
            let through = if ply.stays { lower_there } else { -upper_there };
            let through = Score::from(ply.gain) + Score::from(through);
            best = best.max(through);
            let internal = ply.slice == slice.0 && !ply.stays;
            let marks = if internal { self.marks.get(ply.index) } else { LOWER | UPPER };
            has_lower |= through == Score::from(lower) && marks & UPPER > 0;
            has_upper &= !internal || lower_there != -upper || marks & LOWER > 0;
        }
        has_upper |= upper == -self.least;
        Ok((best, both_marks(has_lower, has_upper)))
    }

    /// Marks bounds of a position as founded; those that were not become events.
    fn mark(
        &self,
        index: u64,
        position: &G::Position,
        founded: u64,
        events: &mut Vec<Event<G::Position>>,
    ) {
        if founded & !self.marks.get(index) == 0 {
            return;
        }
        let before = self.marks.update(index, |marks| Some(marks | founded)).unwrap_or(founded);
        for mark in [LOWER, UPPER] {
            if founded & !before & mark > 0 && events.len() < WAITING {
                events.push(Event { position: *position, index, mark });
            }
        }
    }

    /// Founds what newly founded bounds lead to.
    fn follow(&self, events: &mut Vec<Event<G::Position>>) {
        let game = self.job.game;
        if !game.properties().unmoves {
            events.clear();
        }
        let (mut before, mut candidates, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(event) = events.pop() {
            let [lower, upper] = bounds(self.both.get(event.index));
            before.clear();
            game.unmoves(&event.position, &mut before);
            candidates.clear();
            for position in &before {
                let position = game.canonical(position);
                let index = game.rank(&position);
                self.both.prefetch(index);
                self.marks.prefetch(index);
                candidates.push((position, index));
            }
            for (position, index) in &candidates {
                let [its_lower, its_upper] = bounds(self.both.get(*index));
                let mark = if event.mark == UPPER { LOWER } else { UPPER };
                let rests = if mark == LOWER { its_lower == -upper } else { its_upper == -lower };
                if !rests || self.marks.get(*index) & mark > 0 {
                    continue;
                }
                steps.clear();
                game.steps(position, &mut steps);
                let mut inside =
                    steps.iter().filter(|step| is_internal(game, self.job.slice, step));
                let founded = if mark == LOWER {
                    inside.any(|step| {
                        step.next == event.position || game.rank(&step.next) == event.index
                    })
                } else {
                    inside.all(|step| {
                        let next = game.rank(&step.next);
                        let [lower, _] = bounds(self.both.get(next));
                        lower != -its_upper || self.marks.get(next) & LOWER > 0
                    })
                };
                if founded {
                    self.mark(*index, position, mark, events);
                }
            }
        }
    }

    /// Founds bounds by sweeps until all are founded, or no more can be; returns how many it took.
    fn found(&self) -> Result<u32, CheckError> {
        let CheckJob { game, slice, threads, progress, .. } = *self.job;
        let len = self.marks.len();
        let mut sweeps = 0;
        loop {
            let (left, changed) = (AtomicU64::new(0), AtomicU64::new(0));
            let first = AtomicU64::new(u64::MAX);
            for_each_until_stopped(len, CHUNK / 16, threads, progress, |range| {
                let (mut expansion, mut events) = (Expansion::default(), Vec::new());
                for index in range {
                    let marks = self.marks.get(index);
                    if marks == LOWER | UPPER {
                        continue;
                    }
                    let Some(position) = game.unrank(slice, index) else { continue };
                    self.children.expand(
                        slice,
                        index..index + 1,
                        Wanted::All,
                        Some(&self.both),
                        &mut expansion,
                    )?;
                    let mut now = marks;
                    for (expanded, moves) in expansion.positions() {
                        now |= self.compare_one(index, expanded, moves)?.1;
                    }
                    if now != marks {
                        changed.fetch_add(1, Relaxed);
                        self.mark(index, &position, now, &mut events);
                        self.follow(&mut events);
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
                let [stored, _] = bounds(self.both.get(index));
                return Err(self.job.wrong(Discrepancy::Unforced {
                    position,
                    index,
                    stored,
                    count,
                }));
            }
        }
    }
}

fn both_marks(has_lower: bool, has_upper: bool) -> u64 {
    (if has_lower { LOWER } else { 0 }) | if has_upper { UPPER } else { 0 }
}

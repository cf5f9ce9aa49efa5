//! Distances to zeroing moves: `dtz`, `dtzN`, `dthN`, `dtr`.
//!
//! After a zeroing move only the winner matters, and the move may stay in the slice. So the winners
//! are found first, then the distances, with zeroing moves as exits that are read.
//!
//! Under a rule of N moves, who wins depends on the distances: a win is one whose zeroing move comes
//! within 2N plies. Then winners and distances are found in turn until the winners stay the same.
//! They begin with all who win without a rule inside the slice; zeroing moves cannot be taken back,
//! so after as many turns as a line can have of them, and mostly after two, all are right.
//!
//! Distances count the winner's moves, m. That tells whether the winner to move is within 2N plies: m
//! ≤ N. With the loser to move they are 2m, or 2m + 1 where the loser has to zero. The loser's own
//! moves, j, tell: j ≤ N. They are found by the same solver when the loser's zeroing moves count as
//! one move and not as none.
//!
//! The smallest rule under which a position is won is found from below: rule after rule, with those
//! exits open that are won under it, and those of its own slice.

use std::sync::atomic::{AtomicBool, AtomicU16, Ordering::Relaxed};
use std::time::Instant;

use nutcracker_game::{Children, Exits, Game, Metric, Score, SliceId, SliceView};
use nutcracker_mem::Packed;
use nutcracker_table::TableError;

use super::{States, enter, enter_with};
use crate::error::{SolveError, Unfit};
use crate::options::SolverName;
use crate::report::Effort;
use crate::solver::{Scores, SliceJob, SliceTask, SolvedSlice};
use crate::store::disk::WorkFileError;
use crate::tables::SetChildren;

/// Bytes of all states, where one state for each position takes this many.
pub(super) fn bytes<G: Game>(task: &SliceTask<'_, G>, states: u64) -> u64 {
    let winners =
        task.positions() * States::bytes_per_position(1, task.game.max_internal_moves(task.slice));
    match task.metric() {
        Metric::Dtz => states + winners,
        // Both kinds of distances and the values, which are begun beside the winners.
        _ => (2 * states).max(winners) + task.positions(),
    }
}

/// Solves a slice for a metric that counts to zeroing moves.
pub(super) fn solve<G: Game>(
    job: &SliceJob<'_, G>,
    metric: Metric,
) -> Result<SolvedSlice, SolveError> {
    let started = Instant::now();
    let set = job.open_set();
    let children = job.children(&set);
    let view = job.task.game.zeroing_view(job.task.slice);
    let view = view.ok_or_else(|| job.unfit(SolverName::Memory, Unfit::NoZeroing))?;
    let zeroing = Zeroing { job, view, children, stays: AtomicBool::new(false) };
    let winners = zeroing.winners()?;
    let exit_time = started.elapsed();
    let scores: Box<dyn Scores> = match metric {
        Metric::DtzIn(limit) => Box::new(zeroing.within(limit, winners)?),
        Metric::Dth(limit) => {
            let values = zeroing.within(limit, winners)?;
            zeroing.by_the_rule(limit, &values)?;
            Box::new(values)
        }
        _ => {
            let own = |start: u64, out: &mut [i8]| winners.scores(start, out);
            let (states, too_far) = zeroing.distances(&zeroing.children, &own, 1, false)?;
            if too_far {
                return Err(job.too_far());
            }
            Box::new(states)
        }
    };
    Ok(SolvedSlice { scores, effort: Effort::default(), exit_time })
}

/// The values of a slice, one byte each.
struct Bytes(Packed<8>);

impl Bytes {
    fn get(&self, index: u64) -> Score {
        Score::from(self.0.get(index) as u8 as i8)
    }

    fn set(&self, index: u64, value: Score) {
        self.0.set(index, u64::from(value as u8));
    }

    fn copy(&self, start: u64, out: &mut [i8]) {
        for (index, out) in (start..).zip(out) {
            *out = self.0.get(index) as u8 as i8;
        }
    }
}

impl Scores for Bytes {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        self.copy(start, out);
        Ok(())
    }
}

/// Values of the slice itself, for its zeroing moves.
type Own<'a> = dyn Fn(u64, &mut [i8]) + Sync + 'a;

struct Zeroing<'a, G: Game> {
    job: &'a SliceJob<'a, G>,
    /// The slice without un-moves by zeroing moves.
    view: G::View,
    children: SetChildren<'a>,
    /// Whether some zeroing move stays in the slice.
    stays: AtomicBool,
}

impl<G: Game> Zeroing<'_, G> {
    fn states(&self, top: u8) -> Result<States, SolveError> {
        let SliceTask { game, slice, .. } = self.job.task;
        Ok(States::new(self.view.len(), top, game.max_internal_moves(slice))?)
    }

    /// Who wins without a rule inside the slice.
    fn winners(&self) -> Result<States, SolveError> {
        let SliceTask { game, slice, options, .. } = self.job.task;
        let (states, view) = (self.states(1)?, game.view(slice));
        enter(self.job, &view, Metric::Wdl, &Winners(&self.children), &states)?;
        states.settle(&view, options.threads, self.job.progress)?;
        self.job.stop_if_requested()?;
        Ok(states)
    }

    /// Distances to zeroing moves down to a level, in moves of the winner, or of the loser; and
    /// whether some are too large to store.
    fn distances<C: Children<Error = TableError> + Sync>(
        &self,
        children: &C,
        own: &Own<'_>,
        lowest: u64,
        of_loser: bool,
    ) -> Result<(States, bool), SolveError> {
        let SliceTask { game, slice, top, options } = self.job.task;
        let states = self.states(top)?;
        let children = WithOwn { children, slice, own, stays: &self.stays };
        enter_with(self.job, &self.view, Metric::Dtz, &children, |start, run| {
            if !of_loser {
                return states.enter(start, run);
            }
            let is_over = |index| {
                let position = game.unrank(slice, index);
                position.is_some_and(|position| game.outcome(&position).is_some())
            };
            let counted = |(index, &exits): (u64, &Exits)| match exits {
                // The loser has been mated: not a move.
                Exits { best: -127, internal: 0 } if is_over(index) => exits,
                Exits { best: -127, internal } => Exits { best: -126, internal },
                _ => exits,
            };
            let run: Vec<Exits> = (start..).zip(run).map(counted).collect();
            states.enter(start, &run);
        })?;
        let (threads, progress) = (options.threads, self.job.progress);
        let too_far = states.settle_distances_to(lowest, &self.view, threads, progress)?;
        self.job.stop_if_requested()?;
        Ok((states, too_far))
    }

    /// Calls `visit` with the values in moves of the winner and of the loser.
    fn each(&self, [first, second]: [&States; 2], mut visit: impl FnMut(u64, [Score; 2])) {
        let (mut of_winner, mut of_loser) = (vec![0; CHUNK], vec![0; CHUNK]);
        let len = self.view.len();
        for start in (0..len).step_by(CHUNK) {
            let count = CHUNK.min((len - start) as usize);
            first.scores(start, &mut of_winner[..count]);
            second.scores(start, &mut of_loser[..count]);
            for (index, (&one, &two)) in (start..).zip(of_winner.iter().zip(&of_loser)).take(count)
            {
                visit(index, [one.into(), two.into()]);
            }
        }
    }

    /// Values under a rule of `limit` moves.
    fn within(&self, limit: u8, winners: States) -> Result<Bytes, SolveError> {
        let values = Bytes(Packed::zeroed(self.view.len())?);
        self.each([&winners, &winners], |index, [winner, _]| {
            values.set(index, winner);
        });
        drop(winners);
        // The last loss, and the win on the level above it.
        let last = 127 - Score::from(limit);
        loop {
            let own = |start: u64, out: &mut [i8]| values.copy(start, out);
            let lowest = (last as u64).max(1);
            let children = Under::new(&self.children, limit.into());
            let (of_winner, _) = self.distances(&children, &own, lowest, false)?;
            let mut at_the_limit = false;
            self.each([&of_winner, &of_winner], |_, [value, _]| at_the_limit |= value == -last);
            let of_loser = if at_the_limit {
                Some(self.distances(&children, &own, lowest, true)?.0)
            } else {
                None
            };
            let mut changed = false;
            self.each(
                [&of_winner, of_loser.as_ref().unwrap_or(&of_winner)],
                |index, [one, two]| {
                    let value = if one > last || one < 0 && two <= -last { one } else { 0 };
                    changed |= values.get(index).signum() != value.signum();
                    values.set(index, value);
                },
            );
            if !changed {
                return Ok(values);
            }
        }
    }

    /// For positions that are not won under a rule of `limit` moves, the smallest one under which
    /// they are.
    fn by_the_rule(&self, limit: u8, values: &Bytes) -> Result<(), SolveError> {
        let mut rule = Score::from(limit) + 1;
        loop {
            let own = |start: u64, out: &mut [i8]| values.copy(start, out);
            let children = Under::new(&self.children, rule);
            let (of_winner, too_far) = self.distances(&children, &own, 1, false)?;
            let (of_loser, _) = self.distances(&children, &own, 1, true)?;
            let stays = self.stays.load(Relaxed);
            let next_exit = children.next.load(Relaxed) as Score;
            let (mut found, mut next) = (false, next_exit);
            self.each([&of_winner, &of_loser], |index, [one, two]| {
                if values.get(index) != 0 || one == 0 || one < 0 && two == 0 {
                    return;
                }
                let needs = if one > 0 { 128 - one } else { 127 + two };
                // Without zeroing moves inside, nothing changes before the next exit opens.
                if needs > if stays { rule } else { next_exit } {
                    next = next.min(needs);
                    return;
                }
                found = true;
                let needs = needs.max(rule);
                let value = if one > 0 { 128 - needs } else { needs - 127 };
                values.set(index, value);
            });
            if found && stays {
                continue;
            }
            if next == Score::MAX {
                return if too_far { Err(self.job.too_far()) } else { Ok(()) };
            }
            rule = next;
        }
    }
}

/// Positions that are copied at a time.
const CHUNK: usize = 1 << 12;

/// Who wins positions whose distances are given.
struct Winners<'a, C>(&'a C);

impl<C: Children> Children for Winners<'_, C> {
    type Error = C::Error;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), C::Error> {
        self.0.read(slice, start, out)?;
        for value in out {
            *value = value.signum();
        }
        Ok(())
    }
}

/// Positions that are won under a rule; all others are draws.
struct Under<'a, C> {
    children: &'a C,
    rule: Score,
    /// The next larger rule under which another one is won.
    next: AtomicU16,
}

impl<'a, C> Under<'a, C> {
    fn new(children: &'a C, rule: Score) -> Self {
        Under { children, rule, next: AtomicU16::new(Score::MAX as u16) }
    }
}

impl<C: Children> Children for Under<'_, C> {
    type Error = C::Error;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), C::Error> {
        self.children.read(slice, start, out)?;
        for value in out {
            let needs =
                if *value > 0 { 128 - Score::from(*value) } else { 127 + Score::from(*value) };
            if *value != 0 && needs > self.rule {
                *value = 0;
                if (needs as u16) < self.next.load(Relaxed) {
                    self.next.fetch_min(needs as u16, Relaxed);
                }
            }
        }
        Ok(())
    }
}

/// Finished slices, and values of the slice itself.
struct WithOwn<'a, C> {
    children: &'a C,
    slice: SliceId,
    own: &'a Own<'a>,
    /// Set when the slice itself is read.
    stays: &'a AtomicBool,
}

impl<C: Children> Children for WithOwn<'_, C> {
    type Error = C::Error;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), C::Error> {
        if slice != self.slice {
            return self.children.read(slice, start, out);
        }
        if !self.stays.load(Relaxed) {
            self.stays.store(true, Relaxed);
        }
        (self.own)(start, out);
        Ok(())
    }
}

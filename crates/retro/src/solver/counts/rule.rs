//! Distances under a rule of N moves: `dtzN`, `dthN`, `dtr`.
//!
//! A win under the rule is one in which a zeroing move to another such win, or the end of the game,
//! can be forced within 2N plies. So plies to a zeroing move are what decides, and they are what is
//! found here: the winner takes the fewest and the loser the most. The winner's moves, which files
//! count, follow: half of the plies, rounded up with the winner to move and down with the loser.
//!
//! A zeroing move counts once the position after it is won: it is *open* then. Most lead to smaller
//! slices, where all is known; after a pawn's move, which stays in the slice, it becomes known on the
//! way. Plies only fall while more moves open and the rule grows. So `dtr`, the smallest N under which
//! a position is won, is found rule after rule, and only what changes is visited:
//!
//! 1. zeroing moves into slices that are won under this rule and no smaller one open;
//! 2. plies that are new or have fallen are passed on to the positions before, the fewest first, up to
//!    2N: a winner's follow from one move, a loser's from all its moves, which are looked at again;
//! 3. positions with plies for the first time are won under this rule: pawns' moves to them open.
//!
//! Who wins without a rule is known before, so positions that are drawn anyhow are never visited.
//! `dtzN` is the same with one rule, `dthN` goes on from there.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst, fence};

use nutcracker_game::{Exits, ForwardView, Game, Metric, Score, SliceView};
use nutcracker_mem::Packed;

use super::marks::{Marks, RUNS_AT_A_TIME};
use super::zeroing::WithOwn;
use super::{States, enter_with};
use crate::error::SolveError;
use crate::parallel::for_each_until_stopped;
use crate::progress::{Meter, Phase};
use crate::solver::{Scores, SliceJob, SliceTask};
use crate::store::disk::WorkFileError;
use crate::tables::SetChildren;

/// Plies where no way to a zeroing move is known. A rule of 126 moves, the largest, has 252 plies.
const NONE: u64 = 255;
/// The same, where a zeroing move into a smaller slice may be open.
const ENTERED: u64 = 254;

/// The most moves that a loser waits for.
const MOST_WAITS: u64 = 15;

/// Values of positions that are won and lost without a rule, and not yet under one: a rule of 127
/// moves, and less than any other.
const OPEN_WIN: Score = 1;
const OPEN_LOSS: Score = -128;

/// The largest rule.
const MOST: u8 = nutcracker_game::MOST_MOVES;

/// Bytes that solving takes; a slice in which zeroing moves stay needs more marks.
pub(super) fn bytes(len: u64, winners: u64, metric: Metric, stays: bool) -> u64 {
    let opening = if matches!(metric, Metric::Dth(_)) { len } else { 0 };
    let marks = (1 + u64::from(stays)) * Marks::bytes(len);
    len + winners.max(len + opening + len / 2 + marks)
}

/// The values of a slice, a byte each.
pub(super) struct Bytes(Packed<8>);

impl Scores for Bytes {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        for (index, out) in (start..).zip(out) {
            *out = self.0.get(index) as u8 as i8;
        }
        Ok(())
    }
}

/// Solves a slice, of which is known who wins without a rule inside it.
pub(super) fn solve<G: Game>(
    job: &SliceJob<'_, G>,
    children: &SetChildren<'_>,
    winners: &States,
) -> Result<Bytes, SolveError> {
    let SliceTask { game, slice, .. } = job.task;
    let zeroing = game.zeroing_view(slice);
    let stays = zeroing.is_some();
    let quiet = zeroing.unwrap_or_else(|| game.view(slice));
    let len = quiet.len();
    let (values, mut decided) = (Packed::zeroed(len)?, 0);
    winners.each_run(len, |start, run| {
        decided += run.iter().filter(|&&winner| winner != 0).count() as u64;
        values.fill(start, run.iter().map(|&winner| byte(opened(winner))));
    });
    let has_all = matches!(job.task.metric(), Metric::Dth(_));
    let ruled = Ruled {
        job,
        all: stays.then(|| game.view(slice)),
        forward: game.forward(slice),
        values,
        plies: Packed::zeroed(len)?,
        opening: if has_all { Some(Packed::zeroed(len)?) } else { None },
        waits: Packed::zeroed(len)?,
        changed: Marks::new(len)?,
        settled: if stays { Some(Marks::new(len)?) } else { None },
        fresh: AtomicU64::new(0),
        pending: [const { AtomicU64::new(0) }; 256],
        open: AtomicU64::new(decided),
        meter: Meter::begin(job.progress, Phase::Fixpoint, len),
        quiet,
    };
    ruled.solve(children)
}

/// The byte of a value.
const fn byte(value: Score) -> u64 {
    value as u8 as u64
}

/// The value of a position with this winner before any rule.
const fn opened(winner: i8) -> Score {
    match winner {
        0 => 0,
        1.. => OPEN_WIN,
        _ => OPEN_LOSS,
    }
}

struct Ruled<'a, G: Game> {
    job: &'a SliceJob<'a, G>,
    /// Un-moves that do not zero.
    quiet: G::View,
    /// All un-moves, if some that zero stay in the slice.
    all: Option<G::View>,
    forward: G::Forward,
    /// By position, as in files; or one of those of open positions.
    values: Packed<8>,
    /// Plies to a zeroing move under the current rule, as far as it allows.
    plies: Packed<8>,
    /// Where there are several rules: the first under which a winner has a zeroing move into a smaller
    /// slice, and a loser's such moves are all lost; 0 where that never is, and for losers without
    /// such moves.
    opening: Option<Packed<8>>,
    /// Of losers: how many more moves must be decided before it is worth looking at all of them.
    waits: Packed<4>,
    /// Positions whose plies have fallen since their predecessors were visited.
    changed: Marks,
    /// Positions that are won under the current rule, and zeroing moves to them are not open yet.
    settled: Option<Marks>,
    /// How many these are.
    fresh: AtomicU64,
    /// By plies, how many positions may have changed to that.
    pending: [AtomicU64; 256],
    /// How many positions have a winner, and are not won under a rule.
    open: AtomicU64,
    meter: Meter<'a>,
}

/// What a thread keeps between positions.
struct Scratch<G: Game> {
    before: Vec<u64>,
    undecided: Vec<u64>,
    cursor: <G::View as SliceView>::Cursor,
    forward: <G::Forward as ForwardView>::Cursor,
}

impl<G: Game> Scratch<G> {
    fn new() -> Self {
        Scratch {
            before: Vec::new(),
            undecided: Vec::new(),
            cursor: Default::default(),
            forward: Default::default(),
        }
    }
}

impl<G: Game> Ruled<'_, G> {
    fn solve(self, children: &SetChildren<'_>) -> Result<Bytes, SolveError> {
        let (limit, all) = match self.job.task.metric() {
            Metric::Dth(limit) => (limit, true),
            Metric::DtzIn(limit) => (limit, false),
            metric => unreachable!("{metric} has no rule"),
        };
        self.enter(children, limit)?;
        let first = limit.max(1);
        self.meter.add(self.quiet.len() - self.open.load(Relaxed));
        for rule in first..=if all { MOST } else { first } {
            if rule > first {
                self.mark_last(rule - 1)?;
            }
            self.open_exits(rule)?;
            self.settle(rule)?;
            if rule == limit {
                self.count_moves()?;
            }
            if self.open.load(Relaxed) == 0 {
                break;
            }
        }
        if all && self.open.load(Relaxed) > 0 {
            return Err(self.job.too_far());
        }
        if !all {
            self.draw_the_rest()?;
        }
        self.meter.finish();
        Ok(Bytes(self.values))
    }

    fn value(&self, index: u64) -> Score {
        Score::from(self.values.get(index) as u8 as i8)
    }

    fn is_open(&self, index: u64) -> bool {
        matches!(self.value(index), OPEN_WIN | OPEN_LOSS)
    }

    /// Enters mates, and when zeroing moves into smaller slices open.
    fn enter(&self, children: &SetChildren<'_>, limit: u8) -> Result<(), SolveError> {
        let SliceTask { game, slice, .. } = self.job.task;
        // The worst for the mover: so zeroing moves that stay never hide one that leaves.
        let own = |_, out: &mut [i8]| out.fill(127);
        let children = WithOwn { children, slice, own: &own };
        let is_over = |index| {
            let position = game.unrank(slice, index);
            position.is_some_and(|position| game.outcome(&position).is_some())
        };
        let metric = self.job.task.metric();
        enter_with(self.job, &self.quiet, metric, &children, |start, run| {
            let rules = (start..).zip(run).map(|(index, &exits)| {
                let Exits { best, internal } = exits;
                let (best, value) = (Score::from(best), self.value(index));
                let rule = match value {
                    OPEN_WIN if best > 0 => 128 - best,
                    OPEN_LOSS if best != Score::from(Exits::NONE) => 127 + best,
                    _ => return (0, NONE),
                };
                if value == OPEN_LOSS && best == -127 && internal == 0 && is_over(index) {
                    self.values.set(index, byte(-127));
                    self.is_settled(index);
                    self.changed.add(index);
                    self.pending[0].fetch_add(1, Relaxed);
                    return (0, 0);
                }
                let rule = (rule as u8).max(limit).max(1);
                (rule, if self.opening.is_some() { NONE } else { ENTERED })
            });
            let rules: Vec<(u8, u64)> = rules.collect();
            self.plies.fill(start, rules.iter().map(|rule| rule.1));
            if let Some(opening) = &self.opening {
                opening.fill(start, rules.iter().map(|rule| rule.0.into()));
            }
        })
    }

    /// Calls `work` for parts of the slice on all threads.
    fn each_part(
        &self,
        work: impl Fn(Range<u64>, &mut Scratch<G>) + Sync,
    ) -> Result<(), SolveError> {
        const PART: u64 = 1 << 18;
        let threads = self.threads(self.quiet.len());
        for_each_until_stopped(self.quiet.len(), PART, threads, self.job.progress, |part| {
            work(part, &mut Scratch::new());
            Ok(())
        })
    }

    /// The number of threads that some positions are worth.
    fn threads(&self, positions: u64) -> usize {
        const LEAST: u64 = 1 << 12;
        if positions < LEAST { 1 } else { self.job.task.options.threads }
    }

    /// Marks positions whose predecessors had too many plies under the last rule.
    fn mark_last(&self, last: u8) -> Result<(), SolveError> {
        let plies = 2 * u64::from(last);
        self.each_part(|part, _| {
            let mut found = 0;
            self.plies.find(part, [plies], |index, _| {
                self.changed.add(index);
                found += 1;
            });
            self.pending[plies as usize].fetch_add(found, Relaxed);
        })
    }

    /// Opens zeroing moves into smaller slices.
    fn open_exits(&self, rule: u8) -> Result<(), SolveError> {
        self.each_part(|part, scratch| {
            let mut open = |index, _| {
                if self.value(index) > 0 {
                    self.lower(index, 1, rule);
                } else {
                    self.examine(index, 1, rule, scratch);
                }
            };
            match &self.opening {
                Some(opening) => opening.find(part, [rule.into()], &mut open),
                None => self.plies.find(part, [ENTERED], &mut open),
            }
        })
    }

    /// Passes plies on until nothing changes any more under this rule.
    fn settle(&self, rule: u8) -> Result<(), SolveError> {
        loop {
            for plies in 0..=2 * u64::from(rule) {
                let pending = self.pending[plies as usize].swap(0, Relaxed);
                if pending > 0 {
                    let is_due = |index| self.plies.get(index) == plies;
                    self.each_mark(&self.changed, pending, is_due, |index, scratch| {
                        self.spread(index, rule, scratch);
                    })?;
                }
            }
            if let (Some(settled), Some(all)) = (&self.settled, &self.all) {
                let count = self.fresh.swap(0, Relaxed);
                self.each_mark(
                    settled,
                    count,
                    |_| true,
                    |index, scratch| {
                        self.open_zeroing(all, index, rule, scratch);
                    },
                )?;
            }
            if self.pending.iter().all(|pending| pending.load(Relaxed) == 0) {
                return Ok(());
            }
        }
    }

    fn each_mark(
        &self,
        marks: &Marks,
        count: u64,
        is_due: impl Fn(u64) -> bool + Sync,
        visit: impl Fn(u64, &mut Scratch<G>) + Sync,
    ) -> Result<(), SolveError> {
        let (threads, progress) = (self.threads(count), self.job.progress);
        for_each_until_stopped(marks.runs(), RUNS_AT_A_TIME, threads, progress, |runs| {
            let mut scratch = Scratch::new();
            marks.take(runs, &is_due, |index| visit(index, &mut scratch));
            Ok(())
        })
    }

    /// Visits the positions from which a quiet move leads to one whose plies have fallen.
    fn spread(&self, index: u64, rule: u8, scratch: &mut Scratch<G>) {
        let plies = self.plies.get(index);
        if plies >= 2 * u64::from(rule) {
            return;
        }
        let mut before = std::mem::take(&mut scratch.before);
        self.predecessors(&self.quiet, index, &mut scratch.cursor, &mut before);
        let wins = self.value(index) > 0;
        // Its plies are seen by whoever does not wait for it.
        fence(SeqCst);
        for &index in &before {
            if wins {
                self.examine(index, plies + 1, rule, scratch);
            } else {
                self.lower(index, plies + 1, rule);
            }
        }
        scratch.before = before;
    }

    /// Opens the zeroing moves that lead to a position.
    fn open_zeroing(&self, all: &G::View, index: u64, rule: u8, scratch: &mut Scratch<G>) {
        let (mut before, mut quiet) = (std::mem::take(&mut scratch.before), Vec::new());
        self.predecessors(all, index, &mut scratch.cursor, &mut before);
        self.predecessors(&self.quiet, index, &mut scratch.cursor, &mut quiet);
        quiet.sort_unstable();
        before.retain(|index| quiet.binary_search(index).is_err());
        let wins = self.value(index) > 0;
        fence(SeqCst);
        for &index in &before {
            if wins {
                self.examine(index, 1, rule, scratch);
            } else {
                self.lower(index, 1, rule);
            }
        }
        scratch.before = before;
    }

    fn predecessors(
        &self,
        view: &G::View,
        index: u64,
        cursor: &mut <G::View as SliceView>::Cursor,
        out: &mut Vec<u64>,
    ) {
        out.clear();
        view.predecessors(view.key_at(cursor, index), |before, _| {
            self.plies.prefetch(before);
            out.push(before);
        });
    }

    /// A move of a loser leads to fewer plies, so that it has at least `least` itself. All of its moves
    /// are looked at, once as many as were undecided the last time have been decided. Zeroing moves end
    /// the count, and all of them have to be lost.
    fn examine(&self, index: u64, least: u64, rule: u8, scratch: &mut Scratch<G>) {
        if self.plies.get(index) <= least || self.value(index) >= 0 {
            return;
        }
        if self.opening.as_ref().is_some_and(|opening| opening.get(index) > rule.into())
            || self.waits.update(index, |left| (left > 1).then(|| left - 1)).is_some()
        {
            return;
        }
        loop {
            self.waits.set(index, MOST_WAITS);
            fence(SeqCst);
            let (mut most, undecided) = (0, &mut scratch.undecided);
            undecided.clear();
            self.forward.inside_at(&mut scratch.forward, index, |next, zeroes| {
                let plies = match zeroes {
                    false => self.plies.get(next),
                    true if self.is_open(next) => NONE,
                    true => 0,
                };
                if plies >= ENTERED {
                    undecided.push(next);
                }
                most = most.max(plies);
            });
            if undecided.is_empty() {
                self.waits.set(index, 0);
                if most < 2 * u64::from(rule) {
                    self.lower(index, most + 1, rule);
                }
                return;
            }
            // Moves to mirror images are decided at once.
            undecided.sort_unstable();
            undecided.dedup();
            let undecided = MOST_WAITS.min(undecided.len() as u64);
            // Without those that another thread has decided since.
            let left = |now: u64| (now + undecided).saturating_sub(MOST_WAITS);
            let before = self.waits.update(index, |now| Some(left(now)));
            if before.is_some_and(|before| left(before) > 0) {
                return;
            }
        }
    }

    /// Lowers the plies of a position.
    #[inline]
    fn lower(&self, index: u64, plies: u64, rule: u8) {
        if self.plies.update(index, |now| (now > plies).then_some(plies)).is_none() {
            return;
        }
        self.changed.add(index);
        self.pending[plies as usize].fetch_add(1, Relaxed);
        let value = |now| match Score::from(now as u8 as i8) {
            OPEN_WIN => Some(byte(128 - Score::from(rule))),
            OPEN_LOSS => Some(byte(Score::from(rule) - 127)),
            _ => None,
        };
        if self.values.update(index, value).is_some() {
            self.is_settled(index);
            self.meter.add(1);
        }
    }

    /// A position is won under the current rule.
    fn is_settled(&self, index: u64) {
        self.open.fetch_sub(1, Relaxed);
        if let Some(settled) = &self.settled {
            settled.add(index);
            self.fresh.fetch_add(1, Relaxed);
        }
    }

    /// Replaces rules by moves.
    fn count_moves(&self) -> Result<(), SolveError> {
        self.each_part(|part, _| {
            for index in part {
                let (value, plies) = (self.value(index), self.plies.get(index) as Score);
                match value {
                    0 | OPEN_WIN | OPEN_LOSS => {}
                    1.. => self.values.set(index, byte(128 - (plies + 1) / 2)),
                    _ => self.values.set(index, byte(plies / 2 - 127)),
                }
            }
        })
    }

    /// What is not won under the rule is a draw.
    fn draw_the_rest(&self) -> Result<(), SolveError> {
        self.each_part(|part, _| {
            for index in part.filter(|&index| self.is_open(index)) {
                self.values.set(index, 0);
            }
        })
    }
}

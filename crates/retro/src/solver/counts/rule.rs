//! Distances under a rule of N moves: `dtzN`, `dthN`, `dtr`; and `dtz` where zeroing moves stay in a
//! slice.
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
//! `dtzN` is the same with one rule, `dthN` goes on from there. `dtz` has the largest rule, and all
//! zeroing moves to wins without one are open from the beginning.
//!
//! In memory are the plies alone. The rules under which zeroing moves open and positions are won lie in
//! work files, which are walked from front to back once for every rule.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst, fence};

use nutcracker_game::{Exits, ForwardView, Game, MOST_MOVES, Metric, Score, SliceView};

use super::plies::{Known, MOST_WAITS, Mark, Plies, RUNS_AT_A_TIME, UNDECIDED};
use super::zeroing::WithOwn;
use super::{States, enter_with};
use crate::error::SolveError;
use crate::options::SolverName;
use crate::parallel::for_each_until_stopped;
use crate::progress::{Meter, Phase};
use crate::solver::{Scores, SliceJob, SliceTask};
use crate::store::disk::{WorkFile, WorkFileError};
use crate::tables::SetChildren;

/// Bytes of memory that solving takes, where the states of the winners take so many.
pub(super) fn bytes(len: u64, winners: u64) -> u64 {
    // Elsewhere memory is not given back bit by bit.
    let winners = if cfg!(target_os = "linux") { 0 } else { winners };
    Plies::bytes(len) + winners
}

/// Bytes of work files.
pub(super) fn disk_bytes(len: u64, metric: Metric) -> u64 {
    if matches!(metric, Metric::Dth(_)) { 2 * len } else { 0 }
}

/// The rule for `dtz`: larger than any, and what it allows is what files hold.
const NO_RULE: u8 = MOST_MOVES + 1;
/// The most plies of a loser, and of a winner one more.
const MOST_PLIES: u64 = 2 * NO_RULE as u64 - 1;

/// Rules of all positions, where there are several, a byte each.
struct Rules {
    /// The first under which a winner has a zeroing move into a smaller slice, and a loser's such
    /// moves are all lost; 0 where that never is, and for losers without zeroing moves.
    opening: WorkFile,
    /// The first under which it is won, 0 where the game is over; or the winner's moves where that is
    /// the first of all.
    won: WorkFile,
}

impl Rules {
    fn new<G: Game>(job: &SliceJob<'_, G>, len: u64) -> Result<Self, WorkFileError> {
        let folder = job.folder(SolverName::Memory);
        folder.make()?;
        Ok(Rules { opening: folder.create("opening", len)?, won: folder.create("won", len)? })
    }
}

/// The distances of a slice.
pub(super) struct Distances {
    plies: Plies,
    /// In place of half of the plies.
    won: Option<WorkFile>,
}

impl Scores for Distances {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        let won = self.won.as_ref().map(|won| won.read_range(start..start + out.len() as u64));
        let won = won.transpose()?;
        self.plies.for_each(start..start + out.len() as u64, |index, known| {
            let place = (index - start) as usize;
            let moves = won.as_ref().map_or_else(|| moves(known), |won| won[place]);
            out[place] = match known.is_settled() {
                false => 0,
                true if known.wins() => (128 - i16::from(moves)) as i8,
                true => (i16::from(moves) - 127) as i8,
            };
        });
        Ok(())
    }
}

/// The winner's moves of a position that is won under the rule.
fn moves(known: Known) -> u8 {
    let plies = known.plies();
    (if known.wins() { plies.div_ceil(2) } else { plies / 2 }) as u8
}

/// Solves a slice, of which is known who wins without a rule inside it.
pub(super) fn solve<G: Game>(
    job: &SliceJob<'_, G>,
    children: &SetChildren<'_>,
    winners: States,
) -> Result<Distances, SolveError> {
    let SliceTask { game, slice, .. } = job.task;
    let metric = job.task.metric();
    let zeroing = game.zeroing_view(slice);
    let stays = zeroing.is_some() && metric != Metric::Dtz;
    let quiet = zeroing.unwrap_or_else(|| game.view(slice));
    let len = quiet.len();
    let several = matches!(metric, Metric::Dth(_));
    let first: &[Mark] = match (stays, several) {
        (false, false) => &[],
        (true, false) => &[Mark::Fresh],
        (false, true) => &[Mark::Won],
        (true, true) => &[Mark::Fresh, Mark::Won],
    };
    let plies = Plies::new(winners, len, first)?;
    let mut decided = 0;
    plies.for_each(0..len, |_, known| decided += u64::from(known.is_open()));
    let ruled = Ruled {
        job,
        all: stays.then(|| game.view(slice)),
        forward: game.forward(slice),
        plies,
        rules: several.then(|| Rules::new(job, len)).transpose()?,
        pending: [const { AtomicU64::new(0) }; 256],
        fresh: AtomicU64::new(0),
        open: AtomicU64::new(decided),
        meter: None,
        quiet,
    };
    ruled.solve(children)
}

struct Ruled<'a, G: Game> {
    job: &'a SliceJob<'a, G>,
    /// Un-moves that do not zero.
    quiet: G::View,
    /// All un-moves, if some that zero stay in the slice and are not open from the beginning.
    all: Option<G::View>,
    forward: G::Forward,
    plies: Plies,
    /// If there are several rules.
    rules: Option<Rules>,
    /// By plies, how many positions may have changed to that.
    pending: [AtomicU64; 256],
    /// How many positions are fresh.
    fresh: AtomicU64,
    /// How many positions have a winner, and are not won under a rule.
    open: AtomicU64,
    /// From when exits have been entered.
    meter: Option<Meter<'a>>,
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
    fn solve(mut self, children: &SetChildren<'_>) -> Result<Distances, SolveError> {
        let metric = self.job.task.metric();
        let (limit, last) = match metric {
            Metric::Dth(limit) => (limit, MOST_MOVES),
            Metric::DtzIn(limit) => (limit, limit),
            _ => (NO_RULE, NO_RULE),
        };
        let first = limit.max(1);
        self.enter(children, first)?;
        let meter = Meter::begin(self.job.progress, Phase::Fixpoint, self.plies.len());
        meter.add(self.plies.len() - self.open.load(Relaxed));
        self.meter = Some(meter);
        for rule in first..=last {
            if rule > first {
                self.mark_last(rule - 1)?;
            }
            self.open_exits(rule)?;
            self.settle(rule)?;
            if let Some(rules) = &self.rules {
                self.write_won(&rules.won, |known| {
                    if rule == limit || known.plies() == 0 { moves(known) } else { rule }
                })?;
            }
            if self.open.load(Relaxed) == 0 {
                break;
            }
        }
        if !matches!(metric, Metric::DtzIn(_)) && self.open.load(Relaxed) > 0 {
            return Err(self.job.too_far());
        }
        if let Some(meter) = &self.meter {
            meter.finish();
        }
        Ok(Distances { plies: self.plies, won: self.rules.map(|rules| rules.won) })
    }

    /// Enters mates, and which zeroing moves are open from the beginning, or when those into smaller
    /// slices open.
    fn enter(&self, children: &SetChildren<'_>, first: u8) -> Result<(), SolveError> {
        let SliceTask { game, slice, .. } = self.job.task;
        let metric = self.job.task.metric();
        let own = |start: u64, out: &mut [i8]| match metric {
            Metric::Dtz => self.plies.for_each(start..start + out.len() as u64, |index, known| {
                out[(index - start) as usize] = i8::from(known.wins()) - i8::from(known.loses());
            }),
            // The worst for the mover: so zeroing moves that stay never hide one that leaves.
            _ => out.fill(127),
        };
        let children = WithOwn { children, slice, own: &own };
        let is_over = |index| {
            let position = game.unrank(slice, index);
            position.is_some_and(|position| game.outcome(&position).is_some())
        };
        enter_with(self.job, &self.quiet, metric, &children, |start, run| {
            let indices = start..start + run.len() as u64;
            let mut opening = vec![0; if self.rules.is_some() { run.len() } else { 0 }];
            self.plies.for_each(indices, |index, known| {
                let Exits { best, internal } = run[(index - start) as usize];
                let rule = match Score::from(best) {
                    best if known.wins() && best > 0 => 128 - best,
                    best if known.loses() && best != Score::from(Exits::NONE) => 127 + best,
                    _ => return,
                };
                if rule == 0 && internal == 0 && is_over(index) {
                    self.lower(index, 0);
                    return;
                }
                self.plies.close(index);
                if let Some(opening) = opening.get_mut((index - start) as usize) {
                    *opening = first.max(rule as u8);
                }
            });
            Ok(self.rules.as_ref().map_or(Ok(()), |rules| rules.opening.write(start, &opening))?)
        })
    }

    /// Calls `work` for parts of the slice on all threads.
    fn each_part(
        &self,
        work: impl Fn(Range<u64>, &mut Scratch<G>) -> Result<(), SolveError> + Sync,
    ) -> Result<(), SolveError> {
        const PART: u64 = 1 << 18;
        let threads = self.threads(self.plies.len());
        for_each_until_stopped(self.plies.len(), PART, threads, self.job.progress, |part| {
            work(part, &mut Scratch::new())
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
            self.plies.for_each(part, |index, known| {
                if known.plies() == plies && known.is_settled() {
                    self.plies.change(index);
                    found += 1;
                }
            });
            self.pending[plies as usize].fetch_add(found, Relaxed);
            Ok(())
        })
    }

    /// Opens zeroing moves into smaller slices, for `dtz` all of them.
    fn open_exits(&self, rule: u8) -> Result<(), SolveError> {
        self.each_part(|part, scratch| {
            let mut open = |index, known: Known| {
                if known.wins() {
                    self.lower(index, 1);
                } else {
                    self.plies.end_waiting(index);
                    self.examine(index, 1, rule, scratch);
                }
            };
            let Some(rules) = &self.rules else {
                self.plies.each_closed(part, open);
                return Ok(());
            };
            let opening = rules.opening.read_range(part.clone())?;
            for (index, _) in part.zip(opening).filter(|&(_, first)| first == rule) {
                open(index, self.plies.get(index));
            }
            Ok(())
        })
    }

    /// Passes plies on until nothing changes any more under this rule.
    fn settle(&self, rule: u8) -> Result<(), SolveError> {
        loop {
            for plies in 0..=2 * u64::from(rule) {
                let pending = self.pending[plies as usize].swap(0, Relaxed);
                if pending > 0 {
                    let is_due = |known: Known| known.plies() == plies;
                    self.each_mark(Mark::Changed, pending, is_due, |index, scratch| {
                        self.spread(index, rule, scratch);
                    })?;
                }
            }
            if let Some(all) = &self.all {
                let count = self.fresh.swap(0, Relaxed);
                let visit = |index, scratch: &mut _| self.open_zeroing(all, index, rule, scratch);
                self.each_mark(Mark::Fresh, count, |_| true, visit)?;
            }
            if self.pending.iter().all(|pending| pending.load(Relaxed) == 0) {
                return Ok(());
            }
        }
    }

    fn each_mark(
        &self,
        mark: Mark,
        count: u64,
        is_due: impl Fn(Known) -> bool + Sync,
        visit: impl Fn(u64, &mut Scratch<G>) + Sync,
    ) -> Result<(), SolveError> {
        let (threads, progress) = (self.threads(count), self.job.progress);
        for_each_until_stopped(self.plies.runs(), RUNS_AT_A_TIME, threads, progress, |runs| {
            let mut scratch = Scratch::new();
            self.plies.take(mark, runs, &is_due, |index| visit(index, &mut scratch));
            Ok(())
        })
    }

    /// Visits the positions from which a quiet move leads to one whose plies have fallen.
    fn spread(&self, index: u64, rule: u8, scratch: &mut Scratch<G>) {
        let known = self.plies.get(index);
        if known.plies() >= 2 * u64::from(rule) {
            return;
        }
        let mut before = std::mem::take(&mut scratch.before);
        self.predecessors(&self.quiet, index, &mut scratch.cursor, &mut before);
        self.pass_on(known.wins(), &before, known.plies() + 1, rule, scratch);
        scratch.before = before;
    }

    /// Opens the zeroing moves that lead to a position.
    fn open_zeroing(&self, all: &G::View, index: u64, rule: u8, scratch: &mut Scratch<G>) {
        let (mut before, mut quiet) = (std::mem::take(&mut scratch.before), Vec::new());
        self.predecessors(all, index, &mut scratch.cursor, &mut before);
        self.predecessors(&self.quiet, index, &mut scratch.cursor, &mut quiet);
        quiet.sort_unstable();
        before.retain(|index| quiet.binary_search(index).is_err());
        self.pass_on(self.plies.get(index).wins(), &before, 1, rule, scratch);
        scratch.before = before;
    }

    /// From these positions a move leads to a win or a loss of the other side, with so many plies.
    fn pass_on(&self, wins: bool, before: &[u64], plies: u64, rule: u8, scratch: &mut Scratch<G>) {
        // What they lead to is seen by whoever does not wait for it.
        fence(SeqCst);
        for &index in before {
            if wins {
                self.examine(index, plies, rule, scratch);
            } else {
                self.lower(index, plies);
            }
        }
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
        let known = self.plies.get(index);
        if known.plies() <= least || !known.loses() || known.is_closed() {
            return;
        }
        if self.plies.waits_for_more(index) {
            return;
        }
        let all_open = self.job.task.metric() == Metric::Dtz;
        loop {
            self.plies.begin_to_wait(index);
            fence(SeqCst);
            let (mut most, undecided) = (0, &mut scratch.undecided);
            undecided.clear();
            self.forward.inside_at(&mut scratch.forward, index, |next, zeroes| {
                let known = self.plies.get(next);
                debug_assert!(known.wins(), "a loser's moves lead to wins");
                let plies = match known {
                    known if !zeroes => known.plies(),
                    known if known.is_settled() || all_open => 0,
                    _ => UNDECIDED,
                };
                if plies >= UNDECIDED {
                    undecided.push(next);
                }
                most = most.max(plies);
            });
            if undecided.is_empty() {
                if most < MOST_PLIES.min(2 * u64::from(rule)) {
                    self.lower(index, most + 1);
                } else {
                    self.plies.end_waiting(index);
                }
                return;
            }
            // Moves to mirror images are decided at once.
            undecided.sort_unstable();
            undecided.dedup();
            if self.plies.wait(index, MOST_WAITS.min(undecided.len() as u64)) {
                return;
            }
        }
    }

    /// Lowers the plies of a position.
    #[inline]
    fn lower(&self, index: u64, plies: u64) {
        let Some(first) = self.plies.lower(index, plies) else { return };
        self.pending[plies as usize].fetch_add(1, Relaxed);
        if first {
            self.open.fetch_sub(1, Relaxed);
            self.fresh.fetch_add(u64::from(self.all.is_some()), Relaxed);
            if let Some(meter) = &self.meter {
                meter.add(1);
            }
        }
    }

    /// Writes a number for every position that is won since the last time.
    fn write_won(
        &self,
        won: &WorkFile,
        number: impl Fn(Known) -> u8 + Sync,
    ) -> Result<(), SolveError> {
        let (threads, progress) = (self.threads(self.plies.len()), self.job.progress);
        for_each_until_stopped(self.plies.runs(), RUNS_AT_A_TIME, threads, progress, |runs| {
            let mut new = Vec::new();
            self.plies.take(Mark::Won, runs, |_| true, |index| new.push(index));
            let (Some(&first), Some(&last)) = (new.first(), new.last()) else { return Ok(()) };
            let mut numbers = won.read_range(first..last + 1)?;
            for index in new {
                numbers[(index - first) as usize] = number(self.plies.get(index));
            }
            Ok(won.write(first, &numbers)?)
        })
    }
}

//! All that is known of a position while plies to zeroing moves are found, in two bytes.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Relaxed, Ordering::Release};

use nutcracker_mem::{OutOfMemory, Packed};

use super::States;

/// The lowest bits: plies to a zeroing move, or one of the numbers from [`UNDECIDED`] on.
const PLIES: u64 = (1 << 9) - 1;
/// Plies where no way to a zeroing move is known, and of losers, plus how many moves they wait for.
pub(super) const UNDECIDED: u64 = 256;
/// The most moves that a loser waits for.
pub(super) const MOST_WAITS: u64 = 15;
/// The same as [`UNDECIDED`], where a zeroing move opens later.
const CLOSED: u64 = UNDECIDED + MOST_WAITS + 1;

/// Who wins without a rule.
const WINS: u64 = 1 << 9;
const LOSES: u64 = 1 << 10;
/// Won under the current rule.
const SETTLED: u64 = 1 << 11;

/// What a position may be marked with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Its plies have fallen since its predecessors were visited.
    Changed,
    /// It is won under the current rule, and zeroing moves to it are not open yet.
    Fresh,
    /// It is won under the current rule, and the rule is not written yet.
    Won,
}

impl Mark {
    const ALL: [Mark; 3] = [Mark::Changed, Mark::Fresh, Mark::Won];

    const fn bit(self) -> u64 {
        1 << (12 + self as u64)
    }
}

/// What is known of a position.
#[derive(Clone, Copy)]
pub(super) struct Known(u64);

impl Known {
    /// A position with this winner.
    fn of(winner: i8) -> Self {
        Known(match winner {
            0 => 0,
            1.. => WINS | UNDECIDED,
            _ => LOSES | UNDECIDED,
        })
    }

    /// Plies to a zeroing move, at least [`UNDECIDED`] where there is no way to one yet; 0 where nobody
    /// wins.
    #[inline(always)]
    pub fn plies(self) -> u64 {
        self.0 & PLIES
    }

    /// Whether the mover wins without a rule.
    #[inline(always)]
    pub fn wins(self) -> bool {
        self.0 & WINS != 0
    }

    /// Whether the mover loses without a rule.
    #[inline(always)]
    pub fn loses(self) -> bool {
        self.0 & LOSES != 0
    }

    /// Whether it is won under the current rule.
    #[inline(always)]
    pub fn is_settled(self) -> bool {
        self.0 & SETTLED != 0
    }

    /// Whether some player wins, and not under the current rule.
    #[inline(always)]
    pub fn is_open(self) -> bool {
        self.0 & (WINS | LOSES) != 0 && !self.is_settled()
    }

    /// Whether it has no plies, and a zeroing move that opens later.
    #[inline(always)]
    pub fn is_closed(self) -> bool {
        self.plies() == CLOSED
    }

    /// How many moves a loser waits for.
    fn waits(self) -> u64 {
        let plies = self.plies();
        if (UNDECIDED..CLOSED).contains(&plies) { plies - UNDECIDED } else { 0 }
    }

    fn with_plies(self, plies: u64) -> u64 {
        self.0 & !PLIES | plies
    }
}

/// Positions in a run.
const RUN: u64 = 1 << 9;
/// Runs that a thread takes at a time.
pub(super) const RUNS_AT_A_TIME: u64 = 128;

/// What is known of the positions of a slice, and for each run of them whether some are marked.
pub(super) struct Plies {
    known: Packed<16>,
    marked: [Vec<AtomicBool>; Mark::ALL.len()],
    /// What a position is marked with when it is won, beside [`Mark::Changed`].
    first: &'static [Mark],
}

impl Plies {
    /// Plies of positions of which is known who wins without a rule.
    pub fn new(winners: States, len: u64, first: &'static [Mark]) -> Result<Self, OutOfMemory> {
        let plies = Plies::zeroed(len, first)?;
        winners.hand_over(|start, run| {
            plies.known.fill(start, run.iter().map(|&winner| Known::of(winner).0));
        });
        Ok(plies)
    }

    fn zeroed(len: u64, first: &'static [Mark]) -> Result<Self, OutOfMemory> {
        let runs = |_| (0..len.div_ceil(RUN)).map(|_| AtomicBool::new(false)).collect();
        Ok(Plies { known: Packed::zeroed(len)?, marked: Mark::ALL.map(runs), first })
    }

    /// Bytes for `len` positions.
    pub fn bytes(len: u64) -> u64 {
        2 * len + Mark::ALL.len() as u64 * len / RUN
    }

    pub fn len(&self) -> u64 {
        self.known.len()
    }

    #[inline(always)]
    pub fn get(&self, index: u64) -> Known {
        Known(self.known.get(index))
    }

    #[inline(always)]
    pub fn prefetch(&self, index: u64) {
        self.known.prefetch(index);
    }

    /// Visits consecutive positions.
    pub fn for_each(&self, range: Range<u64>, mut visit: impl FnMut(u64, Known)) {
        let mut indices = range.clone();
        self.known.for_each(range, |known| {
            if let Some(index) = indices.next() {
                visit(index, Known(known));
            }
        });
    }

    /// Visits positions with a zeroing move that opens later.
    pub fn each_closed(&self, range: Range<u64>, mut visit: impl FnMut(u64, Known)) {
        self.for_each(range, |index, known| {
            if known.is_closed() {
                visit(index, known);
            }
        });
    }

    /// A zeroing move of a position opens later.
    pub fn close(&self, index: u64) {
        self.known.update(index, |known| Some(Known(known).with_plies(CLOSED)));
    }

    /// Lowers the plies of a position and marks it as changed. `None` where it has no more already,
    /// and whether they are its first ones.
    #[inline]
    pub fn lower(&self, index: u64, plies: u64) -> Option<bool> {
        let lowered = |old| {
            let known = Known(old);
            (known.plies() > plies).then(|| {
                let first = if known.is_settled() { &[] } else { self.first };
                let marks = first.iter().fold(Mark::Changed.bit(), |bits, mark| bits | mark.bit());
                known.with_plies(plies) | SETTLED | marks
            })
        };
        let first = !Known(self.known.update(index, lowered)?).is_settled();
        self.flag(index, Mark::Changed);
        if first {
            self.first.iter().for_each(|&mark| self.flag(index, mark));
        }
        Some(first)
    }

    /// Marks a position as changed.
    pub fn change(&self, index: u64) {
        self.known.update(index, |known| Some(known | Mark::Changed.bit()));
        self.flag(index, Mark::Changed);
    }

    #[inline]
    fn flag(&self, index: u64, mark: Mark) {
        // After the bit, and never only stored: who takes the flag sees the bits of all that set it.
        self.marked[mark as usize][(index / RUN) as usize].swap(true, AcqRel);
    }

    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.marked[0].len() as u64
    }

    /// Visits the marked positions of some runs; marks that `is_due` is true of are removed first.
    pub fn take(
        &self,
        mark: Mark,
        runs: Range<u64>,
        is_due: impl Fn(Known) -> bool,
        mut visit: impl FnMut(u64),
    ) {
        let mut due = Vec::new();
        for run in runs {
            let flag = &self.marked[mark as usize][run as usize];
            if !flag.load(Relaxed) || !flag.swap(false, AcqRel) {
                continue;
            }
            let mut left = false;
            let run = run * RUN..((run + 1) * RUN).min(self.len());
            self.known.find_with(run, mark.bit(), |index| {
                if is_due(self.get(index)) { due.push(index) } else { left = true }
            });
            if left {
                flag.store(true, Release);
            }
            for index in due.drain(..) {
                self.known.update(index, |known| Some(known & !mark.bit()));
                visit(index);
            }
        }
    }

    /// Counts a move that a loser waits for. Whether it waits for more.
    #[inline]
    pub fn waits_for_more(&self, index: u64) -> bool {
        self.known.update(index, |known| (Known(known).waits() > 1).then(|| known - 1)).is_some()
    }

    /// A loser waits for as many moves as it can, until [`wait`](Self::wait) says for how many.
    pub fn begin_to_wait(&self, index: u64) {
        self.set_undecided(index, |_| UNDECIDED + MOST_WAITS);
    }

    /// A loser waits for some moves, without those counted since [it began](Self::begin_to_wait).
    /// Whether it has to wait.
    pub fn wait(&self, index: u64, moves: u64) -> bool {
        let left = |known: Known| (known.waits() + moves).saturating_sub(MOST_WAITS);
        let old = self.set_undecided(index, |known| UNDECIDED + left(known));
        old.is_none_or(|old| left(old) > 0)
    }

    /// A loser waits for no move.
    pub fn end_waiting(&self, index: u64) {
        self.set_undecided(index, |_| UNDECIDED);
    }

    /// Changes a position that has no plies. `None` if it has.
    fn set_undecided(&self, index: u64, plies: impl Fn(Known) -> u64) -> Option<Known> {
        let changed = |old| {
            let known = Known(old);
            (known.plies() >= UNDECIDED).then(|| known.with_plies(plies(known)))
        };
        self.known.update(index, changed).map(Known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(winners: &[i8]) -> Plies {
        let plies = Plies::zeroed(winners.len() as u64, &[Mark::Fresh, Mark::Won]).unwrap();
        plies.known.fill(0, winners.iter().map(|&winner| Known::of(winner).0));
        plies
    }

    #[test]
    fn marks_that_are_not_due_stay() {
        let plies = of(&[1; 3_000]);
        for (index, first) in [(0, 9), (511, 7), (512, 6), (2_999, 7), (2_999, 3)] {
            plies.lower(index, first);
        }
        let taken = |mark, is_due: fn(Known) -> bool| {
            let mut taken = Vec::new();
            plies.take(mark, 0..plies.runs(), is_due, |index| taken.push(index));
            taken
        };
        assert_eq!(taken(Mark::Changed, |known| known.plies() % 2 == 0), [512]);
        assert_eq!(taken(Mark::Changed, |_| true), [0, 511, 2_999]);
        assert_eq!(taken(Mark::Changed, |_| true), [0; 0]);
        assert_eq!(taken(Mark::Fresh, |_| true), [0, 511, 512, 2_999]);
        plies.lower(511, 1);
        assert_eq!(taken(Mark::Fresh, |_| true), [0; 0]);
        assert_eq!(taken(Mark::Won, |_| true), [0, 511, 512, 2_999]);
    }

    #[test]
    fn plies_only_fall_and_the_winner_stays() {
        let plies = of(&[0, 1, -1]);
        let winner = |known: Known| i8::from(known.wins()) - i8::from(known.loses());
        for (index, expected) in [(0, 0), (1, 1), (2, -1)] {
            assert_eq!(winner(plies.get(index)), expected);
            assert_eq!(plies.get(index).is_open(), expected != 0);
        }
        plies.close(1);
        assert!(plies.get(1).plies() >= UNDECIDED);
        assert_eq!(plies.lower(1, 252), Some(true));
        assert_eq!(plies.lower(1, 252), None);
        assert_eq!(plies.lower(1, 1), Some(false));
        assert_eq!((plies.get(1).plies(), winner(plies.get(1))), (1, 1));
        assert!(plies.get(1).is_settled() && !plies.get(1).is_open());
    }

    #[test]
    fn a_loser_waits_for_the_moves_left() {
        let plies = of(&[-1]);
        assert!(!plies.waits_for_more(0));
        plies.begin_to_wait(0);
        // One move is decided while its moves are looked at, of which three seem open.
        assert!(plies.waits_for_more(0));
        assert!(plies.wait(0, 3));
        assert!(plies.waits_for_more(0));
        assert!(!plies.waits_for_more(0));
        plies.begin_to_wait(0);
        assert!(plies.waits_for_more(0));
        assert!(!plies.wait(0, 1));
        plies.lower(0, 8);
        // With plies, nothing makes it wait.
        plies.begin_to_wait(0);
        plies.end_waiting(0);
        assert!(plies.wait(0, 2) && !plies.waits_for_more(0));
        assert_eq!(plies.get(0).plies(), 8);
    }
}

//! The in-memory solver: every internal move is visited once, from its child.
//!
//! Positions are settled in descending |score|. At level k, a position with an exit worth k wins k;
//! a position with nothing better than an exit worth -k, all of whose internal moves lead to wins
//! of at least k, loses k. A new loss makes its open predecessors wins of k; a new win decrements
//! its predecessors' counts of open moves. What is never settled is a draw by repetition.
//!
//! The whole state of a position is one small number, see [`Codes`]. New wins and losses go on a
//! worklist in the form in which predecessors are found fastest. When a worklist is full, the
//! position is marked as pending in its state instead, and another sweep picks it up: so memory is
//! bounded. The indices of predecessors go through a short queue, so that their states are
//! prefetched while others are found.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use nutcracker_game::{Exits, SliceView};
use nutcracker_mem::{OutOfMemory, Packed, reserve};

use crate::error::SolveError;
use crate::parallel::{Barrier, leave, run_threads};
use crate::progress::{Meter, Phase, Progress};

/// How a position's state is one number.
///
/// | numbers | meaning |
/// |---|---|
/// | `0..floor` | open: `(worst - 1) << bits \| count`: exits are worth -worst at best, and `count` internal moves do not lead to a win yet |
/// | `floor..settled` | open, with an exit worth `number - floor` ≥ 0: never lost, so nothing is counted |
/// | `settled..settled + 2·max + 1` | settled: the score, plus max |
/// | the last two | settled at this level as a win, as a loss, and pending |
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    max: u64,
    bits: u32,
    floor: u64,
    settled: u64,
}

impl Codes {
    /// The numbers for scores up to `max` and up to `moves` internal moves.
    pub fn new(max: u8, moves: u16) -> Self {
        let bits = 16 - moves.leading_zeros();
        let floor = u64::from(max) << bits;
        Codes { max: u64::from(max), bits, floor, settled: floor + u64::from(max) + 1 }
    }

    /// One more than the largest number.
    pub fn count(&self) -> u64 {
        self.settled + 2 * self.max + 3
    }

    fn pending_win(&self) -> u64 {
        self.count() - 2
    }

    fn pending_loss(&self) -> u64 {
        self.count() - 1
    }

    /// The state of a position of which nothing but its exits is known.
    #[inline]
    pub fn open(&self, exits: Exits) -> u64 {
        if exits.best >= 0 {
            self.floor + (exits.best as u64).min(self.max)
        } else if self.max == 0 {
            self.floor
        } else {
            // No exit is as good as the worst one.
            let worst = u64::from(exits.best.unsigned_abs()).min(self.max);
            (worst - 1) << self.bits | u64::from(exits.internal)
        }
    }

    /// The state of a win of `k`.
    #[inline(always)]
    pub fn win(&self, k: u64) -> u64 {
        self.settled + self.max + k
    }

    /// The state of a loss of `k`.
    #[inline(always)]
    pub fn loss(&self, k: u64) -> u64 {
        self.settled + self.max - k
    }

    /// The largest score.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Whether the score is still unknown.
    #[inline(always)]
    pub fn is_open(&self, code: u64) -> bool {
        code < self.settled
    }

    /// Whether the score is unknown and may be a loss, so that moves are counted.
    #[inline(always)]
    pub fn is_counted(&self, code: u64) -> bool {
        code < self.floor
    }

    /// The states that exits alone settle at a level, when nothing of the levels above is left to
    /// be spread: as a loss, and as a win.
    pub fn settled_by_exits(&self, level: u64) -> [u64; 2] {
        [(level - 1) << self.bits, self.floor + level]
    }

    /// Whether a [counted](Self::is_counted) state is lost at this level when one more move leads
    /// to a win.
    #[inline(always)]
    pub fn is_last(&self, code: u64, level: u64) -> bool {
        (code - 1) & ((1 << self.bits) - 1) == 0 && code >> self.bits >= level - 1
    }

    /// As [`is_last`](Self::is_last) where values are distances: lost one level below, as the
    /// winner's moves count, unless a move that leaves the slice takes longer to lose.
    #[inline(always)]
    pub fn is_last_distance(&self, code: u64, level: u64) -> bool {
        (code - 1) & ((1 << self.bits) - 1) == 0 && (code >> self.bits) + 2 >= level
    }

    /// The state of a position that [`is_last_distance`](Self::is_last_distance) is true of: the
    /// sweep of the level below settles it. At level 1 there is none, and the distance is too large
    /// to store.
    #[inline(always)]
    pub fn lost_below(&self, level: u64) -> u64 {
        level.saturating_sub(2) << self.bits
    }

    /// The score that a state means once nothing changes any more.
    pub fn score(&self, code: u64) -> i8 {
        if code >= self.settled {
            ((code - self.settled) as i16 - self.max as i16) as i8
        } else {
            0
        }
    }
}

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

/// The most wins, and the most losses, on a thread's worklists.
fn worklist_len(len: u64, threads: usize) -> usize {
    (len / 128 / threads.max(1) as u64).clamp(1 << 12, 1 << 19) as usize
}

/// Positions that a thread sweeps at a time; a multiple of the numbers in a word.
const CHUNK: u64 = 1 << 15;
/// Scores that are read at a time.
const RUN: usize = 1 << 12;
/// Predecessors in the queue while their states are prefetched.
const PREFETCHED: usize = 32;
/// Positions that a thread takes off its worklists between two checks for a stop.
const STOP_INTERVAL: u32 = 1 << 16;
/// A thread with this much work donates half of it when another is idle.
const DONATE_FROM: usize = 512;

fn settle<const DISTANCES: bool, const BITS: u32, V: SliceView>(
    packed: &Packed<BITS>,
    codes: Codes,
    view: &V,
    threads: usize,
    capacity: usize,
    lowest: u64,
    progress: &dyn Progress,
) -> Result<bool, SolveError> {
    let worklists: Result<Vec<_>, OutOfMemory> = (0..threads)
        .map(|_| Ok(Mutex::new(Some((reserve(capacity)?, reserve(capacity)?)))))
        .collect();
    let run = CountsRun {
        worklists: worklists?,
        packed,
        codes,
        lowest,
        view,
        threads,
        progress,
        meter: Meter::begin(progress, Phase::Fixpoint, view.len()),
        next: AtomicU64::new(0),
        too_far: AtomicBool::new(false),
        left_over: AtomicBool::new(false),
        again: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
        barrier: Barrier::new(threads),
        donations: Mutex::new(Donations::default()),
        donated: Condvar::new(),
        idle: AtomicBool::new(false),
        capacity,
    };
    run_threads(threads, || run.abort(), |number| run.work::<DISTANCES>(number))?;
    if !progress.must_stop() {
        run.meter.finish();
    }
    Ok(run.too_far.into_inner())
}

/// New wins and new losses of a thread.
type Worklists<K> = (Vec<K>, Vec<K>);

/// What the threads share.
struct CountsRun<'a, const BITS: u32, V: SliceView> {
    packed: &'a Packed<BITS>,
    codes: Codes,
    /// The last level to settle.
    lowest: u64,
    view: &'a V,
    threads: usize,
    progress: &'a dyn Progress,
    meter: Meter<'a>,
    /// By thread, which takes them when it starts.
    worklists: Vec<Mutex<Option<Worklists<V::Key>>>>,
    /// The next chunk to sweep.
    next: AtomicU64,
    /// Whether a distance is too large to store.
    too_far: AtomicBool,
    /// Whether a full worklist left pending positions in this sweep.
    left_over: AtomicBool,
    again: AtomicBool,
    /// Whether to stop, for all threads alike.
    stopped: AtomicBool,
    barrier: Barrier,
    donations: Mutex<Donations<V::Key>>,
    donated: Condvar,
    /// Whether some thread waits for work.
    idle: AtomicBool,
    capacity: usize,
}

/// Work on its way from busy threads to idle ones.
struct Donations<K> {
    ready: Vec<Worklists<K>>,
    waiting: usize,
}

impl<K> Default for Donations<K> {
    fn default() -> Self {
        Donations { ready: Vec::new(), waiting: 0 }
    }
}

impl<const BITS: u32, V: SliceView> CountsRun<'_, BITS, V> {
    fn work<const DISTANCES: bool>(&self, number: usize) {
        let worklists =
            self.worklists[number].lock().unwrap_or_else(PoisonError::into_inner).take();
        let worklists = worklists.unwrap_or_default();
        if self.threads > 1 {
            Worker::<true, DISTANCES, BITS, V>::new(self, worklists).work();
        } else {
            Worker::<false, DISTANCES, BITS, V>::new(self, worklists).work();
        }
    }

    fn donations(&self) -> MutexGuard<'_, Donations<V::Key>> {
        self.donations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases all threads from wherever they wait: one has failed.
    fn abort(&self) {
        self.barrier.abort();
        let _donations = self.donations();
        self.donated.notify_all();
    }

    /// Waits for all threads; one of them runs `then` before any continues.
    fn together(&self, then: impl FnOnce()) {
        if self.barrier.wait() {
            then();
        }
        self.barrier.wait();
    }
}

/// A predecessor in the queue: of a new loss, which it wins by, or of a new win.
#[derive(Clone, Copy)]
struct Predecessor<K> {
    index: u64,
    key: K,
    wins: bool,
}

struct Worker<'a, const SHARED: bool, const DISTANCES: bool, const BITS: u32, V: SliceView> {
    run: &'a CountsRun<'a, BITS, V>,
    level: u64,
    wins: Vec<V::Key>,
    losses: Vec<V::Key>,
    queue: [Option<Predecessor<V::Key>>; PREFETCHED],
    at: usize,
    settled: u64,
}

impl<'a, const SHARED: bool, const DISTANCES: bool, const BITS: u32, V: SliceView>
    Worker<'a, SHARED, DISTANCES, BITS, V>
{
    fn new(run: &'a CountsRun<'a, BITS, V>, (wins, losses): Worklists<V::Key>) -> Self {
        Worker { run, level: 0, wins, losses, queue: [None; PREFETCHED], at: 0, settled: 0 }
    }

    fn work(&mut self) {
        let codes = self.run.codes;
        for level in (self.run.lowest..=codes.max).rev() {
            self.level = level;
            // Settled by exits, then what full worklists left pending.
            self.sweep(codes.settled_by_exits(level));
            while self.run.again.load(Relaxed) && !self.run.stopped.load(Relaxed) {
                self.sweep([codes.pending_loss(), codes.pending_win()]);
            }
            if self.run.stopped.load(Relaxed) {
                return;
            }
        }
    }

    fn sweep(&mut self, [lost, won]: [u64; 2]) {
        let run = self.run;
        let len = run.view.len();
        let mut cursor = V::Cursor::default();
        loop {
            let start = run.next.fetch_add(CHUNK, Relaxed);
            if start >= len || run.progress.must_stop() {
                break;
            }
            run.packed.find(start..(start + CHUNK).min(len), [lost, won], |index, code| {
                let (wins, score) = if code == won {
                    (true, run.codes.win(self.level))
                } else {
                    (false, run.codes.loss(self.level))
                };
                // It may have been settled since the scan read it.
                if self.change(index, |now| (now == code).then_some(score)).is_none() {
                    return;
                }
                self.settled += u64::from(code < run.codes.settled);
                let key = run.view.key_at(&mut cursor, index);
                self.spread(key, wins);
                if self.wins.len() + self.losses.len() > 64 {
                    self.drain();
                }
            });
            self.drain();
            run.meter.add(std::mem::take(&mut self.settled));
        }
        while self.receive() {
            self.drain();
        }
        run.together(|| {
            run.next.store(0, Relaxed);
            run.stopped.store(run.progress.must_stop(), Relaxed);
            run.again.store(run.left_over.swap(false, Relaxed), Relaxed);
            run.donations().waiting = 0;
        });
    }

    #[inline(always)]
    fn change(&self, index: u64, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        if SHARED {
            self.run.packed.update(index, change)
        } else {
            self.run.packed.update_alone(index, change)
        }
    }

    /// Puts the predecessors of a settled position into the queue.
    #[inline(always)]
    fn spread(&mut self, key: V::Key, won: bool) {
        let run = self.run;
        run.view.predecessors(key, |index, key| {
            run.packed.prefetch(index);
            let predecessor = Predecessor { index, key, wins: !won };
            let ready = self.queue[self.at % PREFETCHED].replace(predecessor);
            self.at += 1;
            if let Some(ready) = ready {
                self.visit(ready);
            }
        });
    }

    /// A successor is won on this level. When all are, the position is lost one level below, unless
    /// a move that leaves the slice takes longer to lose: the sweep of that level finds it.
    #[inline(always)]
    fn count_down_distance(&mut self, index: u64) {
        let (codes, level) = (self.run.codes, self.level);
        let lost = |now| codes.is_last_distance(now, level);
        let change = |now| {
            let next = || if lost(now) { codes.lost_below(level) } else { now - 1 };
            codes.is_counted(now).then(next)
        };
        if self.change(index, change).is_some_and(lost) && level == 1 {
            self.run.too_far.store(true, Relaxed);
        }
    }

    #[inline(always)]
    fn visit(&mut self, Predecessor { index, key, wins }: Predecessor<V::Key>) {
        let (codes, level) = (self.run.codes, self.level);
        if wins {
            let full = self.wins.len() >= self.run.capacity;
            let code = if full { codes.pending_win() } else { codes.win(level) };
            if self.change(index, |now| codes.is_open(now).then_some(code)).is_some() {
                self.settled += 1;
                if full { self.run.left_over.store(true, Relaxed) } else { self.wins.push(key) }
            }
        } else if DISTANCES {
            self.count_down_distance(index);
        } else {
            let full = self.losses.len() >= self.run.capacity;
            let code = if full { codes.pending_loss() } else { codes.loss(level) };
            let lost = |now| codes.is_last(now, level);
            let change =
                |now| codes.is_counted(now).then(|| if lost(now) { code } else { now - 1 });
            if self.change(index, change).is_some_and(lost) {
                self.settled += 1;
                if full { self.run.left_over.store(true, Relaxed) } else { self.losses.push(key) }
            }
        }
    }

    /// Works until worklists and queue are empty; drops everything if a stop is requested.
    fn drain(&mut self) {
        let mut until_query = STOP_INTERVAL;
        loop {
            until_query -= 1;
            if until_query == 0 {
                until_query = STOP_INTERVAL;
                if self.run.progress.must_stop() {
                    self.wins.clear();
                    self.losses.clear();
                    self.queue = [None; PREFETCHED];
                    return;
                }
            }
            if let Some(key) = self.losses.pop() {
                self.spread(key, false);
            } else if let Some(key) = self.wins.pop() {
                self.spread(key, true);
            } else {
                for slot in 0..PREFETCHED {
                    if let Some(ready) = self.queue[(self.at + slot) % PREFETCHED].take() {
                        self.visit(ready);
                    }
                }
                if self.losses.is_empty() && self.wins.is_empty() {
                    return;
                }
            }
            if SHARED
                && self.run.idle.load(Relaxed)
                && self.wins.len() + self.losses.len() > DONATE_FROM
            {
                self.donate();
            }
        }
    }

    fn donate(&mut self) {
        let wins = self.wins.split_off(self.wins.len() / 2);
        let losses = self.losses.split_off(self.losses.len() / 2);
        let mut donations = self.run.donations();
        donations.ready.push((wins, losses));
        self.run.idle.store(false, Relaxed);
        self.run.donated.notify_one();
    }

    /// Waits for work from others; false when no thread has any.
    fn receive(&mut self) -> bool {
        if !SHARED {
            return false;
        }
        let mut donations = self.run.donations();
        donations.waiting += 1;
        loop {
            if let Some((wins, losses)) = donations.ready.pop() {
                donations.waiting -= 1;
                self.wins.extend(wins);
                self.losses.extend(losses);
                return true;
            }
            if donations.waiting == self.run.threads {
                self.run.donated.notify_all();
                return false;
            }
            if self.run.barrier.is_aborted() {
                drop(donations);
                leave();
            }
            self.run.idle.store(true, Relaxed);
            donations = self.run.donated.wait(donations).unwrap_or_else(PoisonError::into_inner);
        }
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

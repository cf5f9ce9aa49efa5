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

use nutcracker_game::SliceView;
use nutcracker_mem::{OutOfMemory, Packed, reserve};

use super::codes::Codes;
use crate::error::SolveError;
use crate::parallel::{Barrier, leave, run_threads};
use crate::progress::{Meter, Phase, Progress};

/// The most wins, and the most losses, on a thread's worklists.
pub(super) fn worklist_len(len: u64, threads: usize) -> usize {
    (len / 128 / threads.max(1) as u64).clamp(1 << 12, 1 << 19) as usize
}

/// Positions that a thread sweeps at a time; a multiple of the numbers in a word.
const CHUNK: u64 = 1 << 15;
/// Predecessors in the queue while their states are prefetched.
const PREFETCHED: usize = 32;
/// Positions that a thread takes off its worklists between two checks for a stop.
const STOP_INTERVAL: u32 = 1 << 16;
/// A thread with this much work donates half of it when another is idle.
const DONATE_FROM: usize = 512;

/// Settles the positions of a slice down to a level. Whether some distance is too large to store.
pub(super) fn settle<const DISTANCES: bool, const BITS: u32, V: SliceView>(
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
        for level in (self.run.lowest..=codes.max()).rev() {
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
                self.settled += u64::from(run.codes.is_open(code));
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

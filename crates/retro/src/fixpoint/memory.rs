//! The in-memory solver: every internal move is looked at once, from its child.
//!
//! Positions are settled in descending |score|. At level k, whoever has a conversion worth k wins
//! k; who is left with nothing better than a conversion worth -k, all internal moves being answered
//! by a win of at least k, loses k. A new loss makes its undecided predecessors wins of k; a new win
//! takes one from its predecessors' counts of open moves. What is never settled is a draw by
//! repetition.
//!
//! The whole state of a position is one small number, a [`Codes`]. New wins and losses go on a
//! worklist in the form in which predecessors are found fastest; a worklist that is full leaves a
//! mark in the state instead, and another sweep picks it up, so memory is bounded. The numbers of
//! predecessors go through a short queue, so that the memory they need is on its way while others
//! are found.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Barrier, Condvar};

use nutcracker_game::{Exits, SliceView};
use nutcracker_mem::{OutOfMemory, Packed};

use crate::progress::{Phase, Progress};

/// How a position's state is one number.
///
/// | numbers | meaning |
/// |---|---|
/// | `0..floor` | open: `(worst - 1) << bits \| count`: conversions are worth -worst at best, and `count` internal moves are not answered yet |
/// | `floor..settled` | open, with a conversion worth `number - floor` ≥ 0: no need to count |
/// | `settled..settled + 2·max + 1` | settled: the score, plus max |
/// | the last two | settled at this level as a win, as a loss, and still to be spread |
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    max: u64,
    bits: u32,
    floor: u64,
    settled: u64,
}

impl Codes {
    /// The numbers for scores up to `max` and up to `moves` internal moves.
    pub fn new(max: u8, moves: u8) -> Self {
        let bits = 8 - moves.leading_zeros();
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
            // No conversion is as good as the worst one.
            let worst = u64::from(exits.best.unsigned_abs()).min(self.max);
            (worst - 1) << self.bits | u64::from(exits.internal)
        }
    }

    fn win(&self, k: u64) -> u64 {
        self.settled + self.max + k
    }

    fn loss(&self, k: u64) -> u64 {
        self.settled + self.max - k
    }

    /// The score that a state means once nothing changes any more.
    pub fn score(&self, code: u64) -> i8 {
        if code >= self.settled { (code - self.settled) as i8 - self.max as i8 } else { 0 }
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
    pub fn bytes_per_position(max: u8, moves: u8) -> u64 {
        if Codes::new(max, moves).count() <= 1 << 8 { 1 } else { 2 }
    }

    /// The states of `len` positions, of which nothing is known.
    pub fn new(len: u64, max: u8, moves: u8) -> Result<Self, OutOfMemory> {
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

    /// Settles every position of the slice. If `progress` must stop, it returns before that is done.
    pub fn settle<V: SliceView>(&self, view: &V, threads: usize, progress: &dyn Progress) {
        let worklist = (view.len() / 128 / threads as u64).clamp(1 << 12, 1 << 19) as usize;
        self.settle_within(view, threads, worklist, progress);
    }

    /// As [`settle`](Self::settle), with room for `worklist` wins and as many losses a thread; the
    /// less, the more sweeps.
    pub fn settle_within<V: SliceView>(
        &self,
        view: &V,
        threads: usize,
        worklist: usize,
        progress: &dyn Progress,
    ) {
        with_packed!(self, packed, codes => {
            settle(packed, *codes, view, threads, worklist, progress);
        });
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

/// Positions that a thread sweeps at a time; a multiple of the numbers in a word.
const CHUNK: u64 = 1 << 15;
/// How long a predecessor's number waits in the queue before its state is looked at.
const LAG: usize = 32;
/// Positions that a thread works off its lists before it asks whether to stop.
const PATIENCE: u32 = 1 << 16;
/// A thread with this much work gives half away when another has none.
const SHARE: usize = 512;

fn settle<const BITS: u32, V: SliceView>(
    packed: &Packed<BITS>,
    codes: Codes,
    view: &V,
    threads: usize,
    capacity: usize,
    progress: &dyn Progress,
) {
    let run = Run {
        packed,
        codes,
        view,
        threads,
        progress,
        next: AtomicU64::new(0),
        settled: AtomicU64::new(0),
        left_over: AtomicBool::new(false),
        again: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
        barrier: Barrier::new(threads),
        gifts: Mutex::new(Gifts::default()),
        given: Condvar::new(),
        hungry: AtomicBool::new(false),
        capacity,
    };
    progress.begin(Phase::Fixpoint, view.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| run.work(threads > 1));
        }
        run.work(threads > 1);
    });
}

/// What the threads share.
struct Run<'a, const BITS: u32, V: SliceView> {
    packed: &'a Packed<BITS>,
    codes: Codes,
    view: &'a V,
    threads: usize,
    progress: &'a dyn Progress,
    /// The next chunk to sweep.
    next: AtomicU64,
    settled: AtomicU64,
    /// Whether a full worklist left marks in this sweep.
    left_over: AtomicBool,
    again: AtomicBool,
    /// Whether to go no further, for all threads alike.
    stopped: AtomicBool,
    barrier: Barrier,
    gifts: Mutex<Gifts<V::Key>>,
    given: Condvar,
    /// Whether some thread waits for work.
    hungry: AtomicBool,
    capacity: usize,
}

/// Work on its way from a thread with much to one with none.
struct Gifts<K> {
    ready: Vec<(Vec<K>, Vec<K>)>,
    waiting: usize,
}

impl<K> Default for Gifts<K> {
    fn default() -> Self {
        Gifts { ready: Vec::new(), waiting: 0 }
    }
}

impl<const BITS: u32, V: SliceView> Run<'_, BITS, V> {
    fn work(&self, shared: bool) {
        if shared {
            Worker::<true, BITS, V>::new(self).work();
        } else {
            Worker::<false, BITS, V>::new(self).work();
        }
    }

    /// Waits for all threads; one of them runs `then` before any goes on.
    fn together(&self, then: impl FnOnce()) {
        if self.barrier.wait().is_leader() {
            then();
        }
        self.barrier.wait();
    }
}

/// Who waits in the queue: a predecessor of a new loss wins, one of a new win has a move fewer.
#[derive(Clone, Copy)]
struct Waiting<K> {
    index: u64,
    key: K,
    wins: bool,
}

struct Worker<'a, const SHARED: bool, const BITS: u32, V: SliceView> {
    run: &'a Run<'a, BITS, V>,
    level: u64,
    wins: Vec<V::Key>,
    losses: Vec<V::Key>,
    queue: [Option<Waiting<V::Key>>; LAG],
    at: usize,
    settled: u64,
}

impl<'a, const SHARED: bool, const BITS: u32, V: SliceView> Worker<'a, SHARED, BITS, V> {
    fn new(run: &'a Run<'a, BITS, V>) -> Self {
        Worker {
            run,
            level: 0,
            wins: Vec::with_capacity(run.capacity),
            losses: Vec::with_capacity(run.capacity),
            queue: [None; LAG],
            at: 0,
            settled: 0,
        }
    }

    fn work(&mut self) {
        let codes = self.run.codes;
        for level in (1..=codes.max).rev() {
            self.level = level;
            // Settled by conversions, then whatever full worklists left behind.
            self.sweep([(level - 1) << codes.bits, codes.floor + level]);
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
                // It may have been settled since it was seen.
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
            self.tell();
        }
        while self.receive() {
            self.drain();
        }
        run.together(|| {
            run.next.store(0, Relaxed);
            run.stopped.store(run.progress.must_stop(), Relaxed);
            run.again.store(run.left_over.swap(false, Relaxed), Relaxed);
            run.gifts.lock().expect("no thread panics").waiting = 0;
        });
    }

    fn tell(&mut self) {
        let all = self.run.settled.fetch_add(self.settled, Relaxed) + self.settled;
        self.settled = 0;
        self.run.progress.advance(all);
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
            let waiting = Waiting { index, key, wins: !won };
            let ready = self.queue[self.at % LAG].replace(waiting);
            self.at += 1;
            if let Some(ready) = ready {
                self.look(ready);
            }
        });
    }

    #[inline(always)]
    fn look(&mut self, Waiting { index, key, wins }: Waiting<V::Key>) {
        let Codes { bits, floor, settled, .. } = self.run.codes;
        let level = self.level;
        if wins {
            let full = self.wins.len() >= self.run.capacity;
            let code = if full { self.run.codes.pending_win() } else { self.run.codes.win(level) };
            if self.change(index, |now| (now < settled).then_some(code)).is_some() {
                self.settled += 1;
                if full { self.run.left_over.store(true, Relaxed) } else { self.wins.push(key) }
            }
        } else {
            let full = self.losses.len() >= self.run.capacity;
            let code =
                if full { self.run.codes.pending_loss() } else { self.run.codes.loss(level) };
            let mask = (1 << bits) - 1;
            let lost = |now: u64| (now - 1) & mask == 0 && now >> bits >= level - 1;
            let change = |now| (now < floor).then(|| if lost(now) { code } else { now - 1 });
            if self.change(index, change).is_some_and(lost) {
                self.settled += 1;
                if full { self.run.left_over.store(true, Relaxed) } else { self.losses.push(key) }
            }
        }
    }

    /// Works until worklists and queue are empty; all is forgotten if work must stop.
    fn drain(&mut self) {
        let mut patience = PATIENCE;
        loop {
            patience -= 1;
            if patience == 0 {
                patience = PATIENCE;
                if self.run.progress.must_stop() {
                    self.wins.clear();
                    self.losses.clear();
                    self.queue = [None; LAG];
                    return;
                }
            }
            if let Some(key) = self.losses.pop() {
                self.spread(key, false);
            } else if let Some(key) = self.wins.pop() {
                self.spread(key, true);
            } else {
                for slot in 0..LAG {
                    if let Some(ready) = self.queue[(self.at + slot) % LAG].take() {
                        self.look(ready);
                    }
                }
                if self.losses.is_empty() && self.wins.is_empty() {
                    return;
                }
            }
            if SHARED
                && self.run.hungry.load(Relaxed)
                && self.wins.len() + self.losses.len() > SHARE
            {
                self.give();
            }
        }
    }

    fn give(&mut self) {
        let wins = self.wins.split_off(self.wins.len() / 2);
        let losses = self.losses.split_off(self.losses.len() / 2);
        let mut gifts = self.run.gifts.lock().expect("no thread panics");
        gifts.ready.push((wins, losses));
        self.run.hungry.store(false, Relaxed);
        self.run.given.notify_one();
    }

    /// Waits for work from others; false when nobody has any.
    fn receive(&mut self) -> bool {
        if !SHARED {
            return false;
        }
        let mut gifts = self.run.gifts.lock().expect("no thread panics");
        gifts.waiting += 1;
        loop {
            if let Some((wins, losses)) = gifts.ready.pop() {
                gifts.waiting -= 1;
                self.wins.extend(wins);
                self.losses.extend(losses);
                return true;
            }
            if gifts.waiting == self.run.threads {
                self.run.given.notify_all();
                return false;
            }
            self.run.hungry.store(true, Relaxed);
            gifts = self.run.given.wait(gifts).expect("no thread panics");
        }
    }
}

//! The positions that one worker owns: their states, and which of them are to be spread.
//!
//! The method is that of the solver `memory`: levels from the largest score down; a new loss makes
//! its open predecessors wins, a new win leaves each predecessor one move less. Within a level the
//! order does not matter, so records from other workers are applied as they come. The level is that
//! of the record, not that of this worker: a worker that is ahead may send records of a level that
//! this one has not begun.

use std::sync::atomic::Ordering::Relaxed;

use nutcracker_game::Exits;
use nutcracker_mem::{OutOfMemory, Packed};
use nutcracker_retro::Codes;

use crate::pending::Pending;
use crate::spread::Spread;

/// What a record says of a predecessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A move leads to a loss: it wins.
    Wins = 0,
    /// One more move leads to a win.
    Counts = 1,
}

/// A record: the local number of a position and what is said of it, in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Record(pub(crate) u64);

impl Record {
    #[inline]
    pub(crate) fn new(local: u64, kind: Kind) -> Self {
        Record(local << 1 | kind as u64)
    }

    #[inline]
    fn local(self) -> u64 {
        self.0 >> 1
    }

    #[inline]
    fn wins(self) -> bool {
        self.0 & 1 == Kind::Wins as u64
    }
}

/// Words of states that are saved at once.
const SAVED_AT_ONCE: usize = 1 << 16;

/// Records between one that is applied and one whose state is fetched from memory.
const PREFETCHED: usize = 16;

#[derive(Debug)]
enum Array {
    Narrow(Packed<8>),
    Wide(Packed<16>),
}

/// The positions of one worker.
#[derive(Debug)]
pub(crate) struct Share {
    states: Array,
    codes: Codes,
    distances: bool,
    pending: Pending,
    /// Positions settled so far.
    pub(crate) settled: u64,
    /// Whether a distance is too large to store.
    pub(crate) too_far: bool,
}

impl Share {
    /// The share of an owner, nothing of which is known.
    pub(crate) fn new(
        spread: &Spread,
        owner: u64,
        codes: Codes,
        distances: bool,
    ) -> Result<Self, OutOfMemory> {
        let slots = spread.slots(owner);
        let narrow = codes.count() <= 1 << 8;
        let states = if narrow {
            Array::Narrow(Packed::zeroed(slots)?)
        } else {
            Array::Wide(Packed::zeroed(slots)?)
        };
        let share = Share {
            states,
            codes,
            distances,
            pending: Pending::new(slots)?,
            settled: 0,
            too_far: false,
        };
        // Only the last block is not full: slots without a position must never be lost.
        if let Some(last) = spread.len().checked_sub(1).map(|last| spread.place(last))
            && last.owner == owner
        {
            let end = (last.local / spread.block() + 1) * spread.block();
            let hole = codes.open(Exits::HOLE);
            share.fill(last.local + 1, (last.local + 1..end).map(|_| hole).collect::<Vec<_>>());
        }
        Ok(share)
    }

    /// Bytes of a checkpoint.
    pub(crate) fn saved_bytes(&self) -> u64 {
        1 + match &self.states {
            Array::Narrow(states) => states.bytes(),
            Array::Wide(states) => states.bytes(),
        }
    }

    /// Passes on what a checkpoint needs, when nothing is to be spread.
    pub(crate) fn save<E>(&self, put: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        put(&[u8::from(self.too_far)])?;
        let words = match &self.states {
            Array::Narrow(states) => states.words(),
            Array::Wide(states) => states.words(),
        };
        for words in words.chunks(SAVED_AT_ONCE) {
            let bytes: Vec<u8> =
                words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect();
            put(&bytes)?;
        }
        Ok(())
    }

    /// Takes over what was saved.
    pub(crate) fn restore<E>(
        &mut self,
        take: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut too_far = [0];
        take(&mut too_far)?;
        self.too_far = too_far != [0];
        let words = match &self.states {
            Array::Narrow(states) => states.words(),
            Array::Wide(states) => states.words(),
        };
        for words in words.chunks(SAVED_AT_ONCE) {
            let mut bytes = vec![0; words.len() * 8];
            take(&mut bytes)?;
            for (word, bytes) in words.iter().zip(bytes.chunks_exact(8)) {
                word.store(u64::from_le_bytes(bytes.try_into().expect("eight bytes")), Relaxed);
            }
        }
        Ok(())
    }

    fn fill(&self, start: u64, codes: Vec<u64>) {
        match &self.states {
            Array::Narrow(states) => states.fill(start, codes.into_iter()),
            Array::Wide(states) => states.fill(start, codes.into_iter()),
        }
    }

    /// Enters the states of consecutive positions, as their exits have them.
    pub(crate) fn enter(&self, start: u64, codes: Vec<u64>) {
        self.fill(start, codes);
    }

    /// Whether there is anything to be spread.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    #[inline(always)]
    fn change(&self, local: u64, change: impl FnOnce(u64) -> Option<u64>) -> Option<u64> {
        match &self.states {
            Array::Narrow(states) => states.update_alone(local, change),
            Array::Wide(states) => states.update_alone(local, change),
        }
    }

    /// Begins a level: settles what exits alone decide, and, where values are distances, what was
    /// found to be lost on this level.
    pub(crate) fn sweep(&mut self, level: u64) {
        let codes = self.codes;
        let [lost, won] = codes.settled_by_exits(level);
        let pending = &mut self.pending;
        let mut settled = 0;
        let mut settle = |local, code| {
            pending.insert(local);
            settled += 1;
            if code == won { codes.win(level) } else { codes.loss(level) }
        };
        match &self.states {
            Array::Narrow(states) => states.find(0..states.len(), [lost, won], |local, code| {
                states.update_alone(local, |_| Some(settle(local, code)));
            }),
            Array::Wide(states) => states.find(0..states.len(), [lost, won], |local, code| {
                states.update_alone(local, |_| Some(settle(local, code)));
            }),
        }
        self.settled += settled;
    }

    /// Applies records of a level.
    pub(crate) fn apply(&mut self, records: &[u64], level: u64) {
        for (at, &record) in records.iter().enumerate() {
            if let Some(&soon) = records.get(at + PREFETCHED) {
                match &self.states {
                    Array::Narrow(states) => states.prefetch(Record(soon).local()),
                    Array::Wide(states) => states.prefetch(Record(soon).local()),
                }
            }
            self.apply_one(Record(record), level);
        }
    }

    #[inline]
    fn apply_one(&mut self, record: Record, level: u64) {
        let (codes, local) = (self.codes, record.local());
        if record.wins() {
            let win = |now| codes.is_open(now).then(|| codes.win(level));
            if self.change(local, win).is_some() {
                self.pending.insert(local);
                self.settled += 1;
            }
        } else if self.distances {
            let lost = |now| codes.is_last_distance(now, level);
            let change = |now| {
                let next = || if lost(now) { codes.lost_below(level) } else { now - 1 };
                codes.is_counted(now).then(next)
            };
            let was_last = self.change(local, change).is_some_and(lost);
            self.too_far |= was_last && level == 1;
        } else {
            let lost = |now| codes.is_last(now, level);
            let change = |now| {
                let next = || if lost(now) { codes.loss(level) } else { now - 1 };
                codes.is_counted(now).then(next)
            };
            if self.change(local, change).is_some_and(lost) {
                self.pending.insert(local);
                self.settled += 1;
            }
        }
    }

    /// Removes about `most` positions from those to be spread; their local numbers, those of wins
    /// apart from those of losses.
    pub(crate) fn take(&mut self, most: usize, wins: &mut Vec<u64>, losses: &mut Vec<u64>) {
        wins.clear();
        losses.clear();
        self.pending.take(most, wins);
        wins.retain(|&local| {
            let won = self.value(local) > 0;
            if !won {
                losses.push(local);
            }
            won
        });
    }

    /// The value of a position, once nothing changes any more.
    #[inline]
    pub(crate) fn value(&self, local: u64) -> i8 {
        self.codes.score(match &self.states {
            Array::Narrow(states) => states.get(local),
            Array::Wide(states) => states.get(local),
        })
    }
}

//! The levels of a slice in memory: passes over all rows while much is found, and single positions
//! when little is.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, RwLock};

use super::clock::Clock;
use super::events::Event;
use super::kernel::{Bits, Found, Kernel};
use super::look::Sight;
use super::shape::{GROUP, TILE};
use super::singles::Singles;
use super::states::RowStates;
use super::team::{Member, Team};
use crate::progress::{Phase, Progress};

/// A pass that settles fewer than one position in so many is followed by single positions: one of
/// them costs about as much as a pass over so many.
pub(super) const FEW: u64 = 300;

/// Events that a thread takes at a time.
const CHUNK: usize = 256;

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowWork {
    /// Passes, all levels together.
    pub passes: u64,
    /// Rows that looked at what was known.
    pub rows: u64,
    /// Squares of 64 by 64 positions that were turned.
    pub squares: u64,
    /// Positions that were settled one by one.
    pub singles: u64,
    /// Bytes read from and written to files at work.
    pub moved: u64,
}

impl RowStates {
    /// Settles all positions, unless somebody wants to stop.
    pub fn settle(&self, threads: usize, progress: &dyn Progress) -> RowWork {
        let shape = &self.kernel.shape;
        progress.begin(Phase::Fixpoint, shape.len());
        let passes = Passes {
            states: self,
            progress,
            singles: Singles::new(shape, &self.kernel.moves),
            clock: Clock::new(shape.tiles() * TILE),
            order: shape.turns().flat_map(|held| shape.groups(held)).collect(),
            stops: AtomicBool::new(false),
            in_pass: Default::default(),
            now: RwLock::default(),
            next: Mutex::default(),
            settled: AtomicU64::new(0),
            work: Mutex::default(),
        };
        Team::new(threads).run(|member| passes.run(member));
        passes.work.into_inner().expect("no thread panics")
    }
}

/// All that threads share.
struct Passes<'a> {
    states: &'a RowStates,
    progress: &'a dyn Progress,
    singles: Singles,
    clock: Clock,
    /// Groups of tiles in the order of their turns.
    order: Vec<Range<usize>>,
    stops: AtomicBool,
    /// Positions settled in this pass and in the one before, by the parity of its number.
    in_pass: [AtomicU64; 2],
    /// Events that are followed, and those that will be.
    now: RwLock<Vec<Event>>,
    next: Mutex<Vec<Vec<Event>>>,
    settled: AtomicU64,
    work: Mutex<RowWork>,
}

/// What a thread has to itself.
struct Desk {
    sight: Vec<Sight>,
    /// By tile of a group.
    found: [Found; GROUP],
    /// Rows that changed.
    about: Vec<u32>,
    events: Vec<Event>,
    settled: u64,
    work: RowWork,
}

impl Passes<'_> {
    fn run(&self, member: &Member<'_>) {
        let kernel = &self.states.kernel;
        let few = kernel.shape.len() / FEW;
        let mut desk = Desk {
            sight: Vec::new(),
            found: std::array::from_fn(|_| Found::new(&kernel.shape)),
            about: Vec::new(),
            events: Vec::new(),
            settled: 0,
            work: RowWork::default(),
        };
        for level in (1..=kernel.top).rev() {
            let mut begins = true;
            while self.pass(member, &mut desk, level, begins) > few {
                begins = false;
            }
            self.follow(member, &mut desk);
            if self.stops.load(Relaxed) {
                return;
            }
        }
        let (lines, values) = (self.states.lines(), self.states.values());
        member.share(kernel.shape.tiles(), 4, |tile| {
            for word in kernel.shape.tile(tile).word_range() {
                kernel.score(word, 1, lines, values);
            }
        });
        let mut work = self.work.lock().expect("no thread panics");
        work.passes = desk.work.passes;
        work.rows += desk.work.rows;
        work.squares += desk.work.squares;
        work.singles += desk.work.singles;
    }

    /// What one thread does once for all, while nobody else reads it.
    fn lead(&self, member: &Member<'_>, prepare: impl FnOnce()) {
        if member.leads() {
            self.progress.advance(self.settled.load(Relaxed));
            if self.progress.must_stop() {
                self.stops.store(true, Relaxed);
            }
            prepare();
        }
        member.wait();
    }

    /// A pass over all tiles. Returns how many positions all threads settled, nothing if somebody
    /// wants to stop.
    fn pass(&self, member: &Member<'_>, desk: &mut Desk, level: u8, begins: bool) -> u64 {
        let settled = &self.in_pass[desk.work.passes as usize % 2];
        self.lead(member, || {
            settled.store(0, Relaxed);
            self.next.lock().expect("no thread panics").clear();
        });
        desk.work.passes += 1;
        desk.settled = 0;
        desk.events.clear();
        if self.stops.load(Relaxed) {
            return 0;
        }
        member.share(self.order.len(), 1, |at| {
            self.group(desk, &self.order[at], level, begins);
        });
        self.give(desk);
        settled.fetch_add(desk.settled, Relaxed);
        member.wait();
        settled.load(Relaxed)
    }

    /// Events found by one thread are there for all.
    fn give(&self, desk: &mut Desk) {
        self.settled.fetch_add(desk.settled, Relaxed);
        let events = std::mem::take(&mut desk.events);
        self.next.lock().expect("no thread panics").push(events);
    }

    /// The turn of a group of tiles in a pass.
    fn group(&self, desk: &mut Desk, tiles: &Range<usize>, level: u8, begins: bool) {
        let kernel = &self.states.kernel;
        let mut settled = 0;
        for (at, tile) in tiles.clone().enumerate() {
            settled += self.tile(desk, at, tile, level, begins);
        }
        if settled == 0 {
            return;
        }
        desk.settled += settled;
        // Events are needed only if in the end there are few.
        let collects = desk.settled <= kernel.shape.len() / FEW;
        let Desk { found, about, events, .. } = desk;
        about.clear();
        let first = kernel.shape.tile(tiles.start);
        let known = self.states.known();
        let found = &mut found[..tiles.len()];
        desk.work.squares += kernel.tell(&first, found, known, |row, tile, won, lost| {
            about.push(row as u32);
            if collects {
                let first = (first.within + tile) * TILE;
                events.extend(Bits(won).map(|bit| Event::new(row, first + bit, false)));
                events.extend(Bits(lost).map(|bit| Event::new(row, first + bit, true)));
            }
        });
        self.clock.change(about);
    }

    /// A tile looks, as a certain one of its group. Returns how many positions it settles.
    fn tile(&self, desk: &mut Desk, at: usize, number: usize, level: u8, begins: bool) -> u64 {
        let kernel = &self.states.kernel;
        let (lines, known) = (self.states.lines(), self.states.known());
        let tile = kernel.shape.tile(number);
        let time = self.clock.tick();
        let all = u64::MAX >> (TILE - tile.rows);
        let rows = if begins { all } else { self.clock.due(&tile, &kernel.moves) };
        if rows == 0 {
            return 0;
        }
        desk.sight.resize(tile.words * TILE, Sight::default());
        Kernel::blind(&mut desk.sight);
        if begins {
            let values = self.states.values();
            if level < kernel.top {
                for word in tile.word_range() {
                    kernel.score(word, level + 1, lines, values);
                }
            }
            kernel.begin(&tile, level, lines, values, &mut desk.sight);
        }
        self.clock.look(&tile, rows, time);
        kernel.look(&tile, rows, None, known, &mut desk.sight);
        desk.work.rows += u64::from(rows.count_ones());
        Kernel::settle(&tile, rows, lines, &desk.sight, &mut desk.found[at])
    }

    /// Follows what the last pass settled, and what comes of it, to the end.
    fn follow(&self, member: &Member<'_>, desk: &mut Desk) {
        let kernel = &self.states.kernel;
        let (lines, known) = (self.states.lines(), self.states.known());
        loop {
            self.lead(member, || {
                let mut next = self.next.lock().expect("no thread panics");
                *self.now.write().expect("no thread panics") = next.concat();
                next.clear();
            });
            let now = self.now.read().expect("no thread panics");
            if now.is_empty() || self.stops.load(Relaxed) {
                return;
            }
            member.share(now.len().div_ceil(CHUNK), 1, |at| {
                let events = &now[at * CHUNK..((at + 1) * CHUNK).min(now.len())];
                kernel.follow(&self.singles, events, lines, known, &mut desk.events);
            });
            drop(now);
            desk.settled = desk.events.len() as u64;
            desk.work.singles += desk.settled;
            self.give(desk);
            member.wait();
        }
    }
}

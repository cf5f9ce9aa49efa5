//! The levels of a slice in memory: passes over all rows while a pass decides many positions, then
//! propagation from single positions.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, RwLock};

use super::propagate::Event;
use super::states::RowStates;
use super::team::{Member, Team};
use crate::parallel::ThreadError;
use crate::progress::{Meter, Phase, Progress};
use crate::report::RowWork;
use crate::solver::rows::kernel::clock::Clock;
use crate::solver::rows::kernel::scan::MoveSummary;
use crate::solver::rows::kernel::{Bits, Kernel, NewlyDecided};
use crate::solver::rows::layout::{EdgeLists, GROUP, TILE};

/// A pass that decides fewer than one position in this many is followed by single positions: one of
/// them costs about as much as a pass over this many.
pub(super) const SINGLES_BELOW: u64 = 300;

/// Events that a thread takes at a time.
const EVENTS: usize = 256;

impl RowStates {
    /// Settles all positions, unless a stop is requested.
    pub fn settle(&self, threads: usize, progress: &dyn Progress) -> Result<RowWork, ThreadError> {
        let shape = &self.kernel.shape;
        let passes = Passes {
            states: self,
            progress,
            meter: Meter::begin(progress, Phase::Fixpoint, shape.len()),
            edges: EdgeLists::new(shape, &self.kernel.moves),
            clock: Clock::new(shape.tiles() * TILE),
            order: shape.order().flat_map(|row_stones| shape.groups(row_stones)).collect(),
            stops: AtomicBool::new(false),
            in_pass: Default::default(),
            now: RwLock::default(),
            next: Mutex::default(),
            settled: AtomicU64::new(0),
            work: Mutex::default(),
        };
        Team::new(threads).run(|member| passes.run(member))?;
        if !passes.stops.load(Relaxed) {
            passes.meter.finish();
        }
        Ok(passes.work.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What threads share.
struct Passes<'a> {
    states: &'a RowStates,
    progress: &'a dyn Progress,
    meter: Meter<'a>,
    edges: EdgeLists,
    clock: Clock,
    /// Groups of tiles in the order in which a pass scans them.
    order: Vec<Range<usize>>,
    stops: AtomicBool,
    /// Positions settled in this pass and in the one before, by the parity of its number.
    in_pass: [AtomicU64; 2],
    /// Events that are propagated now, and those that will be next.
    now: RwLock<Vec<Event>>,
    next: Mutex<Vec<Vec<Event>>>,
    settled: AtomicU64,
    work: Mutex<RowWork>,
}

/// What a thread has to itself.
struct ThreadState {
    summaries: Vec<MoveSummary>,
    /// By tile of a group.
    found: [NewlyDecided; GROUP],
    /// Rows that changed.
    changed: Vec<u32>,
    events: Vec<Event>,
    settled: u64,
    work: RowWork,
}

impl Passes<'_> {
    fn run(&self, member: &Member<'_>) {
        let kernel = &self.states.kernel;
        let few = kernel.shape.len() / SINGLES_BELOW;
        let mut state = ThreadState {
            summaries: Vec::new(),
            found: std::array::from_fn(|_| NewlyDecided::new(&kernel.shape)),
            changed: Vec::new(),
            events: Vec::new(),
            settled: 0,
            work: RowWork::default(),
        };
        for level in (1..=kernel.top).rev() {
            let mut begins = true;
            while self.pass(member, &mut state, level, begins) > few {
                begins = false;
            }
            self.propagate(member, &mut state);
            if self.stops.load(Relaxed) {
                return;
            }
        }
        let (undecided, values) = (self.states.undecided(), self.states.values());
        member.share(kernel.shape.tiles(), 4, |tile| {
            for word in kernel.shape.tile(tile).word_range() {
                kernel.score(word, 1, undecided, values);
            }
        });
        let mut work = self.work.lock().expect("no thread panics");
        work.passes = state.work.passes;
        work.rows += state.work.rows;
        work.squares += state.work.squares;
        work.singles += state.work.singles;
    }

    /// Runs `prepare` on one thread while no other reads what it changes.
    fn lead(&self, member: &Member<'_>, prepare: impl FnOnce()) {
        if member.leads() {
            self.meter.reach(self.settled.load(Relaxed));
            if self.progress.must_stop() {
                self.stops.store(true, Relaxed);
            }
            prepare();
        }
        member.wait();
    }

    /// A pass over all tiles. Returns how many positions all threads settled, 0 if a stop is
    /// requested.
    fn pass(&self, member: &Member<'_>, state: &mut ThreadState, level: u8, begins: bool) -> u64 {
        let settled = &self.in_pass[state.work.passes as usize % 2];
        self.lead(member, || {
            settled.store(0, Relaxed);
            self.next.lock().expect("no thread panics").clear();
        });
        state.work.passes += 1;
        state.settled = 0;
        state.events.clear();
        if self.stops.load(Relaxed) {
            return 0;
        }
        member.share(self.order.len(), 1, |at| {
            self.group(state, &self.order[at], level, begins);
        });
        self.publish_events(state);
        settled.fetch_add(state.settled, Relaxed);
        member.wait();
        settled.load(Relaxed)
    }

    /// Makes the events of one thread available to all.
    fn publish_events(&self, state: &mut ThreadState) {
        self.settled.fetch_add(state.settled, Relaxed);
        let events = std::mem::take(&mut state.events);
        self.next.lock().expect("no thread panics").push(events);
    }

    /// Scans a group of tiles, and publishes what that decides.
    fn group(&self, state: &mut ThreadState, tiles: &Range<usize>, level: u8, begins: bool) {
        let kernel = &self.states.kernel;
        let mut settled = 0;
        for (at, tile) in tiles.clone().enumerate() {
            settled += self.tile(state, at, tile, level, begins);
        }
        if settled == 0 {
            return;
        }
        state.settled += settled;
        // Events are needed only if in the end there are few.
        let collects = state.settled <= kernel.shape.len() / SINGLES_BELOW;
        let ThreadState { found, changed, events, .. } = state;
        changed.clear();
        let first = kernel.shape.tile(tiles.start);
        let decided = self.states.decided();
        let found = &mut found[..tiles.len()];
        state.work.squares += kernel.publish(&first, found, decided, |row, tile, won, lost| {
            changed.push(row as u32);
            if collects {
                let first = (first.within + tile) * TILE;
                events.extend(Bits(won).map(|bit| Event::new(row, first + bit, false)));
                events.extend(Bits(lost).map(|bit| Event::new(row, first + bit, true)));
            }
        });
        self.clock.change(changed);
    }

    /// Scans a tile, the one at `at` of its group. Returns how many positions that decides.
    fn tile(
        &self,
        state: &mut ThreadState,
        at: usize,
        number: usize,
        level: u8,
        begins: bool,
    ) -> u64 {
        let kernel = &self.states.kernel;
        let (undecided, decided) = (self.states.undecided(), self.states.decided());
        let tile = kernel.shape.tile(number);
        let time = self.clock.tick();
        let all = u64::MAX >> (TILE - tile.rows);
        let rows = if begins { all } else { self.clock.due(&tile, &kernel.moves) };
        if rows == 0 {
            return 0;
        }
        state.summaries.resize(tile.words * TILE, MoveSummary::EMPTY);
        Kernel::reset(&mut state.summaries);
        if begins {
            let values = self.states.values();
            if level < kernel.top {
                for word in tile.word_range() {
                    kernel.score(word, level + 1, undecided, values);
                }
            }
            kernel.begin_level(&tile, level, undecided, values, &mut state.summaries);
        }
        self.clock.begin_scan(&tile, rows, time);
        kernel.scan_moves(&tile, rows, None, decided, &mut state.summaries);
        state.work.rows += u64::from(rows.count_ones());
        Kernel::settle(&tile, rows, undecided, &state.summaries, &mut state.found[at])
    }

    /// Propagates what the last pass settled, and what follows from it, to the end.
    fn propagate(&self, member: &Member<'_>, state: &mut ThreadState) {
        let kernel = &self.states.kernel;
        let (undecided, decided) = (self.states.undecided(), self.states.decided());
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
            member.share(now.len().div_ceil(EVENTS), 1, |at| {
                let events = &now[at * EVENTS..((at + 1) * EVENTS).min(now.len())];
                kernel.propagate(&self.edges, events, undecided, decided, &mut state.events);
            });
            drop(now);
            state.settled = state.events.len() as u64;
            state.work.singles += state.settled;
            self.publish_events(state);
            member.wait();
        }
    }
}

//! The levels of a slice in memory: passes over all rows while a pass decides many positions, then
//! propagation from single positions. Where several machines solve the slice, each passes over its
//! own tiles, and they exchange what is new: words after a pass, single positions later.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, RwLock};

use super::part::{ChangedWord, Owners, Part, segments, tell_all};
use super::propagate::Event;
use super::states::RowStates;
use super::team::{Member, Team};
use crate::error::SolveError;
use crate::progress::{Meter, Phase, Progress};
use crate::report::RowWork;
use crate::solver::rows::kernel::clock::Clock;
use crate::solver::rows::kernel::scan::MoveSummary;
use crate::solver::rows::kernel::{Bits, Decided, Kernel, NewlyDecided, Undecided};
use crate::solver::rows::layout::{EdgeLists, GROUP, TILE, Tile};

/// A pass that decides fewer than one position in this many is followed by single positions: one of
/// them costs about as much as a pass over this many.
pub(super) const SINGLES_BELOW: u64 = 300;

/// Events that a thread takes at a time.
const EVENTS: usize = 256;

/// Changed words from another machine that a thread takes at a time.
const CHANGED: usize = 1 << 12;

/// Words of the rows that a machine scans between two exchanges with others: what it tells them
/// takes at most four times as much.
const SEGMENT: usize = 1 << 16;

/// A slice in memory whose positions are settled level by level.
pub(in crate::solver::rows) trait Settling: Sync {
    /// Whether a position is settled for its mover and for the opponent, each at a level of its own.
    const BOTH: bool;

    fn kernel(&self) -> &Kernel;
    fn undecided(&self) -> Undecided<'_>;
    fn decided(&self) -> Decided<'_>;
    /// Begins a level in a tile: scores what the level before has settled there, if there was one,
    /// and enters what exits decide into the summaries.
    fn begin(&self, tile: &Tile, level: i8, before: Option<i8>, summaries: &mut [MoveSummary]);
    /// Scores what the last level has settled in a tile.
    fn end(&self, tile: usize, last: Option<i8>);
}

/// Settles all positions of a slice, unless a stop is requested.
pub(in crate::solver::rows) fn settle_all<S: Settling>(
    states: &S,
    levels: Vec<i8>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<RowWork, SolveError> {
    let shape = &states.kernel().shape;
    let all = shape.order().flat_map(|row_stones| shape.groups(row_stones)).collect();
    settle_levels(states, levels, vec![all], threads, None, progress)
}

impl Settling for RowStates {
    const BOTH: bool = false;

    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn undecided(&self) -> Undecided<'_> {
        self.undecided()
    }

    fn decided(&self) -> Decided<'_> {
        self.decided()
    }

    fn begin(&self, tile: &Tile, level: i8, _: Option<i8>, summaries: &mut [MoveSummary]) {
        let (kernel, level) = (&self.kernel, level as u8);
        if level < kernel.top {
            self.score_tile(tile.number, level + 1);
        }
        kernel.begin_level(tile, level, self.undecided(), self.values(), summaries);
    }

    fn end(&self, tile: usize, _: Option<i8>) {
        self.score_tile(tile, 1);
    }
}

impl RowStates {
    /// Settles all positions, unless a stop is requested.
    pub fn settle(&self, threads: usize, progress: &dyn Progress) -> Result<RowWork, SolveError> {
        settle_all(self, self.levels(self.kernel.top), threads, progress)
    }

    /// The levels from one down.
    fn levels(&self, from: u8) -> Vec<i8> {
        (1..=from.min(self.kernel.top) as i8).rev().collect()
    }

    /// Settles the positions of one machine, together with the others, from a level down.
    pub(crate) fn settle_part(
        &self,
        from: u8,
        threads: usize,
        part: &Part<'_>,
        progress: &dyn Progress,
    ) -> Result<RowWork, SolveError> {
        let levels = self.levels(from);
        settle_levels(self, levels, self.segments(part), threads, Some(part), progress)
    }

    /// What this machine scans between two exchanges; as many segments as the others have.
    pub(crate) fn segments(&self, part: &Part<'_>) -> Vec<Vec<Range<usize>>> {
        let machines = 0..part.exchange.machines();
        let of = |machine| segments(&self.kernel.shape, part.owners, machine, SEGMENT);
        let most = machines.map(|machine| of(machine).len()).max().unwrap_or(0);
        let mut own = of(part.exchange.me());
        own.resize(most, Vec::new());
        own
    }
}

fn settle_levels<S: Settling>(
    states: &S,
    levels: Vec<i8>,
    segments: Vec<Vec<Range<usize>>>,
    threads: usize,
    part: Option<&Part<'_>>,
    progress: &dyn Progress,
) -> Result<RowWork, SolveError> {
    let kernel = states.kernel();
    let shape = &kernel.shape;
    let passes = Passes {
        states,
        part,
        levels,
        progress,
        meter: Meter::begin(progress, Phase::Fixpoint, shape.len()),
        edges: EdgeLists::new(shape, &kernel.moves),
        clock: Clock::new(shape.tiles() * TILE),
        segments,
        stops: AtomicBool::new(false),
        in_pass: Default::default(),
        now: RwLock::default(),
        next: Mutex::default(),
        given: Mutex::default(),
        received: RwLock::default(),
        settled: AtomicU64::new(0),
        level: AtomicU8::new(0),
        own: AtomicU64::new(0),
        work: Mutex::default(),
        error: Mutex::default(),
    };
    Team::new(threads).run(|member| passes.run(member))?;
    if let Some(error) = passes.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    if !passes.stops.load(Relaxed) {
        passes.meter.finish();
    }
    Ok(passes.work.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// What threads share.
struct Passes<'a, S> {
    states: &'a S,
    /// Where other machines solve other parts.
    part: Option<&'a Part<'a>>,
    /// The levels, descending.
    levels: Vec<i8>,
    progress: &'a dyn Progress,
    meter: Meter<'a>,
    edges: EdgeLists,
    clock: Clock,
    /// Groups of tiles in the order in which a pass scans them. Machines exchange what is new after
    /// every segment.
    segments: Vec<Vec<Range<usize>>>,
    stops: AtomicBool,
    /// Positions settled in this pass and in the one before, by the parity of its number.
    in_pass: [AtomicU64; 2],
    /// Events that are propagated now, and those that will be next.
    now: RwLock<Vec<Event>>,
    next: Mutex<Vec<Vec<Event>>>,
    /// What other machines are told, and what each of them has told.
    given: Mutex<Vec<u64>>,
    received: RwLock<Vec<Vec<u64>>>,
    settled: AtomicU64,
    /// The level, and positions that this machine has settled.
    level: AtomicU8,
    own: AtomicU64,
    work: Mutex<RowWork>,
    error: Mutex<Option<SolveError>>,
}

/// The first pass of a level.
#[derive(Clone, Copy)]
struct Begins {
    level: i8,
    /// The level before, if there was one.
    before: Option<i8>,
}

/// What a thread has to itself.
struct ThreadState {
    summaries: Vec<MoveSummary>,
    /// By tile of a group.
    found: [NewlyDecided; GROUP],
    /// Rows that changed.
    changed: Vec<u32>,
    events: Vec<Event>,
    /// Changed words for other machines.
    given: Vec<u64>,
    settled: u64,
    work: RowWork,
}

impl<S: Settling> Passes<'_, S> {
    fn run(&self, member: &Member<'_>) {
        let kernel = self.states.kernel();
        let few = kernel.shape.len() / SINGLES_BELOW;
        let mut state = ThreadState {
            summaries: Vec::new(),
            found: std::array::from_fn(|_| NewlyDecided::new(&kernel.shape)),
            changed: Vec::new(),
            events: Vec::new(),
            given: Vec::new(),
            settled: 0,
            work: RowWork::default(),
        };
        let mut before = None;
        for &level in &self.levels {
            self.level.store(level as u8, Relaxed);
            let mut begins = Some(Begins { level, before });
            while self.pass(member, &mut state, begins.take()) > few {}
            before = Some(level);
            self.propagate(member, &mut state);
            if let Some(part) = self.part.filter(|_| !self.stops.load(Relaxed)) {
                self.lead(member, || {
                    (part.rests)(level as u8).unwrap_or_else(|error| self.fail(error));
                });
            }
            if self.stops.load(Relaxed) {
                return;
            }
        }
        let owners = self.part.map(|part| part.owners);
        member.share(kernel.shape.tiles(), 4, |tile| {
            if owners.is_none_or(|owners| owners.owns(tile)) {
                self.states.end(tile, before);
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
            self.meter.reach(self.settled.load(Relaxed) / (1 + u64::from(S::BOTH)));
            if let Some(part) = self.part {
                part.exchange.report(self.level.load(Relaxed), self.own.load(Relaxed));
            }
            if self.progress.must_stop() {
                self.stops.store(true, Relaxed);
            }
            prepare();
        }
        member.wait();
    }

    fn fail(&self, error: SolveError) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.stops.store(true, Relaxed);
    }

    /// A pass over all tiles. Returns how many positions all threads of all machines settled, 0 if
    /// a stop is requested.
    fn pass(&self, member: &Member<'_>, state: &mut ThreadState, begins: Option<Begins>) -> u64 {
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
        for segment in &self.segments {
            member.share(segment.len(), 1, |at| {
                self.group(state, &segment[at], begins);
            });
            if let Some(part) = self.part {
                let given = std::mem::take(&mut state.given);
                self.exchange(member, part, given);
                self.apply_words(member, state);
            }
        }
        self.publish_events(state);
        settled.fetch_add(state.settled, Relaxed);
        member.wait();
        settled.load(Relaxed)
    }

    /// All machines tell each other what is new.
    fn exchange(&self, member: &Member<'_>, part: &Part<'_>, given: Vec<u64>) {
        self.given.lock().expect("no thread panics").extend(given);
        member.wait();
        if member.leads() {
            let given = std::mem::take(&mut *self.given.lock().expect("no thread panics"));
            let received = if self.stops.load(Relaxed) {
                Vec::new()
            } else {
                tell_all(part.exchange, given).unwrap_or_else(|error| {
                    self.fail(error);
                    Vec::new()
                })
            };
            *self.received.write().expect("no thread panics") = received;
        }
        member.wait();
    }

    /// Enters the words that other machines have changed.
    fn apply_words(&self, member: &Member<'_>, state: &mut ThreadState) {
        let kernel = self.states.kernel();
        let few = kernel.shape.len() / SINGLES_BELOW;
        let decided = self.states.decided();
        let received = self.received.read().expect("no thread panics");
        let most = CHANGED * ChangedWord::WORDS;
        for words in received.iter() {
            member.share(words.len().div_ceil(most), 1, |at| {
                state.changed.clear();
                let words = &words[at * most..((at + 1) * most).min(words.len())];
                for changed in words.chunks_exact(ChangedWord::WORDS).map(ChangedWord::read) {
                    changed.enter(decided);
                    state.settled += u64::from(changed.bits.count_ones());
                    let (row, first) = kernel.shape.row_of_word(changed.word);
                    state.changed.push(row as u32);
                    if state.settled <= few {
                        let places = changed.places(first);
                        let event = |place| Event::new(row, place, changed.lost);
                        state.events.extend(places.map(event));
                    }
                }
                self.clock.change(&state.changed);
            });
        }
    }

    /// Makes the events of one thread available to all.
    fn publish_events(&self, state: &mut ThreadState) {
        self.settled.fetch_add(state.settled, Relaxed);
        let events = std::mem::take(&mut state.events);
        self.next.lock().expect("no thread panics").push(events);
    }

    /// Scans a group of tiles, and publishes what that decides.
    fn group(&self, state: &mut ThreadState, tiles: &Range<usize>, begins: Option<Begins>) {
        let kernel = self.states.kernel();
        let mut settled = 0;
        for (at, tile) in tiles.clone().enumerate() {
            settled += self.tile(state, at, tile, begins);
        }
        if settled == 0 {
            return;
        }
        state.settled += settled;
        self.own.fetch_add(settled, Relaxed);
        // Events are needed only if in the end there are few.
        let collects = state.settled <= kernel.shape.len() / SINGLES_BELOW;
        let ThreadState { found, changed, events, given, .. } = state;
        changed.clear();
        let first = kernel.shape.tile(tiles.start);
        let decided = self.states.decided();
        let found = &mut found[..tiles.len()];
        state.work.squares += kernel.publish(&first, found, decided, |row, tile, won, lost| {
            changed.push(row as u32);
            if self.part.is_some() {
                ChangedWord::push(given, kernel.changed_word(&first, row, tile), won, lost);
            }
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
        begins: Option<Begins>,
    ) -> u64 {
        let kernel = self.states.kernel();
        let (undecided, decided) = (self.states.undecided(), self.states.decided());
        let tile = kernel.shape.tile(number);
        let time = self.clock.tick();
        let all = u64::MAX >> (TILE - tile.rows);
        let rows = if begins.is_some() { all } else { self.clock.due(&tile, &kernel.moves) };
        if rows == 0 {
            return 0;
        }
        state.summaries.resize(tile.words * TILE, MoveSummary::EMPTY);
        Kernel::reset(&mut state.summaries);
        if let Some(Begins { level, before }) = begins {
            self.states.begin(&tile, level, before, &mut state.summaries);
        }
        self.clock.begin_scan(&tile, rows, time);
        kernel.scan_moves(&tile, rows, None, decided, &mut state.summaries);
        state.work.rows += u64::from(rows.count_ones());
        let (summaries, found) = (&state.summaries, &mut state.found[at]);
        if S::BOTH {
            Kernel::settle::<true>(&tile, rows, undecided, summaries, found)
        } else {
            Kernel::settle::<false>(&tile, rows, undecided, summaries, found)
        }
    }

    /// Propagates what the last pass settled, and what follows from it, to the end.
    fn propagate(&self, member: &Member<'_>, state: &mut ThreadState) {
        let kernel = self.states.kernel();
        let (undecided, decided) = (self.states.undecided(), self.states.decided());
        let owners: Option<&Owners> = self.part.map(|part| part.owners);
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
                let next = &mut state.events;
                let edges = &self.edges;
                if S::BOTH {
                    kernel.propagate::<true>(edges, owners, events, undecided, decided, next);
                } else {
                    kernel.propagate::<false>(edges, owners, events, undecided, decided, next);
                }
            });
            drop(now);
            state.settled = state.events.len() as u64;
            state.work.singles += state.settled;
            self.own.fetch_add(state.settled, Relaxed);
            if let Some(part) = self.part {
                let given = state.events.iter().map(|event| event.to_word()).collect();
                self.exchange(member, part, given);
                if member.leads() {
                    let received = self.received.read().expect("no thread panics");
                    let others: Vec<Event> =
                        received.iter().flatten().map(|&word| Event::from_word(word)).collect();
                    kernel.publish_events(&others, decided);
                    state.settled += others.len() as u64;
                    state.events.extend(others);
                }
            }
            self.publish_events(state);
            member.wait();
        }
    }
}

//! The dataflow that solves a slice: one operator on every worker, in a loop.
//!
//! A timestamp is a phase and a round. Phase 0 computes the exits, phase 1 is the largest level,
//! the last phase collects the values. A worker holds a capability for the phase to come; timely's
//! frontier reaches that phase when no worker has anything to send and no batch is on its way, and
//! then all begin it. Nothing else is synchronised: within a phase every worker applies what it
//! receives and spreads what it has.
//!
//! timely does not hold back a sender. So the frontier of the search is kept as bits; a worker turns
//! some of them into records, sends these as one round, and begins no round that is more than
//! [`AHEAD`] rounds after one that is still on its way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nutcracker_game::Exits;
use nutcracker_retro::{Phase, Progress, PutValues, SharedWork, SliceGraph, SolveError, Stopped};
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Allocator, Hooks, initialize_from};
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::channels::pushers::{Output, OutputSession};
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::worker::Worker;

use crate::batch::{Batch, ByAddress, Content, FULL, RUN};
use crate::link::{Link, Links};
use crate::share::{Kind, Record, Share};
use crate::spread::Spread;
use crate::status::Watch;

/// Rounds that a worker may be ahead of the slowest.
const AHEAD: u64 = 4;
/// Words that a worker sends in a round: 512 KiB.
const ROUND: usize = 8 * FULL;
/// Positions whose predecessors are found at once.
const SPREAD_AT_ONCE: usize = 512;
/// Bits of a timestamp that count rounds.
const ROUND_BITS: u32 = 44;
/// Between two looks for a request to stop.
const LOOK: Duration = Duration::from_millis(20);

/// Where the first worker of this process is among all, and what it has to do.
pub(crate) struct Flow<'a> {
    pub(crate) graph: &'a Arc<dyn SliceGraph>,
    pub(crate) values: Option<&'a Arc<dyn PutValues>>,
    /// Connections to the other processes, `None` for this one.
    pub(crate) sockets: Vec<Option<Link>>,
    pub(crate) links: &'a Arc<Links>,
    pub(crate) watch: &'a Watch,
    /// Which process this is, from 0 on.
    pub(crate) process: usize,
    /// The number of threads of every process.
    pub(crate) threads: usize,
}

/// What the threads of a process share.
#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    phase: AtomicU64,
    entered: AtomicU64,
    settled: AtomicU64,
    /// Threads that have something to do at the moment.
    busy: AtomicU64,
    too_far: AtomicBool,
    error: Mutex<Option<SolveError>>,
}

impl Shared {
    fn fail(&self, error: SolveError) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.stop.store(true, Relaxed);
    }
}

impl Flow<'_> {
    /// Runs to the end. `look` is called many times a second; its error ends the run.
    pub(crate) fn run(
        self,
        progress: &dyn Progress,
        mut look: impl FnMut() -> Result<(), SolveError>,
    ) -> Result<SharedWork, SolveError> {
        let started = Instant::now();
        let len = self.graph.len();
        let top = self.graph.codes().max();
        let shared = Arc::new(Shared::default());
        let (ended, ends) = mpsc::channel();
        let job = {
            let (graph, values) = (Arc::clone(self.graph), self.values.cloned());
            let shared = Arc::clone(&shared);
            move |allocator: Allocator| {
                let worker = || work(allocator, &graph, values.as_ref(), &shared);
                if let Err(payload) = catch_unwind(AssertUnwindSafe(worker)) {
                    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
                    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
                    let text = text.unwrap_or_else(|| "no message".to_owned());
                    shared.fail(SolveError::Machine(format!("a thread panicked: {text}")));
                }
                // The receiver waits for as many as there are threads.
                let _ = ended.send(());
            }
        };
        let cannot = |error: String| SolveError::Machine(format!("cannot start threads: {error}"));
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(self.threads, hooks.refill.clone(), None);
        let (builders, guard) = initialize_networking_from_sockets(
            local,
            self.sockets,
            self.process,
            self.threads,
            hooks,
        )
        .map_err(|error| cannot(error.to_string()))?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let guards = initialize_from(builders, Box::new(guard), job).map_err(cannot)?;

        let (mut running, mut exit_time, mut result) = (self.threads, None, Ok(()));
        let mut reached = 0;
        progress.begin(Phase::Exits, len);
        while running > 0 {
            match ends.recv_timeout(LOOK) {
                Ok(()) => running -= 1,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let phase = shared.phase.load(Relaxed);
            if phase > 0 && exit_time.is_none() {
                progress.advance(len);
                progress.begin(Phase::Fixpoint, len);
                (exit_time, reached) = (Some(started.elapsed()), 0);
            }
            let level = if phase == 0 { 0 } else { (top + 1).saturating_sub(phase) };
            let own = (shared.entered.load(Relaxed), shared.settled.load(Relaxed));
            let threads = self.threads as u64;
            let waiting = threads.saturating_sub(shared.busy.load(Relaxed));
            self.watch.reach(level, own, (waiting, threads));
            let all = self.watch.together();
            let share = if phase == 0 { all.entered } else { all.settled }.min(len);
            let levels = (len as f64 * (phase.max(1) - 1) as f64 / (top + 1) as f64) as u64;
            reached = reached.max(if phase == 0 { share } else { share.max(levels.min(len)) });
            progress.advance(reached);
            if result.is_ok() && running > 0 {
                let stop = if progress.must_stop() { Err(Stopped.into()) } else { Ok(()) };
                result = stop.and_then(|()| look());
                if result.is_err() {
                    shared.stop.store(true, Relaxed);
                }
            }
        }
        // What still arrives, or does not, means nothing now. Joining may wait for a machine that
        // is lost, so nobody waits for it.
        self.links.finish();
        std::thread::spawn(move || drop(guards));
        let error = shared.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(result, Err)?;
        progress.advance(len);
        let exit_time = exit_time.unwrap_or_else(|| started.elapsed());
        Ok(SharedWork { exit_time, too_far: shared.too_far.load(Relaxed) })
    }
}

/// One worker, to the end of the dataflow or until all are to stop.
fn work(
    allocator: Allocator,
    graph: &Arc<dyn SliceGraph>,
    values: Option<&Arc<dyn PutValues>>,
    shared: &Arc<Shared>,
) {
    // Without a time of its start, a worker never sleeps.
    let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
    let (me, peers) = (worker.index() as u64, worker.peers() as u64);
    let values = values.filter(|_| me == 0).cloned();
    match Owner::new(Arc::clone(graph), values, Arc::clone(shared), me, peers) {
        Ok(owner) => build(&mut worker, owner),
        Err(error) => return shared.fail(error),
    }
    while worker.has_dataflows() && !shared.stop.load(Relaxed) {
        worker.step_or_park(Some(LOOK));
    }
}

/// The first timestamp of a phase.
fn start_of(phase: u64) -> u64 {
    phase << ROUND_BITS
}

/// The phase of a timestamp.
fn phase_of(time: u64) -> u64 {
    time >> ROUND_BITS
}

/// Builds the dataflow on a worker.
fn build(worker: &mut Worker, mut owner: Owner) {
    worker.dataflow::<u64, _, _>(|scope| {
        // A batch that goes round belongs to a later round.
        let (handle, circle) = scope.feedback::<Batch>(1);
        let mut builder = OperatorBuilder::new("owner".to_owned(), scope);
        let mut input = builder.new_input(circle, DistributorPact(|_| ByAddress));
        let (mut output, stream) = builder.new_output::<Batch>();
        let activator = scope.activator_for(builder.operator_info().address);
        builder.build(move |mut capabilities| {
            // For the phase that begins next, and for what is to be sent now.
            let mut held = capabilities.pop();
            let mut current: Option<Capability<u64>> = None;
            move |frontiers| {
                owner.shared.busy.fetch_add(1, Relaxed);
                input.for_each(|capability, batch| {
                    let phase = phase_of(*capability.time());
                    owner.receive(batch, phase);
                    let behind = current.as_ref().is_none_or(|now| phase_of(*now.time()) < phase);
                    if behind && owner.has_work() {
                        current = Some(capability.retain(0));
                    }
                });
                // Never empty while this worker holds a capability.
                let reached = frontiers[0].frontier().first().copied().unwrap_or(0);
                if let Some(next) = held.take_if(|next| reached >= *next.time()) {
                    let phase = phase_of(*next.time());
                    owner.begin(phase);
                    if phase < owner.last_phase() {
                        held = Some(next.delayed(&start_of(phase + 1)));
                    }
                    if current.is_none() {
                        current = Some(next);
                    }
                }
                if let Some(mut capability) = current.take() {
                    let time = *capability.time();
                    if owner.has_work() && time < reached.saturating_add(AHEAD) {
                        owner.send(&mut output, &capability, phase_of(time));
                        capability.downgrade(&(time + 1));
                        activator.activate();
                    }
                    if owner.has_work() {
                        current = Some(capability);
                    }
                }
                owner.shared.busy.fetch_sub(1, Relaxed);
            }
        });
        stream.connect_loop(handle);
    });
}

/// What a worker knows and does.
struct Owner {
    graph: Arc<dyn SliceGraph>,
    /// Where the values go, on the first worker.
    values: Option<Arc<dyn PutValues>>,
    shared: Arc<Shared>,
    spread: Spread,
    me: u64,
    peers: u64,
    top: u64,
    share: Share,
    /// The next part whose exits are to be computed; parts are dealt to the workers in turn.
    part: u64,
    /// The next local number whose value is to be sent; `None` before the last phase.
    collect: Option<u64>,
    /// Whether the first worker is told that a distance is too large.
    told: bool,
    /// Batches that are not full yet, by worker.
    outbox: Vec<Batch>,
    /// What was settled and is reported.
    reported: u64,
    wins: Vec<u64>,
    losses: Vec<u64>,
    before: Vec<u64>,
    own: Vec<u64>,
}

impl Owner {
    fn new(
        graph: Arc<dyn SliceGraph>,
        values: Option<Arc<dyn PutValues>>,
        shared: Arc<Shared>,
        me: u64,
        peers: u64,
    ) -> Result<Self, SolveError> {
        let spread = Spread::new(graph.len(), peers);
        let share = Share::new(&spread, me, graph.codes(), graph.has_distances())?;
        Ok(Owner {
            top: graph.codes().max(),
            graph,
            values,
            shared,
            spread,
            me,
            peers,
            share,
            part: me,
            collect: None,
            told: false,
            outbox: (0..peers).map(|to| Batch::new(to, Content::Records)).collect(),
            reported: 0,
            wins: Vec::new(),
            losses: Vec::new(),
            before: Vec::new(),
            own: Vec::new(),
        })
    }

    /// The phase in which values are collected: there is one for each level before, and the first.
    fn last_phase(&self) -> u64 {
        self.top + 1
    }

    /// The level of a phase.
    fn level(&self, phase: u64) -> u64 {
        self.top + 1 - phase
    }

    /// A phase begins: all work of the one before is done everywhere.
    fn begin(&mut self, phase: u64) {
        self.shared.phase.fetch_max(phase, Relaxed);
        if phase == self.last_phase() {
            self.collect = Some(0);
        } else if phase > 0 {
            self.share.sweep(self.level(phase));
            self.report();
        }
    }

    fn report(&mut self) {
        let settled = self.share.settled;
        self.shared.settled.fetch_add(settled - self.reported, Relaxed);
        self.reported = settled;
    }

    fn has_work(&self) -> bool {
        self.part < self.graph.parts()
            || !self.share.is_idle()
            || self.collect.is_some_and(|next| next < self.spread.slots(self.me))
            || (self.collect.is_some() && self.share.too_far && !self.told)
    }

    fn receive(&mut self, batch: &Batch, phase: u64) {
        match batch.content {
            Content::Records => {
                self.share.apply(&batch.words, self.level(phase));
                self.report();
            }
            Content::States => batch.states(|start, codes| self.share.enter(start, codes)),
            Content::Values => {
                if let Some(values) = &self.values {
                    batch.values(|start, run| {
                        values.put(start, run).unwrap_or_else(|error| self.shared.fail(error));
                    });
                }
            }
            Content::TooFar => self.shared.too_far.store(true, Relaxed),
        }
    }

    /// Sends one round of whatever is to be done.
    fn send(&mut self, output: &mut Output<u64, Batch>, capability: &Capability<u64>, phase: u64) {
        let mut session = Session { output: output.activate(), capability, words: 0 };
        if phase == 0 {
            while self.part < self.graph.parts() && session.words < ROUND {
                if let Err(error) = self.send_exits(&mut session) {
                    return self.shared.fail(error);
                }
                self.part += self.peers;
            }
        } else if phase < self.last_phase() {
            while !self.share.is_idle() && session.words < ROUND {
                self.send_records(&mut session, self.level(phase));
            }
            self.report();
        } else {
            self.send_values(&mut session);
        }
        for batch in &mut self.outbox {
            session.give(batch);
        }
    }

    /// The exits of a part, as states, to the owners of its positions.
    fn send_exits(&mut self, session: &mut Session<'_>) -> Result<(), SolveError> {
        let Owner { spread, share, outbox, me, graph, .. } = self;
        let (codes, block) = (graph.codes(), spread.block());
        let (mut too_far, mut entered) = (false, 0);
        graph.exits(self.part, &mut |start, run| {
            entered += run.len() as u64;
            let mut at = 0;
            while at < run.len() {
                // Within a block, local numbers are consecutive.
                let index = start + at as u64;
                let here = (block - index % block).min(RUN as u64) as usize;
                let piece = &run[at..(at + here).min(run.len())];
                at += piece.len();
                too_far |= piece.contains(&Exits::TOO_FAR);
                let states: Vec<u64> = piece.iter().map(|&exits| codes.open(exits)).collect();
                let place = spread.place(index);
                if place.owner == *me {
                    share.enter(place.local, states);
                } else {
                    let batch = &mut outbox[place.owner as usize];
                    batch.content = Content::States;
                    batch.push_states(place.local, &states);
                    session.give_full(batch);
                }
            }
        })?;
        self.share.too_far |= too_far && self.graph.has_distances();
        self.shared.entered.fetch_add(entered, Relaxed);
        Ok(())
    }

    /// Records for the predecessors of some positions that were settled.
    fn send_records(&mut self, session: &mut Session<'_>, level: u64) {
        let (mut wins, mut losses) =
            (std::mem::take(&mut self.wins), std::mem::take(&mut self.losses));
        self.share.take(SPREAD_AT_ONCE, &mut wins, &mut losses);
        for (settled, kind) in [(&mut losses, Kind::Wins), (&mut wins, Kind::Counts)] {
            for local in &mut *settled {
                // Every slot that is settled has a position.
                *local = self.spread.index(self.me, *local).unwrap_or(0);
            }
            self.before.clear();
            self.graph.predecessors(settled, &mut self.before);
            for &index in &self.before {
                let place = self.spread.place(index);
                let record = Record::new(place.local, kind);
                if place.owner == self.me {
                    self.own.push(record.0);
                } else {
                    let batch = &mut self.outbox[place.owner as usize];
                    batch.content = Content::Records;
                    batch.push_record(record);
                    session.give_full(batch);
                }
            }
        }
        // What this worker owns itself does not travel.
        session.words += self.own.len();
        self.share.apply(&self.own, level);
        self.own.clear();
        (self.wins, self.losses) = (wins, losses);
    }

    /// Values for the first worker.
    fn send_values(&mut self, session: &mut Session<'_>) {
        if self.share.too_far && !self.told {
            self.told = true;
            session.give(&mut Batch::new(0, Content::TooFar));
        }
        let slots = self.spread.slots(self.me);
        let mut next = self.collect.unwrap_or(slots);
        let run = self.spread.block().min(RUN as u64);
        while next < slots && session.words < ROUND {
            if let Some(index) = self.spread.index(self.me, next) {
                let end = (next + run).min(next + self.spread.len() - index);
                let values: Vec<i8> = (next..end).map(|local| self.share.value(local)).collect();
                if let Some(put) = &self.values {
                    put.put(index, &values).unwrap_or_else(|error| self.shared.fail(error));
                    session.words += values.len() / 8 + 1;
                } else {
                    let batch = &mut self.outbox[0];
                    batch.content = Content::Values;
                    batch.push_values(index, &values);
                    session.give_full(batch);
                }
            }
            next += run;
        }
        self.collect = Some(next);
    }
}

/// A round in which batches are sent.
struct Session<'a> {
    output: OutputSession<'a, u64, Batch>,
    capability: &'a Capability<u64>,
    /// Words sent so far.
    words: usize,
}

impl Session<'_> {
    /// Sends a batch, which is empty afterwards.
    fn give(&mut self, batch: &mut Batch) {
        let (to, content) = (batch.to, batch.content);
        self.words += batch.words.len();
        self.output.give(self.capability, batch);
        *batch = Batch::new(to.into(), content);
    }

    /// Sends a batch if it is full.
    fn give_full(&mut self, batch: &mut Batch) {
        if batch.words.len() >= FULL {
            self.give(batch);
        }
    }
}

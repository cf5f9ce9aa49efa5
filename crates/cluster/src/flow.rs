//! The dataflow that solves a slice: one operator on every worker, in a loop.
//!
//! A timestamp is a phase and a round. Phase 0 computes the exits, then there is a phase for every
//! level, from the largest down, and the last phase collects the values. Where checkpoints are kept,
//! another phase follows each level: nothing is sent in it, so that what workers write then belongs
//! to the same moment. A worker holds a capability for the phase to come; timely's
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
use nutcracker_retro::{
    Checkpoints, Phase, Progress, PutValues, SharedSlice, SharedWork, SliceGraph, SolveError,
    Stopped,
};
use timely::WorkerConfig;
use timely::communication::Allocator;
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
use crate::threads::{self, Look};

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
    pub(crate) slice: &'a SharedSlice<'a>,
    /// The level with which all machines go on after an interruption.
    pub(crate) resume: Option<u8>,
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
        look: Look<'_>,
    ) -> Result<SharedWork, SolveError> {
        let started = Instant::now();
        let graph = self.slice.graph;
        let len = graph.len();
        let shared = Arc::new(Shared::default());
        let task = Task {
            graph: Arc::clone(graph),
            values: self.slice.values.cloned(),
            checkpoints: self.slice.checkpoints.cloned(),
            resume: self.resume.map(u64::from),
            threads: self.threads as u64,
        };
        let last_phase = task.last_phase();
        let (ended, ends) = mpsc::channel();
        let job = {
            let (task, shared) = (task.clone(), Arc::clone(&shared));
            move |allocator: Allocator| {
                let worker = || work(allocator, &task, &shared);
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
        let guards = threads::start(self.sockets, self.process, self.threads, job)?;

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
            let level = task.level(phase);
            let own = (shared.entered.load(Relaxed), shared.settled.load(Relaxed));
            let threads = self.threads as u64;
            let waiting = threads.saturating_sub(shared.busy.load(Relaxed));
            self.watch.reach(level, own, (waiting, threads));
            let all = self.watch.together();
            let share = if phase == 0 { all.entered } else { all.settled }.min(len);
            let levels = (len as f64 * (phase.max(1) - 1) as f64 / last_phase as f64) as u64;
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

/// What the workers of a process do.
#[derive(Clone)]
struct Task {
    graph: Arc<dyn SliceGraph>,
    /// Where the values go, on the first process.
    values: Option<Arc<dyn PutValues>>,
    checkpoints: Option<Arc<Checkpoints>>,
    /// The level with which all go on.
    resume: Option<u64>,
    /// Workers of a process.
    threads: u64,
}

/// What a phase is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// The exits, or what a checkpoint has.
    Start,
    /// One level.
    Level(u64),
    /// A checkpoint, with which this level is next.
    Checkpoint(u64),
    /// The values.
    Values,
}

impl Task {
    /// Phases for every level.
    fn stride(&self) -> u64 {
        1 + u64::from(self.checkpoints.is_some())
    }

    fn last_phase(&self) -> u64 {
        self.graph.codes().max() * self.stride() + 1
    }

    fn purpose(&self, phase: u64) -> Purpose {
        let (top, stride) = (self.graph.codes().max(), self.stride());
        match phase.checked_sub(1) {
            None => Purpose::Start,
            Some(_) if phase >= self.last_phase() => Purpose::Values,
            Some(phase) if phase % stride == 0 => Purpose::Level(top - phase / stride),
            Some(phase) => Purpose::Checkpoint(top - phase / stride - 1),
        }
    }

    /// The level of the records of a phase.
    fn level(&self, phase: u64) -> u64 {
        match self.purpose(phase) {
            Purpose::Level(level) => level,
            // Nothing else has records.
            _ => 0,
        }
    }
}

/// One worker, to the end of the dataflow or until all are to stop.
fn work(allocator: Allocator, task: &Task, shared: &Arc<Shared>) {
    // Without a time of its start, a worker never sleeps.
    let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
    let (me, peers) = (worker.index() as u64, worker.peers() as u64);
    match Owner::new(task.clone(), Arc::clone(shared), me, peers) {
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
                    if phase < owner.task.last_phase() {
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
    task: Task,
    shared: Arc<Shared>,
    spread: Spread,
    me: u64,
    peers: u64,
    share: Share,
    /// The next part whose exits are to be computed; parts are dealt to the workers in turn.
    part: u64,
    /// The next local number whose value is to be sent; `None` before the last phase.
    collect: Option<u64>,
    /// Whether the first worker is told that a distance is too large.
    told: bool,
    /// Whether this worker, the first, is to tell the others that a checkpoint is due.
    tells_checkpoint: bool,
    /// Whether a checkpoint is written when this level is over.
    checkpoint_due: bool,
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
    fn new(task: Task, shared: Arc<Shared>, me: u64, peers: u64) -> Result<Self, SolveError> {
        let graph = &task.graph;
        let spread = Spread::new(graph.len(), peers);
        let share = Share::new(&spread, me, graph.codes(), graph.has_distances())?;
        // With a checkpoint there are no exits to compute.
        let part = if task.resume.is_some() { graph.parts() } else { me };
        let mut owner = Owner {
            task,
            shared,
            spread,
            me,
            peers,
            share,
            part,
            collect: None,
            told: false,
            tells_checkpoint: false,
            checkpoint_due: false,
            outbox: (0..peers).map(|to| Batch::new(to, Content::Records)).collect(),
            reported: 0,
            wins: Vec::new(),
            losses: Vec::new(),
            before: Vec::new(),
            own: Vec::new(),
        };
        owner.restore()?;
        Ok(owner)
    }

    /// A phase begins: all work of the one before is done everywhere.
    fn begin(&mut self, phase: u64) {
        self.shared.phase.fetch_max(phase, Relaxed);
        match self.task.purpose(phase) {
            Purpose::Start => {}
            Purpose::Level(level) => {
                if self.task.resume.is_none_or(|resume| level <= resume) {
                    self.share.sweep(level);
                    self.report();
                    self.tells_checkpoint =
                        self.me == 0 && self.task.checkpoints.as_ref().is_some_and(|c| c.is_due());
                }
            }
            Purpose::Checkpoint(next) => {
                if std::mem::take(&mut self.checkpoint_due) && next > 0 {
                    self.save(next).unwrap_or_else(|error| self.shared.fail(error));
                }
            }
            Purpose::Values => self.collect = Some(0),
        }
    }

    /// Writes a checkpoint, with which `level` is next.
    fn save(&self, level: u64) -> Result<(), SolveError> {
        let Some(checkpoints) = &self.task.checkpoints else { return Ok(()) };
        let part = (self.me % self.task.threads) as usize;
        let mut writer = checkpoints.write(part, level as u8, self.share.saved_bytes())?;
        self.share.save(&mut |bytes| writer.push(bytes))?;
        Ok(writer.finish()?)
    }

    /// Reads a checkpoint, if there is one to go on with.
    fn restore(&mut self) -> Result<(), SolveError> {
        let (Some(checkpoints), Some(level)) = (&self.task.checkpoints, self.task.resume) else {
            return Ok(());
        };
        let part = (self.me % self.task.threads) as usize;
        let mut reader = checkpoints.read(part, level as u8, self.share.saved_bytes())?;
        Ok(self.share.restore(&mut |bytes| reader.pull(bytes))?)
    }

    fn report(&mut self) {
        let settled = self.share.settled;
        self.shared.settled.fetch_add(settled - self.reported, Relaxed);
        self.reported = settled;
    }

    fn has_work(&self) -> bool {
        self.part < self.task.graph.parts()
            || self.tells_checkpoint
            || !self.share.is_idle()
            || self.collect.is_some_and(|next| next < self.spread.slots(self.me))
            || (self.collect.is_some() && self.share.too_far && !self.told)
    }

    fn receive(&mut self, batch: &Batch, phase: u64) {
        match batch.content {
            Content::Records => {
                self.share.apply(&batch.words, self.task.level(phase));
                self.report();
            }
            Content::States => batch.states(|start, codes| self.share.enter(start, codes)),
            Content::Values => {
                if let Some(values) = &self.task.values {
                    batch.values(|start, run| {
                        values.put(start, run).unwrap_or_else(|error| self.shared.fail(error));
                    });
                }
            }
            Content::TooFar => self.shared.too_far.store(true, Relaxed),
            Content::Checkpoint => self.checkpoint_due = true,
            Content::Words => {}
        }
    }

    /// Sends one round of whatever is to be done.
    fn send(&mut self, output: &mut Output<u64, Batch>, capability: &Capability<u64>, phase: u64) {
        let mut session = Session { output: output.activate(), capability, words: 0 };
        if std::mem::take(&mut self.tells_checkpoint) {
            for to in 0..self.peers {
                session.give(&mut Batch::new(to, Content::Checkpoint));
            }
        }
        if phase == 0 {
            while self.part < self.task.graph.parts() && session.words < ROUND {
                if let Err(error) = self.send_exits(&mut session) {
                    return self.shared.fail(error);
                }
                self.part += self.peers;
            }
        } else if let Purpose::Level(level) = self.task.purpose(phase) {
            while !self.share.is_idle() && session.words < ROUND {
                self.send_records(&mut session, level);
            }
            self.report();
        } else if phase == self.task.last_phase() {
            self.send_values(&mut session);
        }
        for batch in &mut self.outbox {
            session.give(batch);
        }
    }

    /// The exits of a part, as states, to the owners of its positions.
    fn send_exits(&mut self, session: &mut Session<'_>) -> Result<(), SolveError> {
        let Owner { spread, share, outbox, me, task: Task { graph, .. }, .. } = self;
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
        self.share.too_far |= too_far && self.task.graph.has_distances();
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
            self.task.graph.predecessors(settled, &mut self.before);
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
                if let Some(put) = self.task.values.as_ref().filter(|_| self.me == 0) {
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

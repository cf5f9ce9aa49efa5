//! Slices solved by rows: machines that pass words to each other in rounds.
//!
//! The rows themselves are the work of `retro`; here is what carries them. A round is a timestamp.
//! A machine gives its words, advances its input, and waits until timely's frontier has passed the
//! round: then all machines have given theirs, and all have arrived. A machine that is ahead may
//! send words of the next round before this one has seen that the last is over, so words are kept
//! by their timestamp.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nutcracker_retro::{
    Exchange, Progress, SharedRows, SharedSlice, SharedWork, SolveError, Stopped,
};
use timely::WorkerConfig;
use timely::communication::Allocator;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::worker::Worker;

use crate::batch::{Batch, ByAddress, Content, FULL};
use crate::link::{Link, Links};
use crate::status::Watch;
use crate::threads::{self, Look};

/// Between two looks for a request to stop.
const LOOK: Duration = Duration::from_millis(20);

/// What an operator without output builds.
type Nothing = CapacityContainerBuilder<Batch>;
/// What the solver has for the thread that carries words.
enum Request {
    /// A round, with words for every machine.
    Round(Given),
    /// There are no more rounds.
    Over,
}

/// Words for every machine.
type Given = Vec<Arc<Vec<u64>>>;
/// Words from every machine.
type Received = Vec<Vec<u64>>;

/// A slice that is solved by rows, on one machine.
pub(crate) struct Rows<'a> {
    pub(crate) slice: &'a SharedSlice<'a>,
    /// The level with which all machines go on.
    pub(crate) resume: Option<u8>,
    /// Connections to the other machines, `None` for this one.
    pub(crate) sockets: Vec<Option<Link>>,
    pub(crate) links: &'a Arc<Links>,
    pub(crate) watch: &'a Watch,
    pub(crate) process: usize,
    pub(crate) threads: usize,
}

impl Rows<'_> {
    /// Runs to the end. `look` is called many times a second; its error ends the run.
    pub(crate) fn run(
        self,
        progress: &dyn Progress,
        look: Look<'_>,
    ) -> Result<SharedWork, SolveError> {
        let (machines, me) = (self.sockets.len(), self.process);
        let missing = || SolveError::Machine("the game has no rows".to_owned());
        let row_moves = self.slice.graph.row_moves().ok_or_else(missing)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (requests, requested) = mpsc::channel();
        let (answers, answered) = mpsc::channel();
        let (ended, ends) = mpsc::channel();
        let carrier = Carrier { requested, answers, stop: Arc::clone(&stop), machines };
        let carrier = Mutex::new(Some(carrier));
        let end = ended.clone();
        let guards = threads::start(self.sockets, me, 1, move |allocator| {
            let carrier = carrier.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(carrier) = carrier {
                carrier.carry(allocator);
            }
            // The receiver waits for it.
            let _ = end.send(());
        })?;
        let reached = Arc::new(Reached::default());
        let rounds = Rounds {
            requests: Mutex::new(requests),
            answered: Mutex::new(answered),
            machines,
            me,
            reached: Arc::clone(&reached),
        };
        let result = thread::scope(|scope| {
            let (rows, graph) = (&*row_moves, &**self.slice.graph);
            let solving = scope.spawn(move || {
                let solved = SharedRows {
                    graph,
                    rows,
                    exchange: &rounds,
                    threads: self.threads,
                    values: self.slice.values.map(|values| &**values),
                    checkpoints: self.slice.checkpoints.map(|checkpoints| &**checkpoints),
                    resume: self.resume,
                    progress,
                }
                .solve();
                if solved.is_ok() {
                    rounds.end();
                }
                drop(rounds);
                let _ = ended.send(());
                solved
            });
            let (mut running, mut result) = (2, Ok(()));
            while running > 0 {
                match ends.recv_timeout(LOOK) {
                    Ok(()) => running -= 1,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                reached.tell(self.watch, self.threads as u64);
                if result.is_ok() && running > 0 {
                    let stopped = if progress.must_stop() { Err(Stopped.into()) } else { Ok(()) };
                    result = stopped.and_then(|()| look());
                    if result.is_err() {
                        stop.store(true, Relaxed);
                    }
                }
            }
            let panicked = |_| Err(SolveError::Machine("a thread panicked".to_owned()));
            let solved = solving.join().unwrap_or_else(panicked);
            // A round that was cut off says less than the reason for it.
            result.and(solved)
        });
        // What still arrives, or does not, means nothing now. Joining may wait for a machine that
        // is lost, so nothing waits for it.
        self.links.finish();
        thread::spawn(move || drop(guards));
        result
    }
}

/// How far this machine has come.
#[derive(Debug, Default)]
struct Reached {
    level: AtomicU8,
    entered: AtomicU64,
    settled: AtomicU64,
    /// Whether it waits for other machines.
    waits: AtomicBool,
}

impl Reached {
    fn tell(&self, watch: &Watch, threads: u64) {
        let own = (self.entered.load(Relaxed), self.settled.load(Relaxed));
        let waiting = if self.waits.load(Relaxed) { threads } else { 0 };
        watch.reach(self.level.load(Relaxed).into(), own, (waiting, threads));
    }
}

/// Rounds, as the solver requests them.
struct Rounds {
    requests: Mutex<Sender<Request>>,
    answered: Mutex<Receiver<Received>>,
    machines: usize,
    me: usize,
    reached: Arc<Reached>,
}

impl Rounds {
    /// All has been solved. Where this is never said, the others do not take silence for agreement.
    fn end(&self) {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        // Where it fails, the run has ended otherwise.
        let _ = requests.send(Request::Over);
    }
}

impl Exchange for Rounds {
    fn machines(&self) -> usize {
        self.machines
    }

    fn me(&self) -> usize {
        self.me
    }

    fn round(&self, given: Given) -> Result<Received, SolveError> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        self.reached.waits.store(true, Relaxed);
        // The thread that carries words ends early only if the run does.
        requests.send(Request::Round(given)).map_err(|_| Stopped)?;
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let received = answered.recv().map_err(|_| Stopped)?;
        self.reached.waits.store(false, Relaxed);
        Ok(received)
    }

    fn report(&self, level: u8, positions: u64) {
        let Reached { level: at, entered, settled, .. } = &*self.reached;
        at.store(level, Relaxed);
        let count = if level == 0 { entered } else { settled };
        count.store(positions, Relaxed);
    }
}

/// What carries words, on a thread of its own.
struct Carrier {
    requested: Receiver<Request>,
    answers: Sender<Received>,
    stop: Arc<AtomicBool>,
    machines: usize,
}

impl Carrier {
    fn carry(self, allocator: Allocator) {
        // Without a time of its start, a worker never sleeps.
        let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
        let me = worker.index();
        let arrived: Rc<RefCell<BTreeMap<u64, Received>>> = Rc::default();
        let (mut input, probe) = worker.dataflow::<u64, _, _>(|scope| {
            let (input, stream) = scope.new_input::<Batch>();
            let (arrived, machines) = (Rc::clone(&arrived), self.machines);
            let pact = DistributorPact(|_| ByAddress);
            let taken = stream.unary::<Nothing, _, _, _>(pact, "words", move |_, _| {
                move |input, _| {
                    input.for_each(|capability, batch| {
                        let mut arrived = arrived.borrow_mut();
                        let round = arrived.entry(*capability.time());
                        let by_machine = round.or_insert_with(|| vec![Vec::new(); machines]);
                        // The first word says who sent the others.
                        if let Some((&from, words)) = batch.words.split_first()
                            && let Some(theirs) = by_machine.get_mut(from as usize)
                        {
                            theirs.extend_from_slice(words);
                        }
                    });
                }
            });
            (input, taken.probe().0)
        });
        let mut round = 0_u64;
        loop {
            let given = match self.requested.recv() {
                Ok(Request::Round(given)) => given,
                Ok(Request::Over) => break,
                // The solver failed. An input that is closed would let the others pass all rounds
                // without words of this machine, so nothing more is sent; they hear why.
                Err(_) => return,
            };
            for (to, words) in given.iter().enumerate().filter(|(to, _)| *to != me) {
                for words in words.chunks(FULL - 1) {
                    let mut batch = Batch::new(to as u64, Content::Words);
                    batch.words.reserve(words.len() + 1);
                    batch.words.push(me as u64);
                    batch.words.extend_from_slice(words);
                    input.send_batch(&mut batch);
                }
            }
            drop(given);
            round += 1;
            input.advance_to(round);
            while probe.less_than(&round) {
                if self.stop.load(Relaxed) {
                    return;
                }
                worker.step_or_park(Some(LOOK));
            }
            let received = arrived.borrow_mut().remove(&(round - 1));
            let received = received.unwrap_or_else(|| vec![Vec::new(); self.machines]);
            if self.answers.send(received).is_err() {
                break;
            }
        }
        drop(input);
        while worker.has_dataflows() && !self.stop.load(Relaxed) {
            worker.step_or_park(Some(LOOK));
        }
    }
}

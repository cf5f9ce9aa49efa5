//! The client: it gets positions, lets experts evaluate them, and submits what they say.
//!
//! It only ever sends requests. What fails is tried again for days, with pauses that grow and are
//! spread at random; results are kept until the server has them.

mod backoff;
mod experts;
mod http;
mod pace;
mod proofs;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use nutcracker_book::expert::Expert;
use nutcracker_game::Game;
use thiserror::Error;

use self::backoff::Backoff;
use self::experts::Pool;
pub use self::http::{CallError, Caller};
use self::pace::Pace;
pub use self::proofs::{Prove, prove};
use crate::protocol::{Acquire, Assignment, Held, Hello, JobResult, Jobs, Submit, VERSION, Work};

/// While it waits for anything, this often it looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(50);

/// How a worker works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its name.
    pub name: String,
    /// The program and its version.
    pub program: String,
    /// How much work it takes at once.
    pub batch: Duration,
}

/// What a worker does at the moment.
#[derive(Clone, PartialEq, Debug)]
pub enum Activity {
    /// It evaluates positions: how many are done, of how many.
    Evaluating(usize, usize),
    /// There is nothing to do: why.
    Idle(String),
    /// The server cannot be reached, or refuses: why, and when it tries again.
    Retrying(String, Duration),
    /// It returns what is not finished.
    Stopping,
}

/// The state of a worker, for a line of status.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// What it does.
    pub activity: Activity,
    /// Positions in a second.
    pub speed: f64,
    /// Jobs that the server accepted.
    pub accepted: u64,
    /// Positions evaluated.
    pub positions: u64,
}

/// How a worker ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Jobs that the server accepted.
    pub accepted: u64,
    /// Positions evaluated.
    pub positions: u64,
    /// Jobs returned unfinished.
    pub returned: u64,
    /// Jobs that could not be returned, as the server did not answer: their leases expire.
    pub abandoned: u64,
}

/// Why a worker cannot work.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The server refuses it; a sentence.
    #[error("{0}")]
    Refused(String),
    /// The server speaks another version.
    #[error(
        "the server speaks version {0} of the protocol, this program version {VERSION}; use the \
         same version of the program"
    )]
    Version(u32),
    /// The game cannot be played here; a sentence.
    #[error("{0}")]
    Game(String),
    /// The experts fail at everything.
    #[error("the experts failed at all positions of a batch: {0}")]
    Experts(String),
}

type Result<T> = std::result::Result<T, WorkerError>;

/// A worker that has found a server.
#[derive(Debug)]
pub struct Worker<'a> {
    caller: Caller,
    settings: Settings,
    stop: &'a AtomicBool,
    backoff: Backoff,
    pace: Pace,
    summary: Summary,
}

/// A function that is told what the worker does.
pub type OnReport<'a> = &'a mut dyn FnMut(&Report);

impl<'a> Worker<'a> {
    /// A worker; nothing is sent yet.
    pub fn new(caller: Caller, settings: Settings, stop: &'a AtomicBool) -> Self {
        let pace = Pace::new(settings.batch);
        Worker {
            caller,
            settings,
            stop,
            backoff: Backoff::new(),
            pace,
            summary: Summary::default(),
        }
    }

    /// Asks the server for its game; waits until it answers. `None` if it was stopped. An answer
    /// that refuses the worker is an error: at the start it is most likely a wrong token.
    pub fn connect(&mut self, on_report: OnReport<'_>) -> Result<Option<Work>> {
        loop {
            let request = Acquire { worker: self.hello(), positions: 0 };
            match self.caller.call::<_, Work>("acquire", &request) {
                Ok(work) if work.protocol != VERSION => {
                    return Err(WorkerError::Version(work.protocol));
                }
                Ok(work) => {
                    self.backoff.reset();
                    return Ok(Some(work));
                }
                Err(CallError::Refused { detail, .. }) => return Err(WorkerError::Refused(detail)),
                Err(error) => {
                    if !self.pause(&error, on_report) {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Works until it is stopped; then what is unfinished is returned. Bounds are submitted with
    /// their proofs, where `prove` finds one.
    pub fn run<G: Game, E: Expert<G> + Send>(
        mut self,
        game: &G,
        experts: &mut [E],
        prove: &Prove<'_, G::Position>,
        on_report: OnReport<'_>,
    ) -> Result<Summary>
    where
        G::Position: Send,
    {
        self.pace.start_with(experts.len());
        std::thread::scope(|scope| {
            let pool = Pool::start(scope, experts, prove)
                .map_err(|error| WorkerError::Experts(error.to_string()))?;
            let outcome = self.work(game, &pool, on_report);
            pool.close();
            outcome
        })?;
        Ok(self.summary)
    }

    fn hello(&self) -> Hello {
        Hello {
            protocol: VERSION,
            name: self.settings.name.clone(),
            program: self.settings.program.clone(),
            speed: self.pace.speed(),
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    fn report(&self, activity: Activity, on_report: OnReport<'_>) {
        on_report(&Report {
            activity,
            speed: self.pace.speed(),
            accepted: self.summary.accepted,
            positions: self.summary.positions,
        });
    }

    fn work<G: Game>(
        &mut self,
        game: &G,
        pool: &Pool<G::Position>,
        on_report: OnReport<'_>,
    ) -> Result<()> {
        let mut results = Vec::new();
        let mut failures = 0;
        while !self.stopped() {
            let Some(work) = self.exchange(std::mem::take(&mut results), on_report)? else { break };
            if work.jobs.is_empty() {
                let why = work.idle.unwrap_or_else(|| "there are no jobs".to_owned());
                self.report(Activity::Idle(why), on_report);
                self.sleep(backoff::spread(Duration::from_millis(work.retry_ms)));
                continue;
            }
            let beat = Duration::from_millis(work.beat_ms.max(10));
            let batch = self.evaluate(game, pool, &work.jobs, beat, on_report);
            failures =
                if batch.done.is_empty() && batch.failure.is_some() { failures + 1 } else { 0 };
            results = batch.done;
            if !batch.undone.is_empty() {
                self.give_back(&batch.undone, on_report);
            }
            if let Some(failure) = batch.failure.filter(|_| failures >= 3) {
                return Err(WorkerError::Experts(failure));
            }
        }
        self.report(Activity::Stopping, on_report);
        self.hand_in(results);
        Ok(())
    }

    /// Submits results and gets more jobs; without results it only gets jobs. Tries until the
    /// server answers; `None` if it was stopped meanwhile.
    fn exchange(
        &mut self,
        mut results: Vec<JobResult>,
        on_report: OnReport<'_>,
    ) -> Result<Option<Work>> {
        loop {
            let positions = self.pace.batch();
            let answer: std::result::Result<Work, CallError> = if results.is_empty() {
                self.caller.call("acquire", &Acquire { worker: self.hello(), positions })
            } else {
                let submit = Submit { worker: self.hello(), results: results.clone(), positions };
                self.caller.call("submit", &submit)
            };
            match answer {
                Ok(work) => {
                    self.backoff.reset();
                    self.summary.accepted += accepted(&work);
                    return Ok(Some(work));
                }
                Err(CallError::Refused { status: 400 | 413, detail }) if !results.is_empty() => {
                    // Sent again it would be refused again.
                    let jobs: Vec<u64> = results.iter().map(|result| result.job).collect();
                    let why = format!("the server refused results: {detail}");
                    self.report(Activity::Retrying(why, Duration::ZERO), on_report);
                    results.clear();
                    self.give_back(&jobs, on_report);
                }
                Err(error) => {
                    if !self.pause(&error, on_report) {
                        // What is finished is not lost, if the server answers once more.
                        self.hand_in(results);
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Lets the experts evaluate the positions of jobs.
    fn evaluate<G: Game>(
        &mut self,
        game: &G,
        pool: &Pool<G::Position>,
        jobs: &[Assignment],
        beat: Duration,
        on_report: OnReport<'_>,
    ) -> Batch {
        let began = Instant::now();
        let mut batch = experts::begin(game, pool, jobs);
        let all = batch.open();
        let mut next_beat = began + beat;
        while batch.open() > 0 && !self.stopped() {
            batch.receive(pool, LOOK);
            self.report(Activity::Evaluating(all - batch.open(), all), on_report);
            if Instant::now() >= next_beat {
                next_beat = Instant::now() + beat;
                let ids = jobs.iter().map(|job| job.job).collect();
                // A heartbeat that fails is no reason to stop: late results count, too.
                let _ = self.beat(ids);
            }
        }
        let evaluated = all - batch.open();
        self.summary.positions += evaluated as u64;
        self.pace.note(evaluated, began.elapsed());
        pool.clear();
        batch.end()
    }

    fn beat(&self, jobs: Vec<u64>) -> std::result::Result<Held, CallError> {
        self.caller.call("beat", &Jobs { worker: self.hello(), jobs })
    }

    /// Returns jobs that are not done.
    fn give_back(&mut self, jobs: &[u64], on_report: OnReport<'_>) {
        if self.stopped() {
            self.report(Activity::Stopping, on_report);
        }
        let request = Jobs { worker: self.hello(), jobs: jobs.to_vec() };
        match self.caller.call::<_, Held>("abort", &request) {
            Ok(held) => self.summary.returned += held.jobs.len() as u64,
            Err(_) => self.summary.abandoned += jobs.len() as u64,
        }
    }

    /// Submits results without a request for more.
    fn hand_in(&mut self, results: Vec<JobResult>) {
        if results.is_empty() {
            return;
        }
        let count = results.len() as u64;
        let submit = Submit { worker: self.hello(), results, positions: 0 };
        match self.caller.call::<_, Work>("submit", &submit) {
            Ok(work) => self.summary.accepted += accepted(&work),
            Err(_) => self.summary.abandoned += count,
        }
    }

    /// Waits after a failure; whether to go on.
    fn pause(&mut self, error: &CallError, on_report: OnReport<'_>) -> bool {
        let pause = self.backoff.next(error.retry_after());
        self.report(Activity::Retrying(error.to_string(), pause), on_report);
        self.caller.next_server();
        self.sleep(pause);
        !self.stopped()
    }

    fn sleep(&self, time: Duration) {
        let until = Instant::now() + time;
        while !self.stopped() && Instant::now() < until {
            std::thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
    }
}

/// A batch that has ended.
struct Batch {
    done: Vec<JobResult>,
    undone: Vec<u64>,
    /// Why experts failed, if one did.
    failure: Option<String>,
}

fn accepted(work: &Work) -> u64 {
    let taken = work.taken.iter();
    taken.filter(|taken| taken.outcome == crate::protocol::Outcome::Accepted).count() as u64
}

/// Results of jobs by their ids, as they are collected.
type Values = HashMap<u64, Vec<crate::protocol::PositionValue>>;

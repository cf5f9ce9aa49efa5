//! Databases built on request, one set at a time, with progress events.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::response::sse::Event;
use futures_core::Stream;
use nutcracker_game::SliceId;
use nutcracker_retro::{Phase, Progress, SliceReport, SolveError, SolveOptions};
use serde::Serialize;
use tokio::time::{Interval, MissedTickBehavior};
use utoipa::ToSchema;

use crate::app::App;
use crate::explorer::{Explorer, ExplorerError};
use crate::problem::{Kind, Problem, chain};

/// Jobs remembered after they ended.
const REMEMBERED: usize = 20;
/// Interval between two progress events.
const TICK: Duration = Duration::from_millis(100);

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is running.
    Running,
    /// All its databases are finished.
    Done,
    /// It failed.
    Failed,
    /// It was cancelled; what it had finished is kept.
    Cancelled,
}

/// A database that a job has finished.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Finished {
    /// The name of the slice.
    pub slice: String,
    /// How many positions it has.
    pub positions: u64,
    /// Bytes of its file.
    pub bytes: u64,
    /// How many positions the side to move wins.
    pub won: u64,
    /// How many are drawn.
    pub drawn: u64,
    /// How many it loses.
    pub lost: u64,
}

/// Databases being built.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// The game.
    pub game: String,
    /// Its rule options in full.
    pub options: String,
    /// The metric of its databases.
    #[schema(example = "score")]
    pub metric: &'static str,
    /// The slices it builds, in the order of solving.
    pub slices: Vec<String>,
    /// Its state.
    pub state: State,
    /// The slice being solved.
    pub slice: Option<String>,
    /// The phase: exits, fixpoint, pack or verify.
    pub phase: Option<&'static str>,
    /// Positions done in this phase.
    pub done: u64,
    /// Positions of this phase.
    pub of: u64,
    /// Positions in databases that are finished.
    pub solved: u64,
    /// Positions in all databases of the job.
    pub total: u64,
    /// The databases finished so far.
    pub finished: Vec<Finished>,
    /// Why it failed.
    pub error: Option<String>,
}

/// All jobs.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<Vec<Entry>>);

/// A job, and the flag that ends it.
#[derive(Clone, Debug)]
struct Entry {
    job: Arc<Mutex<Job>>,
    stop: Arc<AtomicBool>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Jobs {
    /// All that are remembered, the newest last.
    pub fn all(&self) -> Vec<Job> {
        lock(&self.0).iter().map(|entry| lock(&entry.job).clone()).collect()
    }

    /// How many are running.
    pub fn running(&self) -> u64 {
        let jobs = lock(&self.0);
        jobs.iter().filter(|entry| lock(&entry.job).state == State::Running).count() as u64
    }

    fn get(&self, id: u64) -> Result<Entry, Problem> {
        let found = lock(&self.0).iter().find(|entry| lock(&entry.job).id == id).cloned();
        found.ok_or_else(|| Problem::new(Kind::NotFound, format!("there is no job {id}")))
    }

    /// One of them.
    pub fn find(&self, id: u64) -> Result<Job, Problem> {
        Ok(lock(&self.get(id)?.job).clone())
    }

    /// Requests that a job ends: it does so soon, and what it has finished is kept. Does nothing to
    /// a job that has ended.
    pub fn cancel(&self, id: u64) -> Result<Job, Problem> {
        let entry = self.get(id)?;
        entry.stop.store(true, Ordering::Relaxed);
        Ok(lock(&entry.job).clone())
    }

    /// Starts to build the databases of a game up to a slice, or to its small set, by a metric or by the
    /// one that the explorer goes by.
    pub fn start(
        &self,
        app: &App,
        game: Arc<Explorer>,
        up_to: Option<&str>,
        metric: Option<&str>,
    ) -> Result<Job, Problem> {
        let refused = |why: &str| Err(Problem::new(Kind::NotBuilding, why));
        let card = game.card()?;
        let metric = game.metric_named(metric)?;
        let selection = game.select(up_to)?;
        let last = selection.slices.last().map(|&last| game.slice_name(last));
        let named = up_to.map(ToOwned::to_owned).or(last).unwrap_or_default();
        let command = game.solve_command_for(&named, metric);
        if !app.config.builds {
            return refused(&format!("this server builds no databases; `{command}` makes them"));
        }
        if selection.positions > app.config.limits.build_positions {
            return refused(&format!(
                "that set is too large to be built from here; `{command}` makes it"
            ));
        }
        let mut jobs = lock(&self.0);
        if jobs.iter().any(|entry| lock(&entry.job).state == State::Running) {
            return refused("databases are being built already; wait for them");
        }
        let id = jobs.last().map_or(1, |entry| lock(&entry.job).id + 1);
        let job = Arc::new(Mutex::new(Job {
            id,
            game: card.name.to_owned(),
            options: card.options,
            metric: metric.name(),
            slices: selection.slices.iter().map(|&slice| game.slice_name(slice)).collect(),
            state: State::Running,
            slice: None,
            phase: None,
            done: 0,
            of: 0,
            solved: 0,
            total: selection.positions,
            finished: Vec::new(),
            error: None,
        }));
        if jobs.len() >= REMEMBERED {
            jobs.remove(0);
        }
        let stop = Arc::new(AtomicBool::new(false));
        jobs.push(Entry { job: Arc::clone(&job), stop: Arc::clone(&stop) });
        drop(jobs);
        let snapshot = lock(&job).clone();
        let options = options(&app.config.program);
        let spawned = std::thread::Builder::new().name("build".to_owned()).spawn(move || {
            let watched = Watched { job: &job, game: &game, stop: &stop };
            let build = || game.build(&selection, metric, &options, &watched);
            // A panic of the solver ends the job, not the server.
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(build));
            let mut job = lock(watched.job);
            (job.slice, job.phase) = (None, None);
            match outcome {
                Ok(Ok(())) => job.state = State::Done,
                Ok(Err(SolveError::Stopped(_))) => job.state = State::Cancelled,
                Ok(Err(error)) => {
                    tracing::error!(
                        job = job.id,
                        game = job.game,
                        "building failed: {}",
                        chain(&error)
                    );
                    job.state = State::Failed;
                    job.error = Some(error.to_string());
                }
                Err(_) => {
                    // The panic hook has logged the rest.
                    tracing::error!(job = job.id, game = job.game, "building panicked");
                    job.state = State::Failed;
                    job.error = Some("internal error, please report it".to_owned());
                }
            }
        });
        if let Err(error) = spawned {
            lock(&self.0).retain(|entry| lock(&entry.job).id != id);
            return Err(ExplorerError::System(error).into());
        }
        Ok(snapshot)
    }

    /// A stream of a job's progress, until it ends.
    pub fn watch(&self, app: Arc<App>, id: u64) -> Result<JobEvents, Problem> {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(JobEvents { app, job: self.get(id)?.job, ticks, sent: None })
    }
}

/// How to build while serving: one core is left for requests.
fn options(program: &str) -> SolveOptions {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let memory = nutcracker_mem::available_memory().map_or(u64::MAX, |free| free / 2);
    SolveOptions { memory, ..SolveOptions::new(cores.saturating_sub(1).max(1), program) }
}

/// Writes the progress of a build into its job.
struct Watched<'a> {
    job: &'a Mutex<Job>,
    game: &'a Explorer,
    stop: &'a AtomicBool,
}

impl Progress for Watched<'_> {
    fn slice(&self, slice: SliceId, _: u64) {
        let mut job = lock(self.job);
        (job.slice, job.phase) = (Some(self.game.slice_name(slice)), None);
    }

    fn begin(&self, phase: Phase, positions: u64) {
        let name = match phase {
            Phase::Exits => "exits",
            Phase::Fixpoint => "fixpoint",
            Phase::Pack => "pack",
            Phase::Verify => "verify",
        };
        let mut job = lock(self.job);
        (job.phase, job.done, job.of) = (Some(name), 0, positions);
    }

    fn advance(&self, done: u64) {
        let mut job = lock(self.job);
        job.done = done.max(job.done);
    }

    fn finished(&self, report: &SliceReport) {
        let mut job = lock(self.job);
        // The total counts holes, too.
        job.solved += self.game.selection(vec![report.slice]).positions;
        job.finished.push(Finished {
            slice: self.game.slice_name(report.slice),
            positions: report.positions,
            bytes: report.bytes,
            won: report.histogram.wins(),
            drawn: report.histogram.draws(),
            lost: report.histogram.losses(),
        });
    }

    fn must_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The progress of a job, as events with the whole [`Job`] each.
#[derive(Debug)]
pub struct JobEvents {
    app: Arc<App>,
    job: Arc<Mutex<Job>>,
    ticks: Interval,
    sent: Option<Job>,
}

impl Stream for JobEvents {
    type Item = Result<Event, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            let ended = this.sent.as_ref().is_some_and(|job| job.state != State::Running);
            if ended || this.app.is_closing() {
                return Poll::Ready(None);
            }
            ready!(this.ticks.poll_tick(context));
            let now = lock(&this.job).clone();
            if this.sent.as_ref() != Some(&now) {
                let event = Event::default().event("job").json_data(&now);
                this.sent = Some(now);
                return Poll::Ready(Some(event));
            }
        }
    }
}

//! The loop that grows a book: propose leaves, let experts evaluate their successors, apply the
//! values.
//!
//! Experts run in threads of their own and never hold the book; results are applied in the order in
//! which they arrive.

use std::borrow::BorrowMut;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nutcracker_game::Game;
use nutcracker_search::Worth;

use crate::book::Book;
use crate::error::{BookError, Result};
use crate::expert::Expert;
use crate::facts::{Aim, Facts, TuningChange};
use crate::jobs::{Job, JobId};
use crate::node::NodeId;
use crate::store::Store;
use crate::strategy::Strategy;
use crate::value::Value;

/// After an expert has taken this long, its values are written at once.
const COMMIT_AT_ONCE_FROM: Duration = Duration::from_millis(100);
/// While experts work, pending changes are written with this delay.
const COMMIT_INTERVAL: Duration = Duration::from_millis(50);
/// A single expert that took less than this for the last leaf is called without a thread.
const INLINE_BELOW: Duration = Duration::from_millis(1);
/// A position is given to experts this often before its leaf is set aside.
const ATTEMPTS: u32 = 2;
/// An expert that fails this often in a row gets no more positions.
const FAILURES: u32 = 3;
/// For each expert, leaves that were set aside are tried again this often when nothing else is left.
const RETRIES: usize = 3;

/// How a book is grown.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// Strategies with their weights.
    pub mix: Vec<(Strategy, f64)>,
    /// Parameters of costs that are to change before it begins.
    pub tuning: TuningChange,
    /// Expansions after which it ends.
    pub expansions: Option<u64>,
    /// Nodes in the book at which it ends.
    pub nodes: Option<u64>,
    /// Time after which it ends.
    pub time: Option<Duration>,
    /// It ends soon after this becomes true.
    pub stop: Option<&'a AtomicBool>,
}

impl Plan<'_> {
    /// One strategy, without end.
    pub fn new(strategy: Strategy) -> Self {
        Plan {
            mix: vec![(strategy, 1.0)],
            tuning: TuningChange::default(),
            expansions: None,
            nodes: None,
            time: None,
            stop: None,
        }
    }
}

/// Why growth ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All start positions are solved, and nothing is left to expand.
    Solved,
    /// The limit of the plan is reached.
    Planned,
    /// No open leaf is left that the aim of the book needs.
    Exhausted,
    /// It was stopped.
    Stopped,
}

/// The progress.
#[derive(Clone, Copy, Debug)]
pub struct Status<'a> {
    /// Facts about the whole book.
    pub facts: &'a Facts,
    /// The value of the start position.
    pub value: Value,
    /// Expansions of this run.
    pub expansions: u64,
}

/// A book that others may use while it grows.
pub trait SharedBook<G: Game, S: Store> {
    /// Does something with the book, when nothing else uses it.
    fn with<T>(&self, work: impl FnOnce(&mut Book<G, S>) -> T) -> T;
}

impl<G: Game, S: Store, B: BorrowMut<Book<G, S>>> SharedBook<G, S> for Mutex<B> {
    fn with<T>(&self, work: impl FnOnce(&mut Book<G, S>) -> T) -> T {
        work((*lock(self)).borrow_mut())
    }
}

/// A panic while a lock was held has been reported as an error.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<G: Game, S: Store> Book<G, S> {
    /// [Grows](grow) a book that nothing else uses.
    pub fn grow<E: Expert<G> + Send>(
        &mut self,
        experts: &mut [E],
        plan: &Plan<'_>,
        on_status: &mut dyn FnMut(&Status<'_>),
    ) -> Result<Ended> {
        grow(&Mutex::new(self), experts, plan, on_status)
    }

    /// [Expands](expand) leaves of a book that nothing else uses.
    pub fn expand_all<E: Expert<G> + Send>(
        &mut self,
        leaves: &[NodeId],
        experts: &mut [E],
    ) -> Result<u64> {
        expand(&Mutex::new(self), leaves, experts)
    }
}

/// Expands leaves, after experts have evaluated all new positions; leaves that are claimed stay as
/// they are. Returns how many were expanded. It is an error if experts fail at one of them.
pub fn expand<G: Game, S: Store, E: Expert<G> + Send>(
    book: &impl SharedBook<G, S>,
    leaves: &[NodeId],
    experts: &mut [E],
) -> Result<u64> {
    let mut jobs = VecDeque::new();
    for &leaf in leaves {
        jobs.extend(book.with(|book| book.claim(leaf))?);
    }
    if jobs.is_empty() {
        return Ok(0);
    }
    let plan = Plan::new(Strategy::BestFirst);
    let mut growth = Growth::new(book, &plan, experts.len());
    (growth.given, growth.only_given) = (jobs, true);
    growth.run(experts, &mut |_| ())?;
    match growth.failure.take() {
        Some(error) => Err(error),
        None => Ok(growth.expansions),
    }
}

/// Grows a book by a plan, with one thread for each expert; at the end all changes are committed.
///
/// As many leaves are expanded at once as there are experts; with one expert, one after the other.
/// A position that an expert fails to evaluate is given to an expert once more, then its leaf is
/// set aside until nothing else is left; an expert that fails repeatedly gets no more positions. It
/// is an error if no expert is left, or nothing but leaves at which all of them fail.
pub fn grow<G: Game, S: Store, E: Expert<G> + Send>(
    book: &impl SharedBook<G, S>,
    experts: &mut [E],
    plan: &Plan<'_>,
    on_status: &mut dyn FnMut(&Status<'_>),
) -> Result<Ended> {
    book.with(|book| book.tune(plan.tuning.of(book.facts().tuning)))?;
    let outcome = Growth::new(book, plan, experts.len()).run(experts, on_status);
    // What was found before a failure is kept.
    book.with(Book::commit)?;
    outcome
}

/// A position to be evaluated.
struct Task<P> {
    job: JobId,
    key: String,
    position: P,
    attempts: u32,
}

/// What an expert said of a position, and how long it took.
struct Answer<P> {
    task: Task<P>,
    worth: Result<Worth>,
    took: Duration,
    /// The expert gets no more positions.
    given_up: bool,
}

/// Positions that wait for an expert.
struct Queue<P> {
    tasks: Mutex<(VecDeque<Task<P>>, bool)>,
    changed: Condvar,
}

impl<P> Queue<P> {
    fn new() -> Self {
        Queue { tasks: Mutex::new((VecDeque::new(), false)), changed: Condvar::new() }
    }

    fn put(&self, task: Task<P>) {
        lock(&self.tasks).0.push_back(task);
        self.changed.notify_one();
    }

    /// The next position; waits for one. `None` after the queue was closed.
    fn take(&self) -> Option<Task<P>> {
        let mut tasks = lock(&self.tasks);
        loop {
            if tasks.1 {
                return None;
            }
            if let Some(task) = tasks.0.pop_front() {
                return Some(task);
            }
            tasks = self.changed.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) {
        lock(&self.tasks).1 = true;
        self.changed.notify_all();
    }
}

/// A job whose positions are being evaluated.
#[derive(Default)]
struct Pending {
    values: HashMap<String, Worth>,
    missing: usize,
    /// The longest evaluation.
    took: Duration,
}

/// A growing book.
struct Growth<'a, G: Game, B> {
    book: &'a B,
    plan: &'a Plan<'a>,
    turns: Turns,
    /// Leaves expanded at once.
    at_once: usize,
    began: Instant,
    /// Expansions of this run.
    expansions: u64,
    pending: HashMap<JobId, Pending>,
    /// Jobs that come before all choices.
    given: VecDeque<Job<G::Position>>,
    /// Nothing else is chosen.
    only_given: bool,
    /// Jobs that experts failed to do, and why the last one failed.
    failed: Vec<JobId>,
    failure: Option<BookError>,
    /// How often such jobs are tried again when nothing else is left, before growth ends.
    retries: usize,
    /// How long the last leaf took.
    took: Duration,
}

impl<'a, G: Game, B> Growth<'a, G, B> {
    fn new(book: &'a B, plan: &'a Plan<'a>, experts: usize) -> Self {
        Growth {
            book,
            plan,
            turns: Turns::new(&plan.mix),
            at_once: experts,
            began: Instant::now(),
            expansions: 0,
            pending: HashMap::new(),
            given: VecDeque::new(),
            only_given: false,
            failed: Vec::new(),
            failure: None,
            retries: RETRIES * experts,
            took: Duration::ZERO,
        }
    }

    fn run<S: Store, E: Expert<G> + Send>(
        &mut self,
        experts: &mut [E],
        on_status: &mut dyn FnMut(&Status<'_>),
    ) -> Result<Ended>
    where
        B: SharedBook<G, S>,
    {
        if experts.is_empty() {
            let claimed: Vec<JobId> = self.given.drain(..).map(|job| job.id).collect();
            self.book.with(|book| claimed.into_iter().try_for_each(|id| book.abandon(id)))?;
            return Err(BookError::Expert("there is no expert".to_owned()));
        }
        let (queue, (sender, answers)) = (Queue::new(), mpsc::channel());
        let experts: Vec<Mutex<&mut E>> = experts.iter_mut().map(Mutex::new).collect();
        let outcome = std::thread::scope(|scope| {
            for expert in &experts {
                let (queue, sender) = (&queue, sender.clone());
                let work = move || {
                    let mut failures = 0;
                    while failures < FAILURES
                        && let Some(task) = queue.take()
                    {
                        let began = Instant::now();
                        let worth = evaluate::<G, E>(&mut lock(expert), &task.position);
                        failures = if worth.is_ok() { 0 } else { failures + 1 };
                        let (took, given_up) = (began.elapsed(), failures == FAILURES);
                        if sender.send(Answer { task, worth, took, given_up }).is_err() {
                            return;
                        }
                    }
                };
                let started = std::thread::Builder::new().spawn_scoped(scope, work);
                if let Err(error) = started {
                    queue.close();
                    return Err(BookError::Expert(format!("cannot start a thread: {error}")));
                }
            }
            let outcome = self.steps(&experts, &queue, &answers, on_status);
            queue.close();
            outcome
        });
        let pending = self.pending.drain().map(|(id, _)| id);
        let given = self.given.drain(..).map(|job| job.id);
        let unfinished: Vec<JobId> = pending.chain(given).chain(self.failed.drain(..)).collect();
        self.book.with(|book| unfinished.into_iter().try_for_each(|id| book.abandon(id)))?;
        outcome
    }

    fn steps<S: Store, E: Expert<G> + Send>(
        &mut self,
        experts: &[Mutex<&mut E>],
        queue: &Queue<G::Position>,
        answers: &mpsc::Receiver<Answer<G::Position>>,
        on_status: &mut dyn FnMut(&Status<'_>),
    ) -> Result<Ended>
    where
        B: SharedBook<G, S>,
    {
        let mut left = experts.len();
        loop {
            if self.pending.len() < self.at_once.max(1) {
                let most = self.at_once.max(1) - self.pending.len();
                let book = self.book;
                let jobs = match book.with(|book| self.next(book, most, on_status))? {
                    Next::Jobs(jobs) => jobs,
                    Next::End(ended) => return Ok(ended),
                };
                for job in jobs {
                    let quick = experts.len() == 1 && self.took < INLINE_BELOW;
                    match experts {
                        [expert] if quick && self.inline::<E>(&mut lock(expert), &job) => {
                            self.apply(job.id)?;
                        }
                        _ => self.enqueue(job, queue)?,
                    }
                }
                if self.pending.is_empty() {
                    continue;
                }
            }
            match answers.recv_timeout(COMMIT_INTERVAL) {
                Ok(answer) => {
                    left -= usize::from(answer.given_up);
                    self.receive(answer, queue, left)?;
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.book.with(Book::commit_if_due)?;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(BookError::Expert("there is no expert".to_owned()));
                }
            }
        }
    }

    /// What to do when there is room for `most` more jobs.
    fn next<S: Store>(
        &mut self,
        book: &mut Book<G, S>,
        most: usize,
        on_status: &mut dyn FnMut(&Status<'_>),
    ) -> Result<Next<G::Position>> {
        if !self.given.is_empty() {
            let count = most.min(self.given.len());
            return Ok(Next::Jobs(self.given.drain(..count).collect()));
        }
        if self.only_given {
            let over = self.pending.is_empty();
            return Ok(if over { Next::End(Ended::Planned) } else { Next::Jobs(Vec::new()) });
        }
        let value = book.root_value()?;
        let plan = self.plan;
        on_status(&Status { facts: book.facts(), value, expansions: self.expansions });
        if book.facts().tuning.aim == Aim::Solve && book.is_solved()? {
            return Ok(Next::End(Ended::Solved));
        }
        if plan.stop.is_some_and(|stop| stop.load(Relaxed)) {
            return Ok(Next::End(Ended::Stopped));
        }
        let full = plan.nodes.is_some_and(|most| book.facts().nodes >= most);
        let late = plan.time.is_some_and(|time| self.began.elapsed() >= time);
        let left = plan.expansions.map_or(u64::MAX, |most| most.saturating_sub(self.expansions));
        if left == 0 || full || late {
            return Ok(Next::End(Ended::Planned));
        }
        let left = left.saturating_sub(self.pending.len() as u64);
        let count = (most as u64).min(left) as usize;
        let mut jobs = book.propose(self.turns.next(), count)?;
        if jobs.is_empty() && self.pending.is_empty() && !self.failed.is_empty() {
            // Whoever failed at them may have been given up meanwhile.
            if self.retries == 0 {
                let none = || BookError::Expert("no expert has a value".to_owned());
                return Err(self.failure.take().unwrap_or_else(none));
            }
            self.retries -= 1;
            self.failed.drain(..).try_for_each(|id| book.abandon(id))?;
            jobs = book.propose(self.turns.next(), count)?;
        }
        if jobs.is_empty() && self.pending.is_empty() {
            // A book that seems finished may depend on cycles that have not been searched for.
            book.find_cycles()?;
            jobs = book.propose(self.turns.next(), count)?;
            if jobs.is_empty() {
                let solved = book.is_solved()?;
                return Ok(Next::End(if solved { Ended::Solved } else { Ended::Exhausted }));
            }
        }
        Ok(Next::Jobs(jobs))
    }

    /// Evaluates the positions of a job in this thread; returns false if the expert failed.
    fn inline<E: Expert<G>>(&mut self, expert: &mut E, job: &Job<G::Position>) -> bool {
        let began = Instant::now();
        let mut values = HashMap::with_capacity(job.wanted.len());
        for (key, position) in &job.wanted {
            let Ok(worth) = evaluate::<G, E>(expert, position) else { return false };
            values.insert(key.clone(), worth);
        }
        let took = began.elapsed();
        self.pending.insert(job.id, Pending { values, missing: 0, took });
        true
    }

    fn enqueue<S: Store>(&mut self, job: Job<G::Position>, queue: &Queue<G::Position>) -> Result<()>
    where
        B: SharedBook<G, S>,
    {
        let missing = job.wanted.len();
        self.pending.insert(job.id, Pending { missing, ..Pending::default() });
        if missing == 0 {
            return self.apply(job.id);
        }
        for (key, position) in job.wanted {
            queue.put(Task { job: job.id, key, position, attempts: 0 });
        }
        Ok(())
    }

    /// Takes the answer of an expert; `left` experts still work.
    fn receive<S: Store>(
        &mut self,
        answer: Answer<G::Position>,
        queue: &Queue<G::Position>,
        left: usize,
    ) -> Result<()>
    where
        B: SharedBook<G, S>,
    {
        let Answer { mut task, worth, took, .. } = answer;
        let job = task.job;
        let Some(pending) = self.pending.get_mut(&job) else { return Ok(()) };
        match worth {
            Ok(worth) => {
                pending.values.insert(task.key, worth);
                pending.missing -= 1;
                pending.took = pending.took.max(took);
                if pending.missing == 0 { self.apply(job) } else { Ok(()) }
            }
            Err(error) if left == 0 => Err(error),
            Err(error) => {
                task.attempts += 1;
                if task.attempts < ATTEMPTS {
                    queue.put(task);
                } else {
                    // Set aside, still claimed: it would be proposed again at once.
                    self.pending.remove(&job);
                    self.failed.push(job);
                    self.failure = Some(error);
                }
                Ok(())
            }
        }
    }

    /// Applies a job whose positions are all evaluated.
    fn apply<S: Store>(&mut self, job: JobId) -> Result<()>
    where
        B: SharedBook<G, S>,
    {
        let Some(Pending { values, took, .. }) = self.pending.remove(&job) else { return Ok(()) };
        self.took = took;
        self.expansions += 1;
        self.book.with(|book| {
            book.apply(job, &values)?;
            if took >= COMMIT_AT_ONCE_FROM {
                book.commit()?;
            } else {
                book.commit_if_due()?;
            }
            if book.cycles_are_due() {
                book.find_cycles()?;
            }
            Ok(())
        })
    }
}

/// What comes next.
enum Next<P> {
    Jobs(Vec<Job<P>>),
    End(Ended),
}

/// The value of a position; a panic of the expert is an error.
pub(crate) fn evaluate<G: Game, E: Expert<G>>(
    expert: &mut E,
    position: &G::Position,
) -> Result<Worth> {
    catch_unwind(AssertUnwindSafe(|| expert.evaluate(position)))
        .unwrap_or_else(|_| Err(BookError::Expert("it panicked".to_owned())))
}

/// Takes strategies in turn, in proportion to their weights.
#[derive(Clone, Debug)]
pub struct Turns {
    mix: Vec<(Strategy, f64)>,
    credit: Vec<f64>,
}

impl Turns {
    /// Strategies with their weights.
    pub fn new(mix: &[(Strategy, f64)]) -> Self {
        Turns { mix: mix.to_vec(), credit: vec![0.0; mix.len()] }
    }

    /// The strategy of the next choice.
    #[expect(clippy::should_implement_trait, reason = "it never ends, and is no iterator")]
    pub fn next(&mut self) -> Strategy {
        let total: f64 = self.mix.iter().map(|(_, share)| share).sum();
        for (credit, (_, share)) in self.credit.iter_mut().zip(&self.mix) {
            *credit += share;
        }
        let most = self.credit.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        match most.map(|(at, _)| at) {
            Some(at) => {
                self.credit[at] -= total;
                self.mix[at].0
            }
            None => Strategy::BestFirst,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

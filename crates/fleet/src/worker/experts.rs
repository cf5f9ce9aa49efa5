//! Experts in threads of their own, and the batch that they evaluate.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Duration;

use nutcracker_book::expert::Expert;
use nutcracker_game::{Game, Situation};
use nutcracker_search::Worth;

use super::proofs::{Prove, Room};
use super::{Batch, Values};
use crate::protocol::{Assignment, JobResult, PositionValue};

/// A position is given to experts this often.
const ATTEMPTS: u32 = 2;

/// A position to be evaluated.
pub(super) struct Task<P> {
    /// The batch: answers to earlier ones are not wanted any more.
    batch: u64,
    job: u64,
    text: String,
    situation: Situation<P>,
    attempts: u32,
}

struct Answer<P> {
    task: Task<P>,
    /// The value, and a proof of its bounds.
    said: Result<(Worth, Option<String>), String>,
}

struct Queue<P> {
    tasks: VecDeque<Task<P>>,
    closed: bool,
}

/// The threads.
pub(super) struct Pool<P> {
    queue: Arc<(Mutex<Queue<P>>, Condvar)>,
    answers: Receiver<Answer<P>>,
    /// The number of the batch.
    batch: std::cell::Cell<u64>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Send> Pool<P> {
    /// Starts a thread for each expert; they end when the pool is closed.
    pub fn start<'scope, 'env, G, E>(
        scope: &'scope Scope<'scope, 'env>,
        experts: &'scope mut [E],
        prove: &'scope Prove<'_, P>,
    ) -> std::io::Result<Self>
    where
        G: Game<Position = P>,
        E: Expert<G> + Send,
        P: 'scope,
    {
        let queue = Queue { tasks: VecDeque::new(), closed: false };
        let queue = Arc::new((Mutex::new(queue), Condvar::new()));
        let (sender, answers) = mpsc::channel();
        let pool = Pool { queue, answers, batch: std::cell::Cell::new(0) };
        for expert in experts {
            let (queue, sender) = (Arc::clone(&pool.queue), sender.clone());
            let work = move || evaluate_all::<G, E>(expert, prove, &queue, &sender);
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
                pool.close();
                return Err(error);
            }
        }
        Ok(pool)
    }
}

impl<P> Pool<P> {
    fn put(&self, task: Task<P>) {
        lock(&self.queue.0).tasks.push_back(task);
        self.queue.1.notify_one();
    }

    /// Drops what no expert has begun.
    pub fn clear(&self) {
        lock(&self.queue.0).tasks.clear();
    }

    /// Lets the threads end.
    pub fn close(&self) {
        let mut queue = lock(&self.queue.0);
        queue.tasks.clear();
        queue.closed = true;
        self.queue.1.notify_all();
    }
}

/// The life of an expert's thread.
fn evaluate_all<G: Game, E: Expert<G>>(
    expert: &mut E,
    prove: &Prove<'_, G::Position>,
    queue: &(Mutex<Queue<G::Position>>, Condvar),
    answers: &Sender<Answer<G::Position>>,
) {
    loop {
        let task = {
            let mut waiting = lock(&queue.0);
            loop {
                if waiting.closed {
                    return;
                }
                if let Some(task) = waiting.tasks.pop_front() {
                    break task;
                }
                waiting = queue.1.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let said = catch_unwind(AssertUnwindSafe(|| {
            let worth = expert.evaluate(&task.situation.position);
            worth.map(|worth| (worth, prove(&task.situation, &worth)))
        }));
        let said = match said {
            Ok(said) => said.map_err(|error| error.to_string()),
            Err(_) => Err("it panicked".to_owned()),
        };
        if answers.send(Answer { task, said }).is_err() {
            return;
        }
    }
}

/// The jobs that are evaluated.
pub(super) struct Running {
    batch: u64,
    /// Jobs with the number of positions that are missing.
    missing: Vec<(u64, usize)>,
    values: Values,
    /// What is left for proofs.
    room: Room,
    open: usize,
    failed: Vec<u64>,
    failure: Option<String>,
}

/// Gives the positions of jobs to the experts.
pub(super) fn begin<G: Game>(game: &G, pool: &Pool<G::Position>, jobs: &[Assignment]) -> Running {
    let batch = pool.batch.get() + 1;
    pool.batch.set(batch);
    let mut running = Running {
        batch,
        missing: Vec::new(),
        values: Values::new(),
        room: Room::default(),
        open: 0,
        failed: Vec::new(),
        failure: None,
    };
    for job in jobs {
        running.missing.push((job.job, job.positions.len()));
        for text in &job.positions {
            let situation = match game.parse(text) {
                Ok(situation) => situation,
                Err(error) => {
                    running.fail(job.job, format!("the position {text:?} is not one: {error}"));
                    continue;
                }
            };
            if let Some(score) = game.outcome(&situation.position) {
                // A game that is over has its score by the rules.
                running.take(job.job, text.clone(), Worth::exact(score), None);
                continue;
            }
            running.open += 1;
            let (job, text) = (job.job, text.clone());
            pool.put(Task { batch, job, text, situation, attempts: 0 });
        }
    }
    running
}

impl Running {
    /// Positions that are not evaluated yet.
    pub fn open(&self) -> usize {
        self.open
    }

    fn take(&mut self, job: u64, position: String, worth: Worth, proof: Option<String>) {
        let proof = self.room.take(proof);
        let points = |hundredths: i32| f64::from(hundredths) / 100.0;
        self.values.entry(job).or_default().push(PositionValue {
            position,
            guess: (!worth.is_exact()).then(|| points(worth.hundredths())),
            lower: worth.lower,
            upper: worth.upper,
            proof,
        });
    }

    fn fail(&mut self, job: u64, why: String) {
        self.failed.push(job);
        self.failure = Some(why);
    }

    /// Waits for answers, and takes all there are.
    pub fn receive<P>(&mut self, pool: &Pool<P>, most: Duration) {
        let mut next = pool.answers.recv_timeout(most).ok();
        while let Some(Answer { mut task, said }) = next {
            if task.batch == self.batch {
                match said {
                    Ok((worth, proof)) => {
                        self.open -= 1;
                        self.take(task.job, task.text, worth, proof);
                    }
                    Err(_) if task.attempts + 1 < ATTEMPTS => {
                        task.attempts += 1;
                        pool.put(task);
                    }
                    Err(why) => {
                        self.open -= 1;
                        self.fail(task.job, why);
                    }
                }
            }
            next = pool.answers.try_recv().ok();
        }
    }

    /// The jobs that are complete, and those that are not.
    pub fn end(mut self) -> Batch {
        let (mut done, mut undone) = (Vec::new(), Vec::new());
        for (job, positions) in self.missing {
            let values = self.values.remove(&job).unwrap_or_default();
            if values.len() == positions && !self.failed.contains(&job) {
                done.push(JobResult { job, values });
            } else {
                undone.push(job);
            }
        }
        Batch { done, undone, failure: self.failure }
    }
}

//! When a search must end: by the clock, by a stop from outside, or later.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nutcracker_game::Side;

use crate::clock::Allotment;
use crate::grammar::Go;

/// The end of one search, shared between the thread that searches and those that wait.
///
/// ```
/// use nutcracker_engine::Pace;
/// use nutcracker_engine::grammar::Go;
/// use nutcracker_game::Side;
///
/// let pace = Pace::new(&Go { infinite: true, ..Go::default() }, Side::First);
/// assert!(!pace.is_over());
/// pace.stop();
/// assert!(pace.is_over());
/// ```
#[derive(Debug)]
pub struct Pace {
    stop: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// When the engine's own clock started.
    since: Instant,
    plan: Option<Allotment>,
    answer: AnswerWhen,
    /// The search has finished by itself.
    finished: bool,
}

/// When the answer is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AnswerWhen {
    /// As soon as it is available.
    Soon,
    /// Not before a stop.
    OnStop,
    /// Not before the expected move was played, or a stop.
    OnHit,
}

impl Pace {
    /// The pace that a `go` command sets for the player of `side`.
    pub fn new(go: &Go, side: Side) -> Self {
        let state = State {
            since: Instant::now(),
            plan: Allotment::of(go, side),
            answer: match (go.ponder, go.infinite) {
                (true, _) => AnswerWhen::OnHit,
                (false, true) => AnswerWhen::OnStop,
                _ => AnswerWhen::Soon,
            },
            finished: false,
        };
        Pace { stop: AtomicBool::new(false), state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No invariant spans a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Becomes true when the search must end at once.
    pub fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Stops the search.
    pub fn stop(&self) {
        let state = self.state();
        self.stop.store(true, Relaxed);
        // A thread that read the flag before it was set is waiting by now.
        drop(state);
        self.changed.notify_all();
    }

    /// The expected move was played: the clock starts.
    pub fn ponder_hit(&self) {
        let mut state = self.state();
        if state.answer == AnswerWhen::OnHit {
            state.answer = AnswerWhen::Soon;
            state.since = Instant::now();
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Whether the engine's own clock has not started.
    pub fn is_pondering(&self) -> bool {
        self.state().answer == AnswerWhen::OnHit
    }

    /// Whether the search must end at once.
    pub fn is_over(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether it is too late to start another, longer search.
    pub fn is_late(&self) -> bool {
        let state = self.state();
        // Another iteration takes as long as all before it, or longer.
        let late = |plan: Allotment| state.since.elapsed() * 2 > plan.soft;
        self.is_over() || state.answer == AnswerWhen::Soon && state.plan.is_some_and(late)
    }

    /// Waits for a search and ends it when its time is up; returns when it has ended.
    fn watch(&self) {
        let mut state = self.state();
        while !self.is_over() && !state.finished {
            let left = match state.plan {
                Some(plan) if state.answer == AnswerWhen::Soon => {
                    plan.hard.checked_sub(state.since.elapsed())
                }
                _ => Some(Duration::MAX),
            };
            let Some(left) = left else {
                drop(state);
                self.stop();
                return;
            };
            // Longer waits are split.
            let left = left.min(Duration::from_hours(1));
            state = match self.changed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    /// Searches until the search ends or its time is up.
    pub fn during<T>(&self, think: impl FnOnce() -> T) -> T {
        let timed = {
            let state = self.state();
            state.plan.is_some() || state.answer == AnswerWhen::OnHit
        };
        if !timed {
            return think();
        }
        std::thread::scope(|scope| {
            // Without a thread that watches the clock, the first answer has to suffice.
            if std::thread::Builder::new().spawn_scoped(scope, || self.watch()).is_err() {
                self.stop();
            }
            // The watch ends even if the search panics.
            let _end = Finish(self);
            think()
        })
    }

    /// Waits until the answer is due.
    pub fn hold(&self) {
        let mut state = self.state();
        while state.answer != AnswerWhen::Soon && !self.is_over() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct Finish<'a>(&'a Pace);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.state().finished = true;
        self.0.changed.notify_all();
    }
}

//! When a search must end: by the clock, by a stop from outside, or later.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nutcracker_game::Side;

use crate::{Allotment, AnswerWhen, MoveLimits};

/// The end of one search, shared between the thread that searches and those that wait.
///
/// ```
/// use nutcracker_engine::{MoveLimits, Pace};
/// use nutcracker_game::Side;
///
/// let pace = Pace::new(&MoveLimits::depth(20), Side::First);
/// assert!(!pace.is_over());
/// pace.stop();
/// assert!(pace.is_over());
/// ```
#[derive(Debug)]
pub struct Pace {
    stop: AtomicBool,
    /// The time planned, where a clock runs; it counts once the engine's own clock has started.
    plan: Option<Allotment>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// When the engine's own clock started.
    since: Instant,
    answer: AnswerWhen,
    /// The search has finished by itself.
    finished: bool,
}

impl Pace {
    /// The pace that these limits set for the player of `side`.
    pub fn new(limits: &MoveLimits, side: Side) -> Self {
        Pace {
            stop: AtomicBool::new(false),
            plan: Allotment::of(limits, side),
            state: Mutex::new(State {
                since: Instant::now(),
                answer: limits.answer,
                finished: false,
            }),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No invariant spans a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time planned for the move; `None` where no clock runs.
    pub fn plan(&self) -> Option<Allotment> {
        self.plan
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
        if state.answer == AnswerWhen::PonderHit {
            state.answer = AnswerWhen::Ready;
            state.since = Instant::now();
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Whether the engine's own clock has not started.
    pub fn is_pondering(&self) -> bool {
        self.state().answer == AnswerWhen::PonderHit
    }

    /// Whether the search must end at once.
    pub fn is_over(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether it is too late to start another, longer search, with the planned time multiplied by
    /// `factor`. A time that is for this move alone is used whatever the factor.
    pub fn is_late(&self, factor: f64) -> bool {
        let state = self.state();
        let late = |plan: Allotment| {
            let factor = if plan.soft < plan.hard { factor } else { 1.0 };
            state.since.elapsed() >= plan.soft.mul_f64(factor).min(plan.hard)
        };
        self.is_over() || state.answer == AnswerWhen::Ready && self.plan.is_some_and(late)
    }

    /// Waits for a search and ends it when its time is up; returns when it has ended.
    fn watch(&self) {
        let mut state = self.state();
        while !self.is_over() && !state.finished {
            let left = match self.plan {
                Some(plan) if state.answer == AnswerWhen::Ready => {
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
        if self.plan.is_none() && !self.is_pondering() {
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
        while state.answer != AnswerWhen::Ready && !self.is_over() {
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

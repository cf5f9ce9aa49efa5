//! When a player is to end a thought: by the clock, by a word from outside, or later.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nutcracker_game::Side;

use crate::clock::Allotment;
use crate::grammar::Go;

/// The end of one thought, shared between who thinks and who waits.
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
    /// When the own clock began to run.
    since: Instant,
    plan: Option<Allotment>,
    wanted: Wanted,
    /// The thought has ended by itself.
    finished: bool,
}

/// When the answer is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    /// As soon as it is there.
    Soon,
    /// Not before somebody ends the thought.
    OnStop,
    /// Not before the expected move was played, or somebody ends the thought.
    OnHit,
}

impl Pace {
    /// The pace that a `go` line sets for the player of `side`.
    pub fn new(go: &Go, side: Side) -> Self {
        let state = State {
            since: Instant::now(),
            plan: Allotment::of(go, side),
            wanted: match (go.ponder, go.infinite) {
                (true, _) => Wanted::OnHit,
                (false, true) => Wanted::OnStop,
                _ => Wanted::Soon,
            },
            finished: false,
        };
        Pace { stop: AtomicBool::new(false), state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No invariant spans a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Becomes true when the thought must end at once.
    pub fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Ends the thought.
    pub fn stop(&self) {
        let state = self.state();
        self.stop.store(true, Relaxed);
        // Whoever looked before the flag was set is waiting by now.
        drop(state);
        self.changed.notify_all();
    }

    /// The expected move was played: the clock begins to run.
    pub fn ponder_hit(&self) {
        let mut state = self.state();
        if state.wanted == Wanted::OnHit {
            state.wanted = Wanted::Soon;
            state.since = Instant::now();
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Whether the own clock has not begun to run.
    pub fn is_pondering(&self) -> bool {
        self.state().wanted == Wanted::OnHit
    }

    /// Whether the thought must end at once.
    pub fn is_over(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether it is too late to begin another, longer search.
    pub fn is_late(&self) -> bool {
        let state = self.state();
        // Another iteration takes as long as all before it, or longer.
        let late = |plan: Allotment| state.since.elapsed() * 2 > plan.soft;
        self.is_over() || state.wanted == Wanted::Soon && state.plan.is_some_and(late)
    }

    /// Waits beside a thought and ends it when its time is up; returns when it has ended.
    fn watch(&self) {
        let mut state = self.state();
        while !self.is_over() && !state.finished {
            let left = match state.plan {
                Some(plan) if state.wanted == Wanted::Soon => {
                    plan.hard.checked_sub(state.since.elapsed())
                }
                _ => Some(Duration::MAX),
            };
            let Some(left) = left else {
                drop(state);
                self.stop();
                return;
            };
            // Anything longer is looked at again.
            let left = left.min(Duration::from_hours(1));
            state = match self.changed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    /// Thinks until the thought ends or its time is up.
    pub fn during<T>(&self, think: impl FnOnce() -> T) -> T {
        let timed = {
            let state = self.state();
            state.plan.is_some() || state.wanted == Wanted::OnHit
        };
        if !timed {
            return think();
        }
        std::thread::scope(|scope| {
            // Without a thread to watch the clock, the first answer must do.
            if std::thread::Builder::new().spawn_scoped(scope, || self.watch()).is_err() {
                self.stop();
            }
            // The watch ends even if the thought panics.
            let _end = Finish(self);
            think()
        })
    }

    /// Waits until the answer is wanted.
    pub fn hold(&self) {
        let mut state = self.state();
        while state.wanted != Wanted::Soon && !self.is_over() {
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

//! Work shared by threads. A thread that cannot be started, or panics, ends the work of all with
//! an error; the others are released from wherever they wait.

use std::any::Any;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};

use thiserror::Error;

use crate::progress::{Progress, Stopped};

/// Why threads did not complete their work.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ThreadError {
    /// The operating system refused a thread.
    #[error("cannot start thread {number} of {threads}: {source}")]
    Start {
        /// Which, counted from 1.
        number: usize,
        /// The number requested.
        threads: usize,
        /// Why not.
        source: io::Error,
    },
    /// A thread panicked: a defect of the program or of a game's rules.
    #[error("a thread panicked: {message}")]
    Panicked {
        /// Its message.
        message: String,
    },
}

impl ThreadError {
    fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
        ThreadError::Panicked { message: message.unwrap_or_else(|| "no message".to_owned()) }
    }
}

/// The payload with which a thread unwinds out of work that failed in another thread.
struct Aborted;

/// Leaves work that failed in another thread.
pub(crate) fn leave() -> ! {
    // Unlike a panic, this does not call the panic hook.
    resume_unwind(Box::new(Aborted))
}

/// Runs `work(number)` on `threads` threads, this one included. If one of them panics or cannot be
/// started, `abort` is called: it must make the others return or [`leave`].
pub(crate) fn run_threads(
    threads: usize,
    abort: impl Fn() + Sync,
    work: impl Fn(usize) + Sync,
) -> Result<(), ThreadError> {
    let failure = Mutex::new(None);
    let fail = |error| {
        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        abort();
    };
    let guarded = |number| {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work(number)))
            && !payload.is::<Aborted>()
        {
            fail(ThreadError::panicked(&*payload));
        }
    };
    thread::scope(|scope| {
        for number in 1..threads {
            let guarded = &guarded;
            if let Err(source) = Builder::new().spawn_scoped(scope, move || guarded(number)) {
                return fail(ThreadError::Start { number: number + 1, threads, source });
            }
        }
        guarded(0);
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// As [`for_each_chunk`], and ends with [`Stopped`] if a stop is requested.
pub(crate) fn for_each_until_stopped<E: Send + From<Stopped> + From<ThreadError>>(
    len: u64,
    chunk: u64,
    threads: usize,
    progress: &dyn Progress,
    work: impl Fn(Range<u64>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    for_each_chunk(len, chunk, threads, |range| {
        if progress.must_stop() {
            return Err(Stopped.into());
        }
        work(range)
    })
}

/// Calls `work` for consecutive chunks of `0..len` on `threads` threads until all are done or one
/// fails; returns the first error.
pub(crate) fn for_each_chunk<E: Send + From<ThreadError>>(
    len: u64,
    chunk: u64,
    threads: usize,
    work: impl Fn(Range<u64>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicU64::new(0);
    let failed = Mutex::new(None);
    let abort = || next.store(len, Relaxed);
    let done = run_threads(threads, abort, |_| {
        loop {
            let start = next.fetch_add(chunk, Relaxed);
            if start >= len {
                return;
            }
            if let Err(error) = work(start..(start + chunk).min(len)) {
                // No thread begins another chunk.
                next.store(len, Relaxed);
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                return;
            }
        }
    });
    done?;
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Runs `aside` on a thread of its own while `work` runs; an error of `work` is returned first.
pub(crate) fn beside<T, E: Send + From<ThreadError>>(
    aside: impl FnOnce() -> Result<(), E> + Send,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    thread::scope(|scope| {
        let aside = Builder::new()
            .spawn_scoped(scope, aside)
            .map_err(|source| ThreadError::Start { number: 2, threads: 2, source })?;
        let done = work();
        let aside =
            aside.join().unwrap_or_else(|payload| Err(ThreadError::panicked(&*payload).into()));
        done.and_then(|done| aside.map(|()| done))
    })
}

/// A barrier from which threads are released when another thread fails.
#[derive(Debug)]
pub(crate) struct Barrier {
    threads: usize,
    arrivals: Mutex<Arrivals>,
    changed: Condvar,
    aborted: AtomicBool,
}

#[derive(Debug, Default)]
struct Arrivals {
    waiting: usize,
    /// How often all threads have met.
    meetings: u64,
}

impl Barrier {
    pub(crate) fn new(threads: usize) -> Self {
        Barrier {
            threads,
            arrivals: Mutex::default(),
            changed: Condvar::new(),
            aborted: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arrivals> {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all threads; true for one of them. Leaves if another thread has failed.
    pub(crate) fn wait(&self) -> bool {
        let mut arrivals = self.lock();
        let meeting = arrivals.meetings;
        arrivals.waiting += 1;
        if arrivals.waiting == self.threads {
            arrivals.waiting = 0;
            arrivals.meetings += 1;
            self.changed.notify_all();
            return true;
        }
        while arrivals.meetings == meeting {
            if self.is_aborted() {
                drop(arrivals);
                leave();
            }
            arrivals = self.changed.wait(arrivals).unwrap_or_else(PoisonError::into_inner);
        }
        false
    }

    pub(crate) fn is_aborted(&self) -> bool {
        self.aborted.load(Relaxed)
    }

    /// Releases all threads.
    pub(crate) fn abort(&self) {
        let _arrivals = self.lock();
        self.aborted.store(true, Relaxed);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Error)]
    enum TestError {
        #[error(transparent)]
        Threads(#[from] ThreadError),
    }

    fn panics(range: &Range<u64>) {
        assert!(range.start != 5, "chunk 5");
    }

    #[test]
    fn a_panic_in_one_thread_is_an_error_of_all() {
        for threads in [1, 3] {
            let error: TestError = for_each_chunk(1000, 1, threads, |range| {
                panics(&range);
                Ok(())
            })
            .unwrap_err();
            assert_eq!(error.to_string(), "a thread panicked: chunk 5");
        }
        let error: TestError = beside(|| panic!("aside"), || Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "a thread panicked: aside");
    }

    #[test]
    fn a_barrier_releases_threads_when_one_panics() {
        let barrier = Barrier::new(3);
        let done = run_threads(
            3,
            || barrier.abort(),
            |number| {
                barrier.wait();
                assert!(number != 1, "thread 1");
                barrier.wait();
            },
        );
        assert_eq!(done.unwrap_err().to_string(), "a thread panicked: thread 1");
    }

    #[test]
    fn all_threads_meet_and_one_leads() {
        let (barrier, leaders) = (Barrier::new(4), AtomicU64::new(0));
        run_threads(
            4,
            || barrier.abort(),
            |_| {
                for _ in 0..100 {
                    leaders.fetch_add(u64::from(barrier.wait()), Relaxed);
                }
            },
        )
        .unwrap();
        assert_eq!(leaders.into_inner(), 100);
    }
}

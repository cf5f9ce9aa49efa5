//! Work cut into chunks and shared by threads.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::progress::{Progress, Stopped};

/// As [`for_each_chunk`], and ends with [`Stopped`] if somebody wants to stop.
pub(crate) fn for_each_until_stopped<E: Send + From<Stopped>>(
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
pub(crate) fn for_each_chunk<E: Send>(
    len: u64,
    chunk: u64,
    threads: usize,
    work: impl Fn(Range<u64>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicU64::new(0);
    let failed = Mutex::new(None);
    let run = || {
        loop {
            let start = next.fetch_add(chunk, Relaxed);
            if start >= len {
                return;
            }
            if let Err(error) = work(start..(start + chunk).min(len)) {
                // Nobody begins another chunk.
                next.store(len, Relaxed);
                failed.lock().expect("no thread panics").get_or_insert(error);
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    failed.into_inner().expect("no thread panics").map_or(Ok(()), Err)
}

/// Runs `aside` on a thread of its own while `work` runs; what `work` has to say goes first.
pub(crate) fn beside<T, E: Send>(
    aside: impl FnOnce() -> Result<(), E> + Send,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    std::thread::scope(|scope| {
        let aside = scope.spawn(aside);
        let done = work();
        let aside = aside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        done.and_then(|done| aside.map(|()| done))
    })
}

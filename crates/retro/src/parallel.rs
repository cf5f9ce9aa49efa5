//! Work cut into chunks and shared by threads.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

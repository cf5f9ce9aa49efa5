//! Threads that work in step: all share one piece of work, and begin the next when all are done.
//! They wait by spinning, because steps are short.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::parallel::{ThreadError, leave, run_threads};

/// Threads in step.
#[derive(Debug)]
pub(crate) struct Team {
    threads: usize,
    /// Arrivals of threads at the end of a step, all steps together.
    arrived: AtomicUsize,
    /// Where the next chunk of work begins, for three steps in turn: the last, the current, the
    /// next.
    next: [AtomicUsize; 3],
    /// Whether a thread has failed.
    aborted: AtomicBool,
}

/// One thread of a team.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    team: &'a Team,
    number: usize,
    /// Steps begun.
    steps: std::cell::Cell<usize>,
}

impl Team {
    pub(crate) fn new(threads: usize) -> Self {
        let next = std::array::from_fn(|_| AtomicUsize::new(0));
        Team {
            threads: threads.max(1),
            arrived: AtomicUsize::new(0),
            next,
            aborted: AtomicBool::new(false),
        }
    }

    /// Every thread does `work`, which must lead all of them through the same steps.
    pub(crate) fn run(&self, work: impl Fn(&Member<'_>) + Sync) -> Result<(), ThreadError> {
        let abort = || self.aborted.store(true, Ordering::Release);
        run_threads(self.threads, abort, |number| {
            work(&Member { team: self, number, steps: 0.into() });
        })
    }
}

impl Member<'_> {
    /// Whether this is the thread that does what is done once.
    pub(crate) fn leads(&self) -> bool {
        self.number == 0
    }

    /// A step: `work` for all of `0..len`, taken by the threads in chunks. What any thread did in
    /// it is done, and seen by all, when it returns.
    pub(crate) fn share(&self, len: usize, chunk: usize, mut work: impl FnMut(usize)) {
        let step = self.steps.get();
        if self.leads() {
            self.team.next[(step + 1) % 3].store(0, Ordering::Relaxed);
        }
        let next = &self.team.next[step % 3];
        loop {
            let start = next.fetch_add(chunk, Ordering::Relaxed);
            if start >= len {
                break;
            }
            for one in start..(start + chunk).min(len) {
                work(one);
            }
        }
        self.steps.set(step + 1);
        self.wait();
    }

    /// Waits until all threads are here. Leaves if one of them has failed.
    pub(crate) fn wait(&self) {
        /// Spins before the thread yields the processor.
        const SPINS: u32 = 2000;
        let threads = self.team.threads;
        let arrived = self.team.arrived.fetch_add(1, Ordering::AcqRel) + 1;
        let all = arrived.div_ceil(threads) * threads;
        let mut spins = 0;
        while self.team.arrived.load(Ordering::Acquire) < all {
            if self.team.aborted.load(Ordering::Acquire) {
                leave();
            }
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once_and_in_step() {
        for threads in [1, 2, 3] {
            let done: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
            Team::new(threads)
                .run(|member| {
                    for step in 0..50 {
                        member.share(done.len(), 7, |one| {
                            assert_eq!(done[one].fetch_add(1, Ordering::Relaxed), step);
                        });
                    }
                })
                .unwrap();
            assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 50));
        }
    }

    #[test]
    fn a_panic_in_one_thread_releases_the_others() {
        for (threads, which) in [(1, 0), (2, 1), (3, 0), (3, 2)] {
            let done = Team::new(threads).run(|member| {
                member.share(10, 1, |_| {});
                assert!(member.number != which, "thread {which}");
                member.wait();
            });
            let error = done.unwrap_err().to_string();
            assert_eq!(error, format!("a thread panicked: thread {which}"));
        }
    }
}

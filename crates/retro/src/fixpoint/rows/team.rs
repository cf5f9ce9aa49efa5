//! Threads that work in step: all share one piece of work, and begin the next when all are done.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads in step.
#[derive(Debug)]
pub(crate) struct Team {
    threads: usize,
    /// Threads that have come to the end of a step, all steps together.
    arrived: AtomicUsize,
    /// Where the next chunk of work begins, for three steps in turn: one that is over, one at work,
    /// one that is made ready.
    next: [AtomicUsize; 3],
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
        Team { threads: threads.max(1), arrived: AtomicUsize::new(0), next }
    }

    /// Every thread does `work`, which must lead all of them through the same steps.
    pub(crate) fn run(&self, work: impl Fn(&Member<'_>) + Sync) {
        let member = |number| Member { team: self, number, steps: 0.into() };
        std::thread::scope(|scope| {
            for number in 1..self.threads {
                let work = &work;
                scope.spawn(move || work(&member(number)));
            }
            work(&member(0));
        });
    }
}

impl Member<'_> {
    /// Whether this is the one that does what is done once.
    pub(crate) fn leads(&self) -> bool {
        self.number == 0
    }

    /// A step: `work` for all of `0..len`, taken by the threads in chunks. What any thread did in it
    /// is done, and seen by all, when it returns.
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

    /// Waits until all threads are here.
    pub(crate) fn wait(&self) {
        /// Looks before the thread lets another have the processor.
        const PATIENCE: u32 = 2000;
        let threads = self.team.threads;
        let arrived = self.team.arrived.fetch_add(1, Ordering::AcqRel) + 1;
        let all = arrived.div_ceil(threads) * threads;
        let mut looks = 0;
        while self.team.arrived.load(Ordering::Acquire) < all {
            looks += 1;
            if looks < PATIENCE {
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
            Team::new(threads).run(|member| {
                for step in 0..50 {
                    member.share(done.len(), 7, |one| {
                        assert_eq!(done[one].fetch_add(1, Ordering::Relaxed), step);
                    });
                }
            });
            assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 50));
        }
    }
}

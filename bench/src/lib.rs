//! What the benchmarks share: awari slices solved in memory, and a lower bound to compare with.

use std::time::{Duration, Instant};

use nutcracker_game::{Children, Exits, Game, Metric, SliceId, SliceView};
use nutcracker_games::awari::Awari;
use nutcracker_mem::Packed;
use nutcracker_retro::in_memory::RowStates;
use nutcracker_retro::in_memory::States;
use nutcracker_retro::{RowWork, Silent};

/// The scores of slices in memory.
#[derive(Debug, Default)]
pub struct ScoreArrays(pub Vec<Vec<i8>>);

impl Children for ScoreArrays {
    type Error = std::convert::Infallible;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error> {
        let start = start as usize;
        out.copy_from_slice(&self.0[slice.0 as usize][start..start + out.len()]);
        Ok(())
    }
}

/// The time of the phases.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Best values through moves that leave the slice.
    pub exits: Duration,
    /// The fixpoint inside the slice.
    pub fixpoint: Duration,
}

impl Times {
    /// The sum of both.
    pub fn total(&self) -> Duration {
        self.exits + self.fixpoint
    }
}

impl ScoreArrays {
    /// Awari with 6 pits, all slices below `stones`.
    pub fn below(awari: &Awari, stones: u32) -> Self {
        let mut slices = ScoreArrays::default();
        for slice in (0..stones).map(SliceId) {
            let view = awari.view(slice);
            let (states, _) = slices.solve(&view, slice.0 as u8, 2);
            let mut scores = vec![0; view.len() as usize];
            states.scores(0, &mut scores);
            slices.0.push(scores);
        }
        slices
    }

    /// Solves the next slice through a view.
    pub fn solve<V: SliceView>(&self, view: &V, max: u8, threads: usize) -> (States, Times) {
        let started = Instant::now();
        let states = States::new(view.len(), max, 6).expect("there is memory for a bench");
        self.exits(view, threads, |start, run| states.enter(start, run));
        let exit_time = started.elapsed();
        let started = Instant::now();
        states.settle(view, threads, &Silent).expect("threads can be started");
        (states, Times { exits: exit_time, fixpoint: started.elapsed() })
    }

    /// Solves a slice by rows, up to ±`top`.
    pub fn solve_by_rows(
        &self,
        awari: &Awari,
        slice: SliceId,
        top: u8,
        threads: usize,
        portable: bool,
    ) -> (RowStates, RowWork, Times) {
        let started = Instant::now();
        let row_moves = awari.row_moves(slice).expect("awari is a game of sowing");
        let states =
            RowStates::new(&*row_moves, top, portable).expect("there is memory for a bench");
        self.exits(&awari.view(slice), threads, |start, run| states.enter(start, run));
        let exit_time = started.elapsed();
        let started = Instant::now();
        let work = states.settle(threads, &Silent).expect("threads can be started");
        (states, work, Times { exits: exit_time, fixpoint: started.elapsed() })
    }

    fn exits<V: SliceView>(&self, view: &V, threads: usize, enter: impl Fn(u64, &[Exits]) + Sync) {
        let next = std::sync::atomic::AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let part = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if part >= view.parts() {
                            return;
                        }
                        let Ok(()) = view.exits(Metric::Score, part, self, &enter);
                    }
                });
            }
        });
    }
}

/// The internal moves that a solver visits: those into positions whose score is not 0.
pub fn edges<V: SliceView>(view: &V, scores: &[i8]) -> u64 {
    let mut cursor = V::Cursor::default();
    let mut edges = 0;
    for (index, _) in (0..).zip(scores).filter(|(_, score)| **score != 0) {
        view.predecessors(view.key_at(&mut cursor, index), |_, _| edges += 1);
    }
    edges
}

/// The time of one random read-modify-write of a byte in an array of `len`, by each of `threads`
/// threads at once, each prefetched 32 steps ahead, in nanoseconds: the cost of an edge if it were
/// limited by memory alone.
pub fn random_update(len: u64, threads: usize) -> f64 {
    const STEPS: u32 = 20_000_000;
    const LAG: usize = 32;
    let array = Packed::<8>::zeroed(len).expect("there is memory for a bench");
    for index in (0..len).step_by(4096) {
        array.set(index, 1);
    }
    let work = |seed: u64| {
        let mut random = seed;
        let mut queue = [0; LAG];
        for step in 0..STEPS as usize {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let index = ((u128::from(random) * u128::from(len)) >> 64) as u64;
            array.prefetch(index);
            let ready = std::mem::replace(&mut queue[step % LAG], index);
            if threads > 1 {
                array.update(ready, |old| Some(old ^ 1));
            } else {
                array.update_alone(ready, |old| Some(old ^ 1));
            }
        }
    };
    let started = Instant::now();
    std::thread::scope(|scope| {
        for seed in 0..threads as u64 {
            scope.spawn(move || work(seed + 1));
        }
    });
    started.elapsed().as_secs_f64() * 1e9 / f64::from(STEPS)
}

//! Slices solved in memory.

use std::convert::Infallible;
use std::sync::OnceLock;

use nutcracker_game::toy::InMemory;
use nutcracker_game::{Children, Game, Metric, Score, SliceId, SliceView};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::krk::Krk;
use nutcracker_retro::Silent;
use nutcracker_retro::in_memory::{States, sweep_metric};
use nutcracker_search::Oracle;

/// The scores of the slices from 0.
#[derive(Debug)]
pub struct Solved(pub Vec<Vec<i8>>);

impl Solved {
    pub fn new<G: Game>(game: &G, last: u32) -> Self {
        let mut solved = Solved(Vec::new());
        for slice in (0..=last).map(SliceId) {
            let view = game.view(slice);
            let max = game.max_score(slice) as u8;
            let states = States::new(view.len(), max, game.max_moves(slice)).unwrap();
            for part in 0..view.parts() {
                let Ok(()) =
                    view.exits(Metric::Score, part, &solved, |start, run| states.enter(start, run));
            }
            states.settle(&view, 2, &Silent).unwrap();
            let mut scores = vec![0; view.len() as usize];
            states.scores(0, &mut scores);
            solved.0.push(scores);
        }
        solved
    }

    pub fn of<G: Game>(&self, game: &G, position: &G::Position) -> Score {
        let Ok(score) = Oracle::score(self, game.slice_of(position), game.rank(position));
        score
    }
}

impl Children for Solved {
    type Error = Infallible;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Infallible> {
        let start = start as usize;
        out.copy_from_slice(&self.0[slice.0 as usize][start..start + out.len()]);
        Ok(())
    }
}

impl Oracle for Solved {
    type Error = Infallible;

    fn covers(&self, slice: SliceId) -> bool {
        (slice.0 as usize) < self.0.len()
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Infallible> {
        Ok(Score::from(self.0[slice.0 as usize][index as usize]))
    }
}

/// Slices from 0 by any metric.
#[derive(Debug)]
pub struct Counted {
    pub metric: Metric,
    pub slices: InMemory,
}

impl Counted {
    pub fn new<G: Game>(game: &G, metric: Metric, last: u32) -> Self {
        let mut slices = InMemory::default();
        for slice in (0..=last).map(SliceId) {
            let Ok(values) = sweep_metric(game, metric, slice, &slices);
            slices.0.push(values);
        }
        Counted { metric, slices }
    }
}

impl Oracle for Counted {
    type Error = Infallible;

    fn covers(&self, slice: SliceId) -> bool {
        (slice.0 as usize) < self.slices.0.len()
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Infallible> {
        self.value(slice, index).map(|value| self.metric.score(value))
    }

    fn metric(&self, _: SliceId) -> Result<Metric, Infallible> {
        Ok(self.metric)
    }

    fn value(&self, slice: SliceId, index: u64) -> Result<Score, Infallible> {
        Ok(Score::from(self.slices.0[slice.0 as usize][index as usize]))
    }
}

/// King and rook against king, as wins, draws and losses.
pub fn krk() -> &'static Counted {
    static SOLVED: OnceLock<Counted> = OnceLock::new();
    SOLVED.get_or_init(|| Counted::new(&Krk, Metric::Wdl, 1))
}

/// Awari up to 12 stones.
pub fn awari() -> (&'static Awari, &'static Solved) {
    static SOLVED: OnceLock<(Awari, Solved)> = OnceLock::new();
    let (game, solved) = SOLVED.get_or_init(|| {
        let game = Awari::new(6).unwrap();
        let solved = Solved::new(&game, 12);
        (game, solved)
    });
    (game, solved)
}

/// Kalah up to 11 seeds.
pub fn kalah() -> (&'static Kalah, &'static Solved) {
    static SOLVED: OnceLock<(Kalah, Solved)> = OnceLock::new();
    let (game, solved) = SOLVED.get_or_init(|| {
        let game = Kalah::new(6, 4, false).unwrap();
        let solved = Solved::new(&game, 11);
        (game, solved)
    });
    (game, solved)
}

//! Positions with values that are known, to fit evaluations to.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{Evaluate, Game, Metric, Random, Score, SliceId, Step, Turn};
use nutcracker_search::{Empty, ExactError, ExactLimits, Search};
use nutcracker_table::TableSet;

use crate::FitError;
use crate::regression::Samples;

/// The table of a search to the end: it is short.
const TABLE: usize = 16 << 20;
/// One move in this many is chosen at random, so that games differ.
const RANDOM_MOVE: u64 = 8;
/// A game that lasts longer repeats itself.
const LONGEST: usize = 1_000;

/// Positions with known scores, and what belongs together.
#[derive(Clone, Debug)]
pub struct Known {
    /// Features and scores.
    pub samples: Samples,
    /// The slice of each.
    pub slices: Vec<u32>,
    /// The game each comes from; positions of one game know of each other.
    pub groups: Vec<u64>,
}

impl Known {
    fn new<G: Evaluate>(game: &G) -> Self {
        Known {
            samples: Samples::new(game.feature_names().len()),
            slices: Vec::new(),
            groups: Vec::new(),
        }
    }

    fn push<G: Evaluate>(&mut self, game: &G, position: &G::Position, score: f64, group: u64) {
        let mut row = vec![0.0; game.feature_names().len()];
        game.features(position, &mut row);
        self.samples.push(&row, score);
        self.slices.push(game.slice_of(position).0);
        self.groups.push(group);
    }

    fn append(&mut self, other: Known) {
        for place in 0..other.samples.len() {
            self.samples.push(other.samples.row(place), other.samples.targets()[place]);
        }
        self.slices.extend(other.slices);
        self.groups.extend(other.groups);
    }
}

/// Positions of databases, equally many of each of the slices that have one, drawn at random. The
/// last of the slices must have a database.
pub fn from_databases<G: Evaluate>(
    game: &G,
    tables: &TableSet,
    metric: Metric,
    slices: &RangeInclusive<SliceId>,
    positions: u64,
    seed: u64,
) -> Result<Known, FitError> {
    let present: Vec<SliceId> = tables
        .slices()?
        .into_iter()
        .map(SliceId)
        .filter(|slice| game.has_database(*slice) && slices.contains(slice))
        .collect();
    if present.last() != Some(slices.end()) {
        return Err(FitError::Missing { game: game.id().to_string(), slice: *slices.end() });
    }
    let each = positions / present.len() as u64 + 1;
    let mut known = Known::new(game);
    let mut random = Random::new(seed);
    let mut group = 0;
    for slice in present {
        let table = tables.get(slice.0)?;
        if !table.header().reach.is_exact() {
            return Err(FitError::Clipped { game: game.id().to_string(), slice });
        }
        let len = game.slice_len(slice);
        // A small slice is taken once, not several times over.
        let mut indices: Vec<u64> = if len <= each {
            (0..len).collect()
        } else {
            (0..each).map(|_| random.below(len)).collect()
        };
        // In order, so that every block is decoded once.
        indices.sort_unstable();
        indices.dedup();
        for index in indices {
            let Some(position) = game.unrank(slice, index) else { continue };
            if game.outcome(&position).is_none() {
                let score = tables.value(&table, index)?;
                known.push(game, &position, metric.score(score.into()).into(), group);
                group += 1;
            }
        }
    }
    Ok(known)
}

/// Positions of games that were played, each with what the game was worth to its mover from there
/// on. Where a search would not stop, no evaluation is needed, and the position is left out.
pub fn from_results<G: Evaluate>(
    game: &G,
    games: impl IntoIterator<Item = Vec<(G::Position, Score)>>,
) -> Known {
    let mut known = Known::new(game);
    for (number, positions) in (0..).zip(games) {
        for (position, score) in positions {
            if game.outcome(&position).is_none() && !game.is_unquiet(&position) {
                known.push(game, &position, score.into(), number);
            }
        }
    }
    known
}

/// Games that an evaluation plays against itself.
#[derive(Clone, Copy, Debug)]
pub struct SelfPlay {
    /// How many.
    pub games: u64,
    /// The slice from which on a game is solved to the end.
    pub solve_at: u32,
    /// How many are played at once; the positions do not depend on it.
    pub threads: usize,
    /// Another seed plays other games.
    pub seed: u64,
}

/// Positions of games that are played by the shipped evaluation with some moves drawn at random,
/// and solved to the end where at most `solve_at` is left of the game; earlier positions get the
/// score that the game led to. `done` is told how many more games have been played.
pub fn from_games<G: Evaluate>(
    game: &G,
    play: &SelfPlay,
    done: impl Fn(u64) + Sync,
) -> Result<Known, FitError> {
    let SelfPlay { games, solve_at, threads, seed } = *play;
    let next = AtomicU64::new(0);
    let found = std::thread::scope(|scope| {
        let work = || -> Result<Vec<(u64, Known)>, FitError> {
            let limits = ExactLimits { table_bytes: TABLE, ..ExactLimits::default() };
            let mut search = Search::new(game, &Empty, &limits);
            let mut found = Vec::new();
            loop {
                let number = next.fetch_add(1, Relaxed);
                if number >= games {
                    return Ok(found);
                }
                let mut random =
                    Random::new(seed ^ (number + 1).wrapping_mul(0x2545_F491_4F6C_DD1D));
                found.push((number, one_game(game, solve_at, &mut search, &mut random, number)?));
                done(1);
            }
        };
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (0..threads).map_while(start).collect();
        if workers.is_empty() {
            return Err(FitError::Threads);
        }
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.join().expect("a worker does not panic")?);
        }
        Ok::<_, FitError>(all)
    });
    let mut found = found?;
    // The same samples in the same order, whichever thread played them.
    found.sort_unstable_by_key(|(number, _)| *number);
    let mut known = Known::new(game);
    for (_, game) in found {
        known.append(game);
    }
    Ok(known)
}

fn one_game<G: Evaluate>(
    game: &G,
    solve_at: u32,
    search: &mut Search<'_, G, Empty>,
    random: &mut Random,
    number: u64,
) -> Result<Known, FitError> {
    let mut known = Known::new(game);
    let mut position = game.start().position;
    // What was played before the end is solved, with the moves' effects.
    let mut before: Vec<(G::Position, Step<G::Position>)> = Vec::new();
    let span = u64::from(game.slice_of(&position).0.saturating_sub(solve_at));
    // Up to half of the way there at random alone.
    let by_lot = random.below(span / 2 + 1) as usize;
    let mut moves = Vec::new();
    let mut steps = Vec::new();
    let mut played = 0;
    loop {
        let slice = game.slice_of(&position);
        let over = game.outcome(&position);
        let is_late = slice.0 <= solve_at;
        if over.is_some() || is_late {
            let score = match over {
                Some(score) => score,
                None => solve(game, search, &position)?,
            };
            if over.is_none() {
                known.push(game, &position, score.into(), number);
            }
            // What the moves before have led to; nothing is left of them after the first time.
            let mut worth = score;
            for (position, step) in before.drain(..).rev() {
                worth = step.value(worth);
                known.push(game, &position, worth.into(), number);
            }
            if over.is_some() {
                return Ok(known);
            }
        }
        if played > LONGEST {
            return Err(repeats(game));
        }
        moves.clear();
        steps.clear();
        game.moves(&position, &mut moves);
        steps.extend(moves.iter().map(|mv| game.play(&position, mv)));
        let lot = played < by_lot || is_late || random.below(RANDOM_MOVE) == 0;
        let step =
            if lot { steps[random.below(steps.len() as u64) as usize] } else { best(game, &steps) };
        if !is_late {
            before.push((position, step));
        }
        position = step.next;
        played += 1;
    }
}

/// The step the shipped evaluation likes best.
fn best<G: Evaluate>(game: &G, steps: &[Step<G::Position>]) -> Step<G::Position> {
    let value = |step: &Step<G::Position>| {
        let next = match game.outcome(&step.next) {
            Some(score) => 100 * i32::from(score),
            None => game.evaluate(&step.next, game.fitted()),
        };
        100 * i32::from(step.gain) + if step.turn == Turn::Stays { next } else { -next }
    };
    *steps.iter().max_by_key(|step| value(step)).expect("a position that is not over has moves")
}

fn solve<G: Game>(
    game: &G,
    search: &mut Search<'_, G, Empty>,
    position: &G::Position,
) -> Result<Score, FitError> {
    match search.score(position) {
        Ok(score) => Ok(score.expect("no limit was set")),
        Err(ExactError::Repeats { .. }) => Err(repeats(game)),
    }
}

fn repeats<G: Game>(game: &G) -> FitError {
    FitError::Repeats { game: game.id().to_string() }
}

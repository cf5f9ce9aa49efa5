//! The engine: iterations, threads, and what is reported.

use std::cmp::Reverse;
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use nutcracker_game::{Evaluate, Score};

use crate::alphabeta::{Halted, INFINITE, MAX_DEPTH, Shared, Worker};
use crate::hash::Key;
use crate::order::first_guess;
use crate::tt::Table;
use crate::{EngineOptions, Limits, MoveValues, Oracle, Report, Worth};

/// Why a search gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchError<E> {
    /// The oracle failed.
    Oracle(E),
}

impl<E> fmt::Display for SearchError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::Oracle(_) => f.write_str("a score could not be read from a database"),
        }
    }
}

impl<E: Error + 'static> Error for SearchError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SearchError::Oracle(error) => Some(error),
        }
    }
}

/// A search that deepens until it is stopped or has proved the value; it keeps its table from one
/// call to the next.
///
/// The value it reports is exact, or a bound, where that is proven by rules and databases alone.
/// The search ends when the score is.
///
/// ```
/// use nutcracker_games::kalah::Kalah;
/// use nutcracker_game::Rules;
/// use nutcracker_search::{Empty, Engine, EngineOptions, Limits, Worth};
///
/// let kalah = Kalah::new(3, 2, false)?;
/// let start = kalah.start().position;
/// let mut engine = Engine::new(kalah, Empty, EngineOptions::default());
/// let report = engine.search(&start, &[], &Limits::default(), &mut |_| ())?;
/// assert_eq!(report.value, Worth::exact(4));
/// let guess = engine.search(&start, &[], &Limits::nodes(0), &mut |_| ())?;
/// assert_eq!(guess.line.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine<G: Evaluate, O: Oracle> {
    game: G,
    oracle: O,
    options: EngineOptions,
    table: Table,
}

impl<G: Evaluate, O: Oracle> fmt::Debug for Engine<G, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("game", &self.game)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Half the width of the first aspiration window around the value of the previous iteration.
const ASPIRATION: i32 = 60;
/// Iterations of fewer plies have the full window.
const WINDOW_FROM: u32 = 4;

impl<G: Evaluate, O: Oracle<Error: Send> + Sync> Engine<G, O> {
    /// An engine that has searched nothing yet.
    pub fn new(game: G, oracle: O, options: EngineOptions) -> Self {
        let table = Table::new(options.table_bytes);
        Engine { game, oracle, options, table }
    }

    /// The game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The oracle.
    pub fn oracle(&self) -> &O {
        &self.oracle
    }

    /// How it works.
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// Clears the transposition table, as for a new game.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// Searches a position and calls `on_report` after every iteration.
    ///
    /// `history` has the positions of the game before `root`, oldest first, each as its mover saw
    /// it: a move that repeats one of them ends the game, with 0 from there on. Without history the
    /// value is the position's score. There is always a move in the answer where there is a legal
    /// one, whatever the limits.
    pub fn search(
        &mut self,
        root: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
        on_report: &mut dyn FnMut(&Report<G::Move>),
    ) -> Result<Report<G::Move>, SearchError<O::Error>> {
        self.run(limits, |shared| {
            let mut progress = Progress::new(shared, root);
            if progress.done() {
                return progress.report;
            }
            together(
                shared,
                |id| {
                    let mut worker = Worker::new(shared, root, history, true);
                    let depths = (1..).map(|depth: u32| depth + id as u32 % 2);
                    for depth in depths.take_while(|&depth| depth <= deepest(limits)) {
                        if worker.search(root, depth, (-INFINITE, INFINITE)).is_err() {
                            return;
                        }
                    }
                },
                || {
                    let mut worker = Worker::new(shared, root, history, true);
                    for depth in 1..=deepest(limits) {
                        let ended = progress.deepen(&mut worker, root, depth).is_err();
                        worker.report();
                        progress.count();
                        if ended {
                            break;
                        }
                        on_report(&progress.report);
                        if progress.done() {
                            break;
                        }
                    }
                },
            );
            progress.count();
            progress.report
        })
    }

    /// Every move of a position with its own value, best first; none where the game is over.
    ///
    /// Without history the value of a move is by the score of the position it leads to. With
    /// history it is what the game can still bring after that history, the position itself
    /// included.
    pub fn search_all(
        &mut self,
        root: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
    ) -> Result<MoveValues<G::Move>, SearchError<O::Error>> {
        self.run(limits, |shared| {
            let game = shared.game;
            let mut before = history.to_vec();
            if !before.is_empty() {
                before.push(*root);
            }
            let mut moves = Vec::new();
            game.moves(root, &mut moves);
            let steps: Vec<_> = moves.iter().map(|mv| game.play(root, mv)).collect();
            let mut values: Vec<Branch> = Vec::new();
            values.extend(steps.iter().map(|step| {
                let (guess, lower, upper) = at_a_glance(shared, &step.next);
                Branch::new(Worth::of(guess, lower, upper, upper).through(step))
            }));
            let all = |id: usize, mut visit: Box<dyn FnMut(usize, Worth) + '_>| {
                let mut workers: Vec<_> = steps
                    .iter()
                    .map(|step| Worker::new(shared, &step.next, &before, false))
                    .collect();
                for depth in 0..deepest(limits) {
                    for turn in 0..steps.len() {
                        // Threads begin with different moves.
                        let at = (turn + id) % steps.len();
                        let (step, worker) = (&steps[at], &mut workers[at]);
                        if worker.is_solved() {
                            continue;
                        }
                        let full = (-INFINITE, INFINITE);
                        let Ok(found) = worker.search(&step.next, depth, full) else { return };
                        worker.report();
                        let max = game.max_score(game.slice_of(&step.next));
                        let value = Worth::of(found.value, found.lower, found.upper, max);
                        visit(at, value.through(step));
                    }
                    if workers.iter().all(Worker::is_solved) {
                        return;
                    }
                }
            };
            together(
                shared,
                |id| all(id, Box::new(|_, _| ())),
                || {
                    let values = &mut values;
                    all(0, Box::new(move |at, value| values[at].set(value)));
                },
            );
            // An iteration that was cut short counts for the moves whose value it proved.
            let depth = values.iter().filter(|branch| !branch.solved()).map(|b| b.depth).min();
            let best = |branch: &Branch| match depth {
                Some(depth) if branch.depth > depth && !branch.solved() => branch.before,
                _ => branch.value,
            };
            let mut list: MoveValues<G::Move> =
                moves.into_iter().zip(values.iter().map(best)).collect();
            list.sort_by_key(|(_, value)| Reverse(value.hundredths()));
            list
        })
    }

    /// Sets up the shared state, and checks afterwards whether the oracle failed.
    fn run<T>(
        &mut self,
        limits: &Limits<'_>,
        search: impl FnOnce(&Shared<'_, G, O>) -> T,
    ) -> Result<T, SearchError<O::Error>> {
        self.table.next_generation();
        let shared = Shared {
            game: &self.game,
            oracle: &self.oracle,
            options: &self.options,
            weights: self.options.weights.as_deref().unwrap_or(self.game.fitted()),
            limits,
            table: &self.table,
            started: Instant::now(),
            halt: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            probes: AtomicU64::new(0),
            error: Mutex::new(None),
        };
        let result = search(&shared);
        match shared.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(SearchError::Oracle(error)),
            None => Ok(result),
        }
    }
}

/// The plies of the last iteration.
fn deepest(limits: &Limits<'_>) -> u32 {
    limits.depth.map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH))
}

/// Runs `main` here and `helper` on the other threads, which end when it does. Where the system has
/// no more threads, the search has fewer helpers: what it proves does not depend on their number.
fn together<G: Evaluate, O: Oracle<Error: Send> + Sync>(
    shared: &Shared<'_, G, O>,
    helper: impl Fn(usize) + Sync,
    main: impl FnOnce(),
) {
    std::thread::scope(|scope| {
        for id in 1..shared.options.threads {
            let helper = &helper;
            let started = std::thread::Builder::new().spawn_scoped(scope, move || helper(id));
            if started.is_err() {
                break;
            }
        }
        main();
        shared.halt.store(true, Relaxed);
    });
}

/// What is known of a position without a search.
fn at_a_glance<G: Evaluate, O: Oracle>(
    shared: &Shared<'_, G, O>,
    position: &G::Position,
) -> (i32, Score, Score) {
    if let Some(score) = shared.game.outcome(position) {
        return (100 * i32::from(score), score, score);
    }
    let max = shared.game.max_score(shared.game.slice_of(position));
    let most = 100 * i32::from(max);
    (shared.game.evaluate(position, shared.weights).clamp(-most, most), -max, max)
}

/// How far a search has come.
struct Progress<'a, G: Evaluate, O: Oracle> {
    shared: &'a Shared<'a, G, O>,
    root: G::Position,
    max: Score,
    report: Report<G::Move>,
}

impl<'a, G: Evaluate, O: Oracle> Progress<'a, G, O> {
    /// Before the first iteration: a guess, and a move that is legal.
    fn new(shared: &'a Shared<'a, G, O>, root: &G::Position) -> Self {
        let (guess, lower, upper) = at_a_glance(shared, root);
        let known = shared.table.get(Key::of(root)).map(|known| known.best);
        let report = Report {
            depth: 0,
            value: Worth::of(guess, lower, upper, upper),
            bounds: (lower, upper),
            line: first_guess(shared.game, root, known).into_iter().collect(),
            nodes: 0,
            elapsed: shared.started.elapsed(),
            table_permille: 0,
            probes: 0,
        };
        Progress { shared, root: *root, max: upper, report }
    }

    /// Whether the search is complete.
    fn done(&self) -> bool {
        self.report.bounds.0 == self.report.bounds.1 || self.report.line.is_empty()
    }

    /// Brings the numbers up to date.
    fn count(&mut self) {
        self.report.nodes = self.shared.nodes.load(Relaxed);
        self.report.probes = self.shared.probes.load(Relaxed);
        self.report.elapsed = self.shared.started.elapsed();
        self.report.table_permille = self.shared.table.permille();
    }

    /// One more iteration. Where it is cut short, a better move it has found counts.
    fn deepen(
        &mut self,
        worker: &mut Worker<'_, G, O>,
        root: &G::Position,
        depth: u32,
    ) -> Result<(), Halted> {
        let mut window = (-INFINITE, INFINITE);
        let before = self.report.value.hundredths();
        let mut width = ASPIRATION;
        if depth >= WINDOW_FROM {
            window = (before - width, before + width);
        }
        loop {
            let result = worker.search(root, depth, window);
            if let Ok(found) = result {
                let (lower, upper) = self.report.bounds;
                self.report.bounds = (lower.max(found.lower), upper.min(found.upper));
                width *= 4;
                let wide = width > 4000;
                if found.value <= window.0 && window.0 > -INFINITE {
                    window.0 = if wide { -INFINITE } else { found.value - width };
                    continue;
                }
                if found.value >= window.1 && window.1 < INFINITE {
                    window.1 = if wide { INFINITE } else { found.value + width };
                    continue;
                }
            }
            let mut value = self.report.value.hundredths();
            if let Some((raised, line)) = worker.raised() {
                value = raised;
                line.clone_into(&mut self.report.line);
                self.lengthen(depth);
            }
            let (lower, upper) = self.report.bounds;
            self.report.value = Worth::of(value, lower, upper, self.max);
            if result.is_ok() {
                self.report.depth = depth;
            }
            return result.map(|_| ());
        }
    }

    /// Extends the line from the transposition table.
    fn lengthen(&mut self, depth: u32) {
        let game = self.shared.game;
        let mut position = self.root;
        let mut seen = vec![position];
        let mut at = 0;
        let mut moves = Vec::new();
        while at < depth as usize {
            moves.clear();
            game.moves(&position, &mut moves);
            if at == self.report.line.len() {
                let known = self.shared.table.get(Key::of(&position));
                let best = known.and_then(|known| moves.get(usize::from(known.best)));
                let Some(best) = best else { return };
                if seen.contains(&game.play(&position, best).next) {
                    return;
                }
                self.report.line.push(*best);
            }
            position = game.play(&position, &self.report.line[at]).next;
            seen.push(position);
            at += 1;
        }
    }
}

/// A move's value after the last iterations that reached it.
struct Branch {
    value: Worth,
    /// The iteration, and the value before it.
    depth: u32,
    before: Worth,
}

impl Branch {
    fn new(value: Worth) -> Self {
        Branch { value, depth: 0, before: value }
    }

    fn set(&mut self, value: Worth) {
        (self.before, self.value) = (self.value, value);
        self.depth += 1;
    }

    fn solved(&self) -> bool {
        self.value.is_exact()
    }
}

//! The engine: iterations and threads.

use std::cmp::Reverse;
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use nutcracker_game::Evaluate;

use crate::alphabeta::{INFINITE, MAX_DEPTH, Shared, Worker};
use crate::lines::{Lines, at_a_glance};
use crate::tt::{NO_MOVE, Table};
use crate::{Compared, EngineOptions, Limits, MoveValues, Oracle, Report, Worth};

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

    /// Searches a position and calls `on_report` after every iteration, once for each line; the
    /// result is the best one.
    ///
    /// `history` has the positions of the game before `root`, oldest first, each as its mover saw
    /// it: a move that repeats one of them ends the game, with 0 from there on or what the rules
    /// say. Without history the value is the position's score. There is always a move in the answer
    /// where there is a legal one, whatever the limits.
    ///
    /// The value of a line after the first, or of moves selected by the limits, is what the game can
    /// still bring after one of these moves, the position itself being part of the history then.
    pub fn search(
        &mut self,
        root: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
        on_report: &mut dyn FnMut(&Report<G::Move>),
    ) -> Result<Report<G::Move>, SearchError<O::Error>> {
        self.run(limits, |shared| {
            let mut moves = Vec::new();
            shared.game.moves(root, &mut moves);
            let left_out = limits.left_out(moves.len());
            let count = shared.options.lines.min(moves.len() - left_out.len()).max(1);
            let mut lines = Lines::new(shared, root, moves, &left_out, count);
            if !lines.done() {
                together(
                    shared,
                    |id| {
                        let mut worker = Worker::new(shared, root, history, true);
                        worker.leave_out(&left_out, NO_MOVE);
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
                            let ended = lines.deepen(&mut worker, depth).is_err();
                            worker.report();
                            lines.count();
                            if ended {
                                break;
                            }
                            lines.reports().for_each(&mut *on_report);
                            if lines.done() {
                                break;
                            }
                        }
                    },
                );
                lines.count();
            }
            lines.best().clone()
        })
    }

    /// [`search`](Engine::search), with every guess [averaged](Worth::averaged) over the last two
    /// iterations: what is shown to people or compared with other positions.
    pub fn search_averaged(
        &mut self,
        root: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
        on_report: &mut dyn FnMut(&Report<G::Move>),
    ) -> Result<Report<G::Move>, SearchError<O::Error>> {
        // Of each line the depth, the value of that depth, and the average.
        let mut lines: Vec<(u32, Worth, Worth)> = Vec::new();
        let mut average = |report: &Report<G::Move>| {
            let place = report.rank - 1;
            let new = (report.depth, report.value, report.value);
            match lines.get_mut(place) {
                None => lines.push(new),
                Some(line) if line.0 < report.depth => {
                    *line = (report.depth, report.value, report.value.averaged(line.1));
                }
                // A line that is solved is reported again.
                Some(_) => {}
            }
            let is_guess = report.value.guess.is_some();
            Report { value: if is_guess { lines[place].2 } else { report.value }, ..report.clone() }
        };
        let last = self.search(root, history, limits, &mut |report| on_report(&average(report)))?;
        Ok(if last.depth > 0 { average(&last) } else { last })
    }

    /// The values of [`compare`](Engine::compare).
    pub fn search_all(
        &mut self,
        root: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
    ) -> Result<MoveValues<G::Move>, SearchError<O::Error>> {
        Ok(self.compare(root, history, limits)?.values)
    }

    /// Every move that the limits allow with its own value, best first; none where the game is over.
    /// The limits are for all moves together, and the depth counts the move: the best move has the
    /// value that [`search`](Engine::search) finds with the same depth.
    ///
    /// Without history the value of a move is by the score of the position it leads to. With
    /// history, and where a repetition is worth something, it is what the game can still bring
    /// after that history, the position itself included.
    pub fn compare(
        &mut self,
        root: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
    ) -> Result<Compared<G::Move>, SearchError<O::Error>> {
        self.run(limits, |shared| {
            let game = shared.game;
            let mut before = history.to_vec();
            if !before.is_empty() || game.depends_on_history() {
                before.push(*root);
            }
            let mut moves = Vec::new();
            game.moves(root, &mut moves);
            let left_out = limits.left_out(moves.len());
            let mut place = 0..;
            moves.retain(|_| place.next().is_some_and(|place| !left_out.contains(&place)));
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
            let is_ahead = |branch: &Branch| depth.is_some_and(|depth| branch.depth > depth);
            // The value of the last iteration, and of the one before it.
            let found = |branch: &Branch| {
                let [last, before, earlier] = branch.values;
                let cut_short = is_ahead(branch) && !branch.solved();
                if cut_short { (before, earlier) } else { (last, before) }
            };
            let found: Vec<(Worth, Worth)> = values.iter().map(found).collect();
            let best_first = |averaged: bool| {
                let last = found.iter().map(|(last, _)| *last);
                let shown = if averaged { averages(&found) } else { last.collect() };
                let mut places: Vec<usize> = (0..moves.len()).collect();
                // Of equal ones the move that the last iteration prefers.
                places
                    .sort_by_key(|&at| Reverse((shown[at].hundredths(), found[at].0.hundredths())));
                places.into_iter().map(|at| (moves[at], shown[at])).collect()
            };
            let deepest = values.iter().map(|branch| branch.depth).max().unwrap_or(0);
            Compared {
                values: best_first(false),
                averaged: best_first(true),
                depth: depth.unwrap_or(deepest),
            }
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

/// Values of moves in the last iteration, averaged with those of the iteration before. The best move
/// is that of the last iteration, and its value that of the position, as [`Engine::search_averaged`]
/// has them: no other may have a larger one.
fn averages(found: &[(Worth, Worth)]) -> Vec<Worth> {
    let best_of = |values: &mut dyn Iterator<Item = Worth>| values.max_by_key(|v| v.hundredths());
    let best = best_of(&mut found.iter().map(|(last, _)| *last));
    let before = best_of(&mut found.iter().map(|(_, before)| *before));
    let Some((best, before)) = best.zip(before) else { return Vec::new() };
    let most = best.averaged(before).hundredths();
    let average = |&(last, before): &(Worth, Worth)| {
        let value = if last.hundredths() == best.hundredths() {
            most
        } else {
            last.averaged(before).hundredths().min(most)
        };
        last.with_guess(value)
    };
    found.iter().map(average).collect()
}

/// A move's value after the last iterations that reached it.
struct Branch {
    /// The last value first.
    values: [Worth; 3],
    /// The iterations.
    depth: u32,
}

impl Branch {
    fn new(value: Worth) -> Self {
        Branch { values: [value; 3], depth: 0 }
    }

    fn set(&mut self, value: Worth) {
        let [last, before, _] = self.values;
        // The first iteration has none before it.
        self.values = if self.depth == 0 { [value; 3] } else { [value, last, before] };
        self.depth += 1;
    }

    fn solved(&self) -> bool {
        self.values[0].is_exact()
    }
}

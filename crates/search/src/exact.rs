//! The exact score of a position, where nothing repeats above the databases.

use std::cmp::Reverse;
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use nutcracker_game::{Game, Score, SliceId, Step, Turn};

use crate::exact_table::{Known, Table};
use crate::{Oracle, known};

/// When a search gives up.
#[derive(Clone, Debug)]
pub struct ExactLimits<'a> {
    /// The most positions a call expands.
    pub nodes: u64,
    /// The largest size of the transposition table, in bytes. A smaller one makes the search
    /// longer, not wrong.
    pub table_bytes: usize,
    /// The search ends soon after this becomes true.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for ExactLimits<'_> {
    /// Any number of nodes, a table of 256 MiB.
    fn default() -> Self {
        ExactLimits { nodes: u64::MAX, table_bytes: 256 << 20, stop: None }
    }
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved<M> {
    /// The score of the side to move.
    pub score: Score,
    /// Every move that achieves it, in the order of the rules; none where the game is over.
    pub best: Vec<M>,
    /// The positions expanded on the way.
    pub nodes: u64,
    /// Scores read from the oracle.
    pub probes: u64,
}

/// Why a position's value cannot be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExactError<E> {
    /// A line of play repeated a position.
    Repeats {
        /// The slice of that position; with this slice in the oracle the search would not reach it.
        slice: SliceId,
    },
    /// The oracle failed.
    Oracle(E),
}

impl<E> fmt::Display for ExactError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExactError::Repeats { slice } => write!(
                f,
                "the game repeats positions above the databases; its value needs the databases \
                 of slice {slice}"
            ),
            ExactError::Oracle(_) => f.write_str("a score could not be read from a database"),
        }
    }
}

impl<E: Error + 'static> Error for ExactError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ExactError::Repeats { .. } => None,
            ExactError::Oracle(error) => Some(error),
        }
    }
}

/// The score of a position and its best moves; `None` when the limits were reached first.
///
/// Searches from the position downwards until every line of play ends or reaches a slice whose
/// scores the oracle knows. To solve many positions of one game, make a [`Search`] and keep it.
///
/// # Where it may be used
/// Above the databases the game must not repeat positions: in kalah every move brings seeds nearer
/// to a store, in awari stones can circulate forever. The value of a position that repeats depends
/// on how it was reached, which no search of this kind can store by position. A repetition on the
/// way is noticed and reported as [`ExactError::Repeats`]; a score that was returned is right for
/// every game, because it rests on lines of play that all ended.
///
/// # Example
/// A heap from which either side takes one, two or three counters and banks them; taking three
/// gives another move.
///
/// ```
/// use nutcracker_game::toy::Taking;
/// use nutcracker_search::{Empty, ExactLimits, exact_value};
///
/// let solved = exact_value(&Taking, &14, &Empty, &ExactLimits::default())?.expect("no limit was set");
/// assert_eq!(solved.score, 14);
/// assert_eq!(solved.best, [3]);
/// # Ok::<(), nutcracker_search::ExactError<std::convert::Infallible>>(())
/// ```
pub fn exact_value<G: Game, O: Oracle>(
    game: &G,
    position: &G::Position,
    oracle: &O,
    limits: &ExactLimits<'_>,
) -> Result<Option<Solved<G::Move>>, ExactError<O::Error>> {
    Search::new(game, oracle, limits).solve(position)
}

/// A search that keeps its results from one call to the next.
pub struct Search<'a, G: Game, O> {
    game: &'a G,
    oracle: &'a O,
    limits: ExactLimits<'a>,
    table: Table<G::Position>,
    /// The positions between the root and the current one.
    path: Vec<Frame<G::Position>>,
    /// The moves of the positions on the path, those of the last one at the end.
    choices: Vec<Choice<G::Position>>,
    steps: Vec<Step<G::Position>>,
    nodes: u64,
    last_node: u64,
    probes: u64,
}

/// A position on the path. The question is whether its score reaches `bound`.
struct Frame<P> {
    position: P,
    slice: SliceId,
    bound: Score,
    /// The table's entry.
    known: Known,
    /// The best value so far, and the place of its move in the order of the rules.
    best: Score,
    best_place: u16,
    /// The next choice to try.
    next: usize,
    /// The first of its choices.
    first: usize,
    /// The nodes expanded before.
    nodes_before: u64,
}

struct Choice<P> {
    step: Step<P>,
    place: u16,
}

/// The place of no move.
const NO_MOVE: u16 = u16::MAX;

/// Why a search ends early.
enum Halt<E> {
    Limits,
    Error(ExactError<E>),
}

impl<G: Game, O> fmt::Debug for Search<'_, G, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("game", self.game)
            .field("limits", &self.limits)
            .field("nodes", &self.nodes)
            .field("probes", &self.probes)
            .finish_non_exhaustive()
    }
}

impl<'a, G: Game, O: Oracle> Search<'a, G, O> {
    /// A search without results yet.
    pub fn new(game: &'a G, oracle: &'a O, limits: &ExactLimits<'a>) -> Self {
        Search {
            game,
            oracle,
            limits: limits.clone(),
            table: Table::new(limits.table_bytes),
            path: Vec::new(),
            choices: Vec::new(),
            steps: Vec::new(),
            nodes: 0,
            last_node: 0,
            probes: 0,
        }
    }

    /// The score of a position, without all best moves; `None` if a limit was reached first.
    pub fn score(&mut self, position: &G::Position) -> Result<Option<Score>, ExactError<O::Error>> {
        self.within_limits(|search| search.value(position))
    }

    /// The score of a position and its best moves; `None` when the limits were reached first.
    pub fn solve(
        &mut self,
        position: &G::Position,
    ) -> Result<Option<Solved<G::Move>>, ExactError<O::Error>> {
        self.within_limits(|search| {
            let (nodes, probes) = (search.nodes, search.probes);
            let score = search.value(position)?;
            let best = search.best_moves(position, score)?;
            Ok(Solved { score, best, nodes: search.nodes - nodes, probes: search.probes - probes })
        })
    }

    fn within_limits<T>(
        &mut self,
        search: impl FnOnce(&mut Self) -> Result<T, Halt<O::Error>>,
    ) -> Result<Option<T>, ExactError<O::Error>> {
        self.last_node = self.nodes.saturating_add(self.limits.nodes);
        let result = search(self);
        self.path.clear();
        self.choices.clear();
        match result {
            Ok(found) => Ok(Some(found)),
            Err(Halt::Limits) => Ok(None),
            Err(Halt::Error(error)) => Err(error),
        }
    }

    /// The score, by testing one bound after another (MTD(f)).
    fn value(&mut self, position: &G::Position) -> Result<Score, Halt<O::Error>> {
        let max = self.game.max_score(self.game.slice_of(position));
        let (mut lower, mut upper) = (-max, max);
        let mut guess = 0;
        while lower < upper {
            let bound = guess.max(lower + 1);
            guess = self.test(position, bound)?;
            if guess < bound {
                upper = guess;
            } else {
                lower = guess;
            }
        }
        Ok(guess)
    }

    /// The moves with which the mover gets `score`, the best it can get.
    fn best_moves(
        &mut self,
        position: &G::Position,
        score: Score,
    ) -> Result<Vec<G::Move>, Halt<O::Error>> {
        let mut moves = Vec::new();
        self.game.moves(position, &mut moves);
        let mut best = Vec::new();
        for mv in moves {
            let step = self.game.play(position, &mv);
            let next = self.test(&step.next, bound_after(&step, score))?;
            if step.value(next) >= score {
                best.push(mv);
            }
        }
        Ok(best)
    }

    /// Whether a position's score reaches `bound`: an answer of at least `bound` is a lower bound
    /// of the score, a smaller one is an upper bound.
    fn test(&mut self, position: &G::Position, bound: Score) -> Result<Score, Halt<O::Error>> {
        let mut answer = self.enter(position, bound)?;
        loop {
            if let Some(score) = answer {
                let Some(frame) = self.path.last_mut() else {
                    return Ok(score);
                };
                let choice = &self.choices[frame.next - 1];
                let value = choice.step.value(score);
                if value > frame.best {
                    frame.best = value;
                    frame.best_place = choice.place;
                }
            }
            let frame = self.path.last_mut().expect("a position that is not answered is entered");
            answer = match self.choices.get(frame.next) {
                Some(choice) if frame.best < frame.bound => {
                    frame.next += 1;
                    let bound = bound_after(&choice.step, frame.bound);
                    let next = choice.step.next;
                    self.enter(&next, bound)?
                }
                _ => Some(self.leave()),
            };
        }
    }

    /// Answers what needs no search; puts any other position on the path.
    fn enter(
        &mut self,
        position: &G::Position,
        bound: Score,
    ) -> Result<Option<Score>, Halt<O::Error>> {
        if let Some(score) = self.game.outcome(position) {
            return Ok(Some(score));
        }
        let score = known(self.game, self.oracle, position);
        if let Some(score) = score.map_err(|error| Halt::Error(ExactError::Oracle(error)))? {
            self.probes += 1;
            return Ok(Some(score));
        }
        let slice = self.game.slice_of(position);
        // Moves never lead back up: only positions of the same slice can repeat.
        let mut since = self.path.iter().rev().take_while(|frame| frame.slice == slice);
        if since.any(|frame| frame.position == *position) {
            return Err(Halt::Error(ExactError::Repeats { slice }));
        }
        let max = self.game.max_score(slice);
        let known = self.table.get(position);
        let known = known.unwrap_or(Known { lower: -max, upper: max, best: NO_MOVE });
        if known.lower >= bound {
            return Ok(Some(known.lower));
        }
        if known.upper < bound {
            return Ok(Some(known.upper));
        }
        if self.nodes >= self.last_node
            || self.limits.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
        {
            return Err(Halt::Limits);
        }
        let first = self.choices.len();
        self.path.push(Frame {
            position: *position,
            slice,
            bound,
            known,
            best: -max,
            best_place: known.best,
            next: first,
            first,
            nodes_before: self.nodes,
        });
        self.nodes += 1;
        self.choose(position, known.best);
        Ok(None)
    }

    /// Appends the moves of a position in the order in which they are tried: what was best
    /// before, then those that keep the turn, then those that bank most.
    fn choose(&mut self, position: &G::Position, best: u16) {
        let first = self.choices.len();
        self.game.steps(position, &mut self.steps);
        let steps = self.steps.drain(..);
        self.choices.extend((0..).zip(steps).map(|(place, step)| Choice { step, place }));
        self.choices[first..].sort_by_key(|Choice { step, place }| {
            Reverse((*place == best, step.turn == Turn::Stays, step.gain))
        });
    }

    /// Takes the last position off the path and stores its result.
    fn leave(&mut self) -> Score {
        let frame = self.path.pop().expect("the path is as long as the search is deep");
        self.choices.truncate(frame.first);
        let mut known = Known { best: frame.best_place, ..frame.known };
        if frame.best < frame.bound {
            known.upper = frame.best;
        } else {
            known.lower = frame.best;
        }
        self.table.put(&frame.position, known, self.nodes - frame.nodes_before);
        frame.best
    }
}

/// The bound to test at the next position to decide whether the move's value reaches `bound`.
fn bound_after<P>(step: &Step<P>, bound: Score) -> Score {
    match step.turn {
        Turn::Passes => step.gain - bound + 1,
        Turn::Stays => bound - step.gain,
    }
}

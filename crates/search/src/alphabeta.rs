//! Negamax alpha-beta with principal variation search, and proven bounds carried along.
//!
//! Every position gets two answers at once: a value, for which evaluations stand in at the
//! horizon, and bounds of the score that rest on rules and databases alone. A lower bound is that
//! of one move; an upper bound needs all moves. So a cut on a guess costs a proof its upper bound
//! and never makes a wrong one.
//!
//! # Repetition
//! A position that is on the path already is worth 0 there. What follows from that depends on the
//! path. Each answer knows the first place of the path it depends on, and is stored in the table
//! only where that is not above the position itself.
//!
//! What is stored is therefore about the position's score, the value with no history. A search from
//! a position without history may use such bounds anywhere below it: against a threshold above 0, a
//! side that has the score can win it without repeating, and its opponent cannot prevent that by
//! repeating; below 0, the same with the sides exchanged. With history in the slice of the root, a
//! position of that slice whose score is s is worth something between 0 and s: the side that is
//! ahead may be barred by a position of the history, and a side content with 0 or less is never
//! harmed by a repetition. Stored bounds and databases are used with that restriction there.
//!
//! Where a repetition is worth something else, nothing of this holds: what was found without
//! history answers only for a position that is the first of its slice on the path. There nothing can
//! be repeated but what comes after it.

mod lookup;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use self::lookup::Lookup;

use nutcracker_game::{Evaluate, Score, SliceId};

use crate::found::{Found, window_after};
use crate::order::{Choice, Order};
use crate::path::{FREE, Path, Place};
use crate::tt::{NO_MOVE, Table};
use crate::{EngineOptions, Limits, Oracle};

/// No iteration is deeper.
pub(crate) const MAX_DEPTH: u32 = 250;
/// The plies that unquiet positions can add to a line.
pub(crate) const EXTENSION: u32 = 8;
/// Larger than any value.
pub(crate) const INFINITE: i32 = 10_000_000;
/// Nodes between two checks of the clock and the stop flag.
const CHECK_INTERVAL: u64 = 256;

/// State shared by the threads of a search.
pub(crate) struct Shared<'a, G, O: Oracle> {
    pub game: &'a G,
    pub oracle: &'a O,
    pub options: &'a EngineOptions,
    pub weights: &'a [f32],
    pub limits: &'a Limits<'a>,
    pub table: &'a Table,
    pub started: Instant,
    /// All threads end soon after this becomes true.
    pub halt: AtomicBool,
    pub nodes: AtomicU64,
    pub probes: AtomicU64,
    pub error: Mutex<Option<O::Error>>,
}

/// The search was ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halted;

/// One thread's search.
pub(crate) struct Worker<'a, G: Evaluate, O: Oracle> {
    shared: &'a Shared<'a, G, O>,
    path: Path<G::Position>,
    /// The root's place on the path.
    root: Place,
    /// Whether the root must have a move, and so is not answered by what is known of it.
    needs_move: bool,
    /// Whether the root's score is known.
    solved: bool,
    /// The slice in which the game has been before the root, if any.
    history: Option<SliceId>,
    /// The slice of the root.
    slice: SliceId,
    /// Whether a repetition is worth something, so that values depend on the positions before.
    depends: bool,
    /// Moves of the root that are not searched, by their places.
    left_out: Vec<u16>,
    choices: Vec<Choice<G::Position, G::Move>>,
    moves: Vec<G::Move>,
    order: Order<G::Move>,
    /// By ply, the line expected from there on.
    lines: Vec<Vec<G::Move>>,
    /// The root's move to try first.
    first: u16,
    /// The value of the best move so far of a search of the root, once one exceeds its window's
    /// lower end.
    raised: Option<i32>,
    nodes: u64,
    probes: u64,
    /// The part of `nodes` and `probes` already added to the shared counters.
    reported: (u64, u64),
    /// The node count at which limits are checked next.
    check_at: u64,
}

impl<'a, G: Evaluate, O: Oracle> Worker<'a, G, O> {
    /// A thread about to search positions that come after `history`.
    pub(crate) fn new(
        shared: &'a Shared<'a, G, O>,
        root: &G::Position,
        history: &[G::Position],
        needs_move: bool,
    ) -> Self {
        let game = shared.game;
        let slice = game.slice_of(root);
        let path = Path::after(history, slice, |position| game.slice_of(position));
        let plies = (MAX_DEPTH + EXTENSION + 2) as usize;
        Worker {
            shared,
            root: path.len(),
            needs_move,
            solved: false,
            history: (path.len() > 0).then_some(slice),
            slice,
            depends: game.depends_on_history(),
            left_out: Vec::new(),
            path,
            choices: Vec::new(),
            moves: Vec::new(),
            order: Order::new(plies),
            lines: vec![Vec::new(); plies],
            first: NO_MOVE,
            raised: None,
            nodes: 0,
            probes: 0,
            reported: (0, 0),
            check_at: 0,
        }
    }

    /// Leaves moves of the root out of the following searches, and lets them begin with `first`.
    pub(crate) fn leave_out(&mut self, places: &[u16], first: u16) {
        self.left_out.clear();
        self.left_out.extend_from_slice(places);
        self.first = first;
    }

    /// The root's move to try first, as the last search suggests.
    pub(crate) fn first(&self) -> u16 {
        self.first
    }

    /// The slice in which stored bounds and databases are not certain.
    ///
    /// A move left out counts like a history: below the other moves, the side that is ahead may
    /// need it when the root comes up again, and is barred by the repetition.
    fn barred(&self) -> Option<SliceId> {
        if self.left_out.is_empty() { self.history } else { Some(self.slice) }
    }

    /// Searches the root within a window. Where that is cut short, the line so far stays.
    pub(crate) fn search(
        &mut self,
        root: &G::Position,
        depth: u32,
        (alpha, beta): (i32, i32),
    ) -> Result<Found, Halted> {
        self.path.truncate(self.root);
        self.choices.clear();
        self.raised = None;
        let found = self.node(root, alpha, beta, depth, EXTENSION)?;
        self.solved = found.lower == found.upper;
        Ok(found)
    }

    /// Whether the last search of the root has proved its score.
    pub(crate) fn is_solved(&self) -> bool {
        self.solved
    }

    /// The line found by the last search, complete or not, and the value of its first move, if
    /// that exceeds the lower end of the window.
    pub(crate) fn raised(&self) -> Option<(i32, &[G::Move])> {
        self.raised.map(|value| (value, self.lines[0].as_slice()))
    }

    /// Adds new nodes and probes to the shared counters.
    pub(crate) fn report(&mut self) {
        self.shared.nodes.fetch_add(self.nodes - self.reported.0, Relaxed);
        self.shared.probes.fetch_add(self.probes - self.reported.1, Relaxed);
        self.reported = (self.nodes, self.probes);
    }

    /// Ends the search where a limit is reached.
    fn check(&mut self) -> Result<(), Halted> {
        self.report();
        let limits = self.shared.limits;
        let left = limits
            .nodes
            .map_or(u64::MAX, |nodes| nodes.saturating_sub(self.shared.nodes.load(Relaxed)));
        if left == 0
            || self.shared.halt.load(Relaxed)
            || limits.stop.is_some_and(|stop| stop.load(Relaxed))
            || limits.time.is_some_and(|time| self.shared.started.elapsed() >= time)
        {
            self.shared.halt.store(true, Relaxed);
            return Err(Halted);
        }
        let share = (left / self.shared.options.threads.max(1) as u64).max(1);
        self.check_at = self.nodes + share.min(CHECK_INTERVAL);
        Ok(())
    }

    /// Searches a position to `depth` plies, beyond them as long as positions are unquiet and
    /// `extension` lasts.
    fn node(
        &mut self,
        position: &G::Position,
        alpha: i32,
        beta: i32,
        depth: u32,
        extension: u32,
    ) -> Result<Found, Halted> {
        if self.nodes >= self.check_at {
            self.check()?;
        }
        self.nodes += 1;
        let game = self.shared.game;
        let place = self.path.len();
        let ply = place - self.root;
        self.lines[ply].clear();
        let node = match self.look_up(position, (alpha, beta), depth)? {
            Lookup::Answer(found) => return Ok(found),
            Lookup::Open(node) => node,
        };
        let (mut left, mut extension) = (depth, extension);
        if depth == 0 {
            if extension == 0 || node.guess.is_some() || !game.is_unquiet(position) {
                let guess = node.guess;
                let guess = guess.unwrap_or_else(|| game.evaluate(position, self.shared.weights));
                return Ok(Found::guess(guess, node.bounds));
            }
            extension -= 1;
            left = 1;
        }
        let start = self.choices.len();
        let first = if ply == 0 && self.first != NO_MOVE { self.first } else { node.known.best };
        let (moves, choices) = (&mut self.moves, &mut self.choices);
        self.order.choose(game, position, ply, first, moves, choices);
        if ply == 0 && !self.left_out.is_empty() {
            choices.retain(|choice| !self.left_out.contains(&choice.place));
        }
        self.path.push(*position, node.slice);
        let result = self.moves(place, start, node.bounds, (alpha, beta), left, extension);
        self.path.pop();
        self.choices.truncate(start);
        let (found, best) = result?;
        // Where no move reached the window, none is known to be best.
        let best = if found.value > alpha || first == NO_MOVE { best } else { first };
        if ply == 0 {
            self.first = best;
        }
        if ply > 0 || self.left_out.is_empty() {
            self.keep(&node, &found, (alpha, beta), depth, best);
        }
        Ok(found)
    }

    /// Searches the moves of the position at `place` of the path, and returns which one is best.
    fn moves(
        &mut self,
        place: Place,
        first: usize,
        bounds: (Score, Score),
        (alpha, beta): (i32, i32),
        depth: u32,
        extension: u32,
    ) -> Result<(Found, u16), Halted> {
        let ply = place - self.root;
        let end = self.choices.len();
        let mut best = Found::guess(-INFINITE, (bounds.0, bounds.0));
        best.value = -INFINITE;
        let mut best_place = NO_MOVE;
        // The best move's own lower bound, and all moves' upper one.
        let mut best_lower = Score::MIN;
        let mut upper = (Score::MIN, FREE);
        let mut cut = false;
        for at in first..end {
            let choice = self.choices[at];
            let reach = alpha.max(best.value);
            let found = self.try_move(&choice, at - first, (reach, beta), depth, extension)?;
            best.value_from = best.value_from.min(found.value_from);
            // Of two moves of equal value, prefer the proven one.
            let proven = found.value == best.value
                && 100 * i32::from(found.lower) == found.value
                && found.lower > best_lower;
            if found.value > best.value || proven {
                best.value = found.value;
                best_place = choice.place;
                best_lower = found.lower;
                if ply == 0 || (beta - alpha > 1 && found.value > alpha) {
                    let (line, rest) = self.lines.split_at_mut(ply + 1);
                    line[ply].clear();
                    line[ply].push(choice.mv);
                    line[ply].extend_from_slice(&rest[0]);
                }
                if ply == 0 && found.value > alpha {
                    self.raised = Some(found.value);
                }
            }
            if found.lower > best.lower
                || (found.lower == best.lower && found.lower_from > best.lower_from)
            {
                (best.lower, best.lower_from) = (found.lower, found.lower_from);
            }
            upper = (upper.0.max(found.upper), upper.1.min(found.upper_from));
            if found.value >= beta {
                // The others do not matter for this.
                best.value_from = found.value_from;
                cut = at + 1 < end;
                let tried = &self.choices[first..at];
                self.order.cut(ply, depth, tried, choice.mv);
                break;
            }
        }
        (best.upper, best.upper_from) =
            if cut || upper.0 >= bounds.1 { (bounds.1, FREE) } else { upper };
        let (least, most) = (100 * i32::from(best.lower), 100 * i32::from(best.upper));
        if best.value < least {
            best.value = least;
            best.value_from = best.value_from.min(best.lower_from);
        } else if best.value > most {
            best.value = most;
            best.value_from = best.value_from.min(best.upper_from);
        }
        // What depends on this position itself depends on nothing above it.
        for from in [&mut best.value_from, &mut best.lower_from, &mut best.upper_from] {
            if *from >= place {
                *from = FREE;
            }
        }
        Ok((best, best_place))
    }

    /// The value of a move: within the window if it is the first, else first whether it exceeds
    /// `alpha` at all.
    fn try_move(
        &mut self,
        choice: &Choice<G::Position, G::Move>,
        number: usize,
        (alpha, beta): (i32, i32),
        depth: u32,
        extension: u32,
    ) -> Result<Found, Halted> {
        let reduces = self.shared.options.late_move_reductions;
        let mut search = |alpha, beta, depth: u32| {
            let (alpha, beta) = window_after(&choice.step, alpha, beta);
            let found = self.node(&choice.step.next, alpha, beta, depth - 1, extension)?;
            Ok(found.through(&choice.step))
        };
        if number == 0 {
            return search(alpha, beta, depth);
        }
        if reduces && number >= 3 && depth >= 3 && choice.step.gain == 0 {
            let found = search(alpha, alpha + 1, depth - 1)?;
            if found.value <= alpha {
                return Ok(found);
            }
        }
        let found = search(alpha, alpha + 1, depth)?;
        if found.value <= alpha || found.value >= beta {
            return Ok(found);
        }
        search(alpha, beta, depth)
    }
}

//! The lines of a search, and how far each has come.

use std::sync::atomic::Ordering::Relaxed;

use nutcracker_game::{Evaluate, Score};

use crate::alphabeta::{Halted, INFINITE, Shared, Worker};
use crate::hash::Key;
use crate::order::first_guess;
use crate::tt::NO_MOVE;
use crate::{Oracle, Report, Worth};

/// Half the width of the first aspiration window around the value of the previous iteration.
const ASPIRATION: i32 = 60;
/// Iterations of fewer plies have the full window.
const WINDOW_FROM: u32 = 4;

/// What is known of a position without a search.
pub(crate) fn at_a_glance<G: Evaluate, O: Oracle>(
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

/// The best lines from a position, at least one, each over the moves that begin none before it.
pub(crate) struct Lines<'a, G: Evaluate, O: Oracle> {
    moves: Vec<G::Move>,
    /// Moves that begin no line, by their places.
    left_out: Vec<u16>,
    ranked: Vec<Line<'a, G, O>>,
}

impl<'a, G: Evaluate, O: Oracle> Lines<'a, G, O> {
    /// Before the first iteration: guesses, and moves that are legal.
    pub(crate) fn new(
        shared: &'a Shared<'a, G, O>,
        root: &G::Position,
        moves: Vec<G::Move>,
        left_out: &[u16],
        count: usize,
    ) -> Self {
        let mut taken = left_out.to_vec();
        let mut ranked = Vec::with_capacity(count);
        for rank in 1..=count {
            let line = Line::new(shared, root, rank, taken.clone());
            taken.extend(line.place(&moves));
            ranked.push(line);
        }
        Lines { moves, left_out: left_out.to_vec(), ranked }
    }

    /// One more iteration.
    pub(crate) fn deepen(
        &mut self,
        worker: &mut Worker<'_, G, O>,
        depth: u32,
    ) -> Result<(), Halted> {
        let mut taken = self.left_out.clone();
        for line in &mut self.ranked {
            line.deepen(worker, depth, &taken)?;
            taken.extend(line.place(&self.moves));
        }
        Ok(())
    }

    /// Whether the search is complete.
    pub(crate) fn done(&self) -> bool {
        self.ranked.iter().all(Line::done)
    }

    /// Brings the numbers up to date.
    pub(crate) fn count(&mut self) {
        self.ranked.iter_mut().for_each(Line::count);
    }

    /// What is to be reported, the best line first.
    pub(crate) fn reports(&self) -> impl Iterator<Item = &Report<G::Move>> {
        self.ranked.iter().map(|line| &line.report)
    }

    /// The best line.
    pub(crate) fn best(&self) -> &Report<G::Move> {
        &self.ranked[0].report
    }
}

/// How far a line has come.
struct Line<'a, G: Evaluate, O: Oracle> {
    shared: &'a Shared<'a, G, O>,
    root: G::Position,
    max: Score,
    report: Report<G::Move>,
    /// Moves that do not begin it, by their places.
    left_out: Vec<u16>,
    /// The move to try first.
    first: u16,
}

impl<'a, G: Evaluate, O: Oracle> Line<'a, G, O> {
    fn new(
        shared: &'a Shared<'a, G, O>,
        root: &G::Position,
        rank: usize,
        left_out: Vec<u16>,
    ) -> Self {
        let (guess, lower, upper) = at_a_glance(shared, root);
        let known = shared.table.get(Key::of(root)).map(|known| known.best);
        let report = Report {
            rank,
            depth: 0,
            value: Worth::of(guess, lower, upper, upper),
            bounds: (lower, upper),
            line: first_guess(shared.game, root, known, &left_out).into_iter().collect(),
            nodes: 0,
            elapsed: shared.started.elapsed(),
            table_permille: 0,
            probes: 0,
        };
        Line { shared, root: *root, max: upper, report, left_out, first: NO_MOVE }
    }

    /// The place of its first move.
    fn place(&self, moves: &[G::Move]) -> Option<u16> {
        let best = self.report.best()?;
        moves.iter().position(|mv| *mv == best).map(|place| place as u16)
    }

    fn done(&self) -> bool {
        self.report.bounds.0 == self.report.bounds.1 || self.report.line.is_empty()
    }

    fn count(&mut self) {
        self.report.nodes = self.shared.nodes.load(Relaxed);
        self.report.probes = self.shared.probes.load(Relaxed);
        self.report.elapsed = self.shared.started.elapsed();
        self.report.table_permille = self.shared.table.permille();
    }

    /// One more iteration, over all moves but those left out.
    fn deepen(
        &mut self,
        worker: &mut Worker<'_, G, O>,
        depth: u32,
        left_out: &[u16],
    ) -> Result<(), Halted> {
        if self.left_out != left_out {
            // What was proven is about other moves.
            self.left_out = left_out.to_vec();
            self.report.bounds = (-self.max, self.max);
        } else if self.report.depth > 0 && self.done() {
            return Ok(());
        }
        worker.leave_out(&self.left_out, self.first);
        let result = self.iterate(worker, depth);
        self.first = worker.first();
        result
    }

    /// Where an iteration is cut short, a better move it has found is the one to play; value and
    /// depth remain those of the last complete iteration, because a value is comparable with others
    /// of its own depth only.
    fn iterate(&mut self, worker: &mut Worker<'_, G, O>, depth: u32) -> Result<(), Halted> {
        let mut window = (-INFINITE, INFINITE);
        let before = self.report.value.hundredths();
        let mut width = ASPIRATION;
        if depth >= WINDOW_FROM {
            window = (before - width, before + width);
        }
        loop {
            let result = worker.search(&self.root, depth, window);
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
            let mut value = before;
            if let Some((raised, line)) = worker.raised() {
                if result.is_ok() {
                    value = raised;
                }
                if result.is_ok() || line.first() != self.report.line.first() {
                    line.clone_into(&mut self.report.line);
                    self.lengthen(depth);
                }
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

//! The engine: iterations, threads, and what is reported.

use std::error::Error;
use std::fmt;
use std::time::Instant;

use nutcracker_game::Evaluate;

use crate::alphabeta::Worker;
use crate::{EngineOptions, Limits, MoveValues, Oracle, Report, Value};

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

/// A search that deepens until it is stopped or has proved the value.
pub struct Engine<G: Evaluate, O: Oracle> {
    game: G,
    oracle: O,
    options: EngineOptions,
}

impl<G: Evaluate, O: Oracle> fmt::Debug for Engine<G, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("game", &self.game)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

type Found<M, E> = Result<Report<M>, SearchError<E>>;

impl<G: Evaluate, O: Oracle<Error: Send> + Sync> Engine<G, O> {
    /// An engine that has searched nothing yet.
    pub fn new(game: G, oracle: O, options: EngineOptions) -> Self {
        Engine { game, oracle, options }
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

    /// Searches a position and tells `on_report` after every iteration.
    ///
    /// `history` has the positions of the game before `root`, oldest first, each as its mover saw
    /// it: a move that repeats one of them ends the game, with 0 from there on. There is always a
    /// move in the answer where there is a legal one, whatever the limits.
    pub fn search(
        &mut self,
        root: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
        on_report: &mut dyn FnMut(&Report<G::Move>),
    ) -> Found<G::Move, O::Error> {
        let started = Instant::now();
        let mut worker = Worker::new(&self.game, &self.oracle, &self.options, limits, history);
        let mut best = None;
        for depth in 0..=limits.depth.unwrap_or(100) {
            match worker.iterate(root, depth, started)? {
                Some(report) => {
                    on_report(&report);
                    let exact = matches!(report.value, Value::Exact(_));
                    best = Some(report);
                    if exact {
                        break;
                    }
                }
                None => break,
            }
        }
        Ok(best.expect("depth 0 is always completed"))
    }

    /// Every move of a position with its own value, best first.
    pub fn search_all(
        &mut self,
        root: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
    ) -> Result<MoveValues<G::Move>, SearchError<O::Error>> {
        let mut moves = Vec::new();
        self.game.moves(root, &mut moves);
        let mut before = history.to_vec();
        before.push(*root);
        let mut values = Vec::new();
        for mv in moves {
            let step = self.game.play(root, &mv);
            let report = self.search(&step.next, &before, limits, &mut |_| ())?;
            values.push((mv, report.value.through(&step)));
        }
        values.sort_by_key(|(_, value)| std::cmp::Reverse(value.hundredths()));
        Ok(values)
    }
}

//! Experts: the sources of values for positions.

use nutcracker_game::{Evaluate, Game};
use nutcracker_search::{Empty, Engine, EngineOptions, Limits, Oracle, Worth, known, known_bounds};

use crate::error::{BookError, Result};

/// Evaluates positions. Never called on terminal positions.
pub trait Expert<G: Game> {
    /// Evaluates a position.
    fn evaluate(&mut self, position: &G::Position) -> Result<Worth>;
}

impl<G: Game, E: Expert<G> + ?Sized> Expert<G> for Box<E> {
    fn evaluate(&mut self, position: &G::Position) -> Result<Worth> {
        (**self).evaluate(position)
    }
}

/// A function as an expert.
#[derive(Clone, Debug)]
pub struct FnExpert<F>(pub F);

impl<G: Game, F: FnMut(&G::Position) -> Worth> Expert<G> for FnExpert<F> {
    fn evaluate(&mut self, position: &G::Position) -> Result<Worth> {
        Ok(self.0(position))
    }
}

/// The game's evaluation, without any search.
#[derive(Clone, Debug)]
pub struct StaticExpert<G>(pub G);

impl<G: Evaluate> Expert<G> for StaticExpert<G> {
    fn evaluate(&mut self, position: &G::Position) -> Result<Worth> {
        Ok(Worth::guess(self.0.evaluate(position, self.0.fitted())))
    }
}

/// Databases first, and another expert where they do not reach.
///
/// This is not what [`Adviser`](nutcracker_search::player::Adviser) decides. A node of a book has one
/// value for every game that reaches it, so a single probe without history suffices; a player needs
/// the values of all moves after the game so far, hence all databases that they lead to.
#[derive(Clone, Debug)]
pub struct WithDatabases<G, O, E> {
    /// The game.
    pub game: G,
    /// The databases.
    pub oracle: O,
    /// The expert above them.
    pub above: E,
}

impl<G: Game, O: Oracle, E: Expert<G>> Expert<G> for WithDatabases<G, O, E>
where
    O::Error: std::fmt::Display,
{
    fn evaluate(&mut self, position: &G::Position) -> Result<Worth> {
        let failed = |error: O::Error| BookError::Expert(error.to_string());
        if let Some(score) = known(&self.game, &self.oracle, position).map_err(failed)? {
            return Ok(Worth::exact(score));
        }
        // Where a repetition is worth something, databases have what each side can force.
        match known_bounds(&self.game, &self.oracle, position).map_err(failed)? {
            Some((lower, upper)) if lower == upper => Ok(Worth::exact(lower)),
            Some((lower, upper)) => {
                let guess = self.above.evaluate(position)?.hundredths();
                Ok(Worth::between(lower, upper).with_guess(guess))
            }
            None => self.above.evaluate(position),
        }
    }
}

/// How the usual expert evaluates positions.
#[derive(Clone, Copy, Debug)]
pub struct ExpertSettings {
    /// Plies of the engine's search; 0 takes the game's evaluation.
    pub depth: u32,
    /// Positions of one search, at most.
    pub search_nodes: Option<u64>,
    /// The least remaining depth at which databases are probed.
    pub probe_depth: u32,
    /// Bytes of the engine's transposition table.
    pub table_bytes: usize,
}

impl ExpertSettings {
    /// The expert: databases where they reach, else the engine.
    pub fn expert<'a, G, O>(&self, game: &G, databases: Option<O>) -> Box<dyn Expert<G> + Send + 'a>
    where
        G: Evaluate,
        O: Oracle<Error: std::fmt::Display + Send> + Clone + Send + Sync + 'a,
    {
        let limits =
            Limits { depth: Some(self.depth), nodes: self.search_nodes, ..Limits::default() };
        let options = EngineOptions {
            table_bytes: self.table_bytes,
            probe_depth: self.probe_depth,
            ..EngineOptions::default()
        };
        let (game, evaluation) = (game.clone(), StaticExpert(game.clone()));
        match databases {
            None if self.depth == 0 => Box::new(evaluation),
            None => {
                let engine = Engine::new(game, Empty, options);
                Box::new(Searcher { engine, limits })
            }
            Some(oracle) if self.depth == 0 => {
                Box::new(WithDatabases { above: evaluation, game, oracle })
            }
            Some(oracle) => {
                let engine = Engine::new(game.clone(), oracle.clone(), options);
                Box::new(WithDatabases { above: Searcher { engine, limits }, game, oracle })
            }
        }
    }
}

/// An engine that searches every position up to its limits.
#[derive(Debug)]
pub struct Searcher<G: Evaluate, O: Oracle> {
    /// The engine.
    pub engine: Engine<G, O>,
    /// When a search ends.
    pub limits: Limits<'static>,
}

impl<G: Evaluate, O: Oracle<Error: std::fmt::Display + Send> + Sync> Expert<G> for Searcher<G, O> {
    fn evaluate(&mut self, position: &G::Position) -> Result<Worth> {
        // Positions of both sides are compared: a guess must not depend on the parity of the depth.
        let found = self.engine.search_averaged(position, &[], &self.limits, &mut |_| ());
        let report = found.map_err(|error| match error {
            nutcracker_search::SearchError::Oracle(error) => BookError::Expert(error.to_string()),
        })?;
        // What was proven may rest on a repetition. Where that is worth something, it need not hold for
        // a game that reaches the position, so a node takes it as a guess.
        let holds_always = !self.engine.game().depends_on_history();
        let guess = Worth::guess(report.value.hundredths());
        Ok(if holds_always { report.value } else { guess })
    }
}

//! A player that chooses by a strategy, as long as databases reach.

use std::error::Error;
use std::fmt;

use nutcracker_game::Game;
use nutcracker_search::player::Strategy;
use nutcracker_search::{Oracle, Worth};

use crate::{Player, PlayerError, PlayerOption, Progress, Request, Thought};

/// A player that takes the first move that a [`Strategy`] leaves, and asks another player where its
/// databases do not reach.
pub struct Strategist<G, O, P> {
    game: G,
    strategy: Strategy,
    /// For each filter of the strategy.
    oracles: Vec<O>,
    otherwise: P,
}

impl<G: Game, O, P> fmt::Debug for Strategist<G, O, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strategist").field("strategy", &self.strategy).finish_non_exhaustive()
    }
}

impl<G: Game, O, P> Strategist<G, O, P> {
    /// A player with databases for each filter of a strategy.
    pub fn new(game: G, strategy: Strategy, oracles: Vec<O>, otherwise: P) -> Self {
        Strategist { game, strategy, oracles, otherwise }
    }
}

impl<G: Game, O: Oracle + Send, P: Player<G>> Player<G> for Strategist<G, O, P>
where
    O::Error: Error + 'static,
{
    fn name(&self) -> String {
        format!("strategy {}", self.strategy)
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.otherwise.new_game()
    }

    fn options(&self) -> Vec<PlayerOption> {
        self.otherwise.options()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        self.otherwise.set_option(name, value)
    }

    fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
        let played = request.played;
        let now = played.now();
        let earlier: Vec<G::Position> = played
            .situations()
            .iter()
            .filter(|at| at.mover != now.mover)
            .map(|at| at.position)
            .collect();
        let repeats = |next: &G::Position| {
            let occurred = earlier.iter().filter(|&at| at == next).count();
            occurred + 1 >= self.game.occurrences()
        };
        let kept = self.strategy.keep(
            &self.game,
            &self.oracles,
            &now.position,
            &repeats,
            played.quiet(),
        )?;
        let mut kept = kept.unwrap_or_default();
        if !request.among.is_empty() {
            kept.retain(|(mv, _)| request.among.contains(mv));
        }
        let Some(&(best, value)) = kept.first() else { return self.otherwise.choose(request) };
        let metric = self.strategy.metrics().next();
        let score = metric.map(|metric| Worth::by(metric, value));
        (request.on_progress)(&Progress { value: score, line: vec![best], ..Progress::default() });
        Ok(Thought { score, ..Thought::only(best) })
    }
}

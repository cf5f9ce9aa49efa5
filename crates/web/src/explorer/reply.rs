//! Replies of a perfect player, or of one that errs on purpose.

use std::sync::Arc;
use std::time::Duration;

use nutcracker_game::Random;
use nutcracker_game::{Evaluate, Situation};
use nutcracker_search::player::{Fallible, Level, Perfect, PlayerError};
use nutcracker_search::{Engine, Limits, TableOracle, Worth};
use nutcracker_table::TableError;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::{Budget, Handle};

/// Positions a perfect player examines for one move.
const PERFECT_LIMIT: usize = 100_000;
/// How long a move is searched for above the databases.
const REPLY_TIME: Duration = Duration::from_millis(1500);

/// The replying player, and the game so far.
#[derive(Clone, Debug)]
pub struct Opponent {
    /// The moves from the position on.
    pub moves: Vec<String>,
    /// How strong it is.
    pub level: Level,
    /// What its errors depend on.
    pub seed: u64,
}

/// A move of the other side.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reply {
    /// The move.
    #[serde(rename = "move")]
    #[schema(example = "E3x5")]
    pub name: String,
    /// What it is worth to its mover.
    pub value: Worth,
    /// Where it comes from.
    pub source: Source,
}

/// Where a move comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// From the databases.
    Database,
    /// From a search.
    Search,
}

/// The positions of a game so far, and the current one.
type Reached<P> = (Vec<P>, Situation<P>);

impl<G: Evaluate> Handle<G> {
    pub(super) fn oracle(&self) -> Result<TableOracle, ExplorerError> {
        Ok(TableOracle::new(Arc::clone(&self.set))?)
    }

    /// A player by the databases.
    pub(super) fn perfect(&self) -> Result<Perfect<G, TableOracle>, ExplorerError> {
        Ok(Perfect::with_limit(self.game.clone(), self.oracle()?, PERFECT_LIMIT))
    }

    /// Why a player could not choose.
    pub(super) fn player_error(&self, error: PlayerError<TableError>) -> ExplorerError {
        match error {
            PlayerError::NoDatabase { slice } => ExplorerError::NoDatabase(self.missing(slice)),
            PlayerError::Oracle(error) => self.explain(error),
            error => ExplorerError::IllegalMove(error.to_string()),
        }
    }

    /// The place of the legal move with this name.
    pub(super) fn find_move(
        &self,
        situation: &Situation<G::Position>,
        name: &str,
    ) -> Result<usize, ExplorerError> {
        nutcracker_game::find_move(&self.game, situation, name)
            .map_err(|error| ExplorerError::IllegalMove(error.to_string()))
    }

    /// Plays moves by their names: the positions before the last one, and the last one.
    pub(super) fn history(
        &self,
        start: Situation<G::Position>,
        moves: &[&str],
    ) -> Result<Reached<G::Position>, ExplorerError> {
        let game = &self.game;
        let (mut situation, mut history) = (start, Vec::new());
        let mut legal = Vec::new();
        for name in moves {
            let place = self.find_move(&situation, name)?;
            legal.clear();
            game.moves(&situation.position, &mut legal);
            let step = game.play(&situation.position, &legal[place]);
            history.push(situation.position);
            situation = game.advance(&situation, &step);
        }
        Ok((history, situation))
    }

    pub(super) fn choose(
        &self,
        start: Situation<G::Position>,
        opponent: &Opponent,
        budget: &Budget,
    ) -> Result<Reply, ExplorerError> {
        let moves: Vec<&str> = opponent.moves.iter().map(String::as_str).collect();
        let (history, situation) = self.history(start, &moves)?;
        let (game, position) = (&self.game, &situation.position);
        let fallible = Fallible::new(game, opponent.level);
        let mut random = Random::new(opponent.seed);
        let mut player = self.perfect()?;
        let known = if opponent.level == Level::PERFECT {
            player.choose(position, &history)
        } else {
            player.choose_fallible(position, &history, &fallible, &mut random)
        };
        let described = |mv: &G::Move, value, source| {
            let step = game.play(position, mv);
            Reply { name: game.format_move(&situation, mv, &step), value, source }
        };
        match known {
            Ok(mv) => {
                let values =
                    player.values(position, &history).map_err(|error| self.player_error(error))?;
                let value = values.iter().find(|valued| valued.mv == mv).map_or(0, |v| v.value);
                return Ok(described(&mv, Worth::exact(value), Source::Database));
            }
            Err(PlayerError::NoDatabase { .. }) => {}
            Err(error) => return Err(self.player_error(error)),
        }
        // Above the databases all moves are searched together.
        let budget = budget.at_most(REPLY_TIME);
        let mut engine = Engine::new(game.clone(), self.oracle()?, super::search::options());
        let time = Some(budget.left());
        let limits = Limits { time, stop: Some(budget.flag()), ..Limits::default() };
        let values = engine
            .search_all(position, &history, &limits)
            .map_err(|nutcracker_search::SearchError::Oracle(error)| self.explain(error))?;
        let guesses: Vec<_> =
            values.iter().map(|&(mv, value)| ((mv, value), value.hundredths())).collect();
        let ((mv, value), _) = fallible.choose(&guesses, &mut random).ok_or_else(|| {
            ExplorerError::IllegalMove("the game is over here, so there is no move".to_owned())
        })?;
        Ok(described(&mv, value, Source::Search))
    }
}

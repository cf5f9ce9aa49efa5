//! Replies of a perfect player, or of one that errs on purpose.

use std::sync::Arc;
use std::time::Duration;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_book::play::{Guide, Style};
use nutcracker_game::Situation;
use nutcracker_game::{Numbering, Random, Rules, Score};
use nutcracker_search::player::{Adviser, Chosen, Level, Manner, Perfect, PlayerError, Source};
use nutcracker_search::{Limits, Oracle, TableOracle, Worth, known};
use nutcracker_table::{TableError, TableSet};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::{Budget, Explorer};

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
    /// How it chooses moves from the game's book, if it uses it.
    pub book: Option<Style>,
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
    pub source: ReplySource,
}

/// Where a reply comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplySource {
    /// Databases.
    Database,
    /// The game's book.
    Book,
    /// A search, whether or not it was complete: the value tells that.
    Search,
}

impl From<Source> for ReplySource {
    fn from(source: Source) -> Self {
        match source {
            Source::Database => ReplySource::Database,
            Source::Proof | Source::Search { .. } => ReplySource::Search,
        }
    }
}

/// The positions of a game so far, and the current one.
type Reached<P> = (Vec<P>, Situation<P>);

impl Explorer {
    pub(super) fn oracle(&self) -> Result<TableOracle, ExplorerError> {
        Ok(TableOracle::new(self.set())?)
    }

    /// A player by the databases.
    pub(super) fn perfect(&self) -> Result<Perfect<AnyGame, TableOracle>, ExplorerError> {
        self.perfect_by(self.set())
    }

    /// A player by these databases.
    pub(super) fn perfect_by(
        &self,
        set: Arc<TableSet>,
    ) -> Result<Perfect<AnyGame, TableOracle>, ExplorerError> {
        Ok(Perfect::with_limit(self.game.clone(), TableOracle::new(set)?, PERFECT_LIMIT))
    }

    /// Databases where they reach, and search elsewhere.
    pub(super) fn adviser(&self) -> Result<Adviser<AnyGame, TableOracle>, ExplorerError> {
        let oracle = Arc::new(self.oracle()?);
        let mut adviser = Adviser::new(self.game.clone(), oracle, super::search::options());
        adviser.limit_positions(PERFECT_LIMIT);
        Ok(adviser)
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
        situation: &Situation<AnyPosition>,
        name: &str,
    ) -> Result<usize, ExplorerError> {
        nutcracker_game::find_move(&self.game, situation, name)
            .map_err(|error| ExplorerError::IllegalMove(error.to_string()))
    }

    /// Plays moves by their names: all positions, the last one with them.
    fn reached(
        &self,
        start: Situation<AnyPosition>,
        moves: &[&str],
    ) -> Result<Vec<Situation<AnyPosition>>, ExplorerError> {
        let game = &self.game;
        let (mut situation, mut line) = (start, Vec::with_capacity(moves.len() + 1));
        let mut legal = Vec::new();
        for name in moves {
            let place = self.find_move(&situation, name)?;
            legal.clear();
            game.moves(&situation.position, &mut legal);
            let step = game.play(&situation.position, &legal[place]);
            line.push(situation);
            situation = game.advance(&situation, &step);
        }
        line.push(situation);
        Ok(line)
    }

    /// Plays moves by their names: the positions before the last one, and the last one.
    pub(super) fn history(
        &self,
        start: Situation<AnyPosition>,
        moves: &[&str],
    ) -> Result<Reached<AnyPosition>, ExplorerError> {
        let line = self.reached(start, moves)?;
        let (situation, before) = line.split_last().unwrap_or((&start, &[]));
        Ok((before.iter().map(|at| at.position).collect(), *situation))
    }

    /// The move of a player of a level where its book or databases have one: nothing is searched.
    pub fn known_reply(
        &self,
        text: &str,
        opponent: &Opponent,
    ) -> Result<Option<Reply>, ExplorerError> {
        if let Some(style) = opponent.book {
            let moves: Vec<&str> = opponent.moves.iter().map(String::as_str).collect();
            let line = self.reached(self.parse(text)?, &moves)?;
            let mut random = Random::new(opponent.seed);
            let reply = self.book_reply(&line, style, &mut random)?;
            if reply.is_some() {
                return Ok(reply);
            }
        }
        let (history, situation) = self.history_of(text, opponent)?;
        let mut adviser = self.adviser()?;
        let reached = adviser.by_databases(&situation.position, &history);
        if reached.map_err(|error| self.player_error(error))?.is_none() {
            return Ok(None);
        }
        let limits = Limits::default();
        self.chosen(&mut adviser, &history, &situation, opponent, &limits).map(Some)
    }

    /// The move of a player of a level, by a search.
    pub fn searched_reply(
        &self,
        text: &str,
        opponent: &Opponent,
        budget: &Budget,
    ) -> Result<Reply, ExplorerError> {
        let (history, situation) = self.history_of(text, opponent)?;
        let budget = budget.at_most(REPLY_TIME);
        let (time, stop) = (Some(budget.left()), Some(budget.flag()));
        let limits = Limits { time, stop, ..Limits::default() };
        self.chosen(&mut self.adviser()?, &history, &situation, opponent, &limits)
    }

    fn history_of(
        &self,
        text: &str,
        opponent: &Opponent,
    ) -> Result<Reached<AnyPosition>, ExplorerError> {
        let moves: Vec<&str> = opponent.moves.iter().map(String::as_str).collect();
        self.history(self.parse(text)?, &moves)
    }

    fn chosen(
        &self,
        adviser: &mut Adviser<AnyGame, TableOracle>,
        history: &[AnyPosition],
        situation: &Situation<AnyPosition>,
        opponent: &Opponent,
        limits: &Limits<'_>,
    ) -> Result<Reply, ExplorerError> {
        let (game, position) = (&self.game, &situation.position);
        let manner = Manner { level: opponent.level, trappy: false };
        let mut random = Random::new(opponent.seed);
        let Chosen { mv, value, source, .. } = adviser
            .choose(position, history, manner, &mut random, limits, &mut |_| ())
            .map_err(|error| self.player_error(error))?;
        let name = game.format_move(situation, &mv, &game.play(position, &mv));
        Ok(Reply { name, value, source: source.into() })
    }

    /// The move of the book, where it has one and databases do not know the position. `line` has
    /// the positions of the game, with the current one.
    fn book_reply(
        &self,
        line: &[Situation<AnyPosition>],
        style: Style,
        random: &mut Random,
    ) -> Result<Option<Reply>, ExplorerError> {
        let Some((situation, before)) = line.split_last() else { return Ok(None) };
        let (game, position) = (&self.game, &situation.position);
        let oracle = self.oracle()?;
        let has_bounds = oracle.bounds(game.slice_of(position));
        if has_bounds || known(game, &oracle, position)?.is_some() {
            return Ok(None);
        }
        let chosen = self.with_book(|book| {
            let mut guide = Guide::new(style);
            let mut choices = |ply: usize| {
                let at: &Situation<AnyPosition> = &line[ply];
                let Some(id) = book.find(&at.position)? else { return Ok(Vec::new()) };
                let banked = at.banked_by_mover().unwrap_or_default();
                let ahead = i32::from(banked[0]) - i32::from(banked[1]);
                let others = line[..ply].iter().filter(|one| one.mover != at.mover);
                let history: Vec<AnyPosition> = others.map(|one| one.position).collect();
                guide.choices(book, id, ahead as Score, &history)
            };
            if style.epsilon > 0 {
                // Concessions count over the whole game: the guide sees the player's moves so far.
                for (ply, at) in before.iter().enumerate() {
                    if at.mover == situation.mover {
                        choices(ply)?;
                    }
                }
            }
            let choices = choices(before.len())?;
            let place = random.below(choices.len().max(1) as u64) as usize;
            Ok(choices.get(place).copied())
        });
        let choice = match chosen {
            Ok(Some(choice)) => choice,
            // Without a book, and where it ends, the player thinks for itself.
            Ok(None) | Err(ExplorerError::NotInBook(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut legal = Vec::new();
        game.moves(position, &mut legal);
        let mv = legal[choice.place];
        let name = game.format_move(situation, &mv, &game.play(position, &mv));
        let value = choice.value.worth(self.max_at(position));
        // Where the game so far counts, what holds without it is a guess.
        let guess = Worth::guess(value.hundredths());
        let value = if game.depends_on_history() { guess } else { value };
        Ok(Some(Reply { name, value, source: ReplySource::Book }))
    }
}

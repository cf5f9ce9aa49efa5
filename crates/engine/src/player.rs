//! The interface of players: our search, another program, random moves.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use nutcracker_game::{Game, MoveError, Random};
use nutcracker_search::Worth;
use nutcracker_search::player::PlayerError as NoMove;
use thiserror::Error;

use crate::time::time_text;
use crate::{PlayerOption, Request};

/// A player of one game.
///
/// The server lets any player be used over a pair of pipes; the client makes any program behind
/// such pipes a player.
pub trait Player<G: Game>: Send {
    /// Its name in records.
    fn name(&self) -> String;

    /// The following calls belong to another game.
    fn new_game(&mut self) -> Result<(), PlayerError> {
        Ok(())
    }

    /// Its options.
    fn options(&self) -> Vec<PlayerOption> {
        Vec::new()
    }

    /// Sets an option; the error is one sentence.
    fn set_option(&mut self, name: &str, _value: Option<&str>) -> Result<(), String> {
        Err(format!("there is no option {name:?}"))
    }

    /// A move for a game that has not ended.
    fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError>;
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thought<M> {
    /// The move.
    pub best: M,
    /// The expected reply.
    pub ponder: Option<M>,
    /// Its evaluation of the position for itself, from here on.
    pub score: Option<Worth>,
    /// Whether the move is from a book.
    pub from_book: bool,
}

impl<M> Thought<M> {
    /// A move and nothing else.
    pub fn only(best: M) -> Self {
        Thought { best, ponder: None, score: None, from_book: false }
    }
}

/// Why a player has no move.
#[derive(Debug, Error)]
pub enum PlayerError {
    /// The program cannot be started.
    #[error("cannot start {command:?}: {source}; check its path and arguments")]
    NotStarted {
        /// The command.
        command: String,
        /// The reason.
        source: io::Error,
    },
    /// A timeout.
    #[error("{command:?} did not answer {request:?} within {}", time_text(*waited))]
    Silent {
        /// The command.
        command: String,
        /// The request.
        request: String,
        /// The timeout.
        waited: Duration,
    },
    /// The program has exited.
    #[error("{command:?} exited ({how}) before answering {request:?}")]
    Crashed {
        /// The command.
        command: String,
        /// The request.
        request: String,
        /// Its exit status, and its last lines of error output.
        how: String,
    },
    /// Too many invalid lines.
    #[error("{command:?} sent {lines} lines without an answer to {request:?}")]
    Flood {
        /// The command.
        command: String,
        /// The request.
        request: String,
        /// Their number.
        lines: u64,
    },
    /// An illegal move.
    #[error("{player} answered an illegal move in {position}: {source}")]
    Illegal {
        /// The player.
        player: String,
        /// The position.
        position: String,
        /// The reason.
        source: MoveError,
    },
    /// No move in a game that has moves.
    #[error("{player} answered no move in {position}, which has legal moves")]
    NoMove {
        /// The player.
        player: String,
        /// The position.
        position: String,
    },
    /// A move without a score, where the score is what was asked for.
    #[error("{player} answered no score in {position}")]
    NoScore {
        /// The player.
        player: String,
        /// The position.
        position: String,
    },
    /// A move that is not legal, by a player that gives moves rather than their names.
    #[error("{player} answered a move that is not legal in {position}")]
    NotLegal {
        /// The player.
        player: String,
        /// The position.
        position: String,
    },
    /// A move was requested in a game that has ended.
    #[error("the game is over: there is no move")]
    Over,
    /// Anything else, in one sentence.
    #[error("{0}")]
    Other(String),
}

impl<E: StdError + 'static> From<NoMove<E>> for PlayerError {
    fn from(error: NoMove<E>) -> Self {
        match (&error, error.source()) {
            (NoMove::Over, _) => PlayerError::Over,
            (_, Some(source)) => PlayerError::Other(format!("{error}: {source}")),
            (_, None) => PlayerError::Other(error.to_string()),
        }
    }
}

/// Plays random legal moves with equal probability.
#[derive(Clone, Debug)]
pub struct Blind {
    random: Random,
}

impl Blind {
    /// The same seed plays the same moves.
    pub fn new(seed: u64) -> Self {
        Blind { random: Random::new(seed) }
    }
}

impl<G: Game> Player<G> for Blind {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
        let legal = request.played.legal();
        let among = if request.among.is_empty() { &legal[..] } else { request.among };
        let place = self.random.below(among.len() as u64) as usize;
        among.get(place).copied().map(Thought::only).ok_or(PlayerError::Over)
    }
}

impl<G: Game, P: Player<G> + ?Sized> Player<G> for Box<P> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        (**self).new_game()
    }

    fn options(&self) -> Vec<PlayerOption> {
        (**self).options()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        (**self).set_option(name, value)
    }

    fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
        (**self).choose(request)
    }
}

//! Whoever chooses moves: our search, another program, chance.

use std::io;
use std::time::Duration;

use nutcracker_game::Game;
use nutcracker_search::Worth;
use nutcracker_search::player::Random;
use thiserror::Error;

use crate::control::time_text;
use crate::grammar::{Go, Info, OptionLine};
use crate::{MoveError, Pace, Played};

/// A player of one game.
///
/// The server lets any player be used over a pair of pipes; the client makes any program behind
/// such pipes a player.
pub trait Player<G: Game>: Send {
    /// What it is called in records.
    fn name(&self) -> String;

    /// What follows belongs to another game.
    fn new_game(&mut self) -> Result<(), PlayerError> {
        Ok(())
    }

    /// What can be set.
    fn options(&self) -> Vec<OptionLine> {
        Vec::new()
    }

    /// Sets an option; the error is one sentence.
    fn set_option(&mut self, name: &str, _value: Option<&str>) -> Result<(), String> {
        Err(format!("there is no option {name:?}"))
    }

    /// A move for a game that has not ended. What is found on the way goes to `tell`.
    fn choose(
        &mut self,
        played: &Played<G>,
        go: &Go,
        pace: &Pace,
        tell: &mut dyn FnMut(&Info),
    ) -> Result<Thought<G::Move>, PlayerError>;
}

/// What a player came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thought<M> {
    /// The move.
    pub best: M,
    /// The reply it expects.
    pub ponder: Option<M>,
    /// What it thinks the position is worth to itself from here on.
    pub score: Option<Worth>,
}

impl<M> Thought<M> {
    /// A move and nothing else.
    pub fn only(best: M) -> Self {
        Thought { best, ponder: None, score: None }
    }
}

/// Why a player has no move.
#[derive(Debug, Error)]
pub enum PlayerError {
    /// The program cannot be started.
    #[error("cannot start {command:?}: {source}; give a program that is there, with its arguments")]
    NotStarted {
        /// The command.
        command: String,
        /// Why not.
        source: io::Error,
    },
    /// No answer came in time.
    #[error("{command:?} did not answer {asked:?} within {}", time_text(*waited))]
    Silent {
        /// The command.
        command: String,
        /// What it was asked.
        asked: String,
        /// How long it had.
        waited: Duration,
    },
    /// The program has ended.
    #[error("{command:?} ended ({how}) when it was asked {asked:?}")]
    Crashed {
        /// The command.
        command: String,
        /// What it was asked.
        asked: String,
        /// How it ended, and its last words.
        how: String,
    },
    /// Too much came that means nothing.
    #[error("{command:?} sent {lines} lines without an answer to {asked:?}")]
    Flood {
        /// The command.
        command: String,
        /// What it was asked.
        asked: String,
        /// How many.
        lines: u64,
    },
    /// It wants to play what the rules forbid.
    #[error("{player} answered a move that cannot be played in {position}: {source}")]
    Illegal {
        /// Who.
        player: String,
        /// Where.
        position: String,
        /// What is wrong.
        source: MoveError,
    },
    /// It gave up a game that has moves.
    #[error("{player} answered no move in {position}, where there are moves")]
    NoMove {
        /// Who.
        player: String,
        /// Where.
        position: String,
    },
    /// It was asked for a move of a game that has ended.
    #[error("the game is over: there is no move")]
    Over,
    /// Anything else, in one sentence.
    #[error("{0}")]
    Other(String),
}

/// Plays any legal move, each as likely as the others.
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

    fn choose(
        &mut self,
        played: &Played<G>,
        _: &Go,
        _: &Pace,
        _: &mut dyn FnMut(&Info),
    ) -> Result<Thought<G::Move>, PlayerError> {
        let legal = played.legal();
        let place = self.random.below(legal.len() as u64) as usize;
        legal.get(place).copied().map(Thought::only).ok_or(PlayerError::Over)
    }
}

impl<G: Game, P: Player<G> + ?Sized> Player<G> for Box<P> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        (**self).new_game()
    }

    fn options(&self) -> Vec<OptionLine> {
        (**self).options()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        (**self).set_option(name, value)
    }

    fn choose(
        &mut self,
        played: &Played<G>,
        go: &Go,
        pace: &Pace,
        tell: &mut dyn FnMut(&Info),
    ) -> Result<Thought<G::Move>, PlayerError> {
        (**self).choose(played, go, pace, tell)
    }
}

//! Any program that speaks the protocol, as an expert of a book.

use std::thread;
use std::time::Duration;

use nutcracker_book::expert::Expert;
use nutcracker_book::{BookError, Result as BookResult};
use nutcracker_game::{Game, Side, Situation};
use nutcracker_search::Worth;

use crate::{Ending, External, MoveLimits, Pace, Played, PlayerError, Request};

/// The wait before a program is restarted: this after its first failure, then twice as long each
/// time, at most [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A program that evaluates positions.
///
/// Its score is a guess, whatever it claims to have proven. A position that it fails at (it exits,
/// does not answer in time, floods, answers no score or an illegal move) is an error, and may be
/// given to another expert; the program is restarted for the next one, after a wait that grows with
/// the number of failures in a row.
///
/// A forced move needs no engine, and some play it without a search: lines of forced moves are
/// followed, and the position after them is evaluated.
#[derive(Debug)]
pub struct ExternalExpert<G: Game> {
    game: G,
    program: External,
    limits: MoveLimits,
    /// Failures since its last answer.
    failures: u32,
}

impl<G: Game> ExternalExpert<G> {
    /// An expert that is a started program, with the limits of each evaluation.
    pub fn new(game: G, program: External, limits: MoveLimits) -> Self {
        ExternalExpert { game, program, limits, failures: 0 }
    }

    /// Failures since its last answer.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    fn value(&mut self, position: &G::Position) -> Result<Worth, PlayerError> {
        let start = Situation::new(*position, Side::First);
        let mut played = Played::new(self.game.clone(), start);
        let mut steps = Vec::new();
        let last = loop {
            match (played.ending(), &played.legal()[..]) {
                (Some(Ending::Over(score)), _) => break Worth::exact(score),
                (Some(Ending::Repeated), _) => break Worth::exact(played.repeated()),
                (None, [only]) => {
                    steps.push(played.step(only));
                    played.play(*only);
                }
                (None, _) => break self.ask(&played)?,
            }
        };
        Ok(steps.iter().rev().fold(last, Worth::through))
    }

    /// What the program says of the current position of a game.
    fn ask(&mut self, played: &Played<G>) -> Result<Worth, PlayerError> {
        let (game, now) = (played.game(), played.now());
        let thought = self.program.ask(&mut Request {
            played,
            limits: self.limits,
            pace: &Pace::new(&self.limits, now.mover),
            among: &[],
            on_progress: &mut |_| (),
        })?;
        let Some(score) = thought.score else {
            return Err(PlayerError::NoScore {
                player: self.program.title(),
                position: game.format(now),
            });
        };
        let most = 100 * i32::from(game.max_score(game.slice_of(&now.position)));
        Ok(Worth::guess(score.hundredths().clamp(-most, most)))
    }
}

impl<G: Game> Expert<G> for ExternalExpert<G> {
    fn evaluate(&mut self, position: &G::Position) -> BookResult<Worth> {
        if let Some(doublings) = self.failures.checked_sub(1) {
            let wait = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(doublings));
            thread::sleep(wait.min(LONGEST_WAIT));
        }
        match self.value(position) {
            Ok(worth) => {
                self.failures = 0;
                Ok(worth)
            }
            Err(error) => {
                self.failures += 1;
                // What it still says would be taken for the answer to the next question.
                self.program.kill();
                Err(BookError::Expert(error.to_string()))
            }
        }
    }
}

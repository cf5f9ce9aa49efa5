//! The protocol as other programs speak it.

use std::str::FromStr;

use nutcracker_game::{Game, Notation};

use crate::Played;
use crate::grammar::Info;
use crate::transcript::letters;

/// A form of the protocol.
///
/// Aualé and its engine Aalina write boards with dashes and moves as letters without blanks
/// (`position startpos moves FfBe`), and answer `bestmove 0000` where there is no move.
///
/// ```
/// use nutcracker_engine::Dialect;
///
/// assert_eq!("auale".parse(), Ok(Dialect::Auale));
/// assert!("aalina".parse::<Dialect>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// Our own.
    #[default]
    Own,
    /// That of Aualé and Aalina.
    Auale,
}

/// What Aalina answers where there is no move.
pub(crate) const NULL_MOVE: &str = "0000";

impl Dialect {
    /// The notation of positions and moves.
    pub fn notation(self) -> Notation {
        match self {
            Dialect::Own => Notation::Own,
            Dialect::Auale => Notation::Auale,
        }
    }

    /// Whether a game can be spoken about; the error is one sentence.
    pub fn check<G: Game>(self, game: &G) -> Result<(), String> {
        nutcracker_game::format_in(game, &game.start(), self.notation()).map(|_| ())
    }

    /// The dialect of a `position` command, if it is clear from its board or its moves; for a game
    /// that Aualé can write.
    pub(crate) fn of_position<G: Game>(
        game: &G,
        start: Option<&str>,
        moves: &[String],
    ) -> Option<Self> {
        Dialect::Auale.check(game).ok()?;
        let read = start.and_then(|text| Some((text, game.parse(text).ok()?)));
        let board = read.is_some_and(|(text, at)| {
            game.format_in(&at, Notation::Auale).is_some_and(|theirs| theirs == text)
        });
        let run = |word: &String| word.len() > 1 && letters(word).is_some();
        (board || moves.iter().any(run)).then_some(Dialect::Auale)
    }

    /// The moves of words of a command.
    pub(crate) fn moves(self, words: &[String]) -> Vec<String> {
        match self {
            Dialect::Own => words.to_vec(),
            // A word that is no list of letters is refused where it is played.
            Dialect::Auale => words
                .iter()
                .flat_map(|word| letters(word).unwrap_or_else(|| vec![word.clone()]))
                .collect(),
        }
    }

    /// Moves as words of a command or an answer.
    pub(crate) fn words(self, moves: Vec<String>) -> Vec<String> {
        match self {
            Dialect::Auale if !moves.is_empty() => vec![moves.concat()],
            _ => moves,
        }
    }

    /// The words of a `position` command: the board, if it is not the start, and the moves.
    pub(crate) fn position<G: Game>(self, played: &Played<G>) -> (Option<String>, Vec<String>) {
        let (game, notation) = (played.game(), self.notation());
        let elsewhere = *played.start() != game.start();
        let board = || {
            let board = game.format_in(played.start(), notation);
            let board = board.unwrap_or_else(|| game.format(played.start()));
            match self {
                Dialect::Own => board,
                Dialect::Auale => format!("fen {board}"),
            }
        };
        let names = played.names_in(notation).unwrap_or_else(|| played.names());
        (elsewhere.then(board), self.words(names))
    }

    /// A report without the words that only we know.
    pub(crate) fn info(self, mut info: Info) -> Info {
        if self == Dialect::Auale {
            info.pv = self.words(std::mem::take(&mut info.pv));
            info.score = info.score.map(|mut score| {
                score.proven = false;
                score
            });
        }
        info
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "own" => Ok(Dialect::Own),
            "auale" => Ok(Dialect::Auale),
            _ => Err(format!("a dialect is own or auale, not {text:?}")),
        }
    }
}

//! The protocol as other programs speak it.

use std::str::FromStr;

use nutcracker_game::{Game, Notation};
use nutcracker_search::Worth;

use crate::Played;
use crate::grammar::{Info, WireScore};
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
    /// That of chess programs: moves by their squares, and wins by their moves to mate.
    Uci,
}

/// What Aalina answers where there is no move.
pub(crate) const NULL_MOVE: &str = "0000";

/// What a win that is proven is worth to a chess interface, in hundredths of a pawn.
const PROVEN: i32 = 20_000;

/// Pawns to a win in our evaluation of chess.
const PAWNS: i32 = 20;

/// How fast the chance to win grows with hundredths of a pawn, as Lichess fitted it to games.
const CHANCE: f64 = 0.003_682_08;

impl Dialect {
    /// The notation of positions and moves.
    pub fn notation(self) -> Notation {
        match self {
            Dialect::Own => Notation::Own,
            Dialect::Auale => Notation::Auale,
            Dialect::Uci => Notation::Uci,
        }
    }

    /// Whether a game can be spoken about; the error is one sentence.
    pub fn check<G: Game>(self, game: &G) -> Result<(), String> {
        nutcracker_game::format_in(game, &game.start(), self.notation()).map(|_| ())
    }

    /// The dialect that all programs for a game speak, if they do.
    pub fn usual<G: Game>(game: &G) -> Option<Self> {
        Dialect::Uci.check(game).is_ok().then_some(Dialect::Uci)
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
            Dialect::Own | Dialect::Uci => words.to_vec(),
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
                Dialect::Auale | Dialect::Uci => format!("fen {board}"),
            }
        };
        let names = played.names_in(notation).unwrap_or_else(|| played.names());
        (elsewhere.then(board), self.words(names))
    }

    /// A report without the words that only we know.
    pub(crate) fn info(self, mut info: Info) -> Info {
        if self != Dialect::Own {
            info.pv = self.words(std::mem::take(&mut info.pv));
        }
        info.score = info.score.map(|score| match self {
            Dialect::Own => WireScore { mate: None, ..score },
            Dialect::Auale => WireScore { mate: None, proven: false, ..score },
            // A win that is proven is more than any guess.
            Dialect::Uci if score.proven => {
                let hundredths = score.hundredths.signum() * PROVEN;
                WireScore { hundredths, proven: false, ..score }
            }
            Dialect::Uci => WireScore { hundredths: score.hundredths * PAWNS, ..score },
        });
        info
    }

    /// What a program's score says of a position. Hundredths of a pawn have no end, unlike points of a
    /// game that is won, drawn or lost: they become the chance to win less that to lose.
    pub(crate) fn worth(self, score: WireScore) -> Worth {
        match self {
            Dialect::Uci => {
                let chance = (CHANCE * f64::from(score.hundredths) / 2.0).tanh();
                Worth::guess((100.0 * chance).round() as i32)
            }
            Dialect::Own | Dialect::Auale => score.into(),
        }
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "own" => Ok(Dialect::Own),
            "auale" => Ok(Dialect::Auale),
            "uci" => Ok(Dialect::Uci),
            _ => Err(format!("a dialect is own, auale or uci, not {text:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_chess_programs_become_chances() {
        let read = |hundredths| {
            Dialect::Uci.worth(WireScore { hundredths, ..WireScore::default() }).hundredths()
        };
        assert_eq!([0, 30, 100, -100, 12_700].map(read), [0, 6, 18, -18, 100]);
    }
}

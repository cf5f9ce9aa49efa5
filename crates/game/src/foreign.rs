//! The notations of other programs.

use std::fmt;
use std::str::FromStr;

use crate::{Rules, Situation};

/// How positions, moves and games are written.
///
/// ```
/// use nutcracker_game::Notation;
///
/// assert_eq!("auale".parse(), Ok(Notation::Auale));
/// assert_eq!(Notation::OpenSpiel.to_string(), "openspiel");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Notation {
    /// As this program does.
    #[default]
    Own,
    /// As Aualé and Aalina do; games are in OGN.
    Auale,
    /// As `PlayStrategy` does.
    PlayStrategy,
    /// As `OpenSpiel` does.
    OpenSpiel,
    /// As chess programs and their interfaces do.
    Uci,
}

impl Notation {
    /// All of them.
    pub const ALL: [Notation; 5] = [
        Notation::Own,
        Notation::Auale,
        Notation::PlayStrategy,
        Notation::OpenSpiel,
        Notation::Uci,
    ];
    /// Those of other programs.
    pub const FOREIGN: [Notation; 4] =
        [Notation::Auale, Notation::PlayStrategy, Notation::OpenSpiel, Notation::Uci];

    /// The name by which it is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Notation::Own => "own",
            Notation::Auale => "auale",
            Notation::PlayStrategy => "playstrategy",
            Notation::OpenSpiel => "openspiel",
            Notation::Uci => "uci",
        }
    }

    /// Whose notation it is, for sentences.
    pub fn program(self) -> &'static str {
        match self {
            Notation::Own => "Nutcracker",
            Notation::Auale => "Aualé",
            Notation::PlayStrategy => "PlayStrategy",
            Notation::OpenSpiel => "OpenSpiel",
            Notation::Uci => "UCI",
        }
    }
}

/// Writes a position in a notation; the error is one sentence.
///
/// ```
/// use nutcracker_game::{Notation, Rules, format_in, toy::Heap};
///
/// let start = Heap.start();
/// assert_eq!(format_in(&Heap, &start, Notation::Own), Ok(Heap.format(&start)));
/// assert!(format_in(&Heap, &start, Notation::Auale).is_err());
/// ```
pub fn format_in<G: Rules>(
    game: &G,
    situation: &Situation<G::Position>,
    notation: Notation,
) -> Result<String, String> {
    game.format_in(situation, notation)
        .ok_or_else(|| format!("{} has no notation for {}", notation.program(), game.id().name))
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Notation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Notation::ALL.into_iter().find(|notation| notation.name() == text);
        found.ok_or_else(|| {
            format!("a notation is own, auale, playstrategy, openspiel or uci, not {text:?}")
        })
    }
}

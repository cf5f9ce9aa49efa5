//! The beginning of a proof file: which game, which position.

use nutcracker_game::{Metric, Numbering, Rules, Situation};

use crate::flaw::Flaw;

/// The first word of a proof file.
pub(crate) const MAGIC: &str = "nutcracker-proof";
/// The last version of the format that is read.
pub const VERSION: u32 = 2;
/// The version from which on positions that share a number count as one. It is written where a game
/// has such positions.
pub(crate) const IMAGES: u32 = 2;

/// What a proof file is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The program that wrote it, with its version.
    pub program: String,
    /// The game's name.
    pub game: String,
    /// The rule options in their canonical form, see [`GameId`](nutcracker_game::GameId).
    pub options: String,
    /// What the start position depends on besides.
    pub start: String,
    /// What the databases hold that the proof may rest on; `None` where there were none.
    pub metric: Option<Metric>,
    /// The position of the claims, in the game's notation.
    pub root: String,
}

impl Header {
    pub(crate) fn new<G: Numbering>(
        game: &G,
        root: &Situation<G::Position>,
        metric: Option<Metric>,
        program: &str,
    ) -> Self {
        let id = game.id();
        Header {
            program: program.to_owned(),
            game: id.name.to_owned(),
            options: id.options,
            start: game.start_options(),
            metric,
            root: game.format(&Situation::new(root.position, root.mover)),
        }
    }

    /// The fields in the order of the file.
    pub(crate) fn fields(&self) -> [(&'static str, &str); 6] {
        [
            ("program", &self.program),
            ("game", &self.game),
            ("options", &self.options),
            ("start", &self.start),
            ("metric", self.metric.map_or("", Metric::name)),
            ("root", &self.root),
        ]
    }

    /// An error where the file is about another game.
    pub(crate) fn check_game<G: Rules>(&self, game: &G) -> Result<(), Flaw> {
        let id = game.id();
        if (self.game.as_str(), &self.options) == (id.name, &id.options) {
            return Ok(());
        }
        let found = match self.options.as_str() {
            "" => self.game.clone(),
            options => format!("{} ({options})", self.game),
        };
        Err(Flaw::OtherGame { found, expected: id.to_string() })
    }
}

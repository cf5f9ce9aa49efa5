//! Games by their names.
//!
//! A game is registered by implementing [`Registered`]; a program lists the games it knows in a
//! [`Registry`].

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use nutcracker_game::{Evaluate, Rules};
use thiserror::Error;

use crate::AnyGame;

/// A rule option of a game.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// Its name, as after `--` on the command line.
    pub name: &'static str,
    /// The placeholder of its value, such as `M`; `None` for a flag.
    pub value: Option<&'static str>,
    /// Its meaning, in one line.
    pub about: &'static str,
    /// Its default value.
    pub default: &'static str,
}

/// The chosen options: names and values; a flag has the value `yes`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(BTreeMap<String, String>);

impl Options {
    /// No options: all have their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), value.into());
    }

    /// Reads options as ids and records have them: `pits=3,empty-capture=no`. A flag that is `no`
    /// is left out.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let mut options = Options::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, "yes"));
            if value.trim() != "no" {
                options.set(name.trim(), value.trim());
            }
        }
        options
    }

    /// What was set, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of an option as it was given.
    pub fn text(&self, info: &OptionInfo) -> &str {
        self.0.get(info.name).map_or(info.default, String::as_str)
    }

    /// The value of a number option.
    pub fn number(&self, info: &OptionInfo) -> Result<usize, String> {
        let value = self.text(info);
        value.parse().map_err(|_| format!("--{} takes a whole number, not {value:?}", info.name))
    }

    /// Whether a flag is set.
    pub fn flag(&self, info: &OptionInfo) -> bool {
        self.0.contains_key(info.name)
    }
}

impl fmt::Display for Options {
    /// As [`from_text`](Options::from_text) reads them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> =
            self.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&parts.join(","))
    }
}

/// What the registry needs of a game.
pub trait Registered: Evaluate {
    /// The game in one line.
    const ABOUT: &'static str;
    /// Its rule options.
    const OPTIONS: &'static [OptionInfo];
    /// The game with these options; the error is one sentence.
    fn from_options(options: &Options) -> Result<Self, String>;

    /// The game for code that is compiled once for all games. Where solving and searching need no
    /// speed, [`AnyGame::small`] saves the time to compile solvers for the game.
    fn erase(self) -> AnyGame {
        AnyGame::new(self)
    }
}

/// A game of a registry.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// Its name.
    pub name: &'static str,
    /// The game in one line.
    pub about: &'static str,
    /// Its rule options.
    pub options: &'static [OptionInfo],
    make: fn(&Options) -> Result<AnyGame, String>,
    /// Options that are set already, as [`Options::from_text`] reads them.
    given: &'static str,
}

impl GameInfo {
    /// A game under a name.
    pub const fn of<G: Registered>(name: &'static str) -> Self {
        let make: fn(&Options) -> Result<AnyGame, String> =
            |options| G::from_options(options).map(Registered::erase);
        GameInfo::new(name, G::ABOUT, G::OPTIONS, make)
    }

    /// A game under a name, of a type that is played under several.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        options: &'static [OptionInfo],
        make: fn(&Options) -> Result<AnyGame, String>,
    ) -> Self {
        GameInfo { name, about, options, make, given: "" }
    }

    /// The same game with some options set, such as those that a file describes: `pits=3,seeds=2`.
    #[must_use]
    pub const fn with(self, about: &'static str, given: &'static str) -> Self {
        GameInfo { about, given, ..self }
    }

    /// The options that are set already.
    pub fn given(&self) -> Options {
        Options::from_text(self.given)
    }

    /// The game with these options.
    pub fn game(&self, options: &Options) -> Result<AnyGame, UnknownGame> {
        let mut all = self.given();
        all.0.extend(options.0.clone());
        let options = &all;
        let known = |name: &str| self.options.iter().any(|info| info.name == name);
        if let Some(option) = options.0.keys().find(|name| !known(name)) {
            return Err(UnknownGame::Option { game: self.name, option: option.clone() });
        }
        (self.make)(options).map_err(UnknownGame::Options)
    }
}

/// The games that a program knows.
///
/// ```
/// use nutcracker_any::Registry;
///
/// let rules = "# Rules\n\n## nim\n\nTake.\n\n## hex\n\nLink.\n";
/// let none = Registry { rules, ..Registry::EMPTY };
/// assert_eq!(none.rules_of("nim"), Some("Take."));
/// assert_eq!(none.rules_of("go"), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Registry {
    /// The games.
    pub games: &'static [&'static GameInfo],
    /// Their rules in words, in Markdown: a section for each, under its name.
    pub rules: &'static str,
    /// Reads the file of a game; the error is one sentence.
    pub read: fn(&Path) -> Result<&'static GameInfo, String>,
}

impl Registry {
    /// No games.
    pub const EMPTY: Registry = Registry {
        games: &[],
        rules: "",
        read: |path| Err(format!("{} describes no game that is known here", path.display())),
    };

    /// All games.
    pub fn iter(self) -> impl Iterator<Item = &'static GameInfo> {
        self.games.iter().copied()
    }

    /// The game with this name.
    pub fn info(self, name: &str) -> Result<&'static GameInfo, UnknownGame> {
        self.iter().find(|info| info.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.iter().map(|info| info.name).collect();
            UnknownGame::Name { name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// The game with this name, or the one that a file describes if the name is a path that ends
    /// in `.toml`. Only for names that the user of this machine has typed.
    pub fn open(self, name: &str) -> Result<&'static GameInfo, UnknownGame> {
        let path = Path::new(name);
        if path.extension().is_some_and(|extension| extension == "toml") {
            return (self.read)(path).map_err(UnknownGame::File);
        }
        self.info(name)
    }

    /// The options under which a game has this id, such as `kalah (pits=3,empty-capture=no)`, and
    /// this start, such as `seeds=2`: what files say of their game.
    pub fn identified(
        self,
        id: &str,
        start: &str,
    ) -> Result<(&'static GameInfo, Options), UnknownGame> {
        let (name, text) = id.split_once(" (").unwrap_or((id, ""));
        let info = self.info(name)?;
        let text = text.trim_end_matches(')');
        let named = Options::from_text(&format!("{text},{start}"));
        // A flag may be in an id by its absence: as with kalah's `play-on`.
        let silent = |flag: &&OptionInfo| {
            let told = |part: &str| part.split('=').next() == Some(flag.name);
            flag.value.is_none() && !text.split(',').any(told)
        };
        let silent: Vec<&OptionInfo> = info.options.iter().filter(silent).collect();
        for chosen in 0..1_u32 << silent.len().min(8) {
            let mut options = named.clone();
            let set = |(place, _): &(usize, _)| chosen >> place & 1 > 0;
            for (_, flag) in silent.iter().enumerate().filter(set) {
                options.set(flag.name, "yes");
            }
            if info.game(&options)?.id().to_string() == id {
                return Ok((info, options));
            }
        }
        Err(UnknownGame::Id(id.to_owned()))
    }

    /// The rules of a game in words.
    pub fn rules_of(self, name: &str) -> Option<&'static str> {
        let mut sections = self.rules.split("\n## ").skip(1);
        let own = sections.find_map(|section| {
            section.strip_prefix(name).and_then(|rest| rest.strip_prefix('\n'))
        });
        own.map(str::trim)
    }

    /// The game with this name, or of this file, and these options.
    pub fn game(self, name: &str, options: &Options) -> Result<AnyGame, UnknownGame> {
        self.open(name)?.game(options)
    }
}

/// Why there is no such game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnknownGame {
    /// No game has this name.
    #[error("there is no game {name:?}; known are {known}")]
    Name {
        /// The name.
        name: String,
        /// The names that games have.
        known: String,
    },
    /// The game has no such option.
    #[error("{game} has no option --{option}")]
    Option {
        /// The game.
        game: &'static str,
        /// The option.
        option: String,
    },
    /// No game has this id under any of its options.
    #[error("there is no game {0}; use the version of this program that knows it")]
    Id(String),
    /// The file describes no game.
    #[error("{0}")]
    File(String),
    /// The options are invalid.
    #[error("{0}")]
    Options(String),
}

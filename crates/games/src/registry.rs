//! The registry: the only place where a name becomes a type.
//!
//! A game is registered by implementing [`Registered`] in its folder and by a line in `games!`
//! below.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use nutcracker_any::AnyGame;
use nutcracker_game::Evaluate;

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

    /// The value of a number option.
    pub fn number(&self, info: &OptionInfo) -> Result<usize, String> {
        let value = self.0.get(info.name).map_or(info.default, String::as_str);
        value.parse().map_err(|_| format!("--{} takes a whole number, not {value:?}", info.name))
    }

    /// Whether a flag is set.
    pub fn flag(&self, info: &OptionInfo) -> bool {
        self.0.contains_key(info.name)
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

/// A game of the registry.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// Its name.
    pub name: &'static str,
    /// The game in one line.
    pub about: &'static str,
    /// Its rule options.
    pub options: &'static [OptionInfo],
}

/// Generic code to be run for a game whose name is known only at run time.
pub trait Visitor {
    /// What it returns.
    type Output;
    /// Runs for the game.
    fn visit<G: Registered>(self, game: G) -> Self::Output;
}

/// Why there is no such game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownGame {
    /// No game has this name.
    Name(String),
    /// The game has no such option.
    Option {
        /// The game.
        game: &'static str,
        /// The option.
        option: String,
    },
    /// The options are invalid.
    Options(String),
}

impl fmt::Display for UnknownGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownGame::Name(name) => {
                let known: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
                write!(f, "there is no game {name:?}; known are {}", known.join(", "))
            }
            UnknownGame::Option { game, option } => write!(f, "{game} has no option --{option}"),
            UnknownGame::Options(reason) => f.write_str(reason),
        }
    }
}

impl Error for UnknownGame {}

macro_rules! games {
    ($($name:literal => $game:ty),+ $(,)?) => {
        /// All games.
        pub const GAMES: &[GameInfo] = &[$(GameInfo {
            name: $name,
            about: <$game>::ABOUT,
            options: <$game>::OPTIONS,
        }),+];

        /// The game with this name and these options.
        ///
        /// ```
        /// use nutcracker_game::{Numbering, SliceId};
        /// use nutcracker_games::registry::{Options, game};
        ///
        /// let mut options = Options::new();
        /// options.set("pits", "3");
        /// let awari = game("awari", &options).unwrap();
        /// assert_eq!(awari.slice_len(SliceId(2)), 21);
        /// assert!(game("chess", &Options::new()).is_err());
        /// ```
        pub fn game(name: &str, options: &Options) -> Result<AnyGame, UnknownGame> {
            match name {
                $($name => {
                    check_options($name, <$game>::OPTIONS, options)?;
                    let game = <$game>::from_options(options).map_err(UnknownGame::Options)?;
                    Ok(game.erase())
                })+
                _ => Err(UnknownGame::Name(name.to_owned())),
            }
        }

        /// Runs a visitor for the game with this name and these options.
        pub fn with_game<V: Visitor>(
            name: &str,
            options: &Options,
            visitor: V,
        ) -> Result<V::Output, UnknownGame> {
            match name {
                $($name => {
                    check_options($name, <$game>::OPTIONS, options)?;
                    let game = <$game>::from_options(options).map_err(UnknownGame::Options)?;
                    Ok(visitor.visit(game))
                })+
                _ => Err(UnknownGame::Name(name.to_owned())),
            }
        }
    };
}

fn check_options(
    game: &'static str,
    known: &[OptionInfo],
    chosen: &Options,
) -> Result<(), UnknownGame> {
    match chosen.0.keys().find(|name| known.iter().all(|info| info.name != name.as_str())) {
        Some(option) => Err(UnknownGame::Option { game, option: option.clone() }),
        None => Ok(()),
    }
}

games! {
    "awari" => crate::awari::Awari,
    "kalah" => crate::kalah::Kalah,
    "krk" => crate::krk::Krk,
    "othello" => crate::othello::Othello,
}

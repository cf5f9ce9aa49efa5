//! Players as they are described on the command line.

use std::sync::Arc;
use std::time::Duration;

use nutcracker_any::AnyGame;
use nutcracker_book::store::Location;
use nutcracker_engine::{
    Blind, BookPlayer, ClockState, Dialect, External, MoveLimits, Player, Searcher, Settings,
    Strategist, TimeError, Timeouts, parse_time,
};
use nutcracker_search::player::{Level, Strategy};

use crate::book_option::{Books, StyleOptions, open_book, parse_variety};
use crate::databases::{self, Databases};
use crate::failure::Failure;

/// Default size of a transposition table, in bytes.
const TABLE: usize = 64 << 20;
/// Default depth of a player.
const DEPTH: u32 = 8;

/// A player: `depth=6`, `time=0.1s`, `level=3,depth=4`, `perfect`, `random`, `cmd:./engine`,
/// `dialect=auale,cmd:./engine`.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// The description.
    pub name: String,
    /// Whether it thinks in the opponent's time, too.
    pub ponders: bool,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Our search.
    Search {
        /// How it plays.
        settings: Box<Settings>,
        /// How long it thinks.
        limits: MoveLimits,
        /// Whether it knows the databases.
        databases: bool,
        /// Which book it follows.
        book: BookUse,
        /// How it chooses moves from the book, where that differs from the others.
        style: StyleOptions,
        /// Filters by which it chooses where databases reach, if they are given.
        strategy: Option<Box<Strategy>>,
    },
    /// Any legal move.
    Random,
    /// Another program, limited by the settings of the match, and its dialect if it is given.
    Program(String, Option<Dialect>),
}

/// Which book a player follows.
#[derive(Clone, Debug)]
enum BookUse {
    /// That of the command, if there is one.
    Shared,
    /// None.
    Without,
    /// One of its own.
    Own(Location),
}

impl Contestant {
    /// Reads a description; the error is one sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (kind, ponders) = Kind::parse(text)?;
        Ok(Contestant { name: text.to_owned(), ponders, kind })
    }

    /// Another program.
    pub fn program(command: &str) -> Self {
        let kind = Kind::Program(command.to_owned(), None);
        Contestant { name: format!("cmd:{command}"), ponders: false, kind }
    }

    /// Our search.
    pub fn search(name: String, settings: Settings, limits: MoveLimits) -> Self {
        let kind = Kind::Search {
            settings: Box::new(settings),
            limits,
            databases: true,
            book: BookUse::Shared,
            style: StyleOptions::default(),
            strategy: None,
        };
        Contestant { name, ponders: false, kind }
    }

    /// The same by a strategy, where databases reach.
    pub fn by(mut self, by: Strategy) -> Self {
        if let Kind::Search { strategy, .. } = &mut self.kind {
            self.name = format!("strategy {by}");
            *strategy = Some(Box::new(by));
        }
        self
    }

    /// The limits of every move when no clock runs; an external program is limited by `own`.
    pub fn limits(&self, own: MoveLimits) -> MoveLimits {
        match &self.kind {
            Kind::Search { limits, .. } => *limits,
            Kind::Random => MoveLimits::depth(1),
            Kind::Program(..) => own,
        }
    }

    /// The player itself.
    pub fn player(
        &self,
        game: &AnyGame,
        databases: &Arc<Databases>,
        seed: u64,
        programs: &Programs,
        books: &Books,
    ) -> Result<Box<dyn Player<AnyGame>>, Failure> {
        Ok(match &self.kind {
            Kind::Search { settings, databases: known, book, style, strategy, .. } => {
                let oracle = if *known { Arc::clone(databases) } else { Arc::new(None) };
                let settings = Settings { seed, ..Settings::clone(settings) };
                let player =
                    Searcher::new(game.clone(), Arc::clone(&oracle), self.name.clone(), settings);
                let book = match book {
                    BookUse::Shared => books.book.clone(),
                    BookUse::Without => None,
                    BookUse::Own(location) => Some(open_book(game, location)?),
                };
                let player: Box<dyn Player<AnyGame>> = match book {
                    Some(book) => {
                        let player = BookPlayer::new(Some(book), oracle, player, seed);
                        Box::new(player.with_style(style.of(books.style)))
                    }
                    None => Box::new(player),
                };
                match strategy {
                    Some(strategy) => {
                        let oracles = databases::by_metrics(game, databases, strategy)?;
                        let strategy = Strategy::clone(strategy);
                        Box::new(Strategist::new(game.clone(), strategy, oracles, player))
                    }
                    None => player,
                }
            }
            Kind::Random => Box::new(Blind::new(seed)),
            Kind::Program(command, dialect) => Box::new(programs.start(command, *dialect, game)?),
        })
    }
}

impl Kind {
    /// The kind of player, and whether it ponders.
    fn parse(text: &str) -> Result<(Self, bool), String> {
        if let Some(command) = text.strip_prefix("cmd:") {
            return Ok((Kind::Program(command.trim().to_owned(), None), false));
        }
        if let Some((key, command)) = text.split_once(",cmd:") {
            let Some(dialect) = key.strip_prefix("dialect=") else {
                return Err(format!("{key:?} is no setting of a program; write dialect=auale"));
            };
            return Ok((Kind::Program(command.trim().to_owned(), Some(dialect.parse()?)), false));
        }
        if text == "random" {
            return Ok((Kind::Random, false));
        }
        let mut settings = Box::new(Settings::default());
        settings.search.table_bytes = TABLE;
        let (mut limits, mut databases, mut ponders) = (MoveLimits::default(), true, false);
        let mut book = BookUse::Shared;
        let mut style = StyleOptions::default();
        let mut strategy = None;
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let number = |least: u64| match value.parse::<u64>() {
                Ok(number) if (least..=1 << 40).contains(&number) => Ok(number),
                _ => Err(format!("{key} takes a number from {least} on, as in {key}=4")),
            };
            let switch = || match value {
                "" | "yes" => Ok(true),
                "no" => Ok(false),
                _ => Err(format!("{key} is yes or no, not {value:?}")),
            };
            match key {
                "depth" => limits.depth = Some(number(1)?.min(1000) as u32),
                "nodes" => limits.nodes = Some(number(1)?),
                "time" => {
                    let time = parse_thinking_time(value).map_err(|error| error.to_string())?;
                    limits.clock = Some(ClockState::Move(time));
                }
                "level" => settings.level = value.parse()?,
                "perfect" => settings.level = Level::PERFECT,
                "strategy" => strategy = Some(Box::new(value.parse()?)),
                "trappy" => settings.trappy = switch()?,
                "ponder" => ponders = switch()?,
                "databases" => databases = switch()?,
                "book" => {
                    book = match value {
                        "" | "yes" => BookUse::Shared,
                        "no" => BookUse::Without,
                        file => BookUse::Own(Location::from(file.to_owned())),
                    }
                }
                "draws" => style.draws = Some(value.parse()?),
                "public-draws" => style.public_draws = Some(value.parse()?),
                "variety" => style.variety = Some(parse_variety(value)?),
                "reductions" => settings.search.late_move_reductions = switch()?,
                "threads" => settings.search.threads = number(1)?.min(1024) as usize,
                "hash" => settings.search.table_bytes = (number(1)?.min(1 << 20) as usize) << 20,
                "probe" => settings.search.probe_depth = number(0)?.min(1000) as u32,
                _ => {
                    return Err(format!(
                        "{part:?} describes no player; write depth=6, nodes=10000, time=0.1s, \
                         level=3, perfect, random or cmd:PROGRAM, and with a comma hash=64, \
                         threads=1, ponder, trappy, databases=no, book=no, book=FILE, draws=win, \
                         public-draws=loss, variety=0.5, reductions, probe=2, \
                         strategy=Z50-M-"
                    ));
                }
            }
        }
        if limits.is_open() {
            limits.depth = Some(settings.level.depth().unwrap_or(DEPTH));
        }
        Ok((Kind::Search { settings, limits, databases, book, style, strategy }, ponders))
    }
}

/// A time to think, which is not zero.
pub fn parse_thinking_time(text: &str) -> Result<Duration, TimeError> {
    match parse_time(text)? {
        Duration::ZERO => Err(TimeError::new(text)),
        time => Ok(time),
    }
}

/// How other programs are used as players.
#[derive(Clone, Debug, clap::Args)]
pub struct Programs {
    /// An option for every program that is used as an engine, such as Hash=16; may be repeated
    #[arg(long = "engine-option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// How long a program may take to start, and for a move without a clock
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_thinking_time)]
    engine_timeout: Duration,
    /// How programs write positions and moves: own, auale for those made for Aualé, or uci for those
    /// made for chess; by default own, auale for Aalina, and uci in chess. A single program has it
    /// before its command: dialect=auale,cmd:PROGRAM
    #[arg(long, value_name = "DIALECT")]
    engine_dialect: Option<Dialect>,
}

impl Programs {
    /// Starts a program to play a game in a dialect, or in that of all programs.
    pub fn start(
        &self,
        command: &str,
        dialect: Option<Dialect>,
        game: &AnyGame,
    ) -> Result<External, Failure> {
        let dialect = dialect.or(self.engine_dialect).or_else(|| Dialect::usual(game));
        dialect.unwrap_or_default().check(game).map_err(Failure::Usage)?;
        let timeouts = Timeouts {
            start: self.engine_timeout,
            think: self.engine_timeout,
            ..Timeouts::default()
        };
        let program = External::start(command, &self.options, timeouts)
            .map_err(|error| Failure::Failed(error.to_string()))?;
        Ok(match dialect {
            Some(dialect) => program.speaking(dialect),
            None => program,
        })
    }
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("an option of an engine is written NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions() {
        let Ok((Kind::Search { settings, limits, databases, .. }, true)) =
            Kind::parse("level=3,depth=4,databases=no,hash=8,ponder")
        else {
            panic!("a search");
        };
        assert_eq!(settings.level.to_string(), "3");
        assert_eq!((limits.depth, databases), (Some(4), false));
        assert_eq!(settings.search.table_bytes, 8 << 20);
        let Ok((Kind::Search { limits, .. }, false)) = Kind::parse("perfect") else {
            panic!("a search");
        };
        assert_eq!(limits.depth, Some(DEPTH));
        assert!(
            matches!(Kind::parse("cmd: ./engine a,b"), Ok((Kind::Program(c, None), _)) if c == "./engine a,b")
        );
        assert!(matches!(
            Kind::parse("dialect=auale,cmd:./aalina"),
            Ok((Kind::Program(c, Some(Dialect::Auale)), _)) if c == "./aalina"
        ));
        for wrong in [
            "",
            "depth",
            "depth=0",
            "depth=x",
            "level=11",
            "time=soon",
            "time=0s",
            "strong",
            "trappy=1",
            "dialect=klingon,cmd:./engine",
            "depth=3,cmd:./engine",
        ] {
            let error = Kind::parse(wrong).expect_err(wrong);
            assert!(!error.contains('\n'), "{error}");
        }
    }
}

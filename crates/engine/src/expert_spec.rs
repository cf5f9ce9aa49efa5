//! Experts of a book as they are described on the command line.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use nutcracker_book::expert::{Expert, ExpertSettings, WithDatabases};
use nutcracker_game::{Evaluate, shortened};
use nutcracker_search::Oracle;

use crate::{
    ClockState, Dialect, External, ExternalExpert, MoveLimits, PlayerError, Timeouts, parse_time,
};

/// One or several experts of a kind: `KEY=VALUE` separated by commas, and for a program `cmd:` and
/// its command, which extends to the end.
///
/// | text | meaning |
/// |---|---|
/// | `depth=12` | our engine, 12 plies deep |
/// | `depth=8,count=2` | two of them |
/// | `cmd:PROGRAM ARGUMENTS` | a program that speaks the engine protocol |
/// | `time=0.5s,count=4,cmd:PROGRAM` | four of them, half a second for a position |
///
/// | key | meaning |
/// |---|---|
/// | `depth`, `nodes` | the plies and the positions of a search, at most |
/// | `count` | the number of experts; 1 |
/// | `hash`, `probe` | our engine: MiB of its table, least remaining depth of a probe |
/// | `time` | a program: the time for a position |
/// | `timeout` | a program: when it is given up without a `time`; 5 minutes |
/// | `dialect` | a program: how it writes positions and moves, see [`Dialect`] |
/// | `option.NAME` | a program: the value of its option NAME |
///
/// ```
/// use nutcracker_engine::ExpertSpec;
///
/// let spec: ExpertSpec = "depth=12,count=2,option.Hash=16,cmd:./engine --quiet a,b".parse()?;
/// assert_eq!((spec.command(), spec.count()), (Some("./engine --quiet a,b"), 2));
/// assert_eq!("depth=8".parse::<ExpertSpec>()?.command(), None);
/// assert!("depth=8,time=1s".parse::<ExpertSpec>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpertSpec {
    depth: Option<u32>,
    nodes: Option<u64>,
    count: usize,
    kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// Our engine.
    Own { table_bytes: Option<usize>, probe_depth: Option<u32> },
    /// Another program.
    Program {
        command: String,
        time: Option<Duration>,
        timeout: Option<Duration>,
        dialect: Option<Dialect>,
        options: Vec<(String, String)>,
    },
}

/// The most experts of one description.
const MOST: u64 = 1024;

impl FromStr for ExpertSpec {
    type Err = String;

    /// The error is one sentence.
    fn from_str(text: &str) -> Result<Self, String> {
        let (keys, command) = match text.strip_prefix("cmd:") {
            Some(command) => (None, Some(command)),
            None => match text.split_once(",cmd:") {
                Some((keys, command)) => (Some(keys), Some(command)),
                None => (Some(text), None),
            },
        };
        let kind = match command.map(str::trim) {
            Some("") => return Err("there is no program behind cmd:".to_owned()),
            Some(command) => Kind::Program {
                command: command.to_owned(),
                time: None,
                timeout: None,
                dialect: None,
                options: Vec::new(),
            },
            None => Kind::Own { table_bytes: None, probe_depth: None },
        };
        let mut spec = ExpertSpec { depth: None, nodes: None, count: 1, kind };
        if let Some(keys) = keys {
            keys.split(',').try_for_each(|part| spec.set(part))?;
        }
        Ok(spec)
    }
}

impl ExpertSpec {
    /// The command of the program; `None` for our engine.
    pub fn command(&self) -> Option<&str> {
        match &self.kind {
            Kind::Own { .. } => None,
            Kind::Program { command, .. } => Some(command),
        }
    }

    /// How many experts it describes.
    pub fn count(&self) -> usize {
        self.count
    }

    fn set(&mut self, part: &str) -> Result<(), String> {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let number = |least: u64, most: u64| match value.parse::<u64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(format!("{key} takes a number from {least} to {most}, as in {key}=4")),
        };
        let positive = || match parse_time(value) {
            Ok(time) if !time.is_zero() => Ok(Some(time)),
            Ok(_) => Err(format!("{key} is a time above 0, as in {key}=0.5s")),
            Err(error) => Err(error.to_string()),
        };
        match (key, &mut self.kind) {
            ("depth", Kind::Own { .. }) => self.depth = Some(number(0, 1000)? as u32),
            ("depth", Kind::Program { .. }) => self.depth = Some(number(1, 1000)? as u32),
            ("nodes", _) => self.nodes = Some(number(1, 1 << 40)?),
            ("count", _) => self.count = number(1, MOST)? as usize,
            ("hash", Kind::Own { table_bytes, .. }) => {
                *table_bytes = Some((number(1, 1 << 20)? as usize) << 20);
            }
            ("probe", Kind::Own { probe_depth, .. }) => {
                *probe_depth = Some(number(0, 1000)? as u32);
            }
            ("time", Kind::Program { time, .. }) => *time = positive()?,
            ("timeout", Kind::Program { timeout, .. }) => *timeout = positive()?,
            ("dialect", Kind::Program { dialect, .. }) => *dialect = Some(value.parse()?),
            (key, Kind::Program { options, .. }) if key.starts_with("option.") => {
                options.push((key["option.".len()..].to_owned(), value.to_owned()));
            }
            (_, Kind::Own { .. }) => {
                return Err(format!(
                    "{:?} describes no expert; write depth=12, nodes=100000, hash=64, probe=2, \
                     count=2, or cmd:PROGRAM for another program",
                    shortened(part)
                ));
            }
            (_, Kind::Program { .. }) => {
                return Err(format!(
                    "{:?} is no limit of a program; write depth=12, nodes=100000, time=0.5s, \
                     timeout=1m, count=2, dialect=auale or option.NAME=VALUE before cmd:",
                    shortened(part)
                ));
            }
        }
        Ok(())
    }

    /// The settings of our engine: what is not described is as in `defaults`.
    fn settings(&self, defaults: &ExpertSettings) -> ExpertSettings {
        let mut settings = *defaults;
        if self.depth.is_some() || self.nodes.is_some() {
            // Without a depth of its own, only the number of positions limits it.
            settings.depth = self.depth.unwrap_or(u32::MAX);
            settings.search_nodes = self.nodes;
        }
        if let Kind::Own { table_bytes, probe_depth } = self.kind {
            settings.table_bytes = table_bytes.unwrap_or(settings.table_bytes);
            settings.probe_depth = probe_depth.unwrap_or(settings.probe_depth);
        }
        settings
    }

    /// The experts: databases first, then the engine or the program.
    fn experts<'a, G, O>(
        &self,
        game: &G,
        databases: Option<&O>,
        defaults: &ExpertSettings,
    ) -> Result<Vec<BoxedExpert<'a, G>>, PlayerError>
    where
        G: Evaluate,
        O: Oracle<Error: fmt::Display + Send> + Clone + Send + Sync + 'a,
    {
        let one = || -> Result<BoxedExpert<'a, G>, PlayerError> {
            let Kind::Program { command, time, timeout, dialect, options } = &self.kind else {
                return Ok(self.settings(defaults).expert(game, databases.cloned()));
            };
            let limits = self.limits(*time, defaults);
            let timeouts = Timeouts::default();
            let timeouts = Timeouts { think: timeout.unwrap_or(timeouts.think), ..timeouts };
            let mut program = External::start(command, options, timeouts)?;
            if let Some(dialect) = dialect.or_else(|| Dialect::usual(game)) {
                program = program.speaking(dialect);
            }
            let expert = ExternalExpert::new(game.clone(), program, limits);
            Ok(match databases.cloned() {
                Some(oracle) => {
                    Box::new(WithDatabases { game: game.clone(), oracle, above: expert })
                }
                None => Box::new(expert),
            })
        };
        (0..self.count).map(|_| one()).collect()
    }

    /// The limits of a program that has this time: its own, or the default depth and positions.
    fn limits(&self, time: Option<Duration>, defaults: &ExpertSettings) -> MoveLimits {
        let mut limits = MoveLimits {
            depth: self.depth,
            nodes: self.nodes,
            clock: time.map(ClockState::Move),
            ..MoveLimits::default()
        };
        if limits.is_open() {
            // A program has no depth 0, which is the evaluation of a position by itself.
            limits.depth = Some(defaults.depth.max(1));
            limits.nodes = defaults.search_nodes;
        }
        limits
    }
}

/// An expert that can be given to a thread.
pub type BoxedExpert<'a, G> = Box<dyn Expert<G> + Send + 'a>;

/// The experts of a book, not yet started.
#[derive(Clone, Debug)]
pub struct Experts {
    /// Engines and programs; without any, as many of our engine as there are threads.
    pub specs: Vec<ExpertSpec>,
    /// What a description leaves open.
    pub settings: ExpertSettings,
    /// The number of threads.
    pub threads: usize,
}

impl Experts {
    /// Starts them.
    pub fn start<'a, G, O>(
        &self,
        game: &G,
        databases: Option<&O>,
    ) -> Result<Vec<BoxedExpert<'a, G>>, PlayerError>
    where
        G: Evaluate,
        O: Oracle<Error: fmt::Display + Send> + Clone + Send + Sync + 'a,
    {
        if self.specs.is_empty() {
            let one = |_| self.settings.expert(game, databases.cloned());
            return Ok((0..self.threads.max(1)).map(one).collect());
        }
        experts(&self.specs, game, databases, &self.settings)
    }
}

/// The experts of several descriptions, in their order; programs are started. Limits that a
/// description leaves open are those of `defaults`.
pub fn experts<'a, G, O>(
    specs: &[ExpertSpec],
    game: &G,
    databases: Option<&O>,
    defaults: &ExpertSettings,
) -> Result<Vec<BoxedExpert<'a, G>>, PlayerError>
where
    G: Evaluate,
    O: Oracle<Error: fmt::Display + Send> + Clone + Send + Sync + 'a,
{
    let mut all = Vec::new();
    for spec in specs {
        all.extend(spec.experts(game, databases, defaults)?);
    }
    Ok(all)
}

//! The command line.
//!
//! The rule options come from the registry of games: a new game needs no change here.

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clap::builder::Arg;
use clap::{ArgAction, ArgMatches, FromArgMatches, Parser, Subcommand, ValueEnum};
use nutcracker_any::AnyGame;
use nutcracker_any::{GameInfo, OptionInfo, Options, Registry};
use nutcracker_game::{MOST_MOVES, Metric, Numbering, Rules, SliceId, closure};
use nutcracker_retro::{available_metric, default_set, folder, open_metric};
use nutcracker_table::{Disk, Storage, TableError, TableSet};
use serde_json::{Map, Value};

use crate::cmd::{
    annotate, book, compact, contest, engine, experiment, games, moves, plan, play, probe, prove,
    sample, serve, solve, stats, token, tune, verify, worker,
};
use crate::failure::Failure;
use crate::{machine, note};

/// The games there are: known once `main` has set them, before any argument is read.
static GAMES: OnceLock<Registry> = OnceLock::new();

/// Sets the games there are.
pub fn set_games(games: Registry) {
    // A second call would be by another `main`.
    let _ = GAMES.set(games);
}

/// The games there are.
pub fn games() -> Registry {
    *GAMES.get_or_init(|| Registry::EMPTY)
}

/// The default directory of databases.
const DEFAULT_DATA: &str = "nutcracker-data";
/// A slice of more positions than this takes hours or days.
const DAYS_POSITIONS: u64 = 2_000_000_000;

/// Solves board games: endgame databases that are exact, checked and quickly probed
#[derive(Debug, Parser)]
#[command(
    name = "nutcracker",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Examples:
  nutcracker solve awari
  nutcracker probe awari \"0,0,1,0,3,2/2,1,1,0,0,0 S\"
  nutcracker stats awari

Exit codes: 0 success, 1 failure, 2 usage error."
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands; each describes itself.
#[derive(Debug, Subcommand)]
pub enum Command {
    Solve(solve::Args),
    Plan(plan::Args),
    Probe(probe::Args),
    Sample(sample::Args),
    Stats(stats::Args),
    Verify(verify::Args),
    Compact(compact::Args),
    Prove(prove::Args),
    Games(games::Args),
    Moves(moves::Args),
    Play(play::Args),
    Match(Box<contest::Args>),
    Annotate(annotate::Args),
    Engine(engine::Args),
    Serve(Box<serve::Args>),
    Worker(Box<worker::Args>),
    Token(token::Args),
    Tune(tune::Args),
    Book(book::Args),
    Experiment(experiment::Args),
}

impl Command {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Command::Solve(args) => args.run(),
            Command::Plan(args) => args.run(),
            Command::Probe(args) => args.run(),
            Command::Sample(args) => args.run(),
            Command::Stats(args) => args.run(),
            Command::Verify(args) => args.run(),
            Command::Compact(args) => args.run(),
            Command::Prove(args) => args.run(),
            Command::Games(args) => args.run(),
            Command::Moves(args) => args.run(),
            Command::Play(args) => args.run(),
            Command::Match(args) => args.run(),
            Command::Annotate(args) => args.run(),
            Command::Engine(args) => args.run(),
            Command::Serve(args) => args.run(),
            Command::Worker(args) => args.run(),
            Command::Token(args) => args.run(),
            Command::Tune(args) => args.run(),
            Command::Book(args) => args.run(),
            Command::Experiment(args) => args.run(),
        }
    }
}

/// Output for people or for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// For programs
    Json,
}

/// Which game, and where its databases are.
#[derive(Clone, Debug, clap::Args)]
pub struct Subject {
    /// The game, as `nutcracker games` lists it, or a .toml file that describes one
    pub game: String,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub data: Data,
    #[command(flatten)]
    pub metric: MetricOption,
}

/// Where databases are.
#[derive(Clone, Debug, clap::Args)]
pub struct Data {
    /// The directory with the databases of all games
    #[arg(long, value_name = "DIR", env = "NUTCRACKER_DATA", default_value = DEFAULT_DATA)]
    pub data: PathBuf,
}

impl Data {
    /// ` --data DIR` for commands that are named in advice; nothing for the usual directory.
    pub fn option(&self) -> String {
        if self.data == Path::new(DEFAULT_DATA) {
            return String::new();
        }
        format!(" --data {}", quoted(&self.data.display().to_string()))
    }
}

impl Subject {
    /// The game.
    pub fn game(&self) -> Result<AnyGame, Failure> {
        Ok(games().game(&self.game, &self.rules.options())?)
    }

    /// The directory with the databases of this game under these options.
    pub fn dir(&self, game: &AnyGame) -> PathBuf {
        self.dir_of(game, self.metric_here(game))
    }

    fn dir_of(&self, game: &AnyGame, metric: Metric) -> PathBuf {
        self.data.data.join(folder(game, metric))
    }

    /// The databases, for probing if `map`, else for reading once.
    pub fn open(&self, game: &AnyGame, map: bool, cache: u64) -> TableSet {
        self.open_metric(game, self.metric_here(game), map, cache)
    }

    fn open_metric(&self, game: &AnyGame, metric: Metric, map: bool, cache: u64) -> TableSet {
        open_metric(game, Some(metric), storage(map), &self.dir_of(game, metric), cache)
    }

    /// The databases of the game's other metrics in the same place, those with a number included.
    pub fn open_others(&self, game: &AnyGame, cache: u64) -> Vec<(Metric, TableSet)> {
        let own = self.metric_here(game);
        let rules = (1..=MOST_MOVES).flat_map(|moves| [Metric::DtzIn(moves), Metric::Dth(moves)]);
        let numbered = iter::once(Metric::Dth(0)).chain(rules);
        let all = game.metrics().iter().copied().chain(numbered);
        all.filter(|&metric| metric != own && metric.is_among(game.metrics()))
            .filter(|&metric| self.dir_of(game, metric).is_dir())
            .map(|metric| (metric, self.open_metric(game, metric, false, cache)))
            .collect()
    }

    /// The metric that was given; else the first with databases here, else the game's usual one.
    fn metric_here(&self, game: &AnyGame) -> Metric {
        let available = || available_metric(game, &storage(false), &self.data.data);
        self.metric.given.unwrap_or_else(available)
    }

    /// The metric of the databases; an error where the game does not have it.
    pub fn metric(&self, game: &AnyGame) -> Result<Metric, Failure> {
        self.metric.check(game)?;
        Ok(self.metric_here(game))
    }

    /// The slices of this game that have a database here, all or of those selected.
    pub fn slices(&self, game: &AnyGame, up_to: &UpTo) -> Result<Vec<SliceId>, Failure> {
        let selected = up_to.select(game)?;
        let present = self.open(game, false, 0).slices()?.into_iter().map(SliceId);
        let slices: Vec<SliceId> = present
            .filter(|&slice| game.has_database(slice))
            .filter(|slice| selected.as_ref().is_none_or(|selected| selected.contains(slice)))
            .collect();
        if slices.is_empty() {
            let more = up_to
                .text()
                .map_or(String::new(), |text| format!(" {} {}", up_to_option(game), quoted(text)));
            return Err(Failure::Failed(format!(
                "there are no databases of {} in {}; `{}` makes them",
                game.id(),
                self.dir(game).display(),
                self.command("solve", &more),
            )));
        }
        Ok(slices)
    }

    /// A sentence about those of the selected slices that have no database here; none if all have one.
    pub fn absent(
        &self,
        game: &AnyGame,
        up_to: &UpTo,
        present: &[SliceId],
    ) -> Result<Option<String>, Failure> {
        const NAMED: usize = 8;
        let mut absent = up_to.select(game)?.unwrap_or_default();
        absent.retain(|slice| !present.contains(slice));
        let Some(&last) = absent.last() else { return Ok(None) };
        let mut names: Vec<String> =
            absent.iter().take(NAMED).map(|&slice| game.slice_name(slice)).collect();
        if absent.len() > NAMED {
            names.push(format!("{} more", absent.len() - NAMED));
        }
        let names = match &names[..] {
            [one] => one.clone(),
            [most @ .., last] => format!("{} and {last}", most.join(", ")),
            [] => return Ok(None),
        };
        let text = up_to.text().unwrap_or_default();
        let command = self.command("solve", &format!(" {} {}", up_to_option(game), quoted(text)));
        let noun = if game.slice_unit() == "slice" || game.slice_name(last).parse::<u32>().is_err()
        {
            String::new()
        } else {
            format!(" {}", game.slice_unit())
        };
        Ok(Some(format!(
            "there is no database of {names}{noun} in {}; `{command}` makes what is missing",
            self.dir(game).display(),
        )))
    }

    /// Notes which of a game's databases were not checked; answers may rest on them.
    pub fn note_unchecked(&self, game: &AnyGame, set: &TableSet) {
        let slices = set.slices().unwrap_or_default().into_iter().map(SliceId);
        let names = unchecked(game, set, slices.filter(|&slice| game.has_database(slice)));
        if !names.is_empty() {
            note(&format!(
                "these databases of {} were not checked: {}; `{}` checks them",
                game.id(),
                names.join(", "),
                self.command("verify", ""),
            ));
        }
    }

    /// An error of reading databases, with the command that makes what is missing.
    pub fn explain(&self, game: &AnyGame, error: TableError) -> Failure {
        match error {
            TableError::MissingSlice { slice, dir, .. } => {
                let slice = SliceId(slice);
                let advice = if game.slice_len(slice) > DAYS_POSITIONS {
                    format!(
                        "`{}` says what it takes, and `{}` estimates values by search",
                        self.slice_command("plan", game, slice),
                        self.command("play", ""),
                    )
                } else {
                    format!("`{}` makes it", self.slice_command("solve", game, slice))
                };
                let others = self.open_others(game, 0).into_iter();
                let has = others.filter(|(_, set)| set.get(slice.0).is_ok());
                let names: Vec<String> = has
                    .map(|(metric, _)| format!("`--metric {}`", game.metric_name(metric)))
                    .collect();
                let others = match names.len() {
                    0 => String::new(),
                    _ => format!(" (but there is one with {})", names.join(", ")),
                };
                Failure::Failed(format!(
                    "there is no database of {} for {} in {}{others}; {advice}",
                    game.id(),
                    slice_label(game, slice),
                    dir.display(),
                ))
            }
            error => error.into(),
        }
    }

    /// A command about a slice and what it depends on.
    pub fn slice_command(&self, verb: &str, game: &AnyGame, slice: SliceId) -> String {
        let option = format!(" {} {}", up_to_option(game), game.slice_name(slice));
        self.command(verb, &option)
    }

    /// A command about the same game and the same place, as it can be typed.
    pub fn command(&self, verb: &str, rest: &str) -> String {
        let mut line = format!("{} {verb} {}", program(), self.game);
        for (name, value) in &self.rules.0 {
            line.push_str(" --");
            line.push_str(name);
            if let Some(value) = value {
                line.push(' ');
                line.push_str(&quoted(value));
            }
        }
        if let Some(metric) = self.metric.given {
            line.push_str(" --metric ");
            line.push_str(self.game().map_or(metric.name(), |game| game.metric_name(metric)));
        }
        line + &self.data.option() + rest
    }
}

/// Those of these slices whose databases were not checked, by name.
pub fn unchecked(
    game: &AnyGame,
    set: &TableSet,
    slices: impl IntoIterator<Item = SliceId>,
) -> Vec<String> {
    let unchecked = |slice: &SliceId| set.get(slice.0).is_ok_and(|table| !table.is_checked());
    slices.into_iter().filter(unchecked).map(|slice| game.slice_name(slice)).collect()
}

/// Files on disk; mapped pages would count as memory in use, so only probing maps them.
pub fn storage(map: bool) -> Arc<dyn Storage> {
    Arc::new(Disk { map })
}

/// `15 stones`, or `slice krkn` where the name is not a number of something.
pub fn slice_label(game: &AnyGame, slice: SliceId) -> String {
    game.slice_label(slice)
}

/// An object about a slice, for programs: its name, its metric, the number of what it counts where
/// the name is one, and the fields given.
pub fn slice_object(game: &AnyGame, metric: Metric, slice: SliceId, fields: Value) -> Value {
    let name = game.slice_name(slice);
    let number = name.parse::<u64>().ok().filter(|_| game.slice_unit() != "slice");
    let mut object = Map::new();
    object.insert("slice".to_owned(), name.into());
    object.insert("metric".to_owned(), metric.name().into());
    if let Some(number) = number {
        object.insert(game.slice_unit().to_owned(), number.into());
    }
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
    object.into()
}

/// The option that selects slices, by the name that suits the game.
pub fn up_to_option(game: &AnyGame) -> &'static str {
    if game.slice_unit() == "stones" { "--stones" } else { "--up-to" }
}

/// This program as it was called, so that what it advises works as it is printed.
pub fn program() -> String {
    std::env::args().next().map_or_else(|| "nutcracker".to_owned(), |name| quoted(&name))
}

/// A word as a shell reads it back.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The slice with a name, which can have a database.
pub fn slice_named(game: &AnyGame, name: &str) -> Result<SliceId, Failure> {
    let named = |name: &str| game.slice_named(name).filter(|&slice| game.has_database(slice));
    // The largest of those that `--up-to` selects.
    let selected = || {
        let up_to = UpTo { up_to: Some(name.to_owned()) };
        up_to.select(game).ok().flatten()?.last().copied()
    };
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let slice = named(name).or_else(|| if is_number { None } else { selected() });
    slice.ok_or_else(|| {
        let last = slice_label(game, game.largest_slice());
        let last = last.trim_start_matches("slice ");
        Failure::Usage(format!("{} has slices up to {last}, not {name:?}", game.id()))
    })
}

/// Which slices.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct UpTo {
    /// The slices, in the game's own terms: `15` for all up to 15 stones in awari
    #[arg(long, value_name = "WHAT", visible_alias = "stones", allow_negative_numbers = true)]
    up_to: Option<String>,
}

impl UpTo {
    /// What was given.
    pub fn text(&self) -> Option<&str> {
        self.up_to.as_deref()
    }

    /// The slices selected with all they depend on, in the order of solving; `None` if nothing was
    /// selected.
    pub fn select(&self, game: &AnyGame) -> Result<Option<Vec<SliceId>>, Failure> {
        let Some(text) = self.text() else { return Ok(None) };
        let selected = game.select(text).map_err(|error| Failure::Usage(error.to_string()))?;
        let all = closure(game, selected);
        match all.iter().find(|&&slice| !game.has_database(slice)) {
            Some(&slice) => Err(Failure::Usage(format!(
                "{} of {} can have no database",
                slice_label(game, slice),
                game.id()
            ))),
            None => Ok(Some(all)),
        }
    }

    /// The same, with the default set where nothing was selected; an error where that is empty.
    pub fn select_or_default(&self, game: &AnyGame) -> Result<Vec<SliceId>, Failure> {
        if let Some(selected) = self.select(game)? {
            return Ok(selected);
        }
        let slices = default_set(game);
        if slices.is_empty() {
            return Err(Failure::Usage(format!(
                "even the first slice of {} is large; select slices with {}",
                game.id(),
                up_to_option(game)
            )));
        }
        Ok(slices)
    }
}

/// Which values.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct MetricOption {
    /// What databases hold: score, forced (what can be forced without a repetition), wdl, dtw (the
    /// winner's moves to the end of the game; dtm in chess), dtc (to the next conversion), dtz (to the
    /// next zeroing move, in chess a capture or a pawn's move), dtzN (dtz under a rule of N moves), dtr
    /// (the smallest such N) or dthN (dtzN where that is won, else dtr); by default the game's usual
    /// one
    #[arg(long = "metric", value_name = "METRIC")]
    pub given: Option<Metric>,
}

impl MetricOption {
    /// An error where the game does not have the metric.
    fn check(self, game: &AnyGame) -> Result<(), Failure> {
        self.given.map_or(Ok(()), |metric| game.check_metric(metric).map_err(Failure::Usage))
    }

    /// The metric to solve; an error where the game does not have it.
    pub fn or_usual(self, game: &AnyGame) -> Result<Metric, Failure> {
        self.check(game)?;
        Ok(self.given.unwrap_or(game.metrics()[0]))
    }
}

/// An error where a game can have no databases.
pub fn need_databases(game: &AnyGame) -> Result<(), Failure> {
    if game.has_databases() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} has too many positions for databases; `{} games {}` says which boards have some",
        game.id(),
        program(),
        game.id().name,
    )))
}

/// An error for what takes repetitions for draws, where the game does not.
pub fn need_no_history(game: &AnyGame, what: &str) -> Result<(), Failure> {
    if !game.depends_on_history() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{what} of {} cannot be made: there a repetition is worth something, so that values depend \
         on the moves before",
        game.id()
    )))
}

/// How many threads.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Threads {
    /// Number of threads; all cores by default
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_threads)]
    threads: Option<usize>,
}

impl Threads {
    /// The number.
    pub fn count(self) -> usize {
        self.count_among(1)
    }

    /// The number for each of several processes.
    pub fn count_among(self, processes: usize) -> usize {
        self.threads.unwrap_or_else(|| (machine::cores() / processes).max(1))
    }
}

fn parse_threads(text: &str) -> Result<usize, String> {
    let Ok(threads @ 1..=1024) = text.parse() else {
        return Err("a number of threads is 1 to 1024; leave it out to use all cores".to_owned());
    };
    match machine::threads_that_fit() {
        Some(fit) if threads > fit => Err(format!(
            "only {fit} fit the address space that this process may use (ulimit -v); use fewer or \
             raise the limit"
        )),
        _ => Ok(threads),
    }
}

/// The rule options given: names and, where they have one, values.
#[derive(Clone, Debug, Default)]
pub struct RuleOptions(pub Vec<(&'static str, Option<String>)>);

impl RuleOptions {
    /// In the form of the registry.
    pub fn options(&self) -> Options {
        let mut options = Options::new();
        for (name, value) in &self.0 {
            options.set(*name, value.as_deref().unwrap_or("yes"));
        }
        options
    }

    /// As records have them: `pits=3,empty-capture=yes`.
    pub fn text(&self) -> String {
        let one = |(name, value): &(&str, Option<String>)| {
            format!("{name}={}", value.as_deref().unwrap_or("yes"))
        };
        self.0.iter().map(one).collect::<Vec<_>>().join(",")
    }

    /// Reads that for a game of the registry; the error is one sentence.
    pub fn from_text(game: &GameInfo, text: &str) -> Result<Self, String> {
        let mut rules = RuleOptions::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, "yes"));
            let known = game.options.iter().find(|option| option.name == name.trim());
            let Some(option) = known else {
                return Err(format!("{} has no option {name:?}", game.name));
            };
            let value = value.trim().to_owned();
            match (option.value, value.as_str()) {
                (None, "no") => {}
                (None, _) => rules.0.push((option.name, None)),
                (Some(_), _) => rules.0.push((option.name, Some(value))),
            }
        }
        Ok(rules)
    }

    /// Every option name of any game, once, with the games that have it.
    fn known() -> Vec<(&'static str, Vec<(&'static GameInfo, &'static OptionInfo)>)> {
        let mut known: Vec<(&str, Vec<_>)> = Vec::new();
        for game in games().iter() {
            for option in game.options {
                match known.iter_mut().find(|(name, _)| *name == option.name) {
                    Some((_, users)) => users.push((game, option)),
                    None => known.push((option.name, vec![(game, option)])),
                }
            }
        }
        known
    }
}

impl FromArgMatches for RuleOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut rules = RuleOptions::default();
        for (name, users) in RuleOptions::known() {
            if users.iter().all(|(_, option)| option.value.is_none()) {
                if matches.get_flag(name) {
                    rules.0.push((name, None));
                }
            } else if let Some(value) = matches.get_one::<String>(name) {
                rules.0.push((name, Some(value.clone())));
            }
        }
        Ok(rules)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = RuleOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for RuleOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        RuleOptions::known().into_iter().fold(command, |command, (name, users)| {
            let help: Vec<String> = users
                .iter()
                .map(|(game, option)| {
                    format!("{}: {} [default: {}]", game.name, option.about, option.default)
                })
                .collect();
            let arg = Arg::new(name).long(name).help(help.join("; ")).help_heading("RuleOptions");
            command.arg(match users.iter().find_map(|(_, option)| option.value) {
                Some(value) => arg.value_name(value).allow_negative_numbers(true),
                None => arg.action(ArgAction::SetTrue),
            })
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

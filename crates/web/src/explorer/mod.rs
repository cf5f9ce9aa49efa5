//! A game with its databases, behind one interface for all games.

mod book;
mod budget;
mod charts;
mod databases;
mod error;
mod extremes;
mod growth;
mod holdings;
mod line;
mod metrics;
mod moves;
mod puzzle;
mod random;
mod rates;
mod reply;
mod review;
mod search;
mod seeds;
mod shelf;
mod slices;
mod tablebase;
mod value;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_any::{GameInfo, Options};
use nutcracker_game::{Metric, Numbering, Rules, Side, Situation, SliceId, closure};
use nutcracker_retro::{Progress, Rates, SolveError, SolveOptions, default_set, folder};
use nutcracker_search::Worth;
use nutcracker_table::{Disk, Storage, TableError, TableSet};
use serde::Serialize;
use utoipa::ToSchema;

use crate::config::Config;
use databases::Databases;

pub use book::{
    BookFacts, BookLine, BookMove, BookNode, Dot, DropOuts, NodeState, Whose, facts_of,
};
pub use budget::Budget;
pub use databases::HeldMetric;
pub use error::ExplorerError;
pub use extremes::{Extreme, Extremes, LongWin};
pub use growth::Grow;
pub use holdings::{Holding, canonical, holdings};
pub use line::{Line, Node, Played};
pub use metrics::Measured;
pub use moves::{Choice, Loss, Moves};
pub use puzzle::{Chance, Puzzle, PuzzleFilters};
pub use random::{Captures, Filters, Only, RandomPosition, Sampled, Scan};
pub use rates::ErrorRates;
pub use reply::{Opponent, Reply, ReplySource};
pub use review::{Competence, Decisive, RecordedGame, Review, ReviewedMove};
pub use search::Searched;
pub use seeds::{Changed, Pit, Seeds};
pub use shelf::Shelves;
pub use slices::{Slice, Slices, Tally};
pub use tablebase::{Category, Tablebase, TablebaseEntry, TablebaseMove};
pub use value::Outcome;

/// A set with more positions is planned before it is solved: disk or memory may not suffice.
const LARGE: u64 = 10_000_000_000;

/// The result of a probe.
#[derive(Debug, Serialize, ToSchema)]
pub struct Probed {
    /// The position as this program writes it.
    #[schema(example = "0,0,4,0,3,2/2,1,1,0,0,2 S 20-13")]
    pub position: String,
    /// The side to move.
    #[schema(example = "south")]
    pub mover: &'static str,
    /// The name of the slice it belongs to.
    #[schema(example = "15")]
    pub slice: String,
    /// Its number in the slice, if it has one.
    pub index: Option<u64>,
    /// What it is worth to the side to move.
    pub value: Worth,
    /// How the game ends for the side to move.
    pub outcome: Option<Outcome>,
    /// What the players end up with, where the position contains what they have.
    pub result: Option<Points>,
}

/// Points by the names of the players.
#[derive(Clone, Debug, PartialEq)]
pub struct Points(pub [(&'static str, f64); 2]);

impl Serialize for Points {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|&(name, points)| {
            // Whole numbers are written as such.
            let number = if points.fract() == 0.0 {
                Some(serde_json::Number::from(points as i64))
            } else {
                serde_json::Number::from_f64(points)
            };
            (name, number)
        }))
    }
}

impl utoipa::PartialSchema for Points {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        <HashMap<String, f64> as utoipa::PartialSchema>::schema()
    }
}

impl ToSchema for Points {}

/// A game under its options.
#[derive(Debug, Serialize, ToSchema)]
pub struct GameCard {
    /// Its name.
    #[schema(example = "awari")]
    pub name: &'static str,
    /// What it is called, where a file describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its rule options in full.
    #[schema(example = "pits=6")]
    pub options: String,
    /// All its options, with those that only the start depends on.
    #[schema(example = "pits=6, reachable=no")]
    pub rules: String,
    /// The same on the command line: `nutcracker solve` and this, for example.
    #[schema(example = "awari --pits 4")]
    pub command: String,
    /// The game in one line.
    pub about: &'static str,
    /// What the number of a slice counts, if its name is a number.
    #[schema(example = "stones")]
    pub unit: &'static str,
    /// Whether scores are points; where they are not, 1 is a win, 0 a draw and -1 a loss.
    pub points: bool,
    /// The names of the players, the one that moves first comes first.
    pub sides: [&'static str; 2],
    /// Where the game starts.
    pub start: String,
    /// The slice of the start position.
    #[schema(example = "48")]
    pub start_slice: String,
    /// The last slice that can have a database.
    #[schema(example = "48")]
    pub largest_slice: String,
    /// The slices with a database here, in the order of solving.
    #[schema(example = json!(["0", "1", "2"]))]
    pub slices: Vec<String>,
    /// The metric of their values.
    #[schema(example = "score")]
    pub metric: &'static str,
    /// The metrics that databases of the game can have, with what is here of each; with `dtz`, also
    /// `dtzN` and `dthN` for other numbers than those listed.
    pub metrics: Vec<HeldMetric>,
    /// The slices that are built where none are selected, in the order of solving: the whole game
    /// where that takes minutes, else as many as take seconds; none where it has no databases.
    #[schema(example = json!(["0", "1", "2"]))]
    pub small_set: Vec<String>,
    /// The number of positions of that set.
    pub small_set_positions: u64,
}

/// Slices to be solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The slices, in the order of solving.
    pub slices: Vec<SliceId>,
    /// The number of their positions.
    pub positions: u64,
}

/// Opens a game.
pub fn open(
    info: &'static GameInfo,
    options: &Options,
    config: &Config,
    shelves: &Shelves,
) -> Result<Arc<Explorer>, ExplorerError> {
    let game = info.game(options)?;
    let (data, cache_bytes) = (&config.data, config.limits.cache_bytes);
    let databases = Databases::open(&game, data, cache_bytes, None);
    let shelf = shelves.at(data.join(nutcracker_book::file_name(&game)));
    Ok(Arc::new(Explorer {
        title: holdings::title(&config.files, info, options),
        game,
        databases: RwLock::new(Arc::new(databases)),
        data: data.clone(),
        cache_bytes,
        info,
        options: options.clone(),
        data_option: config.data_option.clone(),
        free_disk: config.free_disk,
        shelf,
    }))
}

/// A game with its databases, whatever game it is.
pub struct Explorer {
    game: AnyGame,
    /// What is here; others when some of another metric were made.
    databases: RwLock<Arc<Databases>>,
    data: PathBuf,
    cache_bytes: u64,
    info: &'static GameInfo,
    /// What a file that describes it calls it.
    title: Option<String>,
    /// The options it was opened with: the game's id need not name all of them.
    options: Options,
    /// How commands that advice names are told where the databases are.
    data_option: String,
    free_disk: fn(&Path) -> Option<u64>,
    shelf: Arc<shelf::Shelf>,
}

impl fmt::Debug for Explorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Explorer").field("game", &self.game.id()).finish_non_exhaustive()
    }
}

impl Explorer {
    /// The databases that are here now.
    fn databases(&self) -> Arc<Databases> {
        let known = Arc::clone(&self.databases.read().unwrap_or_else(PoisonError::into_inner));
        known.all().for_each(|(_, set)| set.forget_renamed());
        if !self.game.has_databases() || known.are_all(&self.game, &self.data) {
            return known;
        }
        self.open_again(&known)
    }

    /// Opens the databases that are here now; those that were open stay so.
    fn open_again(&self, before: &Databases) -> Arc<Databases> {
        let now = Databases::open(&self.game, &self.data, self.cache_bytes, Some(before));
        let now = Arc::new(now);
        *self.databases.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&now);
        now
    }

    /// Those that it goes by.
    fn set(&self) -> Arc<TableSet> {
        Arc::clone(&self.databases().set)
    }

    fn parse(&self, text: &str) -> Result<Situation<AnyPosition>, ExplorerError> {
        self.game.parse(text).map_err(|error| {
            let example = self.game.format(&self.game.start());
            ExplorerError::BadPosition(error.with_example(&example))
        })
    }

    fn probe_position(
        &self,
        position: &AnyPosition,
    ) -> Result<nutcracker_search::Probed, ExplorerError> {
        if !self.game.has_database(self.game.slice_of(position)) {
            return Err(ExplorerError::NoDatabase(self.missing_for(position)));
        }
        nutcracker_search::Probed::probe(&self.game, &self.set(), position)
            .map_err(|error| self.explain(error))
    }

    /// An error of the databases, with advice.
    fn explain(&self, error: TableError) -> ExplorerError {
        match error {
            TableError::MissingSlice { slice, .. } => {
                ExplorerError::NoDatabase(self.missing(SliceId(slice)))
            }
            error => error.into(),
        }
    }

    /// Why there is no database for a position, and what makes one.
    fn missing_for(&self, position: &AnyPosition) -> String {
        let slice = self.game.slice_of(position);
        let beyond = self.game.beyond(position).filter(|_| !self.game.has_database(slice));
        beyond.map_or_else(
            || self.missing(slice),
            |why| {
                let id = self.game.id();
                format!("no database of {id} can hold this position: {why}; a search can value it")
            },
        )
    }

    /// Why there is no database of a slice, and what makes one.
    fn missing(&self, slice: SliceId) -> String {
        let id = self.game.id();
        let label = self.game.slice_title(slice).unwrap_or_else(|| self.game.slice_label(slice));
        if !self.game.has_database(slice) {
            return if self.game.has_databases() {
                format!("{label} of {id} can have no database; a search can value its positions")
            } else {
                format!("{} has no databases; a search can value its positions", id.name)
            };
        }
        let command = self.solve_command(slice, self.databases().metric);
        if !self.is_feasible(slice) {
            let plan = command.replacen("solve", "plan", 1);
            return format!(
                "there is no database of {id} for {label}; `{plan}` says what it takes"
            );
        }
        format!("there is no database of {id} for {label}; `{command}` makes it")
    }

    /// Whether this machine has the memory and the disk to solve a slice and those it depends on, by
    /// what `nutcracker plan` would say.
    fn is_feasible(&self, slice: SliceId) -> bool {
        let here = self.databases();
        let plan = || {
            if self.selection(closure(&self.game, vec![slice])).positions > LARGE {
                return false;
            }
            let memory = nutcracker_mem::available_memory().unwrap_or(u64::MAX);
            let Databases { metric, set, .. } = &*here;
            let options =
                SolveOptions { memory, metric: Some(*metric), ..SolveOptions::new(1, "") };
            let disk = (self.free_disk)(set.dir());
            let mut finished = 0;
            self.game.plan(&[slice], &options, &Rates::usual(*metric, 1)).iter().all(|plan| {
                finished += plan.disk;
                plan.memory <= memory && disk.is_none_or(|disk| finished + plan.work_disk <= disk)
            })
        };
        let mut known = here.feasible.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(slice).or_insert_with(plan)
    }

    /// The command that makes the database of a slice and those it depends on, of a metric.
    pub fn solve_command(&self, slice: SliceId, metric: Metric) -> String {
        self.solve_command_for(&self.game.slice_name(slice), metric)
    }

    /// The same for slices that a text selects.
    pub fn solve_command_for(&self, text: &str, metric: Metric) -> String {
        let option = if self.game.slice_unit() == "stones" { "--stones" } else { "--up-to" };
        let usual = self.game.metrics().first() == Some(&metric);
        let metric = if usual { String::new() } else { format!(" --metric {metric}") };
        format!("nutcracker solve {} {option} {text}{metric}", self.command_line())
    }

    /// The game on the command line: its name, the options that do not have their defaults, and where
    /// its databases are.
    pub fn command_line(&self) -> String {
        let options = self.info.options.iter().filter_map(|option| match option.value {
            Some(_) => {
                let value = self.options.text(option);
                (value != option.default).then(|| format!(" --{} {value}", option.name))
            }
            None => self.options.flag(option).then(|| format!(" --{}", option.name)),
        });
        let data = std::iter::once(self.data_option.clone());
        std::iter::once(self.info.name.to_owned()).chain(options).chain(data).collect()
    }

    /// The slice with this name.
    fn slice_named(&self, name: &str) -> Result<SliceId, ExplorerError> {
        self.game.slice_named(name).ok_or_else(|| {
            ExplorerError::Request(format!("{} has no slice {name:?}", self.game.id()))
        })
    }

    /// Slices with the numbers that their positions have together.
    pub(crate) fn selection(&self, slices: Vec<SliceId>) -> Selection {
        let lengths = slices.iter().map(|&slice| self.game.slice_len(slice));
        let positions = lengths.fold(0, u64::saturating_add);
        Selection { slices, positions }
    }

    fn names(&self, slices: &[SliceId]) -> Vec<String> {
        slices.iter().map(|&slice| self.game.slice_name(slice)).collect()
    }

    fn points(&self, situation: &Situation<AnyPosition>, value: Worth) -> Option<Points> {
        self.game.final_result(situation, value.score()?).map(|result| self.named_points(result))
    }

    /// What the players have banked so far, where the situation contains that.
    fn banked(&self, situation: &Situation<AnyPosition>) -> Option<Points> {
        Some(self.named_points(situation.banked?.map(f64::from)))
    }

    /// Points of the first and the second side, by their names.
    fn named_points(&self, [first, second]: [f64; 2]) -> Points {
        let name = |side| self.game.side_name(side);
        Points([(name(Side::First), first), (name(Side::Second), second)])
    }

    /// The position without what the players have: equal for repeated positions.
    fn board(&self, situation: &Situation<AnyPosition>) -> String {
        self.game.format(&Situation { banked: None, ..*situation })
    }
}

impl Explorer {
    /// Describes the game.
    pub fn card(&self) -> Result<GameCard, ExplorerError> {
        let (id, start, here) = (self.game.id(), self.game.start(), self.databases());
        let small_set = self.selection(default_set(&self.game));
        Ok(GameCard {
            name: id.name,
            title: self.title.clone(),
            options: id.options,
            rules: holdings::rules_of(self.info, &self.options).1,
            command: self.command_line(),
            about: self.info.about,
            unit: self.game.slice_unit(),
            points: self.has_points(),
            sides: [Side::First, Side::Second].map(|side| self.game.side_name(side)),
            start: self.game.format(&start),
            start_slice: self.game.slice_name(self.game.slice_of(&start.position)),
            largest_slice: self.game.slice_name(self.game.largest_slice()),
            slices: self.names(&self.present(&here.set)?),
            metric: here.metric.name(),
            metrics: self.held()?,
            small_set: self.names(&small_set.slices),
            small_set_positions: small_set.positions,
        })
    }

    /// Probes a position.
    pub fn probe(&self, text: &str) -> Result<Probed, ExplorerError> {
        let situation = self.parse(text)?;
        let value = self.probe_position(&situation.position)?.worth;
        Ok(Probed {
            position: self.game.format(&situation),
            mover: self.game.side_name(situation.mover),
            slice: self.game.slice_name(self.game.slice_of(&situation.position)),
            index: self
                .game
                .is_indexed(&situation.position)
                .then(|| self.game.rank(&situation.position)),
            value,
            outcome: Outcome::of(&self.game, &situation, value),
            result: self.points(&situation, value),
        })
    }

    /// Only its value.
    pub fn value(&self, text: &str) -> Result<Worth, ExplorerError> {
        Ok(self.probe_position(&self.parse(text)?.position)?.worth)
    }

    /// Whether any slice can have a database.
    pub fn has_databases(&self) -> bool {
        self.game.has_databases()
    }

    /// The name of a slice.
    pub fn slice_name(&self, slice: SliceId) -> String {
        self.game.slice_name(slice)
    }

    /// The slices that a text selects, with all they depend on; without a text, the small set.
    pub fn select(&self, text: Option<&str>) -> Result<Selection, ExplorerError> {
        let slices = match text {
            None => default_set(&self.game),
            Some(text) => {
                let selected = self.game.select(text);
                let selected =
                    selected.map_err(|error| ExplorerError::Request(error.to_string()))?;
                closure(&self.game, selected)
            }
        };
        if slices.is_empty() {
            return Err(if self.game.has_databases() {
                ExplorerError::Request("select the slices to build with up_to".to_owned())
            } else {
                ExplorerError::NoDatabase(self.missing(SliceId(0)))
            });
        }
        match slices.iter().find(|&&slice| !self.game.has_database(slice)) {
            Some(&slice) => Err(ExplorerError::NoDatabase(self.missing(slice))),
            None => Ok(self.selection(slices)),
        }
    }

    /// The metric with this name; without one, that of the values.
    pub fn metric_named(&self, name: Option<&str>) -> Result<Metric, ExplorerError> {
        let Some(name) = name else { return Ok(self.databases().metric) };
        let wrong = |why: String| ExplorerError::Request(why);
        let metric = name.parse::<Metric>().map_err(|error| wrong(error.to_string()))?;
        self.game.check_metric(metric).map_err(wrong)?;
        Ok(metric)
    }

    /// Builds the databases of a selection by a metric, which then are those that are here.
    pub fn build(
        &self,
        selection: &Selection,
        metric: Metric,
        options: &SolveOptions,
        progress: &dyn Progress,
    ) -> Result<(), SolveError> {
        let storage: Arc<dyn Storage> = Arc::new(Disk { map: false });
        let dir = self.data.join(folder(&self.game, metric));
        let options = SolveOptions { metric: Some(metric), ..options.clone() };
        let result = self.game.solve_slices(&storage, &dir, &selection.slices, &options, progress);
        for (_, set) in self.open_again(&self.databases()).all() {
            for slice in &selection.slices {
                set.forget(slice.0);
            }
        }
        result.map(drop)
    }

    /// Hits and misses of the cache of scores.
    pub fn cache(&self) -> nutcracker_table::CacheStats {
        self.set().cache_stats()
    }
}

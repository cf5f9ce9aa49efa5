//! Which databases and books a directory has, under whatever rule options.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use nutcracker_any::{AnyGame, GameInfo, Options, Registry};
use nutcracker_game::{Metric, Numbering, SliceId};
use nutcracker_retro::{folder, open_metric};
use nutcracker_table::{Disk, Storage};
use serde::Serialize;
use utoipa::ToSchema;

use crate::config::FileGame;

/// Databases and a book of a game under some rule options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Holding {
    /// The options that are not the usual ones, as requests name them; empty for the usual rules.
    #[schema(example = "pits=4")]
    pub options: String,
    /// What the game is called under these options, where a file describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// All options.
    #[schema(example = "pits=4, seeds=4, empty-capture=no, play-on=no")]
    pub rules: String,
    /// The slices with a database, in the order of solving.
    #[schema(example = json!(["0", "1", "2"]))]
    pub slices: Vec<String>,
    /// Whether there is a book.
    pub book: bool,
}

/// The options of a game that are not the usual ones, and all of them.
pub fn rules_of(info: &GameInfo, options: &Options) -> (String, String) {
    let (mut unusual, mut all) = (Vec::new(), Vec::new());
    for option in info.options {
        let flag = if options.flag(option) { "yes" } else { "no" };
        let value = if option.value.is_some() { options.text(option) } else { flag };
        let text = format!("{}={value}", option.name);
        if options.text(option) != option.default {
            unusual.push(text.clone());
        }
        all.push(text);
    }
    (unusual.join(","), all.join(", "))
}

/// The options that are not the usual ones, written in one way. Unknown options are kept, so that
/// they are refused and not ignored.
pub fn canonical(info: &GameInfo, options: &Options) -> String {
    let unknown =
        options.iter().filter(|(name, _)| info.options.iter().all(|one| one.name != *name));
    let unknown = unknown.map(|(name, value)| format!("{name}={value}"));
    let (known, _) = rules_of(info, options);
    unknown.chain((!known.is_empty()).then_some(known)).collect::<Vec<_>>().join(",")
}

/// What the file that describes a game calls it, if one does.
pub fn title(files: &[FileGame], info: &GameInfo, options: &Options) -> Option<String> {
    let same = |file: &&FileGame| {
        let given = canonical(info, &file.info.given());
        file.info.name == info.name && given == canonical(info, options)
    };
    files.iter().find(same).map(|file| file.title.clone())
}

/// What a directory has of every game: by name and options, the usual ones first; and what files
/// describe, whether or not it has something of it.
pub fn holdings(
    games: Registry,
    files: &[FileGame],
    data: &Path,
) -> BTreeMap<&'static str, Vec<Holding>> {
    let mut found: BTreeMap<(&'static str, String), Holding> = BTreeMap::new();
    let names = std::fs::read_dir(data).into_iter().flatten().flatten();
    for name in names.filter_map(|entry| entry.file_name().into_string().ok()) {
        let Some(Identified { info, options, slices, book }) = identify(games, data, &name) else {
            continue;
        };
        if slices.is_empty() && !book {
            continue;
        }
        let (unusual, rules) = rules_of(info, &options);
        let holding = found.entry((info.name, unusual.clone())).or_insert_with(|| Holding {
            options: unusual,
            title: None,
            rules,
            slices: Vec::new(),
            book: false,
        });
        holding.book |= book;
        if slices.len() > holding.slices.len() {
            holding.slices = slices;
        }
    }
    for FileGame { title, info } in files {
        let (unusual, rules) = rules_of(info, &info.given());
        let holding = found.entry((info.name, unusual.clone())).or_insert_with(|| Holding {
            options: unusual,
            title: None,
            rules,
            slices: Vec::new(),
            book: false,
        });
        holding.title = Some(title.clone());
    }
    let mut games: BTreeMap<_, Vec<Holding>> = BTreeMap::new();
    for ((name, _), holding) in found {
        games.entry(name).or_default().push(holding);
    }
    games
}

/// A file or folder of a game.
struct Identified {
    info: &'static GameInfo,
    options: Options,
    slices: Vec<String>,
    book: bool,
}

/// The game that a name in a data directory belongs to.
fn identify(games: Registry, data: &Path, name: &str) -> Option<Identified> {
    let book = name.strip_suffix(".book");
    let stem = book.unwrap_or(name);
    for info in games.iter() {
        let Some(rest) = stem.strip_prefix(info.name) else { continue };
        // The name of a metric may follow the options.
        let shorter = rest.rfind('-').map(|end| &rest[..end]);
        for rest in std::iter::once(rest).chain(shorter) {
            let options = named(info, rest);
            let Ok(game) = info.game(&options) else { continue };
            if book.is_some() {
                if nutcracker_book::file_name(&game) == name {
                    return Some(Identified { info, options, slices: Vec::new(), book: true });
                }
            } else if let Some(metric) = metric_of(&game, name) {
                let slices = slices(&game, metric, data);
                return Some(Identified { info, options, slices, book: false });
            }
        }
    }
    None
}

/// The metric of the tables in a folder of the game's.
fn metric_of(game: &AnyGame, name: &str) -> Option<Metric> {
    let numbered = name.rsplit('-').next().and_then(|last| last.parse().ok());
    let listed = game.metrics().iter().copied();
    let mut all = listed.chain(numbered.filter(|metric: &Metric| metric.is_among(game.metrics())));
    all.find(|&metric| folder(game, metric) == name)
}

/// The options in the name of a folder, `-pits4-play-onno`; what it gets wrong is found by the
/// comparison of names.
fn named(info: &GameInfo, text: &str) -> Options {
    let mut places: Vec<(usize, &str)> = info
        .options
        .iter()
        .filter_map(|option| Some((text.find(&format!("-{}", option.name))?, option.name)))
        .collect();
    places.sort_unstable();
    let mut options = Options::new();
    for (at, &(start, name)) in places.iter().enumerate() {
        let end = places.get(at + 1).map_or(text.len(), |&(next, _)| next);
        match text.get(start + 1 + name.len()..end) {
            Some("no") | None => {}
            Some("") => options.set(name, "yes"),
            Some(value) => options.set(name, value),
        }
    }
    options
}

/// The names of the slices with a database, in the order of solving.
fn slices(game: &AnyGame, metric: Metric, data: &Path) -> Vec<String> {
    let storage: Arc<dyn Storage> = Arc::new(Disk { map: true });
    let set = open_metric(game, Some(metric), storage, &data.join(folder(game, metric)), 0);
    let slices = set.slices().unwrap_or_default().into_iter().map(SliceId);
    slices.filter(|&slice| game.has_database(slice)).map(|slice| game.slice_name(slice)).collect()
}

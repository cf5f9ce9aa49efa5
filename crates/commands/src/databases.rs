//! The databases of a game as players probe them, if there are any.

use std::path::Path;
use std::sync::Arc;

use nutcracker_any::AnyGame;
use nutcracker_game::{Numbering, Rules, SliceId};
use nutcracker_retro::{folder, open_metric};
use nutcracker_search::TableOracle;
use nutcracker_search::player::Strategy;

use crate::args::{Subject, program, quoted, slice_label, storage};
use crate::failure::Failure;

/// Decoded scores kept while a game is played.
const CACHE: u64 = 64 << 20;

/// The databases that exist, or none.
pub type Databases = Option<TableOracle>;

/// Opens those of this game.
pub fn open(game: &AnyGame, subject: &Subject) -> Result<Arc<Databases>, Failure> {
    if !game.has_databases() {
        return Ok(Arc::new(None));
    }
    subject.metric(game)?;
    let set = Arc::new(subject.open(game, true, CACHE));
    subject.note_unchecked(game, &set);
    Ok(Arc::new(Some(TableOracle::new(set)?)))
}

/// Databases of every metric that a strategy names, from where those of the usual one are.
pub fn by_metrics(
    game: &AnyGame,
    databases: &Databases,
    strategy: &Strategy,
) -> Result<Vec<TableOracle>, Failure> {
    let data = databases.as_ref().and_then(|tables| tables.set().dir().parent());
    let mut oracles = Vec::new();
    for metric in strategy.metrics() {
        if !metric.is_among(game.metrics()) {
            let has = game.metric_names();
            return Err(Failure::Usage(format!("{} has the metrics {has}", game.id())));
        }
        let dir = data.unwrap_or(Path::new("")).join(folder(game, metric));
        let set = open_metric(game, Some(metric), storage(true), &dir, CACHE);
        if set.slices()?.is_empty() {
            let metric = game.metric_name(metric);
            return Err(Failure::Failed(format!(
                "the strategy {strategy} needs databases of {metric}, and there are none in {}; \
                 `{} solve {}{} --metric {metric}` makes them",
                dir.display(),
                program(),
                game.id().name,
                data.map(|data| format!(" --data {}", quoted(&data.to_string_lossy())))
                    .unwrap_or_default(),
            )));
        }
        oracles.push(TableOracle::new(Arc::new(set))?);
    }
    Ok(oracles)
}

/// How far databases reach, as in `up to 20 stones`, or in some slices only; `None` where there are
/// none.
pub fn reach(game: &AnyGame, databases: &Databases) -> Option<String> {
    let slices: Vec<SliceId> = databases.as_ref()?.slices().collect();
    let &last = slices.last()?;
    let up_to_it = (0..=last.0).filter(|&slice| game.has_database(SliceId(slice))).count();
    let label = slice_label(game, last);
    Some(match slices.len() {
        all if all == up_to_it => format!("up to {label}"),
        1 => format!("in {label}"),
        some => format!("in {some} slices of {up_to_it} up to {label}"),
    })
}

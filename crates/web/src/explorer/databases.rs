//! The databases of a game that are here: those that the explorer goes by, and those by other metrics.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use nutcracker_any::AnyGame;
use nutcracker_game::{Metric, Numbering, SliceId};
use nutcracker_retro::{available_metric, folder, open_metric};
use nutcracker_table::{Disk, Storage, TableSet};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::rates::Beginning;
use super::{Explorer, Extremes};

/// Databases of a metric.
#[derive(Debug, Serialize, ToSchema)]
pub struct HeldMetric {
    /// The metric.
    #[schema(example = "dtz")]
    pub metric: &'static str,
    /// The slices with a database of it here, in the order of solving.
    #[schema(example = json!(["kk", "krk"]))]
    pub slices: Vec<String>,
}

/// The databases of a game in a data directory, and what was found of them.
pub(super) struct Databases {
    /// What the value of a position counts: the metric that the explorer goes by.
    pub metric: Metric,
    pub set: Arc<TableSet>,
    /// By other metrics.
    pub others: Vec<(Metric, Arc<TableSet>)>,
    /// The metrics that folders of the data directory were named for, and when it last changed.
    listed: (Vec<Metric>, Mutex<Option<SystemTime>>),
    /// Slices that were asked for in vain, and whether they can be solved here.
    pub feasible: Mutex<HashMap<SliceId, bool>>,
    pub extremes: Mutex<HashMap<SliceId, Arc<Extremes>>>,
    pub rates: Mutex<HashMap<Beginning, Option<[f64; 2]>>>,
}

/// The order in which people read metrics: those that tell least come last.
fn order(metric: &Metric) -> (bool, Metric) {
    (*metric == Metric::Wdl, *metric)
}

/// All metrics that folders of a data directory are named for.
fn named(game: &AnyGame, data: &Path) -> Vec<Metric> {
    let usual = game.metrics()[0];
    let name = folder(game, usual);
    let metric_of = |folder: &str| match folder.strip_prefix(&name)? {
        "" => Some(usual),
        rest => rest.strip_prefix('-')?.parse().ok(),
    };
    let folders = std::fs::read_dir(data).into_iter().flatten().flatten();
    let metrics = folders.filter_map(|entry| metric_of(entry.file_name().to_str()?));
    let mut found: Vec<Metric> = metrics.filter(|metric| metric.is_among(game.metrics())).collect();
    found.sort_unstable_by_key(order);
    found
}

/// When something was last made, renamed or removed in a directory.
fn changed(dir: &Path) -> Option<SystemTime> {
    std::fs::metadata(dir).and_then(|metadata| metadata.modified()).ok()
}

fn has_some(set: &TableSet) -> bool {
    set.slices().is_ok_and(|slices| !slices.is_empty())
}

impl Databases {
    /// Those in a data directory; sets that are open are those of `before`, with what they keep.
    pub(super) fn open(
        game: &AnyGame,
        data: &Path,
        cache_bytes: u64,
        before: Option<&Databases>,
    ) -> Self {
        let storage: Arc<dyn Storage> = Arc::new(Disk { map: true });
        let open = |metric: Metric| {
            let known = before.and_then(|before| before.of(metric)).map(Arc::clone);
            known.unwrap_or_else(|| {
                let dir = data.join(folder(game, metric));
                let storage = Arc::clone(&storage);
                Arc::new(open_metric(game, Some(metric), storage, &dir, cache_bytes))
            })
        };
        // Before it is read: what comes meanwhile is found the next time.
        let changed = changed(data);
        let named = named(game, data);
        let usual = available_metric(game, &storage, data);
        let mut others: Vec<(Metric, Arc<TableSet>)> = named
            .iter()
            .copied()
            .filter(|&metric| metric != usual)
            .map(|metric| (metric, open(metric)))
            .collect();
        let mut own = (usual, open(usual));
        // Of metrics with a number, the usual ones know nothing.
        if !has_some(&own.1)
            && let Some(place) = others.iter().position(|(_, set)| has_some(set))
        {
            own = others.remove(place);
        }
        let (metric, set) = own;
        Databases {
            metric,
            set,
            others,
            listed: (named, Mutex::new(changed)),
            feasible: Mutex::default(),
            extremes: Mutex::default(),
            rates: Mutex::default(),
        }
    }

    /// Whether these are all that are here: other programs may have made some.
    pub(super) fn are_all(&self, game: &AnyGame, data: &Path) -> bool {
        let (listed, when) = &self.listed;
        let mut when = when.lock().unwrap_or_else(PoisonError::into_inner);
        let now = changed(data);
        if *when != now {
            if *listed != named(game, data) {
                return false;
            }
            *when = now;
        }
        self.others.is_empty()
            || has_some(&self.set)
            || !self.others.iter().any(|(_, set)| has_some(set))
    }

    /// All of them, those that the explorer goes by first.
    pub(super) fn all(&self) -> impl Iterator<Item = (Metric, &Arc<TableSet>)> {
        let others = self.others.iter().map(|(metric, set)| (*metric, set));
        std::iter::once((self.metric, &self.set)).chain(others)
    }

    fn of(&self, metric: Metric) -> Option<&Arc<TableSet>> {
        self.all().find(|(other, _)| *other == metric).map(|(_, set)| set)
    }
}

impl Explorer {
    /// The slices of the game that are in a set, in the order of solving.
    pub(super) fn present(&self, set: &TableSet) -> Result<Vec<SliceId>, ExplorerError> {
        let slices = set.slices()?.into_iter().map(SliceId);
        Ok(slices.filter(|&slice| self.game.has_database(slice)).collect())
    }

    /// The metrics that databases of the game can have, the rule of fifty moves standing for those with
    /// a number, and what is here of each.
    pub(super) fn held(&self) -> Result<Vec<HeldMetric>, ExplorerError> {
        if !self.game.has_databases() {
            return Ok(Vec::new());
        }
        let here = self.databases();
        let all = self.game.metrics();
        let numbered = [Metric::DtzIn(50), Metric::Dth(0)];
        let mut metrics: Vec<Metric> = all.to_vec();
        metrics.extend(numbered.into_iter().filter(|metric| metric.is_among(all)));
        metrics.extend(here.all().map(|(metric, _)| metric));
        metrics.sort_unstable_by_key(order);
        metrics.dedup();
        let held = metrics.into_iter().map(|metric| {
            let slices = here.of(metric).map(|set| self.present(set)).transpose()?;
            Ok(HeldMetric {
                metric: metric.name(),
                slices: self.names(&slices.unwrap_or_default()),
            })
        });
        held.collect()
    }
}

//! Databases of a game by other metrics, beside those that the explorer goes by.

use std::path::Path;
use std::sync::Arc;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Metric, Numbering, Step};
use nutcracker_retro::{folder, open_metric};
use nutcracker_search::{Probed, Worth};
use nutcracker_table::{ErrorKind, Storage, TableSet};
use serde::Serialize;
use utoipa::ToSchema;

use super::Explorer;
use super::error::ExplorerError;

/// What a position or a move is worth by databases of another metric.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Measured {
    /// The metric.
    #[schema(example = "dtc")]
    pub metric: &'static str,
    /// The value, for the side to move.
    pub value: Worth,
}

/// The databases of a data directory that count moves by another metric than this one.
pub(super) fn others(
    game: &AnyGame,
    metric: Metric,
    storage: &Arc<dyn Storage>,
    data: &Path,
    cache_bytes: u64,
) -> Vec<(Metric, TableSet)> {
    let usual = game.metrics()[0];
    let name = folder(game, usual);
    let metric_of = |folder: &str| match folder.strip_prefix(&name)? {
        "" => Some(usual),
        rest => rest.strip_prefix('-')?.parse().ok(),
    };
    let folders = std::fs::read_dir(data).into_iter().flatten().flatten();
    let mut found: Vec<Metric> = folders
        .filter_map(|entry| metric_of(entry.file_name().to_str()?))
        .filter(|&other| other != metric && other.is_distance() && other.is_among(game.metrics()))
        .collect();
    found.sort_unstable();
    let open = |metric| {
        let dir = data.join(folder(game, metric));
        (metric, open_metric(game, Some(metric), Arc::clone(storage), &dir, cache_bytes))
    };
    found.into_iter().map(open).collect()
}

impl Explorer {
    /// What a position, or a move to it, is worth by databases of other metrics, where it is in them.
    pub(super) fn measured(
        &self,
        position: &AnyPosition,
        step: Option<&Step<AnyPosition>>,
    ) -> Result<Vec<Measured>, ExplorerError> {
        let mut found = Vec::new();
        if !self.game.has_database(self.game.slice_of(position)) {
            return Ok(found);
        }
        for (metric, set) in &self.others {
            let worth = match Probed::probe(&self.game, set, position) {
                Ok(found) => found.worth,
                Err(error) if error.kind() == ErrorKind::NotHere => continue,
                Err(error) => return Err(error.into()),
            };
            let value = step.map_or(worth, |step| worth.through(step));
            found.push(Measured { metric: metric.name(), value });
        }
        Ok(found)
    }
}

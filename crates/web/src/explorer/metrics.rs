//! What positions and moves are worth by each metric of which there are databases.

use std::sync::Arc;

use nutcracker_any::AnyPosition;
use nutcracker_game::{Metric, Numbering, Step};
use nutcracker_search::{Probed, Worth};
use nutcracker_table::{ErrorKind, TableSet};
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

impl Explorer {
    /// What a position, or a move to it, is worth by databases of other metrics, where it is in them.
    pub(super) fn measured(
        &self,
        position: &AnyPosition,
        step: Option<&Step<AnyPosition>>,
    ) -> Result<Vec<Measured>, ExplorerError> {
        let here = self.databases();
        self.measured_by(here.others.iter().map(|(metric, set)| (*metric, set)), position, step)
    }

    /// The same by each of these sets.
    pub(super) fn measured_by<'a>(
        &self,
        sets: impl Iterator<Item = (Metric, &'a Arc<TableSet>)>,
        position: &AnyPosition,
        step: Option<&Step<AnyPosition>>,
    ) -> Result<Vec<Measured>, ExplorerError> {
        let mut found = Vec::new();
        if !self.game.has_database(self.game.slice_of(position)) {
            return Ok(found);
        }
        for (metric, set) in sets {
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

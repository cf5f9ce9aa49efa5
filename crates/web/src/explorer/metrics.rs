//! What positions and moves are worth by each metric of which there are databases.

use std::sync::Arc;

use nutcracker_any::AnyPosition;
use nutcracker_game::{Metric, Step};
use nutcracker_search::{Probed, Worth};
use nutcracker_table::TableSet;
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
    /// What a position is worth by databases of other metrics, where it is in them.
    pub(super) fn measured(&self, position: &AnyPosition) -> Result<Vec<Measured>, ExplorerError> {
        let here = self.databases();
        self.measured_by(here.others.iter().map(|(metric, set)| (*metric, set)), position)
    }

    /// The same by each of these sets.
    pub(super) fn measured_by<'a>(
        &self,
        sets: impl Iterator<Item = (Metric, &'a Arc<TableSet>)>,
        position: &AnyPosition,
    ) -> Result<Vec<Measured>, ExplorerError> {
        let mut measured = Vec::new();
        for (metric, set) in sets {
            if let Some(found) = Probed::find(&self.game, set, position)? {
                measured.push(Measured { metric: metric.name(), value: found.worth });
            }
        }
        Ok(measured)
    }

    /// What moves are worth by them, each as [`measured`](Self::measured), from a position that is worth
    /// this.
    pub(super) fn measured_moves<'a>(
        &self,
        steps: impl Iterator<Item = &'a Step<AnyPosition>>,
        position: &[Measured],
    ) -> Result<Vec<Vec<Measured>>, ExplorerError> {
        let before = |metric| position.iter().find(|before| before.metric == metric);
        let mut moves = Vec::new();
        for step in steps {
            let mut measured = self.measured(&step.next)?;
            for Measured { metric, value } in &mut measured {
                *value = value.through(step);
                if let Some(before) = before(*metric) {
                    *value = value.from(before.value);
                }
            }
            moves.push(measured);
        }
        for &Measured { metric, value } in position {
            let known = Probed::from(value);
            let of = |measured: &Vec<Measured>| {
                let found = measured.iter().find(|one| one.metric == metric);
                let value = found.map(|one| one.value);
                (value, value.and_then(|value| known.is_reached_by(value)))
            };
            if let Some(place) = known.only_one_left(moves.iter().map(of))
                && let Some(one) = moves[place].iter_mut().find(|one| one.metric == metric)
            {
                one.value = value;
            }
        }
        Ok(moves)
    }
}

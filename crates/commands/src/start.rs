//! What is said of the start position's value.

use std::sync::Arc;
use std::time::Duration;

use nutcracker_any::AnyGame;
use nutcracker_game::{Numbering, Rules, SliceId};
use nutcracker_search::{StartLimits, StartValue, start_value};
use serde_json::{Value, json};

use crate::args::{Subject, slice_label, up_to_option};
use crate::failure::Failure;
use crate::note;
use crate::number::counted;
use crate::outcome::{outcome_sentence, result_json};

/// Positions searched before it gives up.
const NODES: u64 = 200_000_000;
/// Decoded scores kept while it searches.
const CACHE: u64 = 64 << 20;

/// What was found.
pub struct Start<'a> {
    game: &'a AnyGame,
    value: StartValue,
}

/// The value of the start position with the databases of these slices.
pub fn value<'a>(
    game: &'a AnyGame,
    subject: &Subject,
    slices: &[SliceId],
    seconds: u32,
) -> Result<Start<'a>, Failure> {
    let tables = Arc::new(subject.open(game, false, CACHE));
    let limits = StartLimits { nodes: NODES, time: Duration::from_secs(seconds.into()) };
    let value = start_value(game, tables, slices, limits, || {
        note(&format!("searching for the value of the start position, up to {seconds} s"));
    });
    Ok(Start { game, value: value.map_err(|error| subject.explain(game, error))? })
}

impl Start<'_> {
    /// What it is, for people.
    pub fn sentence(&self) -> Option<String> {
        let StartValue::Known { value, nodes } = self.value else { return None };
        let how = match nodes {
            0 => "from its database".to_owned(),
            nodes => format!("{} searched", counted(nodes, "position")),
        };
        let start = self.game.start();
        let position = self.game.format(&start);
        let outcome = outcome_sentence(self.game, &start, value);
        Some(format!("Start position {position}: {outcome} ({how})"))
    }

    /// What would help, where it was not reached.
    pub fn advice(&self, slices: &[SliceId]) -> Option<String> {
        let game = self.game;
        if self.value == StartValue::Clipped {
            return Some(
                "The value of the start position is not searched for: the databases are clipped"
                    .to_owned(),
            );
        }
        if self.value != StartValue::NotReached {
            return None;
        }
        let next = slices.last().map(|last| SliceId(last.0 + 1));
        let larger = match next.filter(|&next| game.has_database(next)) {
            Some(next) => format!(" ({} {})", up_to_option(game), game.slice_name(next)),
            None => String::new(),
        };
        Some(format!(
            "The value of the start position, {}, was not reached by search; larger databases \
             help{larger}, and so does a longer search (--search-seconds N)",
            slice_label(game, game.slice_of(&game.start().position)),
        ))
    }

    /// What it is, for programs.
    pub fn json(&self) -> Option<Value> {
        let start = self.game.start();
        match self.value {
            StartValue::Known { value, nodes } => Some(json!({
                "position": self.game.format(&start),
                "value": value,
                "result": result_json(self.game, &start, value),
                "nodes": nodes,
            })),
            StartValue::NotReached | StartValue::Clipped => Some(json!(null)),
            StartValue::Repeats => None,
        }
    }
}

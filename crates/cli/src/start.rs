//! The value of the start position: from its database, or by search over the smaller ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use nutcracker_game::{Game, SliceId};
use nutcracker_search::{ExactError, ExactLimits, Probed, TableOracle, Worth, exact_value};
use nutcracker_table::Reach;
use serde_json::{Value, json};

use crate::args::{Subject, slice_label, up_to_option};
use crate::cmd::probe::{outcome_sentence, result_json};
use crate::failure::Failure;
use crate::note;
use crate::number::thousands;

/// Positions searched before it gives up.
const NODES: u64 = 200_000_000;
/// Decoded scores kept while it searches.
const CACHE: u64 = 64 << 20;

/// After this time without a result, a note reports that a search runs.
const NOTE_AFTER: Duration = Duration::from_secs(1);

/// What was found.
pub enum Start {
    /// The score, and the positions searched; none if a database has it.
    Known { value: Worth, nodes: u64, position: String, result: Option<Value> },
    /// The search gave up.
    NotReached,
    /// Databases are clipped or left out, so that a search over them would not be exact.
    Clipped,
    /// The game repeats positions above its databases, so that no search helps.
    Repeats,
}

/// The value of the start position with the databases of these slices.
pub fn value<G: Game>(
    game: &G,
    subject: &Subject,
    slices: &[SliceId],
    seconds: u32,
) -> Result<Start, Failure> {
    let set = Arc::new(subject.open(game, false, CACHE));
    let start = game.start();
    let mut exact = true;
    for &slice in slices {
        exact &= set.available(slice.0)?.first() == Some(&Reach::Exact);
    }
    if slices.contains(&game.slice_of(&start.position)) {
        let value = Probed::probe(game, &set, &start.position);
        let value = value.map_err(|error| subject.explain(game, error))?;
        return Ok(Start::known(game, value.worth, 0));
    }
    if !exact {
        return Ok(Start::Clipped);
    }
    let oracle = TableOracle::new(set)?;
    let stop = AtomicBool::new(false);
    let limits = ExactLimits { nodes: NODES, stop: Some(&stop), ..ExactLimits::default() };
    let found = std::thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        let watch = || {
            // The sender is dropped when the search ends.
            let limit = Duration::from_secs(seconds.into());
            let silent = waiting.recv_timeout(limit.min(NOTE_AFTER));
            if silent == Err(RecvTimeoutError::Timeout)
                && let Some(rest) = limit.checked_sub(NOTE_AFTER)
            {
                note(&format!("searching for the value of the start position, up to {seconds} s"));
                let _ = waiting.recv_timeout(rest);
            }
            stop.store(true, Relaxed);
            drop(waiting);
        };
        // Without a thread to watch the time there is no search.
        if std::thread::Builder::new().spawn_scoped(scope, watch).is_err() {
            stop.store(true, Relaxed);
        }
        let found = exact_value(game, &start.position, &oracle, &limits);
        drop(done);
        found
    });
    match found {
        Ok(Some(solved)) => Ok(Start::known(game, Worth::exact(solved.score), solved.nodes)),
        Ok(None) => Ok(Start::NotReached),
        Err(ExactError::Repeats { .. }) => Ok(Start::Repeats),
        Err(ExactError::Oracle(error)) => Err(subject.explain(game, error)),
    }
}

impl Start {
    fn known<G: Game>(game: &G, value: Worth, nodes: u64) -> Self {
        let start = game.start();
        let (position, result) = (game.format(&start), result_json(game, &start, value));
        Start::Known { value, nodes, position, result }
    }

    /// What it is, for people.
    pub fn sentence<G: Game>(&self, game: &G) -> Option<String> {
        let Start::Known { value, nodes, position, .. } = self else { return None };
        let how = match nodes {
            0 => "from its database".to_owned(),
            nodes => format!("{} positions searched", thousands(*nodes)),
        };
        let outcome = outcome_sentence(game, &game.start(), *value);
        Some(format!("Start position {position}: {outcome} ({how})"))
    }

    /// What would help, where it was not reached.
    pub fn advice<G: Game>(&self, game: &G, slices: &[SliceId]) -> Option<String> {
        if let Start::Clipped = self {
            return Some(
                "The value of the start position is not searched for: the databases are clipped"
                    .to_owned(),
            );
        }
        let Start::NotReached = self else { return None };
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
        match self {
            Start::Known { value, nodes, position, result } => Some(json!({
                "position": position,
                "value": value,
                "result": result,
                "nodes": nodes,
            })),
            Start::NotReached | Start::Clipped => Some(json!(null)),
            Start::Repeats => None,
        }
    }
}

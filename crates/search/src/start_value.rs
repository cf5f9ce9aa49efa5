//! The value of the start position: from its database, or by search over the smaller ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use nutcracker_game::{Game, SliceId};
use nutcracker_table::{Reach, TableError, TableSet};

use crate::{ExactError, ExactLimits, Probed, TableOracle, Worth, exact_value};

/// A search that takes longer is reported.
const LONG: Duration = Duration::from_secs(1);

/// What is known of a start position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartValue {
    /// Its value.
    Known {
        /// The value.
        value: Worth,
        /// The positions searched; none if a database has it.
        nodes: u64,
    },
    /// The search gave up.
    NotReached,
    /// Databases are clipped or left out, so that a search over them would not be exact.
    Clipped,
    /// The game repeats positions above its databases, so that no search helps.
    Repeats,
}

/// When the search for a start position's value gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartLimits {
    /// The most positions it expands.
    pub nodes: u64,
    /// The most time it takes.
    pub time: Duration,
}

/// The value of a game's start position with the databases of these slices: from its own database,
/// else by an exact search over all of them. `on_long` is called, from another thread, when the
/// search has taken a second and may take longer.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use nutcracker_game::SliceId;
/// use nutcracker_games::kalah::Kalah;
/// use nutcracker_retro::{Silent, SolveOptions, open_set, solve};
/// use nutcracker_search::{StartLimits, StartValue, start_value};
/// use nutcracker_table::{Disk, Storage};
///
/// let kalah = Kalah::new(3, 1, false)?;
/// let dir = tempfile::tempdir()?;
/// let disk: Arc<dyn Storage> = Arc::new(Disk::default());
/// solve(&kalah, &disk, dir.path(), SliceId(3), &SolveOptions::new(1, "example"), &Silent)?;
///
/// let tables = Arc::new(open_set(&kalah, disk, dir.path(), 1 << 20));
/// let slices: Vec<_> = (0..=3).map(SliceId).collect();
/// let limits = StartLimits { nodes: 100_000, time: Duration::from_secs(10) };
/// let start = start_value(&kalah, tables, &slices, limits, || ())?;
/// assert!(matches!(start, StartValue::Known { nodes: 1.., .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn start_value<G: Game>(
    game: &G,
    tables: Arc<TableSet>,
    slices: &[SliceId],
    limits: StartLimits,
    on_long: impl FnOnce() + Send,
) -> Result<StartValue, TableError> {
    let start = game.start().position;
    let mut exact = true;
    for &slice in slices {
        exact &= tables.available(slice.0)?.first() == Some(&Reach::Exact);
    }
    if slices.contains(&game.slice_of(&start)) {
        let value = Probed::probe(game, &tables, &start)?.worth;
        return Ok(StartValue::Known { value, nodes: 0 });
    }
    if !exact {
        return Ok(StartValue::Clipped);
    }
    let oracle = TableOracle::new(tables)?;
    let stop = AtomicBool::new(false);
    let exact_limits =
        ExactLimits { nodes: limits.nodes, stop: Some(&stop), ..ExactLimits::default() };
    let found =
        within(limits.time, &stop, on_long, || exact_value(game, &start, &oracle, &exact_limits));
    match found {
        Ok(Some(solved)) => {
            Ok(StartValue::Known { value: Worth::exact(solved.score), nodes: solved.nodes })
        }
        Ok(None) => Ok(StartValue::NotReached),
        Err(ExactError::Repeats { .. }) => Ok(StartValue::Repeats),
        Err(ExactError::Oracle(error)) => Err(error),
    }
}

/// Runs a search that is told to stop after a time.
fn within<T>(
    time: Duration,
    stop: &AtomicBool,
    on_long: impl FnOnce() + Send,
    search: impl FnOnce() -> T,
) -> T {
    std::thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        let watch = move || {
            // The sender is dropped when the search ends.
            let silent = waiting.recv_timeout(time.min(LONG));
            if silent == Err(RecvTimeoutError::Timeout)
                && let Some(rest) = time.checked_sub(LONG)
            {
                on_long();
                let _ = waiting.recv_timeout(rest);
            }
            stop.store(true, Relaxed);
        };
        // Without a thread to watch the time there is no search.
        if std::thread::Builder::new().spawn_scoped(scope, watch).is_err() {
            stop.store(true, Relaxed);
        }
        let found = search();
        drop(done);
        found
    })
}

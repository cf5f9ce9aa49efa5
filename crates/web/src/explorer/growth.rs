//! A book that grows while it is served.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nutcracker_book::expert::ExpertSettings;
use nutcracker_book::grow::{Ended, Plan};
use nutcracker_book::{Strategy, Tuning};

use super::Explorer;
use super::error::ExplorerError;

/// How long a book grows before others may read it.
const ROUND: Duration = Duration::from_millis(100);
/// How long others may then read it.
const PAUSE: Duration = Duration::from_millis(3);

/// How a book is grown while it is served.
#[derive(Clone, Debug)]
pub struct Grow {
    /// The book's file.
    pub file: PathBuf,
    /// Strategies with their shares.
    pub mix: Vec<(Strategy, f64)>,
    /// Plies of depth that a point of value is worth.
    pub omega: Option<f64>,
    /// Points by which a move must be better to count hardly at all.
    pub fractional: Option<f64>,
    /// How new positions are evaluated.
    pub expert: ExpertSettings,
    /// Number of engines.
    pub threads: usize,
    /// Nodes at which it ends.
    pub nodes: Option<u64>,
    /// Expansions after which it ends.
    pub expansions: Option<u64>,
    /// Time after which it ends.
    pub time: Option<Duration>,
}

impl Explorer {
    /// Grows the book in rounds until it is done, its plan is, or it is stopped; between rounds
    /// others read it.
    pub(super) fn grow_book(&self, grow: &Grow, stop: &AtomicBool) -> Result<(), ExplorerError> {
        self.shelf.growing.store(true, Ordering::Relaxed);
        let result = self.grow_rounds(grow, stop);
        self.shelf.growing.store(false, Ordering::Relaxed);
        result
    }

    fn grow_rounds(&self, grow: &Grow, stop: &AtomicBool) -> Result<(), ExplorerError> {
        let oracle = self.oracle()?;
        let oracle = (!oracle.is_empty()).then_some(&oracle);
        let mut experts: Vec<_> =
            (0..grow.threads.max(1)).map(|_| grow.expert.expert(&self.game, oracle)).collect();
        let end = grow.time.map(|time| Instant::now() + time);
        let before = self.with_book(|book| {
            let tuning = book.facts().tuning;
            book.tune(Tuning {
                omega: grow.omega.unwrap_or(tuning.omega),
                fractional: match grow.fractional {
                    None => tuning.fractional,
                    Some(points) => Some((points * 100.0) as i32).filter(|&points| points > 0),
                },
            })?;
            Ok(book.facts().expansions)
        })?;
        loop {
            let ended = self.with_book(|book| {
                let done = book.facts().expansions.saturating_sub(before);
                let round = Instant::now() + ROUND;
                let plan = Plan {
                    mix: grow.mix.clone(),
                    at_once: experts.len(),
                    expansions: grow.expansions.map(|all| all.saturating_sub(done)),
                    nodes: grow.nodes,
                    until: Some(end.map_or(round, |end| end.min(round))),
                    stop: Some(stop),
                };
                let ended = book.grow(&mut experts, &plan, &mut |_| {})?;
                let done = book.facts().expansions.saturating_sub(before);
                let planned = grow.expansions.is_some_and(|all| done >= all)
                    || grow.nodes.is_some_and(|nodes| book.facts().nodes >= nodes)
                    || end.is_some_and(|end| Instant::now() >= end);
                Ok(ended != Ended::Planned || planned)
            })?;
            if ended || stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
    }
}

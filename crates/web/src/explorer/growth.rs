//! A book that grows while it is served.

use std::sync::atomic::{AtomicBool, Ordering};

use nutcracker_book::expert::ExpertSettings;
use nutcracker_book::grow::{self, Plan};
use nutcracker_book::store::{Access, Location};

use super::Explorer;
use super::error::ExplorerError;

/// How a book is grown while it is served.
#[derive(Clone, Debug)]
pub struct Grow {
    /// Where the book is.
    pub book: Location,
    /// Strategies and limits.
    pub plan: Plan<'static>,
    /// How new positions are evaluated.
    pub expert: ExpertSettings,
    /// Number of engines.
    pub threads: usize,
}

impl Explorer {
    /// Grows a book until it is solved, its plan is done, or it is stopped; others read
    /// it while engines search.
    pub fn grow(&self, grow: &Grow, stop: &AtomicBool) -> Result<(), ExplorerError> {
        self.shelf.set_location(&grow.book);
        let oracle = self.oracle()?;
        let oracle = (!oracle.is_empty()).then_some(&oracle);
        let mut experts: Vec<_> =
            (0..grow.threads.max(1)).map(|_| grow.expert.expert(&self.game, oracle)).collect();
        let plan = Plan { stop: Some(stop), ..grow.plan.clone() };
        let book = self.book(Access::Write)?;
        self.shelf.growing.store(true, Ordering::Relaxed);
        let ended = grow::grow(&*book, &mut experts, &plan, &mut |_| {});
        self.shelf.growing.store(false, Ordering::Relaxed);
        ended.map(drop).map_err(|error| self.book_error(error))
    }
}

//! A book that grows while it is served.

use std::sync::atomic::{AtomicBool, Ordering};

use nutcracker_book::BookError;
use nutcracker_book::grow::{self, Plan};
use nutcracker_book::store::{Access, Location};
use nutcracker_engine::Experts;

use super::Explorer;
use super::error::ExplorerError;

/// How a book is grown while it is served.
#[derive(Clone, Debug)]
pub struct Grow {
    /// Where the book is.
    pub book: Location,
    /// Strategies and limits.
    pub plan: Plan<'static>,
    /// Who evaluates new positions.
    pub experts: Experts,
}

impl Explorer {
    /// Grows a book until it is solved, its plan is done, or it is stopped; others read
    /// it while engines search.
    pub fn grow(&self, grow: &Grow, stop: &AtomicBool) -> Result<(), ExplorerError> {
        self.shelf.set_location(&grow.book);
        let oracle = self.oracle()?;
        let oracle = (!oracle.is_empty()).then_some(&oracle);
        let experts = grow.experts.start(&self.game, oracle.as_ref());
        let mut experts =
            experts.map_err(|error| ExplorerError::Book(BookError::Expert(error.to_string())))?;
        let plan = Plan { stop: Some(stop), ..grow.plan.clone() };
        let book = self.book(Access::Write)?;
        self.shelf.growing.store(true, Ordering::Relaxed);
        let ended = grow::grow(&*book, &mut experts, &plan, &mut |_| {});
        self.shelf.growing.store(false, Ordering::Relaxed);
        ended.map(drop).map_err(|error| self.book_error(error))
    }
}

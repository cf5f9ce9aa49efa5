//! A book that grows while it is served.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nutcracker_book::expert::ExpertSettings;
use nutcracker_book::grow::{self, Plan};
use nutcracker_book::store::{Access, Location};
use nutcracker_fleet::dispatcher::{Desk, FleetError, Keeper};
use nutcracker_fleet::trust::Local;
use nutcracker_game::{Rules, Side, Situation};
use nutcracker_proof::TableFiles;

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

    /// Lets workers grow a book until it is stopped.
    pub fn tend(
        &self,
        grow: &Grow,
        desk: Arc<Desk>,
        stop: &AtomicBool,
    ) -> Result<(), ExplorerError> {
        self.shelf.set_location(&grow.book);
        let oracle = self.oracle()?;
        let oracle = (!oracle.is_empty()).then_some(&oracle);
        let tables =
            oracle.map(|_| TableFiles { set: &self.set, metric: self.metric, audit: false });
        let expert = grow.expert.expert(&self.game, oracle);
        let authority = Local { game: self.game.clone(), oracle, tables, expert };
        let plan = Plan { stop: Some(stop), ..grow.plan.clone() };
        let book = self.book(Access::Write)?;
        self.shelf.growing.store(true, Ordering::Relaxed);
        let ended = Keeper::new(desk, &*book, authority, plan).and_then(Keeper::run);
        self.shelf.growing.store(false, Ordering::Relaxed);
        ended.map_err(|error| match error {
            FleetError::Book(error) => self.book_error(error),
            error => ExplorerError::System(std::io::Error::other(error)),
        })
    }

    /// The positions of a line from the start, as the book writes them.
    pub fn keys_of_line(&self, moves: &[&str]) -> Result<Vec<String>, ExplorerError> {
        let mut situation = self.game.start();
        let key = |at: &Situation<_>| self.game.format(&Situation::new(at.position, Side::First));
        let mut keys = vec![key(&situation)];
        for name in moves {
            let place = self.find_move(&situation, name)?;
            let mut legal = Vec::new();
            self.game.moves(&situation.position, &mut legal);
            let step = self.game.play(&situation.position, &legal[place]);
            situation = self.game.advance(&situation, &step);
            keys.push(key(&situation));
        }
        Ok(keys)
    }
}

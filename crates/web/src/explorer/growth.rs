//! A book that grows while it is served.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nutcracker_book::BookError;
use nutcracker_book::grow::{self, Plan};
use nutcracker_book::store::{self, Access, Location};
use nutcracker_engine::Experts;
use nutcracker_fleet::dispatcher::{Desk, FleetError, Keeper};
use nutcracker_fleet::table::TableError;
use nutcracker_fleet::trust::Local;
use nutcracker_game::{Rules, Side, Situation};
use nutcracker_proof::TableFiles;

use super::Explorer;
use super::error::ExplorerError;
use super::shelf::{CACHE, SharedBook};

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

/// How often a book that another process writes, or whose database is away, is tried again.
const TAKE_OVER: Duration = Duration::from_secs(3);

impl Explorer {
    /// Grows a book until it is solved, its plan is done, or it is stopped; others read
    /// it while engines search. A book in PostgreSQL that another process writes is grown when that
    /// process has ended, and one whose database went away when that is back.
    pub fn grow(&self, grow: &Grow, stop: &AtomicBool) -> Result<(), ExplorerError> {
        self.shelf.set_location(&grow.book);
        let oracle = self.oracle()?;
        let oracle = (!oracle.is_empty()).then_some(&oracle);
        let experts = grow.experts.start(&self.game, oracle.as_ref());
        let mut experts =
            experts.map_err(|error| ExplorerError::Book(BookError::Expert(error.to_string())))?;
        let plan = Plan { stop: Some(stop), ..grow.plan.clone() };
        let mut again = false;
        loop {
            let Some(book) = self.writable(&grow.book, again, stop)? else { return Ok(()) };
            again = true;
            self.shelf.growing.store(true, Ordering::Relaxed);
            let ended = grow::grow(&*book, &mut experts, &plan, &mut |_| {});
            self.shelf.growing.store(false, Ordering::Relaxed);
            let Err(error) = ended else { return Ok(()) };
            self.give_up(&grow.book, error)?;
        }
    }

    /// The book, for writing; `None` if it was stopped while another process wrote it. If it was
    /// open before, its database may be away for any time.
    fn writable(
        &self,
        location: &Location,
        again: bool,
        stop: &AtomicBool,
    ) -> Result<Option<SharedBook>, ExplorerError> {
        if location.file().is_some() {
            return self.book(Access::Write).map(Some);
        }
        let mut waiting = false;
        loop {
            match store::open(location, Access::Write, CACHE) {
                Ok(store) => {
                    if waiting {
                        tracing::warn!(book = %location, "the book is free: this server grows it now");
                    }
                    return self.place(store).map(Some);
                }
                Err(BookError::Locked(_)) if waiting => {}
                Err(BookError::Locked(_)) => {
                    tracing::warn!(
                        book = %location,
                        "another process grows the book: it is served, and grown when that one ends"
                    );
                    waiting = true;
                }
                // The failure before was reported.
                Err(BookError::Database(_)) if again => waiting = true,
                Err(error) => return Err(self.book_error(error)),
            }
            if pause(stop) {
                return Ok(None);
            }
        }
    }

    /// Lets workers grow a book until it is stopped.
    pub fn tend(
        &self,
        grow: &Grow,
        desk: &Arc<Desk>,
        stop: &AtomicBool,
    ) -> Result<(), ExplorerError> {
        self.shelf.set_location(&grow.book);
        let (oracle, here) = (self.oracle()?, self.databases());
        let oracle = (!oracle.is_empty()).then_some(&oracle);
        let tables =
            oracle.map(|_| TableFiles { set: &here.set, metric: here.metric, audit: false });
        let failed = |error| ExplorerError::System(std::io::Error::other::<FleetError>(error));
        let mut again = false;
        loop {
            desk.set_standby(true).map_err(|error| failed(error.into()))?;
            let Some(book) = self.writable(&grow.book, again, stop)? else { return Ok(()) };
            if let Err(error) = desk.set_standby(false) {
                if !again {
                    return Err(failed(error.into()));
                }
                // The table has a connection of its own, which may come back later.
                self.shelf.close();
                if pause(stop) {
                    return Ok(());
                }
                continue;
            }
            again = true;
            let expert = grow.experts.settings.expert(&self.game, oracle);
            let authority = Local { game: self.game.clone(), oracle, tables, expert };
            let plan = Plan { stop: Some(stop), ..grow.plan.clone() };
            self.shelf.growing.store(true, Ordering::Relaxed);
            let ended =
                Keeper::new(Arc::clone(desk), &*book, authority, plan).and_then(Keeper::run);
            self.shelf.growing.store(false, Ordering::Relaxed);
            let Err(error) = ended else { return Ok(()) };
            let error = match error {
                FleetError::Book(error) => error,
                FleetError::Table(error @ TableError::Store { .. })
                    if grow.book.file().is_none() =>
                {
                    BookError::Database(error.to_string())
                }
                error => return Err(failed(error)),
            };
            self.give_up(&grow.book, error)?;
        }
    }

    /// After a failure: an error, unless another process writes the book now, or its database is
    /// away.
    fn give_up(&self, location: &Location, error: BookError) -> Result<(), ExplorerError> {
        if location.file().is_none() {
            // What it has in memory may be out of date.
            self.shelf.close();
        }
        match error {
            BookError::TakenOver(_) => tracing::warn!("{error}"),
            BookError::Database(_) => {
                tracing::error!("{error}; the book grows when its database is back");
            }
            error => return Err(self.book_error(error)),
        }
        Ok(())
    }

    /// The positions of a line from a start of the book, as the book writes them: from the start of
    /// the game if that is one of the book, or from the book's first one.
    pub fn keys_of_line(&self, moves: &[String]) -> Result<Vec<String>, ExplorerError> {
        let mut situation = self.with_book(|book| self.start_of_lines(book))?;
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

/// Waits a little; whether it was stopped meanwhile.
fn pause(stop: &AtomicBool) -> bool {
    let began = Instant::now();
    while began.elapsed() < TAKE_OVER {
        if stop.load(Ordering::Relaxed) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

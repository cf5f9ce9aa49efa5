//! Tables in a PostgreSQL database: one schema for each book.
//!
//! One process writes a book at a time: it holds an advisory lock for its session, and it has
//! counted the book's epoch up when it opened it. Every commit compares the epoch, and the version
//! of the book, which each commit counts up. So a writer whose session ended without its knowledge
//! cannot write after another process has taken over, and after a lost connection the version tells
//! whether the last commit was made.
//!
//! Readers take no lock. They see the book as it was at one moment, in a transaction that only
//! reads.

mod page;
mod sql;
mod write;

use std::cell::RefCell;
use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use nutcracker_postgres::{Connection, Error, column};

use self::page::Page;
use self::sql::Sql;
use super::location::InPostgres;
use super::seal::Place;
use super::tables::{Changes, Tables};
use super::{Access, Location};
use crate::error::{BookError, Result};
use crate::node::NodeId;

/// A result of the connection.
type Answer<T> = std::result::Result<T, Error>;

/// The layout of the tables.
const LAYOUT: i32 = 1;
/// The session of a process that has just ended may keep its lock for a moment.
const LOCK_WAIT: Duration = Duration::from_secs(1);

/// Tables in a schema.
pub(super) struct PostgresTables {
    place: InPostgres,
    access: Access,
    connection: Connection,
    sql: Sql,
    state: RefCell<State>,
}

/// The state of the book as this process knows it.
#[derive(Debug, Default)]
struct State {
    /// The session of the connection that has the lock, or the snapshot.
    session: u64,
    epoch: i64,
    version: i64,
    /// Nodes read ahead.
    page: Option<Page>,
    /// A commit ended without it being known whether it was made.
    unknown: bool,
}

impl std::fmt::Debug for PostgresTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresTables").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Drop for PostgresTables {
    fn drop(&mut self) {
        if self.access == Access::Write {
            // Without this, the lock is held until the server notices the end of the session.
            let _ = self.connection.run("select pg_advisory_unlock_all()");
        }
    }
}

/// The row of the book: layout, epoch and version.
type BookRow = (i32, i64, i64);

fn book_row(rows: &[nutcracker_postgres::Row]) -> Answer<BookRow> {
    // Only another program can have deleted it.
    let row = rows.first().ok_or_else(|| Error::Statement {
        code: String::new(),
        message: "the book's table has no row".to_owned(),
    })?;
    Ok((column(row, 0)?, column(row, 1)?, column(row, 2)?))
}

impl From<Error> for BookError {
    fn from(error: Error) -> Self {
        BookError::Database(error.to_string())
    }
}

fn connect(place: &InPostgres) -> Result<Connection> {
    let address = place.address()?;
    let connection = match place.patience() {
        Some(patience) => Connection::with_patience(address, patience),
        None => Connection::open(address),
    };
    connection.map_err(BookError::from)
}

fn is_true(rows: &[nutcracker_postgres::Row]) -> Answer<bool> {
    rows.first().map_or(Ok(false), |row| column(row, 0))
}

/// Whether there is a schema of this name.
pub(super) fn exists(place: &InPostgres) -> Result<bool> {
    let connection = connect(place)?;
    let found = "select 1 from pg_catalog.pg_namespace where nspname = $1";
    let rows = connection.retry(|connection| connection.query(found, &[&place.name()]));
    Ok(!rows.map_err(BookError::from)?.is_empty())
}

/// Removes the schema of a book.
pub(super) fn remove(place: &InPostgres) -> Result<()> {
    connect(place)?.run(&Sql::new(place.name()).remove).map_err(BookError::from)
}

fn bigint(id: NodeId) -> Result<i64> {
    i64::try_from(id).map_err(|_| BookError::Corrupt(format!("{id} is no number of a node")))
}

fn bigints(ids: impl IntoIterator<Item = NodeId>) -> Result<Vec<i64>> {
    ids.into_iter().map(bigint).collect()
}

/// The record of a position, from two columns.
fn place_of(id: i64, seal: i64) -> Place {
    let mut place = Place::default();
    place[..8].copy_from_slice(&id.to_le_bytes());
    place[8..].copy_from_slice(&seal.to_le_bytes());
    place
}

impl PostgresTables {
    /// Creates the tables of a book.
    pub fn create(place: &InPostgres) -> Result<Self> {
        let connection = connect(place)?;
        let tables = Self::with(place, Access::Write, connection);
        if !tables.lock(&tables.connection).map_err(BookError::from)? {
            return Err(BookError::Locked(tables.location()));
        }
        tables.make().map_err(|error| match error.code() {
            // A schema of this name, or a prefix that PostgreSQL keeps for itself.
            Some("42P06") => BookError::Exists(tables.location()),
            _ => error.into(),
        })?;
        tables.connection.run(sql::SESSION).map_err(BookError::from)?;
        let session = tables.connection.session();
        *tables.state.borrow_mut() = State { session, epoch: 1, ..State::default() };
        Ok(tables)
    }

    fn make(&self) -> Answer<()> {
        let mut transaction = self.connection.begin()?;
        transaction.run(&self.sql.create)?;
        transaction.execute(&self.sql.begin_book, &[&LAYOUT])?;
        transaction.commit()
    }

    /// Opens the tables of a book.
    pub fn open(place: &InPostgres, access: Access) -> Result<Self> {
        let connection = connect(place)?;
        let tables = Self::with(place, access, connection);
        let opened = tables.connection.retry(|connection| {
            let there = connection.query(sql::IS_THERE, &[&tables.sql.book_table])?;
            if !is_true(&there)? {
                return Ok(Err(BookError::Missing(tables.location())));
            }
            match access {
                Access::Read => tables.snapshot(connection, true).map(Ok),
                Access::Write => tables.take(connection),
            }
        });
        let (layout, epoch, version) = opened.map_err(BookError::from)??;
        if layout != LAYOUT {
            return Err(BookError::Version(layout as u32, LAYOUT as u32));
        }
        let session = tables.connection.session();
        *tables.state.borrow_mut() = State { session, epoch, version, ..State::default() };
        Ok(tables)
    }

    fn with(place: &InPostgres, access: Access, connection: Connection) -> Self {
        let (place, sql) = (place.clone(), Sql::new(place.name()));
        PostgresTables { place, access, connection, sql, state: RefCell::default() }
    }

    fn location(&self) -> Location {
        Location::Postgres(self.place.clone())
    }

    /// Tries for a moment to take the lock.
    fn lock(&self, connection: &Connection) -> Answer<bool> {
        let began = Instant::now();
        loop {
            let rows = connection.query(sql::LOCK, &[&self.sql.lock])?;
            if is_true(&rows)? {
                return Ok(true);
            }
            if began.elapsed() > LOCK_WAIT {
                return Ok(false);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Begins to write the book: takes the lock and counts the epoch up.
    fn take(&self, connection: &Connection) -> Answer<Result<BookRow>> {
        if !self.lock(connection)? {
            return Ok(Err(BookError::Locked(self.location())));
        }
        connection.run(sql::SESSION)?;
        book_row(&connection.query(&self.sql.next_epoch, &[])?).map(Ok)
    }

    /// Begins to read the book as it is now; `fresh` in a session that has just begun.
    fn snapshot(&self, connection: &Connection, fresh: bool) -> Answer<BookRow> {
        if fresh {
            connection.run(sql::SESSION)?;
        }
        connection.run(sql::SNAPSHOT)?;
        book_row(&connection.query(&self.sql.state, &[])?)
    }

    /// In another session: takes the lock again, or the same state of the book. The error is
    /// final.
    fn restore(&self, connection: &Connection, committing: bool) -> Answer<Result<()>> {
        let mut state = self.state.borrow_mut();
        if state.unknown {
            let what = "an earlier commit failed; open the book again".to_owned();
            return Ok(Err(BookError::Database(what)));
        }
        let session = connection.session();
        if state.session == session {
            return Ok(Ok(()));
        }
        let same = match self.access {
            Access::Read => {
                let (_, epoch, version) = self.snapshot(connection, true)?;
                if (epoch, version) != (state.epoch, state.version) {
                    return Ok(Err(BookError::Changed(self.location())));
                }
                true
            }
            Access::Write => {
                let locked = self.lock(connection)?;
                connection.run(sql::SESSION)?;
                let (_, epoch, version) = book_row(&connection.query(&self.sql.state, &[])?)?;
                let next = committing && version == state.version + 1;
                if epoch != state.epoch || version != state.version && !next {
                    return Ok(Err(BookError::TakenOver(self.location())));
                }
                locked
            }
        };
        if !same {
            // The session before may still end; if another process has it, the epoch will tell.
            return Err(Error::Lost {
                server: self.place.to_string(),
                why: "another session has the book's lock".to_owned(),
            });
        }
        state.session = session;
        Ok(Ok(()))
    }

    /// Reads, after a lost connection once more.
    fn read_with<T>(&self, mut work: impl FnMut(&Connection) -> Answer<T>) -> Result<T> {
        let outcome = self.connection.retry(|connection| {
            if let Err(error) = self.restore(connection, false)? {
                return Ok(Err(error));
            }
            work(connection).map(Ok)
        });
        outcome.map_err(BookError::from)?
    }

    /// The nodes from an id on, read ahead.
    fn fill(&self, from: NodeId) -> Result<()> {
        let Ok(first) = i64::try_from(from) else {
            self.state.borrow_mut().page = Some(Page::end(from));
            return Ok(());
        };
        let nodes = self.read_with(|connection| {
            let rows = connection.query(&self.sql.next, &[&first])?;
            let node = |row| Ok((column::<i64>(row, 0)? as NodeId, column(row, 1)?));
            rows.iter().map(node).collect()
        })?;
        self.state.borrow_mut().page = Some(Page::new(from, nodes));
        Ok(())
    }
}

impl Tables for PostgresTables {
    fn facts(&self) -> Result<Option<Vec<u8>>> {
        self.read_with(|connection| {
            let rows = connection.query(&self.sql.facts, &[])?;
            rows.first().map_or(Ok(None), |row| column(row, 0))
        })
    }

    fn find(&self, position: &str) -> Result<Option<Place>> {
        Ok(self.find_many(&[position])?.pop().flatten())
    }

    fn read(&self, id: NodeId, record: &mut Vec<u8>) -> Result<bool> {
        record.clear();
        if let Some(page) = &self.state.borrow().page
            && let Some(found) = page.get(id)
        {
            record.extend_from_slice(found);
            return Ok(true);
        }
        let found = self.read_many(&[id])?.pop().flatten();
        let there = found.is_some();
        *record = found.unwrap_or_default();
        Ok(there)
    }

    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>> {
        let known = |state: &State| state.page.as_ref().and_then(|page| page.next(from));
        if let Some(next) = known(&self.state.borrow()) {
            return Ok(next);
        }
        self.fill(from)?;
        Ok(known(&self.state.borrow()).flatten())
    }

    fn prefers_batches(&self) -> bool {
        true
    }

    fn find_many(&self, positions: &[&str]) -> Result<Vec<Option<Place>>> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let found: HashMap<String, Place> = self.read_with(|connection| {
            let rows = connection.query(&self.sql.find, &[&positions])?;
            let place = |row| Ok((column(row, 0)?, place_of(column(row, 1)?, column(row, 2)?)));
            rows.iter().map(place).collect()
        })?;
        Ok(positions.iter().map(|&position| found.get(position).copied()).collect())
    }

    fn read_many(&self, ids: &[NodeId]) -> Result<Vec<Option<Vec<u8>>>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let numbers = bigints(ids.iter().copied())?;
        let found: HashMap<i64, Vec<u8>> = self.read_with(|connection| {
            let rows = connection.query(&self.sql.read, &[&numbers])?;
            rows.iter().map(|row| Ok((column(row, 0)?, column(row, 1)?))).collect()
        })?;
        Ok(numbers.iter().map(|id| found.get(id).cloned()).collect())
    }

    fn refresh(&mut self) -> Result<bool> {
        if self.access == Access::Write {
            return Ok(false);
        }
        let known = self.state.get_mut().session;
        let row = self
            .connection
            .retry(|connection| self.snapshot(connection, connection.session() != known));
        let (_, epoch, version) = row.map_err(BookError::from)?;
        let session = self.connection.session();
        let now = State { session, epoch, version, ..State::default() };
        let before = self.state.replace(now);
        Ok((epoch, version) != (before.epoch, before.version))
    }

    fn positions(&self) -> Result<u64> {
        let count: i64 = self.read_with(|connection| {
            let rows = connection.query(&self.sql.count, &[])?;
            rows.first().map_or(Ok(0), |row| column(row, 0))
        })?;
        Ok(count as u64)
    }

    fn commit(&mut self, changes: &mut Changes<'_>) -> Result<()> {
        self.writable()?;
        self.write(changes)
    }

    fn compact(&mut self) -> Result<()> {
        self.writable()?;
        self.read_with(|connection| connection.run(&self.sql.vacuum))
    }
}

#[cfg(test)]
mod tests;

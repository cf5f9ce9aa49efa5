//! A connection, made again when it is lost.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::{FromSql, ToSql};
use tokio_postgres::{Client, NoTls, Row, Statement};

use crate::Result;
use crate::address::Address;
use crate::error::{Error, failed, passes, text};
use crate::wait::wait;

/// How long a lost connection is tried again by default.
const PATIENCE: Duration = Duration::from_mins(1);
/// The first wait before a new attempt; it doubles up to the last.
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LAST_WAIT: Duration = Duration::from_secs(2);
/// Said to the server at the beginning of each session: commits are durable whatever the server's
/// configuration says, and a client that vanished loses its locks within a minute.
const SETTINGS: &str = "set synchronous_commit = on; set idle_in_transaction_session_timeout = 0; \
    set statement_timeout = 0; set client_min_messages = warning; set tcp_keepalives_idle = 15; \
    set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; \
    set tcp_user_timeout = 30000";

/// A connection to a database, for any thread: one operation runs at a time.
pub struct Connection {
    address: Address,
    /// The address without its password.
    server: String,
    patience: Duration,
    session: Mutex<Session>,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
}

/// One session of the server.
#[derive(Default)]
struct Session {
    /// `None` after the connection was lost.
    client: Option<Client>,
    /// Counts sessions, from 1.
    number: u64,
    /// Prepared statements by their text.
    statements: HashMap<String, Statement>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // A runtime must not be waited for in a thread of another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Connection {
    /// Connects. A server that is starting is waited for; one that is not there is an error.
    pub fn open(address: &Address) -> Result<Self> {
        Self::with_patience(address, PATIENCE)
    }

    /// [Connects](Connection::open); a lost connection is tried again for this long.
    pub fn with_patience(address: &Address, patience: Duration) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(Error::Thread)?;
        let connection = Connection {
            address: address.clone(),
            server: address.to_string(),
            patience,
            session: Mutex::default(),
            runtime: Some(runtime),
        };
        connection.connect(&mut connection.lock(), passes)?;
        Ok(connection)
    }

    /// The number of the current session: it changes when a lost connection is made again, and then
    /// locks, settings and transactions of the session before are gone.
    pub fn session(&self) -> u64 {
        self.lock().number
    }

    /// Queries rows. One attempt.
    pub fn query(&self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        self.lock().query(&self.server, sql, params)
    }

    /// Executes a statement; returns the number of rows. One attempt.
    pub fn execute(&self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<u64> {
        self.lock().execute(&self.server, sql, params)
    }

    /// Runs statements without parameters, separated by semicolons. One attempt.
    pub fn run(&self, sql: &str) -> Result<()> {
        self.lock().run(&self.server, sql)
    }

    /// Begins a transaction. Until it ends, other threads wait, and the same thread must not use
    /// the connection otherwise. One attempt.
    pub fn begin(&self) -> Result<Transaction<'_>> {
        let mut session = self.lock();
        session.run(&self.server, "begin")?;
        Ok(Transaction { session, server: &self.server, open: true })
    }

    /// Does something that can be repeated: if the connection is lost, it is made again and the
    /// work repeated, after growing waits and for as long as the connection's patience. Other
    /// errors end it at once.
    ///
    /// To know that it runs in another session, compare [`Connection::session`].
    pub fn retry<T>(&self, mut work: impl FnMut(&Self) -> Result<T>) -> Result<T> {
        let mut lost: Option<Instant> = None;
        let mut pause = FIRST_WAIT;
        loop {
            let outcome = self.reconnect().and_then(|()| work(self));
            let error = match outcome {
                Err(error) if error.is_lost() => error,
                outcome => return outcome,
            };
            let since = *lost.get_or_insert_with(|| {
                tracing::warn!("{error}; trying again");
                Instant::now()
            });
            if since.elapsed() + pause > self.patience {
                let Error::Lost { server, why } = error else { return Err(error) };
                let seconds = self.patience.as_secs();
                let why = format!("{why}, and it did not come back within {seconds} seconds");
                return Err(Error::Lost { server, why });
            }
            thread::sleep(pause);
            pause = (2 * pause).min(LAST_WAIT);
        }
    }

    /// Makes a lost connection again. One attempt; that nothing answers counts as lost.
    fn reconnect(&self) -> Result<()> {
        let mut session = self.lock();
        if session.client.as_ref().is_some_and(|client| !client.is_closed()) {
            return Ok(());
        }
        match self.attempt(&mut session) {
            Ok(()) => {
                tracing::info!("connected to {} again", self.server);
                Ok(())
            }
            Err(error) if passes(&error) || error.code().is_none() => {
                Err(Error::Lost { server: self.server.clone(), why: text(&error) })
            }
            Err(error) => Err(self.refused(&error)),
        }
    }

    /// Connects, and tries again as long as the failure passes by itself.
    fn connect(
        &self,
        session: &mut Session,
        passes: impl Fn(&tokio_postgres::Error) -> bool,
    ) -> Result<()> {
        let began = Instant::now();
        let mut pause = FIRST_WAIT;
        loop {
            match self.attempt(session) {
                Ok(()) => return Ok(()),
                Err(error) if passes(&error) && began.elapsed() + pause < self.patience => {
                    thread::sleep(pause);
                    pause = (2 * pause).min(LAST_WAIT);
                }
                Err(error) => return Err(self.refused(&error)),
            }
        }
    }

    fn refused(&self, error: &tokio_postgres::Error) -> Error {
        Error::Connect { server: self.server.clone(), why: text(error) }
    }

    /// One attempt to connect.
    fn attempt(&self, session: &mut Session) -> std::result::Result<(), tokio_postgres::Error> {
        session.client = None;
        session.statements.clear();
        let Some(runtime) = &self.runtime else { return Ok(()) };
        let config = self.address.config.clone();
        let (sender, receiver) = mpsc::channel();
        runtime.spawn(async move {
            let connected = match config.connect(NoTls).await {
                Ok((client, connection)) => {
                    tokio::spawn(async move {
                        // The client reports what ends it.
                        let _ = connection.await;
                    });
                    match client.batch_execute(SETTINGS).await {
                        Ok(()) => Ok(client),
                        Err(error) => Err(error),
                    }
                }
                Err(error) => Err(error),
            };
            // The receiver waits for exactly this.
            let _ = sender.send(connected);
        });
        // Without an answer the runtime has ended, and the next operation fails.
        let Ok(connected) = receiver.recv() else { return Ok(()) };
        session.client = Some(connected?);
        session.number += 1;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    fn client<'a>(&'a self, server: &str) -> Result<&'a Client> {
        self.client.as_ref().ok_or_else(|| Error::Lost {
            server: server.to_owned(),
            why: "it is closed".to_owned(),
        })
    }

    /// Prepares a statement, once in a session.
    fn prepared(&mut self, server: &str, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let outcome = wait(self.client(server)?.prepare(sql));
        let statement = self.checked(server, outcome)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn query(
        &mut self,
        server: &str,
        sql: &str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        let statement = self.prepared(server, sql)?;
        let outcome = wait(self.client(server)?.query(&statement, params));
        self.checked(server, outcome)
    }

    fn execute(&mut self, server: &str, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<u64> {
        let statement = self.prepared(server, sql)?;
        let outcome = wait(self.client(server)?.execute(&statement, params));
        self.checked(server, outcome)
    }

    fn run(&mut self, server: &str, sql: &str) -> Result<()> {
        let outcome = wait(self.client(server)?.batch_execute(sql));
        self.checked(server, outcome)
    }

    /// A session that has ended is dropped with its connection.
    fn checked<T>(
        &mut self,
        server: &str,
        outcome: std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        outcome.map_err(|error| {
            let error = failed(server, &error);
            if error.is_lost() {
                self.client = None;
            }
            error
        })
    }
}

/// The value in a column of a row; an error if it is not of this type.
pub fn column<'a, T: FromSql<'a>>(row: &'a Row, at: usize) -> Result<T> {
    row.try_get(at).map_err(|error| Error::Statement { code: String::new(), message: text(&error) })
}

/// A transaction: rolled back when it is dropped without [`commit`](Transaction::commit).
pub struct Transaction<'a> {
    session: MutexGuard<'a, Session>,
    server: &'a str,
    open: bool,
}

impl fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Transaction<'_> {
    /// Queries rows.
    pub fn query(&mut self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        self.session.query(self.server, sql, params)
    }

    /// Executes a statement; returns the number of rows.
    pub fn execute(&mut self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<u64> {
        self.session.execute(self.server, sql, params)
    }

    /// Runs statements without parameters, separated by semicolons.
    pub fn run(&mut self, sql: &str) -> Result<()> {
        self.session.run(self.server, sql)
    }

    /// Commits. If the connection is lost meanwhile, it is unknown whether it was committed.
    pub fn commit(mut self) -> Result<()> {
        self.open = false;
        self.session.run(self.server, "commit")
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.open && self.session.run(self.server, "rollback").is_err() {
            // It must not go on in whatever comes next.
            self.session.client = None;
        }
    }
}

#[cfg(test)]
mod tests;

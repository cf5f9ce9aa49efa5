//! The job table: which leaves of a book are handed out, to whom, and what came back.
//!
//! It outlives the server: after a restart the leases that were live still are, and results that
//! were accepted are applied. Every operation is durable when it returns, and all may be called
//! from several threads. Times are milliseconds since 1970, and always those of the caller: a
//! table has no clock.
//!
//! A job is *ready*, *leased* or *done*:
//!
//! ```text
//! add ──► ready ──lease──► leased ──finish──► done ──remove──► (gone)
//!           ▲                │
//!           └─release,expire─┘      finish also takes the result of a lease that expired
//! ```

use nutcracker_book::node::NodeId;
use serde::{Deserialize, Serialize};
use thiserror::Error;

mod file;
mod memory;
mod postgres;
#[cfg(any(test, feature = "suite"))]
pub mod suite;

pub use file::FileTable;
pub use memory::MemoryTable;
pub use postgres::PostgresTable;

/// The id of a job: ascending in the order in which jobs are added, never used twice in a table.
pub type RowId = u64;

/// Why a table failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// It cannot be read or written.
    #[error("the job table {place} cannot be read or written: {reason}")]
    Store {
        /// The table.
        place: String,
        /// What the system said.
        reason: String,
    },
    /// It has a row that no table writes.
    #[error("the job table {place} is damaged: {reason}; delete it, the book does not need it")]
    Damaged {
        /// The table.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// Another process has it open.
    #[error("the job table {place} is in use by another process; end that process first")]
    Locked {
        /// The table.
        place: String,
    },
}

/// A result of this module.
pub type Result<T> = std::result::Result<T, TableError>;

/// What a job is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A leaf of the book is expanded with the results.
    Grow,
    /// The results are compared with those of other workers.
    Audit,
    /// The results replace guesses that were set aside.
    Review,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 3] = [Kind::Grow, Kind::Audit, Kind::Review];

    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Grow => "grow",
            Kind::Audit => "audit",
            Kind::Review => "review",
        }
    }
}

/// Where a job is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for a worker.
    Ready,
    /// A worker has it until the lease expires.
    Leased,
    /// It has results, which are not applied yet.
    Done,
}

/// A job to be added.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NewJob {
    /// What it is for.
    pub kind: Kind,
    /// The leaf that is expanded with it. Audits and reviews: the first of the nodes concerned.
    pub leaf: NodeId,
    /// The positions to be evaluated, by their texts; at least one.
    pub wanted: Vec<String>,
    /// Jobs of a higher priority are leased first; among equal ones, those added first.
    pub priority: u8,
    /// Accounts whose workers must not get it.
    pub barred: Vec<String>,
    /// For audits: what others have said, as JSON that the table does not interpret.
    pub context: Option<String>,
    /// When it was added.
    pub created: u64,
}

/// A job of the table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The job.
    pub id: RowId,
    /// What was added.
    #[serde(flatten)]
    pub job: NewJob,
    /// Where it is.
    pub state: State,
    /// Leased: the worker that has it. Done: the one that did it.
    pub worker: Option<String>,
    /// Leased: when the lease expires.
    pub until: u64,
    /// All workers that ever had it: results of others are not taken.
    pub holders: Vec<String>,
    /// Done: the results, as JSON that the table does not interpret.
    pub results: Option<String>,
}

/// A worker's request for jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<'a> {
    /// The worker.
    pub worker: &'a str,
    /// Its account: jobs that [bar](NewJob::barred) it are passed over.
    pub account: &'a str,
    /// Positions it wants, all jobs together: jobs are taken while fewer have been taken.
    pub positions: usize,
    /// Jobs at most.
    pub jobs: usize,
    /// The time.
    pub now: u64,
    /// When the leases expire.
    pub until: u64,
}

/// The result of a job, as it arrives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submission {
    /// The job.
    pub id: RowId,
    /// The worker.
    pub worker: String,
    /// The results, as JSON that the table does not interpret.
    pub results: String,
}

/// What became of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finished {
    /// It is the first of its job, and was taken; the lease may have expired.
    First,
    /// The job is done but not applied; the table keeps the result it had.
    Late,
    /// There is no such job any more, or the worker never had it.
    Unknown,
}

/// How many jobs there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Jobs that wait for a worker.
    pub ready: u64,
    /// Their positions.
    pub ready_positions: u64,
    /// Jobs that workers have.
    pub leased: u64,
    /// Jobs with results that are not applied.
    pub done: u64,
    /// When the lease that expires first does.
    pub next_expiry: Option<u64>,
}

/// A table of jobs. Lists are single transactions: all of them or none.
pub trait JobTable: Send + Sync {
    /// Adds jobs, ready; their ids, in the same order.
    fn add(&self, jobs: &[NewJob]) -> Result<Vec<RowId>>;

    /// Leases jobs to a worker: those that are ready, or whose lease has expired, by priority and
    /// id, except those that bar its account. No two calls return the same job.
    fn lease(&self, request: &Request<'_>) -> Result<Vec<Row>>;

    /// Extends the leases of a worker, also those past their time that were neither
    /// [expired](JobTable::expire) nor leased to another; the jobs that it still has.
    fn extend(&self, worker: &str, ids: &[RowId], until: u64) -> Result<Vec<RowId>>;

    /// Makes jobs of a worker ready again; those that it had.
    fn release(&self, worker: &str, ids: &[RowId]) -> Result<Vec<RowId>>;

    /// Makes all jobs ready whose leases have expired; which, with the workers that had them.
    fn expire(&self, now: u64) -> Result<Vec<(RowId, String)>>;

    /// Takes results. One counts if its worker ever had the job and the job has none yet, whoever
    /// has it now.
    fn finish(&self, submissions: &[Submission]) -> Result<Vec<Finished>>;

    /// Jobs with results, in the order of their ids, at most `most`.
    fn done(&self, most: usize) -> Result<Vec<Row>>;

    /// Some jobs, in any order; those that do not exist are left out.
    fn rows(&self, ids: &[RowId]) -> Result<Vec<Row>>;

    /// Removes jobs, in whatever state.
    fn remove(&self, ids: &[RowId]) -> Result<()>;

    /// All jobs, in the order of their ids: after a restart.
    fn all(&self) -> Result<Vec<Row>>;

    /// How many jobs there are.
    fn counts(&self) -> Result<Counts>;

    /// Notes whose guesses stand at positions: pairs of position and account. A position has one
    /// origin, the last that was noted.
    fn note(&self, origins: &[(String, String)]) -> Result<()>;

    /// The origins of positions, in the same order.
    fn origins(&self, positions: &[String]) -> Result<Vec<Option<String>>>;

    /// Positions whose guess is of this account, at most `most`.
    fn of_worker(&self, account: &str, most: usize) -> Result<Vec<String>>;

    /// Forgets the origins of positions.
    fn forget(&self, positions: &[String]) -> Result<()>;

    /// Keeps a text for each name, such as what is known of an account; it replaces the one before.
    fn keep(&self, texts: &[(String, String)]) -> Result<()>;

    /// All texts that are kept, by name.
    fn kept(&self) -> Result<Vec<(String, String)>>;
}

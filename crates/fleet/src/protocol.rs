//! The messages between workers and the server, in JSON.
//!
//! docs/fleet.md describes them for other clients. Fields that a server does not know are ignored,
//! so that later versions can add some; what changes the meaning of others changes [`VERSION`].

use nutcracker_game::Score;
use serde::{Deserialize, Serialize};

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// The most positions of one batch.
pub const MOST_POSITIONS: usize = 2000;
/// The most jobs in one message.
pub const MOST_JOBS: usize = 1000;
/// The most bytes of a worker's name and of its program's.
pub const NAME_BYTES: usize = 64;

/// A worker, as every message of one begins.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Hello {
    /// The version of the protocol: 1.
    pub protocol: u32,
    /// The name of the worker, unique among those of its token: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The program and its version, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// Positions that it evaluates in a second, as measured.
    #[serde(default)]
    pub speed: f64,
}

/// A request for jobs.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Acquire {
    /// The worker.
    #[serde(flatten)]
    pub worker: Hello,
    /// Positions that it would evaluate in about a minute; 0 asks for the game alone.
    pub positions: usize,
}

/// Results, and a request for more jobs.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Submit {
    /// The worker.
    #[serde(flatten)]
    pub worker: Hello,
    /// The results.
    pub results: Vec<JobResult>,
    /// As in the request for jobs; 0 for no more.
    pub positions: usize,
}

/// The result of a job: a value for each of its positions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct JobResult {
    /// The job.
    pub job: u64,
    /// The values, in any order; none is missing.
    pub values: Vec<PositionValue>,
}

/// What a worker says of a position, for the side to move and from there on.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PositionValue {
    /// The position, as the job has it.
    pub position: String,
    /// A guess, in points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guess: Option<f64>,
    /// The score is this or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<i32>))]
    pub lower: Option<Score>,
    /// The score is this or less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<i32>))]
    pub upper: Option<Score>,
    /// A proof file of these bounds. Without one, bounds count only where the server's own
    /// databases have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

/// Jobs that a worker has: to extend their leases, or to return them.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Jobs {
    /// The worker.
    #[serde(flatten)]
    pub worker: Hello,
    /// The jobs.
    pub jobs: Vec<u64>,
}

/// Jobs that a worker still has, or had.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Held {
    /// The jobs.
    pub jobs: Vec<u64>,
}

/// Jobs for a worker.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Work {
    /// The version of the protocol.
    pub protocol: u32,
    /// The program of the server and its version.
    pub program: String,
    /// The game with its rules, such as `kalah (pits=6,empty-capture=no,play-on=no)`.
    pub game: String,
    /// The options of the start, such as `seeds=4`.
    pub start: String,
    /// The jobs; empty if there are none at the moment.
    pub jobs: Vec<Assignment>,
    /// What became of the results that were submitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<Taken>,
    /// Why there are no jobs, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// When to ask again if there are no jobs, in milliseconds.
    pub retry_ms: u64,
    /// How long a job is the worker's, in milliseconds.
    pub lease_ms: u64,
    /// How often to send a heartbeat, in milliseconds.
    pub beat_ms: u64,
}

/// A job: positions to be evaluated. All are done the same way, whatever the server needs them for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Assignment {
    /// The job.
    pub job: u64,
    /// Its positions.
    pub positions: Vec<String>,
}

/// What became of a result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Taken {
    /// The job.
    pub job: u64,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It counts.
    Accepted,
    /// Another worker was faster; it is compared with that one's.
    Late,
    /// There is no such job any more, or the worker never had it.
    Unknown,
}

/// A position that should be in the book.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Proposal {
    /// The moves that lead to it from the start, as on the page, separated by spaces.
    #[cfg_attr(feature = "schema", schema(example = "C F D"))]
    pub moves: String,
}

/// A proposal that was taken.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Proposed {
    /// Proposals that wait, with this one.
    pub waiting: usize,
}

/// Why an account is suspended.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Ban {
    /// One sentence for the owner of the worker.
    #[serde(default)]
    pub reason: String,
}

/// The state of a fleet.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Status {
    /// The version of the protocol.
    pub protocol: u32,
    /// The game with its rules.
    pub game: String,
    /// The options of the start.
    pub start: String,
    /// Whether anyone may propose positions, without a token.
    pub public_proposals: bool,
    /// Why the book grows no more, in words; left out while it grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The book.
    pub book: BookState,
    /// Jobs that wait for a worker.
    pub ready: u64,
    /// Jobs that workers have.
    pub out: u64,
    /// Jobs with results that are not applied yet.
    pub done: u64,
    /// Since when the oldest lease is out, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_lease: Option<f64>,
    /// Leases that expired since the start of the server.
    pub expired: u64,
    /// Results that came late since the start of the server.
    pub late: u64,
    /// Expansions in the last minute.
    pub expansions_a_minute: f64,
    /// Proposals that wait.
    pub proposals: usize,
    /// The workers that were seen since the start of the server, the last seen first.
    pub workers: Vec<WorkerState>,
    /// The accounts: what is known of the results of each.
    pub accounts: Vec<Account>,
    /// The growth of the book since the start of the server, oldest first.
    pub growth: Vec<Growth>,
}

/// The book of a fleet.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BookState {
    /// Positions.
    pub nodes: u64,
    /// Of these, positions whose score is proven.
    pub solved: u64,
    /// Expansions since the book was made.
    pub expansions: u64,
}

/// A worker.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WorkerState {
    /// The name of its token.
    pub account: String,
    /// Its own name.
    pub name: String,
    /// The program and its version, as it says.
    pub program: String,
    /// Positions in a second, as it says.
    pub speed: f64,
    /// How long ago it was last heard of, in seconds.
    pub seen: f64,
    /// Jobs it has.
    pub jobs: u64,
    /// Jobs it did since the start of the server.
    pub accepted: u64,
    /// Results that came late.
    pub late: u64,
    /// Leases that expired.
    pub expired: u64,
}

/// What is known of the results of an account.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Account {
    /// The name of the token.
    pub name: String,
    /// Jobs accepted.
    pub accepted: u64,
    /// Jobs compared with those of others.
    pub audited: u64,
    /// Of these, jobs that were found to be wrong.
    pub off: u64,
    /// Bounds that contradict the server's databases.
    pub lies: u64,
    /// Proofs that do not replay.
    pub broken_proofs: u64,
    /// Why it is suspended, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended: Option<String>,
}

/// The size of a book at some time.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Growth {
    /// Seconds since the start of the server.
    pub at: f64,
    /// Positions.
    pub nodes: u64,
    /// Expansions since the book was made.
    pub expansions: u64,
}

//! The fleet of a server: workers that grow its book.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use nutcracker_book::store::Location;
use nutcracker_fleet::dispatcher::{Desk, Refusal, Settings};
use nutcracker_fleet::protocol::{Account, Status};
use nutcracker_fleet::table::{FileTable, JobTable, PostgresTable};
use nutcracker_fleet::tokens::{Role, Tokens};
use tokio::sync::Semaphore;

use crate::explorer::{Explorer, ExplorerError, Grow};
use crate::problem::{Kind, Problem};

/// Requests of workers that are answered at the same time; more wait.
const AT_ONCE: usize = 64;

/// How a server leads a fleet.
#[derive(Clone, Debug)]
pub struct FleetConfig {
    /// The file of tokens.
    pub tokens: PathBuf,
    /// Leases, audits, proposals.
    pub settings: Settings,
}

/// The fleet of a server.
#[derive(Debug)]
pub struct Fleet {
    /// Answers workers.
    pub desk: Arc<Desk>,
    /// The game of the book.
    pub game: Arc<Explorer>,
    tokens: Tokens,
    turns: Arc<Semaphore>,
}

impl Fleet {
    /// The fleet of a book; its job table is opened.
    pub fn open(
        config: &FleetConfig,
        grow: &Grow,
        game: Arc<Explorer>,
        facts: (String, String),
    ) -> Result<Self, ExplorerError> {
        let failed = |error: &dyn std::fmt::Display| {
            ExplorerError::System(std::io::Error::other(error.to_string()))
        };
        if game.depends_on_history() {
            // What workers have proven is believed by its proof, and there are none.
            let what = "no fleet can grow this book: a repetition is worth something in its game, so \
                        that there are no proofs of what workers find";
            return Err(failed(&what));
        }
        let tokens = Tokens::open(&config.tokens).map_err(|error| failed(&error))?;
        let table = open_table(grow)?;
        let desk = Desk::new(table, config.settings.clone(), facts.0, facts.1);
        let desk = Arc::new(desk.map_err(|error| failed(&error))?);
        Ok(Fleet { desk, game, tokens, turns: Arc::new(Semaphore::new(AT_ONCE)) })
    }

    /// The account of a request that needs a role.
    pub fn account(&self, headers: &HeaderMap, role: Role) -> Result<String, Problem> {
        if let Err(error) = self.tokens.reload() {
            tracing::warn!("{error}; the tokens stay as they were");
        }
        let token = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.strip_prefix("Bearer "));
        let Some(entry) = token.and_then(|token| self.tokens.find(token.trim())) else {
            let what = match token {
                Some(_) => "the token is unknown or revoked; ask for another one",
                None => "a token is needed; send it as Authorization: Bearer TOKEN",
            };
            return Err(Problem::new(Kind::Unauthorized, what));
        };
        if entry.role < role {
            return Err(Problem::new(
                Kind::Forbidden,
                format!("the token has the role {}, and this needs {role}", entry.role),
            ));
        }
        Ok(entry.name)
    }

    /// Does something that may wait for a disk.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Desk) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Problem> {
        let desk = Arc::clone(&self.desk);
        // Those who were refused would come back at once: they wait instead.
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(&desk)
        });
        match done.await {
            Ok(result) => result.map_err(|refusal| refused(&refusal)),
            Err(error) => Err(Problem::new(Kind::Internal, "internal error; please report it")
                .because(error.to_string())),
        }
    }
}

/// The job table of a book.
fn open_table(grow: &Grow) -> Result<Box<dyn JobTable>, ExplorerError> {
    let table: Result<Box<dyn JobTable>, _> = match &grow.book {
        Location::File(file) => {
            FileTable::open(FileTable::beside(file)).map(|table| Box::new(table) as _)
        }
        Location::Postgres(place) => PostgresTable::open(place).map(|table| Box::new(table) as _),
    };
    table.map_err(|error| ExplorerError::System(std::io::Error::other(error)))
}

fn refused(refusal: &Refusal) -> Problem {
    let text = refusal.to_string();
    match refusal {
        Refusal::Bad(_) => Problem::new(Kind::BadRequest, text),
        Refusal::Suspended(_) => Problem::new(Kind::Forbidden, text),
        Refusal::Full(_) => Problem::new(Kind::Busy, text),
        Refusal::NoAccount(_) => Problem::new(Kind::NotFound, text),
        _ => Problem::new(Kind::Internal, "the job table failed; the operator's log has more")
            .because(text),
    }
}

/// The state of a fleet in the text format of Prometheus.
pub fn metrics(status: &Status, active: usize) -> String {
    let mut out = String::new();
    let book = &status.book;
    let sum = |count: fn(&Account) -> u64| status.accounts.iter().map(count).sum::<u64>();
    let suspended = sum(|account| u64::from(account.suspended.is_some()));
    let numbers: [(&str, &str, &str, f64); 17] = [
        ("workers", "gauge", "Workers heard of within a lease.", active as f64),
        ("jobs_ready", "gauge", "Jobs that wait for a worker.", status.ready as f64),
        ("jobs_out", "gauge", "Jobs that workers have.", status.out as f64),
        ("jobs_done", "gauge", "Jobs with results to be applied.", status.done as f64),
        (
            "oldest_lease_seconds",
            "gauge",
            "Age of the oldest lease.",
            status.oldest_lease.unwrap_or(0.0),
        ),
        (
            "expansions_per_minute",
            "gauge",
            "Expansions in the last minute.",
            status.expansions_a_minute,
        ),
        ("book_nodes", "gauge", "Positions of the book.", book.nodes as f64),
        ("book_solved", "gauge", "Positions with a proven score.", book.solved as f64),
        ("book_expansions_total", "counter", "Expansions of the book.", book.expansions as f64),
        ("leases_expired_total", "counter", "Leases that expired.", status.expired as f64),
        ("results_late_total", "counter", "Results that came late.", status.late as f64),
        ("proposals", "gauge", "Proposals that wait.", status.proposals as f64),
        (
            "results_accepted_total",
            "counter",
            "Results accepted.",
            sum(|account| account.accepted) as f64,
        ),
        ("audits_total", "counter", "Results audited.", sum(|account| account.audited) as f64),
        ("audits_off_total", "counter", "Results found wrong.", sum(|account| account.off) as f64),
        ("lies_total", "counter", "Bounds refuted.", sum(|account| account.lies) as f64),
        ("accounts_suspended", "gauge", "Accounts suspended.", suspended as f64),
    ];
    for (name, kind, help, number) in numbers {
        let _ = writeln!(out, "# HELP nutcracker_fleet_{name} {help}");
        let _ = writeln!(out, "# TYPE nutcracker_fleet_{name} {kind}");
        let _ = writeln!(out, "nutcracker_fleet_{name} {number}");
    }
    let mut speeds: BTreeMap<&str, f64> = BTreeMap::new();
    for worker in &status.workers {
        *speeds.entry(&worker.account).or_default() += worker.speed;
    }
    let _ = writeln!(out, "# HELP nutcracker_fleet_speed Positions a second, by account.");
    let _ = writeln!(out, "# TYPE nutcracker_fleet_speed gauge");
    for (account, speed) in speeds {
        // Names of accounts have no characters that would need an escape.
        let _ = writeln!(out, "nutcracker_fleet_speed{{account=\"{account}\"}} {speed}");
    }
    out
}

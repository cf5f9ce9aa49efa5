//! What workers are told: jobs, what became of results, and why there is nothing to do.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::monitor::{Seen, Timeline};
use super::{Refusal, Settings, account_of, now};
use crate::protocol::{
    Account, Acquire, Assignment, BookState, Held, Hello, JobResult, Jobs, MOST_JOBS,
    MOST_POSITIONS, Outcome, PositionValue, Proposed, Submit, Taken, VERSION, Work,
};
use crate::table::{Finished, JobTable, Request, Result as TableResult, RowId, Submission};
use crate::tokens::is_name;

/// Proposals that may wait.
const MOST_PROPOSALS: usize = 1000;
/// The name of the text that keeps them; no account has such a name.
const PROPOSALS: &str = "/proposals";
/// Late results that may wait to be compared, and positions of each.
const MOST_LATE: usize = 200;
const LATE_POSITIONS: usize = 64;
/// Bytes of a position.
const POSITION_BYTES: usize = 4096;
/// Workers that are remembered; more are refused.
const MOST_WORKERS: usize = 20_000;
/// Milliseconds after which a worker that is silent is forgotten; its account is not.
const FORGET_AFTER: u64 = 24 * 60 * 60 * 1000;
/// Leases that ended without a result and are remembered.
const MOST_LAPSED: usize = 20_000;
/// When a worker asks again while others have all jobs, and when nothing more will come soon.
const SOON: Duration = Duration::from_millis(250);
const LATER: Duration = Duration::from_secs(15);
/// Bytes of a proof.
const PROOF_BYTES: usize = 1 << 20;

/// Answers workers.
pub struct Desk {
    pub(super) table: Box<dyn JobTable>,
    pub(super) settings: Settings,
    /// The game and its start, as the book has them.
    game: (String, String),
    pub(super) state: Mutex<State>,
    /// Set when the keeper has something to do.
    wake: (Mutex<bool>, Condvar),
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("game", &self.game).finish_non_exhaustive()
    }
}

/// What is kept in memory.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Workers by `account/name`.
    pub workers: HashMap<String, Seen>,
    pub accounts: BTreeMap<String, Account>,
    /// Accounts to be written.
    pub changed: HashSet<String>,
    /// Accounts whose results have to be set aside.
    pub condemned: Vec<String>,
    /// Jobs that are out: since when, and to whom.
    pub out: HashMap<RowId, (u64, String)>,
    /// Lines of positions from the start, by their texts.
    pub proposals: VecDeque<Vec<String>>,
    /// Whether they have to be written.
    pub proposals_changed: bool,
    /// Leases that ended without a result, by job and worker: a late one is compared, once.
    pub lapsed: HashSet<(RowId, String)>,
    /// Results of jobs that are done already, with the accounts they come from.
    pub late: VecDeque<(String, Vec<PositionValue>)>,
    pub ended: Option<String>,
    /// Another server grows the book.
    pub standby: bool,
    pub book: BookState,
    pub timeline: Timeline,
    pub expired: u64,
    pub late_count: u64,
}

impl State {
    /// What a table knows.
    fn of(table: &dyn JobTable) -> TableResult<Self> {
        let mut state = State::default();
        for (name, text) in table.kept()? {
            // What a later version wrote differently is forgotten rather than refused.
            if name == PROPOSALS {
                state.proposals = serde_json::from_str(&text).unwrap_or_default();
            } else if let Ok(account) = serde_json::from_str::<Account>(&text) {
                state.accounts.insert(name, account);
            }
        }
        let now = now();
        for row in table.all()? {
            if let (crate::table::State::Leased, Some(worker)) = (row.state, row.worker) {
                state.out.insert(row.id, (now, worker));
            }
        }
        // What was condemned but not set aside when the server ended is set aside now.
        let suspended = state.accounts.values().filter(|account| account.suspended.is_some());
        state.condemned = suspended.map(|account| account.name.clone()).collect();
        Ok(state)
    }

    /// An account, which is made if there is none.
    pub fn account(&mut self, name: &str) -> &mut Account {
        self.changed.insert(name.to_owned());
        self.accounts
            .entry(name.to_owned())
            .or_insert_with(|| Account { name: name.to_owned(), ..Account::default() })
    }

    pub fn is_suspended(&self, account: &str) -> bool {
        self.accounts.get(account).is_some_and(|account| account.suspended.is_some())
    }

    /// Suspends an account if it deserves it.
    pub fn judge(&mut self, name: &str) {
        let account = self.account(name);
        if account.suspended.is_none()
            && let Some(reason) = crate::trust::verdict(account)
        {
            account.suspended = Some(reason);
            self.condemned.push(name.to_owned());
        }
    }

    /// Notes that the lease of a worker ended without a result.
    fn lapse(&mut self, job: RowId, worker: String) {
        if self.lapsed.len() >= MOST_LAPSED {
            self.lapsed.clear();
        }
        self.lapsed.insert((job, worker));
    }

    /// Workers that were heard of within some milliseconds and are not suspended.
    pub fn active(&self, within: u64) -> impl Iterator<Item = (&String, &Seen)> {
        let from = now().saturating_sub(within);
        self.workers
            .iter()
            .filter(move |(id, seen)| seen.at >= from && !self.is_suspended(account_of(id)))
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bad<T>(what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Bad(what.into()))
}

impl Desk {
    /// A desk over a table, for a book of this game and start.
    pub fn new(
        table: Box<dyn JobTable>,
        settings: Settings,
        game: String,
        start: String,
    ) -> TableResult<Self> {
        let state = State::of(&*table)?;
        let (state, wake) = (Mutex::new(state), (Mutex::new(false), Condvar::new()));
        Ok(Desk { table, settings, game: (game, start), state, wake })
    }

    /// The game of the book, and the options of its start.
    pub fn game(&self) -> (&str, &str) {
        (&self.game.0, &self.game.1)
    }

    /// Whether anyone may propose positions.
    pub fn takes_public_proposals(&self) -> bool {
        self.settings.public_proposals
    }

    /// Refuses workers while another server grows the book. Afterwards the desk knows what that
    /// server has written.
    pub fn set_standby(&self, standby: bool) -> TableResult<()> {
        let mut state = lock(&self.state);
        if state.standby && !standby {
            *state = State::of(&*self.table)?;
        }
        state.standby = standby;
        Ok(())
    }

    /// Wakes the keeper.
    pub fn wake(&self) {
        *lock(&self.wake.0) = true;
        self.wake.1.notify_all();
    }

    /// Waits until the keeper is woken, at most this long.
    pub(super) fn wait(&self, most: Duration) {
        let woken = lock(&self.wake.0);
        let waited = self.wake.1.wait_timeout_while(woken, most, |woken| !*woken);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }

    /// Gives jobs to a worker of an account.
    pub fn acquire(&self, account: &str, request: &Acquire) -> Result<Work, Refusal> {
        let worker = self.greet(account, &request.worker)?;
        self.work(&worker, request.positions, Vec::new())
    }

    /// Takes results of a worker of an account, and gives it more jobs.
    ///
    /// If one result is malformed, none is taken and all jobs stay the worker's.
    pub fn submit(&self, account: &str, request: Submit) -> Result<Work, Refusal> {
        let worker = self.greet(account, &request.worker)?;
        let mut seen = HashSet::new();
        if request.results.len() > MOST_JOBS {
            return bad(format!("more than {MOST_JOBS} results; submit them in parts"));
        }
        if !request.results.iter().all(|result| seen.insert(result.job)) {
            return bad("two results of one job; send one");
        }
        let ids: Vec<RowId> = request.results.iter().map(|result| result.job).collect();
        let wanted: HashMap<RowId, Vec<String>> =
            self.table.rows(&ids)?.into_iter().map(|row| (row.id, row.job.wanted)).collect();
        let mut submissions = Vec::with_capacity(ids.len());
        for result in &request.results {
            check_result(result, wanted.get(&result.job))?;
            let results = serde_json::to_string(&result.values)
                .map_err(|error| Refusal::Bad(error.to_string()))?;
            submissions.push(Submission { id: result.job, worker: worker.clone(), results });
        }
        let finished = self.table.finish(&submissions)?;
        let taken = self.count(account, &worker, request.results, &finished);
        if !taken.is_empty() {
            self.wake();
        }
        self.work(&worker, request.positions, taken)
    }

    /// Notes what became of results.
    fn count(
        &self,
        account: &str,
        worker: &str,
        results: Vec<JobResult>,
        finished: &[Finished],
    ) -> Vec<Taken> {
        let mut state = lock(&self.state);
        let mut taken = Vec::with_capacity(results.len());
        for (result, &finished) in results.into_iter().zip(finished) {
            let outcome = match finished {
                Finished::First => Outcome::Accepted,
                Finished::Late => Outcome::Late,
                Finished::Unknown => Outcome::Unknown,
            };
            taken.push(Taken { job: result.job, outcome });
            if finished == Finished::First {
                state.lapsed.remove(&(result.job, worker.to_owned()));
                if let Some((_, other)) = state.out.remove(&result.job)
                    && other != worker
                {
                    state.lapse(result.job, other);
                }
                state.account(account).accepted += 1;
            } else {
                state.late_count += 1;
                // What is in the book already is compared with it, if the worker had the job.
                let lapsed = state.lapsed.remove(&(result.job, worker.to_owned()));
                if lapsed && state.late.len() < MOST_LATE {
                    let values = result.values.into_iter().take(LATE_POSITIONS);
                    let values = values.map(|value| PositionValue { proof: None, ..value });
                    state.late.push_back((account.to_owned(), values.collect()));
                }
            }
            if let Some(seen) = state.workers.get_mut(worker) {
                match finished {
                    Finished::First => seen.accepted += 1,
                    _ => seen.late += 1,
                }
            }
        }
        taken
    }

    /// Extends the leases of a worker.
    pub fn beat(&self, account: &str, request: &Jobs) -> Result<Held, Refusal> {
        let worker = self.greet(account, &request.worker)?;
        let ids = few(&request.jobs)?;
        let until = now() + self.settings.lease.as_millis() as u64;
        Ok(Held { jobs: self.table.extend(&worker, ids, until)? })
    }

    /// Takes jobs back from a worker.
    pub fn abort(&self, account: &str, request: &Jobs) -> Result<Held, Refusal> {
        let worker = self.greet(account, &request.worker)?;
        let jobs = self.table.release(&worker, few(&request.jobs)?)?;
        let mut state = lock(&self.state);
        for id in &jobs {
            state.out.remove(id);
        }
        Ok(Held { jobs })
    }

    /// Queues a line of positions, from the start of the book on, by their texts.
    pub fn propose(&self, line: Vec<String>) -> Result<Proposed, Refusal> {
        let mut state = lock(&self.state);
        if state.proposals.len() >= MOST_PROPOSALS {
            return Err(Refusal::Full("too many proposals wait; try again later".to_owned()));
        }
        if !state.proposals.contains(&line) {
            state.proposals.push_back(line);
            state.proposals_changed = true;
        }
        let waiting = state.proposals.len();
        drop(state);
        self.wake();
        Ok(Proposed { waiting })
    }

    /// Suspends an account, and sets its results aside.
    pub fn ban(&self, account: &str, reason: &str) -> Result<(), Refusal> {
        let mut state = lock(&self.state);
        if !state.accounts.contains_key(account) {
            return Err(Refusal::NoAccount(account.to_owned()));
        }
        let reason = if reason.is_empty() { "an administrator suspended it" } else { reason };
        let reason: String = reason.chars().take(200).collect();
        state.account(account).suspended = Some(reason);
        state.condemned.push(account.to_owned());
        drop(state);
        self.save()?;
        self.wake();
        Ok(())
    }

    /// Readmits an account; what is known of its results begins anew.
    pub fn unban(&self, account: &str) -> Result<(), Refusal> {
        let mut state = lock(&self.state);
        if !state.accounts.contains_key(account) {
            return Err(Refusal::NoAccount(account.to_owned()));
        }
        let known = state.account(account);
        *known =
            Account { name: account.to_owned(), accepted: known.accepted, ..Account::default() };
        state.condemned.retain(|other| other != account);
        drop(state);
        Ok(self.save()?)
    }

    /// Ends leases whose time is over.
    pub(super) fn expire(&self, now: u64) -> TableResult<()> {
        let expired = self.table.expire(now)?;
        let mut state = lock(&self.state);
        state.expired += expired.len() as u64;
        for (id, worker) in expired {
            state.out.remove(&id);
            if let Some(seen) = state.workers.get_mut(&worker) {
                seen.expired += 1;
            }
            state.lapse(id, worker);
        }
        state.workers.retain(|_, seen| seen.at.saturating_add(FORGET_AFTER) >= now);
        Ok(())
    }

    /// Writes what is known of accounts, and the proposals.
    pub(super) fn save(&self) -> TableResult<()> {
        let texts: Vec<(String, String)> = {
            let mut state = lock(&self.state);
            let changed = std::mem::take(&mut state.changed);
            let known = changed.into_iter().filter_map(|name| {
                let text = serde_json::to_string(state.accounts.get(&name)?).ok()?;
                Some((name, text))
            });
            let mut texts: Vec<_> = known.collect();
            if std::mem::take(&mut state.proposals_changed)
                && let Ok(text) = serde_json::to_string(&state.proposals)
            {
                texts.push((PROPOSALS.to_owned(), text));
            }
            texts
        };
        if texts.is_empty() { Ok(()) } else { self.table.keep(&texts) }
    }

    /// Notes that a worker was heard of; its id.
    fn greet(&self, account: &str, hello: &Hello) -> Result<String, Refusal> {
        if hello.protocol != VERSION {
            return bad(format!(
                "the server speaks version {VERSION} of the protocol, not {}; use the same \
                 version of the program",
                hello.protocol
            ));
        }
        if !is_name(&hello.name) {
            return bad("the name of a worker is up to 64 letters, digits, - _ and .");
        }
        let id = format!("{account}/{}", hello.name);
        let mut state = lock(&self.state);
        if state.standby {
            let what = "another server grows the book; this one takes over when that one ends";
            return Err(Refusal::Full(what.to_owned()));
        }
        if let Some(reason) = state.accounts.get(account).and_then(|known| known.suspended.as_ref())
        {
            return Err(Refusal::Suspended(format!(
                "the account {account} is suspended: {reason}; ask the administrator of the server"
            )));
        }
        if !state.accounts.contains_key(account) {
            state.account(account);
        }
        if !state.workers.contains_key(&id) && state.workers.len() >= MOST_WORKERS {
            // Those that have not been heard of for a lease make room.
            let from = now().saturating_sub(self.settings.lease.as_millis() as u64);
            state.workers.retain(|_, seen| seen.at >= from);
        }
        if !state.workers.contains_key(&id) && state.workers.len() >= MOST_WORKERS {
            return Err(Refusal::Full("there are too many workers; try again later".to_owned()));
        }
        let seen = state.workers.entry(id.clone()).or_default();
        seen.at = now();
        seen.program = hello.program.chars().take(64).collect();
        seen.speed = if hello.speed.is_finite() { hello.speed.clamp(0.0, 1e9) } else { 0.0 };
        Ok(id)
    }

    /// Jobs for a worker: no more than its share of what is ready.
    fn work(&self, worker: &str, positions: usize, taken: Vec<Taken>) -> Result<Work, Refusal> {
        let counts = self.table.counts()?;
        let lease = self.settings.lease.as_millis() as u64;
        let share = {
            let mut state = lock(&self.state);
            if let Some(seen) = state.workers.get_mut(worker) {
                seen.wants = positions.min(MOST_POSITIONS);
            }
            let active = state.active(lease).filter(|(_, seen)| seen.wants > 0).count().max(1);
            (counts.ready_positions as usize).div_ceil(active).max(1)
        };
        let now = now();
        if counts.next_expiry.is_some_and(|next| next <= now) {
            self.expire(now)?;
        }
        let request = Request {
            worker,
            account: account_of(worker),
            positions: positions.min(MOST_POSITIONS).min(share),
            jobs: MOST_JOBS,
            now,
            until: now + lease,
        };
        let rows = if positions == 0 { Vec::new() } else { self.table.lease(&request)? };
        let mut state = lock(&self.state);
        for row in &rows {
            state.out.insert(row.id, (now, worker.to_owned()));
        }
        let (mut idle, mut retry) = (None, SOON);
        if rows.is_empty() && positions > 0 {
            (idle, retry) = match &state.ended {
                Some(ended) => (Some(ended.clone()), LATER),
                None if counts.leased > 0 => {
                    (Some("all jobs are with other workers".to_owned()), SOON)
                }
                None => (Some("the server prepares jobs".to_owned()), SOON),
            };
        }
        drop(state);
        if !rows.is_empty() || positions > 0 {
            self.wake();
        }
        Ok(Work {
            protocol: VERSION,
            program: self.settings.program.clone(),
            game: self.game.0.clone(),
            start: self.game.1.clone(),
            jobs: rows
                .into_iter()
                .map(|row| Assignment { job: row.id, positions: row.job.wanted })
                .collect(),
            taken,
            idle,
            retry_ms: retry.as_millis() as u64,
            lease_ms: lease,
            beat_ms: self.settings.beat.as_millis() as u64,
        })
    }
}

fn few(ids: &[RowId]) -> Result<&[RowId], Refusal> {
    if ids.len() > MOST_JOBS {
        return bad(format!("more than {MOST_JOBS} jobs; send them in parts"));
    }
    Ok(ids)
}

/// Whether a result has a value for each position of its job and for no other. Of a job that is
/// gone the positions are not known.
fn check_result(result: &JobResult, wanted: Option<&Vec<String>>) -> Result<(), Refusal> {
    let job = result.job;
    if result.values.len() > MOST_POSITIONS {
        return bad(format!("job {job}: more than {MOST_POSITIONS} positions"));
    }
    for value in &result.values {
        if value.position.len() > POSITION_BYTES {
            return bad(format!("job {job}: a position has at most {POSITION_BYTES} bytes"));
        }
        if value.guess.is_none() && value.lower.is_none() && value.upper.is_none() {
            return bad(format!(
                "job {job}: {:?} has no value; send guess, lower or upper",
                shortened(&value.position)
            ));
        }
        if value.guess.is_some_and(|guess| !guess.is_finite()) {
            return bad(format!(
                "job {job}: the guess of {:?} is no number",
                shortened(&value.position)
            ));
        }
        if value.proof.as_ref().is_some_and(|proof| proof.len() > PROOF_BYTES) {
            return bad(format!("job {job}: a proof has at most {PROOF_BYTES} bytes"));
        }
    }
    let Some(wanted) = wanted else { return Ok(()) };
    let mut said: HashSet<&str> = HashSet::new();
    for value in &result.values {
        if !wanted.contains(&value.position) {
            return bad(format!(
                "job {job} has no position {:?}; send those that it has",
                shortened(&value.position)
            ));
        }
        if !said.insert(&value.position) {
            return bad(format!("job {job}: {:?} has two values", shortened(&value.position)));
        }
    }
    match wanted.iter().find(|position| !said.contains(position.as_str())) {
        Some(missing) => bad(format!("job {job}: no value of {missing:?}; send all")),
        None => Ok(()),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

//! Jobs in memory, in the orders in which they are asked for.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Counts, Finished, JobTable, NewJob, Request, Result, Row, RowId, State, Submission};

/// The rows of a table.
#[derive(Debug, Default)]
pub(super) struct Rows {
    by_id: BTreeMap<RowId, Row>,
    /// The id of the next job.
    pub next: RowId,
    /// Ready jobs: the most urgent first.
    ready: BTreeSet<(u8, RowId)>,
    ready_positions: u64,
    /// Leased jobs: those that expire first come first.
    leased: BTreeSet<(u64, RowId)>,
    done: BTreeSet<RowId>,
}

/// The place of a job in the order of priorities.
fn rank(row: &Row) -> (u8, RowId) {
    (u8::MAX - row.job.priority, row.id)
}

impl Rows {
    /// Puts a row in its place, instead of the one with the same id.
    pub fn put(&mut self, row: Row) {
        self.take(row.id);
        match row.state {
            State::Ready => {
                self.ready.insert(rank(&row));
                self.ready_positions += row.job.wanted.len() as u64;
            }
            State::Leased => drop(self.leased.insert((row.until, row.id))),
            State::Done => drop(self.done.insert(row.id)),
        }
        self.next = self.next.max(row.id + 1);
        self.by_id.insert(row.id, row);
    }

    /// Removes a row.
    pub fn take(&mut self, id: RowId) -> Option<Row> {
        let row = self.by_id.remove(&id)?;
        match row.state {
            State::Ready => {
                self.ready.remove(&rank(&row));
                self.ready_positions -= row.job.wanted.len() as u64;
            }
            State::Leased => drop(self.leased.remove(&(row.until, id))),
            State::Done => drop(self.done.remove(&id)),
        }
        Some(row)
    }

    pub fn get(&self, id: RowId) -> Option<&Row> {
        self.by_id.get(&id)
    }

    pub fn all(&self) -> impl Iterator<Item = &Row> {
        self.by_id.values()
    }

    pub fn add(&mut self, jobs: &[NewJob]) -> Vec<RowId> {
        let add = |job: &NewJob| {
            let id = self.next;
            self.put(Row {
                id,
                job: job.clone(),
                state: State::Ready,
                worker: None,
                until: 0,
                holders: Vec::new(),
                results: None,
            });
            id
        };
        jobs.iter().map(add).collect()
    }

    pub fn lease(&mut self, request: &Request<'_>) -> Vec<Row> {
        self.expire(request.now);
        let mut chosen = Vec::new();
        let mut positions = 0;
        for &(_, id) in &self.ready {
            if positions >= request.positions || chosen.len() >= request.jobs {
                break;
            }
            let row = &self.by_id[&id];
            if !row.job.barred.iter().any(|account| account == request.account) {
                positions += row.job.wanted.len();
                chosen.push(id);
            }
        }
        let mut rows = Vec::with_capacity(chosen.len());
        for id in chosen {
            let Some(mut row) = self.take(id) else { continue };
            row.state = State::Leased;
            row.worker = Some(request.worker.to_owned());
            row.until = request.until;
            if !row.holders.iter().any(|holder| holder == request.worker) {
                row.holders.push(request.worker.to_owned());
            }
            rows.push(row.clone());
            self.put(row);
        }
        rows
    }

    /// Changes the jobs that a worker has; which.
    pub fn change(&mut self, worker: &str, ids: &[RowId], change: impl Fn(&mut Row)) -> Vec<RowId> {
        let mut changed = Vec::new();
        for &id in ids {
            let has =
                |row: &Row| row.state == State::Leased && row.worker.as_deref() == Some(worker);
            if self.get(id).is_some_and(has)
                && let Some(mut row) = self.take(id)
            {
                change(&mut row);
                self.put(row);
                changed.push(id);
            }
        }
        changed
    }

    pub fn expire(&mut self, now: u64) -> Vec<(RowId, String)> {
        let over: Vec<RowId> =
            self.leased.iter().take_while(|(until, _)| *until <= now).map(|&(_, id)| id).collect();
        let mut expired = Vec::new();
        for id in over {
            if let Some(mut row) = self.take(id) {
                expired.push((id, row.worker.clone().unwrap_or_default()));
                make_ready(&mut row);
                self.put(row);
            }
        }
        expired
    }

    pub fn finish(&mut self, submission: &Submission) -> Finished {
        let Some(row) = self.get(submission.id) else { return Finished::Unknown };
        if !row.holders.contains(&submission.worker) {
            return Finished::Unknown;
        }
        if row.state == State::Done {
            return Finished::Late;
        }
        if let Some(mut row) = self.take(submission.id) {
            row.state = State::Done;
            row.worker = Some(submission.worker.clone());
            row.results = Some(submission.results.clone());
            self.put(row);
        }
        Finished::First
    }

    pub fn done(&self, most: usize) -> Vec<Row> {
        self.done.iter().take(most).filter_map(|&id| self.get(id).cloned()).collect()
    }

    pub fn counts(&self) -> Counts {
        Counts {
            ready: self.ready.len() as u64,
            ready_positions: self.ready_positions,
            leased: self.leased.len() as u64,
            done: self.done.len() as u64,
            next_expiry: self.leased.first().map(|&(until, _)| until),
        }
    }
}

/// Nobody has it any more.
pub(super) fn make_ready(row: &mut Row) {
    (row.state, row.worker, row.until) = (State::Ready, None, 0);
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A table that ends with the process, for tests.
#[derive(Debug, Default)]
pub struct MemoryTable(Mutex<Content>);

#[derive(Debug, Default)]
struct Content {
    rows: Rows,
    origins: HashMap<String, String>,
    by_account: HashMap<String, HashSet<String>>,
    kept: BTreeMap<String, String>,
}

impl MemoryTable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Content {
    fn forget(&mut self, position: &str) {
        if let Some(account) = self.origins.remove(position)
            && let Some(positions) = self.by_account.get_mut(&account)
        {
            positions.remove(position);
        }
    }
}

impl JobTable for MemoryTable {
    fn add(&self, jobs: &[NewJob]) -> Result<Vec<RowId>> {
        Ok(lock(&self.0).rows.add(jobs))
    }

    fn lease(&self, request: &Request<'_>) -> Result<Vec<Row>> {
        Ok(lock(&self.0).rows.lease(request))
    }

    fn extend(&self, worker: &str, ids: &[RowId], until: u64) -> Result<Vec<RowId>> {
        Ok(lock(&self.0).rows.change(worker, ids, |row| row.until = until))
    }

    fn release(&self, worker: &str, ids: &[RowId]) -> Result<Vec<RowId>> {
        Ok(lock(&self.0).rows.change(worker, ids, make_ready))
    }

    fn expire(&self, now: u64) -> Result<Vec<(RowId, String)>> {
        Ok(lock(&self.0).rows.expire(now))
    }

    fn finish(&self, submissions: &[Submission]) -> Result<Vec<Finished>> {
        let mut content = lock(&self.0);
        Ok(submissions.iter().map(|one| content.rows.finish(one)).collect())
    }

    fn done(&self, most: usize) -> Result<Vec<Row>> {
        Ok(lock(&self.0).rows.done(most))
    }

    fn rows(&self, ids: &[RowId]) -> Result<Vec<Row>> {
        let content = lock(&self.0);
        Ok(ids.iter().filter_map(|&id| content.rows.get(id).cloned()).collect())
    }

    fn remove(&self, ids: &[RowId]) -> Result<()> {
        let mut content = lock(&self.0);
        for &id in ids {
            content.rows.take(id);
        }
        Ok(())
    }

    fn all(&self) -> Result<Vec<Row>> {
        Ok(lock(&self.0).rows.all().cloned().collect())
    }

    fn counts(&self) -> Result<Counts> {
        Ok(lock(&self.0).rows.counts())
    }

    fn note(&self, origins: &[(String, String)]) -> Result<()> {
        let mut content = lock(&self.0);
        for (position, account) in origins {
            content.forget(position);
            content.origins.insert(position.clone(), account.clone());
            content.by_account.entry(account.clone()).or_default().insert(position.clone());
        }
        Ok(())
    }

    fn origins(&self, positions: &[String]) -> Result<Vec<Option<String>>> {
        let content = lock(&self.0);
        Ok(positions.iter().map(|position| content.origins.get(position).cloned()).collect())
    }

    fn of_worker(&self, account: &str, most: usize) -> Result<Vec<String>> {
        let content = lock(&self.0);
        let positions = content.by_account.get(account);
        Ok(positions.into_iter().flatten().take(most).cloned().collect())
    }

    fn forget(&self, positions: &[String]) -> Result<()> {
        let mut content = lock(&self.0);
        for position in positions {
            content.forget(position);
        }
        Ok(())
    }

    fn keep(&self, texts: &[(String, String)]) -> Result<()> {
        lock(&self.0).kept.extend(texts.iter().cloned());
        Ok(())
    }

    fn kept(&self) -> Result<Vec<(String, String)>> {
        let content = lock(&self.0);
        Ok(content.kept.iter().map(|(name, text)| (name.clone(), text.clone())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryTable;

    #[test]
    fn a_table_in_memory_passes_the_suite() {
        crate::table::suite::run(&MemoryTable::new());
    }
}

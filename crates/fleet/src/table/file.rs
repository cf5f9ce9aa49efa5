//! The job table in a file of its own, beside the file of a book.
//!
//! Rows are in memory, and every change is written before an operation returns. Operations of
//! several threads that change rows at the same time share one write: a write waits for the disk,
//! and a fleet makes many small changes.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition};

use super::memory::{Rows, lock, make_ready};
use super::{
    Counts, Finished, JobTable, NewJob, Request, Result, Row, RowId, Submission, TableError,
};

const ROWS: TableDefinition<RowId, &[u8]> = TableDefinition::new("jobs");
const ORIGINS: TableDefinition<&str, &str> = TableDefinition::new("origins");
const BY_ACCOUNT: TableDefinition<(&str, &str), ()> = TableDefinition::new("origins by account");
const KEPT: TableDefinition<&str, &str> = TableDefinition::new("texts");
/// The id of the next job, under the key `next`.
const NEXT: TableDefinition<&str, RowId> = TableDefinition::new("next");

/// Pages of the file kept in memory, in bytes.
const CACHE: usize = 16 << 20;

/// A table in a redb file.
pub struct FileTable {
    place: PathBuf,
    database: Database,
    memory: Mutex<Memory>,
    /// The number of the last change that is on disk.
    written: Mutex<u64>,
}

#[derive(Default)]
struct Memory {
    rows: Rows,
    /// Rows to be written; `None` if they are to be removed.
    pending: BTreeMap<RowId, Option<Row>>,
    /// Counts changes.
    changes: u64,
}

impl fmt::Debug for FileTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FileTable").field(&self.place).finish()
    }
}

impl FileTable {
    /// The file of the table that belongs to a book in a file.
    pub fn beside(book: &Path) -> PathBuf {
        let mut name = book.as_os_str().to_owned();
        name.push(".jobs");
        name.into()
    }

    /// Opens the table in a file, or makes it.
    pub fn open(place: impl Into<PathBuf>) -> Result<Self> {
        let place = place.into();
        let name = place.display().to_string();
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE);
        let database = match builder.create(&place) {
            Err(DatabaseError::DatabaseAlreadyOpen) => {
                return Err(TableError::Locked { place: name });
            }
            opened => opened.map_err(|error| stored(&place, error))?,
        };
        let table =
            FileTable { place, database, memory: Mutex::default(), written: Mutex::default() };
        let rows = table.read_rows()?;
        lock(&table.memory).rows = rows;
        Ok(table)
    }

    fn read_rows(&self) -> Result<Rows> {
        let failed = |error: redb::Error| stored(&self.place, error);
        // All tables exist from here on.
        self.write(|writing| {
            writing.open_table(ROWS)?;
            writing.open_table(ORIGINS)?;
            writing.open_table(BY_ACCOUNT)?;
            writing.open_table(KEPT)?;
            writing.open_table(NEXT)?;
            Ok(())
        })?;
        let mut rows = Rows::default();
        let mut damaged = None;
        let mut read = || -> std::result::Result<(), redb::Error> {
            let reading = self.database.begin_read()?;
            for entry in reading.open_table(ROWS)?.iter()? {
                let (id, bytes) = entry?;
                match serde_json::from_slice::<Row>(bytes.value()) {
                    Ok(row) if row.id == id.value() => rows.put(row),
                    Ok(_) => damaged = Some(format!("job {} has another id", id.value())),
                    Err(error) => damaged = Some(format!("job {}: {error}", id.value())),
                }
            }
            if let Some(next) = reading.open_table(NEXT)?.get("next")? {
                rows.next = rows.next.max(next.value());
            }
            Ok(())
        };
        read().map_err(failed)?;
        match damaged {
            Some(reason) => {
                Err(TableError::Damaged { place: self.place.display().to_string(), reason })
            }
            None => Ok(rows),
        }
    }

    /// One transaction.
    fn write<T>(
        &self,
        work: impl FnOnce(&redb::WriteTransaction) -> std::result::Result<T, redb::Error>,
    ) -> Result<T> {
        let run = || {
            let writing = self.database.begin_write()?;
            let done = work(&writing)?;
            writing.commit()?;
            Ok(done)
        };
        run().map_err(|error: redb::Error| stored(&self.place, error))
    }

    fn read<T>(
        &self,
        work: impl FnOnce(&redb::ReadTransaction) -> std::result::Result<T, redb::Error>,
    ) -> Result<T> {
        let run = || work(&self.database.begin_read()?);
        run().map_err(|error: redb::Error| stored(&self.place, error))
    }

    /// Changes rows; returns when the change is on disk. `work` also says which rows it changed.
    fn change<T>(&self, work: impl FnOnce(&mut Rows) -> (T, Vec<RowId>)) -> Result<T> {
        let (done, change) = {
            let mut memory = lock(&self.memory);
            let (done, changed) = work(&mut memory.rows);
            if changed.is_empty() {
                return Ok(done);
            }
            for id in changed {
                let row = memory.rows.get(id).cloned();
                memory.pending.insert(id, row);
            }
            memory.changes += 1;
            (done, memory.changes)
        };
        let mut written = lock(&self.written);
        if *written >= change {
            // Another thread wrote it together with its own.
            return Ok(done);
        }
        let (pending, changes, next) = {
            let mut memory = lock(&self.memory);
            (std::mem::take(&mut memory.pending), memory.changes, memory.rows.next)
        };
        let wrote = self.write(|writing| {
            let mut rows = writing.open_table(ROWS)?;
            for (&id, row) in &pending {
                match row.as_ref().map(serde_json::to_vec) {
                    Some(Ok(bytes)) => drop(rows.insert(id, bytes.as_slice())?),
                    // Numbers and texts can always be written.
                    None | Some(Err(_)) => drop(rows.remove(id)?),
                }
            }
            writing.open_table(NEXT)?.insert("next", next)?;
            drop(rows);
            Ok(())
        });
        if let Err(error) = wrote {
            // The next change writes them, unless it replaced them.
            let mut memory = lock(&self.memory);
            for (id, row) in pending {
                memory.pending.entry(id).or_insert(row);
            }
            return Err(error);
        }
        *written = changes;
        Ok(done)
    }
}

fn stored(place: &Path, error: impl Into<redb::Error>) -> TableError {
    let (place, reason) = (place.display().to_string(), error.into());
    match reason {
        redb::Error::Corrupted(reason) => TableError::Damaged { place, reason },
        reason => TableError::Store { place, reason: reason.to_string() },
    }
}

impl JobTable for FileTable {
    fn add(&self, jobs: &[NewJob]) -> Result<Vec<RowId>> {
        self.change(|rows| {
            let ids = rows.add(jobs);
            (ids.clone(), ids)
        })
    }

    fn lease(&self, request: &Request<'_>) -> Result<Vec<Row>> {
        self.change(|rows| {
            let mut changed: Vec<RowId> =
                rows.expire(request.now).into_iter().map(|(id, _)| id).collect();
            let leased = rows.lease(request);
            changed.extend(leased.iter().map(|row| row.id));
            (leased, changed)
        })
    }

    fn extend(&self, worker: &str, ids: &[RowId], until: u64) -> Result<Vec<RowId>> {
        self.change(|rows| {
            let changed = rows.change(worker, ids, |row| row.until = until);
            (changed.clone(), changed)
        })
    }

    fn release(&self, worker: &str, ids: &[RowId]) -> Result<Vec<RowId>> {
        self.change(|rows| {
            let changed = rows.change(worker, ids, make_ready);
            (changed.clone(), changed)
        })
    }

    fn expire(&self, now: u64) -> Result<Vec<(RowId, String)>> {
        self.change(|rows| {
            let expired = rows.expire(now);
            let changed = expired.iter().map(|&(id, _)| id).collect();
            (expired, changed)
        })
    }

    fn finish(&self, submissions: &[Submission]) -> Result<Vec<Finished>> {
        self.change(|rows| {
            let finished: Vec<Finished> = submissions.iter().map(|one| rows.finish(one)).collect();
            let first = submissions.iter().zip(&finished);
            let first = first.filter(|(_, finished)| **finished == Finished::First);
            let changed = first.map(|(one, _)| one.id).collect();
            (finished, changed)
        })
    }

    fn done(&self, most: usize) -> Result<Vec<Row>> {
        Ok(lock(&self.memory).rows.done(most))
    }

    fn rows(&self, ids: &[RowId]) -> Result<Vec<Row>> {
        let memory = lock(&self.memory);
        Ok(ids.iter().filter_map(|&id| memory.rows.get(id).cloned()).collect())
    }

    fn remove(&self, ids: &[RowId]) -> Result<()> {
        self.change(|rows| {
            let gone = ids.iter().copied().filter(|&id| rows.take(id).is_some()).collect();
            ((), gone)
        })
    }

    fn all(&self) -> Result<Vec<Row>> {
        Ok(lock(&self.memory).rows.all().cloned().collect())
    }

    fn counts(&self) -> Result<Counts> {
        Ok(lock(&self.memory).rows.counts())
    }

    fn note(&self, origins: &[(String, String)]) -> Result<()> {
        if origins.is_empty() {
            return Ok(());
        }
        self.write(|writing| {
            let mut by_position = writing.open_table(ORIGINS)?;
            let mut by_account = writing.open_table(BY_ACCOUNT)?;
            for (position, account) in origins {
                if let Some(before) = by_position.insert(position.as_str(), account.as_str())? {
                    by_account.remove((before.value(), position.as_str()))?;
                }
                by_account.insert((account.as_str(), position.as_str()), ())?;
            }
            Ok(())
        })
    }

    fn origins(&self, positions: &[String]) -> Result<Vec<Option<String>>> {
        self.read(|reading| {
            let table = reading.open_table(ORIGINS)?;
            let one = |position: &String| {
                Ok(table.get(position.as_str())?.map(|account| account.value().to_owned()))
            };
            positions.iter().map(one).collect()
        })
    }

    fn of_worker(&self, account: &str, most: usize) -> Result<Vec<String>> {
        self.read(|reading| {
            let table = reading.open_table(BY_ACCOUNT)?;
            let mut positions = Vec::new();
            for entry in table.range((account, "")..)?.take(most) {
                let (key, _) = entry?;
                let (of, position) = key.value();
                if of != account {
                    break;
                }
                positions.push(position.to_owned());
            }
            Ok(positions)
        })
    }

    fn forget(&self, positions: &[String]) -> Result<()> {
        if positions.is_empty() {
            return Ok(());
        }
        self.write(|writing| {
            let mut by_position = writing.open_table(ORIGINS)?;
            let mut by_account = writing.open_table(BY_ACCOUNT)?;
            for position in positions {
                if let Some(account) = by_position.remove(position.as_str())? {
                    by_account.remove((account.value(), position.as_str()))?;
                }
            }
            Ok(())
        })
    }

    fn keep(&self, texts: &[(String, String)]) -> Result<()> {
        self.write(|writing| {
            let mut kept = writing.open_table(KEPT)?;
            for (name, text) in texts {
                kept.insert(name.as_str(), text.as_str())?;
            }
            Ok(())
        })
    }

    fn kept(&self) -> Result<Vec<(String, String)>> {
        self.read(|reading| {
            let mut all = Vec::new();
            for entry in reading.open_table(KEPT)?.iter()? {
                let (name, text) = entry?;
                all.push((name.value().to_owned(), text.value().to_owned()));
            }
            Ok(all)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::FileTable;
    use crate::table::suite::{self, job, request, submission};
    use crate::table::{Finished, JobTable, State, TableError};

    #[test]
    fn a_table_in_a_file_passes_the_suite() {
        let dir = tempfile::tempdir().unwrap();
        suite::run(&FileTable::open(dir.path().join("book.jobs")).unwrap());
    }

    /// Leases, results, origins and ids survive a restart.
    #[test]
    fn rows_survive_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("book.jobs");
        let table = FileTable::open(&file).unwrap();
        let ids = table.add(&[job(1, &["a"]), job(2, &["b"]), job(3, &["c"])]).unwrap();
        let gone = table.add(&[job(4, &["d"])]).unwrap();
        assert!(matches!(FileTable::open(&file), Err(TableError::Locked { .. })));
        table.remove(&gone).unwrap();
        assert_eq!(table.lease(&request("ann/1", 2, 10)).unwrap().len(), 2);
        table.finish(&[submission(ids[0], "ann/1", "[]")]).unwrap();
        table.note(&[("a".to_owned(), "ann".to_owned())]).unwrap();
        table.keep(&[("ann".to_owned(), "{}".to_owned())]).unwrap();
        let before = table.all().unwrap();
        drop(table);
        let table = FileTable::open(&file).unwrap();
        assert_eq!(table.all().unwrap(), before);
        let states: Vec<State> = before.iter().map(|row| row.state).collect();
        assert_eq!(states, [State::Done, State::Leased, State::Ready]);
        assert_eq!(table.of_worker("ann", 9).unwrap(), ["a"]);
        assert_eq!(table.kept().unwrap().len(), 1);
        let late = [submission(ids[1], "ann/1", "[]"), submission(ids[2], "ann/1", "[]")];
        assert_eq!(table.finish(&late).unwrap(), [Finished::First, Finished::Unknown]);
        assert!(table.add(&[job(5, &["e"])]).unwrap()[0] > gone[0]);
    }
}

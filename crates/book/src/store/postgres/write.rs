//! Commits: all changes in one transaction, made exactly once.

use nutcracker_postgres::{Connection, column};

use super::super::Access;
use super::super::tables::Changes;
use super::{Answer, PostgresTables, bigints, book_row};
use crate::error::{BookError, Result};

/// Records in one statement.
const ROWS: usize = 10_000;

impl PostgresTables {
    pub(super) fn writable(&self) -> Result<()> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => {
                Err(BookError::Database(format!("{} was opened for reading only", self.place)))
            }
        }
    }

    /// Makes all changes, or none. If the connection is lost meanwhile, the version of the book
    /// tells whether the commit was made.
    pub(super) fn write(&mut self, changes: &mut Changes<'_>) -> Result<()> {
        let before = changes.tally();
        let mut tried = false;
        let outcome = self.connection.retry(|connection| {
            if let Err(error) = self.restore(connection, tried)? {
                return Ok(Err(error));
            }
            if tried && self.is_done(connection)? {
                return Ok(Ok(()));
            }
            tried = true;
            changes.restart(before);
            self.transaction(connection, changes)
        });
        let state = self.state.get_mut();
        state.page = None;
        match outcome {
            Ok(Ok(())) => {
                state.version += 1;
                Ok(())
            }
            Ok(Err(error)) => Err(error),
            Err(error) => {
                state.unknown = error.is_lost();
                Err(error.into())
            }
        }
    }

    /// Whether the commit was made that was tried before.
    fn is_done(&self, connection: &Connection) -> Answer<bool> {
        let (_, _, version) = book_row(&connection.query(&self.sql.state, &[])?)?;
        Ok(version == self.state.borrow().version + 1)
    }

    fn transaction(
        &self,
        connection: &Connection,
        changes: &mut Changes<'_>,
    ) -> Answer<Result<()>> {
        let (epoch, version) = {
            let state = self.state.borrow();
            (state.epoch, state.version)
        };
        let numbers = bigints(changes.nodes.iter().map(|&(id, _)| id))
            .and_then(|ids| Ok((ids, bigints(changes.removed.iter().map(|&(id, _)| id))?)));
        let (ids, gone) = match numbers {
            Ok(numbers) => numbers,
            Err(error) => return Ok(Err(error)),
        };
        let sql = &self.sql;
        let mut transaction = connection.begin()?;
        if transaction.query(&sql.hold, &[&epoch, &version])?.is_empty() {
            return Ok(Err(BookError::TakenOver(self.location())));
        }
        if !gone.is_empty() {
            for row in transaction.query(&sql.remove_nodes, &[&gone])? {
                changes.replaced(column(&row, 0)?);
            }
            let positions: Vec<&str> = changes.removed.iter().map(|(_, text)| &**text).collect();
            transaction.execute(&sql.remove_positions, &[&positions])?;
        }
        for ids in ids.chunks(ROWS) {
            for row in transaction.query(&sql.seals, &[&ids])? {
                changes.replaced(column(&row, 0)?);
            }
        }
        for (ids, nodes) in ids.chunks(ROWS).zip(changes.nodes.chunks(ROWS)) {
            let records: Vec<&[u8]> = nodes.iter().map(|(_, record)| record.as_slice()).collect();
            transaction.execute(&sql.write_nodes, &[&ids, &records])?;
        }
        for positions in changes.positions.chunks(ROWS) {
            let texts: Vec<&str> = positions.iter().map(|&(text, _)| text).collect();
            let halves = |from: usize| -> Vec<i64> {
                let half = |place: &[u8; 16]| place[from..].first_chunk().copied();
                let places = positions.iter().map(|(_, place)| half(place).unwrap_or_default());
                places.map(i64::from_le_bytes).collect()
            };
            let (ids, seals) = (halves(0), halves(8));
            transaction.execute(&sql.write_positions, &[&texts, &ids, &seals])?;
        }
        transaction.execute(&sql.write_facts, &[&changes.facts()])?;
        transaction.commit().map(Ok)
    }
}

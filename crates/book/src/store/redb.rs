//! Tables in one redb file.

mod format1;

use std::io;
use std::path::{Path, PathBuf};

use redb::{
    Builder, Database, DatabaseError, ReadOnlyDatabase, ReadOnlyTable, ReadTransaction,
    ReadableDatabase, ReadableTableMetadata, TableDefinition, WriteTransaction,
};

use self::format1::PlainPositions;
use super::Access;
use super::guard::guarded;
use super::seal::{self, Place};
use super::tables::{Changes, Tables};
use crate::error::{BookError, Result};
use crate::node::NodeId;

const NODES: TableDefinition<NodeId, &[u8]> = TableDefinition::new("sealed nodes");
// Bytes: comparing them costs less than validating text every time.
const POSITIONS: TableDefinition<&[u8], &Place> = TableDefinition::new("sealed positions");
const FACTS: TableDefinition<&str, &[u8]> = TableDefinition::new("facts");

/// The only key of the facts.
const BOOK: &str = "book";

/// Tables in one file.
pub(super) struct RedbTables {
    path: PathBuf,
    /// `None` only while it is dropped.
    database: Option<Opened>,
    /// As of the last commit; opened once, not for every read.
    snapshot: Option<Snapshot>,
}

enum Opened {
    Read(ReadOnlyDatabase),
    Write(Database),
}

/// The tables for reading.
struct Snapshot {
    nodes: ReadOnlyTable<NodeId, &'static [u8]>,
    positions: Positions,
    facts: ReadOnlyTable<&'static str, &'static [u8]>,
}

enum Positions {
    Sealed(ReadOnlyTable<&'static [u8], &'static Place>),
    /// Those of a book of format 1: nothing in it has a seal.
    Plain(PlainPositions),
}

fn failed(error: impl Into<redb::Error>) -> BookError {
    match error.into() {
        redb::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            BookError::Corrupt("its file is too short".to_owned())
        }
        redb::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            BookError::Corrupt(format!("its file is not valid ({error})"))
        }
        error @ (redb::Error::Io(_)
        | redb::Error::PreviousIo
        | redb::Error::Unsupported
        | redb::Error::ValueTooLarge(_)) => BookError::Store(error.to_string()),
        redb::Error::TableDoesNotExist(_) => {
            BookError::Corrupt("its file does not have the tables of a book".to_owned())
        }
        // What is left depends on the bytes of the file alone.
        error => BookError::Corrupt(format!("its file is not valid ({error})")),
    }
}

fn opening(path: &Path, error: DatabaseError) -> BookError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => BookError::Locked(path.into()),
        error => match failed(error) {
            BookError::Store(what) => BookError::Store(format!("{}: {what}", path.display())),
            damaged => damaged,
        },
    }
}

fn is_refusal(error: &DatabaseError) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let DatabaseError::Storage(redb::StorageError::Io(error)) = error else { return false };
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

/// Opens a file for reading. One that its last writer did not close has to be repaired first, which
/// is the only case in which it is written.
fn open_to_read(builder: &Builder, path: &Path) -> Result<ReadOnlyDatabase> {
    match builder.open_read_only(path) {
        Err(DatabaseError::RepairAborted) => match builder.open(path) {
            Err(error) if is_refusal(&error) => Err(BookError::Unclean(path.into())),
            Err(error) => Err(opening(path, error)),
            Ok(repaired) => {
                drop(repaired);
                builder.open_read_only(path).map_err(|error| opening(path, error))
            }
        },
        opened => opened.map_err(|error| opening(path, error)),
    }
}

impl RedbTables {
    /// Creates a file, with this much memory for its pages.
    pub fn create(path: &Path, cache_bytes: usize) -> Result<Self> {
        if path.exists() {
            return Err(BookError::Exists(path.into()));
        }
        let made = Database::builder().set_cache_size(cache_bytes).create(path);
        let database = made.map_err(|error| opening(path, error))?;
        let writing = database.begin_write().map_err(failed)?;
        make_tables(&writing).map_err(failed)?;
        writing.commit().map_err(failed)?;
        Self::with(path, Opened::Write(database))
    }

    /// Opens an existing file. A book of format 1 is converted if it is opened for writing.
    pub fn open(path: &Path, access: Access, cache_bytes: usize) -> Result<Self> {
        match path.metadata() {
            Ok(file) if !file.is_file() => {
                let what = format!("{} is not a regular file", path.display());
                return Err(BookError::Store(what));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BookError::Missing(path.into()));
            }
            _ => {}
        }
        guarded(|| {
            let mut builder = Database::builder();
            builder.set_cache_size(cache_bytes);
            let database = match access {
                Access::Read => Opened::Read(open_to_read(&builder, path)?),
                Access::Write => {
                    let database = builder.open(path).map_err(|error| opening(path, error))?;
                    format1::convert(&database)?;
                    Opened::Write(database)
                }
            };
            Self::with(path, database)
        })
    }

    fn with(path: &Path, database: Opened) -> Result<Self> {
        let mut tables =
            RedbTables { path: path.to_owned(), database: Some(database), snapshot: None };
        tables.reopen()?;
        Ok(tables)
    }

    fn snapshot(&self) -> Result<&Snapshot> {
        self.snapshot.as_ref().ok_or_else(|| {
            BookError::Store("an earlier commit failed; open the book again".to_owned())
        })
    }

    fn reopen(&mut self) -> Result<()> {
        let reading = match &self.database {
            Some(Opened::Read(database)) => database.begin_read(),
            Some(Opened::Write(database)) => database.begin_read(),
            None => return self.snapshot().map(drop),
        };
        self.snapshot = Some(Snapshot::new(&reading.map_err(failed)?)?);
        Ok(())
    }

    fn writable(&mut self) -> Result<&mut Database> {
        if let Some(Opened::Write(database)) = &mut self.database {
            return Ok(database);
        }
        Err(BookError::Store(format!("{} was opened for reading only", self.path.display())))
    }
}

impl Drop for RedbTables {
    fn drop(&mut self) {
        // Closing a damaged file may panic as reading it may, and a drop cannot report it.
        let _ = guarded(|| {
            self.snapshot = None;
            self.database = None;
            Ok(())
        });
    }
}

impl Snapshot {
    fn new(reading: &ReadTransaction) -> Result<Self> {
        let facts = reading.open_table(FACTS).map_err(failed)?;
        let plain =
            facts.get(BOOK).map_err(failed)?.is_some_and(|facts| format1::is(facts.value()));
        if plain {
            let (nodes, positions) = format1::open(reading)?;
            return Ok(Snapshot { nodes, positions: Positions::Plain(positions), facts });
        }
        let nodes = reading.open_table(NODES).map_err(failed)?;
        let positions = Positions::Sealed(reading.open_table(POSITIONS).map_err(failed)?);
        Ok(Snapshot { nodes, positions, facts })
    }

    fn is_plain(&self) -> bool {
        matches!(self.positions, Positions::Plain(_))
    }

    fn facts(&self) -> Result<Option<Vec<u8>>> {
        let found = self.facts.get(BOOK).map_err(failed)?;
        Ok(found.map(|facts| facts.value().to_vec()))
    }

    fn find(&self, position: &str) -> Result<Option<Place>> {
        let key = position.as_bytes();
        match &self.positions {
            Positions::Sealed(table) => Ok(table.get(key).map_err(failed)?.map(|id| *id.value())),
            Positions::Plain(table) => {
                let found = table.get(key).map_err(failed)?;
                Ok(found.map(|id| seal::position(position, id.value())))
            }
        }
    }

    fn read(&self, id: NodeId, record: &mut Vec<u8>) -> Result<bool> {
        record.clear();
        let Some(found) = self.nodes.get(id).map_err(failed)? else { return Ok(false) };
        record.extend_from_slice(found.value());
        if self.is_plain() {
            seal::seal_node(id, record);
        }
        Ok(true)
    }

    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>> {
        let Some(entry) = self.nodes.range(from..).map_err(failed)?.next() else {
            return Ok(None);
        };
        let (id, record) = entry.map_err(failed)?;
        let (id, mut record) = (id.value(), record.value().to_vec());
        if self.is_plain() {
            seal::seal_node(id, &mut record);
        }
        Ok(Some((id, record)))
    }

    fn positions(&self) -> Result<u64> {
        match &self.positions {
            Positions::Sealed(table) => table.len(),
            Positions::Plain(table) => table.len(),
        }
        .map_err(failed)
    }
}

fn make_tables(writing: &WriteTransaction) -> std::result::Result<(), redb::Error> {
    writing.open_table(NODES)?;
    writing.open_table(POSITIONS)?;
    writing.open_table(FACTS)?;
    Ok(())
}

fn write(database: &Database, changes: &mut Changes<'_>) -> std::result::Result<(), redb::Error> {
    let writing = database.begin_write()?;
    {
        let mut nodes = writing.open_table(NODES)?;
        let mut positions = writing.open_table(POSITIONS)?;
        for (id, position) in changes.removed {
            if let Some(old) = nodes.remove(id)? {
                changes.replaced(old.value());
            }
            positions.remove(position.as_bytes())?;
        }
        for (id, record) in std::mem::take(&mut changes.nodes) {
            if let Some(old) = nodes.insert(id, record.as_slice())? {
                changes.replaced(old.value());
            }
        }
        for (position, place) in &changes.positions {
            positions.insert(position.as_bytes(), place)?;
        }
        writing.open_table(FACTS)?.insert(BOOK, changes.facts().as_slice())?;
    }
    writing.commit()?;
    Ok(())
}

impl std::fmt::Debug for RedbTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedbTables").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Tables for RedbTables {
    fn are_sealed(&self) -> bool {
        !self.snapshot.as_ref().is_some_and(Snapshot::is_plain)
    }

    fn facts(&self) -> Result<Option<Vec<u8>>> {
        guarded(|| self.snapshot()?.facts())
    }

    fn find(&self, position: &str) -> Result<Option<Place>> {
        guarded(|| self.snapshot()?.find(position))
    }

    fn read(&self, id: NodeId, record: &mut Vec<u8>) -> Result<bool> {
        guarded(|| self.snapshot()?.read(id, record))
    }

    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>> {
        guarded(|| self.snapshot()?.next(from))
    }

    fn positions(&self) -> Result<u64> {
        guarded(|| self.snapshot()?.positions())
    }

    fn commit(&mut self, changes: &mut Changes<'_>) -> Result<()> {
        guarded(|| {
            self.writable()?;
            // A reader opened before would keep old pages alive.
            self.snapshot = None;
            write(self.writable()?, changes).map_err(failed)?;
            self.reopen()
        })
    }

    fn compact(&mut self) -> Result<()> {
        guarded(|| {
            self.writable()?;
            self.snapshot = None;
            // One pass may make space for another.
            let done = loop {
                match self.writable()?.compact() {
                    Ok(true) => {}
                    Ok(false) => break Ok(()),
                    Err(error) => break Err(failed(error)),
                }
            };
            self.reopen()?;
            done
        })
    }
}

#[cfg(test)]
mod tests;

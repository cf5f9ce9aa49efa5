//! A store in one redb file.

use std::path::{Path, PathBuf};

use redb::{
    Database, DatabaseError, ReadOnlyTable, ReadableDatabase, ReadableTableMetadata,
    TableDefinition,
};

use super::{Batch, Store};
use crate::error::{BookError, Result};
use crate::node::NodeId;

const NODES: TableDefinition<NodeId, &[u8]> = TableDefinition::new("nodes");
// Bytes: comparing them costs less than validating text every time.
const POSITIONS: TableDefinition<&[u8], NodeId> = TableDefinition::new("positions");
const FACTS: TableDefinition<&str, &[u8]> = TableDefinition::new("facts");

/// The only key of the facts.
const BOOK: &str = "book";

/// A store in one file.
pub struct RedbStore {
    path: PathBuf,
    database: Database,
    /// Tables as of the last commit; opened once, not for every read.
    open: Option<Tables>,
}

struct Tables {
    nodes: ReadOnlyTable<NodeId, &'static [u8]>,
    positions: ReadOnlyTable<&'static [u8], NodeId>,
    facts: ReadOnlyTable<&'static str, &'static [u8]>,
}

fn failed(error: impl Into<redb::Error>) -> BookError {
    BookError::Store(error.into().to_string())
}

impl RedbStore {
    /// Creates a file, with this much memory for its pages.
    pub fn create(path: &Path, cache_bytes: usize) -> Result<Self> {
        if path.exists() {
            return Err(BookError::Exists(path.to_owned()));
        }
        let made = Database::builder().set_cache_size(cache_bytes).create(path);
        Self::with(path, made)
    }

    /// Opens an existing file.
    pub fn open(path: &Path, cache_bytes: usize) -> Result<Self> {
        if !path.exists() {
            return Err(BookError::Missing(path.to_owned()));
        }
        let opened = Database::builder().set_cache_size(cache_bytes).open(path);
        Self::with(path, opened)
    }

    fn with(path: &Path, database: std::result::Result<Database, DatabaseError>) -> Result<Self> {
        let database = database.map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => BookError::Locked(path.to_owned()),
            error => failed(error),
        })?;
        let mut store = RedbStore { path: path.to_owned(), database, open: None };
        // The first commit creates the tables.
        store.commit(&Batch::default())?;
        Ok(store)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn tables(&self) -> Result<&Tables> {
        self.open.as_ref().ok_or_else(|| {
            BookError::Store("an earlier commit failed; open the book again".to_owned())
        })
    }

    fn reopen(&mut self) -> Result<()> {
        let reading = self.database.begin_read().map_err(failed)?;
        self.open = Some(Tables {
            nodes: reading.open_table(NODES).map_err(failed)?,
            positions: reading.open_table(POSITIONS).map_err(failed)?,
            facts: reading.open_table(FACTS).map_err(failed)?,
        });
        Ok(())
    }

    fn write(&self, batch: &Batch) -> std::result::Result<(), redb::Error> {
        let writing = self.database.begin_write()?;
        {
            let mut nodes = writing.open_table(NODES)?;
            let mut positions = writing.open_table(POSITIONS)?;
            let mut facts = writing.open_table(FACTS)?;
            for (id, position) in &batch.removed {
                nodes.remove(id)?;
                positions.remove(position.as_bytes())?;
            }
            for (id, bytes) in &batch.nodes {
                nodes.insert(id, bytes.as_slice())?;
            }
            for (position, id) in &batch.positions {
                positions.insert(position.as_bytes(), id)?;
            }
            if let Some(bytes) = &batch.facts {
                facts.insert(BOOK, bytes.as_slice())?;
            }
        }
        writing.commit()?;
        Ok(())
    }
}

impl std::fmt::Debug for RedbStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedbStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Store for RedbStore {
    fn facts(&self) -> Result<Option<Vec<u8>>> {
        let found = self.tables()?.facts.get(BOOK).map_err(failed)?;
        Ok(found.map(|bytes| bytes.value().to_vec()))
    }

    fn find(&self, position: &str) -> Result<Option<NodeId>> {
        let found = self.tables()?.positions.get(position.as_bytes()).map_err(failed)?;
        Ok(found.map(|id| id.value()))
    }

    fn read(&self, id: NodeId, bytes: &mut Vec<u8>) -> Result<bool> {
        bytes.clear();
        let found = self.tables()?.nodes.get(id).map_err(failed)?;
        Ok(found.is_some_and(|found| {
            bytes.extend_from_slice(found.value());
            true
        }))
    }

    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>> {
        match self.tables()?.nodes.range(from..).map_err(failed)?.next() {
            None => Ok(None),
            Some(entry) => {
                let (id, bytes) = entry.map_err(failed)?;
                Ok(Some((id.value(), bytes.value().to_vec())))
            }
        }
    }

    fn len(&self) -> Result<u64> {
        self.tables()?.positions.len().map_err(failed)
    }

    fn commit(&mut self, batch: &Batch) -> Result<()> {
        // A reader opened before would keep old pages alive.
        self.open = None;
        self.write(batch).map_err(failed)?;
        self.reopen()
    }

    fn compact(&mut self) -> Result<()> {
        self.open = None;
        // One pass may make space for another.
        let done = loop {
            match self.database.compact() {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(failed(error)),
            }
        };
        self.reopen()?;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_the_store_suite() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("book");
        super::super::suite::run(RedbStore::create(&path, 1 << 20).unwrap());
        let store = RedbStore::open(&path, 1 << 20).unwrap();
        assert_eq!(store.get(8).unwrap().unwrap(), b"eight");
        assert!(matches!(RedbStore::open(&path, 1 << 20), Err(BookError::Locked(_))));
        assert!(matches!(RedbStore::create(&path, 1 << 20), Err(BookError::Exists(_))));
        let nowhere = dir.path().join("nowhere");
        assert!(matches!(RedbStore::open(&nowhere, 1 << 20), Err(BookError::Missing(_))));
    }
}

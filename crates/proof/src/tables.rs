//! Databases as proofs name them: by the digest of their file.

use std::error::Error;

use nutcracker_game::{Metric, Score, SliceId};
use nutcracker_table::{Reach, TableSet};

/// Why a database does not answer; its text is one sentence.
pub type TablesError = Box<dyn Error + Send + Sync>;

/// The databases that a proof rests on.
pub trait Tables {
    /// What their values are; `None` where there are no databases.
    fn metric(&self) -> Option<Metric>;
    /// The digest of the database of a slice, in hexadecimal digits; an error where there is none.
    fn digest(&self, slice: SliceId) -> Result<String, TablesError>;
    /// The score of the position with this number. Called only for slices whose digest was given.
    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TablesError>;
}

/// No databases.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoTables;

impl Tables for NoTables {
    fn metric(&self) -> Option<Metric> {
        None
    }

    fn digest(&self, slice: SliceId) -> Result<String, TablesError> {
        Err(format!("there is no database of slice {slice}").into())
    }

    fn score(&self, slice: SliceId, _: u64) -> Result<Score, TablesError> {
        Err(format!("there is no database of slice {slice}").into())
    }
}

/// Databases that may not exist.
impl<T: Tables> Tables for Option<T> {
    fn metric(&self) -> Option<Metric> {
        self.as_ref().and_then(Tables::metric)
    }

    fn digest(&self, slice: SliceId) -> Result<String, TablesError> {
        self.as_ref().map_or_else(|| NoTables.digest(slice), |tables| tables.digest(slice))
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TablesError> {
        let none = || NoTables.score(slice, index);
        self.as_ref().map_or_else(none, |tables| tables.score(slice, index))
    }
}

/// The exact databases of a directory.
#[derive(Clone, Copy, Debug)]
pub struct TableFiles<'a> {
    /// The files.
    pub set: &'a TableSet,
    /// What they hold.
    pub metric: Metric,
    /// Whether every byte of a file is compared with its digest before the file is used. Without
    /// that, the blocks that are read are compared with the checksums of their file.
    pub audit: bool,
}

impl Tables for TableFiles<'_> {
    fn metric(&self) -> Option<Metric> {
        Some(self.metric)
    }

    fn digest(&self, slice: SliceId) -> Result<String, TablesError> {
        let table = self.set.get_exactly(slice.0, Reach::Exact)?;
        if self.audit {
            table.verify_digest()?;
        }
        Ok(table.blake3())
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TablesError> {
        let table = self.set.get_exactly(slice.0, Reach::Exact)?;
        let value = self.set.value(&table, index)?;
        Ok(self.metric.score(value.into()))
    }
}

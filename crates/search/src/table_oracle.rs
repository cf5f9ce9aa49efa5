//! A directory of databases as an oracle.

use std::sync::{Arc, OnceLock};

use nutcracker_game::{Score, SliceId};
use nutcracker_table::{Reach, Table, TableError, TableSet};

use crate::Oracle;

/// The databases of a directory with exact scores, as far as they reach from slice 0 without a
/// gap. For use by any number of threads; decoded blocks are kept in the set's cache.
///
/// What is there is looked at once, when the oracle is made; files are opened when they are first
/// asked.
#[derive(Debug)]
pub struct TableOracle {
    set: Arc<TableSet>,
    tables: Vec<OnceLock<Arc<Table>>>,
}

impl TableOracle {
    /// The exact databases of a set.
    pub fn new(set: Arc<TableSet>) -> Result<Self, TableError> {
        let mut tables = Vec::new();
        // A slice solved with a window knows large scores only as bounds.
        for slice in set.slices()? {
            if slice as usize != tables.len()
                || set.available(slice)?.first() != Some(&Reach::Exact)
            {
                break;
            }
            tables.push(OnceLock::new());
        }
        Ok(TableOracle { set, tables })
    }

    /// The last slice it covers; `None` if it covers none.
    pub fn last(&self) -> Option<SliceId> {
        self.tables.len().checked_sub(1).map(|last| SliceId(last as u32))
    }

    /// The databases.
    pub fn set(&self) -> &Arc<TableSet> {
        &self.set
    }
}

impl Oracle for TableOracle {
    type Error = TableError;

    fn covers(&self, slice: SliceId) -> bool {
        (slice.0 as usize) < self.tables.len()
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        let place = &self.tables[slice.0 as usize];
        let table = if let Some(table) = place.get() {
            table
        } else {
            let table = self.set.get_for(slice.0, Reach::Exact)?;
            place.get_or_init(|| table)
        };
        self.set.cache().probe(table, index).map(Score::from)
    }
}

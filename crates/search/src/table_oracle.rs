//! A directory of databases as an oracle.

use std::sync::{Arc, OnceLock};

use nutcracker_game::{Metric, Score, SliceId};
use nutcracker_table::{Reach, Table, TableError, TableSet};

use crate::Oracle;

/// The slices of a directory of databases that exist without a window, whichever they are. For use
/// by any number of threads; decoded blocks are kept in the set's cache.
///
/// The directory is listed once, when the oracle is made; files are opened when they are first
/// probed. A table of distances answers with the score that a distance stands for.
#[derive(Debug)]
pub struct TableOracle {
    set: Arc<TableSet>,
    /// By the number of the slice: a search asks for every position whether it is covered.
    tables: Vec<Option<OnceLock<Opened>>>,
}

/// A table, and what its values mean.
#[derive(Debug)]
struct Opened {
    table: Arc<Table>,
    metric: Metric,
}

impl TableOracle {
    /// The exact databases of a set.
    pub fn new(set: Arc<TableSet>) -> Result<Self, TableError> {
        let mut tables = Vec::new();
        // A slice solved with a window knows large scores only as bounds, and so do tables of what
        // can be forced.
        for slice in set.slices()? {
            if set.get(slice).is_ok_and(|table| table.exact().is_some()) {
                continue;
            }
            if set.available(slice)?.first() == Some(&Reach::Exact) {
                tables.resize_with(slice as usize + 1, || None);
                tables[slice as usize] = Some(OnceLock::new());
            }
        }
        Ok(TableOracle { set, tables })
    }

    /// The slices it covers, ascending.
    pub fn slices(&self) -> impl DoubleEndedIterator<Item = SliceId> {
        let covered = self.tables.iter().enumerate().filter(|(_, table)| table.is_some());
        covered.map(|(slice, _)| SliceId(slice as u32))
    }

    /// Whether it covers no slice.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The databases.
    pub fn set(&self) -> &Arc<TableSet> {
        &self.set
    }

    fn opened(&self, slice: SliceId) -> Result<&Opened, TableError> {
        let place = self.tables[slice.0 as usize].as_ref().expect("only covered slices are probed");
        if let Some(opened) = place.get() {
            return Ok(opened);
        }
        let opened = Opened::new(self.set.get_for(slice.0, Reach::Exact)?)?;
        Ok(place.get_or_init(|| opened))
    }

    fn probe(&self, table: &Table, index: u64) -> Result<Score, TableError> {
        // The mark of a hole is outside every range of values: the cache never returns it.
        self.set.cache().probe(table, index).map(Score::from)
    }
}

impl Opened {
    fn new(table: Arc<Table>) -> Result<Self, TableError> {
        let metric = metric_of(&table)?;
        Ok(Opened { table, metric })
    }
}

/// What the values of a table mean.
pub(crate) fn metric_of(table: &Table) -> Result<Metric, TableError> {
    let name = &table.header().metric;
    name.parse().map_err(|_| TableError::Unexpected {
        path: table.path().to_owned(),
        what: "metric",
        found: format!("{name:?}"),
        expected: Metric::ALL.map(Metric::name).join(", "),
    })
}

impl Oracle for TableOracle {
    type Error = TableError;

    fn covers(&self, slice: SliceId) -> bool {
        self.tables.get(slice.0 as usize).is_some_and(Option::is_some)
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        let Opened { table, metric } = self.opened(slice)?;
        Ok(metric.score(self.probe(table, index)?))
    }

    fn metric(&self, slice: SliceId) -> Result<Metric, TableError> {
        Ok(self.opened(slice)?.metric)
    }

    fn value(&self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        self.probe(&self.opened(slice)?.table, index)
    }
}

//! A directory of databases as an oracle.

use std::sync::{Arc, OnceLock};

use nutcracker_game::{Metric, Score, SliceId};
use nutcracker_table::{Reach, Table, TableError, TableSet};

use crate::Oracle;

/// The slices of a directory of databases that exist without a window, whichever they are. For use
/// by any number of threads; decoded blocks are kept in the set's cache.
///
/// The directory is listed once, when the oracle is made; files are opened when they are first
/// probed. A table of distances answers with the score that a distance stands for. A table of what
/// can be forced covers no slice, and answers with its lower bounds.
#[derive(Debug)]
pub struct TableOracle {
    set: Arc<TableSet>,
    /// By the number of the slice: a search asks for every position whether it is covered.
    tables: Vec<Option<Place>>,
}

/// A table that may not have been opened yet.
#[derive(Debug)]
struct Place {
    opened: OnceLock<Opened>,
    /// Whether it holds bounds.
    forced: bool,
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
        // A slice solved with a window knows large scores only as bounds.
        for slice in set.slices()? {
            if set.available(slice)?.first() == Some(&Reach::Exact) {
                let forced = set.get(slice).is_ok_and(|table| table.exact().is_some());
                tables.resize_with(slice as usize + 1, || None);
                tables[slice as usize] = Some(Place { opened: OnceLock::new(), forced });
            }
        }
        Ok(TableOracle { set, tables })
    }

    /// Databases of which none is used: what players find by themselves, in the same code.
    pub fn unused(set: Arc<TableSet>) -> Self {
        TableOracle { set, tables: Vec::new() }
    }

    /// The slices of which it knows scores or bounds, ascending.
    pub fn slices(&self) -> impl DoubleEndedIterator<Item = SliceId> {
        let covered = self.tables.iter().enumerate().filter(|(_, table)| table.is_some());
        covered.map(|(slice, _)| SliceId(slice as u32))
    }

    /// Whether it knows nothing of any slice.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The databases.
    pub fn set(&self) -> &Arc<TableSet> {
        &self.set
    }

    fn place(&self, slice: SliceId) -> Option<&Place> {
        self.tables.get(slice.0 as usize)?.as_ref()
    }

    fn opened(&self, slice: SliceId) -> Result<&Opened, TableError> {
        let place = self.place(slice).expect("only covered slices are probed");
        if let Some(opened) = place.opened.get() {
            return Ok(opened);
        }
        let opened = Opened::new(self.set.get_for(slice.0, Reach::Exact)?)?;
        Ok(place.opened.get_or_init(|| opened))
    }

    fn probe(&self, table: &Table, index: u64) -> Result<Score, TableError> {
        // The mark of a hole is outside every range of values: the cache never returns it.
        self.set.value(table, index).map(Score::from)
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
        expected: Metric::names(&Metric::ALL, Metric::name),
    })
}

impl Oracle for TableOracle {
    type Error = TableError;

    fn covers(&self, slice: SliceId) -> bool {
        self.place(slice).is_some_and(|place| !place.forced)
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        let Opened { table, metric } = self.opened(slice)?;
        Ok(metric.score(self.probe(table, index)?))
    }

    fn metric(&self, slice: SliceId) -> Result<Metric, TableError> {
        Ok(self.opened(slice)?.metric)
    }

    fn bounds(&self, slice: SliceId) -> bool {
        self.place(slice).is_some_and(|place| place.forced)
    }

    fn lower(&self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        self.value(slice, index)
    }

    fn farthest(&self, slice: SliceId) -> Result<[u16; 2], TableError> {
        let Opened { table, metric } = self.opened(slice)?;
        let occurs = table.histogram().iter().filter(|&(_, count)| count > 0);
        let distances: Vec<_> =
            occurs.filter_map(|(value, _)| metric.distance(value.into())).collect();
        Ok([true, false].map(|wins| {
            distances.iter().filter(|d| d.wins == wins).map(|d| d.moves).max().unwrap_or(0)
        }))
    }

    fn value(&self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        self.probe(&self.opened(slice)?.table, index)
    }
}

//! A store over tables of sealed records: every value that is read is compared with its checksum,
//! and a walk through all nodes with their number and the sum of their checksums.

use std::cell::Cell;

use super::seal::{self, Tally};
use super::tables::{Changes, Tables};
use super::{Batch, Store};
use crate::error::{BookError, Result};
use crate::node::NodeId;

/// A store over tables.
#[derive(Debug)]
pub(super) struct Sealed<T> {
    pub tables: T,
    /// The text of the facts as of the last commit.
    facts: Option<Vec<u8>>,
    /// The records of nodes as of the last commit, if it is known.
    tally: Option<Tally>,
    walk: Cell<Option<Walk>>,
}

/// A walk through all nodes.
#[derive(Clone, Copy, Debug)]
struct Walk {
    /// Where it goes on.
    from: NodeId,
    seen: Tally,
}

impl<T: Tables> Sealed<T> {
    /// Opens tables.
    pub fn open(tables: T) -> Result<Self> {
        let mut store = Sealed { tables, facts: None, tally: None, walk: Cell::new(None) };
        store.read_facts()?;
        Ok(store)
    }

    fn read_facts(&mut self) -> Result<()> {
        (self.facts, self.tally) = match self.tables.facts()? {
            None => (None, Some(Tally::default())),
            Some(text) if !self.tables.are_sealed() => (Some(text), None),
            Some(record) => {
                let (text, tally) = seal::open_facts(&record)?;
                (Some(text), Some(tally))
            }
        };
        Ok(())
    }
}

fn differ(seen: Tally, recorded: Tally) -> BookError {
    BookError::Corrupt(if seen.nodes == recorded.nodes {
        "some of its nodes are older versions of themselves".to_owned()
    } else {
        format!("it should have {} nodes, and {} were found", recorded.nodes, seen.nodes)
    })
}

impl<T: Tables> Store for Sealed<T> {
    fn facts(&self) -> Result<Option<Vec<u8>>> {
        Ok(self.facts.clone())
    }

    fn find(&self, position: &str) -> Result<Option<NodeId>> {
        let found = self.tables.find(position)?;
        found.map(|record| seal::open_position(position, record)).transpose()
    }

    fn read(&self, id: NodeId, bytes: &mut Vec<u8>) -> Result<bool> {
        let found = self.tables.read(id, bytes)?;
        if found {
            seal::open_node(id, bytes)?;
        }
        Ok(found)
    }

    fn prefers_batches(&self) -> bool {
        self.tables.prefers_batches()
    }

    fn find_many(&self, positions: &[&str]) -> Result<Vec<Option<NodeId>>> {
        let found = self.tables.find_many(positions)?;
        let open = |(record, position): (Option<_>, &&str)| {
            record.map(|record| seal::open_position(position, record)).transpose()
        };
        found.into_iter().zip(positions).map(open).collect()
    }

    fn read_many(&self, ids: &[NodeId]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut found = self.tables.read_many(ids)?;
        for (record, &id) in found.iter_mut().zip(ids) {
            record.as_mut().map_or(Ok(()), |record| seal::open_node(id, record))?;
        }
        Ok(found)
    }

    fn refresh(&mut self) -> Result<bool> {
        let moved = self.tables.refresh()?;
        if moved {
            self.walk.set(None);
            self.read_facts()?;
        }
        Ok(moved)
    }

    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>> {
        let start = (from == 0).then_some(Walk { from, seen: Tally::default() });
        // Of two walks at once, neither is compared.
        let walk = start.or(self.walk.take().filter(|walk| walk.from == from));
        let Some((id, mut record)) = self.tables.next(from)? else {
            return match (walk, self.tally) {
                (Some(Walk { seen, .. }), Some(tally)) if seen != tally => Err(differ(seen, tally)),
                _ => Ok(None),
            };
        };
        if id < from {
            return Err(BookError::Corrupt("its nodes are not in order".to_owned()));
        }
        self.walk.set(walk.map(|mut walk| {
            walk.seen.add(&record);
            Walk { from: id.saturating_add(1), ..walk }
        }));
        seal::open_node(id, &mut record)?;
        Ok(Some((id, record)))
    }

    fn len(&self) -> Result<u64> {
        self.tables.positions()
    }

    fn commit(&mut self, batch: &Batch) -> Result<()> {
        let facts = batch.facts.as_ref().or(self.facts.as_ref());
        let nothing = batch.nodes.is_empty()
            && batch.positions.is_empty()
            && batch.removed.is_empty()
            && facts == self.facts.as_ref();
        if nothing {
            return Ok(());
        }
        let facts = facts.cloned().unwrap_or_default();
        let mut changes = Changes::new(batch, &facts, self.tally.unwrap_or_default());
        self.tables.commit(&mut changes)?;
        self.tally = Some(changes.tally());
        self.facts = Some(facts);
        // What a walk has seen may have changed.
        self.walk.set(None);
        Ok(())
    }

    fn compact(&mut self) -> Result<()> {
        self.tables.compact()
    }
}

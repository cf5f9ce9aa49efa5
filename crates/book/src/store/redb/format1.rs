//! Books of format 1, whose records have no seals: they are read as they are, and converted before
//! the first write.

use redb::{
    Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition,
    TableError,
};

use super::super::seal::{self, Tally};
use super::{BOOK, FACTS, NODES, POSITIONS, failed};
use crate::error::Result;
use crate::node::NodeId;

const PLAIN_NODES: TableDefinition<NodeId, &[u8]> = TableDefinition::new("nodes");
const PLAIN_POSITIONS: TableDefinition<&[u8], NodeId> = TableDefinition::new("positions");

const FORMAT_1: &[u8] = b"format=1\n";
const FORMAT_2: &[u8] = b"format=2\n";

/// The positions of a book without seals.
pub(super) type PlainPositions = ReadOnlyTable<&'static [u8], NodeId>;

/// Whether these are the facts of a book of format 1.
pub(super) fn is(facts: &[u8]) -> bool {
    facts.starts_with(FORMAT_1)
}

/// The tables.
pub(super) fn open(
    reading: &ReadTransaction,
) -> Result<(ReadOnlyTable<NodeId, &'static [u8]>, PlainPositions)> {
    let nodes = reading.open_table(PLAIN_NODES).map_err(failed)?;
    Ok((nodes, reading.open_table(PLAIN_POSITIONS).map_err(failed)?))
}

/// Converts a book of format 1, in one transaction; leaves any other as it is.
pub(super) fn convert(database: &Database) -> Result<()> {
    let reading = database.begin_read().map_err(failed)?;
    let old = match reading.open_table(FACTS) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(()),
        table => {
            let facts = table.map_err(failed)?.get(BOOK).map_err(failed)?;
            facts.is_some_and(|facts| is(facts.value()))
        }
    };
    if old { seal_all(database).map_err(failed) } else { Ok(()) }
}

fn seal_all(database: &Database) -> std::result::Result<(), redb::Error> {
    let writing = database.begin_write()?;
    {
        let mut tally = Tally::default();
        let mut nodes = writing.open_table(NODES)?;
        for entry in writing.open_table(PLAIN_NODES)?.iter()? {
            let (id, bytes) = entry?;
            let record = seal::node(id.value(), bytes.value());
            tally.add(&record);
            nodes.insert(id.value(), record.as_slice())?;
        }
        let mut positions = writing.open_table(POSITIONS)?;
        for entry in writing.open_table(PLAIN_POSITIONS)?.iter()? {
            let (position, id) = entry?;
            let text = String::from_utf8_lossy(position.value());
            positions.insert(position.value(), &seal::position(&text, id.value()))?;
        }
        let mut facts = writing.open_table(FACTS)?;
        let text = facts.get(BOOK)?.map(|old| old.value()[FORMAT_1.len()..].to_vec());
        let text = [FORMAT_2, &text.unwrap_or_default()].concat();
        facts.insert(BOOK, seal::facts(&text, tally).as_slice())?;
    }
    writing.delete_table(PLAIN_NODES)?;
    writing.delete_table(PLAIN_POSITIONS)?;
    writing.commit()?;
    Ok(())
}

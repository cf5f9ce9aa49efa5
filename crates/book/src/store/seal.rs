//! Checksums of records.
//!
//! A seal is the 64-bit XXH3 of a record's content with the id of its node as the seed; so a record
//! that is intact but belongs to another node is detected as well. Of the facts the seed is 0.

use std::fmt::Write;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::error::{BookError, Result};
use crate::node::NodeId;

/// The length of a seal in bytes.
const SEAL: usize = 8;

/// The record of a position: its node's id and the seal.
pub(super) type Place = [u8; 8 + SEAL];

/// The records of nodes: how many there are, and the sum of their seals. A record that is missing,
/// or is replaced by an older version of itself with its own valid seal, alters one or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tally {
    pub nodes: u64,
    pub sum: u64,
}

impl Tally {
    pub fn add(&mut self, record: &[u8]) {
        self.nodes = self.nodes.wrapping_add(1);
        self.sum = self.sum.wrapping_add(seal_of(record));
    }

    pub fn remove(&mut self, record: &[u8]) {
        self.nodes = self.nodes.wrapping_sub(1);
        self.sum = self.sum.wrapping_sub(seal_of(record));
    }
}

fn seal_of(record: &[u8]) -> u64 {
    record.last_chunk().map_or(0, |&seal| u64::from_le_bytes(seal))
}

fn damaged(what: &str) -> BookError {
    BookError::Corrupt(format!("{what} does not have its checksum"))
}

/// The record of a node.
pub(super) fn node(id: NodeId, bytes: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(bytes.len() + SEAL);
    record.extend_from_slice(bytes);
    seal_node(id, &mut record);
    record
}

/// Appends the seal to a node's bytes.
pub(super) fn seal_node(id: NodeId, bytes: &mut Vec<u8>) {
    let seal = xxh3_64_with_seed(bytes, id);
    bytes.extend(seal.to_le_bytes());
}

/// Turns the record of a node into its bytes.
pub(super) fn open_node(id: NodeId, record: &mut Vec<u8>) -> Result<()> {
    let sealed = record.split_last_chunk().map(|(bytes, &seal)| (bytes, u64::from_le_bytes(seal)));
    match sealed {
        Some((bytes, seal)) if xxh3_64_with_seed(bytes, id) == seal => {
            record.truncate(record.len() - SEAL);
            Ok(())
        }
        _ => Err(damaged(&format!("node {id}"))),
    }
}

/// The record of a position.
pub(super) fn position(position: &str, id: NodeId) -> Place {
    let mut record = [0; 8 + SEAL];
    record[..8].copy_from_slice(&id.to_le_bytes());
    record[8..].copy_from_slice(&xxh3_64_with_seed(position.as_bytes(), id).to_le_bytes());
    record
}

/// The node of a position.
pub(super) fn open_position(position: &str, record: Place) -> Result<NodeId> {
    let [id, seal] = [&record[..8], &record[8..]]
        .map(|half| half.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)));
    if xxh3_64_with_seed(position.as_bytes(), id) != seal {
        return Err(damaged(&format!("the position {position}")));
    }
    Ok(id)
}

/// The record of the facts: their text with three more lines.
pub(super) fn facts(text: &[u8], tally: Tally) -> Vec<u8> {
    let mut lines = format!("records={}\nsum={:016x}\n", tally.nodes, tally.sum);
    let mut record = text.to_vec();
    record.extend(lines.as_bytes());
    lines.clear();
    let _ = writeln!(lines, "seal={:016x}", xxh3_64_with_seed(&record, 0));
    record.extend(lines.as_bytes());
    record
}

/// The text of the facts, and the tally.
pub(super) fn open_facts(record: &[u8]) -> Result<(Vec<u8>, Tally)> {
    let open = || {
        let (rest, seal) = last_line(record, "seal=")?;
        if u64::from_str_radix(seal, 16).ok()? != xxh3_64_with_seed(rest, 0) {
            return None;
        }
        let (rest, sum) = last_line(rest, "sum=")?;
        let (text, nodes) = last_line(rest, "records=")?;
        let sum = u64::from_str_radix(sum, 16).ok()?;
        Some((text.to_vec(), Tally { nodes: nodes.parse().ok()?, sum }))
    };
    open().ok_or_else(|| damaged("the list of its facts"))
}

/// What precedes the last line, and that line's content.
fn last_line<'a>(text: &'a [u8], name: &str) -> Option<(&'a [u8], &'a str)> {
    let line = text.strip_suffix(b"\n")?;
    let start = line.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let content = std::str::from_utf8(&line[start..]).ok()?.strip_prefix(name)?;
    Some((&text[..start], content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_records_open_again() {
        let mut record = node(7, b"seven");
        open_node(7, &mut record).unwrap();
        assert_eq!(record, b"seven");
        assert_eq!(open_position("a", position("a", 9)).unwrap(), 9);
        let tally = Tally { nodes: 3, sum: 0xabc };
        let (text, found) = open_facts(&facts(b"format=2\n", tally)).unwrap();
        assert_eq!((text.as_slice(), found), (&b"format=2\n"[..], tally));
    }

    #[test]
    fn seals_are_those_of_the_documentation() {
        let seal = |record: &[u8]| *record.last_chunk::<SEAL>().unwrap();
        assert_eq!(seal(&node(7, b"seven")), 0xcf67_3a12_79b7_4908_u64.to_le_bytes());
        let start = position("2,2,2/2,2,2 S", 0);
        assert_eq!(seal(&start), 0x0d73_56ac_90ea_a3e4_u64.to_le_bytes());
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let flips = |record: &[u8]| -> Vec<Vec<u8>> {
            let one = |at: usize, bit: u8| {
                let mut copy = record.to_vec();
                copy[at] ^= bit;
                copy
            };
            (0..record.len()).flat_map(|at| [1, 4, 128].map(|bit| one(at, bit))).collect()
        };
        for mut record in flips(&node(7, b"seven")) {
            assert!(open_node(7, &mut record).is_err());
        }
        for record in flips(&position("a", 9)) {
            assert!(open_position("a", record.try_into().unwrap()).is_err());
        }
        for record in flips(&facts(b"format=2\nnodes=1\n", Tally { nodes: 1, sum: 2 })) {
            assert!(open_facts(&record).is_err());
        }
        assert!(open_node(8, &mut node(7, b"seven")).is_err());
        assert!(open_node(7, &mut vec![1, 2]).is_err());
        assert!(open_position("b", position("a", 9)).is_err());
    }
}

//! What a share of a check has found right, as a small file beside the table.
//!
//! A record speaks of a table by its digest, and of the tables below it by theirs: what it says
//! stays true whatever happens to the files. When the records of all shares are there, the table is
//! right if those below it are.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use nutcracker_game::{Game, Score, SliceId};
use nutcracker_table::{Reach, Storage, Table, TableError, TableSet};
use xxhash_rust::xxh3::xxh3_64;

use super::{CheckError, Checked, Share, metric, share};
use crate::window;

/// The first line of a record.
const FIRST: &str = "nutcracker part 1";

/// What a share of a check has found right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartRecord {
    /// The digest of the table.
    table: String,
    /// Names and digests of the tables that its values were compared with.
    below: Vec<(String, String)>,
    share: Share,
    compared: u64,
    levels: Vec<Score>,
}

/// Which shares of a table's check have passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parts {
    /// All.
    All,
    /// All but these.
    Missing(Vec<u32>),
}

impl PartRecord {
    /// The record of a share that has passed.
    pub fn new<G: Game>(
        game: &G,
        table: &Table,
        set: &TableSet,
        share: Share,
        checked: &Checked,
    ) -> Result<Self, CheckError> {
        let slice = SliceId(table.header().slice);
        let bound = table.header().bound().into();
        let mut below = Vec::new();
        for child in game.below(slice) {
            let need = Reach::needed(window::needed(game, slice, child, bound));
            let table = set.get_for(child.0, need)?;
            below.push((table.header().file_name(), table.blake3()));
        }
        let (table, compared) = (table.blake3(), checked.compared);
        let levels = checked.levels.clone().unwrap_or_default();
        Ok(PartRecord { table, below, share, compared, levels })
    }

    /// Where the record of a share is.
    pub fn path(table: &Table, share: Share) -> PathBuf {
        let (part, of) = (share.part(), share.count());
        table.path().with_file_name(format!("{}.part-{part}-of-{of}", table.header().file_name()))
    }

    /// Writes it beside the table.
    pub fn save(&self, storage: &dyn Storage, table: &Table) -> Result<(), TableError> {
        let path = Self::path(table, self.share);
        let mut temporary = path.clone().into_os_string();
        temporary.push(".tmp");
        let temporary = PathBuf::from(temporary);
        let failed = |action| {
            let path = path.clone();
            move |source| TableError::Io { action, path, source }
        };
        let mut file = storage.create(&temporary).map_err(failed("create"))?;
        file.write_all(self.encode().as_bytes()).map_err(failed("write"))?;
        file.sync().map_err(failed("sync"))?;
        drop(file);
        storage.rename(&temporary, &path).map_err(failed("rename"))?;
        storage.sync_dir(path.parent().unwrap_or(Path::new(""))).map_err(failed("sync"))
    }

    /// The records of which shares are there, for this very table, that agree with this one.
    pub fn parts(&self, storage: &dyn Storage, table: &Table) -> Result<Parts, CheckError> {
        let of = self.share.count();
        let mut missing = Vec::new();
        let (mut compared, mut levels) = (0, Vec::new());
        for share in (1..=of).filter_map(|part| Share::new(part, of)) {
            match load(storage, &Self::path(table, share)) {
                Some(record)
                    if record.share == share
                        && (&record.table, &record.below) == (&self.table, &self.below) =>
                {
                    compared += record.compared;
                    levels.extend(record.levels);
                }
                _ => missing.push(share.part()),
            }
        }
        // Whatever dealt the levels to the shares: every one of them must be founded.
        let needed = if metric(table)?.is_distance() { Vec::new() } else { share::levels(table) };
        let founded = of == 1 || needed.iter().all(|(level, _)| levels.contains(level));
        if missing.is_empty() && !(founded && compared == table.positions()) {
            return Ok(Parts::Missing((1..=of).collect()));
        }
        Ok(if missing.is_empty() { Parts::All } else { Parts::Missing(missing) })
    }

    /// Removes the records of all shares.
    pub fn clear(storage: &dyn Storage, table: &Table, of: u32) {
        for share in (1..=of).filter_map(|part| Share::new(part, of)) {
            // Another process may have removed it.
            let _ = storage.remove(&Self::path(table, share));
        }
    }

    fn encode(&self) -> String {
        let mut text = format!("{FIRST}\npart {}\ntable {}\n", self.share, self.table);
        for (file, digest) in &self.below {
            let _ = writeln!(text, "below {digest} {file}");
        }
        let _ = writeln!(text, "compared {}", self.compared);
        for level in &self.levels {
            let _ = writeln!(text, "level {level}");
        }
        let sum = xxh3_64(text.as_bytes());
        let _ = writeln!(text, "sum {sum:016x}");
        text
    }

    fn decode(text: &str) -> Option<Self> {
        let (body, sum) = text.strip_suffix('\n')?.rsplit_once("sum ")?;
        if u64::from_str_radix(sum, 16).ok()? != xxh3_64(body.as_bytes()) {
            return None;
        }
        let mut lines = body.lines();
        if lines.next()? != FIRST {
            return None;
        }
        let (part, of) = lines.next()?.strip_prefix("part ")?.split_once('/')?;
        let mut record = PartRecord {
            table: String::new(),
            below: Vec::new(),
            share: Share::new(part.parse().ok()?, of.parse().ok()?)?,
            compared: 0,
            levels: Vec::new(),
        };
        for line in lines {
            match line.split_once(' ')? {
                ("table", digest) => digest.clone_into(&mut record.table),
                ("below", rest) => {
                    let (digest, file) = rest.split_once(' ')?;
                    record.below.push((file.to_owned(), digest.to_owned()));
                }
                ("compared", positions) => record.compared = positions.parse().ok()?,
                ("level", level) => record.levels.push(level.parse().ok()?),
                _ => return None,
            }
        }
        Some(record)
    }
}

/// `None` where there is none that can be read.
fn load(storage: &dyn Storage, path: &Path) -> Option<PartRecord> {
    let file = storage.open(path).ok()?;
    let bytes = file.bytes(0, usize::try_from(file.len()).ok()?).ok()?;
    PartRecord::decode(str::from_utf8(&bytes).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let record = PartRecord {
            table: "ab01".to_owned(),
            below: vec![("awari-02.nut".to_owned(), "cd".to_owned())],
            share: Share::new(2, 8).unwrap(),
            compared: 12,
            levels: vec![4, 1],
        };
        let text = record.encode();
        assert_eq!(PartRecord::decode(&text), Some(record));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(PartRecord::decode(&changed), None, "{at}");
            assert_eq!(PartRecord::decode(&text[..at]), None);
        }
    }
}

//! Finished tables that a machine lacks: sent by the first one, and checked before they are used.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use nutcracker_retro::SolveError;
use nutcracker_table::{Storage, Table, TableError, WriteFile};

use crate::control::Control;
use crate::wire::{Message, PIECE, TableFile};

fn failed(action: &'static str, path: &Path) -> impl Fn(std::io::Error) -> SolveError {
    move |source| TableError::Io { action, path: path.to_owned(), source }.into()
}

/// The tables that are not in `dir`, or are others than those of the first machine.
pub(crate) fn missing(
    storage: &Arc<dyn Storage>,
    dir: &Path,
    tables: &[TableFile],
) -> Result<Vec<TableFile>, SolveError> {
    storage.create_dir(dir).map_err(failed("create", dir))?;
    let is_here = |table: &TableFile| {
        let found = Table::open(&**storage, &dir.join(&table.name));
        found.is_ok_and(|found| found.blake3() == table.blake3 && found.bytes() == table.bytes)
    };
    Ok(tables.iter().filter(|table| !is_here(table)).cloned().collect())
}

/// Sends a table.
pub(crate) fn send(
    control: &Control,
    storage: &Arc<dyn Storage>,
    dir: &Path,
    name: &str,
) -> Result<(), SolveError> {
    let path = dir.join(name);
    let file = storage.open(&path).map_err(failed("open", &path))?;
    let bytes = file.len();
    // If the machine is lost, that is reported elsewhere.
    if control.send(&Message::Table { name: name.to_owned(), bytes }).is_err() {
        return Ok(());
    }
    let mut at = 0;
    while at < bytes {
        let len = (bytes - at).min(PIECE as u64) as usize;
        let piece = file.bytes(at, len).map_err(failed("read", &path))?;
        if control.send_bytes(&piece).is_err() {
            return Ok(());
        }
        at += len as u64;
    }
    Ok(())
}

/// Tables on their way.
pub(crate) struct Incoming {
    missing: Vec<TableFile>,
    current: Option<Current>,
}

/// The table whose bytes are arriving.
struct Current {
    table: TableFile,
    file: Box<dyn WriteFile>,
    left: u64,
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming").field("missing", &self.missing).finish_non_exhaustive()
    }
}

impl Incoming {
    pub(crate) fn new(missing: Vec<TableFile>) -> Self {
        Incoming { missing, current: None }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.current.is_none()
    }

    /// A table begins.
    pub(crate) fn begin(
        &mut self,
        storage: &Arc<dyn Storage>,
        dir: &Path,
        name: &str,
        bytes: u64,
    ) -> Result<(), SolveError> {
        let wanted = self.missing.iter().position(|table| table.name == name);
        let Some(place) = wanted.filter(|&place| self.missing[place].bytes == bytes) else {
            return Err(SolveError::Machine(format!(
                "the first machine sent {name}, which is not the table that is needed"
            )));
        };
        let table = self.missing.swap_remove(place);
        let path = dir.join(part_name(&table.name));
        let file = storage.create(&path).map_err(failed("create", &path))?;
        self.current = Some(Current { table, file, left: bytes });
        self.add(storage, dir, &[])
    }

    /// More bytes of it. The last ones are followed by a check of its digest.
    pub(crate) fn add(
        &mut self,
        storage: &Arc<dyn Storage>,
        dir: &Path,
        bytes: &[u8],
    ) -> Result<(), SolveError> {
        let Some(mut current) = self.current.take() else { return Ok(()) };
        let part = dir.join(part_name(&current.table.name));
        current.file.write_all(bytes).map_err(failed("write", &part))?;
        current.left = current.left.saturating_sub(bytes.len() as u64);
        if current.left > 0 {
            self.current = Some(current);
            return Ok(());
        }
        current.file.sync().map_err(failed("write", &part))?;
        drop(current.file);
        let received = Table::open(&**storage, &part)?;
        received.verify_digest()?;
        if received.blake3() != current.table.blake3 {
            return Err(SolveError::Machine(format!(
                "{} arrived as another file; run the same command again",
                current.table.name
            )));
        }
        drop(received);
        let path = dir.join(&current.table.name);
        storage.rename(&part, &path).map_err(failed("rename", &part))
    }
}

/// The name of a table that is not complete.
fn part_name(name: &str) -> String {
    format!("{name}.part")
}

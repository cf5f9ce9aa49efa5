//! A storage in memory that fails on request.
//!
//! It keeps apart what was written and what was made durable, so that a crash can forget the rest.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::file::{ReadAt, Storage, WriteFile};

/// What happens at the chosen operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The operation fails, once.
    Error,
    /// The disk is full: this operation and all later ones that write or create fail.
    NoSpace,
    /// The process dies: this operation and all later ones fail, until
    /// [`MemoryStorage::restart`].
    Crash,
}

/// What a crash leaves of things that were not made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Everything is there: only the process died.
    Nothing,
    /// What was not synced is gone: data of files, and names in directories.
    Unsynced,
    /// Names are there, data that was not synced is gone: a file system may order them so.
    UnsyncedData,
}

/// Files in memory. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    files: Vec<Contents>,
    /// Names as a process sees them, and as they would be after a crash.
    names: BTreeMap<PathBuf, usize>,
    durable: BTreeMap<PathBuf, usize>,
    operations: u64,
    fault: Option<(u64, Fault)>,
    short_writes: bool,
}

#[derive(Debug, Default)]
struct Contents {
    data: Vec<u8>,
    synced: usize,
}

impl MemoryStorage {
    /// Without a file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets operation number `operation`, counted from 0 and from now on, go wrong.
    pub fn fail_at(&self, operation: u64, fault: Fault) {
        let mut state = self.lock();
        state.operations = 0;
        state.fault = Some((operation, fault));
    }

    /// From now on, each write takes at most half of what it is given.
    pub fn shorten_writes(&self) {
        self.lock().short_writes = true;
    }

    /// Operations since the start or the last [`fail_at`](Self::fail_at).
    pub fn operations(&self) -> u64 {
        self.lock().operations
    }

    /// Begins again after a crash, with what is left.
    pub fn restart(&self, loss: Loss) {
        let mut state = self.lock();
        state.fault = None;
        if loss != Loss::Nothing {
            for file in &mut state.files {
                file.data.truncate(file.synced);
            }
        }
        if loss == Loss::Unsynced {
            state.names = state.durable.clone();
        } else {
            state.durable = state.names.clone();
        }
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.lock();
        state.names.get(path).map(|&file| state.files[file].data.clone())
    }

    /// Puts a file there, durable.
    pub fn put(&self, path: &Path, bytes: &[u8]) {
        let mut state = self.lock();
        let file = state.files.len();
        state.files.push(Contents { data: bytes.to_vec(), synced: bytes.len() });
        state.names.insert(path.to_owned(), file);
        state.durable.insert(path.to_owned(), file);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an operation and lets it fail if it is its turn.
    fn operate(&self, writes: bool) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
        let now = state.operations;
        state.operations += 1;
        match state.fault {
            Some((at, Fault::Error)) if now == at => Err(io::Error::other("the disk failed")),
            Some((at, Fault::NoSpace)) if now >= at && writes => {
                Err(io::ErrorKind::StorageFull.into())
            }
            Some((at, Fault::Crash)) if now >= at => Err(io::Error::other("the process died")),
            _ => Ok(state),
        }
    }
}

impl State {
    fn find(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Storage for MemoryStorage {
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let mut state = self.operate(true)?;
        let file = state.files.len();
        state.files.push(Contents::default());
        state.names.insert(path.to_owned(), file);
        Ok(Box::new(MemoryFile { storage: self.clone(), file }))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        let state = self.operate(false)?;
        let file = state.find(path)?;
        let bytes = state.files[file].data.clone();
        Ok(Arc::new(MemoryReader { storage: self.clone(), bytes }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.operate(false)?;
        let file = state.find(from)?;
        state.names.remove(from);
        state.names.insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.operate(false)?;
        state.find(path)?;
        state.names.remove(path);
        Ok(())
    }

    fn create_dir(&self, _dir: &Path) -> io::Result<()> {
        self.operate(true).map(drop)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.operate(false)?;
        let State { names, durable, .. } = &mut *state;
        durable.retain(|path, _| path.parent() != Some(dir));
        durable.extend(
            names
                .iter()
                .filter(|(path, _)| path.parent() == Some(dir))
                .map(|(path, &file)| (path.clone(), file)),
        );
        Ok(())
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let state = self.operate(false)?;
        let names = state.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(names.filter_map(|path| path.file_name()?.to_str().map(ToOwned::to_owned)).collect())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.operate(false)?.names.contains_key(path))
    }
}

struct MemoryFile {
    storage: MemoryStorage,
    file: usize,
}

impl Write for MemoryFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let mut state = self.storage.operate(true)?;
        let len = if state.short_writes { buf.len().div_ceil(2) } else { buf.len() };
        state.files[self.file].data.extend_from_slice(&buf[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteFile for MemoryFile {
    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.storage.operate(true)?;
        let file = &mut state.files[self.file];
        file.synced = file.data.len();
        Ok(())
    }
}

/// Keeps the bytes it was opened with and reads by copying, as a plain file does.
#[derive(Debug)]
struct MemoryReader {
    storage: MemoryStorage,
    bytes: Vec<u8>,
}

impl ReadAt for MemoryReader {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        drop(self.storage.operate(false)?);
        let part = self.bytes.get(offset as usize..).and_then(|rest| rest.get(..buf.len()));
        buf.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

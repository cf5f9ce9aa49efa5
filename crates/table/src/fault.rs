//! A storage in memory that fails on request.
//!
//! It distinguishes written data from durable data, so that a crash can lose the rest.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::file::{RandomFile, ReadAt, Storage, WriteFile};

/// The unit that the disk writes atomically.
const SECTOR: usize = 512;

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

/// What a crash leaves of data that was not made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Everything: only the process died.
    Nothing,
    /// Nothing that was not synced: neither data of files nor names in directories.
    Unsynced,
    /// Names without the data that was not synced: a file system may order them so.
    UnsyncedData,
    /// Power failure: of what was not synced, each sector of 512 bytes has its old or its new
    /// contents, and each creation, rename and removal happened or did not, as these bits decide.
    Power(u64),
}

/// Files in memory. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage {
    state: Arc<Mutex<State>>,
}

/// The old name, and the new one.
type NameChange = (Option<PathBuf>, Option<(PathBuf, usize)>);

#[derive(Debug, Default)]
struct State {
    files: Vec<Contents>,
    /// Names as the process sees them, and as they would be after a crash.
    names: BTreeMap<PathBuf, usize>,
    durable: BTreeMap<PathBuf, usize>,
    /// Changes of names in order, not yet durable.
    pending: Vec<NameChange>,
    operations: u64,
    fault: Option<(u64, Fault)>,
    short_writes: bool,
}

#[derive(Debug, Default)]
struct Contents {
    data: Vec<u8>,
    /// What a crash leaves.
    synced: Vec<u8>,
}

impl MemoryStorage {
    /// An empty storage.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the operation with this number, counted from 0 and from now on, fail.
    pub fn fail_at(&self, operation: u64, fault: Fault) {
        let mut state = self.lock();
        state.operations = 0;
        state.fault = Some((operation, fault));
    }

    /// From now on, each write takes at most half of its bytes.
    pub fn shorten_writes(&self) {
        self.lock().short_writes = true;
    }

    /// Operations since the start or the last [`fail_at`](Self::fail_at).
    pub fn operations(&self) -> u64 {
        self.lock().operations
    }

    /// Restarts after a crash, with what is left.
    pub fn restart(&self, loss: Loss) {
        let mut state = self.lock();
        state.fault = None;
        let mut bits = if let Loss::Power(seed) = loss { seed | 1 } else { 1 };
        let mut flip = || {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            bits & 4 == 0
        };
        if loss != Loss::Nothing {
            for file in &mut state.files {
                let mut left = file.synced.clone();
                if matches!(loss, Loss::Power(_)) {
                    left.resize(left.len().max(file.data.len()), 0);
                    for (old, new) in left.chunks_mut(SECTOR).zip(file.data.chunks(SECTOR)) {
                        if flip() {
                            old[..new.len()].copy_from_slice(new);
                        }
                    }
                }
                file.data.clone_from(&left);
                file.synced = left;
            }
        }
        let pending = std::mem::take(&mut state.pending);
        match loss {
            Loss::Unsynced => state.names = state.durable.clone(),
            Loss::Power(_) => {
                state.names = state.durable.clone();
                for (gone, new) in pending {
                    if flip() {
                        if let Some(path) = gone {
                            state.names.remove(&path);
                        }
                        state.names.extend(new);
                    }
                }
                state.durable = state.names.clone();
            }
            Loss::Nothing | Loss::UnsyncedData => state.durable = state.names.clone(),
        }
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.lock();
        state.names.get(path).map(|&file| state.files[file].data.clone())
    }

    /// Stores a file, durably.
    pub fn put(&self, path: &Path, bytes: &[u8]) {
        let mut state = self.lock();
        let file = state.files.len();
        state.files.push(Contents { data: bytes.to_vec(), synced: bytes.to_vec() });
        state.names.insert(path.to_owned(), file);
        state.durable.insert(path.to_owned(), file);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an operation and makes it fail if it is its turn.
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
    fn create(&mut self, path: &Path) -> usize {
        let file = self.files.len();
        self.files.push(Contents::default());
        self.names.insert(path.to_owned(), file);
        self.pending.push((None, Some((path.to_owned(), file))));
        file
    }

    fn find(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Storage for MemoryStorage {
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let file = self.operate(true)?.create(path);
        Ok(Box::new(MemoryFile { storage: self.clone(), file }))
    }

    fn create_random(&self, path: &Path) -> io::Result<Box<dyn RandomFile>> {
        let file = self.operate(true)?.create(path);
        Ok(Box::new(MemoryFile { storage: self.clone(), file }))
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn RandomFile>> {
        let mut state = self.operate(true)?;
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let file = state.create(path);
        drop(state);
        Ok(Box::new(MemoryFile { storage: self.clone(), file }))
    }

    fn open_random(&self, path: &Path) -> io::Result<Box<dyn RandomFile>> {
        let file = self.operate(false)?.find(path)?;
        Ok(Box::new(MemoryFile { storage: self.clone(), file }))
    }

    /// In one step, and durably.
    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.operate(false)?;
        let inside: Vec<_> =
            state.names.keys().filter(|path| path.starts_with(dir)).cloned().collect();
        for path in inside {
            state.names.remove(&path);
            state.durable.remove(&path);
        }
        let inside = |path: &PathBuf| path.starts_with(dir);
        state.pending.retain(|(gone, new)| {
            !gone.iter().any(inside) && !new.iter().any(|(path, _)| inside(path))
        });
        Ok(())
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
        state.pending.push((Some(from.to_owned()), Some((to.to_owned(), file))));
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.lock().names.contains_key(to) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.operate(false)?;
        state.find(path)?;
        state.names.remove(path);
        state.pending.push((Some(path.to_owned()), None));
        Ok(())
    }

    fn create_dir(&self, _dir: &Path) -> io::Result<()> {
        self.operate(true).map(drop)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.operate(false)?;
        let State { names, durable, pending, .. } = &mut *state;
        let inside = |path: &PathBuf| path.parent() == Some(dir);
        pending.retain(|(gone, new)| {
            !gone.iter().any(inside) && !new.iter().any(|(path, _)| inside(path))
        });
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
        let inside = state.names.keys().filter_map(|path| path.strip_prefix(dir).ok());
        let first = inside.filter_map(|path| path.iter().next()?.to_str().map(ToOwned::to_owned));
        let mut names: Vec<String> = first.collect();
        names.dedup();
        Ok(names)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.operate(false)?.names.contains_key(path))
    }
}

#[derive(Debug)]
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
        file.synced.clone_from(&file.data);
        Ok(())
    }
}

impl RandomFile for MemoryFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.storage.operate(false)?.files[self.file].data.len() as u64)
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        self.storage.operate(true)?.files[self.file].data.resize(len as usize, 0);
        Ok(())
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        let state = self.storage.operate(false)?;
        let data = &state.files[self.file].data;
        let part = data.get(offset as usize..).and_then(|rest| rest.get(..buf.len()));
        buf.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut state = self.storage.operate(true)?;
        let data = &mut state.files[self.file].data;
        let end = offset as usize + bytes.len();
        data.resize(data.len().max(end), 0);
        data[offset as usize..end].copy_from_slice(bytes);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.storage.operate(true)?;
        let file = &mut state.files[self.file];
        file.synced.clone_from(&file.data);
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

//! The folder of a slice at work: its files by name, its checkpoints, and failures on request.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::{Scratch, ScratchError};

/// What is done to files at work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A folder is made.
    Folder,
    /// A file is made or opened.
    Open,
    /// A file gets its length, and its place on the disk.
    Allocate,
    /// A part is read.
    Read,
    /// A part is written.
    Write,
    /// What was written is made safe.
    Sync,
    /// A file gets another name.
    Rename,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 7] = [
        Operation::Folder,
        Operation::Open,
        Operation::Allocate,
        Operation::Read,
        Operation::Write,
        Operation::Sync,
        Operation::Rename,
    ];

    /// As in "cannot ...".
    pub(crate) fn name(self) -> &'static str {
        match self {
            Operation::Folder => "make the folder",
            Operation::Open => "open",
            Operation::Allocate => "make room for",
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Sync => "sync",
            Operation::Rename => "rename",
        }
    }
}

type Ask = dyn Fn(Operation, &Path) -> io::Result<()> + Send + Sync;

/// Asked before each operation on a file at work, and an error of its own takes the place of the
/// operation: so that tests can have a disk that fails. Without it, nothing is asked.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Ask>>);

impl Watch {
    /// Asks `ask`.
    pub fn new(ask: impl Fn(Operation, &Path) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Watch(Some(Arc::new(ask)))
    }

    /// Whether the operation may be done.
    pub(crate) fn ask(&self, operation: Operation, path: &Path) -> io::Result<()> {
        self.0.as_ref().map_or(Ok(()), |ask| ask(operation, path))
    }

    /// Asks, does, and says what could not be done.
    pub(crate) fn run<T>(
        &self,
        operation: Operation,
        path: &Path,
        run: impl FnOnce() -> io::Result<T>,
    ) -> Result<T, ScratchError> {
        let done = self.ask(operation, path).and_then(|()| run());
        done.map_err(|error| ScratchError::new(operation, path, error))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(_)" } else { "Watch" })
    }
}

/// Where the files of a slice at work are.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    watch: Watch,
}

impl Folder {
    /// The folder at a path, which need not be there.
    pub fn new(path: PathBuf, watch: Watch) -> Self {
        Folder { path, watch }
    }

    /// Makes it, unless it is there.
    pub(crate) fn make(&self) -> Result<(), ScratchError> {
        self.watch.run(Operation::Folder, &self.path, || std::fs::create_dir_all(&self.path))
    }

    /// Removes all that is in it. What stays is only in the way.
    pub(crate) fn clear(&self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }

    /// Whether it has a file of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.path.join(name).exists()
    }

    /// A file of `len` bytes to be filled; whatever is in it means nothing.
    pub(crate) fn create(&self, name: &str, len: u64) -> Result<Scratch, ScratchError> {
        Scratch::create(&self.path.join(name), len, self.watch.clone())
    }

    /// A file of `len` bytes that was filled before.
    pub(crate) fn open(&self, name: &str, len: u64) -> Result<Scratch, ScratchError> {
        Scratch::open(&self.path.join(name), len, self.watch.clone())
    }

    /// Removes a file. One that stays is only in the way.
    pub(crate) fn remove(&self, name: &str) {
        let _ = std::fs::remove_file(self.path.join(name));
    }

    /// Makes the names of its files safe.
    pub(crate) fn sync(&self) -> Result<(), ScratchError> {
        self.watch.run(Operation::Sync, &self.path, || std::fs::File::open(&self.path)?.sync_all())
    }

    /// A number in a small file; nothing if there is none.
    pub(crate) fn checkpoint(&self, name: &str) -> Option<u64> {
        std::fs::read_to_string(self.path.join(name)).ok()?.trim().parse().ok()
    }

    /// Replaces that number, in one step and for good.
    pub(crate) fn set_checkpoint(&self, name: &str, number: u64) -> Result<(), ScratchError> {
        let path = self.path.join(name);
        let temporary = path.with_extension("new");
        let text = format!("{number}\n");
        self.watch.run(Operation::Write, &temporary, || std::fs::write(&temporary, text))?;
        self.watch
            .run(Operation::Sync, &temporary, || std::fs::File::open(&temporary)?.sync_all())?;
        self.watch.run(Operation::Rename, &temporary, || std::fs::rename(&temporary, &path))?;
        self.sync()
    }
}

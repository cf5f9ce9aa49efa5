//! The work folder of a slice: its files by name, its checkpoints, and failures on request.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nutcracker_table::Storage;
use xxhash_rust::xxh3::xxh3_64;

use super::disk::{WorkFile, WorkFileError};

/// What is done to work files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A folder is created.
    Folder,
    /// A file is created or opened.
    Open,
    /// A file gets its length, and its space on the disk.
    Allocate,
    /// A part is read.
    Read,
    /// A part is written.
    Write,
    /// Data is made durable.
    Sync,
    /// A file is renamed.
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

type Hook = dyn Fn(Operation, &Path) -> io::Result<()> + Send + Sync;

/// A hook called before each operation on a work file; an error it returns replaces the operation,
/// so that tests can simulate a failing disk. By default there is none.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Hook>>);

impl Watch {
    /// Calls `hook` before each operation.
    pub fn new(hook: impl Fn(Operation, &Path) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Watch(Some(Arc::new(hook)))
    }

    /// Calls the hook.
    pub(crate) fn before(&self, operation: Operation, path: &Path) -> io::Result<()> {
        self.0.as_ref().map_or(Ok(()), |hook| hook(operation, path))
    }

    /// Calls the hook for an operation made of several steps.
    pub(crate) fn check(&self, operation: Operation, path: &Path) -> Result<(), WorkFileError> {
        self.before(operation, path).map_err(|error| WorkFileError::new(operation, path, error))
    }

    /// Runs an operation on a work file; a test hook may fail it first.
    pub(crate) fn run<T>(
        &self,
        operation: Operation,
        path: &Path,
        run: impl FnOnce() -> io::Result<T>,
    ) -> Result<T, WorkFileError> {
        let done = self.before(operation, path).and_then(|()| run());
        done.map_err(|error| WorkFileError::new(operation, path, error))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(_)" } else { "Watch" })
    }
}

/// The first line of a checkpoint.
const CHECKPOINT: &str = "nutcracker checkpoint 1";

/// Where the work files of a slice are.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    storage: Arc<dyn Storage>,
    /// What the files belong to: files of other work are refused.
    description: String,
    watch: Watch,
}

impl Folder {
    /// The folder at a path, which need not exist, with files of the work that is described: game,
    /// slice, levels, solver and index.
    pub fn new(
        path: PathBuf,
        storage: Arc<dyn Storage>,
        description: impl Into<String>,
        watch: Watch,
    ) -> Self {
        Folder { path, storage, description: description.into(), watch }
    }

    /// The description of a file: that of the work, and what the name begins with.
    fn describe(&self, name: &str) -> String {
        let kind = name.split(['-', '.']).next().unwrap_or(name);
        format!("{}, {kind}", self.description)
    }

    /// Creates it unless it exists.
    pub(crate) fn make(&self) -> Result<(), WorkFileError> {
        self.watch.run(Operation::Folder, &self.path, || self.storage.create_dir(&self.path))
    }

    /// Removes it with all its files. Failures are ignored: leftovers do no harm.
    pub(crate) fn clear(&self) {
        let _ = self.storage.remove_dir(&self.path);
    }

    /// Whether it has a file of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.storage.exists(&self.path.join(name)).unwrap_or(false)
    }

    /// A new file of `len` bytes; its contents are meaningless until written.
    pub(crate) fn create(&self, name: &str, len: u64) -> Result<WorkFile, WorkFileError> {
        let (path, description) = (self.path.join(name), self.describe(name));
        WorkFile::create(&self.storage, &path, len, &description, self.watch.clone())
    }

    /// A file of `len` bytes that was filled before.
    pub(crate) fn open(&self, name: &str, len: u64) -> Result<WorkFile, WorkFileError> {
        let (path, description) = (self.path.join(name), self.describe(name));
        WorkFile::open(&self.storage, &path, len, &description, self.watch.clone())
    }

    /// Removes a file. Failures are ignored: leftovers do no harm.
    pub(crate) fn remove(&self, name: &str) {
        let _ = self.storage.remove(&self.path.join(name));
    }

    /// Makes the names of its files durable.
    pub(crate) fn sync(&self) -> Result<(), WorkFileError> {
        self.watch.run(Operation::Sync, &self.path, || self.storage.sync_dir(&self.path))
    }

    /// The numbers in a small file; nothing if there is none. One that is damaged or belongs to
    /// other work is an error.
    pub(crate) fn checkpoint<const N: usize>(
        &self,
        name: &str,
    ) -> Result<Option<[u64; N]>, WorkFileError> {
        let path = self.path.join(name);
        let file = match self.storage.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => self.watch.run(Operation::Read, &path, || file)?,
        };
        let bytes =
            self.watch.run(Operation::Read, &path, || file.bytes(0, file.len() as usize))?;
        let text = String::from_utf8_lossy(&bytes);
        let numbers: Option<Vec<u64>> = text
            .strip_prefix(&self.checkpoint_head(name))
            .and_then(|rest| rest.lines().next())
            .map(|line| line.split(' ').filter_map(|number| number.parse().ok()).collect());
        let numbers = numbers.and_then(|numbers| <[u64; N]>::try_from(numbers).ok());
        match numbers {
            Some(numbers) if self.checkpoint_text(name, &numbers) == text => Ok(Some(numbers)),
            _ => Err(WorkFileError::damaged(
                &path,
                "it is no checkpoint of this work, or its checksum is wrong".to_owned(),
            )),
        }
    }

    /// Replaces those numbers, in one step and durably.
    pub(crate) fn set_checkpoint(&self, name: &str, numbers: &[u64]) -> Result<(), WorkFileError> {
        let path = self.path.join(name);
        let temporary = path.with_extension("new");
        let text = self.checkpoint_text(name, numbers);
        let mut file =
            self.watch.run(Operation::Open, &temporary, || self.storage.create(&temporary))?;
        self.watch.run(Operation::Write, &temporary, || file.write_all(text.as_bytes()))?;
        self.watch.run(Operation::Sync, &temporary, || file.sync())?;
        drop(file);
        self.watch.run(Operation::Rename, &temporary, || self.storage.rename(&temporary, &path))?;
        self.sync()
    }

    fn checkpoint_head(&self, name: &str) -> String {
        format!("{CHECKPOINT}\n{}\n", self.describe(name))
    }

    fn checkpoint_text(&self, name: &str, numbers: &[u64]) -> String {
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let text = format!("{}{}\n", self.checkpoint_head(name), numbers.join(" "));
        let sum = xxh3_64(text.as_bytes());
        format!("{text}{sum:016x}\n")
    }
}

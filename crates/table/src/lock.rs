//! The lock of a directory: one process builds at a time, or those of one fleet do.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Result, TableError};

/// The lock file's name in its directory.
pub const LOCK: &str = ".lock";

/// The right to build in a directory, until it is dropped or the process ends in any way. Readers
/// need none.
#[derive(Debug)]
pub struct DirLock {
    path: PathBuf,
    /// Holds the lock. The file stays: removing it would let two others in, one with the old file
    /// and one with a new one.
    _file: File,
}

impl DirLock {
    /// Locks a directory, which is created if it does not exist. If another process holds the lock,
    /// the error names it.
    pub fn acquire(dir: &Path) -> Result<Self> {
        let (path, mut file) = open(dir)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                // What one process alone holds cannot be shared.
                return Err(match file.try_lock_shared() {
                    Ok(()) => TableError::Fleet { dir: dir.to_owned(), who: String::new() },
                    Err(_) => TableError::Locked { dir: dir.to_owned(), holder: holder(&mut file) },
                });
            }
            Err(TryLockError::Error(error)) => {
                return Err(TableError::io("lock", &path)(error));
            }
        }
        write_pid(&mut file).map_err(TableError::io("write", &path))?;
        Ok(Self { path, _file: file })
    }

    /// Keeps others from locking a directory for themselves, and shares it with processes that
    /// divide the work by [leases](crate::Leases). An error if one has locked it. Where the file
    /// system has no locks, it does nothing: leases need none.
    pub fn share(dir: &Path) -> Result<Self> {
        let (path, mut file) = open(dir)?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => {
                Err(TableError::Locked { dir: dir.to_owned(), holder: holder(&mut file) })
            }
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { path, _file: file }),
        }
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn open(dir: &Path) -> Result<(PathBuf, File)> {
    fs::create_dir_all(dir).map_err(TableError::io("make the directory", dir))?;
    let path = dir.join(LOCK);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(TableError::io("open", &path))?;
    Ok((path, file))
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    // The holder may not have written its process id yet; then the message omits it.
    let _ = file.take(32).read_to_string(&mut text);
    text.trim().parse::<u32>().map_or_else(|_| String::new(), |pid| format!(" (pid {pid})"))
}

//! Files of a slice at work: read and written from front to back, in large pieces.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{Sequence, Side};

/// A file of a slice at work cannot be used.
#[derive(Debug, Error)]
#[error("cannot {action} {}: {source}; what is finished is kept, and the same command goes on from there", path.display())]
pub struct ScratchError {
    action: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl ScratchError {
    pub(crate) fn new(action: &'static str, path: &Path, source: io::Error) -> Self {
        ScratchError { action, path: path.to_owned(), source }
    }
}

/// One file of a slice at work, of fixed length.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    file: File,
}

impl Scratch {
    /// Makes a file of `len` zero bytes, or opens the one that is there if it has that length.
    pub fn open(path: &Path, len: u64) -> Result<Self, ScratchError> {
        let fail = |action| move |source| ScratchError { action, path: path.to_owned(), source };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fail("open"))?;
        if file.metadata().map_err(fail("open"))?.len() != len {
            file.set_len(0).and_then(|()| file.set_len(len)).map_err(fail("enlarge"))?;
        }
        Ok(Scratch { path: path.to_owned(), file })
    }

    fn error(&self, action: &'static str) -> impl Fn(io::Error) -> ScratchError {
        move |source| ScratchError { action, path: self.path.clone(), source }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all of `out` from `offset` on.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), ScratchError> {
        self.file.read_exact_at(out, offset).map_err(self.error("read"))
    }

    /// Writes all of `bytes` at `offset`.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), ScratchError> {
        self.file.write_all_at(bytes, offset).map_err(self.error("write"))
    }

    /// Waits until everything written is safe.
    pub fn sync(&self) -> Result<(), ScratchError> {
        self.file.sync_data().map_err(self.error("sync"))
    }

    /// Gives it another name, for good.
    pub fn rename(self, name: &str) -> Result<Self, ScratchError> {
        self.sync()?;
        let renamed = self.rename_unsynced(name)?;
        if let Some(dir) = renamed.path.parent() {
            File::open(dir).and_then(|dir| dir.sync_all()).map_err(renamed.error("sync"))?;
        }
        Ok(renamed)
    }

    /// Gives it another name, which may be lost with the machine's power.
    pub fn rename_unsynced(self, name: &str) -> Result<Self, ScratchError> {
        let path = self.path.with_file_name(name);
        std::fs::rename(&self.path, &path).map_err(self.error("rename"))?;
        Ok(Scratch { path, file: self.file })
    }
}

/// Scores or exits, one signed byte a position.
#[derive(Debug)]
pub struct Bytes(Scratch);

impl Bytes {
    /// Takes a file over.
    pub fn new(file: Scratch) -> Self {
        Bytes(file)
    }

    /// Reads consecutive values.
    pub fn read(&self, start: u64, out: &mut [i8]) -> Result<(), ScratchError> {
        let mut bytes = vec![0; out.len()];
        self.0.read(start, &mut bytes)?;
        for (value, byte) in out.iter_mut().zip(bytes) {
            *value = byte as i8;
        }
        Ok(())
    }

    /// Writes consecutive values.
    pub fn write(&self, start: u64, values: &[i8]) -> Result<(), ScratchError> {
        let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
        self.0.write(start, &bytes)
    }

    /// Waits until everything written is safe.
    pub fn sync(&self) -> Result<(), ScratchError> {
        self.0.sync()
    }

    /// The file.
    pub fn into_file(self) -> Scratch {
        self.0
    }
}

/// The sequential side on disk: two bits a position, four positions a byte. Ranges begin at
/// multiples of four.
#[derive(Debug)]
pub struct DiskSides(Scratch);

impl DiskSides {
    /// The bytes such a file has.
    pub fn bytes(len: u64) -> u64 {
        len.div_ceil(4)
    }

    /// Takes a file over.
    pub fn new(file: Scratch) -> Self {
        DiskSides(file)
    }
}

impl Sequence for DiskSides {
    fn sync(&self) -> Result<(), ScratchError> {
        self.0.sync()
    }

    fn load(&self, range: Range<u64>, out: &mut Vec<Side>) -> Result<(), ScratchError> {
        debug_assert!(range.start.is_multiple_of(4));
        let len = (range.end - range.start) as usize;
        let mut bytes = vec![0; len.div_ceil(4)];
        self.0.read(range.start / 4, &mut bytes)?;
        out.clear();
        out.extend((0..len).map(|at| Side::from_bits(bytes[at / 4] >> (at % 4 * 2))));
        Ok(())
    }

    fn store(&self, start: u64, sides: &[Side]) -> Result<(), ScratchError> {
        debug_assert!(start.is_multiple_of(4));
        let bytes: Vec<u8> = sides
            .chunks(4)
            .map(|four| four.iter().rev().fold(0, |byte, &side| byte << 2 | side as u8))
            .collect();
        self.0.write(start / 4, &bytes)
    }

    fn lose(&self, start: u64, sides: &[Side], lost: &[u64]) -> Result<(), ScratchError> {
        if lost.is_empty() {
            return Ok(());
        }
        let mut sides = sides.to_vec();
        for &index in lost {
            sides[(index - start) as usize] = Side::Lost;
        }
        self.store(start, &sides)
    }
}

//! Work files of a slice: read and written from front to back, in large pieces.
//!
//! The kernel reads ahead and writes behind: it is advised early of what will be read next, and
//! writing starts before a thread has to wait for it.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::folder::Operation;
pub use super::work::WorkFile;
use super::{Sequence, Status};

/// A work file cannot be used.
#[derive(Debug, Error)]
pub enum WorkFileError {
    /// The operating system failed.
    #[error("cannot {} {}: {source}; {}", operation.name(), path.display(), advice(path, source))]
    Io {
        /// What was attempted.
        operation: Operation,
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The file is not what was written.
    #[error(
        "the work file {} is damaged: {reason}; delete {}, and only this slice starts again",
        path.display(),
        path.parent().unwrap_or(path).display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl WorkFileError {
    pub(crate) fn new(operation: Operation, path: &Path, source: io::Error) -> Self {
        WorkFileError::Io { operation, path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &Path, reason: String) -> Self {
        WorkFileError::Damaged { path: path.to_owned(), reason }
    }

    /// Whether the file is damaged, so that its slice can only start again.
    pub fn is_damage(&self) -> bool {
        matches!(self, WorkFileError::Damaged { .. })
    }
}

fn advice(path: &Path, source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: make room, and the same command continues from here".to_owned()
        }
        io::ErrorKind::FileTooLarge => "the limit on the size of files is too low (ulimit -f, or \
                                        the file system): raise it, and the same command continues \
                                        from here"
            .to_owned(),
        _ => format!(
            "what is finished is kept, and the same command continues from there; if this file \
             stays unusable, delete {} and only this slice starts again",
            path.parent().unwrap_or(path).display()
        ),
    }
}

/// Scores or exits, one signed byte a position.
#[derive(Debug)]
pub struct Bytes(WorkFile);

impl Bytes {
    /// Takes a file over.
    pub fn new(file: WorkFile) -> Self {
        Bytes(file)
    }

    /// Reads consecutive values.
    pub fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        let mut bytes = vec![0; out.len()];
        self.0.read(start, &mut bytes)?;
        for (value, byte) in out.iter_mut().zip(bytes) {
            *value = byte as i8;
        }
        Ok(())
    }

    /// Writes consecutive values.
    pub fn write(&self, start: u64, values: &[i8]) -> Result<(), WorkFileError> {
        let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
        self.0.write(start, &bytes)?;
        self.0.passed(start + bytes.len() as u64, bytes.len() as u64);
        Ok(())
    }

    /// Writes some values of a file that is filled in no order, each place once. Nothing may be
    /// read before [`seal`](Self::seal).
    pub fn scatter(&self, start: u64, values: &[i8]) -> Result<(), WorkFileError> {
        let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
        self.0.scatter(start, &bytes)
    }

    /// Makes the checksums of a file that was filled in no order.
    pub fn seal(&self) -> Result<(), WorkFileError> {
        self.0.seal()
    }

    /// The file.
    pub fn file(&self) -> &WorkFile {
        &self.0
    }

    /// Advises the kernel that these values will be read soon.
    pub fn will_read(&self, range: Range<u64>) {
        self.0.will_read(range.start, range.end - range.start);
    }

    /// Waits until everything written is durable.
    pub fn sync(&self) -> Result<(), WorkFileError> {
        self.0.sync()
    }

    /// The file.
    pub fn into_file(self) -> WorkFile {
        self.0
    }
}

/// The sequential side on disk: two bits a position, four positions a byte. Concurrent threads must
/// use ranges that share no byte.
#[derive(Debug)]
pub struct DiskStatuses(WorkFile);

impl DiskStatuses {
    /// The bytes such a file has.
    pub fn bytes(len: u64) -> u64 {
        len.div_ceil(4)
    }

    /// Takes a file over.
    pub fn new(file: WorkFile) -> Self {
        DiskStatuses(file)
    }

    fn write(&self, start: u64, statuses: &[Status]) -> Result<(), WorkFileError> {
        if !start.is_multiple_of(4) || !statuses.len().is_multiple_of(4) {
            return self.write_between(start, statuses);
        }
        let bytes: Vec<u8> = statuses
            .chunks(4)
            .map(|four| four.iter().rev().fold(0, |byte, &status| byte << 2 | status as u8))
            .collect();
        self.0.write(start / 4, &bytes)
    }

    /// Where the first or last byte has neighbours to keep.
    fn write_between(&self, start: u64, statuses: &[Status]) -> Result<(), WorkFileError> {
        let end = start + statuses.len() as u64;
        let mut bytes = vec![0; (end.div_ceil(4) - start / 4) as usize];
        self.0.read(start / 4, &mut bytes)?;
        for (place, &status) in ((start % 4) as usize..).zip(statuses) {
            let (byte, shift) = (&mut bytes[place / 4], place % 4 * 2);
            *byte = *byte & !(3 << shift) | (status as u8) << shift;
        }
        self.0.write(start / 4, &bytes)
    }
}

impl Sequence for DiskStatuses {
    const ON_DISK: bool = true;

    fn sync(&self) -> Result<(), WorkFileError> {
        self.0.sync()
    }

    fn will_read(&self, range: Range<u64>) {
        self.0.will_read(range.start / 4, (range.end - range.start).div_ceil(4));
    }

    fn load(&self, range: Range<u64>, out: &mut Vec<Status>) -> Result<(), WorkFileError> {
        let len = (range.end - range.start) as usize;
        let mut bytes = vec![0; (range.end.div_ceil(4) - range.start / 4) as usize];
        self.0.read(range.start / 4, &mut bytes)?;
        let first = (range.start % 4) as usize;
        out.clear();
        let places = first..first + len;
        out.extend(places.map(|at| Status::from_bits(bytes[at / 4] >> (at % 4 * 2))));
        Ok(())
    }

    fn store(&self, start: u64, statuses: &[Status]) -> Result<(), WorkFileError> {
        self.write(start, statuses)?;
        let end = start + statuses.len() as u64;
        self.0.passed(end.div_ceil(4), (statuses.len() as u64).div_ceil(4));
        Ok(())
    }

    fn lose(&self, start: u64, statuses: &[Status], lost: &[u64]) -> Result<(), WorkFileError> {
        if lost.is_empty() {
            return Ok(());
        }
        let mut statuses = statuses.to_vec();
        for &index in lost {
            statuses[(index - start) as usize] = Status::Lost;
        }
        // Not in sequence: neighbours that were only read should stay in memory.
        self.write(start, &statuses)
    }
}

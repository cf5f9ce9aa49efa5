//! Files of a slice at work: read and written from front to back, in large pieces.
//!
//! The kernel works ahead and behind: it is told early what will be read next, and asked to begin
//! writing before anybody waits for it.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::folder::{Operation, Watch};
use super::{Sequence, Side};

/// A file of a slice at work cannot be used.
#[derive(Debug, Error)]
#[error("cannot {} {}: {source}; {}", operation.name(), path.display(), self.advice())]
pub struct ScratchError {
    operation: Operation,
    path: PathBuf,
    source: io::Error,
}

impl ScratchError {
    pub(crate) fn new(operation: Operation, path: &Path, source: io::Error) -> Self {
        ScratchError { operation, path: path.to_owned(), source }
    }

    fn advice(&self) -> String {
        match self.source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "the disk is full: make room, and the same command goes on from here".to_owned()
            }
            io::ErrorKind::FileTooLarge => "files may not become so large here (ulimit -f, or the \
                                            file system): allow larger ones, and the same command \
                                            goes on from here"
                .to_owned(),
            _ => format!(
                "what is finished is kept, and the same command goes on from there; if this file \
                 stays out of use, delete {} and only this slice begins anew",
                self.path.parent().unwrap_or(&self.path).display()
            ),
        }
    }
}

/// Bytes between a place that is written and where the kernel begins to bring it to the disk.
const BEHIND: u64 = 4 << 20;

/// One file of a slice at work, of fixed length.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    file: File,
    watch: Watch,
}

impl Scratch {
    /// Makes a file of `len` bytes, or takes the one that is there over; what is in it means
    /// nothing. Its place on the disk is taken now, so that a full disk shows before hours of work.
    pub fn create(path: &Path, len: u64, watch: Watch) -> Result<Self, ScratchError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = watch.run(Operation::Open, path, || options.open(path))?;
        watch.run(Operation::Allocate, path, || {
            if file.metadata()?.len() > len {
                file.set_len(len)?;
            }
            allocate(&file, len).inspect_err(|_| {
                // A part of a file is of no use, and others need the room.
                let _ = file.set_len(0);
            })
        })?;
        Ok(Scratch { path: path.to_owned(), file, watch })
    }

    /// Opens a file that must be there, with this length.
    pub fn open(path: &Path, len: u64, watch: Watch) -> Result<Self, ScratchError> {
        let file = watch.run(Operation::Open, path, || {
            let file = OpenOptions::new().read(true).write(true).open(path)?;
            let found = file.metadata()?.len();
            if found == len {
                return Ok(file);
            }
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("it has {found} bytes where {len} belong"),
            ))
        })?;
        Ok(Scratch { path: path.to_owned(), file, watch })
    }

    fn run<T>(
        &self,
        operation: Operation,
        run: impl FnOnce() -> io::Result<T>,
    ) -> Result<T, ScratchError> {
        self.watch.run(operation, &self.path, run)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all of `out` from `offset` on.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), ScratchError> {
        self.run(Operation::Read, || self.file.read_exact_at(out, offset))
    }

    /// Writes all of `bytes` at `offset`.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), ScratchError> {
        self.run(Operation::Write, || self.file.write_all_at(bytes, offset))
    }

    /// Tells the kernel that these bytes will be read soon.
    pub fn expect(&self, offset: u64, len: u64) {
        advise(&self.file, offset, len, rustix::fs::Advice::WillNeed);
    }

    /// Tells the kernel that bytes up to `end` were written in sequence, `len` of them last: what
    /// lies some way behind can go to the disk now, while others compute.
    pub fn passed(&self, end: u64, len: u64) {
        let (before, now) = ((end - len) / BEHIND, end / BEHIND);
        if now > before && before > 0 {
            // For pages that are still to be written this begins to write them, and no more.
            let start = (before - 1) * BEHIND;
            advise(&self.file, start, now * BEHIND - BEHIND - start, rustix::fs::Advice::DontNeed);
        }
    }

    /// Waits until everything written is safe.
    pub fn sync(&self) -> Result<(), ScratchError> {
        self.run(Operation::Sync, || self.file.sync_data())
    }

    /// Gives it another name, which may be lost with the machine's power until the folder is
    /// synced.
    pub fn rename(self, name: &str) -> Result<Self, ScratchError> {
        let path = self.path.with_file_name(name);
        self.run(Operation::Rename, || std::fs::rename(&self.path, &path))?;
        Ok(Scratch { path, ..self })
    }
}

/// Takes the place of `len` bytes on the disk, where the file system can do that.
fn allocate(file: &File, len: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::{Errno, retry_on_intr};
    if len == 0 {
        return Ok(());
    }
    match retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, len)) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => file.set_len(len),
        done => Ok(done?),
    }
}

/// Advice is a courtesy: where it is not taken, everything works as well.
fn advise(file: &File, offset: u64, len: u64, advice: rustix::fs::Advice) {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    if let Some(len) = std::num::NonZero::new(len) {
        let _ = rustix::fs::fadvise(file, offset, Some(len), advice);
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
        self.0.write(start, &bytes)?;
        self.0.passed(start + bytes.len() as u64, bytes.len() as u64);
        Ok(())
    }

    /// Tells the kernel that these values will be read soon.
    pub fn expect(&self, range: Range<u64>) {
        self.0.expect(range.start, range.end - range.start);
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

/// The sequential side on disk: two bits a position, four positions a byte. Threads at work at the
/// same time keep to ranges that share no byte.
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

    fn write(&self, start: u64, sides: &[Side]) -> Result<(), ScratchError> {
        if !start.is_multiple_of(4) || !sides.len().is_multiple_of(4) {
            return self.write_between(start, sides);
        }
        let bytes: Vec<u8> = sides
            .chunks(4)
            .map(|four| four.iter().rev().fold(0, |byte, &side| byte << 2 | side as u8))
            .collect();
        self.0.write(start / 4, &bytes)
    }

    /// Where the first or last byte has neighbours to keep.
    fn write_between(&self, start: u64, sides: &[Side]) -> Result<(), ScratchError> {
        let end = start + sides.len() as u64;
        let mut bytes = vec![0; (end.div_ceil(4) - start / 4) as usize];
        self.0.read(start / 4, &mut bytes)?;
        for (place, &side) in ((start % 4) as usize..).zip(sides) {
            let (byte, shift) = (&mut bytes[place / 4], place % 4 * 2);
            *byte = *byte & !(3 << shift) | (side as u8) << shift;
        }
        self.0.write(start / 4, &bytes)
    }
}

impl Sequence for DiskSides {
    const ON_DISK: bool = true;

    fn sync(&self) -> Result<(), ScratchError> {
        self.0.sync()
    }

    fn expect(&self, range: Range<u64>) {
        self.0.expect(range.start / 4, (range.end - range.start).div_ceil(4));
    }

    fn load(&self, range: Range<u64>, out: &mut Vec<Side>) -> Result<(), ScratchError> {
        let len = (range.end - range.start) as usize;
        let mut bytes = vec![0; (range.end.div_ceil(4) - range.start / 4) as usize];
        self.0.read(range.start / 4, &mut bytes)?;
        let first = (range.start % 4) as usize;
        out.clear();
        let places = first..first + len;
        out.extend(places.map(|at| Side::from_bits(bytes[at / 4] >> (at % 4 * 2))));
        Ok(())
    }

    fn store(&self, start: u64, sides: &[Side]) -> Result<(), ScratchError> {
        self.write(start, sides)?;
        let end = start + sides.len() as u64;
        self.0.passed(end.div_ceil(4), (sides.len() as u64).div_ceil(4));
        Ok(())
    }

    fn lose(&self, start: u64, sides: &[Side], lost: &[u64]) -> Result<(), ScratchError> {
        if lost.is_empty() {
            return Ok(());
        }
        let mut sides = sides.to_vec();
        for &index in lost {
            sides[(index - start) as usize] = Side::Lost;
        }
        // Not in sequence: neighbours that were only read shall stay in memory.
        self.write(start, &sides)
    }
}

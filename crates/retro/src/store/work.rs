//! Work files: checksummed blocks of fixed length, read and written at any place.
//!
//! All numbers are little-endian. L is the length of the data, B that of a block.
//!
//! ```text
//!      0    8  magic: 89 4E 57 46 0D 0A 1A 0A ("\x89NWF\r\n\x1a\n")
//!      8    4  version of the layout
//!     12    4  B, bytes of a block; the last block may be shorter
//!     16    8  L, bytes of the data
//!     24    2  length of the description, then the description
//!   4088    8  xxh3-64 of bytes 0..4088
//!   4096    L  data
//! 4096+L   8n  for each block: xxh3-64 of its bytes, with its number added to the xxh3-64 of the
//!              description as seed; 0 for a block that was never written
//! ```
//!
//! The checksums are in memory as well, and every block that is read is compared with its own.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

use nutcracker_table::{RandomFile, Storage};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::disk::WorkFileError;
use super::folder::{Operation, Watch};

const MAGIC: [u8; 8] = *b"\x89NWF\r\n\x1a\n";
const VERSION: u32 = 1;
const HEADER: u64 = 4096;
const DESCRIPTION: usize = 26;
/// Blocks that are read or written in one step, under one lock.
const REGION: u64 = 16;
const LOCKS: usize = 64;
/// How far write-back to disk stays behind the place being written, in bytes.
const BEHIND: u64 = 4 << 20;

/// One work file, of fixed length.
#[derive(Debug)]
pub struct WorkFile {
    path: PathBuf,
    storage: Arc<dyn Storage>,
    file: Box<dyn RandomFile>,
    watch: Watch,
    len: u64,
    block: u64,
    seed: u64,
    /// The checksum of each block; 0 if it was never written.
    sums: Vec<AtomicU64>,
    /// Whether blocks that were never written read as zeros; in a file from an earlier run they
    /// are damage.
    fresh: bool,
    /// By region. A block that two threads write parts of must not be read half-way.
    locks: Vec<RwLock<()>>,
    /// What [`scatter`](Self::scatter) has written.
    scattered: AtomicU64,
}

/// Bytes of a block: the checksums of a file should take little memory, and pieces of rows are
/// small.
fn block_bytes(len: u64) -> u64 {
    (len >> 16).next_power_of_two().clamp(4 << 10, 16 << 10)
}

impl WorkFile {
    /// Makes a file of `len` bytes, which read as zeros until they are written. Its disk space is
    /// allocated now, so that a full disk shows before hours of work.
    pub(crate) fn create(
        storage: &Arc<dyn Storage>,
        path: &Path,
        len: u64,
        description: &str,
        watch: Watch,
    ) -> Result<Self, WorkFileError> {
        let block = block_bytes(len);
        let blocks = len.div_ceil(block);
        let file = watch.run(Operation::Open, path, || storage.create_random(path))?;
        let header = header(len, block, description);
        watch.run(Operation::Allocate, path, || file.allocate(HEADER + len + blocks * 8))?;
        watch.run(Operation::Write, path, || file.write_at(&header, 0))?;
        Ok(Self::new(storage, path, file, watch, len, description, true))
    }

    /// Opens a file that must exist and have been filled by an earlier run of the same work.
    pub(crate) fn open(
        storage: &Arc<dyn Storage>,
        path: &Path,
        len: u64,
        description: &str,
        watch: Watch,
    ) -> Result<Self, WorkFileError> {
        let file = watch.run(Operation::Open, path, || storage.open_random(path))?;
        let opened = Self::new(storage, path, file, watch, len, description, false);
        let expected = header(len, opened.block, description);
        let found_len = opened.run(Operation::Open, || opened.file.size())?;
        if found_len != HEADER + len + opened.sums.len() as u64 * 8 {
            return Err(
                opened.damaged(format!("it has {found_len} bytes, which is not its length"))
            );
        }
        let mut found = vec![0; HEADER as usize];
        opened.run(Operation::Read, || opened.file.read_at(&mut found, 0))?;
        if found != expected {
            let reason = if found[4088..] == xxh3_64(&found[..4088]).to_le_bytes() {
                "it belongs to other work, or to another version of this program"
            } else {
                "the checksum of its header is wrong"
            };
            return Err(opened.damaged(reason.to_owned()));
        }
        let mut sums = vec![0; opened.sums.len() * 8];
        opened.run(Operation::Read, || opened.file.read_at(&mut sums, HEADER + len))?;
        for (sum, bytes) in opened.sums.iter().zip(sums.chunks_exact(8)) {
            sum.store(u64::from_le_bytes(bytes.try_into().expect("eight bytes")), Relaxed);
        }
        Ok(opened)
    }

    fn new(
        storage: &Arc<dyn Storage>,
        path: &Path,
        file: Box<dyn RandomFile>,
        watch: Watch,
        len: u64,
        description: &str,
        fresh: bool,
    ) -> Self {
        let block = block_bytes(len);
        WorkFile {
            path: path.to_owned(),
            storage: Arc::clone(storage),
            file,
            watch,
            len,
            block,
            seed: xxh3_64(description.as_bytes()),
            sums: (0..len.div_ceil(block)).map(|_| AtomicU64::new(0)).collect(),
            fresh,
            locks: (0..LOCKS).map(|_| RwLock::new(())).collect(),
            scattered: AtomicU64::new(0),
        }
    }

    fn run<T>(
        &self,
        operation: Operation,
        run: impl FnOnce() -> std::io::Result<T>,
    ) -> Result<T, WorkFileError> {
        self.watch.run(operation, &self.path, run)
    }

    fn damaged(&self, reason: String) -> WorkFileError {
        WorkFileError::damaged(&self.path, reason)
    }

    /// Reads all of `out` from `offset` on.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), WorkFileError> {
        self.watch.check(Operation::Read, &self.path)?;
        let mut done = 0;
        while done < out.len() {
            let at = offset + done as u64;
            let len = (self.region_end(at) - at).min((out.len() - done) as u64) as usize;
            self.read_piece(at, &mut out[done..done + len])?;
            done += len;
        }
        Ok(())
    }

    /// The bytes of a range.
    pub(crate) fn read_range(&self, range: Range<u64>) -> Result<Vec<u8>, WorkFileError> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        self.read(range.start, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes all of `bytes` at `offset`.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), WorkFileError> {
        self.watch.check(Operation::Write, &self.path)?;
        let mut done = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            let len = (self.region_end(at) - at).min((bytes.len() - done) as u64) as usize;
            self.write_piece(at, &bytes[done..done + len])?;
            done += len;
        }
        Ok(())
    }

    /// The end of the region of a place.
    fn region_end(&self, offset: u64) -> u64 {
        let region = self.block * REGION;
        (offset / region + 1) * region
    }

    fn lock(&self, offset: u64) -> &RwLock<()> {
        &self.locks[(offset / (self.block * REGION)) as usize % LOCKS]
    }

    /// The blocks of some bytes, and where the blocks begin and end.
    fn blocks(&self, offset: u64, len: usize) -> (usize, u64, u64) {
        let (first, end) = (offset / self.block, (offset + len as u64).div_ceil(self.block));
        (first as usize, first * self.block, (end * self.block).min(self.len))
    }

    /// Reads within a region.
    fn read_piece(&self, offset: u64, out: &mut [u8]) -> Result<(), WorkFileError> {
        let (first, start, end) = self.blocks(offset, out.len());
        let _reading = self.lock(offset).read().unwrap_or_else(PoisonError::into_inner);
        if start == offset && end == offset + out.len() as u64 {
            return self.read_blocks(first, start, out);
        }
        let mut whole = vec![0; (end - start) as usize];
        self.read_blocks(first, start, &mut whole)?;
        let from = (offset - start) as usize;
        out.copy_from_slice(&whole[from..from + out.len()]);
        Ok(())
    }

    /// Reads whole blocks from `start` on and compares them with their checksums.
    fn read_blocks(&self, first: usize, start: u64, out: &mut [u8]) -> Result<(), WorkFileError> {
        if start + out.len() as u64 > self.len {
            return Err(self.damaged("an access beyond its end".to_owned()));
        }
        let count = out.len().div_ceil(self.block as usize);
        let sums = &self.sums[first..first + count];
        if self.fresh && sums.iter().all(|sum| sum.load(Relaxed) == 0) {
            out.fill(0);
            return Ok(());
        }
        self.file
            .read_at(out, HEADER + start)
            .map_err(|error| WorkFileError::new(Operation::Read, &self.path, error))?;
        for ((number, sum), bytes) in (first..).zip(sums).zip(out.chunks_mut(self.block as usize)) {
            match sum.load(Relaxed) {
                0 if self.fresh => bytes.fill(0),
                sum if sum == self.sum(number, bytes) => {}
                _ => {
                    let at = HEADER + number as u64 * self.block;
                    return Err(
                        self.damaged(format!("the checksum of the block at byte {at} is wrong"))
                    );
                }
            }
        }
        Ok(())
    }

    /// Writes within a region.
    fn write_piece(&self, offset: u64, bytes: &[u8]) -> Result<(), WorkFileError> {
        let (first, start, end) = self.blocks(offset, bytes.len());
        let _writing = self.lock(offset).write().unwrap_or_else(PoisonError::into_inner);
        if start == offset && end == offset + bytes.len() as u64 {
            return self.write_blocks(first, start, bytes);
        }
        // Neighbours in the first and last block are kept.
        let mut whole = vec![0; (end - start) as usize];
        let block = self.block as usize;
        let head = block.min(whole.len());
        if start < offset {
            self.read_blocks(first, start, &mut whole[..head])?;
        }
        let last = (whole.len() - 1) / block;
        if end > offset + bytes.len() as u64 && (last > 0 || start == offset) {
            let at = last * block;
            self.read_blocks(first + last, start + at as u64, &mut whole[at..])?;
        }
        let from = (offset - start) as usize;
        whole[from..from + bytes.len()].copy_from_slice(bytes);
        self.write_blocks(first, start, &whole)
    }

    fn write_blocks(&self, first: usize, start: u64, bytes: &[u8]) -> Result<(), WorkFileError> {
        let failed = |error| WorkFileError::new(Operation::Write, &self.path, error);
        self.file.write_at(bytes, HEADER + start).map_err(failed)?;
        let mut stored = Vec::with_capacity(bytes.len().div_ceil(self.block as usize) * 8);
        for (number, bytes) in (first..).zip(bytes.chunks(self.block as usize)) {
            let sum = self.sum(number, bytes);
            self.sums[number].store(sum, Relaxed);
            stored.extend(sum.to_le_bytes());
        }
        self.file.write_at(&stored, HEADER + self.len + first as u64 * 8).map_err(failed)
    }

    /// The checksum of a block, never 0.
    fn sum(&self, number: usize, bytes: &[u8]) -> u64 {
        xxh3_64_with_seed(bytes, self.seed.wrapping_add(number as u64)).max(1)
    }

    /// Writes small pieces anywhere in the file, each place once, without checksums of blocks:
    /// these are made by [`seal`](Self::seal), and nothing may be read before.
    pub(crate) fn scatter(&self, offset: u64, bytes: &[u8]) -> Result<(), WorkFileError> {
        self.run(Operation::Write, || self.file.write_at(bytes, HEADER + offset))?;
        self.scattered.fetch_add(scattered_sum(offset, bytes), Relaxed);
        Ok(())
    }

    /// A checksum of all that was scattered, which does not depend on the order.
    pub(crate) fn scattered(&self) -> u64 {
        self.scattered.load(Relaxed)
    }

    /// Continues to scatter into a file of an earlier run, which had reached this checksum.
    pub(crate) fn continue_scattering(&self, sum: u64) {
        self.scattered.store(sum, Relaxed);
    }

    /// Makes the checksums of a file that was filled by [`scatter`](Self::scatter), after a
    /// comparison of all that is in it with what was written.
    pub(crate) fn seal(&self) -> Result<(), WorkFileError> {
        let region = self.block * REGION;
        let mut bytes = Vec::new();
        let (mut found, mut start) = (0u64, 0);
        let mut stored = Vec::with_capacity(self.sums.len() * 8);
        while start < self.len {
            bytes.resize(region.min(self.len - start) as usize, 0);
            self.run(Operation::Read, || self.file.read_at(&mut bytes, HEADER + start))?;
            found = found.wrapping_add(scattered_sum(start, &bytes));
            for (number, bytes) in
                ((start / self.block) as usize..).zip(bytes.chunks(self.block as usize))
            {
                let sum = self.sum(number, bytes);
                self.sums[number].store(sum, Relaxed);
                stored.extend(sum.to_le_bytes());
            }
            start += bytes.len() as u64;
        }
        if found != self.scattered() {
            return Err(self.damaged("it does not contain what was written".to_owned()));
        }
        self.run(Operation::Write, || self.file.write_at(&stored, HEADER + self.len))
    }

    /// Advises the kernel that these bytes will be read soon.
    pub fn will_read(&self, offset: u64, len: u64) {
        self.file.will_read(HEADER + offset, len);
    }

    /// Advises the kernel that bytes up to `end` were written in sequence, `len` of them last: what
    /// lies some way behind can go to the disk now, during computation.
    pub fn passed(&self, end: u64, len: u64) {
        let (before, now) = ((end - len) / BEHIND, end / BEHIND);
        if now > before && before > 0 {
            let start = (before - 1) * BEHIND;
            self.file.written(HEADER + start, now * BEHIND - BEHIND - start);
        }
    }

    /// Waits until everything written is durable.
    pub fn sync(&self) -> Result<(), WorkFileError> {
        self.run(Operation::Sync, || self.file.sync())
    }

    /// Gives it another name, which may be lost with the machine's power until the folder is
    /// synced.
    pub fn rename(self, name: &str) -> Result<Self, WorkFileError> {
        let path = self.path.with_file_name(name);
        self.run(Operation::Rename, || self.storage.rename(&self.path, &path))?;
        Ok(WorkFile { path, ..self })
    }
}

/// What a file begins with.
fn header(len: u64, block: u64, description: &str) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER as usize);
    header.extend(MAGIC);
    header.extend(VERSION.to_le_bytes());
    header.extend((block as u32).to_le_bytes());
    header.extend(len.to_le_bytes());
    let text = description.as_bytes();
    let text = &text[..text.len().min(4088 - DESCRIPTION)];
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text);
    header.resize(4088, 0);
    let sum = xxh3_64(&header);
    header.extend(sum.to_le_bytes());
    header
}

/// The sum of all words at multiples of eight bytes, each times an odd number that depends on its
/// place: sums of different places of a file add up to the sum of the file, and any one wrong word
/// changes it.
fn scattered_sum(offset: u64, bytes: &[u8]) -> u64 {
    let key = |word: u64| {
        let mixed = (word.wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1
    };
    let mut sum = 0u64;
    let lead = ((8 - offset % 8) % 8).min(bytes.len() as u64) as usize;
    let (head, rest) = bytes.split_at(lead);
    for (at, &byte) in (offset..).zip(head) {
        sum = sum.wrapping_add((u64::from(byte) << (at % 8 * 8)).wrapping_mul(key(at / 8)));
    }
    let first = (offset + lead as u64) / 8;
    let chunks = rest.chunks_exact(8);
    let tail = chunks.remainder();
    for (word, bytes) in (first..).zip(chunks) {
        let value = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        sum = sum.wrapping_add(value.wrapping_mul(key(word)));
    }
    let end = offset + (bytes.len() - tail.len()) as u64;
    for (at, &byte) in (end..).zip(tail) {
        sum = sum.wrapping_add((u64::from(byte) << (at % 8 * 8)).wrapping_mul(key(at / 8)));
    }
    sum
}

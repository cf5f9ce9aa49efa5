//! Blocks in, sealed file out, published under its name.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use xxhash_rust::xxh3::xxh3_64;

use crate::codec::{Codec, CodecId, train_dictionary};
use crate::error::{Result, TableError};
use crate::file::{Storage, WriteFile};
use crate::format::{
    self, EXTENSION, Header, INDEX_ENTRY, MAX_DICTIONARY, TRAILER, Trailer, UNCHECKED,
};
use crate::manifest::MANIFEST;
use crate::reader::Table;
use crate::statistics::{Statistics, fill_holes};

/// Bytes buffered before a write.
const BUFFER: usize = 1 << 20;
/// Blocks that a thread encodes before it waits for its turn to write them.
const BATCH: u64 = 16;
/// Sample bytes for each byte of a dictionary, as zstd recommends.
const SAMPLES_PER_DICTIONARY_BYTE: u64 = 100;
/// The suffix of a file until it is complete.
const TEMPORARY: &str = ".tmp";

/// A published file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Its header.
    pub header: Header,
    /// Its path.
    pub path: PathBuf,
    /// Whether it passed its check.
    pub checked: bool,
    /// Its length.
    pub bytes: u64,
    /// The blake3 in its trailer, in hexadecimal digits.
    pub blake3: String,
    /// How many positions of each part have each score, and the holes.
    pub statistics: Statistics,
}

/// A complete and durable file under its temporary name, which readers ignore. It is removed if it
/// is dropped before it is published.
pub struct Sealed<'a> {
    storage: &'a dyn Storage,
    temporary: PathBuf,
    /// Its path once it is checked.
    file: Published,
    published: bool,
}

impl Sealed<'_> {
    /// The header.
    pub fn header(&self) -> &Header {
        &self.file.header
    }

    /// Opens it for a check.
    pub fn open(&self) -> Result<Table> {
        Table::open(self.storage, &self.temporary)
    }

    /// Gives the file its final name if it is `checked`, and the final name followed by
    /// `.unchecked` if not. A finished file of the same name is an error.
    pub fn publish(mut self, checked: bool) -> Result<Published> {
        let mut file = self.file.clone();
        // Only the holder of the directory's lock builds here, so there is no race.
        refuse_finished(self.storage, &file.path)?;
        if !checked {
            file.checked = false;
            file.path = unchecked(&file.path);
        }
        self.storage
            .rename(&self.temporary, &file.path)
            .map_err(TableError::io("rename", &self.temporary))?;
        self.published = true;
        let dir = file.path.parent().unwrap_or(Path::new(""));
        self.storage.sync_dir(dir).map_err(TableError::io("sync", dir))?;
        Ok(file)
    }
}

impl std::fmt::Debug for Sealed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealed").field("temporary", &self.temporary).finish_non_exhaustive()
    }
}

impl Drop for Sealed<'_> {
    fn drop(&mut self) {
        if !self.published {
            // An error cannot be reported here, and the next writer overwrites the file.
            let _ = self.storage.remove(&self.temporary);
        }
    }
}

/// The path of a table before its check.
pub(crate) fn unchecked(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(UNCHECKED);
    name.into()
}

/// Gives a table that passed its check its final name.
pub(crate) fn promote(storage: &dyn Storage, table: &Table) -> Result<()> {
    let target = table.path().with_file_name(table.header().file_name());
    if table.path() == target {
        return Ok(());
    }
    refuse_finished(storage, &target)?;
    storage.rename(table.path(), &target).map_err(TableError::io("rename", table.path()))?;
    let dir = target.parent().unwrap_or(Path::new(""));
    storage.sync_dir(dir).map_err(TableError::io("sync", dir))
}

/// Writes one table under a temporary name: blocks in order, then [`seal`](Self::seal). It is
/// removed if it is dropped before. A finished file of the same name is never replaced: that is an
/// error, when the table is begun and when it is published.
pub struct TableWriter<'a> {
    storage: &'a dyn Storage,
    header: Header,
    target: PathBuf,
    temporary: PathBuf,
    /// `None` once closed.
    file: Option<Box<dyn WriteFile>>,
    sealed: bool,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
    /// Bytes of the file so far, including the buffer.
    len: u64,
    blocks: u64,
    index: Vec<u8>,
}

impl std::fmt::Debug for TableWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableWriter")
            .field("target", &self.target)
            .field("blocks", &self.blocks)
            .finish_non_exhaustive()
    }
}

impl<'a> TableWriter<'a> {
    /// Begins a table in `dir`, which is created if it does not exist. The name comes from the
    /// header; `codec` is the one that encodes the blocks.
    pub fn create(
        storage: &'a dyn Storage,
        dir: &Path,
        header: &Header,
        codec: &Codec,
    ) -> Result<Self> {
        header.check().map_err(|reason| {
            TableError::request(format!("cannot write a table in {}: {reason}", dir.display()))
        })?;
        let target = dir.join(header.file_name());
        if header.codec != codec.id() || codec.dictionary().len() as u64 > MAX_DICTIONARY.into() {
            return Err(TableError::request(format!(
                "cannot write {}: its header says codec {}, its blocks come from {} with a \
                 dictionary of {} bytes",
                target.display(),
                header.codec,
                codec.id(),
                codec.dictionary().len()
            )));
        }
        refuse_finished(storage, &target)?;
        refuse_finished(storage, &unchecked(&target))?;
        let temporary = dir.join(header.file_name() + TEMPORARY);
        storage.create_dir(dir).map_err(TableError::io("make the directory", dir))?;
        let file = storage.create(&temporary).map_err(TableError::io("create", &temporary))?;
        let mut writer = Self {
            storage,
            header: header.clone(),
            target,
            temporary,
            file: Some(file),
            sealed: false,
            buffer: Vec::with_capacity(BUFFER),
            hasher: blake3::Hasher::new(),
            len: 0,
            blocks: 0,
            index: Vec::new(),
        };
        writer.put(&header.encode(codec.dictionary()))?;
        writer.put(codec.dictionary())?;
        Ok(writer)
    }

    /// Appends the next block, encoded, of `positions` positions.
    pub fn append(&mut self, encoded: &[u8], positions: usize) -> Result<()> {
        let expected = self.header.block_len(self.blocks);
        let Ok(len) = u32::try_from(encoded.len()) else {
            return Err(self.wrong(&format!("a block of {} bytes is too long", encoded.len())));
        };
        if positions != expected || positions == 0 || len == 0 {
            let block = self.blocks;
            return Err(self.wrong(&format!(
                "block {block} has {positions} positions where {expected} belong"
            )));
        }
        self.index.extend(len.to_le_bytes());
        self.index.extend(format::block_sum(self.blocks, encoded).to_le_bytes());
        self.blocks += 1;
        self.put(encoded)
    }

    /// Writes block index, statistics and trailer, and makes the file durable.
    pub fn seal(mut self, statistics: &Statistics) -> Result<Sealed<'a>> {
        if self.blocks != self.header.blocks() {
            let (got, all) = (self.blocks, self.header.blocks());
            return Err(self.wrong(&format!("{got} of {all} blocks were given")));
        }
        if !self.header.allows(statistics) {
            let whole = statistics.whole();
            return Err(self.wrong(&format!(
                "the histogram has {} positions with scores up to {} and {} holes, the table has {} \
                 numbers and scores up to {}",
                whole.total(),
                whole.reach(),
                statistics.holes,
                self.header.positions,
                self.header.bound()
            )));
        }
        let index_offset = self.len;
        let mut index = std::mem::take(&mut self.index);
        debug_assert_eq!(index.len() as u64, self.blocks * INDEX_ENTRY);
        format::encode_statistics(statistics, &mut index);
        self.put(&index)?;
        let bytes = self.len + TRAILER;
        let open = Trailer::encode_open(index_offset, xxh3_64(&index), bytes);
        self.put(&open)?;
        self.flush()?;
        let blake3 = self.hasher.finalize();
        self.put(&Trailer::encode_close(&open, blake3.as_bytes()))?;
        self.flush()?;
        if let Some(mut file) = self.file.take() {
            file.sync().map_err(TableError::io("sync", &self.temporary))?;
        }
        self.sealed = true;
        Ok(Sealed {
            storage: self.storage,
            temporary: self.temporary.clone(),
            published: false,
            file: Published {
                header: self.header.clone(),
                path: self.target.clone(),
                checked: true,
                bytes,
                blake3: blake3.to_hex().to_string(),
                statistics: statistics.clone(),
            },
        })
    }

    fn wrong(&self, reason: &str) -> TableError {
        TableError::request(format!("cannot write {}: {reason}", self.target.display()))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.len += bytes.len() as u64;
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.hasher.update(&self.buffer);
        if let Some(file) = &mut self.file {
            file.write_all(&self.buffer).map_err(TableError::io("write", &self.temporary))?;
        }
        self.buffer.clear();
        Ok(())
    }
}

impl Drop for TableWriter<'_> {
    fn drop(&mut self) {
        if !self.sealed {
            // Closed before it is removed: some systems require it.
            self.file = None;
            // An error cannot be reported here, and the next writer overwrites the file.
            let _ = self.storage.remove(&self.temporary);
        }
    }
}

/// An error if a finished file exists already.
fn refuse_finished(storage: &dyn Storage, target: &Path) -> Result<()> {
    if storage.exists(target).map_err(TableError::io("look for", target))? {
        return Err(TableError::request(format!(
            "{} exists already, and finished files are not changed; remove it to build it again",
            target.display()
        )));
    }
    Ok(())
}

/// Removes the unfinished files that a killed process left in a directory, and unchecked tables
/// that also exist checked; returns how many. Only for the holder of the directory's lock.
pub fn remove_unfinished(storage: &dyn Storage, dir: &Path) -> Result<usize> {
    let names = storage.list(dir).map_err(TableError::io("list", dir))?;
    let mut removed = 0;
    let ours = |name: &&String| {
        let temporary = name.strip_suffix(TEMPORARY);
        let replaced = name.strip_suffix(UNCHECKED);
        temporary.is_some_and(|name| name.ends_with(EXTENSION) || name == MANIFEST)
            || replaced.is_some_and(|name| {
                name.ends_with(EXTENSION) && names.iter().any(|other| other == name)
            })
    };
    for name in names.iter().filter(ours) {
        let path = dir.join(name);
        storage.remove(&path).map_err(TableError::io("remove", &path))?;
        removed += 1;
    }
    Ok(removed)
}

/// Options of packing that are not in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackOptions {
    /// The level of zstd.
    pub level: i32,
    /// The largest dictionary to train, for [`CodecId::ZstdDictionary`].
    pub dictionary_bytes: u32,
    /// Threads that encode; 0 counts as 1. The file does not depend on it.
    pub threads: usize,
    /// The number of positions whose bounds meet, for tables of lower bounds.
    pub exact: Option<u64>,
}

impl Default for PackOptions {
    fn default() -> Self {
        Self { level: 1, dictionary_bytes: 64 << 10, threads: 1, exact: None }
    }
}

/// Writes a table of `values`, one for each index, and publishes it as a checked one.
pub fn pack(
    storage: &dyn Storage,
    dir: &Path,
    header: &Header,
    options: &PackOptions,
    values: &[i8],
) -> Result<Published> {
    if values.len() as u64 != header.positions {
        return Err(TableError::request(format!(
            "cannot write {}: there are {} scores for {} positions",
            dir.join(header.file_name()).display(),
            values.len(),
            header.positions
        )));
    }
    pack_with(storage, dir, header, options, |start, out| {
        let start = start as usize;
        out.copy_from_slice(&values[start..start + out.len()]);
        Ok(())
    })?
    .publish(true)
}

/// Whether the buffer was filled, or the reason why not.
pub type Filled = std::result::Result<(), String>;

/// Writes a table whose values come from `fill(start, out)`: it fills `out` with the values of the
/// indices from `start` on, [`HOLE`](crate::HOLE) for those without a position, the same at every
/// call, and is called by several threads. If it fails, there is no table.
pub fn pack_with<'a>(
    storage: &'a dyn Storage,
    dir: &Path,
    header: &Header,
    options: &PackOptions,
    fill: impl Fn(u64, &mut [i8]) -> Filled + Sync,
) -> Result<Sealed<'a>> {
    let (writer, mut statistics) = write_blocks(storage, dir, header, options, fill)?;
    statistics.exact = options.exact;
    writer.seal(&statistics)
}

/// As [`pack_with`], for a compact table: `fill` gives [`HOLE`](crate::HOLE) for values that are left
/// out, too, and all values are counted by `statistics`.
pub fn pack_compact<'a>(
    storage: &'a dyn Storage,
    dir: &Path,
    header: &Header,
    options: &PackOptions,
    statistics: &Statistics,
    fill: impl Fn(u64, &mut [i8]) -> Filled + Sync,
) -> Result<Sealed<'a>> {
    let (writer, _) = write_blocks(storage, dir, header, options, fill)?;
    writer.seal(statistics)
}

/// Writes all blocks, and counts their values.
fn write_blocks<'a>(
    storage: &'a dyn Storage,
    dir: &Path,
    header: &Header,
    options: &PackOptions,
    fill: impl Fn(u64, &mut [i8]) -> Filled + Sync,
) -> Result<(TableWriter<'a>, Statistics)> {
    // Checked before anything is computed from it.
    header.check().map_err(|reason| {
        TableError::request(format!("cannot write a table in {}: {reason}", dir.display()))
    })?;
    let dictionary = match header.codec {
        CodecId::ZstdDictionary => {
            sample_dictionary(header, options, &fill).map_err(|why| unfilled(dir, header, &why))?
        }
        _ => Vec::new(),
    };
    let codec = Codec::new(header.codec, options.level, &dictionary);
    let writer = TableWriter::create(storage, dir, header, &codec)?;
    let job = PackJob {
        dir: dir.to_owned(),
        header,
        codec: &codec,
        fill: &fill,
        claimed: AtomicU64::new(0),
        turn: Mutex::new(WriteTurn {
            batch: 0,
            stopped: false,
            statistics: Statistics::new(header.parts.len()),
            writer,
        }),
        moved: Condvar::new(),
    };
    let threads = (options.threads.max(1) as u64).min(header.blocks().div_ceil(BATCH).max(1));
    let results: Vec<Result<()>> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| job.work())).collect();
        let mut results = vec![job.work()];
        for other in others {
            results.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.into_iter().collect::<Result<()>>()?;
    let turn = job.turn.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((turn.writer, turn.statistics))
}

/// Trains on evenly spaced blocks, the same ones for any number of threads.
fn sample_dictionary(
    header: &Header,
    options: &PackOptions,
    fill: &impl Fn(u64, &mut [i8]) -> Filled,
) -> std::result::Result<Vec<u8>, String> {
    let max_len = options.dictionary_bytes.min(MAX_DICTIONARY);
    let blocks = header.blocks();
    let wanted =
        u64::from(max_len) * SAMPLES_PER_DICTIONARY_BYTE / u64::from(header.block_positions.max(1));
    let step = (blocks / wanted.max(1)).max(1);
    let samples = (0..blocks)
        .step_by(usize::try_from(step).unwrap_or(usize::MAX))
        .map(|block| {
            let mut values = vec![0; header.block_len(block)];
            fill(block * u64::from(header.block_positions), &mut values)?;
            fill_holes(&mut values);
            Ok(values)
        })
        .collect::<std::result::Result<Vec<Vec<i8>>, String>>()?;
    Ok(train_dictionary(&samples, max_len as usize))
}

fn unfilled(dir: &Path, header: &Header, why: &str) -> TableError {
    let path = dir.join(header.file_name());
    TableError::request(format!("cannot write {}: {why}", path.display()))
}

/// What the threads of one packing share.
struct PackJob<'a, 's, F> {
    dir: PathBuf,
    header: &'a Header,
    codec: &'a Codec,
    fill: &'a F,
    claimed: AtomicU64,
    turn: Mutex<WriteTurn<'s>>,
    moved: Condvar,
}

struct WriteTurn<'a> {
    /// The batch to be written next.
    batch: u64,
    /// A thread failed: the others stop writing.
    stopped: bool,
    statistics: Statistics,
    writer: TableWriter<'a>,
}

impl<'s, F: Fn(u64, &mut [i8]) -> Filled + Sync> PackJob<'_, 's, F> {
    /// Claims batches, encodes them and writes them in turn. A thread holds one batch at most,
    /// which bounds the memory.
    fn work(&self) -> Result<()> {
        // An error or a panic in `fill` must stop the others, or they would wait for ever.
        let mut stop = StopOnDrop { job: self, finished: false };
        let mut values = Vec::new();
        let mut encoded = Vec::new();
        let mut blocks = Vec::new();
        loop {
            let batch = self.claimed.fetch_add(1, Ordering::Relaxed);
            let first = batch.saturating_mul(BATCH).min(self.header.blocks());
            let last = first.saturating_add(BATCH).min(self.header.blocks());
            if first == last {
                stop.finished = true;
                return Ok(());
            }
            encoded.clear();
            blocks.clear();
            let mut statistics = Statistics::new(self.header.parts.len());
            for block in first..last {
                values.clear();
                values.resize(self.header.block_len(block), 0);
                let start = block * u64::from(self.header.block_positions);
                (self.fill)(start, &mut values)
                    .map_err(|why| unfilled(&self.dir, self.header, &why))?;
                if statistics.add(&self.header.parts, start, &values) > 0 {
                    fill_holes(&mut values);
                }
                let start = encoded.len();
                self.codec.encode(&values, &mut encoded);
                blocks.push((start..encoded.len(), values.len()));
            }
            let mut turn = self.lock();
            while turn.batch != batch && !turn.stopped {
                turn = self.moved.wait(turn).unwrap_or_else(PoisonError::into_inner);
            }
            if turn.stopped {
                return Ok(());
            }
            for (range, positions) in &blocks {
                turn.writer.append(&encoded[range.clone()], *positions)?;
            }
            turn.statistics.merge(&statistics);
            turn.batch += 1;
            self.moved.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, WriteTurn<'s>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops all threads of a job unless its own thread finished.
struct StopOnDrop<'a, 'b, 's, F: Fn(u64, &mut [i8]) -> Filled + Sync> {
    job: &'a PackJob<'b, 's, F>,
    finished: bool,
}

impl<F: Fn(u64, &mut [i8]) -> Filled + Sync> Drop for StopOnDrop<'_, '_, '_, F> {
    fn drop(&mut self) {
        if !self.finished {
            self.job.lock().stopped = true;
            self.job.moved.notify_all();
        }
    }
}

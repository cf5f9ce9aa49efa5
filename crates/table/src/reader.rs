//! Opening and probing tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use crate::codec::Codec;
use crate::error::{Result, TableError};
use crate::file::{ReadAt, Storage};
use crate::format::{
    self, AFTER_BLAKE3_INPUT, EXTENSION, Fields, Header, INDEX_ENTRY, MAX_HEADER, ParsedHeader,
    Part, TRAILER, Trailer,
};
use crate::histogram::Histogram;
use crate::reach::Reach;
use crate::statistics::Statistics;

/// Bytes hashed at a time when a whole file is checked.
const CHUNK: u64 = 1 << 20;

/// An open table. It can be shared by threads.
///
/// Opening checks all of the file but its blocks; each block is checked whenever it is decoded. No
/// score comes from a block whose checksum is wrong.
#[derive(Debug)]
pub struct Table {
    /// Identifies tables in a cache; unique within a process.
    id: u64,
    path: PathBuf,
    /// Whether the file has its final name, which it only gets after its check.
    checked: bool,
    header: Header,
    file: Arc<dyn ReadAt>,
    codec: Codec,
    /// The offset of each block, and the end of the last.
    offsets: Vec<u64>,
    sums: Vec<u64>,
    statistics: Statistics,
    /// The sum of all parts.
    histogram: Histogram,
    blake3: [u8; 32],
}

impl Table {
    /// Opens a file and checks its header, length, dictionary, block index, statistics and trailer.
    pub fn open(storage: &dyn Storage, path: &Path) -> Result<Self> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let damaged = |reason: &str| TableError::damaged(path, reason);
        let file = storage.open(path).map_err(TableError::io("open", path))?;
        let read = |offset, len: u64| {
            file.bytes(offset, len as usize).map_err(TableError::io("read", path))
        };
        let len = file.len();
        let parsed = format::parse_header(path, &read(0, len.min(MAX_HEADER as u64))?)?;
        let Some(trailer_offset) = len.checked_sub(TRAILER) else {
            return Err(damaged("it ends before its trailer"));
        };
        let trailer = read(trailer_offset, TRAILER)?;
        let trailer =
            trailer.as_ref().try_into().ok().and_then(Trailer::parse).ok_or_else(|| {
                damaged("the checksum at its end is wrong, as if it was cut off or added to")
            })?;
        if trailer.file_len != len {
            return Err(damaged("its length is not the one it states"));
        }
        let ParsedHeader { version, header, len: header_len, dictionary_len, dictionary_sum } =
            parsed;
        let blocks_offset = header_len + u64::from(dictionary_len);
        // All lengths are compared with the file's before memory is allocated for them.
        let index_len = header.blocks().checked_mul(INDEX_ENTRY);
        let statistics_offset = index_len.and_then(|len| trailer.index_offset.checked_add(len));
        let Some(statistics_offset) = statistics_offset
            .filter(|&offset| blocks_offset <= trailer.index_offset && offset <= trailer_offset)
        else {
            return Err(damaged("its parts do not fit into its length"));
        };
        let dictionary = read(header_len, dictionary_len.into())?;
        if xxh3_64(&dictionary) != dictionary_sum {
            return Err(damaged("the checksum of its dictionary is wrong"));
        }
        let index = read(trailer.index_offset, trailer_offset - trailer.index_offset)?;
        if xxh3_64(&index) != trailer.index_sum {
            return Err(damaged("the checksum of its block index is wrong"));
        }
        let (index, statistics) =
            index.split_at((statistics_offset - trailer.index_offset) as usize);
        let statistics = format::parse_statistics(version, &header, statistics)
            .filter(|statistics| header.allows(statistics))
            .ok_or_else(|| damaged("its histogram makes no sense"))?;
        let (offsets, sums) = parse_index(index, blocks_offset)
            .filter(|(offsets, _)| offsets.last() == Some(&trailer.index_offset))
            .ok_or_else(|| damaged("the lengths of its blocks do not add up"))?;
        let codec = Codec::new(header.codec, 0, &dictionary);
        drop(dictionary);
        Ok(Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            path: path.to_owned(),
            checked: path.to_string_lossy().ends_with(EXTENSION),
            codec,
            header,
            offsets,
            sums,
            histogram: statistics.whole(),
            statistics,
            blake3: trailer.blake3,
            file,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file has its final name, which it only gets after its check.
    pub fn is_checked(&self) -> bool {
        self.checked
    }

    /// The number of indices: positions, and holes where the index has some.
    pub fn positions(&self) -> u64 {
        self.header.positions
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        self.sums.len() as u64
    }

    /// Whether values are left out that follow from smaller slices by the rules: then a
    /// [`TableSet`](crate::TableSet::value) knows the values, and what is read here are others.
    #[inline]
    pub fn is_compact(&self) -> bool {
        self.header.compact.is_some()
    }

    /// The length of the file.
    pub fn bytes(&self) -> u64 {
        self.file.len()
    }

    /// How many positions have each score, by the file's statistics. Holes are not counted.
    pub fn histogram(&self) -> &Histogram {
        &self.histogram
    }

    /// The number of indices without a position.
    pub fn holes(&self) -> u64 {
        self.statistics.holes
    }

    /// The parts, and how many positions of each have each score.
    pub fn parts(&self) -> impl Iterator<Item = (&Part, &Histogram)> {
        self.header.parts.iter().zip(&self.statistics.parts)
    }

    /// In a table of lower bounds, the positions whose upper bound is the same.
    pub fn exact(&self) -> Option<u64> {
        self.statistics.exact
    }

    /// How many positions of each part have each score, and the holes.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The blake3 in the trailer, in hexadecimal digits: of all bytes but the last 40.
    pub fn blake3(&self) -> String {
        blake3::Hash::from_bytes(self.blake3).to_hex().to_string()
    }

    /// Whether a score of this table represents itself and all scores beyond it: the table has a
    /// window, and the score is at its edge. Then the true score is at least this one if it is
    /// positive, at most this one if it is negative. Other scores are exact.
    pub fn is_clipped(&self, score: i8) -> bool {
        self.header.reach == Reach::from(score.unsigned_abs()) && score != 0
    }

    /// The score of a position. It decodes a block each time; see
    /// [`BlockCache`](crate::BlockCache) for many probes.
    pub fn probe(&self, index: u64) -> Result<i8> {
        let (block, within) = self.locate(index)?;
        let mut values = vec![0; self.header.block_len(block)];
        self.decode_block(block, &mut values)?;
        Ok(values[within])
    }

    /// The scores of the positions from `start` on, as many as `out` holds.
    pub fn read(&self, start: u64, out: &mut [i8]) -> Result<()> {
        let mut values = Vec::new();
        self.for_blocks(start, out, |block, skip, part| {
            let len = self.header.block_len(block);
            if part.len() == len {
                return self.decode_block(block, part);
            }
            values.resize(len, 0);
            self.decode_block(block, &mut values)?;
            part.copy_from_slice(&values[skip..skip + part.len()]);
            Ok(())
        })
    }

    /// Decodes a block after checking its checksum. `out` must have the length of
    /// [`Header::block_len`].
    pub fn decode_block(&self, block: u64, out: &mut [i8]) -> Result<()> {
        if block >= self.blocks() || out.len() != self.header.block_len(block) {
            return Err(TableError::request(format!(
                "{} has {} blocks, and block {block} has {} positions, not {}",
                self.path.display(),
                self.blocks(),
                self.header.block_len(block),
                out.len()
            )));
        }
        let (start, end) = (self.offsets[block as usize], self.offsets[block as usize + 1]);
        let encoded = self
            .file
            .bytes(start, (end - start) as usize)
            .map_err(TableError::io("read", &self.path))?;
        let damaged = |reason: String| {
            TableError::damaged(&self.path, format!("block {block} at byte {start}: {reason}"))
        };
        if format::block_sum(block, &encoded) != self.sums[block as usize] {
            return Err(damaged("its checksum is wrong".to_owned()));
        }
        self.codec.decode(&encoded, out).map_err(damaged)?;
        let bound = self.header.bound();
        if out.iter().fold(0, |max, value| value.unsigned_abs().max(max)) > bound {
            return Err(damaged(format!("a score is outside -{bound}..={bound}")));
        }
        Ok(())
    }

    /// Checks the whole file: every block, the blake3 of the file, and the histogram against the
    /// scores, unless it is compact. Calls `progress` with the number of positions checked, in steps.
    pub fn verify_file(&self, mut progress: impl FnMut(u64)) -> Result<()> {
        let mut counted = Histogram::new();
        let mut values = Vec::new();
        for block in 0..self.blocks() {
            values.resize(self.header.block_len(block), 0);
            self.decode_block(block, &mut values)?;
            counted.add(&values);
            progress(values.len() as u64);
        }
        if !self.is_compact() {
            self.verify_histogram(&counted)?;
        }
        self.verify_digest()
    }

    /// Compares the counts over all blocks with the histogram in the file. Holes are stored as some
    /// value: no value may be stored less often than the histogram says, and the surplus is the
    /// number of holes.
    pub fn verify_histogram(&self, counted: &Histogram) -> Result<()> {
        let enough = self.histogram.iter().all(|(score, count)| counted.count(score) >= count);
        let left = counted.total().checked_sub(self.histogram.total());
        if !enough || left != Some(self.statistics.holes) {
            return Err(TableError::damaged(
                &self.path,
                "its histogram does not agree with its scores",
            ));
        }
        Ok(())
    }

    /// Compares the file's bytes with the blake3 in its trailer. It does not decode blocks.
    pub fn verify_digest(&self) -> Result<()> {
        self.verify_digest_while(|| true).map(drop)
    }

    /// As [`verify_digest`](Self::verify_digest), as long as `go_on` returns true; returns whether
    /// it was completed.
    pub fn verify_digest_while(&self, mut go_on: impl FnMut() -> bool) -> Result<bool> {
        let mut hasher = blake3::Hasher::new();
        let end = self.file.len() - AFTER_BLAKE3_INPUT;
        let mut offset = 0;
        while offset < end {
            if !go_on() {
                return Ok(false);
            }
            let len = CHUNK.min(end - offset);
            let chunk = self.file.bytes(offset, len as usize);
            hasher.update(&chunk.map_err(TableError::io("read", &self.path))?);
            offset += len;
        }
        if hasher.finalize() != blake3::Hash::from_bytes(self.blake3) {
            return Err(TableError::damaged(&self.path, "its blake3 is wrong"));
        }
        Ok(true)
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The block of a position, and the offset in it.
    pub(crate) fn locate(&self, index: u64) -> Result<(u64, usize)> {
        if index >= self.header.positions {
            return Err(self.beyond(index));
        }
        let size = u64::from(self.header.block_positions);
        Ok((index / size, (index % size) as usize))
    }

    /// Calls `part(block, offset in it, piece of out)` for all blocks of a range.
    pub(crate) fn for_blocks(
        &self,
        start: u64,
        mut out: &mut [i8],
        mut part: impl FnMut(u64, usize, &mut [i8]) -> Result<()>,
    ) -> Result<()> {
        let end = start.saturating_add(out.len() as u64);
        if end > self.header.positions {
            return Err(self.beyond(end - 1));
        }
        let mut index = start;
        while !out.is_empty() {
            let (block, skip) = self.locate(index)?;
            let len = out.len().min(self.header.block_len(block) - skip);
            let (piece, rest) = out.split_at_mut(len);
            part(block, skip, piece)?;
            out = rest;
            index += len as u64;
        }
        Ok(())
    }

    #[cold]
    fn beyond(&self, index: u64) -> TableError {
        TableError::request(format!(
            "index {index} is not in {}, which has {} positions",
            self.path.display(),
            self.header.positions
        ))
    }
}

fn parse_index(index: &[u8], mut offset: u64) -> Option<(Vec<u64>, Vec<u64>)> {
    let blocks = index.len() / INDEX_ENTRY as usize;
    let mut offsets = Vec::with_capacity(blocks + 1);
    let mut sums = Vec::with_capacity(blocks);
    let mut fields = Fields(index);
    offsets.push(offset);
    for _ in 0..blocks {
        offset = offset.checked_add(fields.u32()?.into())?;
        offsets.push(offset);
        sums.push(fields.u64()?);
    }
    Some((offsets, sums))
}

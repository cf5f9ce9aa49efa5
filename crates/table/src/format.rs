//! The bytes of a table file.
//!
//! All integers are little-endian. H, D, B and T stand for the ends of header, dictionary, blocks
//! and block index with statistics; L is the length of the file.
//!
//! ```text
//! header
//!      0    8  magic: 89 4E 55 54 0D 0A 1A 0A ("\x89NUT\r\n\x1a\n")
//!      8    2  format version
//!     10    2  H, the length of the header
//!     12    4  slice
//!     16    8  number of indices: positions and holes
//!     24    4  indices in a block; the last block may be shorter
//!     28    1  range: scores lie in -range..=range
//!     29    1  window: 0, or K < range if scores are clipped to -K..=K
//!     30    2  codec: 0 raw, 1 zstd, 2 zstd with dictionary, 3 runs
//!     32    4  length of the dictionary
//!     36    8  xxh3-64 of the dictionary, also if it is empty
//!     44  1+n  game, rule options, index scheme, slice name, metric: five strings of UTF-8, each
//!              after its length
//!           1  number of parts
//!  1+n+8 each  name of the part, its first index
//!     32       in a compact table, from version 3 on: blake3 of all values, a hole as 0x80
//!    H-8    8  xxh3-64 of bytes 0..H-8
//! dictionary
//!      H       as long as the header says
//! blocks
//!      D       one after another without gaps: a method byte, then its data
//!              0 constant: the value of all indices
//!              1 plain: one byte for each index
//!              2 packed: by the codec of the header
//! block index
//!      B   12  for each block: length (4), xxh3-64 of its bytes with its number as seed (8)
//! statistics
//!           8  holes: indices without a position
//!              for each part:
//!           2  number of values that occur
//!           9  for each, ascending: value (1), number of positions (8)
//!           8  if the metric is `forced`: positions whose bounds meet
//! trailer
//!      T    8  B, the offset of the block index
//!      8    8  xxh3-64 of bytes B..T
//!     16    8  L, the length of the file
//!     24   32  blake3 of bytes 0..L-40
//!     56    8  xxh3-64 of the 56 bytes before
//! ```
//!
//! Version history
//! - 1: the first. Without slice name (it is the number), metric (`score`), parts (one, of all)
//!   and holes (none): the last part is the number of scores that occur, then the pairs.
//! - 2: slice name, metric, parts, holes.
//! - 3: only compact tables, with the digest of their values.

use std::cmp::Reverse;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::codec::CodecId;
use crate::error::{Result, TableError};
use crate::histogram::Histogram;
use crate::reach::Reach;
use crate::statistics::Statistics;

/// The last version of the format that this crate writes and reads: that of compact tables.
pub const FORMAT_VERSION: u16 = 3;
/// The version of all other tables.
const COMPLETE_VERSION: u16 = 2;
/// The value of an index without a position, as input of a writer.
pub const HOLE: i8 = i8::MIN;
/// The metric of scores, and of all tables of version 1.
pub const SCORE: &str = "score";
/// The metric of lower bounds.
pub const FORCED: &str = "forced";
/// The largest number of parts of a table.
pub const MAX_PARTS: usize = 16;
/// The first bytes of every table. As in PNG, a high bit and both line endings reveal a transfer in
/// text mode.
pub const MAGIC: [u8; 8] = *b"\x89NUT\r\n\x1a\n";
/// The largest number of positions in a block. It limits what a probe of a hostile file allocates.
pub const MAX_BLOCK_POSITIONS: u32 = 1 << 20;
/// The longest dictionary.
pub const MAX_DICTIONARY: u32 = 1 << 24;
/// The default number of positions in a block.
pub const DEFAULT_BLOCK_POSITIONS: u32 = 8192;

/// The largest score that fits a signed byte with either sign.
pub(crate) const MAX_RANGE: u8 = 127;
/// The file name extension of tables.
pub(crate) const EXTENSION: &str = ".nut";
/// The suffix of the name of a table that is not checked.
pub(crate) const UNCHECKED: &str = ".unchecked";
/// The longest header: fixed fields, five strings of at most 255 bytes, parts, digest, checksum.
pub(crate) const MAX_HEADER: usize = FIXED_HEADER + 5 * 256 + 1 + MAX_PARTS * (256 + 8) + 32 + 8;
pub(crate) const INDEX_ENTRY: u64 = 12;
pub(crate) const TRAILER: u64 = 64;
/// The end of the file that the blake3 in the trailer does not cover: itself and the checksum.
pub(crate) const AFTER_BLAKE3_INPUT: u64 = 40;
const FIXED_HEADER: usize = 44;
/// The shortest header: three empty strings in version 1.
const MIN_HEADER: usize = FIXED_HEADER + 3 + 8;

/// Consecutive indices of a slice with statistics of their own, such as those with White to move. A
/// part ends where the next begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its first index.
    pub first: u64,
}

impl Part {
    /// The only part of a slice that is not divided.
    pub fn all() -> Self {
        Self { name: "all".to_owned(), first: 0 }
    }
}

/// The header of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The game's name: lower-case letters, digits and hyphens.
    pub game: String,
    /// The rule options in canonical form, such as `pits=6`; may be empty.
    pub options: String,
    /// The slice, such as the number of stones.
    pub slice: u32,
    /// The slice's name, such as `15` or `krkn`: small letters, digits and `_`.
    pub name: String,
    /// The metric: `score`, `forced`, `wdl`, `dtw`, `dtc`, `dtz`.
    pub metric: String,
    /// The number of indices: positions, and holes where the index has some.
    pub positions: u64,
    /// Scores lie in -range..=range, 127 at most.
    pub range: u8,
    /// The range of scores that are distinguished; less than the range where it is not exact.
    pub reach: Reach,
    /// The index scheme with its version, such as `halves-1`.
    pub scheme: String,
    /// Positions in a block; the last block may be shorter.
    pub block_positions: u32,
    /// How blocks are compressed.
    pub codec: CodecId,
    /// The parts with statistics of their own: at least one, the first from index 0 on.
    pub parts: Vec<Part>,
    /// In a compact table, the blake3 of all its values, a hole as [`HOLE`]. Such a table leaves out
    /// values that follow from smaller slices by the rules, and a
    /// [`TableSet`](crate::TableSet::restoring) restores them.
    pub compact: Option<[u8; 32]>,
}

impl Header {
    /// A header for exact scores, with the default block size and codec, a slice named by its
    /// number, and one part.
    pub fn new(
        game: impl Into<String>,
        options: impl Into<String>,
        slice: u32,
        positions: u64,
        range: u8,
        scheme: impl Into<String>,
    ) -> Self {
        Self {
            game: game.into(),
            options: options.into(),
            slice,
            positions,
            range,
            reach: Reach::Exact,
            scheme: scheme.into(),
            block_positions: DEFAULT_BLOCK_POSITIONS,
            codec: CodecId::Zstd,
            name: slice.to_string(),
            metric: SCORE.to_owned(),
            parts: vec![Part::all()],
            compact: None,
        }
    }

    /// The name of the file once it is checked: `awari-15.nut`, `chess-krkn.nut`, a number with at
    /// least two digits, and `awari-15-w4.nut` with window 4.
    pub fn file_name(&self) -> String {
        file_name(&self.game, &self.name, self.reach)
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        self.positions.div_ceil(u64::from(self.block_positions.max(1)))
    }

    /// The number of indices in a block; 0 after the last.
    pub fn block_len(&self, block: u64) -> usize {
        let size = u64::from(self.block_positions);
        let start = block.saturating_mul(size).min(self.positions);
        (self.positions - start).min(size) as usize
    }

    /// The largest distance from 0 that a stored score may have.
    pub fn bound(&self) -> u8 {
        self.reach.bound(self.range)
    }

    /// The reason why no table can have this header, if there is one.
    pub fn check(&self) -> std::result::Result<(), String> {
        let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.game.is_empty() || !self.game.chars().all(named) {
            return Err(format!("the game's name {:?} is not of a-z, 0-9 and -", self.game));
        }
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        for (what, text) in [("slice's name", &self.name), ("metric", &self.metric)] {
            if text.is_empty() || !text.chars().all(plain) {
                return Err(format!("the {what} {text:?} is not of a-z, 0-9 and _"));
            }
        }
        let texts = [
            ("game", &self.game),
            ("options", &self.options),
            ("scheme", &self.scheme),
            ("slice's name", &self.name),
            ("metric", &self.metric),
        ];
        let parts = self.parts.iter().map(|part| ("part's name", &part.name));
        for (what, text) in texts.into_iter().chain(parts) {
            if text.len() > 255 || text.chars().any(char::is_control) {
                return Err(format!("the {what} text is longer than 255 bytes or not printable"));
            }
        }
        if !(1..=MAX_PARTS).contains(&self.parts.len()) {
            return Err(format!("{} parts are not in 1..={MAX_PARTS}", self.parts.len()));
        }
        let ascending = self.parts.windows(2).all(|pair| pair[0].first <= pair[1].first);
        let last = self.parts.last().map_or(0, |part| part.first);
        if self.parts[0].first != 0 || !ascending || last > self.positions {
            return Err("its parts do not follow each other from 0 on".to_owned());
        }
        if !(1..=MAX_BLOCK_POSITIONS).contains(&self.block_positions) {
            return Err(format!(
                "{} positions a block is not in 1..={MAX_BLOCK_POSITIONS}",
                self.block_positions
            ));
        }
        let window = u8::from(self.reach);
        if self.range > MAX_RANGE || window > MAX_RANGE {
            return Err(format!(
                "range {} or window {window} is larger than {MAX_RANGE}",
                self.range
            ));
        }
        if window > 0 && window >= self.range {
            return Err(format!(
                "window {window} clips nothing where scores reach {}: such a table is exact",
                self.range
            ));
        }
        if self.compact.is_some() && (window > 0 || self.metric == FORCED) {
            return Err("only exact values can be left out of a table".to_owned());
        }
        Ok(())
    }

    /// Whether a table with this header can have these statistics.
    pub(crate) fn allows(&self, statistics: &Statistics) -> bool {
        if statistics.parts.len() != self.parts.len() {
            return false;
        }
        let counted = statistics.parts.iter().map(Histogram::total);
        let fit = counted.clone().enumerate().all(|(place, count)| count <= self.part_len(place));
        let all = counted.fold(statistics.holes, u64::saturating_add);
        let within = |part: &Histogram| part.reach() <= self.bound();
        let exact = statistics.exact.is_some() == (self.metric == FORCED)
            && statistics.exact <= Some(self.positions);
        fit && exact && all == self.positions && statistics.parts.iter().all(within)
    }

    /// The indices of a part.
    pub(crate) fn part_len(&self, place: usize) -> u64 {
        let end = self.parts.get(place + 1).map_or(self.positions, |next| next.first);
        end - self.parts[place].first
    }

    /// The header's bytes.
    pub(crate) fn encode(&self, dictionary: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(MAX_HEADER);
        out.extend(MAGIC);
        let version = if self.compact.is_some() { FORMAT_VERSION } else { COMPLETE_VERSION };
        out.extend(version.to_le_bytes());
        let strings = [&self.game, &self.options, &self.scheme, &self.name, &self.metric];
        let parts: usize = self.parts.iter().map(|part| 1 + part.name.len() + 8).sum();
        let strings_len: usize = strings.iter().map(|s| 1 + s.len()).sum();
        let digest = self.compact.as_ref().map_or(0, |digest| digest.len());
        let len = FIXED_HEADER + strings_len + 1 + parts + digest + 8;
        out.extend((len as u16).to_le_bytes());
        out.extend(self.slice.to_le_bytes());
        out.extend(self.positions.to_le_bytes());
        out.extend(self.block_positions.to_le_bytes());
        out.extend([self.range, self.reach.into()]);
        out.extend(self.codec.to_u16().to_le_bytes());
        out.extend((dictionary.len() as u32).to_le_bytes());
        out.extend(xxh3_64(dictionary).to_le_bytes());
        for string in strings {
            out.push(string.len() as u8);
            out.extend(string.as_bytes());
        }
        out.push(self.parts.len() as u8);
        for part in &self.parts {
            out.push(part.name.len() as u8);
            out.extend(part.name.as_bytes());
            out.extend(part.first.to_le_bytes());
        }
        out.extend(self.compact.iter().flatten());
        debug_assert_eq!(out.len() + 8, len);
        let sum = xxh3_64(&out);
        out.extend(sum.to_le_bytes());
        out
    }
}

/// The name of the file of a named slice with a reach. Numbers have at least two digits.
pub(crate) fn file_name(game: &str, name: &str, reach: Reach) -> String {
    let zero =
        if name.len() == 1 && name.starts_with(|c: char| c.is_ascii_digit()) { "0" } else { "" };
    match reach {
        Reach::Exact => format!("{game}-{zero}{name}{EXTENSION}"),
        Reach::Within(window) => format!("{game}-{zero}{name}-w{window}{EXTENSION}"),
    }
}

/// The slice's name as written, the reach, and whether it is checked, of a file with a name such as
/// those of this game's tables. Whether it is exactly the canonical name is seen by formatting it
/// again.
pub(crate) fn parse_file_name<'a>(game: &str, file: &'a str) -> Option<(&'a str, Reach, bool)> {
    let (file, checked) = match file.strip_suffix(UNCHECKED) {
        Some(file) => (file, false),
        None => (file, true),
    };
    let both = file.strip_prefix(game)?.strip_prefix('-')?.strip_suffix(EXTENSION)?;
    let (name, window) = both.rsplit_once("-w").unwrap_or((both, "0"));
    let window: u8 = window.parse().ok()?;
    (window < MAX_RANGE).then_some((name, Reach::from(window), checked))
}

/// The order of files and of entries: slice by slice, in each the exact one first, then from the
/// widest window to the narrowest.
pub(crate) fn order(slice: u32, reach: Reach) -> (u32, Reverse<Reach>) {
    (slice, Reverse(reach))
}

/// A parsed header, with what only the reader needs.
#[derive(Debug)]
pub(crate) struct ParsedHeader {
    pub version: u16,
    pub header: Header,
    pub len: u64,
    pub dictionary_len: u32,
    pub dictionary_sum: u64,
}

/// Parses the header from the first bytes of a file (at least [`MAX_HEADER`] unless it is shorter).
pub(crate) fn parse_header(path: &Path, bytes: &[u8]) -> Result<ParsedHeader> {
    let foreign =
        |reason: &str| TableError::Foreign { path: path.to_owned(), reason: reason.into() };
    let damaged = |reason: &str| TableError::damaged(path, reason);
    if bytes.is_empty() {
        return Err(damaged("it is empty"));
    }
    if !bytes.starts_with(&MAGIC) {
        return Err(if MAGIC.starts_with(bytes) {
            damaged("it ends within its first 8 bytes")
        } else if bytes.starts_with(&MAGIC[..4]) {
            damaged("it was changed on the way, as by a transfer as text")
        } else {
            foreign("it does not begin as a table does")
        });
    }
    let mut fields = Fields(&bytes[8..]);
    let short = || damaged("it ends within its header");
    let version = fields.u16().ok_or_else(short)?;
    if version > FORMAT_VERSION {
        return Err(TableError::Newer {
            path: path.to_owned(),
            found: version.into(),
            known: FORMAT_VERSION.into(),
        });
    }
    if version == 0 {
        return Err(damaged("its format version is 0"));
    }
    let len = usize::from(fields.u16().ok_or_else(short)?);
    if !(MIN_HEADER..=MAX_HEADER).contains(&len) {
        return Err(damaged("the length of its header is impossible"));
    }
    let header = bytes.get(..len).ok_or_else(short)?;
    let (header, sum) = header.split_at(len - 8);
    if Fields(sum).u64() != Some(xxh3_64(header)) {
        return Err(damaged("the checksum of its header is wrong"));
    }
    // An error from here on was written on purpose: the checksum is right.
    parse_fields(version, &header[12..], len as u64)
        .and_then(|parsed| parsed.header.check().map(|()| parsed))
        .map_err(|reason| damaged(&format!("its header makes no sense: {reason}")))
}

fn parse_fields(version: u16, bytes: &[u8], len: u64) -> std::result::Result<ParsedHeader, String> {
    let mut fields = Fields(bytes);
    let short = || "it is too short".to_owned();
    let slice = fields.u32().ok_or_else(short)?;
    let positions = fields.u64().ok_or_else(short)?;
    let block_positions = fields.u32().ok_or_else(short)?;
    let range = fields.u8().ok_or_else(short)?;
    let reach = fields.u8().ok_or_else(short)?.into();
    let codec = fields.u16().ok_or_else(short)?;
    let codec = CodecId::from_u16(codec).ok_or_else(|| format!("codec {codec} is not known"))?;
    let dictionary_len = fields.u32().ok_or_else(short)?;
    let dictionary_sum = fields.u64().ok_or_else(short)?;
    let (game, options, scheme) = (fields.text()?, fields.text()?, fields.text()?);
    let (name, metric, parts) = if version == 1 {
        (slice.to_string(), SCORE.to_owned(), vec![Part::all()])
    } else {
        let (name, metric) = (fields.text()?, fields.text()?);
        let count = fields.u8().ok_or_else(short)?;
        let part = |_| Ok(Part { name: fields.text()?, first: fields.u64().ok_or_else(short)? });
        let parts: std::result::Result<_, String> = (0..count).map(part).collect();
        (name, metric, parts?)
    };
    let compact =
        if version < FORMAT_VERSION { None } else { Some(fields.array().ok_or_else(short)?) };
    if !fields.0.is_empty() {
        return Err("it is too long".to_owned());
    }
    if dictionary_len > MAX_DICTIONARY {
        return Err(format!("a dictionary of {dictionary_len} bytes"));
    }
    if dictionary_len > 0 && codec != CodecId::ZstdDictionary {
        return Err(format!("codec {codec} has no dictionary, and here is one"));
    }
    let header = Header {
        game,
        options,
        slice,
        name,
        metric,
        positions,
        range,
        reach,
        scheme,
        block_positions,
        codec,
        parts,
        compact,
    };
    Ok(ParsedHeader { version, header, len, dictionary_len, dictionary_sum })
}

/// The last bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trailer {
    pub index_offset: u64,
    pub index_sum: u64,
    pub file_len: u64,
    pub blake3: [u8; 32],
}

impl Trailer {
    /// The part that the blake3 covers.
    pub(crate) fn encode_open(index_offset: u64, index_sum: u64, file_len: u64) -> [u8; 24] {
        let mut out = [0; 24];
        out[..8].copy_from_slice(&index_offset.to_le_bytes());
        out[8..16].copy_from_slice(&index_sum.to_le_bytes());
        out[16..].copy_from_slice(&file_len.to_le_bytes());
        out
    }

    /// The part that closes the file.
    pub(crate) fn encode_close(open: &[u8; 24], blake3: &[u8; 32]) -> [u8; 40] {
        let mut all = [0; 56];
        all[..24].copy_from_slice(open);
        all[24..].copy_from_slice(blake3);
        let mut out = [0; 40];
        out[..32].copy_from_slice(blake3);
        out[32..].copy_from_slice(&xxh3_64(&all).to_le_bytes());
        out
    }

    /// `None` if the checksum is wrong.
    pub(crate) fn parse(bytes: &[u8; 64]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let trailer = Self {
            index_offset: fields.u64()?,
            index_sum: fields.u64()?,
            file_len: fields.u64()?,
            blake3: fields.array()?,
        };
        (fields.u64()? == xxh3_64(&bytes[..56])).then_some(trailer)
    }
}

/// The checksum of a block. With its number as seed, swapped blocks are detected.
pub(crate) fn block_sum(block: u64, bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, block)
}

pub(crate) fn encode_statistics(statistics: &Statistics, out: &mut Vec<u8>) {
    out.extend(statistics.holes.to_le_bytes());
    for part in &statistics.parts {
        encode_histogram(part, out);
    }
    out.extend(statistics.exact.iter().flat_map(|exact| exact.to_le_bytes()));
}

/// `None` if the bytes are not statistics in canonical form for this header.
pub(crate) fn parse_statistics(version: u16, header: &Header, bytes: &[u8]) -> Option<Statistics> {
    let mut fields = Fields(bytes);
    let holes = if version == 1 { 0 } else { fields.u64()? };
    let parts = header.parts.iter().map(|_| parse_histogram(&mut fields)).collect::<Option<_>>()?;
    let exact = if header.metric == FORCED { Some(fields.u64()?) } else { None };
    fields.0.is_empty().then_some(Statistics { holes, parts, exact })
}

fn encode_histogram(histogram: &Histogram, out: &mut Vec<u8>) {
    out.extend((histogram.iter().count() as u16).to_le_bytes());
    for (score, count) in histogram.iter() {
        out.push(score as u8);
        out.extend(count.to_le_bytes());
    }
}

/// `None` if the bytes are not a histogram in canonical form.
fn parse_histogram(fields: &mut Fields<'_>) -> Option<Histogram> {
    let mut histogram = Histogram::new();
    let mut last = None;
    for _ in 0..fields.u16()? {
        let (score, count) = (fields.u8()? as i8, fields.u64()?);
        if count == 0 || last.is_some_and(|last| last >= score) {
            return None;
        }
        histogram.add_count(score, count);
        last = Some(score);
    }
    Some(histogram)
}

/// Reads little-endian integers from the front of a byte slice.
pub(crate) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(front)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// A text preceded by its length in one byte.
    fn text(&mut self) -> std::result::Result<String, String> {
        let text = self.u8().and_then(|len| self.take(len.into()));
        String::from_utf8(text.ok_or("it is too short")?.to_vec())
            .map_err(|_| "a text is not UTF-8".to_owned())
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

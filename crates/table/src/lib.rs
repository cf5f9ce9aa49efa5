//! Endgame database files: one score for each position of a slice, packed in blocks, checked by
//! checksums, probed in microseconds.
//!
//! A table is written once, under a temporary name, and never changed or replaced afterwards. It
//! gets its final name when it has passed its check; until then `.unchecked` follows. No score is
//! ever returned from a block whose checksum is wrong. `docs/database-format.md` describes the file
//! byte by byte.
//!
//! Scores are exact, or clipped to a window: a table with window 4 stores 4 for "4 or more". Tables
//! of one slice with different windows can coexist; see [`TableSet::get_for`] and
//! [`Table::is_clipped`].
//!
//! A table may be compact: values that follow from smaller slices by the rules of the game are left
//! out, and a set that knows the rules restores them; see [`TableSet::restoring`].
//!
//! ```
//! use std::sync::Arc;
//! use nutcracker_table::{Disk, Header, Manifest, PackOptions, TableSet, pack};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let temporary = tempfile::tempdir()?;
//! # let dir = temporary.path();
//! // Scores of a slice with 100,000 positions, by index.
//! let scores: Vec<i8> = (0..100_000u32).map(|i| (i % 7) as i8 - 3).collect();
//! let disk = Disk::default();
//! let header = Header::new("awari", "pits=6", 9, scores.len() as u64, 9, "halves-1");
//! let published = pack(&disk, dir, &header, &PackOptions::default(), &scores)?;
//!
//! let mut manifest = Manifest::load_or_new(&disk, dir, "awari", "pits=6", "example 1.0")?;
//! manifest.record(&published);
//! manifest.save(&disk, dir)?;
//!
//! let set = TableSet::open(Arc::new(disk), dir, "awari", "pits=6", 1 << 20);
//! assert_eq!(set.slices()?, [9]);
//! assert_eq!(set.probe(9, 99_999)?, scores[99_999]);
//! set.get(9)?.verify_file(|_| {})?;
//! assert!(set.probe(10, 0).unwrap_err().to_string().contains("slice 10"));
//! # Ok(())
//! # }
//! ```
//!
//! Features: `fault` adds `MemoryStorage`, which fails, shortens writes and crashes on request.

mod cache;
mod codec;
mod error;
#[cfg(feature = "fault")]
pub mod fault;
mod file;
mod format;
mod histogram;
mod lease;
mod lock;
mod manifest;
mod naming;
mod reach;
mod reader;
mod runs;
mod set;
mod statistics;
mod writer;

pub use cache::{BlockCache, CacheStats};
pub use codec::{BlockCodec, Codec, CodecId, train_dictionary};
pub use error::{ErrorKind, Result, TableError};
#[cfg(feature = "fault")]
pub use fault::MemoryStorage;
pub use file::{Disk, REMOVED, RandomFile, ReadAt, Storage, WriteFile};
pub use format::{
    DEFAULT_BLOCK_POSITIONS, FORMAT_VERSION, HOLE, Header, MAGIC, MAX_BLOCK_POSITIONS,
    MAX_DICTIONARY, MAX_PARTS, Part, SCORE,
};
pub use histogram::Histogram;
pub use lease::{Claim, Heart, Lease, Leases, Owner, Pulse, Watch};
pub use lock::{DirLock, LOCK};
pub use manifest::{Counted, Entry, MANIFEST, MANIFEST_VERSION, Manifest, Reconciled};
pub use naming::Naming;
pub use reach::Reach;
pub use reader::Table;
pub use set::{Expect, TableSet};
pub use statistics::Statistics;
pub use writer::{
    Filled, PackOptions, Published, Sealed, TableWriter, pack, pack_compact, pack_with,
    remove_unfinished,
};

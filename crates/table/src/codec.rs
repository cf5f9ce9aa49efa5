//! Values of a block to bytes and back.
//!
//! Every block begins with a method byte. Constant blocks and blocks that do not shrink are handled
//! here, once for all codecs; a [`BlockCodec`] handles only the others.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use zstd::zstd_safe::{self, CCtx, CParameter, DCtx, DDict};

use crate::runs;

const CONSTANT: u8 = 0;
const PLAIN: u8 = 1;
const PACKED: u8 = 2;

/// The codec of a file, by its number in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CodecId {
    /// 0: a byte for each position.
    Raw,
    /// 1: a zstd frame for each block.
    Zstd,
    /// 2: a zstd frame for each block, with a dictionary for the file.
    ZstdDictionary,
    /// 3: a zstd frame for each block, of its runs of equal values or of its values, whichever is
    /// shorter.
    Runs,
}

impl CodecId {
    /// All codecs.
    pub const ALL: [Self; 4] = [Self::Raw, Self::Zstd, Self::ZstdDictionary, Self::Runs];

    /// The number in the header.
    pub fn to_u16(self) -> u16 {
        match self {
            Self::Raw => 0,
            Self::Zstd => 1,
            Self::ZstdDictionary => 2,
            Self::Runs => 3,
        }
    }

    /// The codec of a number.
    pub fn from_u16(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|id| id.to_u16() == number)
    }
}

impl fmt::Display for CodecId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Raw => "raw",
            Self::Zstd => "zstd",
            Self::ZstdDictionary => "zstd-dictionary",
            Self::Runs => "runs",
        })
    }
}

/// A compression method for the bytes of one block. Implementations are deterministic and keep no
/// state between blocks.
pub trait BlockCodec: Send + Sync + fmt::Debug {
    /// Appends the compressed bytes to `out`. On `false` the block is stored plain, and what was
    /// appended is dropped.
    fn pack(&self, plain: &[u8], out: &mut Vec<u8>) -> bool;

    /// Fills `plain` exactly, or returns the reason for a failure. Any bytes may be passed.
    fn unpack(&self, packed: &[u8], plain: &mut [u8]) -> Result<(), String>;
}

/// Encodes and decodes blocks. Shared by threads.
#[derive(Debug)]
pub struct Codec {
    id: CodecId,
    dictionary: Vec<u8>,
    packing: Box<dyn BlockCodec>,
}

impl Codec {
    /// A codec for writing and reading. `level` matters only for writing with zstd and is clamped
    /// to its range; `dictionary` may be empty and is only used by [`CodecId::ZstdDictionary`].
    pub fn new(id: CodecId, level: i32, dictionary: &[u8]) -> Self {
        let dictionary = if id == CodecId::ZstdDictionary { dictionary } else { &[] };
        let packing: Box<dyn BlockCodec> = match id {
            CodecId::Raw => Box::new(Raw),
            CodecId::Zstd | CodecId::ZstdDictionary => Box::new(Zstd::new(level, dictionary)),
            CodecId::Runs => Box::new(Runs(Zstd::new(level, &[]))),
        };
        Self { id, dictionary: dictionary.to_vec(), packing }
    }

    /// The codec's number.
    pub fn id(&self) -> CodecId {
        self.id
    }

    /// The dictionary, may be empty.
    pub fn dictionary(&self) -> &[u8] {
        &self.dictionary
    }

    /// Appends the encoded block to `out`.
    pub fn encode(&self, values: &[i8], out: &mut Vec<u8>) {
        if let Some((&first, rest)) = values.split_first()
            && rest.iter().all(|&value| value == first)
        {
            out.extend([CONSTANT, first as u8]);
            return;
        }
        with_scratch(|scratch| {
            scratch.clear();
            scratch.extend(values.iter().map(|&value| value as u8));
            let start = out.len();
            out.push(PACKED);
            if !self.packing.pack(scratch, out) || out.len() - start > values.len() {
                out.truncate(start);
                out.push(PLAIN);
                out.extend_from_slice(scratch);
            }
        });
    }

    /// Fills `out`, whose length is the number of positions in the block, or returns the reason for
    /// a failure. Any bytes may be passed.
    pub fn decode(&self, block: &[u8], out: &mut [i8]) -> Result<(), String> {
        let Some((&method, data)) = block.split_first() else {
            return Err("it is empty".to_owned());
        };
        match (method, data) {
            (CONSTANT, &[value]) => out.fill(value as i8),
            (PLAIN, _) if data.len() == out.len() => copy(data, out),
            (PACKED, _) => with_scratch(|scratch| {
                scratch.resize(out.len(), 0);
                self.packing.unpack(data, scratch)?;
                copy(scratch, out);
                Ok::<_, String>(())
            })?,
            (CONSTANT | PLAIN, _) => return Err("it has the wrong length".to_owned()),
            _ => return Err(format!("its method {method} is not known")),
        }
        Ok(())
    }
}

fn copy(bytes: &[u8], out: &mut [i8]) {
    for (value, &byte) in out.iter_mut().zip(bytes) {
        *value = byte as i8;
    }
}

/// The thread's buffer. Taken out while in use, so that a nested call finds an empty one.
fn with_scratch<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    thread_local! {
        static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    let mut scratch = SCRATCH.with(RefCell::take);
    let result = work(&mut scratch);
    SCRATCH.with(|slot| slot.replace(scratch));
    result
}

/// Compresses nothing: every block that is not constant is plain.
#[derive(Debug)]
struct Raw;

impl BlockCodec for Raw {
    fn pack(&self, _plain: &[u8], _out: &mut Vec<u8>) -> bool {
        false
    }

    fn unpack(&self, _packed: &[u8], _plain: &mut [u8]) -> Result<(), String> {
        Err("it is packed in a file without packing".to_owned())
    }
}

/// A zstd frame for each block. Contexts are kept, because creating one costs more than a block.
struct Zstd {
    level: i32,
    dictionary: Vec<u8>,
    compressors: Mutex<Vec<CCtx<'static>>>,
    prepared: Option<DDict<'static>>,
}

impl fmt::Debug for Zstd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zstd")
            .field("level", &self.level)
            .field("dictionary", &self.dictionary.len())
            .finish_non_exhaustive()
    }
}

impl Zstd {
    fn new(level: i32, dictionary: &[u8]) -> Self {
        Self {
            level: level.clamp(zstd_safe::min_c_level(), zstd_safe::max_c_level()),
            dictionary: dictionary.to_vec(),
            compressors: Mutex::default(),
            prepared: if dictionary.is_empty() { None } else { DDict::try_create(dictionary) },
        }
    }

    fn compressor(&self) -> Option<CCtx<'static>> {
        let kept = self.compressors.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if kept.is_some() {
            return kept;
        }
        let mut context = CCtx::try_create()?;
        context.set_parameter(CParameter::CompressionLevel(self.level)).ok()?;
        // The file names its dictionary and checks its blocks: frames need not.
        context.set_parameter(CParameter::ChecksumFlag(false)).ok()?;
        context.set_parameter(CParameter::DictIdFlag(false)).ok()?;
        if !self.dictionary.is_empty() {
            context.load_dictionary(&self.dictionary).ok()?;
        }
        Some(context)
    }
}

impl BlockCodec for Zstd {
    fn pack(&self, plain: &[u8], out: &mut Vec<u8>) -> bool {
        let Some(mut context) = self.compressor() else {
            return false;
        };
        let start = out.len();
        out.resize(start + zstd_safe::compress_bound(plain.len()), 0);
        let packed = context.compress2(&mut out[start..], plain);
        self.compressors.lock().unwrap_or_else(PoisonError::into_inner).push(context);
        packed.is_ok_and(|len| {
            out.truncate(start + len);
            true
        })
    }

    fn unpack(&self, packed: &[u8], plain: &mut [u8]) -> Result<(), String> {
        thread_local! {
            static DECOMPRESSOR: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
        }
        DECOMPRESSOR.with_borrow_mut(|slot| {
            if slot.is_none() {
                *slot = DCtx::try_create();
            }
            let context = slot.as_mut().ok_or("there is no memory to decode it")?;
            let len = match &self.prepared {
                Some(dictionary) => context.decompress_using_ddict(plain, packed, dictionary),
                None => context.decompress(plain, packed),
            };
            match len {
                Ok(len) if len == plain.len() => Ok(()),
                Ok(len) => Err(format!("it decodes to {len} positions, not {}", plain.len())),
                Err(code) => {
                    Err(format!("it does not decode: {}", zstd_safe::get_error_name(code)))
                }
            }
        })
    }
}

/// Blocks as runs of equal values where that is shorter, then by zstd.
#[derive(Debug)]
struct Runs(Zstd);

/// The first byte of a block: what its zstd frame holds.
const VALUES: u8 = 0;
const RUNS: u8 = 1;

impl BlockCodec for Runs {
    fn pack(&self, plain: &[u8], out: &mut Vec<u8>) -> bool {
        let start = out.len();
        out.push(RUNS);
        let runs = runs::encode(plain);
        out.extend((runs.len() as u32).to_le_bytes());
        if !self.0.pack(&runs, out) {
            return false;
        }
        let mut other = vec![VALUES];
        if self.0.pack(plain, &mut other) && other.len() < out.len() - start {
            out.truncate(start);
            out.extend(other);
        }
        true
    }

    fn unpack(&self, packed: &[u8], plain: &mut [u8]) -> Result<(), String> {
        match packed {
            [VALUES, packed @ ..] => self.0.unpack(packed, plain),
            [RUNS, a, b, c, d, packed @ ..] => {
                // Runs are never longer than twice the values and their count.
                let len = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
                if len > runs::longest(plain.len()) {
                    return Err(format!("{len} bytes of runs are too many"));
                }
                let mut bytes = vec![0; len];
                self.0.unpack(packed, &mut bytes)?;
                runs::decode(&bytes, plain).ok_or_else(|| "its runs do not fill it".to_owned())
            }
            _ => Err("it has neither values nor runs".to_owned()),
        }
    }
}

/// Trains a zstd dictionary of at most `max_len` bytes from sample blocks. Empty if the samples
/// are too few or too uniform to gain from one.
pub fn train_dictionary(samples: &[Vec<i8>], max_len: usize) -> Vec<u8> {
    let samples: Vec<Vec<u8>> =
        samples.iter().map(|values| values.iter().map(|&value| value as u8).collect()).collect();
    zstd::dict::from_samples(&samples, max_len).unwrap_or_default()
}

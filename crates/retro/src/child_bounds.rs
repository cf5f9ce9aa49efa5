//! Both bounds of smaller slices, in memory.
//!
//! Files hold lower bounds. Upper ones follow from them by one ply, which takes longer than all else
//! that exits need. So solvers keep them as work files: whoever has solved a slice writes them, and
//! where a file is missing they are computed once more. The check always computes them.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use nutcracker_game::{BoundExits, Game, SliceId};
use nutcracker_mem::{OutOfMemory, Packed};
use nutcracker_table::{Table, TableError, TableSet};

use crate::check_error::CheckError;
use crate::error::SolveError;
use crate::parallel::{ThreadError, for_each_until_stopped};
use crate::plies::{Expansion, Plies, Ply, Wanted};
use crate::progress::{Progress, Stopped};
use crate::tables::read_all;
use crate::upper_files::UpperFiles;

/// Positions a thread takes at a time, and expands at once.
const CHUNK: u64 = 1 << 14;
pub(crate) const BATCH: u64 = 128;

/// Why bounds cannot be loaded.
pub(crate) enum LoadError {
    Table(TableError),
    Stopped(Stopped),
    Threads(ThreadError),
    Memory(OutOfMemory),
}

/// Conversions from its causes, and into the errors of solvers and of the check.
macro_rules! convert {
    ($($variant:ident: $cause:ty),+) => {
        $(impl From<$cause> for LoadError {
            fn from(cause: $cause) -> Self {
                LoadError::$variant(cause)
            }
        })+

        convert!(@into SolveError, $($variant),+);
        convert!(@into CheckError, $($variant),+);
    };
    (@into $error:ty, $($variant:ident),+) => {
        impl From<LoadError> for $error {
            fn from(error: LoadError) -> Self {
                match error {
                    $(LoadError::$variant(cause) => cause.into(),)+
                }
            }
        }
    };
}

convert!(Table: TableError, Stopped: Stopped, Threads: ThreadError, Memory: OutOfMemory);

type Result<T> = std::result::Result<T, LoadError>;

/// Both bounds of the slices below one.
pub(crate) struct ChildBounds<'a> {
    plies: &'a dyn Plies,
    set: &'a TableSet,
    files: Option<&'a UpperFiles>,
    threads: usize,
    progress: &'a dyn Progress,
    /// By slice, once it is needed: the lower bound in the low byte, the upper one in the other.
    slices: Vec<OnceLock<Packed<16>>>,
    /// The first slice for which there is not enough memory: its bounds, and those of larger ones,
    /// are probed.
    probed: u32,
    loading: Mutex<()>,
}

/// The bounds in a number of two bytes.
pub(crate) fn bounds(bits: u64) -> [i8; 2] {
    [bits as u8 as i8, (bits >> 8) as u8 as i8]
}

fn bits([lower, upper]: [i8; 2]) -> u64 {
    u64::from(lower as u8) | u64::from(upper as u8) << 8
}

impl<'a> ChildBounds<'a> {
    /// For the slices below one, as many as `memory` bytes have room for.
    pub(crate) fn new<G: Game>(
        (game, slice): (&G, SliceId),
        plies: &'a dyn Plies,
        set: &'a TableSet,
        files: Option<&'a UpperFiles>,
        memory: u64,
        threads: usize,
        progress: &'a dyn Progress,
    ) -> Self {
        let slices = (0..slice.0).map(|_| OnceLock::new()).collect();
        let mut left = memory / size_of::<u16>() as u64;
        let fits = (0..slice.0).map(SliceId).take_while(|&below| {
            let rest = left.checked_sub(game.slice_len(below));
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        let probed = fits.count() as u32;
        ChildBounds {
            plies,
            set,
            files,
            threads,
            progress,
            slices,
            probed,
            loading: Mutex::new(()),
        }
    }

    /// Bytes of all slices below one.
    pub(crate) fn bytes<G: Game>(game: &G, slice: SliceId) -> u64 {
        let below = (0..slice.0).map(SliceId);
        below.map(|slice| game.slice_len(slice)).sum::<u64>() * size_of::<u16>() as u64
    }

    /// The bounds of a slice, loaded when it is first asked for; `None` if it must be probed.
    #[inline]
    fn get(&self, slice: u32) -> Result<Option<&Packed<16>>> {
        if slice >= self.probed {
            return Ok(None);
        }
        if let Some(bounds) = self.slices[slice as usize].get() {
            return Ok(Some(bounds));
        }
        let _alone = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        self.load(slice).map(Some)
    }

    #[cold]
    fn load(&self, slice: u32) -> Result<&Packed<16>> {
        let place = &self.slices[slice as usize];
        if let Some(bounds) = place.get() {
            return Ok(bounds);
        }
        let table = self.set.get(slice)?;
        if let Some(upper) = self.files.and_then(|files| files.open(&table)) {
            let both = self.read(&table, &upper)?;
            return Ok(place.get_or_init(|| both));
        }
        // One ply leads to any smaller slice.
        for below in 0..slice {
            self.load(below)?;
        }
        let both = self.by_one_ply(&table)?;
        if let Some(files) = self.files {
            files.write(slice, self.threads, |start, out| {
                for (index, value) in (start..).zip(out) {
                    [_, *value] = bounds(both.get(index));
                }
            })?;
        }
        Ok(place.get_or_init(|| both))
    }

    /// Reads the files of both bounds.
    fn read(&self, lower: &Table, upper: &Table) -> Result<Packed<16>> {
        let header = lower.header();
        let both = Packed::<16>::zeroed(lower.positions())?;
        for_each_until_stopped(lower.blocks(), 1, self.threads, self.progress, |blocks| {
            let mut values = [Vec::new(), Vec::new()];
            for block in blocks {
                for (values, table) in values.iter_mut().zip([lower, upper]) {
                    values.resize(header.block_len(block), 0);
                    table.decode_block(block, values)?;
                }
                let [lower, upper] = &values;
                let pairs = lower.iter().zip(upper).map(|(&lower, &upper)| bits([lower, upper]));
                both.fill(block * u64::from(header.block_positions), pairs);
            }
            Ok::<(), LoadError>(())
        })?;
        Ok(both)
    }

    /// Both bounds of a table of lower ones: the upper ones follow by one ply.
    pub(crate) fn by_one_ply(&self, table: &Table) -> Result<Packed<16>> {
        let slice = SliceId(table.header().slice);
        let both = Packed::<16>::zeroed(table.positions())?;
        read_all::<LoadError>(self.set, table, self.threads, self.progress, |start, values| {
            both.fill(start, values.iter().map(|&lower| bits([lower, 0])));
        })?;
        for_each_until_stopped(both.len(), CHUNK, self.threads, self.progress, |range| {
            let mut expansion = Expansion::default();
            for batch in batches(range) {
                self.expand(slice, batch.clone(), Wanted::All, Some(&both), &mut expansion)?;
                for (index, (position, moves)) in batch.zip(expansion.positions()) {
                    let mut best = position.over.unwrap_or(BoundExits::NONE);
                    for ply in moves {
                        let [lower, upper] = self.after(slice, Some(&both), ply)?;
                        best = best.max(ply.gain + if ply.stays { upper } else { -lower });
                    }
                    both.update(index, |old| Some(bits([bounds(old)[0], best])));
                }
            }
            Ok::<(), LoadError>(())
        })?;
        Ok(both)
    }

    /// Expands some positions of a slice, whose own bounds may be given, and prefetches those of what
    /// their moves lead to.
    pub(crate) fn expand(
        &self,
        slice: SliceId,
        range: Range<u64>,
        wanted: Wanted,
        own: Option<&Packed<16>>,
        expansion: &mut Expansion,
    ) -> Result<()> {
        self.plies.expand(slice, range, wanted, expansion);
        for ply in expansion.moves() {
            let there = match own {
                Some(own) if ply.slice == slice.0 => Some(own),
                _ => self.get(ply.slice)?,
            };
            if let Some(bounds) = there {
                bounds.prefetch(ply.index);
            }
        }
        Ok(())
    }

    /// Both bounds of the position after a move from a slice, whose own may be given.
    #[inline]
    pub(crate) fn after(
        &self,
        slice: SliceId,
        own: Option<&Packed<16>>,
        ply: &Ply,
    ) -> Result<[i8; 2]> {
        let there = match own {
            Some(own) if ply.slice == slice.0 => Some(own),
            _ => self.get(ply.slice)?,
        };
        match there {
            Some(both) => Ok(bounds(both.get(ply.index))),
            None => self.probe(ply.slice, ply.index),
        }
    }

    /// Both bounds of a position of a slice that is not in memory.
    #[cold]
    fn probe(&self, slice: u32, index: u64) -> Result<[i8; 2]> {
        let lower = self.set.probe(slice, index)?;
        let mut expansion = Expansion::default();
        self.plies.expand(SliceId(slice), index..index + 1, Wanted::All, &mut expansion);
        let mut best = BoundExits::NONE;
        for (position, moves) in expansion.positions() {
            best = position.over.unwrap_or(best);
            for ply in moves {
                best = best.max(if ply.stays {
                    ply.gain + self.probe(ply.slice, ply.index)?[1]
                } else {
                    ply.gain - self.set.probe(ply.slice, ply.index)?
                });
            }
        }
        Ok([lower, best])
    }

    /// The exits of consecutive positions of the slice above.
    pub(crate) fn exits(
        &self,
        slice: SliceId,
        range: Range<u64>,
        out: &mut Vec<BoundExits>,
    ) -> Result<()> {
        out.clear();
        let mut expansion = Expansion::default();
        for batch in batches(range) {
            self.expand(slice, batch, Wanted::Exits, None, &mut expansion)?;
            for (position, moves) in expansion.positions() {
                let over = position.over.unwrap_or(BoundExits::NONE);
                let mut exits = BoundExits { lower: over, upper: over, internal: 0 };
                for ply in moves {
                    let [lower, upper] = self.after(slice, None, ply)?;
                    let [lower, upper] = if ply.stays {
                        [ply.gain + lower, ply.gain + upper]
                    } else {
                        [ply.gain - upper, ply.gain - lower]
                    };
                    exits.lower = exits.lower.max(lower);
                    exits.upper = exits.upper.max(upper);
                }
                out.push(exits);
            }
        }
        Ok(())
    }
}

/// A range in parts that are expanded at once.
pub(crate) fn batches(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = range.end;
    range.step_by(BATCH as usize).map(move |start| start..(start + BATCH).min(end))
}

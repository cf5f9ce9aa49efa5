//! Phase 1: every position's best value through moves that leave the slice, from finished files.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use nutcracker_game::{Children, Exits, Score, SliceId, SliceView};
use nutcracker_table::{Reach, Table, TableError, TableSet};

use crate::parallel::for_each_until_stopped;
use crate::progress::{Phase, Progress};
use crate::solve::SolveError;

/// The scores of finished slices, from their files.
#[derive(Debug)]
pub(crate) struct SetChildren<'a> {
    set: &'a TableSet,
    /// The open table of each slice below the one at hand.
    tables: Vec<OnceLock<Arc<Table>>>,
    /// To what size the scores of each are needed.
    needs: Vec<u8>,
}

impl<'a> SetChildren<'a> {
    /// For the slices below `slice`, whose scores are needed up to ±`need`.
    pub(crate) fn new(set: &'a TableSet, slice: SliceId, need: impl Fn(SliceId) -> u8) -> Self {
        SetChildren {
            set,
            tables: (0..slice.0).map(|_| OnceLock::new()).collect(),
            needs: (0..slice.0).map(|slice| need(SliceId(slice))).collect(),
        }
    }

    fn table(&self, slice: SliceId) -> Result<&Table, TableError> {
        let place = &self.tables[slice.0 as usize];
        if let Some(table) = place.get() {
            return Ok(table);
        }
        let table = self.set.get_for(slice.0, Reach::needed(self.needs[slice.0 as usize]))?;
        Ok(place.get_or_init(|| table))
    }
}

impl Children for SetChildren<'_> {
    type Error = TableError;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), TableError> {
        self.set.cache().read(self.table(slice)?, start, out)
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        Ok(self.set.cache().probe(self.table(slice)?, index)?.into())
    }
}

/// One thread's access to single scores of finished slices: remembers the blocks it used last, so
/// that neighbours cost no lock.
#[derive(Debug)]
pub(crate) struct Nearby<'a> {
    children: &'a SetChildren<'a>,
    /// By a hash of slice and block: which block, and its scores.
    blocks: Vec<(u64, Vec<i8>)>,
}

impl<'a> Nearby<'a> {
    const PLACES: u64 = 64;
    const NOTHING: u64 = u64::MAX;

    pub(crate) fn new(children: &'a SetChildren<'a>) -> Self {
        let blocks = (0..Self::PLACES).map(|_| (Self::NOTHING, Vec::new())).collect();
        Nearby { children, blocks }
    }

    #[inline]
    pub(crate) fn score(&mut self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        let table = self.children.table(slice)?;
        let size = u64::from(table.header().block_positions);
        let (block, within) = (index / size, index % size);
        let name = block << 8 | u64::from(slice.0);
        let place = (name.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % Self::PLACES;
        let (found, scores) = &mut self.blocks[place as usize];
        if *found != name {
            *found = Self::NOTHING;
            scores.resize(table.header().block_len(block), 0);
            self.children.set.cache().read(table, block * size, scores)?;
            *found = name;
        }
        Ok(scores[within as usize].into())
    }
}

/// Hands over the exits of all positions of a slice, in runs.
pub(crate) fn conversions<V: SliceView>(
    view: &V,
    children: &SetChildren<'_>,
    enter: impl Fn(u64, &[Exits]) + Sync,
    threads: usize,
    progress: &dyn Progress,
) -> Result<(), SolveError> {
    let done = AtomicU64::new(0);
    progress.begin(Phase::Conversions, view.len());
    for_each_until_stopped(view.parts(), 1, threads, progress, |parts| {
        for part in parts {
            let mut entered = 0;
            view.exits(part, children, |start, run| {
                enter(start, run);
                entered += run.len() as u64;
            })?;
            progress.advance(done.fetch_add(entered, Relaxed) + entered);
        }
        Ok(())
    })
}

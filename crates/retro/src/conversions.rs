//! Phase 1: every position's best value through moves that leave the slice, from finished files.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{Children, SliceId, SliceView};
use nutcracker_table::{TableError, TableSet};

use crate::fixpoint::memory::States;
use crate::parallel::for_each_chunk;
use crate::progress::{Phase, Progress};

/// The scores of finished slices, from their files.
#[derive(Debug)]
pub(crate) struct SetChildren<'a> {
    set: &'a TableSet,
}

impl<'a> SetChildren<'a> {
    pub(crate) fn new(set: &'a TableSet) -> Self {
        SetChildren { set }
    }
}

impl Children for SetChildren<'_> {
    type Error = TableError;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), TableError> {
        self.set.read(slice.0, start, out)
    }
}

/// Enters the exits of all positions of a slice.
pub(crate) fn conversions<V: SliceView>(
    view: &V,
    set: &TableSet,
    states: &States,
    threads: usize,
    progress: &dyn Progress,
) -> Result<(), TableError> {
    let children = SetChildren::new(set);
    let done = AtomicU64::new(0);
    progress.begin(Phase::Conversions, view.len());
    for_each_chunk(view.parts(), 1, threads, |parts| {
        for part in parts {
            let mut entered = 0;
            view.exits(part, &children, |start, run| {
                states.enter(start, run);
                entered += run.len() as u64;
            })?;
            progress.advance(done.fetch_add(entered, Relaxed) + entered);
        }
        Ok(())
    })
}

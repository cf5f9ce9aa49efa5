//! What a solver tells while it works; nothing here knows a terminal.

use nutcracker_game::SliceId;
use thiserror::Error;

use crate::solve::SliceReport;

/// The phases of solving a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Best values through moves that leave the slice.
    Conversions,
    /// Values spread inside the slice.
    Fixpoint,
    /// Blocks, checksums, the finished file.
    Pack,
    /// The finished file checked by other code.
    Verify,
}

/// Somebody asked to stop before the end. Nothing finished is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("stopped; the same command goes on from here")]
pub struct Stopped;

/// Somebody who wants to know, and may have had enough. Called from several threads.
pub trait Progress: Sync {
    /// Work on a slice begins.
    fn slice(&self, _slice: SliceId, _positions: u64) {}
    /// A phase begins that will look at `positions` positions at most.
    fn begin(&self, _phase: Phase, _positions: u64) {}
    /// So many positions are done in this phase.
    fn advance(&self, _done: u64) {}
    /// Something worth a line, such as which solver was chosen and why.
    fn note(&self, _text: &str) {}
    /// A slice is finished, now or by an earlier run.
    fn finished(&self, _report: &SliceReport) {}
    /// Whether work should end at the next chunk, with [`Stopped`]. Once true, it stays true.
    fn must_stop(&self) -> bool {
        false
    }
}

/// Nobody wants to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

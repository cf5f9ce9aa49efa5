//! Progress events of a solver, and requests to stop; independent of any terminal.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use nutcracker_game::SliceId;
use thiserror::Error;

use crate::report::{Choice, SliceReport};

/// The phases of solving a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Best values through moves that leave the slice.
    Exits,
    /// Values spread inside the slice.
    Fixpoint,
    /// Blocks, checksums, the finished file.
    Pack,
    /// The finished file checked by other code.
    Verify,
}

/// The caller requested a stop before the end. Nothing finished is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("stopped; the same command continues from here")]
pub struct Stopped;

/// Receives progress events and may request a stop. Called from several threads.
pub trait Progress: Sync {
    /// Work on a slice begins.
    fn slice(&self, _slice: SliceId, _positions: u64) {}
    /// Which solver was chosen for the slice.
    fn chose(&self, _choice: &Choice) {}
    /// A phase begins, whose progress is measured from 0 to `positions`.
    fn begin(&self, _phase: Phase, _positions: u64) {}
    /// The progress of this phase. It never decreases within a phase, and a phase that is
    /// completed ends at the number it began with.
    fn advance(&self, _done: u64) {}
    /// Something else worth a line.
    fn note(&self, _text: &str) {}
    /// A slice is finished, now or by an earlier run.
    fn finished(&self, _report: &SliceReport) {}
    /// Whether work should end at the next chunk, with [`Stopped`]. Once true, it stays true.
    fn must_stop(&self) -> bool {
        false
    }
}

/// Ignores every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// Reports the progress of one phase from several threads such that it never decreases.
pub(crate) struct Meter<'a> {
    progress: &'a dyn Progress,
    total: u64,
    done: AtomicU64,
    reported: Mutex<u64>,
}

impl<'a> Meter<'a> {
    /// Where it reports to.
    pub(crate) fn progress(&self) -> &'a dyn Progress {
        self.progress
    }

    /// Begins a phase.
    pub(crate) fn begin(progress: &'a dyn Progress, phase: Phase, total: u64) -> Self {
        progress.begin(phase, total);
        Meter { progress, total, done: AtomicU64::new(0), reported: Mutex::new(0) }
    }

    /// More positions are done.
    pub(crate) fn add(&self, positions: u64) {
        self.report(self.done.fetch_add(positions, Relaxed) + positions);
    }

    /// At least `done` positions are done.
    pub(crate) fn reach(&self, done: u64) {
        self.report(self.done.fetch_max(done, Relaxed).max(done));
    }

    fn report(&self, done: u64) {
        // While another thread reports, this one need not: a later report includes it.
        if let Ok(mut reported) = self.reported.try_lock() {
            *reported = done.min(self.total).max(*reported);
            self.progress.advance(*reported);
        }
    }

    /// The phase is completed.
    pub(crate) fn finish(&self) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        *reported = self.total;
        self.progress.advance(self.total);
    }
}

/// The progress of levels, each of which takes an unknown number of passes over all positions:
/// every level counts the same, and every pass is half of what is left of its level.
pub(crate) struct LevelMeter<'a> {
    meter: Meter<'a>,
    positions: u64,
    levels: u64,
    /// Levels completed.
    level: AtomicU64,
    /// Passes of the current level completed.
    pass: AtomicU64,
    in_pass: AtomicU64,
}

impl<'a> LevelMeter<'a> {
    /// Begins the fixpoint.
    pub(crate) fn begin(progress: &'a dyn Progress, positions: u64, levels: u64) -> Self {
        LevelMeter {
            meter: Meter::begin(progress, Phase::Fixpoint, positions),
            positions,
            levels: levels.max(1),
            level: AtomicU64::new(0),
            pass: AtomicU64::new(0),
            in_pass: AtomicU64::new(0),
        }
    }

    /// `levels` levels are completed.
    pub(crate) fn completed(&self, levels: u64) {
        self.level.store(levels, Relaxed);
        self.pass.store(0, Relaxed);
        self.in_pass.store(0, Relaxed);
        self.add(0);
    }

    /// A pass of the current level is completed.
    pub(crate) fn next_pass(&self) {
        self.pass.fetch_add(1, Relaxed);
        self.in_pass.store(0, Relaxed);
    }

    /// More positions of the current pass are done.
    pub(crate) fn add(&self, positions: u64) {
        let in_pass = self.in_pass.fetch_add(positions, Relaxed) + positions;
        let left = 0.5_f64.powi(self.pass.load(Relaxed).min(60) as i32);
        let pass = in_pass as f64 / self.positions.max(1) as f64;
        let level = 1.0 - left + left / 2.0 * pass.min(1.0);
        let share = (self.level.load(Relaxed) as f64 + level) / self.levels as f64;
        self.meter.reach((share * self.positions as f64) as u64);
    }

    /// All levels are completed.
    pub(crate) fn finish(&self) {
        self.meter.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Record(Mutex<Vec<u64>>);

    impl Progress for Record {
        fn advance(&self, done: u64) {
            self.0.lock().unwrap().push(done);
        }
    }

    #[test]
    fn levels_and_passes_never_go_back_and_end_at_the_end() {
        let record = Record::default();
        let meter = LevelMeter::begin(&record, 1000, 3);
        for level in 0..3 {
            meter.completed(level);
            for _ in 0..=level {
                meter.add(600);
                meter.add(400);
                meter.next_pass();
            }
        }
        meter.finish();
        let seen = record.0.into_inner().unwrap();
        assert!(seen.is_sorted(), "{seen:?}");
        assert_eq!(seen.last(), Some(&1000));
        assert!(seen.contains(&333) && seen.contains(&166), "{seen:?}");
    }
}

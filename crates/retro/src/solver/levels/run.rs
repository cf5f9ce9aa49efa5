//! From the largest level down to 1: the loop over levels, its work files, and resuming.
//!
//! A level's files are complete before the checkpoint names them; within a level, every loss that
//! was written is true whatever came after, so the level is resumed from what was written.

use std::time::Instant;

use nutcracker_game::{Game, IndexMatrix, SliceView};

use super::super::{SliceJob, SliceSolver, SolvedSlice};
use super::changes::Changes;
use super::follow::FollowNews;
use super::pass::{Levels, WorkCount};
use crate::error::SolveError;
use crate::parallel::beside;
use crate::progress::LevelMeter;
use crate::report::{Effort, LevelWork};
use crate::store::disk::{Bytes, DiskStatuses, WorkFileError};
use crate::store::folder::Folder;
use crate::store::{Sequence, Wins};

/// The checkpoint: the level whose files are complete and which is being computed.
const CHECKPOINT: &str = "level.checkpoint";

fn file_name(what: &str, level: u8) -> String {
    format!("{what}-{level}.bin")
}

/// A slice to be solved by one of the level solvers.
pub(super) struct LevelRun<'a, G> {
    pub(super) job: &'a SliceJob<'a, G>,
    /// Bytes for the game's look-up tables; what they do not cover goes by the rules.
    tables: u64,
    /// The most positions whose wins are brought into sequence at a time.
    strip: u64,
    pub(super) folder: Folder,
    pub(super) resumable: bool,
}

/// The levels of a slice, once its exits are known.
pub(super) struct LevelLoop<'a, G: Game> {
    run: &'a LevelRun<'a, G>,
    pub(super) folder: &'a Folder,
    pub(super) view: &'a G::View,
    pub(super) forward: &'a G::Forward,
    exits: &'a Bytes,
    exchanges: &'a [IndexMatrix],
    pub(super) len: u64,
    meter: &'a LevelMeter<'a>,
}

/// How a solver finds what a level settles.
pub(super) struct Spreading<'a> {
    /// Whether the sequential side survives an interruption.
    pub(super) resumable: bool,
    /// Spreads from new wins, and from positions that may be lost from now on.
    pub(super) follow: Option<&'a FollowNews<'a>>,
    /// Whether sweeps must find the rest; resets what it depends on.
    pub(super) must_sweep: &'a dyn Fn() -> bool,
}

impl Spreading<'_> {
    /// By sweeps alone.
    pub(super) const SWEEPS: Spreading<'static> =
        Spreading { resumable: true, follow: None, must_sweep: &|| true };
}

impl<'a, G: Game> LevelRun<'a, G> {
    pub(super) fn new(
        job: &'a SliceJob<'a, G>,
        solver: &dyn SliceSolver<G>,
        strip: u64,
    ) -> Result<Self, SolveError> {
        let tables = solver.estimate(&job.task).map_or(0, |estimate| estimate.tables);
        let (folder, resumable) = (job.folder(solver.name()), job.resumable());
        if !resumable {
            folder.clear();
        }
        folder.make()?;
        Ok(LevelRun { job, tables, strip, folder, resumable })
    }

    /// Solves the slice; `levels` runs the loop over levels with its own stores.
    pub(super) fn solve(
        &self,
        levels: impl FnOnce(&LevelLoop<'_, G>) -> Result<(Bytes, LevelWork), SolveError>,
    ) -> Result<SolvedSlice, SolveError> {
        let started = Instant::now();
        let task = &self.job.task;
        let (back, ahead) = (task.game.view_bytes(task.slice), task.game.forward_bytes(task.slice));
        let for_view = (u128::from(self.tables) * u128::from(back))
            .checked_div(u128::from(back + ahead))
            .unwrap_or(0) as u64;
        let view = &task.game.view_within(task.slice, for_view);
        let forward = &task.game.forward_within(task.slice, self.tables - for_view);
        let exits = &self.support(view)?;
        let exit_time = started.elapsed();
        // Writing the final scores counts as one more level.
        let meter = &LevelMeter::begin(self.job.progress, view.len(), u64::from(task.top) + 1);
        let exchanges = &task.game.matrices(task.slice)[..];
        let (folder, len) = (&self.folder, view.len());
        let (scores, work) =
            levels(&LevelLoop { run: self, folder, view, forward, exits, exchanges, len, meter })?;
        meter.finish();
        let effort = Effort { levels: work, ..Effort::default() };
        Ok(SolvedSlice { scores: Box::new(scores), effort, exit_time })
    }
}

impl<G: Game> LevelLoop<'_, G> {
    /// The scores of a level to be written; they get their name when they are complete.
    fn new_scores(&self) -> Result<Bytes, WorkFileError> {
        Ok(Bytes::new(self.folder.create("scores.tmp", self.len)?))
    }

    /// The statuses of a level: from an earlier run, or to be written.
    pub(super) fn disk_statuses(
        &self,
        level: u8,
        resumed: bool,
    ) -> Result<DiskStatuses, WorkFileError> {
        let (name, bytes) = (file_name("sides", level), DiskStatuses::bytes(self.len));
        let folder = self.folder;
        let file = if resumed { folder.open(&name, bytes) } else { folder.create(&name, bytes) };
        Ok(DiskStatuses::new(file?))
    }

    fn with<'b, W, Q>(&'b self, wins: &'b W, statuses: &'b Q) -> Levels<'b, G, W, Q> {
        Levels {
            view: self.view,
            forward: self.forward,
            wins,
            statuses,
            exits: self.exits,
            len: self.len,
            threads: self.run.job.task.options.threads,
            exchanges: self.exchanges,
            strip: self.run.strip.min(self.len),
            progress: self.run.job.progress,
            meter: self.meter,
        }
    }

    /// From the largest level down to 1. `sides_of` gives the sequential side of a level, and is
    /// passed whether an earlier run has filled it.
    pub(super) fn levels<W: Wins, Q: Sequence>(
        &self,
        wins: &W,
        statuses_of: impl Fn(u8, bool) -> Result<Q, WorkFileError>,
        spreading: &Spreading<'_>,
    ) -> Result<(Bytes, LevelWork), SolveError> {
        let changes = Changes::new(self.len)?;
        let work = WorkCount::default();
        let top = self.run.job.task.top;
        let resumed =
            self.folder.checkpoint(CHECKPOINT)?.and_then(|[level]| u8::try_from(level).ok());
        let resumed = resumed.filter(|level| (1..=top).contains(level));

        let mut before: Option<(Bytes, Q)> = None;
        for level in (1..=resumed.unwrap_or(top)).rev() {
            self.meter.completed(u64::from(top - level));
            let first = before.is_none();
            let resumed = first && resumed == Some(level);
            let statuses = statuses_of(level, resumed)?;
            let levels = self.with(wins, &statuses);
            let scores = if resumed {
                let name = file_name("scores", level);
                let scores = Bytes::new(self.folder.open(&name, self.len)?);
                if spreading.resumable {
                    levels.restore(level, &scores, &changes)?;
                } else {
                    levels.turn(level, None, Some(&scores), None, &changes)?;
                }
                scores
            } else {
                let scores = self.new_scores()?;
                let (old, above) = before.as_ref().map(|(old, above)| (old, above)).unzip();
                levels.turn(level, above, old, Some(&scores), &changes)?;
                Bytes::new(scores.into_file().rename(&file_name("scores", level))?)
            };
            let keep = || {
                if resumed {
                    return Ok(());
                }
                self.keep(level, first, &scores, &statuses)
            };
            // The disk works while the level is computed.
            beside(keep, || {
                if let Some(follow) = spreading.follow {
                    levels.follow(level, first, &scores, follow)?;
                }
                if (spreading.must_sweep)() {
                    while levels.sweep(&changes, &work)? > 0 {}
                }
                Ok(())
            })?;
            before = Some((scores, statuses));
        }
        self.meter.completed(top.into());
        let last = self.new_scores()?;
        if let Some((scores, statuses)) = &before {
            self.with(wins, statuses).finish(scores, &last)?;
        }
        Ok((last, work.get()))
    }

    /// Syncs a level's files and moves the checkpoint to it; the files of the level above are not
    /// needed any more.
    fn keep<Q: Sequence>(
        &self,
        level: u8,
        first: bool,
        scores: &Bytes,
        statuses: &Q,
    ) -> Result<(), SolveError> {
        if self.run.resumable {
            statuses.sync()?;
            scores.sync()?;
            self.folder.sync()?;
            self.folder.set_checkpoint(CHECKPOINT, &[level.into()])?;
        }
        if !first {
            self.folder.remove(&file_name("scores", level + 1));
            self.folder.remove(&file_name("sides", level + 1));
        }
        Ok(())
    }
}

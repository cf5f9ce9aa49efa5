//! One slice, from its lock to its entry in the manifest.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use nutcracker_game::SliceId;
use nutcracker_table::{Lease, Table, TableError, TableSet, remove_unfinished};

use super::Fleet;
use super::member::Member;
use crate::error::SolveError;
use crate::progress::{Phase, Progress, Stopped};
use crate::report::{Choice, Effort, Seconds, SliceReport};

/// Work that ends when its lock is lost.
struct WhileHeld<'a> {
    progress: &'a dyn Progress,
    lease: &'a Lease,
}

impl Progress for WhileHeld<'_> {
    fn slice(&self, slice: SliceId, positions: u64) {
        self.progress.slice(slice, positions);
    }
    fn chose(&self, choice: &Choice) {
        self.progress.chose(choice);
    }
    fn begin(&self, phase: Phase, positions: u64) {
        self.progress.begin(phase, positions);
    }
    fn advance(&self, done: u64) {
        self.progress.advance(done);
    }
    fn note(&self, text: &str) {
        self.progress.note(text);
    }
    fn finished(&self, report: &SliceReport) {
        self.progress.finished(report);
    }
    fn must_stop(&self) -> bool {
        self.lease.is_lost() || self.progress.must_stop()
    }
}

impl Fleet<'_> {
    /// Finishes a slice whose lock this process has; returns a report if it has solved it.
    pub(super) fn take(
        &self,
        member: &mut Member<'_>,
        slice: SliceId,
        lease: Lease,
    ) -> Result<Option<SliceReport>, SolveError> {
        let label = &self.nodes[&slice].label;
        let place = self.place(member, slice, &lease.word());
        if let Some(previous) = lease.previous() {
            let left = self.place(member, slice, &previous.word);
            if previous.free {
                // Its owner has stopped: what it did is continued, if it left anything.
                let _ = self.storage.rename(&left, &place);
            } else {
                self.progress
                    .note(&format!("{label}: taken over from {previous}, which is silent"));
                member.miss(previous)?;
            }
        }
        let result = self.finish(member, slice, &lease, &place);
        let held = lease.is_held();
        match result {
            Ok(report) => {
                if held? {
                    self.clear(member, slice);
                    lease.remove()?;
                }
                Ok(report)
            }
            // Whatever failed, failed because another process has the slice.
            Err(_) if matches!(held, Ok(false)) && !self.progress.must_stop() => {
                self.progress.note(&format!("{label}: another process has taken it over"));
                let _ = self.storage.remove_dir(&place);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Where only the owner of a lock works.
    fn place(&self, member: &Member<'_>, slice: SliceId, word: &str) -> PathBuf {
        member.folder().join(format!("{}.work-{word}", self.lock_name(slice)))
    }

    /// Removes the folders of all who worked on a slice. What cannot be removed does no harm.
    fn clear(&self, member: &Member<'_>, slice: SliceId) {
        let prefix = format!("{}.work-", self.lock_name(slice));
        for name in self.storage.list(member.folder()).unwrap_or_default() {
            if name.starts_with(&prefix) {
                let _ = self.storage.remove_dir(&member.folder().join(name));
            }
        }
    }

    fn finish(
        &self,
        member: &mut Member<'_>,
        slice: SliceId,
        lease: &Lease,
        place: &Path,
    ) -> Result<Option<SliceReport>, SolveError> {
        // The manifest may have been read before another process finished the slice.
        let mut manifest = self.manifest()?;
        if self.is_done(&manifest, slice) {
            return Ok(None);
        }
        let progress = WhileHeld { progress: self.progress, lease };
        if self.options.verify {
            for reach in self.jobs.open(self.dir).available(slice.0)? {
                if manifest.entry_for(slice.0, reach).is_some_and(|entry| entry.checked) {
                    continue;
                }
                let table = self.jobs.check_and_promote(slice, reach, &progress)?;
                self.record(member, &table)?;
            }
            manifest = self.manifest()?;
            if self.is_done(&manifest, slice) {
                return Ok(None);
            }
        }
        let (table, report) = self.build(slice, place, &progress)?;
        if !lease.is_held()? {
            return Err(Stopped.into());
        }
        let table = self.publish(slice, &table)?;
        self.record(member, &table)?;
        Ok(Some(report))
    }

    /// A table that is solved and checked, in the owner's place.
    fn build(
        &self,
        slice: SliceId,
        place: &Path,
        progress: &dyn Progress,
    ) -> Result<(Arc<Table>, SliceReport), SolveError> {
        self.storage.create_dir(place).map_err(|source| TableError::Io {
            action: "make the directory",
            path: place.to_owned(),
            source,
        })?;
        remove_unfinished(&**self.storage, place)?;
        let (own, reach) = (self.jobs.open(place), self.nodes[&slice].reach);
        // A run that was stopped during its check has left a table.
        let mut report = if let Ok(table) = own.get_exactly(slice.0, reach) {
            left(slice, &table)
        } else {
            own.forget(slice.0);
            self.jobs.build(slice, place, progress)?
        };
        let mut table = own.get_exactly(slice.0, reach)?;
        if self.options.verify {
            let began = Instant::now();
            table = self.check(slice, &own, &table, progress)?;
            if let Some(seconds) = &mut report.seconds {
                seconds.verify = began.elapsed().as_secs_f64();
            }
        }
        Ok((table, report))
    }

    fn check(
        &self,
        slice: SliceId,
        own: &TableSet,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Arc<Table>, SolveError> {
        match self.jobs.check(slice, table, progress) {
            Ok(()) => Ok(own.promote(table)?),
            Err(error) => {
                if error.refuses(table) {
                    // With the work files that it may come from: the slice is restarted next time.
                    let _ = self.storage.remove_dir(own.dir());
                }
                Err(error)
            }
        }
    }

    /// Gives a table its name in the directory. If there is one of that name, it must be the same.
    fn publish(&self, slice: SliceId, table: &Table) -> Result<Arc<Table>, SolveError> {
        let (from, reach) = (table.path(), table.header().reach);
        let failed = |action, path: &Path| {
            let path = path.to_owned();
            move |source| TableError::Io { action, path, source }
        };
        let to = self.dir.join(from.file_name().unwrap_or_default());
        let renamed = self.storage.rename_new(from, &to);
        let finished = match renamed {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let finished = self.jobs.open(self.dir).get_exactly(slice.0, reach)?;
                if finished.blake3() != table.blake3() {
                    return Err(TableError::Unexpected {
                        path: to,
                        what: "blake3",
                        found: finished.blake3(),
                        expected: table.blake3(),
                    }
                    .into());
                }
                finished
            }
            renamed => {
                renamed.map_err(failed("rename", from))?;
                self.storage.sync_dir(self.dir).map_err(failed("sync", self.dir))?;
                self.jobs.open(self.dir).get_exactly(slice.0, reach)?
            }
        };
        Ok(finished)
    }

    fn record(&self, member: &mut Member<'_>, table: &Table) -> Result<(), SolveError> {
        let (game, options) = &self.game;
        member.update_manifest(game, options, &self.options.program, |manifest| {
            manifest.adopt(table)?;
            Ok(true)
        })
    }
}

/// The report of a table that an earlier run has solved.
fn left(slice: SliceId, table: &Table) -> SliceReport {
    SliceReport {
        slice,
        positions: table.histogram().total(),
        window: table.header().reach.into(),
        bytes: table.bytes(),
        histogram: table.histogram().clone(),
        seconds: Some(Seconds::default()),
        effort: Effort::default(),
    }
}

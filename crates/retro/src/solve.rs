//! The life of a slice: exits, fixpoint, pack, verify; slice after slice.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use nutcracker_game::{Game, Metric, SliceId};
use nutcracker_table::{
    DirLock, Entry, HOLE, Header, Manifest, PackOptions, Part, Published, REMOVED, Reach,
    Reconciled, Storage, Table, TableError, TableSet, pack_with, remove_unfinished,
};

use crate::check::check_file;
use crate::error::SolveError;
use crate::fleet;
use crate::options::SolveOptions;
use crate::progress::{Meter, Phase, Progress};
use crate::report::{Effort, Seconds, SliceReport};
use crate::solver::{SliceJob, SliceTask, SolvedSlice, choose, work_prefix};
use crate::tables::{metric_of, naming, open_metric};
use crate::window;

/// Solves the slices `0..=last` of a game that are not in `dir` yet: [`solve_slices`] for a game
/// whose slices are a line.
pub fn solve<G: Game>(
    game: &G,
    storage: &Arc<dyn Storage>,
    dir: &Path,
    last: SliceId,
    options: &SolveOptions,
    progress: &dyn Progress,
) -> Result<Vec<SliceReport>, SolveError> {
    let selected: Vec<SliceId> = (0..=last.0).map(SliceId).collect();
    solve_slices(game, storage, dir, &selected, options, progress)
}

/// Solves the selected slices of a game, and those that their moves can lead to, as far as they
/// are not in `dir` yet.
///
/// Finished slices are never touched; after an interruption the same call continues with the first
/// missing one. Files of an earlier run are opened and compared with the manifest, not checked in
/// full.
pub fn solve_slices<G: Game>(
    game: &G,
    storage: &Arc<dyn Storage>,
    dir: &Path,
    selected: &[SliceId],
    options: &SolveOptions,
    progress: &dyn Progress,
) -> Result<Vec<SliceReport>, SolveError> {
    let id = game.id();
    let (metric, slices) = selection(game, selected, options)?;
    let Some(&last) = slices.last() else { return Ok(Vec::new()) };
    let _lock = match DirLock::acquire(dir) {
        Err(error @ (TableError::Locked { .. } | TableError::Fleet { .. })) => {
            let task = (game, metric, &slices[..], options);
            return finished(task, storage, dir, progress)?.ok_or_else(|| error.into());
        }
        lock => lock?,
    };
    fleet::expect_none(storage, dir, progress)?;
    remove_unfinished(&**storage, dir)?;
    let mut manifest =
        Manifest::load_or_new(&**storage, dir, id.name, &id.options, &options.program)?;
    let reconciled = manifest.reconcile(&**storage, dir, &naming(game))?;
    // A file that is not in the manifest may never have been checked: it is adopted only after this
    // run has checked it. So are files whose check was interrupted or skipped.
    let unchecked = if options.verify {
        take_unchecked(&mut manifest, &reconciled, &slices)
    } else {
        Vec::new()
    };
    if !reconciled.is_clean() {
        manifest.save(&**storage, dir)?;
    }
    remove_orphans(game, metric, &**storage, dir, &manifest);
    let mut reports = Vec::new();
    for slice in slices {
        let top = options.window.of(game, metric, slice, last);
        let task = SliceTask { game, slice, top, options };
        let job = SliceJob { task, storage, dir, place: dir, progress };
        for &(_, reach) in unchecked.iter().filter(|(unchecked, _)| *unchecked == slice.0) {
            progress.slice(slice, job.task.positions());
            let set = job.open_set();
            let table = job.check_and_promote(&set, reach)?;
            manifest.adopt(&table)?;
            manifest.save(&**storage, dir)?;
            remove_orphans(game, metric, &**storage, dir, &manifest);
        }
        let served = manifest.entry(slice.0).filter(|entry| entry.reach.serves(job.reach()));
        let report = if let Some(entry) = served {
            // A file that cannot be opened is found here, not after hours of work on the next.
            open_metric(game, Some(metric), Arc::clone(storage), dir, 0).get(slice.0)?;
            report_of(entry)
        } else {
            job.run(&mut manifest)?
        };
        progress.finished(&report);
        reports.push(report);
    }
    Ok(reports)
}

/// What is said of a slice that was solved before.
fn report_of(entry: &Entry) -> SliceReport {
    SliceReport {
        slice: SliceId(entry.slice),
        positions: entry.histogram.total(),
        window: entry.reach.into(),
        bytes: entry.bytes,
        histogram: entry.histogram.clone(),
        seconds: None,
        effort: Effort::default(),
    }
}

/// The reports of slices that are all finished, while another process builds in the same directory;
/// `None` where there is something to do. It reads alone: files and manifest are replaced whole.
fn finished<G: Game>(
    (game, metric, slices, options): (&G, Metric, &[SliceId], &SolveOptions),
    storage: &Arc<dyn Storage>,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Option<Vec<SliceReport>>, SolveError> {
    let (id, program) = (game.id(), &options.program);
    let manifest = Manifest::load_or_new(&**storage, dir, id.name, &id.options, program)?;
    let set = open_metric(game, Some(metric), Arc::clone(storage), dir, 0);
    let mut reports = Vec::with_capacity(slices.len());
    for &slice in slices {
        let last = slices[slices.len() - 1];
        let need = window::reach(game, metric, slice, options.window.of(game, metric, slice, last));
        let serves = |entry: &&Entry| {
            (entry.checked || !options.verify)
                && entry.reach.serves(need)
                && set.get(slice.0).is_ok()
        };
        let Some(entry) = manifest.entry(slice.0).filter(serves) else { return Ok(None) };
        reports.push(report_of(entry));
    }
    for report in &reports {
        progress.finished(report);
    }
    Ok(Some(reports))
}

/// The metric of the tables, and the slices to be solved in an order in which they can be.
pub(crate) fn selection<G: Game>(
    game: &G,
    selected: &[SliceId],
    options: &SolveOptions,
) -> Result<(Metric, Vec<SliceId>), SolveError> {
    let id = game.id();
    if let Some(&requested) = selected.iter().find(|&&slice| !game.has_database(slice)) {
        let (game, last) = (id.to_string(), game.largest_slice());
        return Err(SolveError::NoSuchSlice { game, requested, last });
    }
    let metric = metric_of(game, options.metric);
    if !metric.is_among(game.metrics()) {
        let (game, offered) = (id.to_string(), game.metric_names());
        return Err(SolveError::NoMetric { game, metric, offered });
    }
    Ok((metric, window::slices(game, selected, options.window)))
}

/// Which files of these slices may not have been checked. Entries that call such a file checked are
/// removed; one that is marked as unchecked keeps its entry, so that an interrupted run loses none.
pub(crate) fn take_unchecked(
    manifest: &mut Manifest,
    reconciled: &Reconciled,
    slices: &[SliceId],
) -> Vec<(u32, Reach)> {
    let mut unchecked = reconciled.adopted.clone();
    let pending = manifest.entries().iter().filter(|entry| !entry.checked);
    unchecked.extend(pending.map(|entry| (entry.slice, entry.reach)));
    unchecked.sort_unstable();
    unchecked.dedup();
    unchecked.retain(|&(slice, _)| slices.contains(&SliceId(slice)));
    for &(slice, reach) in &unchecked {
        if manifest.entry_for(slice, reach).is_some_and(|entry| entry.checked) {
            manifest.remove(slice, reach);
        }
    }
    unchecked
}

/// Removes the work folders of slices that are finished, or that were to be removed: a run that was
/// killed meanwhile left them. What cannot be removed does no harm.
fn remove_orphans<G: Game>(
    game: &G,
    metric: Metric,
    storage: &dyn Storage,
    dir: &Path,
    manifest: &Manifest,
) {
    for name in storage.list(dir).unwrap_or_default() {
        if name.starts_with("work-") && name.ends_with(REMOVED) {
            let _ = storage.remove_dir(&dir.join(&name));
            continue;
        }
        let mut numbers = name.strip_prefix("work-").into_iter().flat_map(|rest| rest.split('-'));
        let slice = numbers.next().and_then(|slice| slice.parse().ok());
        let top = numbers.next().and_then(|top| top.parse().ok());
        let (Some(slice), Some(top)) = (slice, top) else { continue };
        if slice > game.largest_slice().0 {
            continue;
        }
        let need = window::reach(game, metric, SliceId(slice), top);
        if manifest.entry(slice).is_some_and(|entry| entry.checked && entry.reach.serves(need)) {
            let _ = storage.remove_dir(&dir.join(&name));
        }
    }
}

/// The parts of a slice as a table counts them.
fn parts<G: Game>(game: &G, slice: SliceId) -> Vec<Part> {
    let part = |part: nutcracker_game::Part| Part { name: part.name, first: part.range.start };
    game.parts(slice).into_iter().map(part).collect()
}

/// Numbers without a position are not values.
pub(crate) fn mark_holes<G: Game>(game: &G, slice: SliceId, start: u64, out: &mut [i8]) {
    let range = start..start + out.len() as u64;
    game.holes(slice, range, &mut |index| out[(index - start) as usize] = HOLE);
}

impl<G: Game> SliceJob<'_, G> {
    pub(crate) fn reach(&self) -> Reach {
        window::reach(self.task.game, self.task.metric(), self.task.slice, self.task.top)
    }

    fn run(&self, manifest: &mut Manifest) -> Result<SliceReport, SolveError> {
        let mut report = self.build()?;
        let started = Instant::now();
        let (slice, set) = (self.task.slice, self.open_set());
        let table = if self.task.options.verify {
            self.check_and_promote(&set, self.reach())?
        } else {
            set.get_exactly(slice.0, self.reach())?
        };
        manifest.adopt(&table)?;
        manifest.save(&**self.storage, self.dir)?;
        self.clear_work();
        if let Some(seconds) = &mut report.seconds {
            seconds.verify = started.elapsed().as_secs_f64();
        }
        Ok(report)
    }

    /// Solves the slice and writes its file, which is to be checked yet.
    pub(crate) fn build(&self) -> Result<SliceReport, SolveError> {
        match self.try_to_build() {
            Err(SolveError::WorkFile(error)) if error.is_damage() => {
                // The work files cannot be trusted: the slice is restarted once.
                self.progress.note(&format!("{error}: starting {} again", self.task.slice));
                self.clear_work();
                self.try_to_build()
            }
            report => report,
        }
    }

    fn try_to_build(&self) -> Result<SliceReport, SolveError> {
        let slice = self.task.slice;
        self.progress.slice(slice, self.task.positions());
        let started = Instant::now();
        let solved = self.solve()?;
        let exits = solved.exit_time.as_secs_f64();
        let fixpoint = started.elapsed().as_secs_f64() - exits;
        let started = Instant::now();
        let published = self.pack(&solved)?;
        let effort = solved.effort;
        let pack = started.elapsed().as_secs_f64();
        let histogram = published.statistics.whole();
        Ok(SliceReport {
            slice,
            positions: histogram.total(),
            window: self.reach().into(),
            bytes: published.bytes,
            histogram,
            seconds: Some(Seconds { exits, fixpoint, pack, verify: 0.0 }),
            effort,
        })
    }

    fn solve(&self) -> Result<SolvedSlice, SolveError> {
        let SliceTask { game, slice, .. } = self.task;
        let max = game.max_score(slice);
        if !(0..=127).contains(&max) {
            return Err(SolveError::ScoreTooLarge { game: game.id().to_string(), slice, max });
        }
        let chosen = choose(&self.task)?;
        self.progress.chose(&chosen.choice(&self.task));
        chosen.solver.solve(self)
    }

    /// Writes the file, named as one that is not checked yet: what was solved for hours survives an
    /// interruption of the check.
    fn pack(&self, solved: &SolvedSlice) -> Result<Published, SolveError> {
        let SliceTask { game, slice, options, .. } = self.task;
        let (id, positions) = (game.id(), self.task.positions());
        let range = self.task.largest() as u8;
        let mut header =
            Header::new(id.name, id.options, slice.0, positions, range, game.index_scheme());
        header.reach = self.reach();
        header.name = game.slice_name(slice);
        self.task.metric().name().clone_into(&mut header.metric);
        header.parts = parts(game, slice);
        let pack = PackOptions {
            threads: options.threads,
            exact: solved.scores.exact(),
            ..PackOptions::default()
        };
        let meter = Meter::begin(self.progress, Phase::Pack, positions);
        let failure = Mutex::new(None);
        let sealed = pack_with(&**self.storage, self.place, &header, &pack, |start, out| {
            let filled = self.stop_if_requested().map_err(SolveError::from);
            let filled = filled.and_then(|()| Ok(solved.scores.read(start, out)?));
            if self.task.game.properties().holes {
                mark_holes(game, slice, start, out);
            }
            filled.map_err(|error| {
                let reason = error.to_string();
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                reason
            })?;
            meter.add(out.len() as u64);
            Ok(())
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        meter.finish();
        Ok(sealed?.publish(false)?)
    }

    /// Checks a file and gives it its final name. A file that is wrong and does not have that name
    /// is removed, with the work files that it may come from: the next run restarts the slice.
    pub(crate) fn check_and_promote(
        &self,
        set: &TableSet,
        reach: Reach,
    ) -> Result<Arc<Table>, SolveError> {
        let slice = self.task.slice.0;
        let table = set.get_exactly(slice, reach)?;
        match self.verify(&table, set) {
            Ok(()) => Ok(set.promote(&table)?),
            Err(error) => {
                if !table.is_checked() && error.refuses(&table) {
                    set.forget(slice);
                    let path = table.path();
                    self.storage.remove(path).map_err(|source| TableError::Io {
                        action: "remove",
                        path: path.to_owned(),
                        source,
                    })?;
                    self.clear_work();
                }
                Err(error)
            }
        }
    }

    pub(crate) fn verify(&self, table: &Table, set: &TableSet) -> Result<(), SolveError> {
        let SliceTask { game, options, .. } = self.task;
        check_file(game, table, set, options.memory, options.threads, self.progress)?;
        Ok(())
    }

    /// Removes the work files of a finished slice. What cannot be removed does no harm.
    fn clear_work(&self) {
        let prefix = work_prefix(self.task.slice);
        for name in self.storage.list(self.place).unwrap_or_default() {
            if name.starts_with(&prefix) {
                let _ = self.storage.remove_dir(&self.place.join(name));
            }
        }
    }
}

//! The life of a slice: conversions, fixpoint, pack, verify; slice after slice.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use nutcracker_game::{Exits, Game, SliceId, SliceView};
use nutcracker_mem::OutOfMemory;
use nutcracker_table::{
    DirLock, Entry, ErrorKind, Expect, Header, Histogram, Manifest, Naming, PackOptions, Reach,
    SCORE, Storage, Table, TableError, TableSet, pack_with, remove_unfinished,
};
use thiserror::Error;

use crate::check::{CheckError, check_file};
use crate::choice::{Chosen, Solver, Window, choose, memory_to_check};
use crate::conversions::{SetChildren, conversions};
use crate::fixpoint::memory::States;
use crate::fixpoint::rows::{RowStates, Streaming};
use crate::fixpoint::{Solved, sweep};
use crate::limited::{Effort, Limited, Method};
use crate::parallel::for_each_until_stopped;
use crate::plan::cache_bytes;
use crate::progress::{Phase, Progress, Stopped};
use crate::store::folder::{Folder, Watch};
use crate::store::paged::Policy;

/// How to solve. The files do not depend on it, windows apart.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// Threads at work.
    pub threads: usize,
    /// Whether each file is checked by independent code as soon as it is written.
    pub verify: bool,
    /// The program and its version, for the manifest.
    pub program: String,
    /// Which solver.
    pub solver: Solver,
    /// Bytes of memory that may be used.
    pub memory: u64,
    /// How much of the scores is wanted.
    pub window: Window,
    /// Slices with at least so many positions go on after an interruption where they were; smaller
    /// ones begin anew.
    pub checkpoint_positions: u64,
    /// Bytes of a block in the cache of the dual-index solver, and which block leaves it.
    pub paging: (u64, Policy),
    /// The most that cache takes; without it, what the memory allows.
    pub cache: Option<u64>,
    /// For tests: asked before each operation on files at work.
    pub watch: Watch,
    /// How rows are worked on, where they are.
    pub rows: RowOptions,
}

/// How the solver by rows works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RowOptions {
    /// Whether it does without special instructions of the processor.
    pub portable: bool,
    /// Bytes of memory for lines of rows. With it, rows are streamed from disk even where all
    /// would fit; without it, what the memory leaves is used.
    pub room: Option<u64>,
}

impl SolveOptions {
    /// All memory, exact scores, whatever solver fits, files checked.
    pub fn new(threads: usize, program: impl Into<String>) -> Self {
        SolveOptions {
            threads,
            verify: true,
            program: program.into(),
            solver: Solver::Auto,
            memory: u64::MAX,
            window: Window::Full,
            checkpoint_positions: 1 << 24,
            paging: (16 << 10, Policy::Clock),
            rows: RowOptions::default(),
            cache: None,
            watch: Watch::default(),
        }
    }
}

/// Seconds spent in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Best values through moves that leave the slice.
    pub conversions: f64,
    /// Values spread inside the slice.
    pub fixpoint: f64,
    /// Blocks, checksums, the finished file.
    pub pack: f64,
    /// The finished file checked by other code.
    pub verify: f64,
}

impl Seconds {
    /// All phases together.
    pub fn total(&self) -> f64 {
        self.conversions + self.fixpoint + self.pack + self.verify
    }
}

/// A finished slice.
#[derive(Clone, Debug, PartialEq)]
pub struct SliceReport {
    /// Which.
    pub slice: SliceId,
    /// The number of positions.
    pub positions: u64,
    /// 0 if scores are exact, else what they are clipped to.
    pub window: u8,
    /// The size of the file.
    pub bytes: u64,
    /// How many positions have each score.
    pub histogram: Histogram,
    /// How long it took; `None` where an earlier run did it.
    pub seconds: Option<Seconds>,
    /// What a solver with little memory did.
    pub effort: Effort,
}

/// Why a slice could not be solved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A file cannot be read or written, or is damaged.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A finished file failed its check: memory or disk is faulty, or this program is.
    #[error(transparent)]
    Check(CheckError),
    /// Somebody asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// A file of a slice at work cannot be used.
    #[error(transparent)]
    Scratch(#[from] crate::store::disk::ScratchError),
    /// The game has no such slice.
    #[error("{game} has slices up to {last}, so {asked} cannot be solved")]
    NoSuchSlice {
        /// The game.
        game: String,
        /// The slice asked for.
        asked: SliceId,
        /// The last one there is.
        last: SliceId,
    },
    /// No solver can do with so little memory.
    #[error(
        "{slice} of {game} needs at least {needed} bytes of memory with solver {solver}, and \
         {given} are given; raise --memory"
    )]
    TooLittleMemory {
        /// The game.
        game: String,
        /// The slice.
        slice: String,
        /// The solver asked for.
        solver: Solver,
        /// Bytes it needs.
        needed: u64,
        /// Bytes it may use.
        given: u64,
    },
    /// The solver by rows is not for this game.
    #[error(
        "{game} cannot be solved by rows, which is for games of sowing on two halves; take another \
         --solver"
    )]
    NoRows {
        /// The game.
        game: String,
    },
    /// Scores do not fit the file format.
    #[error("scores of slice {slice} of {game} reach {max}, and a file holds up to 127")]
    ScoreTooLarge {
        /// The game.
        game: String,
        /// The slice.
        slice: SliceId,
        /// The largest score.
        max: i16,
    },
}

impl From<CheckError> for SolveError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Stopped(stopped) => SolveError::Stopped(stopped),
            error => SolveError::Check(error),
        }
    }
}

impl SolveError {
    /// Whether it says that this very file is wrong.
    fn refuses(&self, table: &Table) -> bool {
        let name = table.path().display().to_string();
        match self {
            SolveError::Check(CheckError::Wrong { file, .. }) => *file == name,
            SolveError::Table(TableError::Damaged { path, .. })
            | SolveError::Check(CheckError::Table(TableError::Damaged { path, .. })) => {
                path == table.path()
            }
            _ => false,
        }
    }

    /// Who has to act.
    pub fn kind(&self) -> ErrorKind {
        match self {
            SolveError::Table(error) => error.kind(),
            SolveError::Check(error) => error.kind(),
            SolveError::Memory(_) | SolveError::Scratch(_) | SolveError::Stopped(_) => {
                ErrorKind::Io
            }
            SolveError::NoSuchSlice { .. }
            | SolveError::TooLittleMemory { .. }
            | SolveError::NoRows { .. }
            | SolveError::ScoreTooLarge { .. } => ErrorKind::Usage,
        }
    }
}

/// The tables of a game in a directory, each compared when it is opened with what the game says of
/// its slice.
pub fn open_set<G: Game>(
    game: &G,
    storage: Arc<dyn Storage>,
    dir: &Path,
    cache_bytes: u64,
) -> TableSet {
    let id = game.id();
    let expecting = game.clone();
    TableSet::open(storage, dir, id.name, id.options, cache_bytes as usize).expecting(
        move |slice| {
            let slice = SliceId(slice);
            (slice <= expecting.largest_slice()).then(|| Expect {
                positions: expecting.slice_len(slice),
                range: expecting.max_score(slice) as u8,
                scheme: expecting.index_scheme().to_owned(),
                metric: SCORE.to_owned(),
            })
        },
    )
}

/// Solves the slices `0..=last` of a game that are not in `dir` yet.
///
/// Finished slices are never touched; after an interruption the same call goes on with the first
/// missing one. Files of an earlier run are opened and compared with the manifest, not checked in
/// full.
pub fn solve<G: Game>(
    game: &G,
    storage: &Arc<dyn Storage>,
    dir: &Path,
    last: SliceId,
    options: &SolveOptions,
    progress: &dyn Progress,
) -> Result<Vec<SliceReport>, SolveError> {
    let id = game.id();
    if last > game.largest_slice() {
        let (game, last, asked) = (id.to_string(), game.largest_slice(), last);
        return Err(SolveError::NoSuchSlice { game, asked, last });
    }
    let _lock = DirLock::acquire(dir)?;
    remove_unfinished(&**storage, dir)?;
    let mut manifest =
        Manifest::load_or_new(&**storage, dir, id.name, &id.options, &options.program)?;
    let naming = Naming::default();
    let reconciled = manifest.reconcile(&**storage, dir, &naming)?;
    // A file that no manifest knows was perhaps never checked: until this run has checked it, it
    // stays unknown. So do files whose check was interrupted or left out.
    let mut unchecked = reconciled.adopted.clone();
    let pending = manifest.entries().iter().filter(|entry| !entry.checked);
    unchecked.extend(pending.map(|entry| (entry.slice, entry.reach)));
    unchecked.sort_unstable();
    unchecked.dedup();
    unchecked.retain(|&(slice, _)| options.verify && slice <= last.0);
    for &(slice, reach) in &unchecked {
        manifest.remove(slice, reach);
    }
    if !reconciled.is_clean() {
        manifest.save(&**storage, dir)?;
    }
    remove_orphans(game, &**storage, dir, &manifest);
    let mut reports = Vec::new();
    for slice in options.window.slices(game, last) {
        let top = options.window.of(game, slice, last);
        for &(_, reach) in unchecked.iter().filter(|(unchecked, _)| *unchecked == slice.0) {
            let job = Job { game, storage, dir, slice, top, options, progress };
            let set = job.open_set();
            let table = job.check_and_promote(&set, reach)?;
            manifest.adopt(&table)?;
            manifest.save(&**storage, dir)?;
            remove_orphans(game, &**storage, dir, &manifest);
        }
        let need = reach_of(game, slice, top);
        let serves = |entry: &&Entry| entry.reach.serves(need);
        let report = if let Some(entry) = manifest.entry(slice.0).filter(serves) {
            // A file that cannot be opened is found here, not after hours of work on the next.
            open_set(game, Arc::clone(storage), dir, 0).get(slice.0)?;
            SliceReport {
                slice,
                positions: entry.positions,
                window: entry.reach.into(),
                bytes: entry.bytes,
                histogram: entry.histogram.clone(),
                seconds: None,
                effort: Effort::default(),
            }
        } else {
            let job = Job { game, storage, dir, slice, top, options, progress };
            match job.run(&mut manifest) {
                Err(SolveError::Scratch(error)) if error.is_damage() => {
                    // What is left of the work cannot be trusted: it is done once more, from the
                    // beginning.
                    progress.note(&format!("{error}: starting {slice} again"));
                    job.clear_work();
                    job.run(&mut manifest)?
                }
                report => report?,
            }
        };
        progress.finished(&report);
        reports.push(report);
    }
    Ok(reports)
}

/// The reach of a file with scores up to `top`: exact where scores reach no further.
fn reach_of<G: Game>(game: &G, slice: SliceId, top: u8) -> Reach {
    if i16::from(top) >= game.max_score(slice) { Reach::Exact } else { Reach::from(top) }
}

/// Removes the work folders of slices that are finished: a run that was killed after it had named
/// its table left them. What cannot be removed is only in the way.
fn remove_orphans<G: Game>(game: &G, storage: &dyn Storage, dir: &Path, manifest: &Manifest) {
    for name in storage.list(dir).unwrap_or_default() {
        let mut numbers = name.strip_prefix("work-").into_iter().flat_map(|rest| rest.split('-'));
        let slice = numbers.next().and_then(|slice| slice.parse().ok());
        let top = numbers.next().and_then(|top| top.parse().ok());
        let (Some(slice), Some(top)) = (slice, top) else { continue };
        if slice > game.largest_slice().0 {
            continue;
        }
        let need = reach_of(game, SliceId(slice), top);
        if manifest.entry(slice).is_some_and(|entry| entry.checked && entry.reach.serves(need)) {
            let _ = storage.remove_dir(&dir.join(&name));
        }
    }
}

/// Where the files at work on a slice are, whose scores are found up to `top` by a solver of this
/// name.
pub fn work_folder(dir: &Path, slice: SliceId, top: u8, solver: &str) -> PathBuf {
    dir.join(format!("{}{top}-{solver}", work_prefix(slice)))
}

fn work_prefix(slice: SliceId) -> String {
    format!("work-{slice}-")
}

struct Job<'a, G> {
    game: &'a G,
    storage: &'a Arc<dyn Storage>,
    dir: &'a Path,
    slice: SliceId,
    /// The largest level: the largest score, or the window.
    top: u8,
    options: &'a SolveOptions,
    progress: &'a dyn Progress,
}

impl<G: Game> Job<'_, G> {
    fn run(&self, manifest: &mut Manifest) -> Result<SliceReport, SolveError> {
        let positions = self.game.slice_len(self.slice);
        self.progress.slice(self.slice, positions);
        let mut seconds = Seconds::default();
        let (solved, effort) = self.solve(&mut seconds)?;

        let started = Instant::now();
        let id = self.game.id();
        let range = self.game.max_score(self.slice) as u8;
        let mut header = Header::new(
            id.name,
            id.options,
            self.slice.0,
            positions,
            range,
            self.game.index_scheme(),
        );
        header.reach = reach_of(self.game, self.slice, self.top);
        let pack = PackOptions { threads: self.options.threads, ..PackOptions::default() };
        self.progress.begin(Phase::Pack, positions);
        let packed = AtomicU64::new(0);
        let failure = Mutex::new(None);
        let sealed = pack_with(&**self.storage, self.dir, &header, &pack, |start, out| {
            let filled = self.stop_if_asked().map_err(SolveError::from);
            let filled = filled.and_then(|()| Ok(solved.scores(start, out)?));
            filled.map_err(|error| {
                let reason = error.to_string();
                failure.lock().expect("no thread panics").get_or_insert(error);
                reason
            })?;
            let len = out.len() as u64;
            self.progress.advance(packed.fetch_add(len, Relaxed) + len);
            Ok(())
        });
        if let Some(error) = failure.into_inner().expect("no thread panics") {
            return Err(error);
        }
        // Named before it is checked: what was solved for hours survives an interruption.
        let published = sealed?.publish(false)?;
        drop(solved);
        seconds.pack = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let set = self.open_set();
        let table = if self.options.verify {
            self.check_and_promote(&set, header.reach)?
        } else {
            set.get_exactly(self.slice.0, header.reach)?
        };
        manifest.adopt(&table)?;
        manifest.save(&**self.storage, self.dir)?;
        self.clear_work();
        seconds.verify = started.elapsed().as_secs_f64();
        Ok(SliceReport {
            slice: self.slice,
            positions,
            window: header.reach.into(),
            bytes: published.bytes,
            histogram: published.statistics.whole(),
            seconds: Some(seconds),
            effort,
        })
    }

    /// Checks a file and gives it its final name. A file that is wrong and has not got that name is
    /// removed, with the work files that it may come from: the next run solves the slice anew.
    fn check_and_promote(&self, set: &TableSet, reach: Reach) -> Result<Arc<Table>, SolveError> {
        let table = set.get_exactly(self.slice.0, reach)?;
        match self.verify(&table, set) {
            Ok(true) => Ok(set.promote(&table)?),
            Ok(false) => Ok(table),
            Err(error) => {
                if !table.is_checked() && error.refuses(&table) {
                    set.forget(self.slice.0);
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

    /// Whether the scores of a whole file were compared with each other.
    fn verify(&self, table: &Table, set: &TableSet) -> Result<bool, SolveError> {
        let needed = memory_to_check(self.game, self.slice);
        if needed <= self.options.memory {
            check_file(self.game, table, set, self.options.threads, self.progress)?;
            Ok(true)
        } else {
            self.progress.note(&format!(
                "the scores of {} {} were not compared with each other: that takes {} MiB of \
                 memory, and `verify` can do it elsewhere",
                self.slice,
                self.game.slice_unit(),
                needed >> 20
            ));
            self.progress.begin(Phase::Verify, table.positions());
            self.verify_whole(table)?;
            Ok(false)
        }
    }

    /// Compares all of a file with its checksums, and nothing else.
    fn verify_whole(&self, table: &Table) -> Result<(), SolveError> {
        let (done, counted) = (AtomicU64::new(0), Mutex::new(Histogram::new()));
        let progress = self.progress;
        for_each_until_stopped(table.blocks(), 1, self.options.threads, progress, |blocks| {
            let mut values = Vec::new();
            for block in blocks {
                values.resize(table.header().block_len(block), 0);
                table.decode_block(block, &mut values)?;
                counted.lock().expect("no thread panics").add(&values);
                let checked = values.len() as u64;
                progress.advance(done.fetch_add(checked, Relaxed) + checked);
            }
            Ok::<(), SolveError>(())
        })?;
        table.verify_histogram(&counted.into_inner().expect("no thread panics"))?;
        if table.verify_digest_while(|| !progress.must_stop())? {
            Ok(())
        } else {
            Err(Stopped.into())
        }
    }

    /// Where a method's files at work are. Each method has its own: what one has left behind
    /// after an interruption says nothing to another.
    fn folder(&self, method: &Method) -> Folder {
        self.folder_of(method.name())
    }

    fn folder_of(&self, solver: &str) -> Folder {
        let path = work_folder(self.dir, self.slice, self.top, solver);
        let (game, scheme) = (self.game.id(), self.game.index_scheme());
        let description =
            format!("{game}, slice {}, up to {}, {solver}, {scheme}", self.slice, self.top);
        Folder::new(path, Arc::clone(self.storage), description, self.options.watch.clone())
    }

    /// Removes the files at work of a slice that is finished. What stays is only in the way.
    fn clear_work(&self) {
        let prefix = work_prefix(self.slice);
        for name in self.storage.list(self.dir).unwrap_or_default() {
            if name.starts_with(&prefix) {
                let _ = self.storage.remove_dir(&self.dir.join(name));
            }
        }
    }

    fn stop_if_asked(&self) -> Result<(), Stopped> {
        if self.progress.must_stop() { Err(Stopped) } else { Ok(()) }
    }

    fn open_set(&self) -> TableSet {
        let cache = cache_bytes(self.game.slice_len(self.slice)).min(self.options.memory / 8);
        open_set(self.game, Arc::clone(self.storage), self.dir, cache)
    }

    fn convert<V: SliceView>(
        &self,
        view: &V,
        children: &SetChildren<'_>,
        enter: impl Fn(u64, &[Exits]) + Sync,
    ) -> Result<(), SolveError> {
        conversions(view, children, enter, self.options.threads, self.progress)
    }

    fn solve(&self, seconds: &mut Seconds) -> Result<(Solved, Effort), SolveError> {
        let max = self.game.max_score(self.slice);
        if !(0..=127).contains(&max) {
            let (game, slice) = (self.game.id().to_string(), self.slice);
            return Err(SolveError::ScoreTooLarge { game, slice, max });
        }
        let started = Instant::now();
        let set = self.open_set();
        let children = SetChildren::new(&set, self.slice, |slice| {
            // A capture of c needs the child's score to ±(K + c).
            let gain = max - self.game.max_score(slice);
            (i16::from(self.top) + gain).clamp(0, 127) as u8
        });
        let choice = choose(self.game, self.slice, self.top, self.options)?;
        self.progress.note(&choice.reason);
        let method = match choice.solver {
            Chosen::Sweep => {
                let go_on = || !self.progress.must_stop();
                let mut scores = sweep::solve_while(self.game, self.slice, &children, go_on)?;
                self.stop_if_asked()?;
                let top = self.top as i8;
                for score in &mut scores {
                    *score = (*score).clamp(-top, top);
                }
                seconds.fixpoint = started.elapsed().as_secs_f64();
                return Ok((Solved::Plain(scores), Effort::default()));
            }
            Chosen::Memory => None,
            Chosen::Rows(sowing, Some(room)) => {
                let streaming = Streaming {
                    sowing: &*sowing,
                    top: self.top,
                    portable: self.options.rows.portable,
                    threads: self.options.threads,
                    room,
                    folder: self.folder_of(Solver::Rows.name()),
                    lasting: self.game.slice_len(self.slice) >= self.options.checkpoint_positions,
                };
                let view = || self.game.view_within(self.slice, choice.tables);
                let (files, rows, conversions) = streaming.solve(view, &children, self.progress)?;
                seconds.conversions = conversions;
                seconds.fixpoint = started.elapsed().as_secs_f64() - conversions;
                let effort = Effort { rows, ..Effort::default() };
                return Ok((Solved::RowFiles(Box::new(files)), effort));
            }
            Chosen::Rows(sowing, None) => {
                let view = self.game.view(self.slice);
                let states = RowStates::new(&*sowing, self.top, self.options.rows.portable)?;
                self.convert(&view, &children, |start, run| states.enter(start, run))?;
                drop(children);
                drop((set, view));
                seconds.conversions = started.elapsed().as_secs_f64();
                let started = Instant::now();
                let rows = states.settle(self.options.threads, self.progress);
                self.stop_if_asked()?;
                seconds.fixpoint = started.elapsed().as_secs_f64();
                let effort = Effort { rows, ..Effort::default() };
                return Ok((Solved::Rows(Box::new(states)), effort));
            }
            Chosen::Limited(method) => Some(method),
        };
        if let Some(method) = method {
            let limited = Limited {
                game: self.game,
                slice: self.slice,
                top: self.top,
                method,
                tables: choice.tables,
                threads: self.options.threads,
                folder: self.folder(&method),
                lasting: self.game.slice_len(self.slice) >= self.options.checkpoint_positions,
            };
            let (scores, effort, conversions) = limited.solve(&children, self.progress)?;
            seconds.conversions = conversions;
            seconds.fixpoint = started.elapsed().as_secs_f64() - conversions;
            return Ok((Solved::File(scores), effort));
        }
        let view = self.game.view(self.slice);
        let states = States::new(view.len(), self.top, self.game.max_moves())?;
        self.convert(&view, &children, |start, run| states.enter(start, run))?;
        // The fixpoint reads no files: give the cache back first.
        drop(children);
        drop(set);
        seconds.conversions = started.elapsed().as_secs_f64();

        let started = Instant::now();
        states.settle(&view, self.options.threads, self.progress);
        self.stop_if_asked()?;
        seconds.fixpoint = started.elapsed().as_secs_f64();
        Ok((Solved::States(states), Effort::default()))
    }
}

//! The life of a slice: conversions, fixpoint, pack, verify; slice after slice.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use nutcracker_game::{Game, SliceId, SliceView};
use nutcracker_mem::OutOfMemory;
use nutcracker_table::{
    DirLock, Expect, Header, Histogram, Manifest, PackOptions, Storage, TableError, TableSet,
    pack_with, remove_unfinished,
};
use thiserror::Error;

use crate::check::{CheckError, check_slice};
use crate::conversions::{SetChildren, conversions};
use crate::fixpoint::memory::States;
use crate::fixpoint::{Solved, sweep};
use crate::plan::cache_bytes;
use crate::progress::{Phase, Progress};

/// How to solve.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// Threads at work; the files do not depend on it.
    pub threads: usize,
    /// Whether each file is checked by independent code as soon as it is written.
    pub verify: bool,
    /// The program and its version, for the manifest.
    pub program: String,
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
    /// The size of the file.
    pub bytes: u64,
    /// How many positions have each score.
    pub histogram: Histogram,
    /// How long it took; `None` where an earlier run did it.
    pub seconds: Option<Seconds>,
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
    Check(#[from] CheckError),
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
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
    if !manifest.reconcile(&**storage, dir)?.is_clean() {
        manifest.save(&**storage, dir)?;
    }
    let mut reports = Vec::new();
    for slice in (0..=last.0).map(SliceId) {
        let report = if let Some(entry) = manifest.entry(slice.0) {
            // A file that cannot be opened is found here, not after hours of work on the next.
            open_set(game, Arc::clone(storage), dir, 0).get(slice.0)?;
            SliceReport {
                slice,
                positions: entry.positions,
                bytes: entry.bytes,
                histogram: entry.histogram.clone(),
                seconds: None,
            }
        } else {
            let job = Job { game, storage, dir, slice, options, progress };
            job.run(&mut manifest)?
        };
        progress.finished(&report);
        reports.push(report);
    }
    Ok(reports)
}

struct Job<'a, G> {
    game: &'a G,
    storage: &'a Arc<dyn Storage>,
    dir: &'a Path,
    slice: SliceId,
    options: &'a SolveOptions,
    progress: &'a dyn Progress,
}

impl<G: Game> Job<'_, G> {
    fn run(&self, manifest: &mut Manifest) -> Result<SliceReport, SolveError> {
        let positions = self.game.slice_len(self.slice);
        self.progress.slice(self.slice, positions);
        let mut seconds = Seconds::default();
        let solved = self.solve(&mut seconds)?;

        let started = Instant::now();
        let id = self.game.id();
        let header = Header::new(
            id.name,
            id.options,
            self.slice.0,
            positions,
            self.game.max_score(self.slice) as u8,
            self.game.index_scheme(),
        );
        let pack = PackOptions { threads: self.options.threads, ..PackOptions::default() };
        self.progress.begin(Phase::Pack, positions);
        let packed = AtomicU64::new(0);
        let sealed = pack_with(&**self.storage, self.dir, &header, &pack, |start, out| {
            solved.scores(start, out);
            let len = out.len() as u64;
            self.progress.advance(packed.fetch_add(len, Relaxed) + len);
        })?;
        drop(solved);
        seconds.pack = started.elapsed().as_secs_f64();

        let started = Instant::now();
        if self.options.verify {
            let set = self.open_set();
            check_slice(self.game, self.slice, &set, self.options.threads, self.progress)?;
        }
        manifest.record(&sealed);
        manifest.save(&**self.storage, self.dir)?;
        seconds.verify = started.elapsed().as_secs_f64();
        Ok(SliceReport {
            slice: self.slice,
            positions,
            bytes: sealed.bytes,
            histogram: sealed.histogram,
            seconds: Some(seconds),
        })
    }

    fn open_set(&self) -> TableSet {
        let cache = cache_bytes(self.game.slice_len(self.slice));
        open_set(self.game, Arc::clone(self.storage), self.dir, cache)
    }

    fn solve(&self, seconds: &mut Seconds) -> Result<Solved, SolveError> {
        let max = self.game.max_score(self.slice);
        let Some(range) = u8::try_from(max).ok().filter(|&max| max <= 127) else {
            let (game, slice) = (self.game.id().to_string(), self.slice);
            return Err(SolveError::ScoreTooLarge { game, slice, max });
        };
        let started = Instant::now();
        let set = self.open_set();
        let children = SetChildren::new(&set, self.slice);
        if !G::UNMOVES {
            let scores = sweep::solve(self.game, self.slice, &children)?;
            seconds.fixpoint = started.elapsed().as_secs_f64();
            return Ok(Solved::Plain(scores));
        }
        let view = self.game.view(self.slice);
        let states = States::new(view.len(), range, self.game.max_moves())?;
        conversions(&view, &children, &states, self.options.threads, self.progress)?;
        // The fixpoint reads no files: give the cache back first.
        drop(children);
        drop(set);
        seconds.conversions = started.elapsed().as_secs_f64();

        let started = Instant::now();
        states.settle(&view, self.options.threads, self.progress);
        seconds.fixpoint = started.elapsed().as_secs_f64();
        Ok(Solved::States(states))
    }
}

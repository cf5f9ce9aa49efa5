//! A slice solved with little memory: its files at work, level after level, and going on after an
//! interruption.
//!
//! All files are in a folder beside the finished ones. A level's files are complete before the
//! checkpoint names them; within a level, every loss that was written is true whatever came after,
//! so the level goes on from what is there.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use nutcracker_game::{ForwardView, Game, SliceId, SliceView};

use crate::choice::Solver;
use crate::conversions::SetChildren;
use crate::fixpoint::changes::Changes;
use crate::fixpoint::follow::{Follow, FollowNews};
use crate::fixpoint::levels::{Levels, Work, WorkCount, clip};
use crate::parallel::for_each_chunk;
use crate::progress::{Phase, Progress};
use crate::solve::SolveError;
use crate::store::bits::{OneBit, TwoBits};
use crate::store::disk::{Bytes, DiskSides, Scratch, ScratchError};
use crate::store::paged::{Paged, Paging};
use crate::store::{Sequence, Wins};

/// Which bits are where, and how scores spread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Two bits in memory; un-moves are followed from each new loss at once.
    TwoBit {
        /// The most wins on a thread's worklist.
        worklist: usize,
    },
    /// Two bits in memory; repeated sweeps.
    TwoBitSweeps,
    /// One bit in memory, two on disk.
    OneBit,
    /// One bit through a cache, by the second index, and two on disk.
    DualIndex(Paging),
}

impl Method {
    /// The solver it belongs to.
    pub fn solver(&self) -> Solver {
        match self {
            Method::TwoBit { .. } => Solver::TwoBit,
            Method::TwoBitSweeps => Solver::TwoBitSweeps,
            Method::OneBit => Solver::OneBit,
            Method::DualIndex(_) => Solver::DualIndex,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.solver().name()
    }
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Sweeps and chunks.
    pub work: Work,
    /// Blocks brought into the cache.
    pub misses: u64,
}

/// A slice to be solved with little memory.
#[derive(Debug)]
pub struct Limited<'a, G> {
    /// The game.
    pub game: &'a G,
    /// The slice.
    pub slice: SliceId,
    /// The largest level: the largest score, or the window.
    pub top: u8,
    /// Which bits are where.
    pub method: Method,
    /// Bytes for the game's tables; what they leave out goes by the rules.
    pub tables: u64,
    /// Threads at work.
    pub threads: usize,
    /// Where the files at work are.
    pub folder: PathBuf,
    /// Whether the work goes on after an interruption; else it begins anew, which is faster for a
    /// slice of seconds.
    pub lasting: bool,
}

impl<G: Game> Limited<'_, G> {
    /// Solves the slice; the scores are in the file that is returned, until the folder is removed.
    /// The seconds are those of the conversions.
    pub(crate) fn solve(
        &self,
        children: &SetChildren<'_>,
        progress: &dyn Progress,
    ) -> Result<(Bytes, Effort, f64), SolveError> {
        if !self.lasting {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
        std::fs::create_dir_all(&self.folder).map_err(|error| self.failed(error))?;
        let (back, ahead) = (self.game.view_bytes(self.slice), self.game.forward_bytes(self.slice));
        let for_view = (u128::from(self.tables) * u128::from(back))
            .checked_div(u128::from(back + ahead))
            .unwrap_or(0) as u64;
        let view = self.game.view_within(self.slice, for_view);
        let forward = self.game.forward_within(self.slice, self.tables - for_view);
        self.with_views(&view, &forward, children, progress)
    }

    fn failed(&self, error: std::io::Error) -> ScratchError {
        ScratchError::new("use", &self.folder, error)
    }

    fn with_views<V, F>(
        &self,
        view: &V,
        forward: &F,
        children: &SetChildren<'_>,
        progress: &dyn Progress,
    ) -> Result<(Bytes, Effort, f64), SolveError>
    where
        V: SliceView,
        F: ForwardView<G::Position>,
    {
        let len = view.len();
        let started = Instant::now();
        let exits = self.exits(view, children, progress)?;
        let conversions = started.elapsed().as_secs_f64();
        progress.begin(Phase::Fixpoint, len);
        let task = Task { limited: self, view, forward, exits: &exits, len, progress };
        let sweeps = Spreading { lasting: true, follow: None, must_sweep: &|| true };
        let (scores, effort) = match self.method {
            Method::TwoBit { worklist } => {
                let bits = TwoBits::new(len)?;
                let left_over = AtomicBool::new(false);
                let follow = Follow { view, forward, bits: &bits, worklist, left_over: &left_over };
                let spreading = Spreading {
                    lasting: false,
                    follow: Some(&|news| follow.spread(news)),
                    must_sweep: &|| left_over.swap(false, Relaxed),
                };
                task.run(&bits, |_| Ok(&bits), &spreading)?
            }
            Method::TwoBitSweeps => {
                let bits = TwoBits::new(len)?;
                task.run(&bits, |_| Ok(&bits), &Spreading { lasting: false, ..sweeps })?
            }
            Method::OneBit => {
                let bits = OneBit::new(len)?;
                task.run(&bits, |level| task.disk_sides(level), &sweeps)?
            }
            Method::DualIndex(paging) => {
                let path = self.folder.join("wins.bin");
                // Not a checkpoint: it is made anew from the other files.
                let _ = std::fs::remove_file(&path);
                let file = Scratch::open(&path, Paged::file_bytes(len, paging.block_bytes))?;
                let bits = Paged::new(file, len, paging)?;
                let (scores, effort) = task.run(&bits, |level| task.disk_sides(level), &sweeps)?;
                (scores, Effort { misses: bits.misses(), ..effort })
            }
        };
        Ok((scores, effort, conversions))
    }

    /// The support file: the best value through conversions of each position.
    fn exits<V: SliceView>(
        &self,
        view: &V,
        children: &SetChildren<'_>,
        progress: &dyn Progress,
    ) -> Result<Bytes, SolveError> {
        /// After each of this many stretches, what is there is kept.
        const STRETCHES: u64 = 64;
        let len = view.len();
        progress.begin(Phase::Conversions, len);
        let finished = self.folder.join("exits.bin");
        if finished.exists() {
            return Ok(Bytes::new(Scratch::open(&finished, len)?));
        }
        let checkpoint = Checkpoint::new(&self.folder, "exits.checkpoint");
        let path = self.folder.join("exits.tmp");
        let first = if path.exists() { checkpoint.read().unwrap_or(0) } else { 0 };
        let file = Bytes::new(Scratch::open(&path, len)?);
        let done = AtomicU64::new(0);
        let stretch = view.parts().div_ceil(STRETCHES);
        for number in first..STRETCHES {
            let parts =
                (number * stretch).min(view.parts())..((number + 1) * stretch).min(view.parts());
            for_each_chunk(parts.end - parts.start, 1, self.threads, |range| {
                for part in range {
                    let mut failure = Ok(());
                    view.exits(parts.start + part, children, |start, run| {
                        let clipped: Vec<i8> =
                            run.iter().map(|&exits| clip(exits, self.top)).collect();
                        if let Err(error) = file.write(start, &clipped) {
                            failure = Err(error);
                        }
                        let entered = run.len() as u64;
                        progress.advance(done.fetch_add(entered, Relaxed) + entered);
                    })?;
                    failure?;
                }
                Ok::<(), SolveError>(())
            })?;
            if self.lasting {
                file.sync()?;
                checkpoint.write(number + 1)?;
            }
        }
        if !self.lasting {
            return Ok(file);
        }
        Ok(Bytes::new(file.into_file().rename("exits.bin")?))
    }
}

/// A number in a small file, replaced as a whole.
struct Checkpoint {
    path: PathBuf,
}

impl Checkpoint {
    fn new(folder: &Path, name: &str) -> Self {
        Checkpoint { path: folder.join(name) }
    }

    fn read(&self) -> Option<u64> {
        std::fs::read_to_string(&self.path).ok()?.trim().parse().ok()
    }

    fn write(&self, number: u64) -> Result<(), ScratchError> {
        let fail = |error| ScratchError::new("write", &self.path, error);
        let temporary = self.path.with_extension("new");
        std::fs::write(&temporary, format!("{number}\n")).map_err(fail)?;
        std::fs::File::open(&temporary).and_then(|file| file.sync_all()).map_err(fail)?;
        std::fs::rename(&temporary, &self.path).map_err(fail)
    }
}

struct Task<'a, G, V, F> {
    limited: &'a Limited<'a, G>,
    view: &'a V,
    forward: &'a F,
    exits: &'a Bytes,
    len: u64,
    progress: &'a dyn Progress,
}

/// How a method finds what a level settles.
struct Spreading<'a> {
    /// Whether the sequential side outlives an interruption.
    lasting: bool,
    /// Spreads from new wins, and from positions that may be lost from now on.
    follow: Option<&'a FollowNews<'a>>,
    /// Whether sweeps must find the rest.
    must_sweep: &'a dyn Fn() -> bool,
}

impl<G, V, F> Task<'_, G, V, F>
where
    G: Game,
    V: SliceView,
    F: ForwardView<G::Position>,
{
    fn path(&self, name: &str, level: u8) -> PathBuf {
        self.limited.folder.join(format!("{name}-{level}.bin"))
    }

    fn scores(&self, level: u8) -> Result<Bytes, ScratchError> {
        Ok(Bytes::new(Scratch::open(&self.path("scores", level), self.len)?))
    }

    /// The scores of a level to be written; they get their name when they are complete.
    fn new_scores(&self) -> Result<Bytes, ScratchError> {
        Ok(Bytes::new(Scratch::open(&self.limited.folder.join("scores.tmp"), self.len)?))
    }

    fn disk_sides(&self, level: u8) -> Result<DiskSides, ScratchError> {
        let file = Scratch::open(&self.path("sides", level), DiskSides::bytes(self.len))?;
        Ok(DiskSides::new(file))
    }

    /// From the largest level down to 1.
    fn run<W: Wins, Q: Sequence>(
        &self,
        wins: &W,
        sides_of: impl Fn(u8) -> Result<Q, ScratchError>,
        spreading: &Spreading<'_>,
    ) -> Result<(Bytes, Effort), SolveError> {
        let checkpoint = Checkpoint::new(&self.limited.folder, "level.checkpoint");
        let changes = Changes::new(self.len);
        let work = WorkCount::default();
        let top = self.limited.top;
        let resumed = checkpoint.read().and_then(|level| u8::try_from(level).ok());
        let resumed = resumed.filter(|level| (1..=top).contains(level));

        let mut before: Option<(Bytes, Q)> = None;
        for level in (1..=resumed.unwrap_or(top)).rev() {
            let sides = sides_of(level)?;
            let levels = Levels {
                view: self.view,
                forward: self.forward,
                wins,
                sides: &sides,
                exits: self.exits,
                len: self.len,
                threads: self.limited.threads,
            };
            let first = before.is_none();
            let scores = if resumed == Some(level) && first {
                let scores = self.scores(level)?;
                if spreading.lasting {
                    levels.restore(level, &scores, &changes)?;
                } else {
                    levels.turn(level, None, Some(&scores), None, &changes)?;
                }
                scores
            } else {
                let scores = self.new_scores()?;
                let old = before.as_ref().map(|(scores, sides)| (scores, sides));
                levels.turn(
                    level,
                    old.map(|old| old.1),
                    old.map(|old| old.0),
                    Some(&scores),
                    &changes,
                )?;
                let name = format!("scores-{level}.bin");
                let scores = if self.limited.lasting {
                    sides.sync()?;
                    let scores = scores.into_file().rename(&name)?;
                    checkpoint.write(level.into())?;
                    scores
                } else {
                    scores.into_file().rename_unsynced(&name)?
                };
                let scores = Bytes::new(scores);
                if !first {
                    self.remove(level + 1);
                }
                scores
            };
            if let Some(follow) = spreading.follow {
                levels.follow(level, first, &scores, follow)?;
            }
            if (spreading.must_sweep)() {
                while levels.sweep(&changes, &work, self.progress)? > 0 {}
            }
            before = Some((scores, sides));
        }
        let last = self.new_scores()?;
        if let Some((scores, sides)) = &before {
            let levels = Levels {
                view: self.view,
                forward: self.forward,
                wins,
                sides,
                exits: self.exits,
                len: self.len,
                threads: self.limited.threads,
            };
            levels.finish(scores, &last)?;
        }
        Ok((last, Effort { work: work.get(), misses: 0 }))
    }

    /// Removes the files of a level that is done. One that stays is only in the way.
    fn remove(&self, level: u8) {
        for name in ["scores", "sides"] {
            let _ = std::fs::remove_file(self.path(name, level));
        }
    }
}

//! A slice solved with little memory: its files at work, level after level, and going on after an
//! interruption.
//!
//! All files are in a folder beside the finished ones. A level's files are complete before the
//! checkpoint names them; within a level, every loss that was written is true whatever came after,
//! so the level goes on from what is there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use nutcracker_game::{Exchange, ForwardView, Game, SliceId, SliceView};

use crate::choice::{Solver, strip};
use crate::conversions::SetChildren;
use crate::fixpoint::changes::Changes;
use crate::fixpoint::follow::{Follow, FollowNews};
use crate::fixpoint::levels::{Levels, Work, WorkCount, clip};
use crate::fixpoint::rows::RowWork;
use crate::parallel::{beside, for_each_until_stopped};
use crate::progress::{Phase, Progress};
use crate::solve::SolveError;
use crate::store::bits::{OneBit, TwoBits};
use crate::store::disk::{Bytes, DiskSides, ScratchError};
use crate::store::folder::Folder;
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
    /// What the solver by rows did.
    pub rows: RowWork,
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
    pub folder: Folder,
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
            self.folder.clear();
        }
        self.folder.make()?;
        let (back, ahead) = (self.game.view_bytes(self.slice), self.game.forward_bytes(self.slice));
        let for_view = (u128::from(self.tables) * u128::from(back))
            .checked_div(u128::from(back + ahead))
            .unwrap_or(0) as u64;
        let view = self.game.view_within(self.slice, for_view);
        let forward = self.game.forward_within(self.slice, self.tables - for_view);
        self.with_views(&view, &forward, children, progress)
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
        let exchanges = &self.game.exchanges(self.slice)[..];
        let task = Task { limited: self, view, forward, exits: &exits, exchanges, len, progress };
        let sweeps = Spreading { lasting: true, follow: None, must_sweep: &|| true };
        let (scores, effort) = match self.method {
            Method::TwoBit { worklist } => {
                let bits = TwoBits::new(len)?;
                let left_over = AtomicBool::new(false);
                let follow = Follow {
                    view,
                    forward,
                    bits: &bits,
                    worklist,
                    left_over: &left_over,
                    progress,
                };
                let spreading = Spreading {
                    lasting: false,
                    follow: Some(&|news| follow.spread(news)),
                    must_sweep: &|| left_over.swap(false, Relaxed),
                };
                task.run(&bits, |_, _| Ok(&bits), &spreading)?
            }
            Method::TwoBitSweeps => {
                let bits = TwoBits::new(len)?;
                task.run(&bits, |_, _| Ok(&bits), &Spreading { lasting: false, ..sweeps })?
            }
            Method::OneBit => {
                let bits = OneBit::new(len)?;
                task.run(&bits, |level, resumed| task.disk_sides(level, resumed), &sweeps)?
            }
            Method::DualIndex(paging) => {
                // Not a checkpoint: it is made anew from the other files, and begins with zeros.
                self.folder.remove("wins.bin");
                let bytes = Paged::file_bytes(len, paging.block_bytes);
                let file = self.folder.create("wins.bin", bytes)?;
                let bits = Paged::new(file, len, paging)?;
                let (scores, effort) =
                    task.run(&bits, |level, resumed| task.disk_sides(level, resumed), &sweeps)?;
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
        /// After each of at most this many stretches, what is there is kept.
        const STRETCHES: u64 = 64;
        let len = view.len();
        progress.begin(Phase::Conversions, len);
        if self.folder.has("exits.bin") {
            return Ok(Bytes::new(self.folder.open("exits.bin", len)?));
        }
        // Stretches that are complete, and the checksum of all that they wrote.
        let kept = self.folder.checkpoint("exits.checkpoint")?.unwrap_or([0, 0]);
        let [first, sum] = if self.folder.has("exits.tmp") { kept } else { [0, 0] };
        let file = Bytes::new(if first > 0 {
            let file = self.folder.open("exits.tmp", len)?;
            file.continue_scattering(sum);
            file
        } else {
            self.folder.remove("exits.checkpoint");
            self.folder.create("exits.tmp", len)?
        });
        let done = AtomicU64::new(0);
        let stretch = view.parts().div_ceil(STRETCHES);
        // What is there before a stretch is made safe while the stretch is computed.
        let keep = |number, sum| {
            if !self.lasting || number == first {
                return Ok(());
            }
            file.sync()?;
            Ok(self.folder.set_checkpoint("exits.checkpoint", &[number, sum])?)
        };
        let compute = |number: u64| {
            let parts =
                (number * stretch).min(view.parts())..((number + 1) * stretch).min(view.parts());
            for_each_until_stopped(parts.end - parts.start, 1, self.threads, progress, |range| {
                for part in range {
                    let mut failure = Ok(());
                    view.exits(parts.start + part, children, |start, run| {
                        let clipped: Vec<i8> =
                            run.iter().map(|&exits| clip(exits, self.top)).collect();
                        if let Err(error) = file.scatter(start, &clipped) {
                            failure = Err(error);
                        }
                        let entered = run.len() as u64;
                        progress.advance(done.fetch_add(entered, Relaxed) + entered);
                    })?;
                    failure?;
                }
                Ok::<(), SolveError>(())
            })
        };
        for number in first..view.parts().div_ceil(stretch) {
            let sum = file.file().scattered();
            beside(|| keep(number, sum), || compute(number))?;
        }
        file.seal()?;
        if !self.lasting {
            return Ok(file);
        }
        file.sync()?;
        let file = file.into_file().rename("exits.bin")?;
        self.folder.sync()?;
        Ok(Bytes::new(file))
    }
}

struct Task<'a, G, V, F> {
    limited: &'a Limited<'a, G>,
    view: &'a V,
    forward: &'a F,
    exits: &'a Bytes,
    exchanges: &'a [Exchange],
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
    /// The scores of a level to be written; they get their name when they are complete.
    fn new_scores(&self) -> Result<Bytes, ScratchError> {
        Ok(Bytes::new(self.limited.folder.create("scores.tmp", self.len)?))
    }

    /// The sides of a level: from an earlier run, or to be written.
    fn disk_sides(&self, level: u8, resumed: bool) -> Result<DiskSides, ScratchError> {
        let (name, bytes) = (file_name("sides", level), DiskSides::bytes(self.len));
        let folder = &self.limited.folder;
        let file = if resumed { folder.open(&name, bytes) } else { folder.create(&name, bytes) };
        Ok(DiskSides::new(file?))
    }

    fn levels<'b, W, Q>(&'b self, wins: &'b W, sides: &'b Q) -> Levels<'b, V, F, W, Q> {
        Levels {
            view: self.view,
            forward: self.forward,
            wins,
            sides,
            exits: self.exits,
            len: self.len,
            threads: self.limited.threads,
            exchanges: self.exchanges,
            strip: match self.limited.method {
                Method::DualIndex(paging) => strip(paging.cache_bytes),
                _ => self.len,
            },
            progress: self.progress,
        }
    }

    /// From the largest level down to 1. `sides_of` gives the sequential side of a level, and is
    /// told whether an earlier run has filled it.
    fn run<W: Wins, Q: Sequence>(
        &self,
        wins: &W,
        sides_of: impl Fn(u8, bool) -> Result<Q, ScratchError>,
        spreading: &Spreading<'_>,
    ) -> Result<(Bytes, Effort), SolveError> {
        let changes = Changes::new(self.len);
        let work = WorkCount::default();
        let folder = &self.limited.folder;
        let top = self.limited.top;
        let resumed = folder.checkpoint(CHECKPOINT)?.and_then(|[level]| u8::try_from(level).ok());
        let resumed = resumed.filter(|level| (1..=top).contains(level));

        let mut before: Option<(Bytes, Q)> = None;
        for level in (1..=resumed.unwrap_or(top)).rev() {
            let first = before.is_none();
            let resumed = first && resumed == Some(level);
            let sides = sides_of(level, resumed)?;
            let levels = self.levels(wins, &sides);
            let scores = if resumed {
                let scores = Bytes::new(folder.open(&file_name("scores", level), self.len)?);
                if spreading.lasting {
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
                self.keep(level, first, &scores, &sides)
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
            before = Some((scores, sides));
        }
        let last = self.new_scores()?;
        if let Some((scores, sides)) = &before {
            self.levels(wins, sides).finish(scores, &last)?;
        }
        Ok((last, Effort { work: work.get(), ..Effort::default() }))
    }

    /// Makes a level's files safe, and the place from which work goes on after an interruption;
    /// the files of the level above are needed no more.
    fn keep<Q: Sequence>(
        &self,
        level: u8,
        first: bool,
        scores: &Bytes,
        sides: &Q,
    ) -> Result<(), SolveError> {
        let folder = &self.limited.folder;
        if self.limited.lasting {
            sides.sync()?;
            scores.sync()?;
            folder.sync()?;
            folder.set_checkpoint(CHECKPOINT, &[level.into()])?;
        }
        if !first {
            folder.remove(&file_name("scores", level + 1));
            folder.remove(&file_name("sides", level + 1));
        }
        Ok(())
    }
}

/// Which level is at work.
const CHECKPOINT: &str = "level.checkpoint";

fn file_name(what: &str, level: u8) -> String {
    format!("{what}-{level}.bin")
}

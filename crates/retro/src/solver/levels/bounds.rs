//! `two-bit` where a position has two bounds: two bits a position in memory, the rest in work files.
//!
//! Bits in memory say whether the mover is known to force the level, and whether a position waits:
//! exits allow that the opponent forces the level, and it is not known yet. Exits and what is settled
//! are on disk, read and written in sequence once a level. A level is resumed from its beginning.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicI16, AtomicU64, Ordering::Relaxed, Ordering::SeqCst, fence,
};
use std::time::Instant;

use nutcracker_game::{BoundExits, Game, SliceId};
use nutcracker_mem::Packed;

use crate::child_bounds::ChildBounds;
use crate::error::{SolveError, Unfit};
use crate::options::SolverName;
use crate::parallel::for_each_until_stopped;
use crate::plies::{Expansion, PlainPlies, Plies, Wanted};
use crate::progress::{LevelMeter, Meter, Phase, Progress};
use crate::report::Effort;
use crate::solver::cluster::{Graph, NextSlice, SliceGraph};
use crate::solver::{Estimate, Scores, SliceJob, SliceSolver, SliceTask, SolvedSlice};
use crate::store::disk::{Bytes, WorkFileError};
use crate::store::folder::Folder;
use crate::upper_files::UpperFiles;

/// Two bits a position, two bounds.
pub(in crate::solver) struct TwoBitBounds;

/// Bits of a position: its mover forces the level; it waits.
const FORCES: u64 = 1;
const WAITS: u64 = 2;

/// The sides in names of files: what the mover can force, and what the opponent can.
const SIDES: [&str; 2] = ["mover", "other"];

/// What is not settled yet.
const UNSETTLED: i8 = i8::MIN;

/// Positions read and written at a time.
const PIECE: u64 = 1 << 16;

/// Positions on a thread's worklist; what does not fit is found by a sweep.
const WORKLIST: usize = if cfg!(test) { 4 } else { 1 << 18 };
/// Positions whose predecessors are found together.
const BATCH: usize = 16;

/// The checkpoint: the level whose files are complete, and which is computed.
const CHECKPOINT: &str = "level.checkpoint";

fn needed<G: Game>(task: &SliceTask<'_, G>) -> u64 {
    let worklists = (task.options.threads * 2 * WORKLIST * size_of::<u64>()) as u64;
    task.overhead() + task.positions().div_ceil(4) + worklists + task.game.view_bytes(task.slice)
}

impl<G: Game> SliceSolver<G> for TwoBitBounds {
    fn name(&self) -> SolverName {
        SolverName::TwoBit
    }

    fn finds_bounds(&self) -> bool {
        true
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        if !G::HAS_BOUNDS {
            return Err(Unfit::OneScore);
        }
        if !task.game.properties().unmoves {
            return Err(Unfit::NoUnmoves);
        }
        let least = needed(task);
        let bytes = least + ChildBounds::bytes(task.game, task.slice);
        let (peak, positions) = (bytes.min(task.options.memory.max(least)), task.positions());
        Ok(Estimate {
            least,
            enough: Some(least),
            peak,
            // Exits of both sides, and what is settled at two levels.
            work_disk: 6 * positions,
            exits_to_disk: true,
            ..Estimate::in_memory(bytes)
        })
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let SliceTask { game, slice, top, options } = job.task;
        if !G::HAS_BOUNDS {
            let (game, slice) = (game.id().to_string(), job.task.slice_name());
            let (solver, reason) = (SolverName::TwoBit, Unfit::OneScore);
            return Err(SolveError::Unfit { game, slice, solver, reason });
        }
        let started = Instant::now();
        let (folder, plies) = (job.folder(SolverName::TwoBit), PlainPlies(game));
        if !job.resumable() {
            folder.clear();
        }
        folder.make()?;
        let files = UpperFiles::new(job);
        let next = NextSlice { slice, top, rows: false };
        let graph: Arc<dyn SliceGraph> =
            Arc::new(Graph::new(game, job.storage, job.dir, next, options));
        let run = Run {
            plies: &plies,
            graph: &*graph,
            folder: &folder,
            slice,
            top: top as i8,
            len: job.task.positions(),
            threads: options.threads,
            resumable: job.resumable(),
            progress: job.progress,
            bits: Packed::zeroed(job.task.positions())?,
            left_over: AtomicBool::new(false),
        };
        let exits = if run.has_exits() {
            Meter::begin(job.progress, Phase::Exits, run.len).finish();
            run.open("exits")?
        } else {
            let (set, progress) = (job.open_set(), job.progress);
            let memory = options.memory.saturating_sub(needed(&job.task));
            let (of, threads) = ((game, slice), options.threads);
            let children =
                ChildBounds::new(of, &plies, &set, Some(&files), memory, threads, progress);
            run.exits(&children)?
        };
        let exit_time = started.elapsed();
        let scores = run.settle(&exits)?;
        files.write(slice.0, options.threads, |start, out| {
            // What cannot be read here cannot be read when the table is written either.
            if scores.settled[1].read(start, out).is_ok() {
                for value in out {
                    *value = -*value;
                }
            }
        })?;
        Ok(SolvedSlice { scores: Box::new(scores), effort: Effort::default(), exit_time })
    }
}

/// One byte a position and side.
type Sides = [Bytes; 2];

/// A slice that is solved. It is compiled once for all games.
struct Run<'a> {
    plies: &'a dyn Plies,
    graph: &'a dyn SliceGraph,
    folder: &'a Folder,
    slice: SliceId,
    top: i8,
    len: u64,
    threads: usize,
    resumable: bool,
    progress: &'a dyn Progress,
    bits: Packed<2>,
    /// Set when a worklist was full: the rest must be found by sweeps.
    left_over: AtomicBool,
}

fn name(what: &str, side: &str) -> String {
    format!("{what}-{side}.bin")
}

fn read(sides: &Sides, range: &Range<u64>) -> Result<[Vec<i8>; 2], WorkFileError> {
    let count = (range.end - range.start) as usize;
    let mut values = [vec![0; count], vec![0; count]];
    for (side, values) in sides.iter().zip(&mut values) {
        side.read(range.start, values)?;
    }
    Ok(values)
}

impl Run<'_> {
    fn create(&self) -> Result<Sides, WorkFileError> {
        let [mover, other] = SIDES.map(|side| self.folder.create(&name("new", side), self.len));
        Ok([Bytes::new(mover?), Bytes::new(other?)])
    }

    fn open(&self, what: &str) -> Result<Sides, WorkFileError> {
        let [mover, other] = SIDES.map(|side| self.folder.open(&name(what, side), self.len));
        Ok([Bytes::new(mover?), Bytes::new(other?)])
    }

    /// Files that are complete get their name.
    fn keep(&self, files: Sides, what: &str) -> Result<Sides, WorkFileError> {
        let keep = |(file, side): (Bytes, &str)| {
            if self.resumable {
                file.sync()?;
            }
            Ok(Bytes::new(file.into_file().rename(&name(what, side))?))
        };
        let [mover, other] = files;
        let kept = [keep((mover, SIDES[0]))?, keep((other, SIDES[1]))?];
        if self.resumable {
            self.folder.sync()?;
        }
        Ok(kept)
    }

    fn each(
        &self,
        work: impl Fn(Range<u64>) -> Result<(), SolveError> + Sync,
    ) -> Result<(), SolveError> {
        for_each_until_stopped(self.len, PIECE, self.threads, self.progress, work)
    }

    fn has_exits(&self) -> bool {
        SIDES.iter().all(|side| self.folder.has(&name("exits", side)))
    }

    fn exits(&self, children: &ChildBounds<'_>) -> Result<Sides, SolveError> {
        self.folder.remove(CHECKPOINT);
        let files = self.create()?;
        let meter = Meter::begin(self.progress, Phase::Exits, self.len);
        self.each(|range| {
            let mut exits = Vec::new();
            children.exits(self.slice, range.clone(), &mut exits)?;
            let mover = |exits: &BoundExits| exits.lower.max(-self.top);
            // Without an exit, nothing is prevented.
            let other = |exits: &BoundExits| match exits.upper {
                BoundExits::NONE => self.top,
                upper => -upper,
            };
            files[0].write(range.start, &exits.iter().map(mover).collect::<Vec<i8>>())?;
            files[1].write(range.start, &exits.iter().map(other).collect::<Vec<i8>>())?;
            meter.add(range.end - range.start);
            Ok(())
        })?;
        meter.finish();
        Ok(self.keep(files, "exits")?)
    }

    fn settle(&self, exits: &Sides) -> Result<Settled, SolveError> {
        let levels = u64::from(self.top.unsigned_abs()) * 2;
        let meter = LevelMeter::begin(self.progress, self.len, levels + 1);
        let resumed = self.folder.checkpoint(CHECKPOINT)?.filter(|_| self.resumable);
        let resumed = resumed.and_then(|[code]| i8::try_from(code as i64 - 128).ok());
        let mut level = resumed.unwrap_or(self.top);
        let mut settled = match resumed {
            Some(level) => Some(self.open(&format!("level{level}"))?),
            None => None,
        };
        let mut before = None;
        while level > -self.top {
            meter.completed((i32::from(self.top) - i32::from(level)) as u64);
            let new = self.create()?;
            let next = self.turn(level, before, exits, settled.as_ref(), &new, &meter)?;
            let new = self.keep(new, &format!("level{level}"))?;
            if self.resumable {
                self.folder.set_checkpoint(CHECKPOINT, &[(i64::from(level) + 128) as u64])?;
            }
            if let Some(old) = before {
                for side in SIDES {
                    self.folder.remove(&name(&format!("level{old}"), side));
                }
            }
            self.follow(level, exits, &new, &meter)?;
            while self.left_over.swap(false, Relaxed) {
                self.sweep(&meter)?;
            }
            (settled, before) = (Some(new), Some(level));
            level = next;
        }
        meter.completed(levels);
        let last = self.create()?;
        self.turn(-self.top, before, exits, settled.as_ref(), &last, &meter)?;
        let exact = AtomicU64::new(0);
        self.each(|range| {
            let [mover, other] = read(&last, &range)?;
            let met = mover.iter().zip(&other).filter(|(mover, other)| **mover == -**other);
            exact.fetch_add(met.count() as u64, Relaxed);
            Ok(())
        })?;
        meter.finish();
        Ok(Settled { settled: last, exact: exact.into_inner() })
    }

    /// Begins a level: writes down what the level before has settled, and enters what exits settle or
    /// allow. The least level settles all that is left. Returns the next level with an exit.
    fn turn(
        &self,
        level: i8,
        before: Option<i8>,
        exits: &Sides,
        old: Option<&Sides>,
        new: &Sides,
        meter: &LevelMeter<'_>,
    ) -> Result<i8, SolveError> {
        let next = AtomicI16::new(i16::from(-self.top));
        self.each(|range| {
            let [exit, allowed] = read(exits, &range)?;
            let count = exit.len();
            let [mut mover, mut other] = match old {
                Some(old) => read(old, &range)?,
                None => [vec![UNSETTLED; count], vec![UNSETTLED; count]],
            };
            let mut most = -self.top;
            for (at, index) in range.clone().enumerate() {
                let known = self.bits.get(index);
                if let Some(before) = before {
                    if mover[at] == UNSETTLED && known & FORCES > 0 {
                        mover[at] = before;
                    }
                    if other[at] == UNSETTLED && known & WAITS == 0 && allowed[at] >= before {
                        other[at] = before;
                    }
                }
                if level == -self.top {
                    mover[at] = mover[at].max(level);
                    other[at] = other[at].max(level);
                    continue;
                }
                let mut bits = 0;
                if mover[at] != UNSETTLED || exit[at] >= level {
                    bits |= FORCES;
                } else {
                    most = most.max(exit[at]);
                }
                if other[at] == UNSETTLED {
                    if allowed[at] >= level {
                        bits |= WAITS;
                    } else {
                        most = most.max(allowed[at]);
                    }
                }
                if bits != known {
                    self.bits.set(index, bits);
                }
            }
            next.fetch_max(most.into(), Relaxed);
            new[0].write(range.start, &mover)?;
            new[1].write(range.start, &other)?;
            meter.add(range.end - range.start);
            Ok(())
        })?;
        meter.next_pass();
        Ok(next.into_inner() as i8)
    }

    /// Follows what is new at a level.
    fn follow(
        &self,
        level: i8,
        exits: &Sides,
        settled: &Sides,
        meter: &LevelMeter<'_>,
    ) -> Result<(), SolveError> {
        self.each(|range| {
            let ([exit, allowed], [mover, other]) = (read(exits, &range)?, read(settled, &range)?);
            let mut thread = Thread::default();
            for (at, index) in range.clone().enumerate() {
                if mover[at] == UNSETTLED && exit[at] == level {
                    thread.forces.push(index);
                }
                if other[at] == UNSETTLED && allowed[at] == level {
                    self.visit(index, &mut thread);
                }
                self.spread(&mut thread)?;
            }
            meter.add(range.end - range.start);
            Ok(())
        })?;
        meter.next_pass();
        Ok(())
    }

    /// Visits all that waits.
    fn sweep(&self, meter: &LevelMeter<'_>) -> Result<(), SolveError> {
        self.each(|range| {
            let mut thread = Thread::default();
            for index in range.clone().filter(|&index| self.bits.get(index) & WAITS > 0) {
                self.visit(index, &mut thread);
                self.spread(&mut thread)?;
            }
            meter.add(range.end - range.start);
            Ok(())
        })?;
        meter.next_pass();
        Ok(())
    }

    /// Visits the predecessors of positions whose mover newly forces the level, until none is left.
    fn spread(&self, thread: &mut Thread) -> Result<(), SolveError> {
        while !thread.forces.is_empty() {
            if self.progress.must_stop() {
                return Err(crate::progress::Stopped.into());
            }
            let batch = thread.forces.split_off(thread.forces.len().saturating_sub(BATCH));
            let mut before = std::mem::take(&mut thread.before);
            before.clear();
            self.graph.predecessors(&batch, &mut before);
            for &index in &before {
                self.bits.prefetch(index);
            }
            // Two threads may decide the last two successors of a position at once: each must see
            // what the other did, or neither would visit it in time.
            fence(SeqCst);
            for &index in &before {
                self.visit(index, thread);
            }
            thread.before = before;
        }
        Ok(())
    }

    /// If all internal moves of a position that waits lead to positions whose mover forces the level,
    /// its opponent does, and so do the movers one move earlier.
    fn visit(&self, index: u64, thread: &mut Thread) {
        if self.bits.get(index) & WAITS == 0 {
            return;
        }
        self.plies.expand(self.slice, index..index + 1, Wanted::All, &mut thread.expansion);
        let mut inside =
            thread.expansion.moves().iter().filter(|ply| ply.slice == self.slice.0 && !ply.stays);
        let forced = inside.all(|ply| self.bits.get(ply.index) & FORCES > 0);
        let waits = |bits: u64| (bits & WAITS > 0).then_some(bits & !WAITS);
        if !forced || self.bits.update(index, waits).is_none() {
            return;
        }
        thread.forced.clear();
        self.graph.predecessors(&[index], &mut thread.forced);
        for &index in &thread.forced {
            let forces = |bits: u64| (bits & FORCES == 0).then_some(bits | FORCES);
            if self.bits.update(index, forces).is_some() {
                if thread.forces.len() < WORKLIST {
                    thread.forces.push(index);
                } else {
                    self.left_over.store(true, Relaxed);
                }
            }
        }
    }
}

/// What a thread has to itself.
#[derive(Default)]
struct Thread {
    /// Positions whose mover newly forces the level.
    forces: Vec<u64>,
    before: Vec<u64>,
    forced: Vec<u64>,
    expansion: Expansion,
}

/// The bounds of a solved slice.
struct Settled {
    settled: Sides,
    exact: u64,
}

impl Scores for Settled {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        self.settled[0].read(start, out)
    }

    fn exact(&self) -> Option<u64> {
        Some(self.exact)
    }
}

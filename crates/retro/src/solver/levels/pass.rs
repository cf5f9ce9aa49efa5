//! The level method: scores in descending size with one or two bits a position.
//!
//! The score range is cut into win/loss/draw questions, "at least k or at most -k", from the
//! largest k down to 1. A position won for k + 1 is won for k, and one lost for k + 1 is lost for
//! k: so the sets only grow, each position is settled once, and its score is the k at which that
//! happened.
//!
//! Two stores differ between the solvers, and nothing else does: the *random* side, [`Wins`], and
//! the *sequential* side, [`Sequence`]. The best values through exits are computed once into a
//! support file, and scores are on disk too; both are read and written in sequence once a level.
//!
//! A sweep scans every open position: if all its internal moves lead to won positions, it is lost,
//! and its predecessors are won. A sweep skips chunks none of whose successors' blocks changed.
//! Every fact that is entered is true, whatever is entered later: so threads need no order, and
//! work that was interrupted is resumed from the facts on disk.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{ForwardView, Game, IndexMatrix, SliceView};

use super::Key;
use super::changes::Changes;
use super::follow::FollowNews;
use crate::error::SolveError;
use crate::parallel::for_each_until_stopped;
use crate::progress::{LevelMeter, Progress, Stopped};
use crate::report::LevelWork;
use crate::store::disk::{Bytes, WorkFileError};
use crate::store::strip::{MatrixRows, Own, Strip};
use crate::store::{Sequence, Session, Status, Wins};

/// A slice at one level: the views, the stores, the files.
pub(super) struct Levels<'a, G: Game, W, Q> {
    /// Un-moves.
    pub(super) view: &'a G::View,
    /// Moves.
    pub(super) forward: &'a G::Forward,
    /// The random side.
    pub(super) wins: &'a W,
    /// The sequential side.
    pub(super) statuses: &'a Q,
    /// The best value through exits of each position, clipped to the largest level;
    /// none counts as the worst.
    pub(super) exits: &'a Bytes,
    /// The number of positions.
    pub(super) len: u64,
    /// The number of threads.
    pub(super) threads: usize,
    /// How the indices of the random side map to those of the sequential one.
    pub(super) exchanges: &'a [IndexMatrix],
    /// The most positions whose wins are brought into sequence at a time.
    pub(super) strip: u64,
    /// Queried whether to stop.
    pub(super) progress: &'a dyn Progress,
    /// Counts positions of each pass.
    pub(super) meter: &'a LevelMeter<'a>,
}

/// Positions read and written at a time; a multiple of what shares a word or a byte.
const PIECE: u64 = 1 << 16;
/// How far ahead of the current piece read-ahead is requested; a multiple of [`PIECE`].
const AHEAD: u64 = 16 * PIECE;
/// Columns of a strip that a thread takes at a time.
const COLUMNS: u64 = 64;

impl<G: Game, W: Wins, Q: Sequence> Levels<'_, G, W, Q> {
    /// Where a pass over all pieces will be a little later.
    fn ahead(&self, range: &Range<u64>) -> Range<u64> {
        let start = (range.start + AHEAD).min(self.len);
        start..(start + PIECE).min(self.len)
    }

    /// Visits all positions in sequence, with access to their own wins; what is newly won is noted.
    fn for_each_piece(
        &self,
        changes: Option<&Changes>,
        work: impl Fn(Range<u64>, &mut Own<'_, W>) -> Result<(), SolveError> + Sync,
    ) -> Result<(), SolveError> {
        if !W::SECOND {
            return for_each_until_stopped(self.len, PIECE, self.threads, self.progress, |range| {
                work(range, &mut Own::Direct(self.wins.session()))
            });
        }
        for rows in MatrixRows::cut(self.exchanges, self.strip) {
            let strip = Strip::new(rows)?;
            let by_columns = |work: &(dyn Fn(Range<u64>) -> Result<(), WorkFileError> + Sync)| {
                for_each_until_stopped(
                    rows.columns(),
                    COLUMNS,
                    self.threads,
                    self.progress,
                    |columns| Ok::<(), SolveError>(work(columns)?),
                )
            };
            by_columns(&|columns| strip.load(columns, &mut self.wins.session()))?;
            // Pieces begin and end on one grid for all strips, so that threads share no byte.
            let range = rows.range();
            let grid = range.start / PIECE * PIECE;
            let cells = range.end - grid;
            for_each_until_stopped(cells, PIECE, self.threads, self.progress, |cell| {
                let start = (grid + cell.start).max(range.start);
                work(start..grid + cell.end, &mut Own::Strip(&strip))
            })?;
            by_columns(&|columns| {
                strip.store(columns, &mut self.wins.session(), |place| {
                    if let Some(changes) = changes {
                        changes.note_change(place);
                    }
                })
            })?;
        }
        Ok(())
    }

    fn won_index(&self, index: u64, key: Key<G>) -> u64 {
        if W::SECOND { self.view.second_index(key) } else { index }
    }

    /// Enters what the level above has settled into the scores, and what exits settle at this level
    /// into the statuses. Without the statuses of the level above, the scores already hold all that was
    /// settled there.
    pub(super) fn turn(
        &self,
        level: u8,
        above: Option<&Q>,
        old: Option<&Bytes>,
        new: Option<&Bytes>,
        changes: &Changes,
    ) -> Result<(), SolveError> {
        let level = level as i8;
        self.for_each_piece(Some(changes), |range, own| {
            let count = (range.end - range.start) as usize;
            let (mut exits, mut scores) = (vec![0; count], vec![0; count]);
            let mut statuses = vec![Status::Safe; count];
            self.exits.will_read(self.ahead(&range));
            self.exits.read(range.start, &mut exits)?;
            if let Some(old) = old {
                old.will_read(self.ahead(&range));
                old.read(range.start, &mut scores)?;
            }
            if let Some(above) = above {
                above.will_read(self.ahead(&range));
                above.load(range.clone(), &mut statuses)?;
            }
            if Q::ON_DISK && above.is_some() {
                for (at, index) in range.clone().enumerate() {
                    let unsure =
                        scores[at] == 0 && matches!(statuses[at], Status::Open | Status::Safe);
                    if unsure && own.is_won(index)? {
                        statuses[at] = Status::Won;
                    }
                }
            }
            let mut start = range.start;
            while start < range.end {
                let chunk = start / changes.chunk();
                let end = ((chunk + 1) * changes.chunk()).min(range.end);
                let part = (start - range.start) as usize..(end - range.start) as usize;
                let scores = &mut scores[part.clone()];
                let statuses = &mut statuses[part.clone()];
                let turned = turn_part(level, &exits[part], scores, statuses);
                if turned.open {
                    changes.must_scan(chunk);
                }
                if turned.won && !Q::ON_DISK {
                    changes.note_change(start);
                }
                start = end;
            }
            if Q::ON_DISK {
                for (index, _) in
                    range.clone().zip(&statuses).filter(|(_, status)| **status == Status::Won)
                {
                    if own.win(index)? {
                        changes.note_change(index);
                    }
                }
            }
            if let Some(new) = new {
                new.write(range.start, &scores)?;
            }
            self.statuses.store(range.start, &statuses)?;
            self.meter.add(range.end - range.start);
            Ok(())
        })?;
        self.meter.next_pass();
        Ok(())
    }

    /// Calls `follow` for every position that exits win at this level, and every one that
    /// may be lost from this level on; at the first level, for all that may be lost.
    pub(super) fn follow(
        &self,
        level: u8,
        first: bool,
        scores: &Bytes,
        follow: &FollowNews<'_>,
    ) -> Result<(), SolveError> {
        let level = level as i8;
        for_each_until_stopped(self.len, PIECE, self.threads, self.progress, |range| {
            let count = (range.end - range.start) as usize;
            let (mut exits, mut settled) = (vec![0; count], vec![0; count]);
            self.exits.will_read(self.ahead(&range));
            scores.will_read(self.ahead(&range));
            self.exits.read(range.start, &mut exits)?;
            scores.read(range.start, &mut settled)?;
            let mut fresh = Vec::new();
            // Most have nothing new, so 64 are tested at once.
            let lowest = if first { i8::MIN } else { -level };
            let is_open = |exit: i8| exit <= -level && exit >= lowest;
            for (start, (exits, settled)) in
                range.step_by(64).zip(exits.chunks(64).zip(settled.chunks(64)))
            {
                let any = exits.iter().zip(settled).fold(false, |any, (&exit, &settled)| {
                    any | (settled == 0 && (exit >= level || is_open(exit)))
                });
                if !any {
                    continue;
                }
                for (index, (&exit, _)) in (start..)
                    .zip(exits.iter().zip(settled))
                    .filter(|(_, (_, settled))| **settled == 0)
                {
                    if exit >= level {
                        fresh.push((index, Status::Won));
                    } else if is_open(exit) {
                        fresh.push((index, Status::Open));
                    }
                }
            }
            follow(&fresh);
            self.meter.add(count as u64);
            Ok::<(), SolveError>(())
        })?;
        self.meter.next_pass();
        Ok(())
    }

    /// Writes the final scores, after level 1.
    pub(super) fn finish(&self, old: &Bytes, new: &Bytes) -> Result<(), SolveError> {
        self.for_each_piece(None, |range, own| {
            let count = (range.end - range.start) as usize;
            let mut scores = vec![0; count];
            let mut statuses = Vec::new();
            old.will_read(self.ahead(&range));
            self.statuses.will_read(self.ahead(&range));
            old.read(range.start, &mut scores)?;
            self.statuses.load(range.clone(), &mut statuses)?;
            for (at, index) in range.clone().enumerate() {
                if scores[at] == 0 {
                    if statuses[at] == Status::Lost {
                        scores[at] = -1;
                    } else if own.is_won(index)? {
                        scores[at] = 1;
                    }
                }
            }
            new.write(range.start, &scores)?;
            self.meter.add(range.end - range.start);
            Ok(())
        })
    }

    /// Restores the random side from the files, to resume work after an interruption.
    pub(super) fn restore(
        &self,
        level: u8,
        scores: &Bytes,
        changes: &Changes,
    ) -> Result<(), SolveError> {
        let level = level as i8;
        self.for_each_piece(Some(changes), |range, own| {
            let mut session = self.wins.session();
            let mut cursor = Default::default();
            let count = (range.end - range.start) as usize;
            let (mut exits, mut settled) = (vec![0; count], vec![0; count]);
            let mut statuses = Vec::new();
            self.exits.will_read(self.ahead(&range));
            scores.will_read(self.ahead(&range));
            self.exits.read(range.start, &mut exits)?;
            self.statuses.will_read(self.ahead(&range));
            scores.read(range.start, &mut settled)?;
            self.statuses.load(range.clone(), &mut statuses)?;
            for (at, index) in range.clone().enumerate() {
                if settled[at] > 0 || settled[at] == 0 && exits[at] >= level {
                    own.win(index)?;
                } else if statuses[at] == Status::Lost {
                    let key = self.view.key_at(&mut cursor, index);
                    self.win_before(&mut session, key, changes)?;
                }
            }
            self.meter.add(range.end - range.start);
            Ok(())
        })?;
        self.meter.next_pass();
        Ok(())
    }

    /// The predecessors of a lost position are won.
    fn win_before(
        &self,
        session: &mut W::Session<'_>,
        lost: Key<G>,
        changes: &Changes,
    ) -> Result<(), WorkFileError> {
        let mut failure = Ok(());
        self.view.predecessors(lost, |index, key| {
            let place = self.won_index(index, key);
            match session.win(place) {
                Ok(true) => changes.note_change(place),
                Ok(false) => {}
                Err(error) => failure = Err(error),
            }
        });
        failure
    }

    /// Scans every open position in chunks that are due once; returns how many were lost.
    pub(super) fn sweep(&self, changes: &Changes, work: &WorkCount) -> Result<u64, SolveError> {
        let found = AtomicU64::new(0);
        work.sweeps.fetch_add(1, Relaxed);
        for_each_until_stopped(self.len, changes.chunk(), self.threads, self.progress, |range| {
            let chunk = range.start / changes.chunk();
            if !changes.is_due(chunk) {
                work.skipped.fetch_add(1, Relaxed);
                self.meter.add(range.end - range.start);
                return Ok(());
            }
            work.chunks.fetch_add(1, Relaxed);
            changes.begin_scan(chunk);
            if Q::ON_DISK {
                self.expect_next(chunk, changes);
            }
            let mut session = self.wins.session();
            let mut start = range.start;
            while start < range.end {
                let piece = start..(start + PIECE).min(range.end);
                start = piece.end;
                if self.progress.must_stop() {
                    return Err(Stopped.into());
                }
                let ahead = piece.start + AHEAD;
                if ahead < range.end {
                    self.statuses.will_read(ahead..(ahead + PIECE).min(range.end));
                }
                let scanned = piece.end - piece.start;
                let lost = self.sweep_piece(chunk, piece, &mut session, changes)?;
                found.fetch_add(lost, Relaxed);
                self.meter.add(scanned);
            }
            Ok::<(), SolveError>(())
        })?;
        self.meter.next_pass();
        Ok(found.into_inner())
    }

    /// The beginning of the chunk that a thread will take up after this one.
    fn expect_next(&self, chunk: u64, changes: &Changes) {
        /// Beyond this many chunks it is too early to know which will be due.
        const NEAR: u64 = 64;
        let last = (self.len - 1) / changes.chunk();
        let first = chunk + self.threads as u64;
        let next = (first..=last.min(first + NEAR)).find(|&next| changes.is_due(next));
        if let Some(next) = next {
            let start = next * changes.chunk();
            let end = (start + changes.chunk().min(AHEAD)).min(self.len);
            self.statuses.will_read(start..end);
        }
    }

    /// Scans the open positions of a piece; returns how many were lost.
    fn sweep_piece(
        &self,
        chunk: u64,
        range: Range<u64>,
        session: &mut W::Session<'_>,
        changes: &Changes,
    ) -> Result<u64, WorkFileError> {
        let mut back = Default::default();
        let mut ahead = Default::default();
        let (mut statuses, mut next, mut lost) = (Vec::new(), Vec::new(), Vec::new());
        self.statuses.load(range.clone(), &mut statuses)?;
        for (index, status) in range.clone().zip(&statuses) {
            // By the second index, reading the position's own bit would cost more than it saves:
            // a won position has a successor that is not won.
            if *status != Status::Open || !W::SECOND && session.is_won(index)? {
                continue;
            }
            next.clear();
            let Some(key) = self.forward.key_at(&mut ahead, index) else { continue };
            if W::SECOND {
                self.forward.inside_second(key, |place| next.push(place));
            } else {
                self.forward.inside(key, |place| next.push(place));
            }
            let mut all = true;
            for &place in &next {
                changes.note_dependence(chunk, place);
                all = all && session.is_won(place)?;
            }
            if all {
                lost.push(index);
                let key = self.view.key_at(&mut back, index);
                self.win_before(session, key, changes)?;
            }
        }
        self.statuses.lose(range.start, &statuses, &lost)?;
        Ok(lost.len() as u64)
    }
}

/// What a level has newly in a part of the slice.
struct Turned {
    /// A position that may be lost from now on.
    open: bool,
    /// A position that exits win.
    won: bool,
}

/// Enters what the level above has settled, by the statuses, into the scores, and what exits settle at
/// this level into the statuses. Without branches, so that many positions are done at once.
fn turn_part(level: i8, exits: &[i8], scores: &mut [i8], statuses: &mut [Status]) -> Turned {
    let (mut open, mut won) = (false, false);
    for ((score, status), &exit) in scores.iter_mut().zip(statuses).zip(exits) {
        let old = *status as u8;
        let settled = if old == Status::Won as u8 {
            level + 1
        } else if old == Status::Lost as u8 {
            -(level + 1)
        } else {
            0
        };
        *score = if *score == 0 { settled } else { *score };
        let by_exit = if exit >= level {
            Status::Won
        } else if exit > -level {
            Status::Safe
        } else {
            Status::Open
        };
        let new = match score.signum() {
            1 => Status::Won,
            -1 => Status::Lost,
            _ => by_exit,
        };
        open |= new == Status::Open && old == Status::Safe as u8;
        won |= new == Status::Won && old != Status::Won as u8;
        *status = new;
    }
    Turned { open, won }
}

/// Counts [`LevelWork`] from several threads.
#[derive(Debug, Default)]
pub(super) struct WorkCount {
    sweeps: AtomicU64,
    chunks: AtomicU64,
    skipped: AtomicU64,
}

impl WorkCount {
    /// What was counted.
    pub(super) fn get(&self) -> LevelWork {
        LevelWork {
            sweeps: self.sweeps.load(Relaxed),
            chunks: self.chunks.load(Relaxed),
            skipped: self.skipped.load(Relaxed),
            misses: 0,
        }
    }
}

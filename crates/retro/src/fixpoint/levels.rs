//! The level method: scores in descending size with one or two bits a position.
//!
//! The score range is cut into win/loss/draw questions, "at least k or at most -k", from the largest
//! k down to 1. Who is won for k + 1 is won for k, and who is lost for k + 1 is lost for k: so the
//! sets only grow, each position is settled once, and its score is the k at which that happened.
//!
//! Two stores differ between the solvers, and nothing else does: the *random* side, [`Wins`], and
//! the *sequential* side, [`Sequence`]. The best values through conversions are computed once into a
//! support file, and scores are on disk too; both are read and written in sequence once a level.
//!
//! | solver | random side | sequential side | spreads by |
//! |---|---|---|---|
//! | two-bit | two bits in memory | the same two bits | un-moves from each new loss at once, or sweeps |
//! | one-bit | one bit in memory | two bits on disk | sweeps |
//! | dual-index | one bit through a cache, by the second index | two bits on disk | sweeps |
//!
//! A sweep looks at every open position: if all its internal moves lead to won positions, it is lost,
//! and its predecessors are won. A sweep leaves out chunks none of whose successors' blocks changed.
//! Every fact that is entered is true, whatever is entered later: so threads need no order, and work
//! that was interrupted goes on from whatever facts are on disk.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{Exchange, Exits, ForwardView, SliceView};

use crate::fixpoint::changes::Changes;
use crate::fixpoint::follow::FollowNews;
use crate::parallel::for_each_until_stopped;
use crate::progress::{Progress, Stopped};
use crate::solve::SolveError;
use crate::store::disk::{Bytes, ScratchError};
use crate::store::strip::{Own, Rows, Strip};
use crate::store::{Sequence, Session, Side, Wins};

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Sweeps over the open positions, all levels together.
    pub sweeps: u64,
    /// Chunks looked at in sweeps.
    pub chunks: u64,
    /// Chunks left out because nothing they depend on had changed.
    pub skipped: u64,
}

/// A slice at work: the views, the stores, the files.
#[expect(missing_debug_implementations, reason = "whoever watches the progress has none")]
pub struct Levels<'a, V, F, W, Q> {
    /// Un-moves.
    pub view: &'a V,
    /// Moves.
    pub forward: &'a F,
    /// The random side.
    pub wins: &'a W,
    /// The sequential side.
    pub sides: &'a Q,
    /// The best value through conversions of each position, clipped to the largest level;
    /// [`Exits::NONE`] counts as the worst.
    pub exits: &'a Bytes,
    /// The number of positions.
    pub len: u64,
    /// Threads at work.
    pub threads: usize,
    /// How the numbers of the random side go with those of the sequential one.
    pub exchanges: &'a [Exchange],
    /// The most positions whose wins are brought into sequence at a time.
    pub strip: u64,
    /// Who wants to know, and may want to stop.
    pub progress: &'a dyn Progress,
}

/// Positions read and written at a time; a multiple of what shares a word or a byte.
const PIECE: u64 = 1 << 16;
/// How far ahead of the piece at hand the kernel is told what will be read; a multiple of [`PIECE`].
const AHEAD: u64 = 16 * PIECE;
/// Columns of a strip that a thread takes up at a time.
const COLUMNS: u64 = 64;

impl<V, F, W, Q> Levels<'_, V, F, W, Q>
where
    V: SliceView,
    F: Sync,
    W: Wins,
    Q: Sequence,
{
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
        for rows in Rows::cut(self.exchanges, self.strip) {
            let strip = Strip::new(rows)?;
            let by_columns = |work: &(dyn Fn(Range<u64>) -> Result<(), ScratchError> + Sync)| {
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

    fn won_index(&self, index: u64, key: V::Key) -> u64 {
        if W::SECOND { self.view.second_index(key) } else { index }
    }

    /// Enters what the level above has settled into the scores, and what conversions say at this
    /// level into the sides. Without the sides of the level above, nothing was settled there that
    /// the scores do not say.
    pub fn turn(
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
            let mut sides = vec![Side::Safe; count];
            self.exits.expect(self.ahead(&range));
            self.exits.read(range.start, &mut exits)?;
            if let Some(old) = old {
                old.expect(self.ahead(&range));
                old.read(range.start, &mut scores)?;
            }
            if let Some(above) = above {
                above.expect(self.ahead(&range));
                above.load(range.clone(), &mut sides)?;
            }
            if Q::ON_DISK && above.is_some() {
                for (at, index) in range.clone().enumerate() {
                    let unsure = scores[at] == 0 && matches!(sides[at], Side::Open | Side::Safe);
                    if unsure && own.is_won(index)? {
                        sides[at] = Side::Won;
                    }
                }
            }
            let mut start = range.start;
            while start < range.end {
                let chunk = start / changes.chunk();
                let end = ((chunk + 1) * changes.chunk()).min(range.end);
                let part = (start - range.start) as usize..(end - range.start) as usize;
                let scores = &mut scores[part.clone()];
                let sides = &mut sides[part.clone()];
                let turned = turn_part(level, &exits[part], scores, sides);
                if turned.open {
                    changes.must_look(chunk);
                }
                if turned.won && !Q::ON_DISK {
                    changes.note_change(start);
                }
                start = end;
            }
            if Q::ON_DISK {
                for (index, _) in range.clone().zip(&sides).filter(|(_, side)| **side == Side::Won)
                {
                    if own.win(index)? {
                        changes.note_change(index);
                    }
                }
            }
            if let Some(new) = new {
                new.write(range.start, &scores)?;
            }
            self.sides.store(range.start, &sides)?;
            Ok(())
        })
    }

    /// Calls `follow` for every position that conversions win at this level, and every one that
    /// may be lost from this level on; at the first level, for all that may be lost.
    pub fn follow(
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
            self.exits.expect(self.ahead(&range));
            scores.expect(self.ahead(&range));
            self.exits.read(range.start, &mut exits)?;
            scores.read(range.start, &mut settled)?;
            let mut news = Vec::new();
            // Most have nothing new, so many are asked at once.
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
                        news.push((index, Side::Won));
                    } else if is_open(exit) {
                        news.push((index, Side::Open));
                    }
                }
            }
            follow(&news);
            Ok(())
        })
    }

    fn key(&self, cursor: &mut V::Cursor, index: u64) -> V::Key {
        self.view.key_at(cursor, index)
    }

    /// Writes the final scores, after level 1.
    pub fn finish(&self, old: &Bytes, new: &Bytes) -> Result<(), SolveError> {
        self.for_each_piece(None, |range, own| {
            let count = (range.end - range.start) as usize;
            let mut scores = vec![0; count];
            let mut sides = Vec::new();
            old.expect(self.ahead(&range));
            self.sides.expect(self.ahead(&range));
            old.read(range.start, &mut scores)?;
            self.sides.load(range.clone(), &mut sides)?;
            for (at, index) in range.clone().enumerate() {
                if scores[at] == 0 {
                    if sides[at] == Side::Lost {
                        scores[at] = -1;
                    } else if own.is_won(index)? {
                        scores[at] = 1;
                    }
                }
            }
            new.write(range.start, &scores)?;
            Ok(())
        })
    }

    /// Brings the random side to what the files say: for work that goes on after an interruption.
    pub fn restore(&self, level: u8, scores: &Bytes, changes: &Changes) -> Result<(), SolveError> {
        let level = level as i8;
        self.for_each_piece(Some(changes), |range, own| {
            let mut session = self.wins.session();
            let mut cursor = V::Cursor::default();
            let count = (range.end - range.start) as usize;
            let (mut exits, mut settled) = (vec![0; count], vec![0; count]);
            let mut sides = Vec::new();
            self.exits.expect(self.ahead(&range));
            scores.expect(self.ahead(&range));
            self.exits.read(range.start, &mut exits)?;
            self.sides.expect(self.ahead(&range));
            scores.read(range.start, &mut settled)?;
            self.sides.load(range.clone(), &mut sides)?;
            for (at, index) in range.clone().enumerate() {
                if settled[at] > 0 || settled[at] == 0 && exits[at] >= level {
                    own.win(index)?;
                } else if sides[at] == Side::Lost {
                    let key = self.key(&mut cursor, index);
                    self.win_before(&mut session, key, changes)?;
                }
            }
            Ok(())
        })
    }

    /// The predecessors of a lost position are won.
    fn win_before(
        &self,
        session: &mut W::Session<'_>,
        lost: V::Key,
        changes: &Changes,
    ) -> Result<(), ScratchError> {
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

    /// Looks once at every open position in chunks that are due; returns how many were lost.
    pub fn sweep<P>(&self, changes: &Changes, work: &WorkCount) -> Result<u64, SolveError>
    where
        F: ForwardView<P>,
    {
        let found = AtomicU64::new(0);
        work.sweeps.fetch_add(1, Relaxed);
        for_each_until_stopped(self.len, changes.chunk(), self.threads, self.progress, |range| {
            let chunk = range.start / changes.chunk();
            if !changes.is_due(chunk) {
                work.skipped.fetch_add(1, Relaxed);
                return Ok(());
            }
            work.chunks.fetch_add(1, Relaxed);
            changes.look(chunk);
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
                    self.sides.expect(ahead..(ahead + PIECE).min(range.end));
                }
                let lost = self.sweep_piece(chunk, piece, &mut session, changes)?;
                self.progress.advance(found.fetch_add(lost, Relaxed) + lost);
            }
            Ok::<(), SolveError>(())
        })?;
        Ok(found.into_inner())
    }

    /// The beginning of the chunk that a thread will take up after this one.
    fn expect_next(&self, chunk: u64, changes: &Changes) {
        /// Beyond this many chunks it is too early to say which will be due.
        const NEAR: u64 = 64;
        let last = (self.len - 1) / changes.chunk();
        let first = chunk + self.threads as u64;
        let next = (first..=last.min(first + NEAR)).find(|&next| changes.is_due(next));
        if let Some(next) = next {
            let start = next * changes.chunk();
            let end = (start + changes.chunk().min(AHEAD)).min(self.len);
            self.sides.expect(start..end);
        }
    }

    /// Looks at the open positions of a piece; returns how many were lost.
    fn sweep_piece<P>(
        &self,
        chunk: u64,
        range: Range<u64>,
        session: &mut W::Session<'_>,
        changes: &Changes,
    ) -> Result<u64, ScratchError>
    where
        F: ForwardView<P>,
    {
        let mut back = V::Cursor::default();
        let mut ahead = F::Cursor::default();
        let (mut sides, mut next, mut lost) = (Vec::new(), Vec::new(), Vec::new());
        self.sides.load(range.clone(), &mut sides)?;
        for (index, side) in range.clone().zip(&sides) {
            // By the second index, a look at the position's own bit would cost more than it saves:
            // a won position has a successor that is not won.
            if *side != Side::Open || !W::SECOND && session.is_won(index)? {
                continue;
            }
            next.clear();
            let key = self.forward.key_at(&mut ahead, index);
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
        self.sides.lose(range.start, &sides, &lost)?;
        Ok(lost.len() as u64)
    }
}

/// What a level has newly in a part of the slice.
struct Turned {
    /// A position that may be lost from now on.
    open: bool,
    /// A position that conversions win.
    won: bool,
}

/// Enters what the level above has settled, as the sides say, into the scores, and what conversions
/// say at this level into the sides. Without branches, so that many positions are done at once.
fn turn_part(level: i8, exits: &[i8], scores: &mut [i8], sides: &mut [Side]) -> Turned {
    let (mut open, mut won) = (false, false);
    for ((score, side), &exit) in scores.iter_mut().zip(sides).zip(exits) {
        let old = *side as u8;
        let settled = if old == Side::Won as u8 {
            level + 1
        } else if old == Side::Lost as u8 {
            -(level + 1)
        } else {
            0
        };
        *score = if *score == 0 { settled } else { *score };
        let by_exit = if exit >= level {
            Side::Won
        } else if exit > -level {
            Side::Safe
        } else {
            Side::Open
        };
        let new = match score.signum() {
            1 => Side::Won,
            -1 => Side::Lost,
            _ => by_exit,
        };
        open |= new == Side::Open && old == Side::Safe as u8;
        won |= new == Side::Won && old != Side::Won as u8;
        *side = new;
    }
    Turned { open, won }
}

/// Counts [`Work`] from several threads.
#[derive(Debug, Default)]
pub struct WorkCount {
    sweeps: AtomicU64,
    chunks: AtomicU64,
    skipped: AtomicU64,
}

impl WorkCount {
    /// What was counted.
    pub fn get(&self) -> Work {
        Work {
            sweeps: self.sweeps.load(Relaxed),
            chunks: self.chunks.load(Relaxed),
            skipped: self.skipped.load(Relaxed),
        }
    }
}

/// The exits of a position as the support file has them: clipped, and the worst where there are none.
pub fn clip(exits: Exits, top: u8) -> i8 {
    if exits.best == Exits::NONE { -(top as i8) } else { exits.best.clamp(-(top as i8), top as i8) }
}

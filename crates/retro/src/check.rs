//! Phase 4: finished files checked by code that shares nothing with the solvers but the rules.
//!
//! Every stored score must be the best of its successors' scores. That alone is not enough: in a
//! cycle, invented values can support each other. So every score other than 0 must also be
//! *founded*: a win on a conversion or an end of the game of that worth, or on a founded loss of
//! the same size one move on; a loss on nothing but founded wins. Agreement and foundation together
//! leave one possible score for every position, and it is the right one: whatever can be derived
//! from conversions in finitely many steps is stored at least as large, by agreement, and whatever
//! is stored can be derived, by foundation.
//!
//! All of it goes forward, by the rules. The first sweep over the slice finds most of the
//! foundation; a position that lacks it leaves a mark on a successor it waits for, and is looked at
//! again when that one is founded. Un-moves only say who may be waiting: nothing is believed on
//! their word, and sweeps over whatever is left, which know no un-moves, end the search. The sweeps
//! follow the second index, in whose order successors lie close together.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{ForwardView, Game, Score, Side, Situation, SliceId, Target, Turn};
use nutcracker_mem::Packed;
use nutcracker_table::{Histogram, Manifest, Table, TableError, TableSet};

pub use crate::fault::{CheckError, Fault};
use crate::parallel::for_each_until_stopped;
use crate::progress::{Phase, Progress};
use crate::tables::{Nearby, SetChildren};
use crate::window;

/// What a check has looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The number of positions.
    pub positions: u64,
    /// The number of sweeps until every score was founded.
    pub sweeps: u32,
}

/// Positions a thread checks at a time.
const CHUNK: u64 = 1 << 16;

/// Checks the best file of a slice against the rules and the files of smaller slices.
pub fn check_slice<G: Game>(
    game: &G,
    slice: SliceId,
    set: &TableSet,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Checked, CheckError> {
    let table = set.get(slice.0)?;
    check_file(game, &table, set, threads, progress)
}

/// Checks one file against the rules and the files of smaller slices in `set`.
pub fn check_file<G: Game>(
    game: &G,
    table: &Table,
    set: &TableSet,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Checked, CheckError> {
    // Six bits hold a score of up to 31, and leave room for the marks in a byte.
    if game.max_score(SliceId(table.header().slice)) < 32 {
        check_packed::<8, G>(game, table, set, threads, progress)
    } else {
        check_packed::<16, G>(game, table, set, threads, progress)
    }
}

fn check_packed<const BITS: u32, G: Game>(
    game: &G,
    table: &Table,
    set: &TableSet,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Checked, CheckError> {
    let slice = SliceId(table.header().slice);
    progress.begin(Phase::Verify, table.positions());
    table.verify_digest_while(|| !progress.must_stop())?;
    let cells = read_scores::<BITS>(table, threads, progress)?;
    let window = Score::from(table.header().bound());
    let check = Check::<BITS, G> {
        game,
        slice,
        view: &game.forward(slice),
        cells: &cells,
        children: SetChildren::new(set, slice, |child| window::needed(game, slice, child, window)),
        window,
        progress,
        done: AtomicU64::new(0),
    };
    let wrong = |fault| CheckError::Wrong { file: table.path().display().to_string(), fault };
    if let Some((_, fault)) = check.agreement(threads)? {
        return Err(wrong(fault));
    }
    let mut sweeps = 1;
    while check.sweep(threads)? > 0 {
        sweeps += 1;
    }
    match check.unfounded() {
        Some(fault) => Err(wrong(fault)),
        None => Ok(Checked { positions: table.positions(), sweeps }),
    }
}

/// Compares a file with what the manifest of its directory says of it.
pub fn check_manifest(set: &TableSet, table: &Table, dir: &Path) -> Result<(), CheckError> {
    let manifest = Manifest::load(&**set.storage(), dir)?;
    Ok(manifest.check(table)?)
}

/// Decodes all blocks, each after its checksum, and compares their histogram with the file's.
fn read_scores<const BITS: u32>(
    table: &Table,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Packed<BITS>, CheckError> {
    let cells = Packed::zeroed(table.positions())?;
    let counted = Mutex::new(Histogram::new());
    for_each_until_stopped(table.blocks(), 1, threads, progress, |range| {
        let mut block = Vec::new();
        for number in range {
            block.resize(table.header().block_len(number), 0);
            table.decode_block(number, &mut block)?;
            let start = number * u64::from(table.header().block_positions);
            let mask = founded(BITS) - 1;
            cells.fill(start, block.iter().map(|&score| i64::from(score) as u64 & mask));
            counted.lock().expect("no thread panics").add(&block);
        }
        Ok::<(), CheckError>(())
    })?;
    table.verify_histogram(&counted.into_inner().expect("no thread panics"))?;
    Ok(cells)
}

struct Check<'a, const BITS: u32, G: Game> {
    game: &'a G,
    slice: SliceId,
    view: &'a G::Forward,
    /// Score and marks of each position in one number: one access to memory for both, and who sets
    /// a mark sees the other.
    cells: &'a Packed<BITS>,
    children: SetChildren<'a>,
    /// What scores are clipped to; the largest score where they are exact.
    window: Score,
    progress: &'a dyn Progress,
    done: AtomicU64,
}

/// The mark of a score that can be derived, or is 0 and needs no foundation.
const fn founded(bits: u32) -> u64 {
    1 << (bits - 2)
}

/// The mark of a position for whose foundation another one's waits.
const fn awaited(bits: u32) -> u64 {
    1 << (bits - 1)
}

/// Positions a thread remembers to look around; beyond that, sweeps find what is left.
const MEMORY: usize = 1 << 16;
/// Positions whose predecessors are looked at together.
const TOGETHER: usize = 24;

type Key<G> = <<G as Game>::Forward as ForwardView>::Key;

/// What one thread works with.
struct Scratch<G: Game> {
    /// Number and score of each internal successor.
    inside: Vec<(u64, Score)>,
    before: Vec<G::Position>,
    news: Vec<News<Key<G>>>,
    again: Vec<Again<Key<G>>>,
}

/// A position that was awaited and is founded now.
struct News<K> {
    index: u64,
    key: K,
    score: Score,
}

/// A position to be looked at again.
struct Again<K> {
    index: u64,
    key: K,
    /// The successor it may have waited for, and its score.
    next: u64,
    score: Score,
    /// Where its internal successors begin among those of all that are looked at together.
    inside: usize,
}

impl<G: Game> Scratch<G> {
    fn new() -> Self {
        Scratch { inside: Vec::new(), before: Vec::new(), news: Vec::new(), again: Vec::new() }
    }
}

impl<const BITS: u32, G: Game> Check<'_, BITS, G> {
    /// The score of a cell: its low bits, with their sign.
    #[inline]
    fn score_in(cell: u64) -> Score {
        let unused = 64 - (BITS - 2);
        ((cell << unused) as i64 >> unused) as Score
    }

    #[inline]
    fn score(&self, index: u64) -> Score {
        Self::score_in(self.cells.get(index))
    }

    #[inline]
    fn founded(cell: u64) -> bool {
        cell & founded(BITS) != 0
    }

    /// Leaves a mark that somebody waits for this position; false if it is founded already.
    #[inline]
    fn await_it(&self, index: u64) -> bool {
        let cell = self.cells.get(index);
        if Self::founded(cell) {
            return false;
        }
        let mark = |cell| (!Self::founded(cell)).then_some(cell | awaited(BITS));
        cell & awaited(BITS) != 0 || self.cells.update(index, mark).is_some()
    }

    /// Marks a position as founded; if that is news to somebody, remembers it.
    fn found(&self, index: u64, key: Key<G>, news: &mut Vec<News<Key<G>>>) {
        let cell = self.cells.update(index, |cell| Some(cell | founded(BITS))).unwrap_or(0);
        let is_news = !Self::founded(cell) && cell & awaited(BITS) != 0;
        if is_news && news.len() < MEMORY {
            news.push(News { index, key, score: Self::score_in(cell) });
        }
    }

    /// Looks at every position once: its score must be the best of its moves. On the way, finds
    /// most of the foundation. Returns the fault with the lowest number.
    fn agreement(&self, threads: usize) -> Result<Option<(u64, Fault)>, CheckError> {
        let first: Mutex<Option<(u64, Fault)>> = Mutex::new(None);
        for_each_until_stopped(self.cells.len(), CHUNK, threads, self.progress, |range| {
            let mut scratch = Scratch::new();
            let mut nearby = Nearby::new(&self.children);
            let mut cursor = Default::default();
            for second in range.clone().rev() {
                let Some(key) = self.view.second_key_at(&mut cursor, second) else { continue };
                let index = self.view.index(key);
                if let Err(fault) = self.position(index, key, &mut nearby, &mut scratch)? {
                    let mut first = first.lock().expect("no thread panics");
                    if first.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
                        *first = Some((index, fault));
                    }
                }
                if scratch.news.len() >= TOGETHER {
                    self.spread(&mut scratch);
                }
            }
            self.spread(&mut scratch);
            let checked = range.end - range.start;
            self.progress.advance(self.done.fetch_add(checked, Relaxed) + checked);
            Ok::<(), CheckError>(())
        })?;
        Ok(first.into_inner().expect("no thread panics"))
    }

    /// Compares a position's score with its moves, and marks it if it is founded.
    fn position(
        &self,
        index: u64,
        key: Key<G>,
        nearby: &mut Nearby<'_>,
        scratch: &mut Scratch<G>,
    ) -> Result<Result<(), Fault>, TableError> {
        let stored = self.score(index);
        if let Some(outcome) = self.view.outcome(key) {
            if outcome.clamp(-self.window, self.window) != stored {
                let position = self.notation(&self.view.position(key));
                return Ok(Err(Fault::NotOutcome {
                    position,
                    index,
                    stored: stored as i8,
                    outcome,
                }));
            }
            self.found(index, key, &mut scratch.news);
            return Ok(Ok(()));
        }
        let inside = &mut scratch.inside;
        inside.clear();
        let mut best = Score::MIN;
        let mut founded = stored == 0;
        let mut failure = None;
        self.view.targets(key, |target| match target {
            Target::Inside(next) => {
                let score = self.score(next);
                inside.push((next, score));
                best = best.max(-score);
            }
            Target::Outside { slice, index, gain, turn, .. } => match nearby.score(slice, index) {
                Ok(score) => {
                    let value = gain + if turn == Turn::Passes { -score } else { score };
                    let value = value.clamp(-self.window, self.window);
                    founded |= stored > 0 && value == stored;
                    best = best.max(value);
                }
                Err(error) => failure = Some(error),
            },
        });
        if let Some(error) = failure {
            return Err(error);
        }
        if best != stored {
            let position = self.notation(&self.view.position(key));
            return Ok(Err(Fault::NotBest { position, index, stored: stored as i8, best }));
        }
        if founded || self.rests(stored, &scratch.inside) {
            self.found(index, key, &mut scratch.news);
        }
        Ok(Ok(()))
    }

    /// Whether a score other than 0 rests on founded internal successors; if not, marks what it
    /// waits for.
    fn rests(&self, stored: Score, inside: &[(u64, Score)]) -> bool {
        if stored > 0 {
            inside.iter().any(|&(next, score)| score == -stored && !self.await_it(next))
        } else {
            inside.iter().all(|&(next, _)| !self.await_it(next))
        }
    }

    /// Looks again at those who may have waited for the news, many at a time, so that the memory
    /// they need is on its way while others are dealt with.
    fn spread(&self, scratch: &mut Scratch<G>) {
        while !scratch.news.is_empty() {
            let Scratch { before, news, again, .. } = scratch;
            again.clear();
            for News { index: next, key, score } in
                news.drain(news.len().saturating_sub(TOGETHER)..)
            {
                before.clear();
                self.game.unmoves(&self.view.position(key), before);
                for earlier in &*before {
                    let (index, key) = self.view.locate(earlier);
                    self.cells.prefetch(index);
                    again.push(Again { index, key, next, score, inside: 0 });
                }
            }
            again.retain(|&Again { index, key, next, score, .. }| {
                let cell = self.cells.get(index);
                let stored = Self::score_in(cell);
                if Self::founded(cell) {
                    return false;
                }
                if score > 0 {
                    // A loss rests on all its successors, which are looked at together below.
                    return stored < 0;
                }
                // A win rests on one loss of its own size: here it is, if a move leads there.
                if stored == -score {
                    let mut leads = false;
                    self.view.inside(key, |index| leads |= index == next);
                    if leads {
                        self.found(index, key, news);
                    }
                }
                false
            });
            self.look_again(scratch);
        }
    }

    /// Founds those of the positions in `again` that can be now; returns how many. A win by
    /// conversion is founded at first sight, so only internal moves matter; one that has not been
    /// seen yet can wait for that.
    fn look_again(&self, scratch: &mut Scratch<G>) -> u64 {
        let Scratch { inside, news, again, .. } = scratch;
        inside.clear();
        for again in &mut *again {
            again.inside = inside.len();
            self.cells.prefetch(again.index);
            if self.view.outcome(again.key).is_none() {
                self.view.inside(again.key, |next| {
                    self.cells.prefetch(next);
                    inside.push((next, 0));
                });
            }
        }
        let mut end = inside.len();
        let mut found = 0;
        for &Again { index, key, inside: start, .. } in again.iter().rev() {
            let inside = &mut inside[start..end];
            end = start;
            for (next, score) in &mut *inside {
                *score = self.score(*next);
            }
            let stored = self.score(index);
            if !inside.is_empty() && self.rests(stored, inside) {
                self.found(index, key, news);
                found += 1;
            }
        }
        found
    }

    /// Looks at whatever is not founded yet; returns how many positions were founded.
    fn sweep(&self, threads: usize) -> Result<u64, CheckError> {
        let found = AtomicU64::new(0);
        for_each_until_stopped(self.cells.len(), CHUNK, threads, self.progress, |range| {
            let mut scratch = Scratch::new();
            let mut cursor = Default::default();
            let look = |scratch: &mut Scratch<G>| {
                found.fetch_add(self.look_again(scratch), Relaxed);
                self.spread(scratch);
                scratch.again.clear();
            };
            self.cells.find_without(range, founded(BITS), |index| {
                let Some(key) = self.view.key_at(&mut cursor, index) else { return };
                scratch.again.push(Again { index, key, next: 0, score: 0, inside: 0 });
                if scratch.again.len() == TOGETHER {
                    look(&mut scratch);
                }
            });
            look(&mut scratch);
            Ok::<(), CheckError>(())
        })?;
        Ok(found.into_inner())
    }

    fn unfounded(&self) -> Option<Fault> {
        let mut lacking = (0..self.cells.len()).filter(|&i| !Self::founded(self.cells.get(i)));
        let index = lacking.next()?;
        Some(Fault::Unfounded {
            position: self
                .game
                .unrank(self.slice, index)
                .map_or_else(|| "a hole".to_owned(), |position| self.notation(&position)),
            index,
            stored: self.score(index) as i8,
            count: 1 + lacking.count() as u64,
        })
    }

    fn notation(&self, position: &G::Position) -> String {
        self.game.format(&Situation::new(*position, Side::First))
    }
}

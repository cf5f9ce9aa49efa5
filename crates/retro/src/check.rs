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

use nutcracker_game::{Children, Game, Score, Situation, SliceId, Step, Turn};
use nutcracker_mem::{OutOfMemory, Packed};
use nutcracker_table::{Histogram, Manifest, TableError, TableSet};
use thiserror::Error;

use crate::conversions::SetChildren;
use crate::parallel::for_each_chunk;
use crate::progress::{Phase, Progress};

/// Why a slice was not found to be right.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A file cannot be read, is damaged, or is not what the manifest says.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A score is wrong.
    #[error("{file} is wrong: {fault}")]
    Wrong {
        /// The file with the score.
        file: String,
        /// What is wrong with which position.
        fault: Fault,
    },
    /// The check needs more memory than there is.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

/// What is wrong with a position's score.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// It is not the best of what its moves lead to.
    #[error("position {position} (number {index}) has score {stored}, and its best move is worth {best}")]
    NotBest {
        /// The position, in the game's notation.
        position: String,
        /// Its number in the slice.
        index: u64,
        /// The score in the file.
        stored: i8,
        /// The best of its moves by the scores in the files.
        best: Score,
    },
    /// The game is over, with another result.
    #[error("position {position} (number {index}) has score {stored}, and the game ends there with {outcome}")]
    NotOutcome {
        /// The position, in the game's notation.
        position: String,
        /// Its number in the slice.
        index: u64,
        /// The score in the file.
        stored: i8,
        /// The score by the rules.
        outcome: Score,
    },
    /// Scores support each other in a circle.
    #[error(
        "position {position} (number {index}) has score {stored}, which rests on repeated positions \
         alone and so should be 0; {count} positions are like this"
    )]
    Unfounded {
        /// The first such position, in the game's notation.
        position: String,
        /// Its number in the slice.
        index: u64,
        /// The score in the file.
        stored: i8,
        /// How many there are in the slice.
        count: u64,
    },
}

/// What a check has looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The number of positions.
    pub positions: u64,
    /// The number of sweeps until every score was founded.
    pub sweeps: u32,
}

/// Positions a thread checks at a time.
const CHUNK: u64 = 1 << 14;

/// Checks the file of a slice against the rules and the files of smaller slices.
pub fn check_slice<G: Game>(
    game: &G,
    slice: SliceId,
    set: &TableSet,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Checked, CheckError> {
    let table = set.get(slice.0)?;
    let positions = game.slice_len(slice);
    progress.begin(Phase::Verify, positions);
    table.verify_digest()?;
    let scores = read_scores(set, slice, threads)?;
    let check = Check {
        game,
        slice,
        scores: &scores,
        marks: &Packed::zeroed(positions)?,
        children: SetChildren::new(set),
        progress,
        done: AtomicU64::new(0),
    };
    let wrong = |fault| CheckError::Wrong { file: table.path().display().to_string(), fault };
    if let Some((_, fault)) = check.agreement(threads)? {
        return Err(wrong(fault));
    }
    let mut sweeps = 1;
    while check.sweep(threads) > 0 {
        sweeps += 1;
    }
    match check.unfounded() {
        Some(fault) => Err(wrong(fault)),
        None => Ok(Checked { positions, sweeps }),
    }
}

/// Compares the file of a slice with what the manifest says of it.
pub fn check_manifest(set: &TableSet, slice: SliceId, dir: &Path) -> Result<(), CheckError> {
    let manifest = Manifest::load(&**set.storage(), dir)?;
    Ok(manifest.check(&*set.get(slice.0)?)?)
}

/// Decodes all blocks, each after its checksum, and compares their histogram with the file's.
fn read_scores(set: &TableSet, slice: SliceId, threads: usize) -> Result<Packed<8>, CheckError> {
    let table = set.get(slice.0)?;
    let scores = Packed::zeroed(table.positions())?;
    let counted = Mutex::new(Histogram::new());
    for_each_chunk(table.blocks(), 1, threads, |range| {
        let mut block = Vec::new();
        for number in range {
            block.resize(table.header().block_len(number), 0);
            table.decode_block(number, &mut block)?;
            let start = number * u64::from(table.header().block_positions);
            scores.fill(start, block.iter().map(|&score| u64::from(score as u8)));
            counted.lock().expect("no thread panics").add(&block);
        }
        Ok::<(), TableError>(())
    })?;
    table.verify_histogram(&counted.into_inner().expect("no thread panics"))?;
    Ok(scores)
}

struct Check<'a, G: Game> {
    game: &'a G,
    slice: SliceId,
    scores: &'a Packed<8>,
    /// Both marks of a position are in one number, so that who sets one of them sees the other.
    marks: &'a Packed<2>,
    children: SetChildren<'a>,
    progress: &'a dyn Progress,
    done: AtomicU64,
}

/// The score can be derived, or is 0 and needs no foundation.
const FOUNDED: u64 = 1;
/// Another position's foundation waits for this one's.
const AWAITED: u64 = 2;
/// Positions a thread remembers to look around; beyond that, sweeps find what is left.
const MEMORY: usize = 1 << 16;

/// What one thread works with.
struct Scratch<P> {
    steps: Vec<Step<P>>,
    before: Vec<P>,
    /// Positions that were awaited and are founded now.
    news: Vec<P>,
}

impl<G: Game> Check<'_, G> {
    fn scratch() -> Scratch<G::Position> {
        Scratch { steps: Vec::new(), before: Vec::new(), news: Vec::new() }
    }

    fn score(&self, index: u64) -> Score {
        Score::from(self.scores.get(index) as u8 as i8)
    }

    fn founded(&self, index: u64) -> bool {
        self.marks.get(index) & FOUNDED != 0
    }

    /// Leaves a mark that somebody waits for this position; false if it is founded already.
    fn await_it(&self, index: u64) -> bool {
        let mark = |marks| (marks & FOUNDED == 0).then_some(marks | AWAITED);
        self.marks.update(index, mark).is_some()
    }

    /// Marks a position as founded; if that is news to somebody, remembers it.
    fn found(&self, index: u64, position: &G::Position, news: &mut Vec<G::Position>) {
        let before = self.marks.update(index, |marks| Some(marks | FOUNDED)).unwrap_or(0);
        if before == AWAITED && news.len() < MEMORY {
            news.push(*position);
        }
    }

    /// Looks at every position once: its score must be the best of its moves. On the way, finds
    /// most of the foundation. Returns the fault with the lowest number.
    fn agreement(&self, threads: usize) -> Result<Option<(u64, Fault)>, TableError> {
        let first: Mutex<Option<(u64, Fault)>> = Mutex::new(None);
        for_each_chunk(self.scores.len(), CHUNK, threads, |range| {
            let mut scratch = Self::scratch();
            let mut position = self.game.second_unrank(self.slice, range.start);
            for second in range.clone() {
                if second > range.start {
                    self.game.second_next(self.slice, second, &mut position);
                }
                let index = self.game.rank(&position);
                if let Err(fault) = self.position(index, &position, &mut scratch)? {
                    let mut first = first.lock().expect("no thread panics");
                    if first.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
                        *first = Some((index, fault));
                    }
                }
                self.spread(&mut scratch);
            }
            let checked = range.end - range.start;
            self.progress.advance(self.done.fetch_add(checked, Relaxed) + checked);
            Ok(())
        })?;
        Ok(first.into_inner().expect("no thread panics"))
    }

    /// Compares a position's score with its moves, and marks it if it is founded.
    fn position(
        &self,
        index: u64,
        position: &G::Position,
        scratch: &mut Scratch<G::Position>,
    ) -> Result<Result<(), Fault>, TableError> {
        let stored = self.score(index);
        if let Some(outcome) = self.game.outcome(position) {
            if outcome != stored {
                let position = self.notation(position);
                return Ok(Err(Fault::NotOutcome { position, index, stored: stored as i8, outcome }));
            }
            self.found(index, position, &mut scratch.news);
            return Ok(Ok(()));
        }
        scratch.steps.clear();
        self.game.steps(position, &mut scratch.steps);
        let mut best = Score::MIN;
        let mut founded = stored == 0;
        for step in &scratch.steps {
            let value = if let Some(next) = self.internal(step) {
                -self.score(next)
            } else {
                let to = self.game.slice_of(&step.next);
                let value = step.value(self.children.score(to, self.game.rank(&step.next))?);
                founded |= stored > 0 && value == stored;
                value
            };
            best = best.max(value);
        }
        if best != stored {
            let position = self.notation(position);
            return Ok(Err(Fault::NotBest { position, index, stored: stored as i8, best }));
        }
        if founded || self.rests(stored, &scratch.steps) {
            self.found(index, position, &mut scratch.news);
        }
        Ok(Ok(()))
    }

    /// Whether a score other than 0 rests on founded internal successors; if not, marks what it
    /// waits for.
    fn rests(&self, stored: Score, steps: &[Step<G::Position>]) -> bool {
        let mut internal = steps.iter().filter_map(|step| self.internal(step));
        if stored > 0 {
            internal.any(|next| self.score(next) == -stored && !self.await_it(next))
        } else {
            internal.all(|next| !self.await_it(next))
        }
    }

    /// The number of the next position if the move is internal.
    fn internal(&self, step: &Step<G::Position>) -> Option<u64> {
        let internal = self.game.slice_of(&step.next) == self.slice && step.turn == Turn::Passes;
        internal.then(|| self.game.rank(&step.next))
    }

    /// Looks again at those who may have waited for the news. A win by conversion is founded at
    /// first sight, so only internal moves matter here.
    fn spread(&self, scratch: &mut Scratch<G::Position>) {
        while let Some(position) = scratch.news.pop() {
            scratch.before.clear();
            self.game.unmoves(&position, &mut scratch.before);
            for earlier in &scratch.before {
                let index = self.game.rank(earlier);
                self.look_again(index, earlier, &mut scratch.steps, &mut scratch.news);
            }
        }
    }

    /// Founds a position if it can be now.
    fn look_again(
        &self,
        index: u64,
        position: &G::Position,
        steps: &mut Vec<Step<G::Position>>,
        news: &mut Vec<G::Position>,
    ) -> bool {
        if self.founded(index) {
            return false;
        }
        steps.clear();
        self.game.steps(position, steps);
        let stored = self.score(index);
        let rests = stored != 0 && !steps.is_empty() && self.rests(stored, steps);
        if rests {
            self.found(index, position, news);
        }
        rests
    }

    /// Looks at whatever is not founded yet; returns how many positions were founded.
    fn sweep(&self, threads: usize) -> u64 {
        let found = AtomicU64::new(0);
        let Ok(()) = for_each_chunk(self.scores.len(), CHUNK, threads, |range| {
            let mut scratch = Self::scratch();
            self.marks.find(range, [0, AWAITED], |index, _| {
                let position = self.game.unrank(self.slice, index);
                if self.look_again(index, &position, &mut scratch.steps, &mut scratch.news) {
                    found.fetch_add(1, Relaxed);
                    self.spread(&mut scratch);
                }
            });
            Ok::<(), std::convert::Infallible>(())
        });
        if std::env::var_os("DBG").is_some() { eprintln!("sweep found {}", found.load(Relaxed)); }
        found.into_inner()
    }

    fn unfounded(&self) -> Option<Fault> {
        let mut lacking = (0..self.scores.len()).filter(|&index| !self.founded(index));
        let index = lacking.next()?;
        Some(Fault::Unfounded {
            position: self.notation(&self.game.unrank(self.slice, index)),
            index,
            stored: self.score(index) as i8,
            count: 1 + lacking.count() as u64,
        })
    }

    fn notation(&self, position: &G::Position) -> String {
        self.game.format(&Situation::new(*position, nutcracker_game::Side::First))
    }
}

//! A slice solved by rows with its bits on disk, block by block.
//!
//! A block is all rows of equally many stones. In its turn, as many of its rows as fit are in memory
//! and look at one block after another of what is known; what they find becomes known in one other
//! block, which is in memory, too. Only rows that must look again, and what they look at, are read.
//! What is known is read most: as many of its blocks as fit stay in memory, the largest first.
//!
//! After an interruption, wins and losses found so far are in the lines, and each is true whatever
//! was written after it: what is known is made from them anew. Scores are given when a level is at
//! rest, before the checkpoint names the next.

use std::ops::Range;
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use nutcracker_mem::Words;

use super::RowWork;
use super::allotment::Allotment;
use super::blocks::{Blocks, together};
use super::clock::Clock;
use super::kernel::{Found, Kernel, Known, Lines, Runs, Values, line, zeros};
use super::look::Sight;
use super::shape::{TILE, Tile};
use super::streaming::Streaming;
use crate::parallel::for_each_until_stopped;
use crate::progress::{Phase, Progress};
use crate::solve::SolveError;
use crate::store::disk::ScratchError;

/// The name of the checkpoint: the level that is at work.
const CHECKPOINT: &str = "level.checkpoint";

/// Words that one thread works on alone.
const ALONE: usize = 1 << 15;

/// A slice at work.
pub(super) struct Run<'a> {
    streaming: &'a Streaming<'a>,
    progress: &'a dyn Progress,
    pub(super) kernel: Kernel,
    pub(super) values: Blocks,
    lines: Blocks,
    known: Blocks,
    clock: Clock,
    /// By tile: rows that look in this turn; rows of the opponent's half that are read, or changed.
    looking: Vec<AtomicU64>,
    wanted: Vec<AtomicU64>,
    touched: Vec<AtomicU64>,
    /// Tiles that are in memory at once, by the stones in their rows' halves.
    parts: Vec<Vec<Range<usize>>>,
    line_words: Words,
    value_words: Words,
    /// What is known of the block that is looked at, and of the one that is told.
    source_words: Words,
    target_words: Words,
    /// What tiles of a part see.
    sight: Mutex<Vec<Sight>>,
    /// For threads that need one.
    found: Mutex<Vec<Found>>,
    /// Whether anything was told in this pass.
    told: AtomicBool,
    passes: u64,
    rows: AtomicU64,
    squares: AtomicU64,
    settled: AtomicU64,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        streaming: &'a Streaming<'a>,
        values: Blocks,
        progress: &'a dyn Progress,
    ) -> Result<Self, SolveError> {
        let kernel = Kernel::new(streaming.sowing, streaming.top, streaming.portable);
        let shape = &kernel.shape;
        let allotted = Allotment::new(shape, streaming.room, values.per_word);
        let Allotment { part, sight, block, .. } = allotted;
        let open = |name, per_word| Blocks::open(&streaming.folder, name, per_word, shape);
        let mut known = open("known", 2)?;
        for &held in &allotted.kept {
            known.keep(shape, held)?;
        }
        Ok(Run {
            streaming,
            progress,
            lines: open("lines", line::WORDS)?,
            known,
            clock: Clock::new(shape.tiles() * TILE),
            looking: zeros(shape.tiles()),
            wanted: zeros(shape.tiles()),
            touched: zeros(shape.tiles()),
            line_words: Words::zeroed(part * line::WORDS)?,
            value_words: Words::zeroed(part * values.per_word)?,
            source_words: Words::zeroed(block * 2)?,
            target_words: Words::zeroed(block * 2)?,
            sight: Mutex::new(vec![Sight::default(); sight]),
            found: Mutex::default(),
            told: AtomicBool::new(false),
            passes: 0,
            rows: AtomicU64::new(0),
            squares: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            values,
            parts: allotted.parts,
            kernel,
        })
    }

    pub(super) fn work(&self) -> RowWork {
        let files = [&self.values, &self.lines, &self.known];
        RowWork {
            passes: self.passes,
            rows: self.rows.load(Relaxed),
            squares: self.squares.load(Relaxed),
            singles: 0,
            moved: files.iter().map(|blocks| blocks.moved()).sum(),
        }
    }

    /// From the largest level down to 1, or from where an earlier run was.
    pub(super) fn settle(&mut self) -> Result<(), SolveError> {
        let stones = self.kernel.shape.stones;
        self.progress.begin(Phase::Fixpoint, self.kernel.shape.len());
        let resumed = self.streaming.folder.checkpoint(CHECKPOINT)?;
        let start = resumed.and_then(|[level]| u8::try_from(level).ok());
        let start = start.filter(|&level| level <= self.streaming.top);
        let start = start.unwrap_or(self.streaming.top);
        for held in 0..=stones {
            self.restore(held, start)?;
        }
        let turns: Vec<usize> = self.kernel.shape.turns().collect();
        for level in (1..=start).rev() {
            let mut begins = Some(level);
            loop {
                self.passes += 1;
                self.told.store(false, Relaxed);
                for &held in &turns {
                    self.turn(held, begins)?;
                    self.progress.advance(self.settled.load(Relaxed));
                }
                begins = None;
                if !self.told.load(Relaxed) {
                    break;
                }
            }
            for held in 0..=stones {
                self.score(level, held)?;
            }
            if self.streaming.lasting {
                self.streaming.folder.set_checkpoint(CHECKPOINT, &[u64::from(level) - 1])?;
            }
        }
        Ok(())
    }

    fn each_tile(
        &self,
        tiles: Range<usize>,
        work: impl Fn(Tile) -> Result<(), ScratchError> + Sync,
    ) -> Result<(), SolveError> {
        // A thread costs as much as some thousands of words.
        let words: usize =
            tiles.clone().map(|tile| self.kernel.shape.tile(tile).words * TILE).sum();
        let threads = self.streaming.threads.min(1 + words / ALONE);
        for_each_until_stopped(tiles.len() as u64, 1, threads, self.progress, |range| {
            for at in range {
                work(self.kernel.shape.tile(tiles.start + at as usize))?;
            }
            Ok::<(), SolveError>(())
        })
    }

    fn with_found<T>(&self, work: impl FnOnce(&mut Found) -> T) -> T {
        let spare = self.found.lock().expect("no thread panics").pop();
        let mut found = spare.unwrap_or_else(|| Found::new(&self.kernel.shape));
        let done = work(&mut found);
        self.found.lock().expect("no thread panics").push(found);
        done
    }

    fn lines_from(&self, tiles: &Range<usize>) -> Lines<'_> {
        let base = self.kernel.shape.tile(tiles.start).first_word;
        Lines { words: self.line_words.as_slice(), base }
    }

    fn values_from(&self, tiles: &Range<usize>) -> Values<'_> {
        let base = self.kernel.shape.tile(tiles.start).first_word;
        let planes = self.values.per_word - 1;
        Values { words: self.value_words.as_slice(), base, planes }
    }

    /// What is known of a block: where it is kept, or in other words that it is read into.
    fn known_in<'b>(&'b self, held: usize, words: &'b Words) -> Known<'b> {
        let words = self.known.kept(held).unwrap_or(words.as_slice());
        Known { words, base: self.kernel.shape.first_word(held) }
    }

    /// What is known of the block that rows with so many stones tell.
    fn target(&self, held: usize) -> Known<'_> {
        self.known_in(self.kernel.shape.stones - held, &self.target_words)
    }

    /// Makes the lines of a block from scores, and from what an earlier run has found, and what is
    /// known from the lines.
    fn restore(&mut self, held: usize, level: u8) -> Result<(), SolveError> {
        let this = &*self;
        let shape = &this.kernel.shape;
        let (file, base) = (this.lines.begin(shape, held)?, shape.first_word(held));
        let to = shape.stones - held;
        let target = this.target(held);
        let words = shape.block_words(to);
        for word in target.part(words.clone()).words {
            word.store(0, Relaxed);
        }
        for tiles in &this.parts[held] {
            let (lines, values) = (this.lines_from(tiles), this.values_from(tiles));
            this.each_tile(tiles.clone(), |tile| {
                let words = tile.word_range();
                let known = this.lines.has(held);
                if known {
                    this.lines.read(held, base, words.clone(), lines.part(words.clone()).words)?;
                }
                this.values.read(held, base, words.clone(), values.part(words.clone()))?;
                this.with_found(|found| {
                    this.kernel.restore(&tile, known, lines, values, found);
                    this.kernel.tell(&tile, slice::from_mut(found), target, |_, _, _, _| {});
                });
                // What was bad at a higher level still is.
                this.kernel.note_bad(&tile, level, lines, values);
                this.lines.write(&file, base, words.clone(), lines.part(words).words)
            })?;
        }
        self.lines.finish(held, file, self.streaming.lasting)?;
        let this = &*self;
        if this.known.kept(to).is_some() {
            return Ok(());
        }
        let (shape, target) = (&this.kernel.shape, this.target(held));
        let known = this.known.begin(shape, to)?;
        this.each_tile(shape.block_tiles(to), |tile| {
            let range = tile.word_range();
            this.known.write(&known, words.start, range.clone(), target.part(range).words)
        })?;
        Ok(self.known.finish(to, known, false)?)
    }

    /// A block's turn. In the first turn of a level all of its rows look, else those that must.
    fn turn(&self, held: usize, begins: Option<u8>) -> Result<(), SolveError> {
        let shape = &self.kernel.shape;
        let time = self.clock.tick();
        let mut looks = false;
        for tile in shape.block_tiles(held) {
            let tile = shape.tile(tile);
            let rows = match begins {
                Some(_) => u64::MAX >> (TILE - tile.rows),
                None => self.clock.due(&tile, &self.kernel.moves),
            };
            self.clock.look(&tile, rows, time);
            self.looking[tile.number].store(rows, Relaxed);
            self.rows.fetch_add(u64::from(rows.count_ones()), Relaxed);
            looks |= rows != 0;
        }
        if !looks {
            return Ok(());
        }
        let (to, target) = (shape.stones - held, self.target(held));
        let (base, kept) = (shape.first_word(to), self.known.kept(to).is_some());
        if !kept {
            self.each_tile(shape.block_tiles(to), |tile| {
                let words = tile.word_range();
                self.known.read(to, base, words.clone(), target.part(words).words)
            })?;
        }
        for tiles in &self.parts[held] {
            if tiles.clone().any(|tile| self.looking[tile].load(Relaxed) != 0) {
                self.part(held, tiles, begins)?;
            }
        }
        self.each_tile(shape.block_tiles(to), |tile| {
            for rows in Runs(self.touched[tile.number].swap(0, Relaxed)) {
                self.told.store(true, Relaxed);
                if !kept {
                    let words = tile.rows_words(rows);
                    let from = target.part(words.clone()).words;
                    self.known.write(self.known.file(to), base, words, from)?;
                }
            }
            Ok(())
        })
    }

    /// The turn of some tiles of a block.
    fn part(
        &self,
        held: usize,
        tiles: &Range<usize>,
        begins: Option<u8>,
    ) -> Result<(), SolveError> {
        let base = self.kernel.shape.first_word(held);
        let (lines, values) = (self.lines_from(tiles), self.values_from(tiles));
        let mut sights = self.sight.lock().expect("no thread panics");
        let size = self.kernel.shape.words(held) * TILE;
        let sights: Vec<Mutex<&mut [Sight]>> = sights.chunks_mut(size).map(Mutex::new).collect();
        let sight =
            |tile: &Tile| sights[tile.number - tiles.start].lock().expect("no thread panics");
        let looking = |tile: &Tile| self.looking[tile.number].load(Relaxed);
        self.each_tile(tiles.clone(), |tile| {
            if looking(&tile) == 0 {
                return Ok(());
            }
            for rows in together(&tile, looking(&tile)) {
                let words = tile.rows_words(rows);
                self.lines.read(held, base, words.clone(), lines.part(words).words)?;
            }
            let mut sight = sight(&tile);
            Kernel::blind(&mut sight);
            if let Some(level) = begins {
                let words = tile.word_range();
                self.values.read(held, base, words.clone(), values.part(words))?;
                self.kernel.begin(&tile, level, lines, values, &mut sight);
            }
            Ok(())
        })?;
        for sown in 0..=held {
            let Some(known) = self.source(held, tiles, sown)? else { continue };
            self.each_tile(tiles.clone(), |tile| {
                let rows = looking(&tile);
                if rows != 0 {
                    self.kernel.look(&tile, rows, Some(sown), known, &mut sight(&tile));
                }
                Ok(())
            })?;
        }
        let target = self.target(held);
        self.each_tile(tiles.clone(), |tile| {
            let rows = looking(&tile);
            if rows == 0 {
                return Ok(());
            }
            let settled = self.with_found(|found| {
                let settled = Kernel::settle(&tile, rows, lines, &sight(&tile), found);
                if settled > 0 {
                    let mut about = Vec::new();
                    let found = slice::from_mut(found);
                    let squares = self.kernel.tell(&tile, found, target, |row, _, _, _| {
                        about.push(row as u32);
                        self.touched[row / TILE].fetch_or(1 << (row % TILE), Relaxed);
                    });
                    self.clock.change(&about);
                    self.squares.fetch_add(squares, Relaxed);
                }
                settled
            });
            self.settled.fetch_add(settled, Relaxed);
            if settled > 0 || begins.is_some() {
                for rows in together(&tile, rows) {
                    let words = tile.rows_words(rows);
                    let from = lines.part(words.clone()).words;
                    self.lines.write(self.lines.file(held), base, words, from)?;
                }
            }
            Ok(())
        })
    }

    /// What is known of the rows that are looked at by moves that sow so many stones; nothing if
    /// nobody looks.
    fn source(
        &self,
        held: usize,
        tiles: &Range<usize>,
        sown: usize,
    ) -> Result<Option<Known<'_>>, SolveError> {
        let (shape, moves) = (&self.kernel.shape, &self.kernel.moves);
        let from = held - sown;
        // The block that is told may be looked at as well, and is there already.
        let told = from == shape.stones - held;
        let there = told || self.known.kept(from).is_some();
        let mut looks = false;
        for tile in tiles.clone() {
            let looking = self.looking[tile].load(Relaxed);
            for same in moves.of_tile(tile) {
                if looking == 0 || moves.selection(same.kind).sown != sown {
                    continue;
                }
                for step in moves.steps(same) {
                    if looking >> (step.row as usize % TILE) & 1 == 1 {
                        looks = true;
                        if there {
                            break;
                        }
                        let (tile, row) = (step.to as usize / TILE, step.to as usize % TILE);
                        let wanted = &self.wanted[tile];
                        wanted.store(wanted.load(Relaxed) | 1 << row, Relaxed);
                    }
                }
            }
        }
        if !looks {
            return Ok(None);
        }
        let base = shape.first_word(from);
        let words = if told { &self.target_words } else { &self.source_words };
        let known = self.known_in(from, words);
        if there {
            return Ok(Some(known));
        }
        self.each_tile(shape.block_tiles(from), |tile| {
            for rows in Runs(self.wanted[tile.number].swap(0, Relaxed)) {
                let words = tile.rows_words(rows);
                self.known.read(from, base, words.clone(), known.part(words).words)?;
            }
            Ok(())
        })?;
        Ok(Some(known))
    }

    /// Gives what a level has settled in a block its score.
    fn score(&mut self, level: u8, held: usize) -> Result<(), SolveError> {
        let file = self.values.begin(&self.kernel.shape, held)?;
        let this = &*self;
        let base = this.kernel.shape.first_word(held);
        for tiles in &this.parts[held] {
            let (lines, values) = (this.lines_from(tiles), this.values_from(tiles));
            this.each_tile(tiles.clone(), |tile| {
                let words = tile.word_range();
                let part = values.part(words.clone());
                this.values.read(held, base, words.clone(), part)?;
                this.lines.read(held, base, words.clone(), lines.part(words.clone()).words)?;
                for word in words.clone() {
                    this.kernel.score(word, level, lines, values);
                }
                this.values.write(&file, base, words, part)
            })?;
        }
        Ok(self.values.finish(held, file, self.streaming.lasting)?)
    }
}

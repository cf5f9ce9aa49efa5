//! A slice solved by rows with its bits on disk, block by block.
//!
//! When a block is scanned, as many of its rows as fit are in memory, and scan one source block of
//! decided positions after another; what they decide is published in one target block, which is in
//! memory, too. Only rows that must be scanned again, and the rows they depend on, are read.
//! Decided positions are read most: as many of their blocks as fit stay in memory, the largest
//! first.
//!
//! After an interruption, wins and losses are in the undecided files, and each is true whatever was
//! written after it: the decided blocks are rebuilt from them. Those files are changed in place, so
//! that a kill may tear a block, whose tiles then lose what the level has decided so far. Scores are
//! written when a level is complete, before the checkpoint names the next.

use std::ops::Range;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use nutcracker_mem::Words;

use super::Streaming;
use super::blocks::{Blocks, coalesced_rows};
use super::budget::RowBudget;
use crate::error::SolveError;
use crate::parallel::for_each_until_stopped;
use crate::progress::{Meter, Phase, Progress};
use crate::report::RowWork;
use crate::solver::rows::kernel::clock::Clock;
use crate::solver::rows::kernel::scan::MoveSummary;
use crate::solver::rows::kernel::{
    Decided, Kernel, NewlyDecided, Runs, ScorePlanes, UNDECIDED_WORDS, Undecided, zeros,
};
use crate::solver::rows::layout::{TILE, Tile};
use crate::store::disk::WorkFileError;

/// The checkpoint: the level to be computed next.
const CHECKPOINT: &str = "level.checkpoint";

/// Words from which on another thread is worth starting.
const WORDS_PER_THREAD: usize = 1 << 15;

/// A slice while it is solved.
pub(super) struct StreamedRun<'a> {
    streaming: &'a Streaming<'a>,
    progress: &'a dyn Progress,
    pub(super) kernel: Kernel,
    pub(super) values: Blocks,
    undecided: Blocks,
    decided: Blocks,
    clock: Clock,
    /// By tile: rows of the mover's half that are being scanned.
    scanning: Vec<AtomicU64>,
    /// By tile: rows of the opponent's half to be read.
    to_read: Vec<AtomicU64>,
    /// By tile: rows of the opponent's half that have changed.
    touched: Vec<AtomicU64>,
    /// Tiles that are in memory at once, by the stones in their rows' halves.
    parts: Vec<Vec<Range<usize>>>,
    undecided_words: Words,
    value_words: Words,
    /// Decided positions of the source block, and of the target block.
    source_words: Words,
    target_words: Words,
    /// The moves of the tiles of a part scanned so far.
    summaries: Mutex<Vec<MoveSummary>>,
    /// Spare ones for threads.
    found: Mutex<Vec<NewlyDecided>>,
    /// Whether anything was published in this pass.
    published: AtomicBool,
    passes: u64,
    rows: AtomicU64,
    squares: AtomicU64,
    meter: Meter<'a>,
}

impl<'a> StreamedRun<'a> {
    pub(super) fn new(
        streaming: &'a Streaming<'a>,
        values: Blocks,
        progress: &'a dyn Progress,
    ) -> Result<Self, SolveError> {
        let kernel = Kernel::new(streaming.row_moves, streaming.top, streaming.portable);
        let shape = &kernel.shape;
        let budget = RowBudget::new(shape, streaming.budget, values.per_word);
        let RowBudget { part, summaries, block, .. } = budget;
        let open = |name, per_word| Blocks::open(&streaming.folder, name, per_word, shape);
        let mut decided = open("decided", 2)?;
        for &row_stones in &budget.kept {
            decided.keep(shape, row_stones)?;
        }
        Ok(StreamedRun {
            streaming,
            progress,
            undecided: open("undecided", UNDECIDED_WORDS)?,
            decided,
            clock: Clock::new(shape.tiles() * TILE),
            scanning: zeros(shape.tiles()),
            to_read: zeros(shape.tiles()),
            touched: zeros(shape.tiles()),
            undecided_words: Words::zeroed(part * UNDECIDED_WORDS)?,
            value_words: Words::zeroed(part * values.per_word)?,
            source_words: Words::zeroed(block * 2)?,
            target_words: Words::zeroed(block * 2)?,
            summaries: Mutex::new(vec![MoveSummary::EMPTY; summaries]),
            found: Mutex::default(),
            published: AtomicBool::new(false),
            passes: 0,
            rows: AtomicU64::new(0),
            squares: AtomicU64::new(0),
            meter: Meter::begin(progress, Phase::Fixpoint, kernel.shape.len()),
            values,
            parts: budget.parts,
            kernel,
        })
    }

    pub(super) fn work(&self) -> RowWork {
        let files = [&self.values, &self.undecided, &self.decided];
        RowWork {
            passes: self.passes,
            rows: self.rows.load(Relaxed),
            squares: self.squares.load(Relaxed),
            singles: 0,
            moved: files.iter().map(|blocks| blocks.moved()).sum(),
        }
    }

    /// From the largest level down to 1, or from where an earlier run ended.
    pub(super) fn settle(&mut self) -> Result<(), SolveError> {
        let stones = self.kernel.shape.stones;
        let resumed = self.streaming.folder.checkpoint(CHECKPOINT)?;
        let start = resumed.and_then(|[level]| u8::try_from(level).ok());
        let start = start.filter(|&level| level <= self.streaming.top);
        let start = start.unwrap_or(self.streaming.top);
        for row_stones in 0..=stones {
            self.restore(row_stones, start)?;
        }
        let order: Vec<usize> = self.kernel.shape.order().collect();
        for level in (1..=start).rev() {
            let mut begins = Some(level);
            loop {
                self.passes += 1;
                self.published.store(false, Relaxed);
                for &row_stones in &order {
                    self.scan_block(row_stones, begins)?;
                }
                begins = None;
                if !self.published.load(Relaxed) {
                    break;
                }
            }
            for row_stones in 0..=stones {
                self.score(level, row_stones)?;
            }
            if self.streaming.resumable {
                self.streaming.folder.set_checkpoint(CHECKPOINT, &[u64::from(level) - 1])?;
            }
        }
        self.meter.finish();
        Ok(())
    }

    fn each_tile(
        &self,
        tiles: Range<usize>,
        work: impl Fn(Tile) -> Result<(), WorkFileError> + Sync,
    ) -> Result<(), SolveError> {
        // A thread costs as much as some thousands of words.
        let words: usize =
            tiles.clone().map(|tile| self.kernel.shape.tile(tile).words * TILE).sum();
        let threads = self.streaming.threads.min(1 + words / WORDS_PER_THREAD);
        for_each_until_stopped(tiles.len() as u64, 1, threads, self.progress, |range| {
            for at in range {
                work(self.kernel.shape.tile(tiles.start + at as usize))?;
            }
            Ok::<(), SolveError>(())
        })
    }

    fn with_found<T>(&self, work: impl FnOnce(&mut NewlyDecided) -> T) -> T {
        let spare = self.found.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut found = spare.unwrap_or_else(|| NewlyDecided::new(&self.kernel.shape));
        let done = work(&mut found);
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push(found);
        done
    }

    fn lines_from(&self, tiles: &Range<usize>) -> Undecided<'_> {
        let base = self.kernel.shape.tile(tiles.start).first_word;
        Undecided { words: self.undecided_words.as_slice(), base }
    }

    fn values_from(&self, tiles: &Range<usize>) -> ScorePlanes<'_> {
        let base = self.kernel.shape.tile(tiles.start).first_word;
        let planes = self.values.per_word - 1;
        ScorePlanes { words: self.value_words.as_slice(), base, planes }
    }

    /// Decided positions of a block: where it is resident, or in the words that it is read into.
    fn known_in<'b>(&'b self, row_stones: usize, words: &'b Words) -> Decided<'b> {
        let words = self.decided.kept(row_stones).unwrap_or(words.as_slice());
        Decided { words, base: self.kernel.shape.first_word(row_stones) }
    }

    /// The target block of the block with `row_stones` stones.
    fn target(&self, row_stones: usize) -> Decided<'_> {
        self.known_in(self.kernel.shape.stones - row_stones, &self.target_words)
    }

    /// Rebuilds the undecided bits of a block from scores and from what an earlier run decided, and
    /// its decided bits from these.
    fn restore(&mut self, row_stones: usize, level: u8) -> Result<(), SolveError> {
        let this = &*self;
        let shape = &this.kernel.shape;
        let (file, base) = (this.undecided.begin(shape, row_stones)?, shape.first_word(row_stones));
        let to = shape.stones - row_stones;
        let target = this.target(row_stones);
        let words = shape.block_words(to);
        for word in target.part(words.clone()).words {
            word.store(0, Relaxed);
        }
        for tiles in &this.parts[row_stones] {
            let (undecided, values) = (this.lines_from(tiles), this.values_from(tiles));
            this.each_tile(tiles.clone(), |tile| {
                let words = tile.word_range();
                let decided = this.undecided.has(row_stones)
                    && this.was_decided(row_stones, base, words.clone(), undecided)?;
                this.values.read(row_stones, base, words.clone(), values.part(words.clone()))?;
                this.with_found(|found| {
                    this.meter.add(this.kernel.restore(&tile, decided, undecided, values, found));
                    this.kernel.publish(&tile, slice::from_mut(found), target, |_, _, _, _| {});
                });
                // What was at risk at a higher level still is.
                this.kernel.mark_at_risk(&tile, level, undecided, values);
                this.undecided.write(&file, base, words.clone(), undecided.part(words).words)
            })?;
        }
        self.undecided.finish(row_stones, file, self.streaming.resumable)?;
        let this = &*self;
        if this.decided.kept(to).is_some() {
            return Ok(());
        }
        let (shape, target) = (&this.kernel.shape, this.target(row_stones));
        let decided = this.decided.begin(shape, to)?;
        this.each_tile(shape.block_tiles(to), |tile| {
            let range = tile.word_range();
            this.decided.write(&decided, words.start, range.clone(), target.part(range).words)
        })?;
        Ok(self.decided.finish(to, decided, false)?)
    }

    /// Reads what an earlier run decided in a tile. Where a kill has torn a block, that is nothing:
    /// scores have what complete levels decided, and the rest is decided again.
    fn was_decided(
        &self,
        row_stones: usize,
        base: usize,
        words: Range<usize>,
        undecided: Undecided<'_>,
    ) -> Result<bool, WorkFileError> {
        let into = undecided.part(words.clone()).words;
        match self.undecided.read(row_stones, base, words, into) {
            Err(error) if error.is_damage() => Ok(false),
            read => read.map(|()| true),
        }
    }

    /// Scans a block: in the first pass of a level all of its rows, else those that must be.
    fn scan_block(&self, row_stones: usize, begins: Option<u8>) -> Result<(), SolveError> {
        let shape = &self.kernel.shape;
        let time = self.clock.tick();
        let mut scans = false;
        for tile in shape.block_tiles(row_stones) {
            let tile = shape.tile(tile);
            let rows = match begins {
                Some(_) => u64::MAX >> (TILE - tile.rows),
                None => self.clock.due(&tile, &self.kernel.moves),
            };
            self.clock.begin_scan(&tile, rows, time);
            self.scanning[tile.number].store(rows, Relaxed);
            self.rows.fetch_add(u64::from(rows.count_ones()), Relaxed);
            scans |= rows != 0;
        }
        if !scans {
            return Ok(());
        }
        let (to, target) = (shape.stones - row_stones, self.target(row_stones));
        let (base, kept) = (shape.first_word(to), self.decided.kept(to).is_some());
        if !kept {
            self.each_tile(shape.block_tiles(to), |tile| {
                let words = tile.word_range();
                self.decided.read(to, base, words.clone(), target.part(words).words)
            })?;
        }
        for tiles in &self.parts[row_stones] {
            if tiles.clone().any(|tile| self.scanning[tile].load(Relaxed) != 0) {
                self.scan_part(row_stones, tiles, begins)?;
            }
        }
        self.each_tile(shape.block_tiles(to), |tile| {
            for rows in Runs(self.touched[tile.number].swap(0, Relaxed)) {
                self.published.store(true, Relaxed);
                if !kept {
                    let words = tile.rows_words(rows);
                    let from = target.part(words.clone()).words;
                    self.decided.write(self.decided.file(to), base, words, from)?;
                }
            }
            Ok(())
        })
    }

    /// Scans some tiles of a block.
    fn scan_part(
        &self,
        row_stones: usize,
        tiles: &Range<usize>,
        begins: Option<u8>,
    ) -> Result<(), SolveError> {
        let base = self.kernel.shape.first_word(row_stones);
        let (undecided, values) = (self.lines_from(tiles), self.values_from(tiles));
        let mut summaries_by_tile = self.summaries.lock().unwrap_or_else(PoisonError::into_inner);
        let size = self.kernel.shape.words(row_stones) * TILE;
        let summaries_by_tile: Vec<Mutex<&mut [MoveSummary]>> =
            summaries_by_tile.chunks_mut(size).map(Mutex::new).collect();
        let summaries = |tile: &Tile| {
            summaries_by_tile[tile.number - tiles.start]
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let scanning = |tile: &Tile| self.scanning[tile.number].load(Relaxed);
        self.each_tile(tiles.clone(), |tile| {
            if scanning(&tile) == 0 {
                return Ok(());
            }
            for rows in coalesced_rows(&tile, scanning(&tile)) {
                let words = tile.rows_words(rows);
                self.undecided.read(
                    row_stones,
                    base,
                    words.clone(),
                    undecided.part(words).words,
                )?;
            }
            let mut summaries = summaries(&tile);
            Kernel::reset(&mut summaries);
            if let Some(level) = begins {
                let words = tile.word_range();
                self.values.read(row_stones, base, words.clone(), values.part(words))?;
                self.kernel.begin_level(&tile, level, undecided, values, &mut summaries);
            }
            Ok(())
        })?;
        for sown in 0..=row_stones {
            let Some(decided) = self.source(row_stones, tiles, sown)? else { continue };
            self.each_tile(tiles.clone(), |tile| {
                let rows = scanning(&tile);
                if rows != 0 {
                    self.kernel.scan_moves(&tile, rows, Some(sown), decided, &mut summaries(&tile));
                }
                Ok(())
            })?;
        }
        let target = self.target(row_stones);
        self.each_tile(tiles.clone(), |tile| {
            let rows = scanning(&tile);
            if rows == 0 {
                return Ok(());
            }
            let settled = self.with_found(|found| {
                let summaries = summaries(&tile);
                let settled = Kernel::settle::<false>(&tile, rows, undecided, &summaries, found);
                if settled > 0 {
                    let mut changed = Vec::new();
                    let found = slice::from_mut(found);
                    let squares = self.kernel.publish(&tile, found, target, |row, _, _, _| {
                        changed.push(row as u32);
                        self.touched[row / TILE].fetch_or(1 << (row % TILE), Relaxed);
                    });
                    self.clock.change(&changed);
                    self.squares.fetch_add(squares, Relaxed);
                }
                settled
            });
            self.meter.add(settled);
            if settled > 0 || begins.is_some() {
                for rows in coalesced_rows(&tile, rows) {
                    let words = tile.rows_words(rows);
                    let from = undecided.part(words.clone()).words;
                    self.undecided.write(self.undecided.file(row_stones), base, words, from)?;
                }
            }
            Ok(())
        })
    }

    /// Decided positions of the rows reached by moves that sow `sown` stones; `None` if no row
    /// being scanned has such a move.
    fn source(
        &self,
        row_stones: usize,
        tiles: &Range<usize>,
        sown: usize,
    ) -> Result<Option<Decided<'_>>, SolveError> {
        let (shape, moves) = (&self.kernel.shape, &self.kernel.moves);
        let from = row_stones - sown;
        // The target block may be a source as well, and is in memory already.
        let published = from == shape.stones - row_stones;
        let there = published || self.decided.kept(from).is_some();
        let mut scans = false;
        for tile in tiles.clone() {
            let scanning = self.scanning[tile].load(Relaxed);
            for group in moves.groups_of_tile(tile) {
                if scanning == 0 || moves.projection(group.kind).sown != sown {
                    continue;
                }
                for edge in moves.edges(group) {
                    if scanning >> (edge.row as usize % TILE) & 1 == 1 {
                        scans = true;
                        if there {
                            break;
                        }
                        let (tile, row) = (edge.to as usize / TILE, edge.to as usize % TILE);
                        let to_read = &self.to_read[tile];
                        to_read.store(to_read.load(Relaxed) | 1 << row, Relaxed);
                    }
                }
            }
        }
        if !scans {
            return Ok(None);
        }
        let base = shape.first_word(from);
        let words = if published { &self.target_words } else { &self.source_words };
        let decided = self.known_in(from, words);
        if there {
            return Ok(Some(decided));
        }
        self.each_tile(shape.block_tiles(from), |tile| {
            for rows in Runs(self.to_read[tile.number].swap(0, Relaxed)) {
                let words = tile.rows_words(rows);
                self.decided.read(from, base, words.clone(), decided.part(words).words)?;
            }
            Ok(())
        })?;
        Ok(Some(decided))
    }

    /// Writes the scores of what a level has decided in a block.
    fn score(&mut self, level: u8, row_stones: usize) -> Result<(), SolveError> {
        let file = self.values.begin(&self.kernel.shape, row_stones)?;
        let this = &*self;
        let base = this.kernel.shape.first_word(row_stones);
        for tiles in &this.parts[row_stones] {
            let (undecided, values) = (this.lines_from(tiles), this.values_from(tiles));
            this.each_tile(tiles.clone(), |tile| {
                let words = tile.word_range();
                let part = values.part(words.clone());
                this.values.read(row_stones, base, words.clone(), part)?;
                this.undecided.read(
                    row_stones,
                    base,
                    words.clone(),
                    undecided.part(words.clone()).words,
                )?;
                for word in words.clone() {
                    this.kernel.score(word, level, undecided, values);
                }
                this.values.write(&file, base, words, part)
            })?;
        }
        Ok(self.values.finish(row_stones, file, self.streaming.resumable)?)
    }
}

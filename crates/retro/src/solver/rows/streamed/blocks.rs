//! One work file per block (all rows whose half holds the same number of stones), with a fixed
//! number of words for each word of its rows.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_mem::{OutOfMemory, Words};

use crate::solver::rows::kernel::Runs;
use crate::solver::rows::layout::{Shape, TILE, Tile};
use crate::store::disk::{WorkFile, WorkFileError};
use crate::store::folder::Folder;

/// One kind of word on disk, a file a block.
#[derive(Debug)]
pub(crate) struct Blocks {
    folder: Folder,
    name: &'static str,
    /// Words kept for each word of the rows.
    pub(crate) per_word: usize,
    /// By stones in the rows' halves.
    files: Vec<Option<WorkFile>>,
    /// Those that are in memory instead.
    kept: Vec<Option<Words>>,
    /// Bytes read and written.
    moved: AtomicU64,
}

impl Blocks {
    /// Opens the blocks that exist.
    pub(crate) fn open(
        folder: &Folder,
        name: &'static str,
        per_word: usize,
        shape: &Shape,
    ) -> Result<Self, WorkFileError> {
        let mut blocks = Blocks {
            folder: folder.clone(),
            name,
            per_word,
            files: Vec::new(),
            kept: (0..=shape.stones).map(|_| None).collect(),
            moved: AtomicU64::new(0),
        };
        for row_stones in 0..=shape.stones {
            let name = blocks.name(row_stones);
            let file =
                folder.has(&name).then(|| folder.open(&name, blocks.bytes(shape, row_stones)));
            blocks.files.push(file.transpose()?);
        }
        Ok(blocks)
    }

    fn name(&self, row_stones: usize) -> String {
        format!("{}-{row_stones}.bin", self.name)
    }

    fn bytes(&self, shape: &Shape, row_stones: usize) -> u64 {
        (shape.block_words(row_stones).len() * self.per_word * 8) as u64
    }

    /// Whether a block exists and is complete.
    pub(crate) fn has(&self, row_stones: usize) -> bool {
        self.files[row_stones].is_some()
    }

    /// A block to be written as a whole; it gets its name by [`finish`](Blocks::finish).
    pub(crate) fn begin(
        &self,
        shape: &Shape,
        row_stones: usize,
    ) -> Result<WorkFile, WorkFileError> {
        self.folder
            .create(&format!("{}-{row_stones}.new", self.name), self.bytes(shape, row_stones))
    }

    /// Gives a new block its name, durably if the work is resumable.
    pub(crate) fn finish(
        &mut self,
        row_stones: usize,
        file: WorkFile,
        resumable: bool,
    ) -> Result<(), WorkFileError> {
        if resumable {
            file.sync()?;
        }
        self.files[row_stones] = Some(file.rename(&self.name(row_stones))?);
        if resumable {
            self.folder.sync()?;
        }
        Ok(())
    }

    /// Keeps a block in memory, full of zeros, instead of a file.
    pub(crate) fn keep(&mut self, shape: &Shape, row_stones: usize) -> Result<(), OutOfMemory> {
        self.kept[row_stones] =
            Some(Words::zeroed(shape.block_words(row_stones).len() * self.per_word)?);
        Ok(())
    }

    /// The words of a block that is kept in memory.
    pub(crate) fn kept(&self, row_stones: usize) -> Option<&[AtomicU64]> {
        self.kept[row_stones].as_ref().map(Words::as_slice)
    }

    pub(crate) fn file(&self, row_stones: usize) -> &WorkFile {
        self.files[row_stones].as_ref().expect("the block was made")
    }

    /// Reads what belongs to some words of the rows, the first word of the block being `base`.
    pub(crate) fn read(
        &self,
        row_stones: usize,
        base: usize,
        words: Range<usize>,
        out: &[AtomicU64],
    ) -> Result<(), WorkFileError> {
        let mut bytes = vec![0; words.len() * self.per_word * 8];
        self.file(row_stones)
            .read(((words.start - base) * self.per_word * 8) as u64, &mut bytes)?;
        for (word, bytes) in out.iter().zip(bytes.chunks_exact(8)) {
            word.store(u64::from_le_bytes(bytes.try_into().expect("eight bytes")), Relaxed);
        }
        self.moved.fetch_add(bytes.len() as u64, Relaxed);
        Ok(())
    }

    /// Writes what belongs to some words of the rows.
    pub(crate) fn write(
        &self,
        file: &WorkFile,
        base: usize,
        words: Range<usize>,
        from: &[AtomicU64],
    ) -> Result<(), WorkFileError> {
        let count = words.len() * self.per_word;
        let mut bytes = Vec::with_capacity(count * 8);
        for word in &from[..count] {
            bytes.extend_from_slice(&word.load(Relaxed).to_le_bytes());
        }
        self.moved.fetch_add(bytes.len() as u64, Relaxed);
        file.write(((words.start - base) * self.per_word * 8) as u64, &bytes)
    }

    /// Bytes read and written so far.
    pub(crate) fn moved(&self) -> u64 {
        self.moved.load(Relaxed)
    }
}

/// Runs of rows that are read or written together: most of a tile is moved as a whole.
pub(super) fn coalesced_rows(tile: &Tile, rows: u64) -> Runs {
    let most = rows.count_ones() as usize * 2 >= tile.rows;
    Runs(if most { u64::MAX >> (TILE - tile.rows) } else { rows })
}

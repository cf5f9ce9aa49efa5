//! Checkpoints inside a slice that several machines solve: what one machine keeps of its share when
//! a level has come to rest everywhere.
//!
//! All machines write one at the same level. A machine may be killed before another has written its
//! own, so each keeps the last two: one of them is common to all.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::store::disk::{WorkFile, WorkFileError};
use crate::store::folder::Folder;

/// Where the last two checkpoints of a part are, in turns.
const SLOTS: [&str; 2] = ["a", "b"];

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The checkpoints of one machine, in as many parts as it has threads that write them.
#[derive(Debug)]
pub struct Checkpoints {
    folder: Folder,
    parts: usize,
    every: Duration,
    last: Mutex<Instant>,
}

impl Checkpoints {
    pub(super) fn new(folder: Folder, parts: usize, every: Duration) -> Self {
        Checkpoints { folder, parts, every, last: Mutex::new(Instant::now()) }
    }

    /// Whether it is time for another one; asked on the first machine, which decides for all.
    pub fn is_due(&self) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.elapsed() >= self.every;
        if due {
            *last = Instant::now();
        }
        due
    }

    /// The levels with which work can go on, as far as this machine knows, the next one first. All
    /// of a checkpoint is read and compared with its checksums before it is counted.
    pub fn levels(&self) -> Vec<u8> {
        let of_part = |part| SLOTS.into_iter().filter_map(move |slot| self.usable(part, slot));
        let mut levels: Vec<u8> = of_part(0).collect();
        levels.retain(|level| (1..self.parts).all(|part| of_part(part).any(|one| one == *level)));
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    fn usable(&self, part: usize, slot: &str) -> Option<u8> {
        let [level, len] = self.folder.checkpoint(&at(part, slot)).ok()??;
        let file = self.folder.open(&state(part, slot), len).ok()?;
        let mut piece = vec![0; PIECE];
        for start in (0..len).step_by(PIECE) {
            let here = (len - start).min(PIECE as u64) as usize;
            file.read(start, &mut piece[..here]).ok()?;
        }
        u8::try_from(level).ok()
    }

    /// Begins a checkpoint of a part, in place of the older of its two.
    pub fn write(&self, part: usize, level: u8, len: u64) -> Result<Writer<'_>, WorkFileError> {
        self.folder.make()?;
        // Levels go down: the older one has the larger number.
        let found = |slot: &str| self.folder.checkpoint::<2>(&at(part, slot)).ok().flatten();
        let [a, b] = SLOTS.map(|slot| found(slot).map_or(u64::MAX, |[level, _]| level));
        let slot = SLOTS[usize::from(b > a)];
        self.folder.remove(&at(part, slot));
        self.folder.sync()?;
        let file = self.folder.create(&state(part, slot), len)?;
        Ok(Writer { folder: &self.folder, at: at(part, slot), level, len, file, written: 0 })
    }

    /// Opens a checkpoint of a part.
    pub fn read(&self, part: usize, level: u8, len: u64) -> Result<Reader, WorkFileError> {
        let wanted = [u64::from(level), len];
        let holds = |slot: &&str| {
            self.folder.checkpoint(&at(part, slot)).is_ok_and(|found| found == Some(wanted))
        };
        let slot = SLOTS.into_iter().find(holds).unwrap_or(SLOTS[0]);
        Ok(Reader { file: self.folder.open(&state(part, slot), len)?, read: 0 })
    }

    /// Removes all of them.
    pub fn clear(&self) {
        self.folder.clear();
    }
}

fn at(part: usize, slot: &str) -> String {
    format!("at-{part}{slot}")
}

fn state(part: usize, slot: &str) -> String {
    format!("state-{part}{slot}.bin")
}

/// A checkpoint that is being written.
#[derive(Debug)]
pub struct Writer<'a> {
    folder: &'a Folder,
    at: String,
    level: u8,
    len: u64,
    file: WorkFile,
    written: u64,
}

impl Writer<'_> {
    /// The next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), WorkFileError> {
        self.file.write(self.written, bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// All bytes are there: from now on it counts, even after a loss of power.
    pub fn finish(self) -> Result<(), WorkFileError> {
        self.file.sync()?;
        self.folder.set_checkpoint(&self.at, &[self.level.into(), self.len])
    }
}

/// A checkpoint that is being read.
#[derive(Debug)]
pub struct Reader {
    file: WorkFile,
    read: u64,
}

impl Reader {
    /// The next bytes.
    pub fn pull(&mut self, out: &mut [u8]) -> Result<(), WorkFileError> {
        self.file.read(self.read, out)?;
        self.read += out.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nutcracker_table::Disk;

    use super::*;
    use crate::store::folder::Watch;

    fn checkpoints(dir: &tempfile::TempDir, parts: usize) -> Checkpoints {
        let storage = Arc::new(Disk { map: false });
        let folder = Folder::new(dir.path().join("work"), storage, "test", Watch::default());
        Checkpoints::new(folder, parts, Duration::ZERO)
    }

    fn write(checkpoints: &Checkpoints, part: usize, level: u8, byte: u8) {
        let mut writer = checkpoints.write(part, level, 300_000).unwrap();
        writer.push(&vec![byte; 100_000]).unwrap();
        writer.push(&vec![byte + 1; 200_000]).unwrap();
        writer.finish().unwrap();
    }

    #[test]
    fn the_last_two_are_kept_and_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let checkpoints = checkpoints(&dir, 1);
        assert!(checkpoints.levels().is_empty());
        for level in (3..=9).rev() {
            write(&checkpoints, 0, level, level);
        }
        assert_eq!(checkpoints.levels(), [3, 4]);
        for level in [3, 4] {
            let mut bytes = vec![0; 300_000];
            checkpoints.read(0, level, 300_000).unwrap().pull(&mut bytes).unwrap();
            assert_eq!((bytes[0], bytes[299_999]), (level, level + 1));
        }
        checkpoints.clear();
        assert!(checkpoints.levels().is_empty());
    }

    #[test]
    fn one_that_is_not_finished_or_damaged_does_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let checkpoints = checkpoints(&dir, 1);
        write(&checkpoints, 0, 7, 1);
        write(&checkpoints, 0, 6, 1);
        let mut writer = checkpoints.write(0, 5, 300_000).unwrap();
        writer.push(&[0; 100]).unwrap();
        drop(writer);
        assert_eq!(checkpoints.levels(), [6]);
        let path = dir.path().join("work").join("state-0b.bin");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[200_000] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(checkpoints.levels().is_empty());
    }

    #[test]
    fn a_level_counts_when_all_parts_have_it() {
        let dir = tempfile::tempdir().unwrap();
        let checkpoints = checkpoints(&dir, 2);
        write(&checkpoints, 0, 7, 1);
        write(&checkpoints, 1, 7, 1);
        write(&checkpoints, 0, 6, 1);
        assert_eq!(checkpoints.levels(), [7]);
        write(&checkpoints, 1, 6, 1);
        assert_eq!(checkpoints.levels(), [6, 7]);
    }
}

//! One bit a position, in memory as far as a budget goes and in a temporary file beyond it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use super::cells::Cell;
use crate::check_error::CheckError;

/// Bytes of a page.
const PAGE: usize = 4096;
const PAGE_BITS: u64 = PAGE as u64 * 8;

/// Bits, all 0 at first. A page that does not fit the memory goes to an unnamed file that vanishes
/// with the process; its checksum stays in memory and is compared when the page is read.
#[derive(Debug)]
pub(super) struct Pages {
    /// Page p is in frame p modulo the number of frames, or in the file.
    frames: Vec<Mutex<Frame>>,
    /// The checksum of each page that was written; 0 for one that never was.
    checksums: Vec<AtomicU64>,
    file: Option<(File, PathBuf)>,
}

#[derive(Debug)]
struct Frame {
    page: u64,
    changed: bool,
    bytes: Box<[u8]>,
}

impl Frame {
    fn bit(&self, within: u64) -> u8 {
        self.bytes[(within / 8) as usize] >> (within % 8) & 1
    }
}

impl Pages {
    /// Bits for `len` positions with about `budget` bytes of memory. If they take more, the file is
    /// created in `dir` or, if that is not writable, in the directory for temporary files.
    pub(super) fn new(len: u64, budget: u64, dir: &Path) -> Result<Self, CheckError> {
        let pages = len.div_ceil(PAGE_BITS).max(1);
        let left = budget.saturating_sub(pages * size_of::<u64>() as u64);
        let frames = (left / PAGE as u64).clamp(1, pages);
        let frame = |page| {
            Mutex::new(Frame { page, changed: false, bytes: vec![0; PAGE].into_boxed_slice() })
        };
        Ok(Pages {
            frames: (0..frames).map(frame).collect(),
            checksums: (0..pages).map(|_| AtomicU64::new(0)).collect(),
            file: if frames < pages { Some(unnamed_file(dir)?) } else { None },
        })
    }

    /// Visits the parts of `count` bits from `start` on, page by page: the frame, the first bit in
    /// it, and which of the `count` bits these are.
    fn visit(
        &self,
        start: u64,
        count: usize,
        mut visit: impl FnMut(&mut Frame, u64, std::ops::Range<usize>),
    ) -> Result<(), CheckError> {
        let mut at = 0;
        while at < count {
            let index = start + at as u64;
            let (page, within) = (index / PAGE_BITS, index % PAGE_BITS);
            let end = (at + (PAGE_BITS - within) as usize).min(count);
            let frame = &self.frames[(page % self.frames.len() as u64) as usize];
            // A frame is never left half changed, so a poisoned lock is harmless.
            let mut frame = frame.lock().unwrap_or_else(PoisonError::into_inner);
            if frame.page != page {
                self.exchange(&mut frame, page)?;
            }
            visit(&mut frame, within, at..end);
            at = end;
        }
        Ok(())
    }

    fn exchange(&self, frame: &mut Frame, page: u64) -> Result<(), CheckError> {
        let Some((file, path)) = &self.file else {
            unreachable!("every page has a frame of its own where there is no file");
        };
        let failed = |source| CheckError::Marks { path: path.clone(), source };
        if frame.changed {
            file.write_all_at(&frame.bytes, frame.page * PAGE as u64).map_err(failed)?;
            self.checksums[frame.page as usize].store(checksum(&frame.bytes), Relaxed);
            frame.changed = false;
        }
        match self.checksums[page as usize].load(Relaxed) {
            0 => frame.bytes.fill(0),
            expected => {
                // Until the page has passed its check, the frame holds no page.
                frame.page = u64::MAX;
                file.read_exact_at(&mut frame.bytes, page * PAGE as u64).map_err(failed)?;
                if checksum(&frame.bytes) != expected {
                    return Err(failed(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "what was read is not what was written",
                    )));
                }
            }
        }
        frame.page = page;
        Ok(())
    }

    /// Sets the lowest bit of the cells from `start` on that are marked.
    pub(super) fn add_to(&self, start: u64, cells: &mut [Cell]) -> Result<(), CheckError> {
        self.visit(start, cells.len(), |frame, within, part| {
            for (within, cell) in (within..).zip(&mut cells[part]) {
                *cell |= Cell::from(frame.bit(within));
            }
        })
    }

    /// Marks `start + i` for the bits i of `mask`; returns how many were not marked.
    pub(super) fn set(&self, start: u64, mask: u64) -> Result<u32, CheckError> {
        let mut changed = 0;
        let count = 64 - mask.leading_zeros() as usize;
        self.visit(start, count, |frame, within, part| {
            for (within, bit) in (within..).zip(part) {
                if mask >> bit & 1 == 1 && frame.bit(within) == 0 {
                    frame.bytes[(within / 8) as usize] |= 1 << (within % 8);
                    frame.changed = true;
                    changed += 1;
                }
            }
        })?;
        Ok(changed)
    }
}

/// Never 0, which stands for a page that was never written.
fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes).max(1)
}

fn unnamed_file(dir: &Path) -> Result<(File, PathBuf), CheckError> {
    let name = format!(".nutcracker-check-{}", std::process::id());
    let make = |dir: &Path| {
        let path = dir.join(&name);
        let made =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        made.and_then(|file| std::fs::remove_file(&path).map(|()| (file, path.clone())))
            .map_err(|source| CheckError::Marks { path, source })
    };
    make(dir).or_else(|error| make(&std::env::temp_dir()).map_err(|_| error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a vector of bits, under as many frames as `budget` allows.
    fn behaves_like_a_vector(budget: u64) {
        let dir = tempfile::tempdir().unwrap();
        let len = 10 * PAGE_BITS - 100;
        let pages = Pages::new(len, budget, dir.path()).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut plain = vec![false; len as usize];
        let mut random = 1u64;
        for _ in 0..5000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let start = (random >> 20) % (len - 64);
            let mask = random.rotate_left(random as u32);
            let mut new = 0;
            for bit in (0..64).filter(|bit| mask >> bit & 1 == 1) {
                new += u32::from(!std::mem::replace(&mut plain[start as usize + bit], true));
            }
            assert_eq!(pages.set(start, mask).unwrap(), new);
        }
        let mut cells = vec![0; len as usize];
        pages.add_to(0, &mut cells).unwrap();
        assert!(cells.iter().zip(&plain).all(|(&cell, &bit)| cell == Cell::from(bit)));
    }

    #[test]
    fn bits_are_kept_in_memory_and_on_disk() {
        behaves_like_a_vector(u64::MAX);
        behaves_like_a_vector(3 * PAGE as u64);
        behaves_like_a_vector(0);
    }

    #[test]
    fn a_page_that_changed_on_disk_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let pages = Pages::new(2 * PAGE_BITS, 0, dir.path()).unwrap();
        pages.set(5, 1).unwrap();
        pages.set(PAGE_BITS, 1).unwrap();
        let (file, _) = pages.file.as_ref().unwrap();
        file.write_all_at(&[0b10_0001], 0).unwrap();
        let error = pages.set(5, 1).unwrap_err();
        assert!(error.to_string().contains("not what was written"), "{error}");
        // Nor is it believed afterwards.
        pages.set(5, 1).unwrap_err();
    }
}

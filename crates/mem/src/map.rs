//! Memory from the kernel, on huge pages where available.
//!
//! Random access to an array of gigabytes misses the translation cache at nearly every step with
//! pages of 4 KiB; with huge pages it takes little more than half the time.

use std::sync::atomic::AtomicU64;

use memmap2::{MmapMut, MmapOptions};
use thiserror::Error;

/// The kernel refused the memory.
#[derive(Debug, Error)]
#[error("{bytes} bytes of memory cannot be had: {source}")]
pub struct OutOfMemory {
    bytes: u64,
    source: std::io::Error,
}

/// Zeroed 64-bit words.
#[derive(Debug)]
pub struct Words {
    /// Owns the memory; all accesses but [`release`](Self::release) go through `words`.
    map: Option<MmapMut>,
    words: &'static [AtomicU64],
}

impl Words {
    /// Allocates this many words.
    pub fn zeroed(len: usize) -> Result<Self, OutOfMemory> {
        if len == 0 {
            return Ok(Words { map: None, words: &[] });
        }
        let bytes = len * size_of::<u64>();
        let map = MmapOptions::new()
            .len(bytes)
            .map_anon()
            .map_err(|source| OutOfMemory { bytes: bytes as u64, source })?;
        // Advice may be ignored, and is not available everywhere.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        // SAFETY: the map is page-aligned, `len` words long and zeroed; it does not move, is
        // reached through these atomics only, and lives as long as `self`, which lends them for no
        // longer than that.
        #[allow(unsafe_code, clippy::cast_ptr_alignment)]
        let words = unsafe { std::slice::from_raw_parts(map.as_ptr().cast::<AtomicU64>(), len) };
        Ok(Words { map: Some(map), words })
    }

    /// Gives the memory of some words back to the kernel, as far as they fill pages: whether they are
    /// zero from then on or what they were is not known.
    pub fn release(&mut self, words: std::ops::Range<usize>) {
        #[cfg(target_os = "linux")]
        if let Some(map) = &self.map {
            // The largest that any machine has; what is released must not reach beyond the range.
            const PAGE: usize = 1 << 16;
            let start = (words.start * size_of::<u64>()).next_multiple_of(PAGE);
            let end = words.end * size_of::<u64>() / PAGE * PAGE;
            if start < end {
                // SAFETY: the range is inside the map, whose memory is anonymous, so that it reads
                // as zeros afterwards; nothing borrows the words meanwhile.
                #[allow(unsafe_code)]
                let _ = unsafe {
                    let advice = memmap2::UncheckedAdvice::DontNeed;
                    map.unchecked_advise_range(advice, start, end - start)
                };
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (words, &self.map);
    }

    #[inline(always)]
    /// All words.
    pub fn as_slice(&self) -> &[AtomicU64] {
        self.words
    }
}

/// Prefetches the cache line of `word`.
#[inline(always)]
pub fn prefetch(word: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is harmless, and this one is valid.
    #[allow(unsafe_code)]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast::<i8>());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = word;
}

/// The memory available without swapping, in bytes; `None` where the system does not report it.
pub fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// An empty vector with capacity for `len` values, or an error where a usual vector would abort the
/// program.
pub fn reserve<T>(len: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| OutOfMemory {
        bytes: (len as u64).saturating_mul(size_of::<T>() as u64),
        source: std::io::ErrorKind::OutOfMemory.into(),
    })?;
    Ok(vec)
}

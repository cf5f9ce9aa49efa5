//! What the machine has.

use std::path::Path;

pub use nutcracker_mem::available_memory;

/// The number of cores, or of threads that can be started if that is less.
pub fn cores() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    threads_that_fit().map_or(cores, |fit| cores.min(fit))
}

/// Address space of a thread: its stack, and what it allocates.
const THREAD_BYTES: u64 = 3 << 20;
/// Address space that the rest of a command needs.
const RESERVED: u64 = 32 << 20;

/// How many threads fit the address space that this process may use (`ulimit -v`); `None` where it
/// is not limited. A thread beyond that could not be started, and the next allocation would abort.
#[cfg(unix)]
pub fn threads_that_fit() -> Option<usize> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    let used = memory_field("VmSize:")?;
    Some((limit.saturating_sub(used + RESERVED) / THREAD_BYTES).max(1) as usize)
}

/// Address space is not limited here.
#[cfg(not(unix))]
pub fn threads_that_fit() -> Option<usize> {
    None
}

/// Bytes that can be written where `path` is or will be; `None` where the system does not report
/// it.
pub fn free_disk(path: &Path) -> Option<u64> {
    let path = std::path::absolute(path).ok()?;
    let place = path.ancestors().find(|place| place.exists())?;
    free_at(place)
}

/// Bytes that a file takes on the disk.
pub fn disk_of(file: &std::fs::Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::blocks(file) * 512;
    #[cfg(not(unix))]
    file.len()
}

#[cfg(unix)]
fn free_at(place: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(place).ok()?;
    stat.f_bavail.checked_mul(stat.f_frsize)
}

#[cfg(not(unix))]
fn free_at(_: &Path) -> Option<u64> {
    None
}

/// The peak memory of this process, in bytes: code, stacks, mapped files and all.
pub fn peak_memory() -> Option<u64> {
    memory_field("VmHWM:")
}

/// The memory of this process that is resident, in bytes.
pub fn resident_memory() -> Option<u64> {
    memory_field("VmRSS:")
}

/// A field of this process's status, in bytes.
fn memory_field(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Makes the allocator give large blocks back as soon as they are freed, and keep no heap for each
/// thread: otherwise what one slice needed stays with the process while the next, larger one is
/// solved, and the memory that was promised does not suffice.
pub fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: called before any other thread is started; it changes settings of the allocator, and
    // a setting it does not know is ignored.
    #[allow(unsafe_code)]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 18);
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

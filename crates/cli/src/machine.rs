//! What the machine has.

use std::path::Path;

pub use nutcracker_mem::available_memory;

/// The number of cores.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Bytes that can be written where `path` is or will be; `None` where the system does not say.
pub fn free_disk(path: &Path) -> Option<u64> {
    let path = std::path::absolute(path).ok()?;
    let place = path.ancestors().find(|place| place.exists())?;
    free_at(place)
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

/// The most memory this process has had at once, in bytes: code, stacks, mapped files and all.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

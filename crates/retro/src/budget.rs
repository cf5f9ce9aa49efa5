//! Memory that every solver needs beside its own arrays.

/// Bytes of decoded scores of smaller slices kept while a slice of this size is solved or checked.
pub fn cache_bytes(positions: u64) -> u64 {
    (positions / 10).clamp(8 << 20, 64 << 20)
}

/// Code, stacks, buffers.
pub(crate) fn overhead(threads: usize) -> u64 {
    (8 << 20) + threads as u64 * (3 << 20)
}

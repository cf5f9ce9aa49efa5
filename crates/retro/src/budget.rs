//! Memory that every solver needs beside its own arrays.

use nutcracker_game::{Game, SliceId};

/// Bytes of decoded scores of smaller slices kept while a slice of this size is solved or checked.
pub fn cache_bytes(positions: u64) -> u64 {
    (positions / 10).clamp(8 << 20, 64 << 20)
}

/// Code, stacks, buffers.
pub(crate) fn overhead(threads: usize) -> u64 {
    (8 << 20) + threads as u64 * (3 << 20)
}

/// Bytes of memory the independent check of a slice takes.
pub fn memory_to_check<G: Game>(game: &G, slice: SliceId) -> u64 {
    let positions = game.slice_len(slice);
    let width = if game.max_score(slice) < 32 { 1 } else { 2 };
    positions * width + game.forward_bytes(slice) + cache_bytes(positions) + overhead(1)
}

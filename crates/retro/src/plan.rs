//! What solving will take, told before it starts.

use nutcracker_game::{Game, SliceId};

use crate::fixpoint::memory::States;

/// What one slice takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlicePlan {
    /// Which.
    pub slice: SliceId,
    /// The number of positions.
    pub positions: u64,
    /// Bytes of memory at the peak.
    pub memory: u64,
    /// Bytes of its file, as far as can be said before.
    pub disk: u64,
    /// Seconds, as far as can be said before.
    pub seconds: f64,
}

/// Processor time a position takes in all phases. Measured with awari on one machine, see
/// `docs/performance.md`; other games and machines differ by a small factor.
const NANOSECONDS: f64 = 300.0;
/// Bits a position takes in a file, a little more than awari needs.
const BITS: f64 = 3.6;

/// Bytes of decoded scores of smaller slices kept while a slice of this size is solved or checked.
pub fn cache_bytes(positions: u64) -> u64 {
    (positions / 10).clamp(8 << 20, 64 << 20)
}

/// What each of the slices `first..=last` takes with so many threads.
pub fn plan<G: Game>(game: &G, first: SliceId, last: SliceId, threads: usize) -> Vec<SlicePlan> {
    (first.0..=last.0)
        .map(SliceId)
        .map(|slice| {
            let positions = game.slice_len(slice);
            let range = u8::try_from(game.max_score(slice)).unwrap_or(u8::MAX);
            let width = States::bytes_per_position(range, game.max_moves());
            // States, tables and worklists while it is solved; scores, tables and the cache while
            // it is checked.
            let solving = positions * width + positions / 3;
            let checking = positions * width + positions / 5 + cache_bytes(positions);
            SlicePlan {
                slice,
                positions,
                memory: solving.max(checking) + (8 << 20),
                disk: (positions as f64 * BITS / 8.0) as u64 + 1024,
                seconds: positions as f64 * NANOSECONDS / 1e9 / threads as f64,
            }
        })
        .collect()
}

//! The slices that are solved where none are selected.

use nutcracker_game::{Game, SliceId};

/// Positions of the largest slice in the set.
const SLICE_POSITIONS: u64 = 8_000_000;
/// Positions of the whole set.
const SET_POSITIONS: u64 = 40_000_000;

/// The slices to solve where none are selected, in the order of solving: as many as take seconds,
/// up to the one of the start position. Empty where the game has no databases, or where its first
/// slice is large already.
pub fn default_set<G: Game>(game: &G) -> Vec<SliceId> {
    let last = game.slice_of(&game.start().position).min(game.largest_slice());
    let mut total = 0;
    (0..=last.0)
        .map(SliceId)
        .filter(|&slice| game.has_database(slice))
        .take_while(|&slice| {
            let positions = game.slice_len(slice);
            total += positions;
            positions <= SLICE_POSITIONS && total <= SET_POSITIONS
        })
        .collect()
}

//! The slices that are solved where none are selected.

use nutcracker_game::{Game, SliceId};

/// Positions of a game that is solved whole: that takes a few minutes at most.
const GAME_POSITIONS: u64 = 256_000_000;
/// Positions of the largest slice in a set that takes seconds.
const SLICE_POSITIONS: u64 = 8_000_000;
/// Positions of the whole of such a set.
const SET_POSITIONS: u64 = 40_000_000;

/// The slices to solve where none are selected, in the order of solving: the whole game up to its
/// start position where that takes minutes, else the [`quick_set`].
pub fn default_set<G: Game>(game: &G) -> Vec<SliceId> {
    let whole = up_to_start(game);
    let lens = whole.iter().map(|&slice| game.slice_len(slice));
    if lens.fold(0, u64::saturating_add) <= GAME_POSITIONS { whole } else { quick_set(game) }
}

/// As many slices as take seconds, up to the one of the start position. Empty where the game has no
/// databases, or where its first slice is large already.
pub fn quick_set<G: Game>(game: &G) -> Vec<SliceId> {
    let mut total = 0;
    up_to_start(game)
        .into_iter()
        .take_while(|&slice| {
            let positions = game.slice_len(slice);
            total += positions;
            positions <= SLICE_POSITIONS && total <= SET_POSITIONS
        })
        .collect()
}

/// The slices with a database, up to the one of the start position.
fn up_to_start<G: Game>(game: &G) -> Vec<SliceId> {
    let last = game.slice_of(&game.start().position).min(game.largest_slice());
    (0..=last.0).map(SliceId).filter(|&slice| game.has_database(slice)).collect()
}

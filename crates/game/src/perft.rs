//! Counting the lines of play of a given length: the classic test of a move generator.

use crate::Rules;

/// The number of lines of `depth` moves from `position`; a line that ends earlier is not counted.
pub fn perft<G: Rules>(game: &G, position: &G::Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    below(game, position, depth, &mut Vec::new())
}

/// The moves of all positions on the path are in one list, those of the last at its end, so that no
/// position allocates.
fn below<G: Rules>(game: &G, position: &G::Position, depth: u32, moves: &mut Vec<G::Move>) -> u64 {
    let first = moves.len();
    game.moves(position, moves);
    let mut lines = (moves.len() - first) as u64;
    if depth > 1 {
        lines = 0;
        for place in first..moves.len() {
            let next = game.play(position, &moves[place]).next;
            lines += below(game, &next, depth - 1, moves);
        }
    }
    moves.truncate(first);
    lines
}

//! Counting the lines of play of a given length: the classic test of a move generator.

use crate::Game;

/// The number of lines of `depth` moves from `position`; a line that ends earlier is not counted.
pub fn perft<G: Game>(game: &G, position: &G::Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    game.moves(position, &mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.iter().map(|mv| perft(game, &game.play(position, mv).next, depth - 1)).sum()
}

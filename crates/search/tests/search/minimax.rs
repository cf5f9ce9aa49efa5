//! Full-width minimax with an explicit path and no table: slow, and plainly right.

use nutcracker_game::{Evaluate, Score, Turn};

/// The value of a position in hundredths by searching every line of `depth` plies, longer where
/// positions are unquiet. `path` has the earlier positions with the side to move, and `first` is
/// whether the first side moves. `None` after `budget` positions.
pub fn minimax<G: Evaluate>(
    game: &G,
    position: &G::Position,
    first: bool,
    path: &mut Vec<(G::Position, bool)>,
    depth: u32,
    extension: u32,
    budget: &mut u64,
) -> Option<i32> {
    *budget = budget.checked_sub(1)?;
    if let Some(score) = game.outcome(position) {
        return Some(100 * i32::from(score));
    }
    if path.contains(&(*position, first)) {
        return Some(0);
    }
    let (mut depth, mut extension) = (depth, extension);
    if depth == 0 {
        let most = 100 * i32::from(game.max_score(game.slice_of(position)));
        if extension == 0 || !game.is_unquiet(position) {
            return Some(game.evaluate(position, game.fitted()).clamp(-most, most));
        }
        (depth, extension) = (1, extension - 1);
    }
    let mut moves = Vec::new();
    game.moves(position, &mut moves);
    let mut best = None;
    path.push((*position, first));
    for mv in moves {
        let step = game.play(position, &mv);
        let next = first == (step.turn == Turn::Stays);
        let value = minimax(game, &step.next, next, path, depth - 1, extension, budget);
        let Some(value) = value else {
            path.pop();
            return None;
        };
        let gain = 100 * i32::from(step.gain);
        let value = if step.turn == Turn::Passes { gain - value } else { gain + value };
        best = best.max(Some(value));
    }
    path.pop();
    best
}

/// A game's history as minimax takes it: every earlier position with whose turn it was, if the turn
/// always passed.
pub fn path<P: Copy>(history: &[P]) -> Vec<(P, bool)> {
    let sides = [false, true].into_iter().cycle();
    history.iter().rev().zip(sides).map(|(position, side)| (*position, side)).collect()
}

/// The score of a position after a history, by every line of play to its end.
pub fn score<G: Evaluate>(
    game: &G,
    position: &G::Position,
    history: &[G::Position],
    budget: u64,
) -> Option<Score> {
    let mut budget = budget;
    let value = minimax(game, position, true, &mut path(history), u32::MAX, 0, &mut budget)?;
    Some((value / 100) as Score)
}

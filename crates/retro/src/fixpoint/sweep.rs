//! The plain solver: forward sweeps until nothing changes.
//!
//! It needs no un-moves, and is what a game without them is solved by. It is also simple enough to
//! be believed, and so the judge of the others in tests.

use nutcracker_game::{Children, Game, SliceId, Turn};

/// The scores of a slice, in the order of its index.
pub fn solve<G: Game, C: Children>(
    game: &G,
    slice: SliceId,
    children: &C,
) -> Result<Vec<i8>, C::Error> {
    solve_while(game, slice, children, || true)
}

/// As [`solve`], for as long as `go_on` says so; what it returns after that means nothing.
pub fn solve_while<G: Game, C: Children>(
    game: &G,
    slice: SliceId,
    children: &C,
    go_on: impl Fn() -> bool,
) -> Result<Vec<i8>, C::Error> {
    /// Positions between two questions whether to go on.
    const PATIENCE: u64 = 1 << 12;
    let stops_at = |index: u64| index.is_multiple_of(PATIENCE) && !go_on();
    let len = game.slice_len(slice);
    let mut exits = Vec::with_capacity(len as usize);
    let mut moves = Vec::new();
    for index in 0..len {
        if stops_at(index) {
            return Ok(Vec::new());
        }
        let position = game.unrank(slice, index);
        exits.push(nutcracker_game::exits_of(game, &position, &mut moves, children)?.best);
    }
    let mut scores: Vec<Option<i8>> = vec![None; len as usize];
    let mut steps = Vec::new();
    for level in (1..=game.max_score(slice) as i8).rev() {
        loop {
            let mut changed = false;
            for index in 0..len {
                if stops_at(index) {
                    return Ok(Vec::new());
                }
                if scores[index as usize].is_some() {
                    continue;
                }
                steps.clear();
                let position = game.unrank(slice, index);
                if game.outcome(&position).is_none() {
                    game.steps(&position, &mut steps);
                }
                let exit = exits[index as usize];
                let mut wins = exit >= level;
                let mut loses = exit <= -level;
                for step in &steps {
                    if game.slice_of(&step.next) != slice || step.turn != Turn::Passes {
                        continue;
                    }
                    let next = scores[game.rank(&step.next) as usize];
                    wins |= next.is_some_and(|score| score <= -level);
                    loses &= next.is_some_and(|score| score >= level);
                }
                debug_assert!(!(wins && loses));
                if wins || loses {
                    scores[index as usize] = Some(if wins { level } else { -level });
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }
    Ok(scores.into_iter().map(|score| score.unwrap_or(0)).collect())
}

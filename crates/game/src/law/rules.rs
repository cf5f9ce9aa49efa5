//! The laws of a single position that need no number of it.

use super::Breach;
use crate::{Game, Side, Situation, Step, Turn};

/// What every move of a position does, after a look at its rules and its notation; `who` names the
/// position in a breach.
pub(super) fn check<G: Game>(
    game: &G,
    position: &G::Position,
    who: impl Fn() -> String,
) -> Result<Vec<Step<G::Position>>, Breach> {
    notation(game, position, &who)?;
    let slice = game.slice_of(position);
    let mut moves = Vec::new();
    game.moves(position, &mut moves);
    law!(
        moves.len() <= usize::from(game.max_moves()),
        "{} has {} moves, more than max_moves says",
        who(),
        moves.len()
    );
    match game.outcome(position) {
        Some(score) => {
            law!(moves.is_empty(), "{} is over and has moves", who());
            law!(
                score.abs() <= game.max_score(slice),
                "{} ends with {score}, beyond max_score",
                who()
            );
        }
        None => law!(!moves.is_empty(), "{} is not over and has no moves", who()),
    }
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    law!(
        steps == moves.iter().map(|mv| game.play(position, mv)).collect::<Vec<_>>(),
        "the steps of {} are not what its moves do",
        who()
    );
    for (mv, step) in moves.iter().zip(&steps) {
        let to = game.slice_of(&step.next);
        law!(to <= slice, "move {mv:?} of {} leads up to slice {to}", who());
        law!(
            to != slice || (step.gain == 0 && step.turn == Turn::Passes),
            "move {mv:?} of {} stays in its slice although it banks or keeps the turn",
            who()
        );
    }
    Ok(steps)
}

fn notation<G: Game>(
    game: &G,
    position: &G::Position,
    who: impl Fn() -> String,
) -> Result<(), Breach> {
    for mover in [Side::First, Side::Second] {
        let text = game.format(&Situation::new(*position, mover));
        let read = game.parse(&text);
        // A game may have only one side to move in its notation.
        law!(
            read.as_ref().is_ok_and(|read| read.position == *position),
            "{} is written {text:?}, which is not read back as the same",
            who()
        );
    }
    Ok(())
}

/// From every one of the positions `before`, an internal move leads to `position`.
pub(super) fn lead_back<G: Game>(
    game: &G,
    before: &[G::Position],
    position: &G::Position,
    who: impl Fn() -> String,
) -> Result<(), Breach> {
    for earlier in before {
        let mut moves = Vec::new();
        game.moves(earlier, &mut moves);
        law!(
            moves.iter().any(|mv| game.play(earlier, mv) == Step::quiet(*position)),
            "an un-move of {} leads to {earlier:?}, from which no move leads back",
            who()
        );
    }
    Ok(())
}

//! The laws of a single position that need no number of it.

use super::Breach;
use crate::{Game, Notation, Side, Situation, Step, Turn};

/// What every move of a position does, after a check of its rules and its notation; `label` names
/// the position in a breach.
pub(super) fn check<G: Game>(
    game: &G,
    position: &G::Position,
    label: impl Fn() -> String,
) -> Result<Vec<Step<G::Position>>, Breach> {
    notation(game, position, &label)?;
    let slice = game.slice_of(position);
    let mut moves = Vec::new();
    game.moves(position, &mut moves);
    law!(
        moves.len() <= usize::from(game.max_moves(slice)),
        "{} has {} moves, more than max_moves",
        label(),
        moves.len()
    );
    match game.outcome(position) {
        Some(score) => {
            law!(moves.is_empty(), "{} is over and has moves", label());
            law!(
                score.abs() <= game.max_score(slice),
                "{} ends with {score}, beyond max_score",
                label()
            );
            law!(
                score <= 0 || game.metrics().iter().all(|metric| !metric.is_distance()),
                "{} ends with a win of the side to move, which has no distance",
                label()
            );
        }
        None => law!(!moves.is_empty(), "{} is not over and has no moves", label()),
    }
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    law!(
        steps == moves.iter().map(|mv| game.play(position, mv)).collect::<Vec<_>>(),
        "the steps of {} are not what its moves do",
        label()
    );
    let mut expanded = Vec::new();
    law!(
        game.expand(position, &mut expanded) == game.outcome(position) && expanded == steps,
        "expand differs from outcome and steps at {}",
        label()
    );
    let below = game.below(slice);
    for (mv, step) in moves.iter().zip(&steps) {
        let to = game.slice_of(&step.next);
        law!(
            step.zeroes || !step.converts,
            "move {mv:?} of {} converts and does not zero",
            label()
        );
        if to == slice {
            law!(
                step.gain == 0 && step.turn == Turn::Passes && !step.converts,
                "move {mv:?} of {} stays in its slice although it banks, converts or keeps the turn",
                label()
            );
        } else if game.has_database(slice) {
            law!(
                below.binary_search(&to).is_ok(),
                "move {mv:?} of {} leads to slice {to}, which is not below its own",
                label()
            );
        } else {
            law!(to < slice, "move {mv:?} of {} leads up to slice {to}", label());
        }
        let most = game.max_score(slice) - game.max_score(to);
        law!(
            step.gain.abs() <= most || to == slice,
            "move {mv:?} of {} banks {}, more than the {most} by which the largest scores of its \
             slices differ",
            label(),
            step.gain
        );
    }
    Ok(steps)
}

/// Positions that share a number have the same value: the game is over for all alike, and their
/// moves lead to the same numbers. How many moves lead to each is not compared: one number may
/// stand for positions that are no mirror images, such as all in which the same thing follows.
pub(super) fn mirrored<G: Game>(
    game: &G,
    position: &G::Position,
    canonical: &G::Position,
) -> Result<(), Breach> {
    let successors = |position: &G::Position| {
        let mut steps = Vec::new();
        let outcome = game.expand(position, &mut steps);
        let mut numbers: Vec<_> = steps
            .iter()
            .map(|step| {
                (
                    game.slice_of(&step.next),
                    game.rank(&step.next),
                    step.gain,
                    step.turn,
                    step.converts,
                )
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        (game.slice_of(position), outcome, numbers)
    };
    law!(
        game.canonical(canonical) == *canonical && successors(position) == successors(canonical),
        "{position:?} and its canonical form {canonical:?} differ in more than their orientation"
    );
    Ok(())
}

fn notation<G: Game>(
    game: &G,
    position: &G::Position,
    label: impl Fn() -> String,
) -> Result<(), Breach> {
    for mover in [Side::First, Side::Second] {
        let text = game.format(&Situation::new(*position, mover));
        let read = game.parse(&text);
        // A game may have only one side to move in its notation.
        law!(
            read.as_ref().is_ok_and(|read| read.position == *position),
            "{} is written {text:?}, which is not read back as the same",
            label()
        );
        foreign_notations(
            game,
            &Situation { banked: Some([0, 0]), ..Situation::new(*position, mover) },
        )?;
    }
    Ok(())
}

/// A position that is written as another program does is read back with all that its own notation
/// has, and its moves have different names there.
fn foreign_notations<G: Game>(game: &G, situation: &Situation<G::Position>) -> Result<(), Breach> {
    let own = game.parse(&game.format(situation));
    for notation in Notation::FOREIGN {
        let Some(text) = game.format_in(situation, notation) else { continue };
        law!(
            own.is_ok() && game.parse(&text) == own,
            "{} is written {text:?} for {}, which is not read back as the same",
            game.format(situation),
            notation.program()
        );
        let mut moves = Vec::new();
        game.moves(&situation.position, &mut moves);
        let name = |mv: &G::Move| {
            let step = game.play(&situation.position, mv);
            game.format_move_in(situation, mv, &step, notation)
        };
        let mut names: Vec<_> = moves.iter().map(name).collect();
        names.sort_unstable();
        names.dedup();
        law!(
            names.len() == moves.len() && names.iter().all(Option::is_some),
            "{} has moves without a name of their own for {}",
            game.format(situation),
            notation.program()
        );
    }
    Ok(())
}

/// From every one of the positions `before`, an internal move leads to `position`.
pub(super) fn lead_back<G: Game>(
    game: &G,
    before: &[G::Position],
    position: &G::Position,
    label: impl Fn() -> String,
) -> Result<(), Breach> {
    for earlier in before {
        let mut moves = Vec::new();
        game.moves(earlier, &mut moves);
        law!(
            moves.iter().any(|mv| {
                let step = game.play(earlier, mv);
                Step { zeroes: false, ..step } == Step::quiet(*position)
            }),
            "an un-move of {} leads to {earlier:?}, from which no move leads back",
            label()
        );
    }
    Ok(())
}

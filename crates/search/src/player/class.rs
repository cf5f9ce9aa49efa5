//! Where a player can be to move after some slice: parts of that slice, and of those below it.

use std::collections::BTreeSet;
use std::ops::Range;

use nutcracker_game::{Game, Random, SliceId, Step, Turn};

/// Positions of a slice with these numbers.
pub type SlicePart = (SliceId, Range<u64>);

/// Positions of a part whose moves are tried; in a smaller part, all are. Captures and promotions, which
/// lead to other parts, are possible in more positions than such a sample misses.
const TRIED: u64 = 20_000;

/// The parts in which the side that is to move in `start` can be to move later, `start` among them, and
/// those in which the other side can, in the order of their slices. Moves that `follows` does not hold
/// for are not made.
pub fn reached<G: Game>(
    game: &G,
    start: &SlicePart,
    follows: &dyn Fn(&Step<G::Position>) -> bool,
) -> [Vec<SlicePart>; 2] {
    // By slice, first number and end, and whether that side is to move.
    let mut found = BTreeSet::from([(start.0, start.1.start, start.1.end, true)]);
    let mut open: Vec<_> = found.iter().copied().collect();
    let (mut steps, mut random) = (Vec::new(), Random::new(1));
    while let Some((slice, first, end, own)) = open.pop() {
        let all = end - first;
        for look in 0..all.min(TRIED) {
            let place = if all <= TRIED { look } else { random.below(all) };
            let Some(position) = game.unrank(slice, first + place) else { continue };
            if game.outcome(&position).is_some() {
                continue;
            }
            steps.clear();
            game.steps(&position, &mut steps);
            for step in steps.iter().filter(|step| follows(step)) {
                let Some((slice, part)) = part_of(game, &step.next) else { continue };
                let own = own == (step.turn == Turn::Stays);
                let next = (slice, part.start, part.end, own);
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    [true, false].map(|side| {
        let parts = found.iter().filter(|part| part.3 == side);
        parts.map(|&(slice, start, end, _)| (slice, start..end)).collect()
    })
}

/// The part that a position is in; `None` where it has no number.
pub fn part_of<G: Game>(game: &G, position: &G::Position) -> Option<SlicePart> {
    let slice = game.slice_of(position);
    if !game.has_database(slice) || !game.is_indexed(position) {
        return None;
    }
    let (index, all) = (game.rank(position), 0..game.slice_len(slice));
    let part = game.parts(slice).into_iter().find(|part| part.range.contains(&index));
    Some((slice, part.map_or(all, |part| part.range)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nutcracker_game::Numbering;
    use nutcracker_games::chess::Chess;
    use nutcracker_games::tic_tac_toe::TicTacToe;

    /// The names of parts, the mover's men first.
    fn names(parts: &[SlicePart]) -> Vec<String> {
        let name = |(slice, range): &SlicePart| {
            let part = Chess.parts(*slice).into_iter().find(|part| part.range == *range);
            part.map(|part| part.name).unwrap_or_default()
        };
        parts.iter().map(name).collect()
    }

    #[test]
    fn parts_are_those_of_one_side() {
        let queen = Chess.slice_named("kqkr").unwrap();
        let part = Chess.parts(queen).swap_remove(0);
        let [own, other] = reached(&Chess, &(queen, part.range.clone()), &|_| true).map(|parts| {
            let mut names = names(&parts);
            names.sort_unstable();
            names
        });
        assert_eq!((own.len(), other.len()), (4, 4));
        assert!(own.contains(&part.name) && !other.contains(&part.name), "{own:?} {other:?}");
        // A conversion ends what is counted.
        let [quiet, _] = reached(&Chess, &(queen, part.range.clone()), &|step| !step.converts);
        assert_eq!(quiet, [(queen, part.range)]);
    }

    #[test]
    fn one_side_has_every_second_slice_where_a_slice_is_a_ply() {
        let start = TicTacToe.slice_of(&nutcracker_game::Rules::start(&TicTacToe).position);
        let all = (start, 0..TicTacToe.slice_len(start));
        let slices = |parts: Vec<SlicePart>| parts.iter().map(|part| part.0.0).collect::<Vec<_>>();
        let [own, other] = reached(&TicTacToe, &all, &|_| true).map(slices);
        assert_eq!((own, other), (vec![1, 3, 5, 7, 9], vec![0, 2, 4, 6, 8]));
    }
}

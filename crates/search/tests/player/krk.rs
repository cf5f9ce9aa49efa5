//! King and rook against king: mirror images share a number.

use nutcracker_game::Random;
use nutcracker_game::toy::{Graph, Node};
use nutcracker_game::{Metric, Numbering, Rules, SliceId, Step};
use nutcracker_games::krk::{Krk, KrkPosition};
use nutcracker_search::Oracle;
use nutcracker_search::player::{Perfect, Prospect};

use crate::solved::{self, Counted};

fn position(text: &str) -> KrkPosition {
    Krk.parse(text).unwrap().position
}

/// A game that has been in the mirror image of a position has not been in the position.
#[test]
fn a_mirror_image_is_no_repetition() {
    // Rook to a8 mates; the game so far came by the other side of the board.
    let now = position("Kd6 Ra1 kd8 w");
    let (mated, image) = (position("Kd6 Ra8 kd8 b"), position("Ke6 Rh8 ke8 b"));
    assert_eq!(Krk.rank(&mated), Krk.rank(&image));

    let mut player = Perfect::new(Krk, solved::krk());
    let mates = |player: &Perfect<_, _>, history: &[_]| {
        let values = player.values(&now, history).unwrap();
        let mating = values.iter().find(|valued| valued.step.next == mated).unwrap();
        (mating.mv, mating.repeats, mating.value)
    };
    let (mv, ..) = mates(&player, &[]);
    assert_eq!(mates(&player, &[image]), (mv, false, 1));
    assert_eq!(mates(&player, &[mated]), (mv, true, 0));

    let free = player.keeping(&now, &[]).unwrap();
    assert_eq!((free.value, free.moves.as_slice(), free.plies), (1, &[mv][..], Some(1)));
    assert_eq!(player.keeping(&now, &[image]).unwrap(), free);
    assert!(!player.keeping(&now, &[mated]).unwrap().moves.contains(&mv));
}

/// A winning move after which the opponent can repeat a position is worth a draw.
#[test]
fn the_opponent_can_repeat_at_once() {
    let oracle = Counted::new(&Krk, Metric::Dtw, 1);
    let player = Perfect::new(Krk, &oracle);
    let now = position("Kc2 Rh4 kd5 w");
    let back = position("Kc3 Rh4 kd5 b");
    let history = [back, position("Kc3 Rh4 ke5 w"), position("Kc2 Rh4 ke5 b")];
    let to = |history: &[KrkPosition], next: KrkPosition| {
        let values = player.values(&now, history).unwrap();
        let place = values.iter().position(|valued| valued.step.next == next).unwrap();
        let prospects = player.prospects(&now, history).unwrap().unwrap();
        (values[place].value, values[place].repeats, prospects[place].1)
    };
    // Without that game it wins; after it, Black plays Ke5.
    assert!(matches!(to(&[], back), (1, false, Prospect::Win(_))));
    assert_eq!(to(&history[1..], back), (0, false, Prospect::Draw));
    assert_eq!(to(&history, back), (0, true, Prospect::Draw));
    // After another move it repeats nothing.
    let other = position("Kb3 Rh4 kd5 b");
    assert_eq!(to(&history, other), to(&[], other));
    // The win is still there, by the other moves.
    let keeping = Perfect::new(Krk, &oracle).keeping(&now, &history[1..]).unwrap();
    assert_eq!(keeping.value, 1);
    assert!(keeping.moves.iter().all(|mv| Krk.play(&now, mv).next != back));
}

/// The moves of White to mate, and of a game that `defend` plays for Black.
fn white_moves(
    oracle: &Counted,
    start: KrkPosition,
    mut defend: impl FnMut(&KrkPosition, &[KrkPosition]) -> (u8, u8),
) -> u16 {
    // No position may be searched.
    let mut player = Perfect::with_limit(Krk, oracle, 0);
    let (mut at, mut history, mut moves) = (start, Vec::new(), 0);
    while Krk.outcome(&at).is_none() {
        let mv = if at.white {
            moves += 1;
            player.choose(&at, &history).unwrap()
        } else {
            defend(&at, &history)
        };
        history.push(at);
        at = Krk.play(&at, &mv).next;
        assert!(!history.contains(&at), "{at:?} repeats");
    }
    assert_eq!(Krk.outcome(&at), Some(-1), "{at:?} is mate");
    moves
}

#[test]
fn the_longest_wins_take_their_sixteen_moves_and_no_more() {
    for metric in [Metric::Dtw, Metric::Dtc] {
        let oracle = Counted::new(&Krk, metric, 1);
        let longest: Vec<KrkPosition> = (0..Krk.slice_len(SliceId(1)))
            .filter_map(|index| Krk.unrank(SliceId(1), index))
            .filter(|position| {
                let Ok(distance) = oracle.distance(SliceId(1), Krk.rank(position));
                position.white && distance.unwrap().moves == 16
            })
            .collect();
        assert_eq!(longest.len(), 121);
        let mut random = Random::new(1);
        for start in longest {
            let mut black = Perfect::with_limit(Krk, &oracle, 0);
            let keeping = black.keeping(&start, &[]).unwrap();
            assert_eq!((keeping.value, keeping.plies), (1, Some(31)));
            let best = |at: &_, history: &[_]| black.choose(at, history).unwrap();
            assert_eq!(white_moves(&oracle, start, best), 16, "{start:?}");
            let any = |at: &_, _: &[_]| {
                let mut moves = Vec::new();
                Krk.moves(at, &mut moves);
                moves[random.below(moves.len() as u64) as usize]
            };
            assert!(white_moves(&oracle, start, any) <= 16);
        }
    }
}

/// A player that takes over a game in the middle finds a way past its earlier positions.
#[test]
fn a_win_is_found_past_the_game_so_far() {
    let oracle = Counted::new(&Krk, Metric::Dtw, 1);
    let mut player = Perfect::new(Krk, &oracle);
    let now = position("Kd6 Ra1 kd8 w");
    let mated = position("Kd6 Ra8 kd8 b");
    let keeping = player.keeping(&now, &[mated]).unwrap();
    assert_eq!((keeping.value, keeping.plies), (1, Some(5)));
    for mv in keeping.moves {
        assert_ne!(Krk.play(&now, &mv).next, mated);
    }
}

/// With distances to a conversion, one that keeps the win comes before everything but the end.
#[test]
fn conversions_that_win_come_first() {
    let quiet = |to| Step::quiet(to);
    let node = |steps: &[Step<u32>]| Node { steps: steps.to_vec(), score: 0 };
    let mut nodes = vec![Node::over(0), Node::quiet(&[2]), Node::over(1), Node::over(0)];
    nodes.extend([
        Node::over(-1),
        node(&[quiet(6)]),
        node(&[quiet(5), quiet(1).converting()]),
        node(&[quiet(1).converting(), quiet(4)]),
    ]);
    let graph = Graph::new(4, nodes);
    let oracle = Counted::new(&graph, Metric::Dtc, 1);
    let mut player = Perfect::with_limit(graph.clone(), &oracle, 0);
    let mut found = |position| {
        let keeping = player.keeping(&position, &[]).unwrap();
        (keeping.value, keeping.moves, keeping.plies)
    };
    assert_eq!(found(6), (1, vec![1], Some(1)), "to 5 and back would take two moves");
    assert_eq!(found(7), (1, vec![1, 0], Some(1)), "the end of the game before a conversion");
    assert_eq!(found(5), (-1, vec![0], Some(2)));
}

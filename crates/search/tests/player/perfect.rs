//! The perfect player gets what databases promise, against any opponent.

use nutcracker_game::Random;
use nutcracker_game::{Game, Numbering, Rules, Score, SliceId, Step};
use nutcracker_games::awari::Awari;
use nutcracker_retro::in_memory::sweep_slice;
use nutcracker_search::player::{Perfect, PlayerError};
use proptest::prelude::*;

use crate::graph::{Graph, Node};
use crate::play::{By, Played, Player, any_position, game, greedy, moves, random};
use crate::solved::{self, Solved};

/// Plays `games` games from random positions against each kind of opponent, first and second in
/// turn; a test fails where the perfect player gets less than the exact score, or where a position
/// repeats although there is something to gain.
fn gets_the_score<G: Game>(
    rules: &G,
    solved: &Solved,
    slices: std::ops::RangeInclusive<u32>,
    games: u64,
) -> u64 {
    let mut player = Perfect::new(rules.clone(), solved);
    let mut twin = Perfect::new(rules.clone(), solved);
    let mut seeds = Random::new(4);
    let mut repeated = 0;
    for number in 0..games {
        let start = any_position(rules, slices.clone(), &mut seeds);
        let score = solved.of(rules, &start);
        for kind in 0..3 {
            let mut opponent: Box<dyn Player<G> + '_> = match kind {
                0 => Box::new(random(rules, number)),
                1 => Box::new(greedy(rules, number)),
                _ => Box::new(By(|position: &_, history: &_| {
                    twin.choose(position, history).unwrap()
                })),
            };
            for sign in [1, -1] {
                let played = if sign == 1 {
                    game(rules, solved, &start, [&mut player, &mut *opponent])
                } else {
                    game(rules, solved, &start, [&mut *opponent, &mut player])
                };
                let Played { first, repeated: again, .. } = played;
                let what =
                    || format!("{start:?}, opponent {kind}, {sign}: {played:?}, not {score}");
                let (got, exact) = (sign * first, sign * score);
                assert!(got >= exact, "{}", what());
                if kind == 2 {
                    assert_eq!(got, exact, "{}", what());
                }
                // No side repeats while the perfect player has something to get; against a perfect
                // opponent, only where neither has.
                if let Some((_, to_come)) = again {
                    repeated += 1;
                    assert!(sign * to_come <= 0, "{}", what());
                    assert!(kind != 2 || to_come == 0, "{}", what());
                }
            }
        }
    }
    repeated
}

#[test]
fn awari_up_to_12_stones() {
    let (awari, solved) = solved::awari();
    let repeated = gets_the_score(awari, solved, 1..=12, 2500);
    assert!(repeated > 1000, "{repeated} repetitions are too few to mean anything");
}

#[test]
fn kalah_up_to_11_seeds() {
    let (kalah, solved) = solved::kalah();
    assert_eq!(gets_the_score(kalah, solved, 1..=11, 1000), 0, "kalah does not repeat");
}

/// Moves that keep the score are not enough: always playing the first of them goes round in
/// circles.
#[test]
fn keeping_the_score_alone_does_not_realise_it() {
    let (awari, solved) = solved::awari();
    let player = Perfect::new(awari.clone(), solved);
    let mut seeds = Random::new(5);
    let mut lost = 0;
    for number in 0..500 {
        let start = any_position(awari, 8..=12, &mut seeds);
        let mut choices = Random::new(number);
        let mut naive = By(|position: &_, _: &[_]| {
            let values = player.values(position, &[]).unwrap();
            let best = values.iter().map(|valued| valued.value).max();
            let best: Vec<_> = values.iter().filter(|valued| Some(valued.value) == best).collect();
            best[choices.below(best.len() as u64) as usize].mv
        });
        let mut twin = Perfect::new(awari.clone(), solved);
        let played = game(awari, solved, &start, [&mut naive, &mut twin]);
        lost += u32::from(played.first < solved.of(awari, &start));
    }
    assert!(lost > 0, "so this module would not be needed");
}

/// A random game with cycles, solved by the plain solver.
fn graph(seed: u64, slices: u32, width: u32) -> (Graph, Solved) {
    let graph = Graph::random(seed, slices, width, true);
    let solved = by_sweeps(&graph);
    (graph, solved)
}

/// A game that is mostly cycles: few moves lead out of its second slice, all to an end.
fn looping(seed: u64, width: u32) -> (Graph, Solved) {
    let mut random = Random::new(seed);
    let mut nodes = Vec::new();
    for number in 0..2 * width {
        let mut node = Node { steps: vec![], score: random.below(7) as Score - 3 };
        if number >= width {
            for _ in 0..=random.below(3) {
                let out = random.below(5) == 0;
                let next = random.below(width.into()) as u32;
                node.steps.push(Step::quiet(if out { next } else { width + next }));
            }
        }
        nodes.push(node);
    }
    let graph = Graph::new(width, nodes);
    let solved = by_sweeps(&graph);
    (graph, solved)
}

fn by_sweeps(graph: &Graph) -> Solved {
    let mut solved = Solved(Vec::new());
    for slice in (0..=graph.largest_slice().0).map(SliceId) {
        let Ok(scores) = sweep_slice(graph, slice, &solved);
        solved.0.push(scores);
    }
    solved
}

/// The distances of a slice by the definition, in passes until nothing changes.
fn distances(graph: &Graph, solved: &Solved, slice: SliceId) -> Vec<Option<u32>> {
    let mut found = vec![None; graph.slice_len(slice) as usize];
    loop {
        let before = found.clone();
        for index in 0..graph.slice_len(slice) {
            let position = graph.unrank(slice, index).unwrap();
            let score = solved.of(graph, &position);
            let keeping = graph.steps(position).iter();
            let keeping = keeping.filter(|step| step.value(solved.of(graph, &step.next)) == score);
            let nexts: Vec<Option<u32>> = keeping
                .map(|step| {
                    if graph.slice_of(&step.next) == slice {
                        before[graph.rank(&step.next) as usize]
                    } else {
                        Some(0)
                    }
                })
                .collect();
            found[index as usize] = match (graph.outcome(&position), score) {
                (Some(_), _) => Some(0),
                (_, 1..) => nexts.iter().flatten().min().map(|plies| plies + 1),
                (_, 0) => None,
                _ => nexts
                    .into_iter()
                    .collect::<Option<Vec<_>>>()
                    .and_then(|nexts| nexts.into_iter().max().map(|plies| plies + 1)),
            };
        }
        if found == before {
            return found;
        }
    }
}

/// What a mover can force when the positions of `path` may not repeat, by exhaustive search.
fn by_trying(graph: &Graph, solved: &Solved, position: u32, path: &mut Vec<(u32, bool)>) -> Score {
    let mover = path.len().is_multiple_of(2);
    if path.contains(&(position, mover)) {
        return 0;
    }
    if let Some(score) = graph.outcome(&position) {
        return score;
    }
    path.push((position, mover));
    let slice = graph.slice_of(&position);
    let values = graph.steps(position).iter().map(|step| {
        let inside = graph.slice_of(&step.next) == slice;
        step.value(if inside {
            by_trying(graph, solved, step.next, path)
        } else {
            solved.of(graph, &step.next)
        })
    });
    let best = values.max().expect("the game is not over");
    path.pop();
    best
}

proptest! {
    #[test]
    fn any_game(seed in any::<u64>(), slices in 1u32..5, width in 1u32..40) {
        let (graph, solved) = graph(seed, slices, width);
        if (0..graph.len()).any(|position| graph.outcome(&position).is_none()) {
            gets_the_score(&graph, &solved, 0..=slices - 1, 4);
        }
    }

    #[test]
    fn distances_are_exact(seed in any::<u64>(), slices in 1u32..5, width in 1u32..60) {
        let (graph, solved) = graph(seed, slices, width);
        let mut player = Perfect::new(graph.clone(), &solved);
        for slice in (0..slices).map(SliceId) {
            let truth = distances(&graph, &solved, slice);
            for (index, &plies) in truth.iter().enumerate() {
                let position = graph.unrank(slice, index as u64).unwrap();
                if graph.outcome(&position).is_none() {
                    let keeping = player.keeping(&position, &[]).unwrap();
                    prop_assert_eq!(keeping.plies, plies, "position {}", position);
                    prop_assert_eq!(keeping.plies.is_some(), keeping.value != 0);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A player that takes over a game in the middle knows what is still attainable, and gets it.
    #[test]
    fn the_game_so_far_counts(seed in any::<u64>(), width in 2u32..7) {
        let (graph, solved) = looping(seed, width);
        let mut random = Random::new(seed);
        let mut position = width + random.below(u64::from(width)) as u32;
        let mut history = Vec::new();
        while graph.slice_of(&position) == SliceId(1) && graph.outcome(&position).is_none() {
            let same_mover = history.iter().rev().skip(1).step_by(2);
            if same_mover.clone().any(|p| *p == position) {
                break;
            }
            let keeping = Perfect::new(graph.clone(), &solved).keeping(&position, &history).unwrap();
            let mut path: Vec<_> = history.iter().enumerate().map(|(n, p)| (*p, n % 2 == 0)).collect();
            let truth = by_trying(&graph, &solved, position, &mut path);
            if keeping.value > 0 || solved.of(&graph, &position) > 0 {
                prop_assert_eq!(keeping.value, truth, "position {} after {:?}", position, history);
                for mv in keeping.moves {
                    let step = graph.play(&position, &mv);
                    if keeping.value > 0 && graph.slice_of(&step.next) == SliceId(1) {
                        path.push((position, history.len() % 2 == 0));
                        let next = by_trying(&graph, &solved, step.next, &mut path);
                        path.pop();
                        prop_assert_eq!(step.value(next), truth);
                    }
                }
            }
            let all = moves(&graph, &position);
            history.push(position);
            let mv = all[random.below(all.len() as u64) as usize];
            position = graph.play(&history[history.len() - 1], &mv).next;
        }
    }
}

/// A repetition that the opponent allows is taken where it is better than the score.
#[test]
fn a_gift_is_taken() {
    let (awari, solved) = solved::awari();
    let player = Perfect::new(awari.clone(), solved);
    let mut seeds = Random::new(6);
    let (start, step) = std::iter::repeat_with(|| {
        let start = any_position(awari, 6..=10, &mut seeds);
        (start, awari.play(&start, &moves(awari, &start)[0]))
    })
    .find(|(start, step)| step.gain == 0 && solved.of(awari, start) < 0)
    .unwrap();
    let history = [step.next, start, step.next];
    let values = player.values(&start, &history[..1]).unwrap();
    assert!((values[0].repeats, values[0].value) == (true, 0));
    let mut player = player;
    assert_eq!(player.choose(&start, &history[..1]).unwrap(), values[0].mv);
    // The same board with the other side to move is another position.
    assert!(!player.values(&start, &history[..2]).unwrap()[0].repeats);
}

#[test]
fn a_limit_of_positions_is_kept() {
    let (awari, solved) = solved::awari();
    let mut player = Perfect::with_limit(awari.clone(), solved, 1);
    let mut seeds = Random::new(7);
    let mut unknown = 0;
    for _ in 0..200 {
        let position = any_position(awari, 8..=12, &mut seeds);
        let score = solved.of(awari, &position);
        let keeping = player.keeping(&position, &[]).unwrap();
        assert_eq!(keeping.value, score);
        unknown += u32::from(keeping.plies.is_none() && score != 0);
        for mv in keeping.moves {
            let step = awari.play(&position, &mv);
            assert_eq!(step.value(solved.of(awari, &step.next)), score);
        }
    }
    assert!(unknown > 0);
}

#[test]
fn what_cannot_be_played_is_an_error() {
    let (awari, solved) = solved::awari();
    let mut player = Perfect::new(awari.clone(), solved);
    let error = player.choose(&awari.start().position, &[]).unwrap_err();
    assert_eq!(error, PlayerError::NoDatabase { slice: SliceId(48) });
    assert_eq!(
        error.to_string(),
        "perfect play here needs the database of slice 48; solve it or play by search"
    );
    let over = Awari::new(6).unwrap().unrank(SliceId(0), 0).unwrap();
    assert_eq!(player.choose(&over, &[]), Err(PlayerError::Over));
}

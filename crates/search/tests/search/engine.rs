//! The engine against full-width minimax.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::graph::{Graph, Node, Scores};
use crate::minimax::{minimax, path, score};
use crate::replay::{check, proof};
use nutcracker_game::Random;
use nutcracker_game::{Evaluate, Game, Numbering, Rules, Score, SliceId, Step, Turn};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_proof::Goal;
use nutcracker_search::player::{Adviser, Source};
use nutcracker_search::{
    Empty, Engine, EngineOptions, ExactLimits, Kind, Limits, Oracle, Prover, Report, Search,
    SearchError, UpTo, Worth,
};
use proptest::prelude::*;

const TABLE: usize = 1 << 16;

fn engine<G: Evaluate, O: Oracle<Error: Send> + Sync>(
    game: &G,
    oracle: O,
    table_bytes: usize,
    threads: usize,
) -> Engine<G, O> {
    let options = EngineOptions { threads, table_bytes, ..EngineOptions::default() };
    Engine::new(game.clone(), oracle, options)
}

fn search<G: Evaluate, O: Oracle<Error: Send + Debug> + Sync>(
    engine: &mut Engine<G, O>,
    position: &G::Position,
    history: &[G::Position],
    limits: &Limits<'_>,
) -> Report<G::Move> {
    engine.search(position, history, limits, &mut |_| ()).unwrap()
}

/// Panics unless what a report claims is true of a score.
fn is_true<M: Debug>(report: &Report<M>, score: Score) {
    let (lower, upper) = report.bounds;
    assert!(lower <= score && score <= upper, "the score is {score}: {report:?}");
    match report.value.kind() {
        Kind::Exact => assert_eq!(report.value.score(), Some(score)),
        Kind::AtLeast => assert_eq!((report.value.lower, lower < upper), (Some(lower), true)),
        Kind::AtMost => assert_eq!((report.value.upper, lower < upper), (Some(upper), true)),
        Kind::Guess => assert!(lower < upper),
    }
}

/// Panics unless the moves of a line are legal one after another.
fn is_legal<G: Game>(game: &G, position: &G::Position, line: &[G::Move]) {
    let mut position = *position;
    assert!(!line.is_empty() || game.outcome(&position).is_some());
    for mv in line {
        let mut moves = Vec::new();
        game.moves(&position, &mut moves);
        assert!(moves.contains(mv), "{mv:?} is not legal");
        position = game.play(&position, mv).next;
    }
}

/// Without a table, the value of an iteration is that of minimax to the same depth.
fn same_as_minimax<G: Evaluate>(game: &G, position: &G::Position, history: &[G::Position]) {
    for depth in 1..5 {
        let mut path = path(history);
        let expected = minimax(game, position, true, &mut path, depth, 8, &mut 200_000);
        let Some(expected) = expected else { return };
        let mut engine = engine(game, Empty, 0, 1);
        let report = search(&mut engine, position, history, &Limits::depth(depth));
        assert_eq!(report.value.hundredths(), expected, "depth {depth} at {position:?}");
        is_legal(game, position, &report.line);
        if game.outcome(position).is_none() && report.depth == depth {
            // The move is worth the reported value.
            let step = game.play(position, &report.line[0]);
            path.push((*position, true));
            let next = step.turn == Turn::Stays;
            let value =
                minimax(game, &step.next, next, &mut path, depth - 1, 8, &mut 1_000_000).unwrap();
            let value = if next { value } else { -value };
            assert_eq!(100 * i32::from(step.gain) + value, expected);
        }
    }
}

/// What is proven is true, with table or without, and enough depth proves what can be proved.
fn proves<G: Evaluate, O: Oracle<Error: Send + Debug> + Sync>(
    game: &G,
    oracle: O,
    positions: impl Iterator<Item = (G::Position, Score)>,
    (table_bytes, threads): (usize, usize),
    nodes: u64,
) -> u32 {
    let mut engine = engine(game, oracle, table_bytes, threads);
    let mut proved = 0;
    for (position, score) in positions {
        let mut reports = Vec::new();
        let limits = Limits::nodes(nodes);
        let last =
            engine.search(&position, &[], &limits, &mut |r| reports.push(r.clone())).unwrap();
        for report in reports.iter().chain([&last]) {
            is_true(report, score);
            is_legal(game, &position, &report.line);
        }
        proved += u32::from(last.value == Worth::exact(score));
    }
    proved
}

/// The score of every small position of a game by minimax: what is decided within the budget.
fn small<G: Evaluate>(game: &G, slices: u32, budget: u64) -> Vec<(G::Position, Score)> {
    let mut known = Vec::new();
    for slice in (0..=slices).map(SliceId) {
        let positions = (0..game.slice_len(slice)).map(|index| game.unrank(slice, index).unwrap());
        known.extend(positions.filter_map(|p| Some((p, score(game, &p, &[], budget)?))));
    }
    known
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn iterations_are_minimax(seed: u64, slices in 1u32..5, width in 1u32..12, cyclic: bool) {
        let game = Graph::random(seed, slices, width, cyclic);
        let position = Random::new(seed).below(u64::from(game.len())) as u32;
        same_as_minimax(&game, &position, &[]);
    }

    /// A walk through the game as history: what was there before must be seen.
    #[test]
    fn iterations_see_the_history(seed: u64, width in 2u32..12, walk in 1usize..9) {
        let game = Graph::random(seed, 2, width, true);
        let (history, position) = wander(&game, seed, walk);
        same_as_minimax(&game, &position, &history);
    }

    /// Solvers and path-aware minimax agree on what a score is.
    #[test]
    fn scores_agree_with_minimax(seed: u64, slices in 1u32..4, width in 1u32..7) {
        let game = Graph::random(seed, slices, width, true);
        let scores = game.scores();
        for position in 0..game.len() {
            if let Some(score) = score(&game, &position, &[], 20_000) {
                prop_assert_eq!(score, scores[position as usize]);
            }
        }
    }

    #[test]
    fn proven_is_true(
        seed: u64, slices in 1u32..6, width in 1u32..12, cyclic: bool,
        table in prop::sample::select(&[0, 64, TABLE][..]), threads in 1usize..3,
    ) {
        let game = Graph::random(seed, slices, width, cyclic);
        let scores = game.scores();
        let positions = (0..game.len()).map(|p| (p, scores[p as usize]));
        let proved = proves(&game, Empty, positions, (table, threads), 3000);
        prop_assert!(cyclic || table < TABLE || proved == game.len());
    }

    #[test]
    fn proven_is_true_over_databases(
        seed: u64, last in 0u32..5, width in 1u32..12, cyclic: bool, threads in 1usize..3,
    ) {
        let game = Graph::random(seed, 5, width, cyclic);
        let scores = game.scores();
        let oracle = UpTo { children: Scores { width, scores: scores.clone() }, last: SliceId(last) };
        let positions = (0..game.len()).map(|p| (p, scores[p as usize]));
        let proved = proves(&game, oracle, positions, (TABLE, threads), 3000);
        prop_assert!(proved >= (last + 1) * width);
    }

    /// One engine, many histories: what its table keeps from one game must not be wrong in the
    /// next.
    #[test]
    fn proven_is_true_after_a_history(
        seed: u64, width in 2u32..8, walks in prop::collection::vec(0usize..9, 1..6),
        covered: bool, threads in 1usize..3,
    ) {
        let game = Graph::random(seed, 2, width, true);
        let scores = game.scores();
        let last = SliceId(u32::from(covered));
        let oracle = UpTo { children: Scores { width, scores }, last };
        let mut engine = engine(&game, oracle, TABLE, threads);
        for (round, walk) in (0..).zip(walks) {
            let (history, position) = wander(&game, seed ^ round, walk);
            let Some(score) = score(&game, &position, &history, 50_000) else { continue };
            let report = search(&mut engine, &position, &history, &Limits::nodes(2000));
            is_true(&report, score);
            let all = engine.search_all(&position, &history, &Limits::nodes(1000)).unwrap();
            let mut before = path(&history);
            if !history.is_empty() {
                before.push((position, true));
            }
            for (mv, value) in all {
                let step = game.play(&position, &mv);
                let next = step.turn == Turn::Stays;
                let exact = minimax(
                    &game, &step.next, next, &mut before, u32::MAX, 0, &mut 100_000,
                );
                let Some(exact) = exact else { continue };
                let exact = 100 * i32::from(step.gain) + if next { exact } else { -exact };
                match value.kind() {
                    Kind::Exact => prop_assert_eq!(value.hundredths(), exact),
                    Kind::AtLeast => prop_assert!(value.hundredths() <= exact),
                    Kind::AtMost => prop_assert!(value.hundredths() >= exact),
                    Kind::Guess => (),
                }
            }
        }
    }
}

/// A walk without plan that repeats nothing: the positions before the last, and the last.
pub fn wander(game: &Graph, seed: u64, walk: usize) -> (Vec<u32>, u32) {
    let mut random = Random::new(seed);
    let mut position = game.len() - 1 - random.below(u64::from(game.width)) as u32;
    let mut history = Vec::new();
    for _ in 0..walk {
        history.push(position);
        let internal: Vec<u32> = game
            .steps(position)
            .iter()
            .map(|step| step.next)
            .filter(|next| game.slice_of(next) == game.slice_of(&position))
            .filter(|next| !history.iter().rev().skip(1).step_by(2).any(|before| before == next))
            .collect();
        if internal.is_empty() {
            history.pop();
            break;
        }
        position = internal[random.below(internal.len() as u64) as usize];
    }
    (history, position)
}

#[test]
fn small_boards_of_awari() {
    for (pits, stones) in [(2, 4), (3, 3), (4, 2)] {
        let awari = Awari::new(pits).unwrap();
        let known = small(&awari, stones, 3000);
        assert!(known.len() > 30);
        for (position, _) in &known {
            same_as_minimax(&awari, position, &[]);
        }
        for how in [(0, 1), (64, 1), (TABLE, 1), (TABLE, 2)] {
            let proved = proves(&awari, Empty, known.iter().copied(), how, 20_000);
            assert!(proved as usize * 10 > known.len() * 9, "{proved} of {}", known.len());
        }
    }
}

#[test]
fn small_boards_of_kalah() {
    let kalah = Kalah::new(3, 3, false).unwrap();
    let known = small(&kalah, 5, 100_000);
    assert!(known.len() > 400);
    for how in [(0, 1), (64, 1), (TABLE, 1), (TABLE, 2)] {
        let proved = proves(&kalah, Empty, known.iter().copied(), how, 1 << 20);
        assert_eq!(proved as usize, known.len());
    }
    for (position, _) in &known {
        same_as_minimax(&kalah, position, &[]);
    }
}

#[test]
fn one_thread_is_deterministic() {
    let awari = Awari::new(6).unwrap();
    let start = awari.start().position;
    let once = || {
        let report = search(&mut engine(&awari, Empty, 1 << 20, 1), &start, &[], &Limits::depth(7));
        (report.value, report.line, report.nodes)
    };
    assert_eq!(once(), once());
}

#[test]
fn there_is_always_a_move() {
    let awari = Awari::new(6).unwrap();
    let start = awari.start().position;
    let stop = AtomicBool::new(true);
    let limits = [
        Limits::depth(0),
        Limits::nodes(0),
        Limits::time(Duration::ZERO),
        Limits { stop: Some(&stop), ..Limits::default() },
    ];
    for limits in limits {
        for threads in [1, 2] {
            let mut engine = engine(&awari, Empty, 1 << 20, threads);
            let report = search(&mut engine, &start, &[], &limits);
            assert_eq!((report.depth, report.line.len()), (0, 1));
            assert!(!report.value.is_proven());
            let all = engine.search_all(&start, &[], &limits).unwrap();
            assert_eq!(all.len(), 6);
            assert!(all.iter().all(|(_, value)| !value.is_proven()));
        }
    }
}

#[test]
fn limits_are_kept() {
    let awari = Awari::new(6).unwrap();
    let start = awari.start().position;
    let mut engine = engine(&awari, Empty, 1 << 20, 1);
    for nodes in [1, 10, 1000, 12_345] {
        let report = search(&mut engine, &start, &[], &Limits::nodes(nodes));
        assert_eq!(report.nodes, nodes);
        assert!(!report.line.is_empty());
        engine.clear();
    }
    let report = search(&mut engine, &start, &[], &Limits::depth(5));
    assert_eq!((report.depth, report.value.is_proven()), (5, false));
    let timed = Limits::time(Duration::from_millis(20));
    assert!(search(&mut engine, &start, &[], &timed).depth > 0);
}

/// An iteration that is cut short changes neither value nor depth.
#[test]
fn a_value_is_that_of_its_depth() {
    let awari = Awari::new(6).unwrap();
    let start = awari.start().position;
    let by_depth: Vec<Worth> = (0..=8)
        .map(|depth| {
            let mut engine = engine(&awari, Empty, 1 << 20, 1);
            search(&mut engine, &start, &[], &Limits::depth(depth)).value
        })
        .collect();
    for nodes in (50..3000).step_by(97) {
        let mut engine = engine(&awari, Empty, 1 << 20, 1);
        let report = search(&mut engine, &start, &[], &Limits::nodes(nodes));
        assert_eq!(report.value, by_depth[report.depth as usize], "{nodes} nodes: {report:?}");
    }
}

/// Comparing all moves to a depth and searching to it find the same value.
#[test]
fn the_best_of_all_moves_has_the_value_of_the_search() {
    let awari = Awari::new(6).unwrap();
    let start = awari.start().position;
    for depth in 1..=7 {
        let limits = Limits::depth(depth);
        let report = search(&mut engine(&awari, Empty, 1 << 20, 1), &start, &[], &limits);
        let all = engine(&awari, Empty, 1 << 20, 1).compare(&start, &[], &limits).unwrap();
        let best = all.values[0].1.hundredths();
        assert_eq!((best, all.depth), (report.value.hundredths(), depth));
        let mut adviser = Adviser::new(awari.clone(), Arc::new(Empty), EngineOptions::default());
        let advice = adviser.moves(&start, &[], &limits).unwrap();
        assert_eq!((advice.values, advice.source), (all.averaged, Source::Search { depth }));
    }
    let cut = engine(&awari, Empty, 1 << 20, 1).compare(&start, &[], &Limits::nodes(2000)).unwrap();
    let same =
        engine(&awari, Empty, 1 << 20, 1).compare(&start, &[], &Limits::depth(cut.depth)).unwrap();
    assert_eq!(cut, same);
}

/// What is shown of all moves agrees with what is shown of the position.
#[test]
fn averaged_values_of_moves_and_position_agree() {
    let awari = Awari::new(6).unwrap();
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut position = awari.start().position;
        for _ in 0..seed {
            let mut moves = Vec::new();
            awari.moves(&position, &mut moves);
            let mv = moves[random.below(moves.len() as u64) as usize];
            let next = awari.play(&position, &mv).next;
            if awari.outcome(&next).is_some() {
                break;
            }
            position = next;
        }
        let limits = Limits::depth(1 + seed as u32 % 7);
        let mut searcher = engine(&awari, Empty, 1 << 20, 1);
        let report = searcher.search_averaged(&position, &[], &limits, &mut |_| ()).unwrap();
        let all = engine(&awari, Empty, 1 << 20, 1).compare(&position, &[], &limits).unwrap();
        let best = report.best().unwrap();
        let found = all.averaged.iter().find(|(mv, _)| *mv == best).unwrap();
        assert_eq!(found.1.hundredths(), report.value.hundredths(), "seed {seed}: {all:?}");
        assert_eq!(all.averaged[0].1.hundredths(), report.value.hundredths(), "seed {seed}");
    }
}

/// What is left in the table by other searches, before or at the same time, changes no guess.
#[test]
fn a_search_says_the_same_when_asked_again() {
    let awari = Awari::new(6).unwrap();
    let positions: Vec<_> = [
        "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0",
        "5,5,5,5,4,0/4,4,4,4,4,4 N 0-0",
        "5,5,0,5,5,5/5,0,5,5,5,3 S 0-0",
        "1,0,3,6,0,2/0,4,1,1,7,3 S 9-11",
    ]
    .iter()
    .map(|text| awari.parse(text).unwrap().position)
    .collect();
    let mut warm = engine(&awari, Empty, 4 << 20, 1);
    for position in &positions {
        let limits = Limits::depth(7);
        let mut fresh = engine(&awari, Empty, 4 << 20, 1);
        let expected = fresh.search_averaged(position, &[], &limits, &mut |_| ()).unwrap();
        // Bounds that are proven meanwhile may be added, values stay.
        let compare = |engine: &mut Engine<Awari, Empty>| -> Vec<_> {
            let all = engine.compare(position, &[], &limits).unwrap().averaged;
            all.iter().map(|(mv, value)| (*mv, value.hundredths())).collect()
        };
        let moves = compare(&mut engine(&awari, Empty, 4 << 20, 1));
        for deeper in [7, 9, 8] {
            let again = warm.search_averaged(position, &[], &limits, &mut |_| ()).unwrap();
            assert_eq!(again.value.hundredths(), expected.value.hundredths());
            assert_eq!(again.best(), expected.best());
            assert_eq!(compare(&mut warm), moves);
            warm.search(position, &[], &Limits::depth(deeper), &mut |_| ()).unwrap();
            let next = awari.play(position, &expected.best().unwrap()).next;
            warm.compare(&next, &[], &Limits::depth(deeper)).unwrap();
        }
        for _ in 0..3 {
            let mut two = engine(&awari, Empty, 4 << 20, 2);
            let found = two.search_averaged(position, &[], &limits, &mut |_| ()).unwrap();
            assert_eq!(found.value.hundredths(), expected.value.hundredths(), "two threads");
        }
    }
}

/// The guesses of an adviser do not swing with the parity of the depth.
#[test]
fn advice_changes_little_from_one_depth_to_the_next() {
    let awari = Awari::new(6).unwrap();
    let start = awari.start().position;
    let mean_change = |values: &[i32]| {
        let changes: i32 = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
        changes / (values.len() - 1) as i32
    };
    let (mut raw, mut advised) = (Vec::new(), Vec::new());
    let mut engine = engine(&awari, Empty, 1 << 20, 1);
    let limits = Limits::depth(9);
    engine.search(&start, &[], &limits, &mut |report| raw.push(report.value.hundredths())).unwrap();
    let mut adviser = Adviser::new(awari, Arc::new(Empty), EngineOptions::default());
    let last = adviser
        .search(&start, &[], &limits, &mut |report| advised.push(report.value.hundredths()))
        .unwrap();
    assert_eq!(last.value.hundredths(), advised[8]);
    assert!(mean_change(&raw[3..]) > 150, "{raw:?}");
    assert!(mean_change(&advised[3..]) < 50, "{advised:?}");
}

#[test]
fn the_end_of_a_game_has_no_move() {
    let awari = Awari::new(6).unwrap();
    let over = awari.parse("0,0,0,0,0,0/1,0,0,2,0,0").unwrap().position;
    let report = search(&mut engine(&awari, Empty, 64, 1), &over, &[], &Limits::default());
    assert_eq!((report.value, report.line), (Worth::exact(-3), vec![]));
    let all = engine(&awari, Empty, 64, 1).search_all(&over, &[], &Limits::default());
    assert_eq!(all.unwrap(), []);
}

#[test]
fn an_oracle_may_fail() {
    let game = Graph::random(1, 4, 30, false);
    for threads in [1, 2] {
        let children = Scores { width: 30, scores: vec![] };
        let oracle = UpTo { children, last: SliceId(2) };
        let mut engine = engine(&game, oracle, 0, threads);
        let mut fails = |position: &u32| {
            engine.search(position, &[], &Limits::default(), &mut |_| ()).err()
                == Some(SearchError::Oracle("no such score"))
        };
        assert!((0..game.len()).filter(|p| game.slice_of(p).0 > 2).any(|p| fails(&p)));
    }
}

/// A table that kept what depends on the path would be wrong here.
///
/// From 6 the mover can bank 3 or go to 7; from 7 one loses 2 or goes back to 6. Below 6 that would
/// repeat, so 7 looks worth 0 there; it is worth -2, because moving to 6 loses 3. From 8 both are
/// reached: 6 directly, and 7 by way of 9, where nothing repeats.
#[test]
fn what_depends_on_the_path_is_not_kept() {
    let bank = |gain| Step::new(0, gain, Turn::Passes);
    let mut steps = vec![vec![]; 6];
    steps.push(vec![Step::quiet(7), bank(3)]);
    steps.push(vec![Step::quiet(6), bank(-2)]);
    steps.push(vec![Step::quiet(6), Step::quiet(9)]);
    steps.push(vec![Step::quiet(7)]);
    steps.resize(12, vec![]);
    let nodes = steps.into_iter().map(|steps| Node { steps, score: 0 }).collect();
    let game = Graph::new(6, nodes);
    let scores = [(6, 3), (7, -2), (8, -2), (9, 2)];
    for (position, expected) in scores {
        assert_eq!(score(&game, &position, &[], 1000), Some(expected));
        assert_eq!(game.scores()[position as usize], expected);
        for (first, before) in scores {
            let mut engine = engine(&game, Empty, TABLE, 1);
            for (root, score) in [(first, before), (position, expected)] {
                let report = search(&mut engine, &root, &[], &Limits::default());
                assert_eq!(report.value, Worth::exact(score), "{root} after {first}");
            }
        }
    }
}

/// Positions with more moves than a byte can count.
#[test]
fn the_best_of_three_hundred_moves_is_found() {
    for best in [0, 24, 254, 255, 256, 280, 299] {
        // After the best move the opponent has to let us win, after any other we lose.
        let mut nodes = vec![Node::over(1), Node::over(-1)];
        nodes.extend((0..300).map(|place| Node::quiet(&[u32::from(place != best)])));
        let root = nodes.len() as u32;
        nodes.push(Node::quiet(&(2..302).collect::<Vec<u32>>()));
        let graph = Graph::new(root + 1, nodes);

        let limits = ExactLimits::default();
        let mut exact = Search::new(&graph, &Empty, &limits);
        for _ in 0..2 {
            let solved = exact.solve(&root).unwrap().unwrap();
            assert_eq!((solved.score, solved.best), (1, vec![best]));
        }

        let mut prover = Prover::new(&graph, &Empty, limits.clone());
        let goal = Goal::AtLeast(1);
        let (yes, file) = proof(&graph, &mut prover, &Empty, &root, goal).unwrap();
        assert!(yes && check(&graph, &Empty, &file).is_ok());
        let text = String::from_utf8(file).unwrap();
        assert!(text.contains(&format!("play\t1\t{root}\t{best} to ")), "{text}");

        let options = EngineOptions { table_bytes: 1 << 16, ..EngineOptions::default() };
        let mut engine = Engine::new(graph.clone(), Empty, options);
        let report = engine.search(&root, &[], &Limits::depth(4), &mut |_| ()).unwrap();
        assert_eq!((report.value, report.best()), (Worth::exact(1), Some(best)), "{report:?}");
    }
}

/// A score that an earlier search has proved comes with a move that gets it.
#[test]
fn a_solved_position_is_played_as_well_the_second_time() {
    for best in 0..40 {
        let mut nodes = vec![Node::over(1), Node::over(-1)];
        nodes.extend((0..40).map(|place| Node::quiet(&[u32::from(place != best)])));
        let root = nodes.len() as u32;
        nodes.push(Node::quiet(&(2..42).collect::<Vec<u32>>()));
        let graph = Graph::new(root + 1, nodes);
        let mut engine = engine(&graph, Empty, TABLE, 1);
        for _ in 0..3 {
            let report = search(&mut engine, &root, &[], &Limits::depth(4));
            assert_eq!((report.value, report.best()), (Worth::exact(1), Some(best)), "{report:?}");
        }
    }
}

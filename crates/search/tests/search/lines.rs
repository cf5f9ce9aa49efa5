//! Several lines, and some of the moves, against full-width minimax.

use crate::engine::wander;
use crate::graph::{Graph, Node, Scores};
use crate::minimax::{minimax, path};
use nutcracker_game::{Rules, SliceId, Step, Turn};
use nutcracker_games::awari::Awari;
use nutcracker_search::{Empty, Engine, EngineOptions, Kind, Limits, Report, UpTo, Worth};
use proptest::prelude::*;

type Move = <Graph as Rules>::Move;

/// Every move with its value after a history, the position itself included.
fn values(game: &Graph, position: u32, history: &[u32], depth: u32) -> Option<Vec<(Move, i32)>> {
    let mut before = path(history);
    before.push((position, true));
    let mut moves = Vec::new();
    game.moves(&position, &mut moves);
    let value = |mv: Move| {
        let step = game.play(&position, &mv);
        let again = step.turn == Turn::Stays;
        let next = &step.next;
        let value = minimax(game, next, again, &mut before.clone(), depth, 8, &mut 50_000)?;
        Some((mv, 100 * i32::from(step.gain) + if again { value } else { -value }))
    };
    moves.into_iter().map(value).collect()
}

/// The best value of the moves that are not among `taken`.
fn best(values: &[(Move, i32)], taken: &[Move]) -> i32 {
    let left = values.iter().filter(|(mv, _)| !taken.contains(mv));
    left.map(|(_, value)| *value).max().expect("a move is left")
}

/// Panics unless what a report claims about a value is true.
fn is_true(report: &Report<Move>, value: i32) {
    let claimed = report.value.hundredths();
    let holds = match report.value.kind() {
        Kind::Exact => claimed == value,
        Kind::AtLeast => claimed <= value,
        Kind::AtMost => claimed >= value,
        Kind::Guess => true,
    };
    let (lower, upper) = report.bounds;
    let bounds = (100 * i32::from(lower), 100 * i32::from(upper));
    assert!(holds && bounds.0 <= value && value <= bounds.1, "worth {value}: {report:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Without a table, the lines of an iteration are the moves by their values to the same depth.
    #[test]
    fn lines_are_minimax(
        seed: u64, width in 2u32..12, walk in 0usize..6, depth in 1u32..5, lines in 1usize..9,
    ) {
        let game = Graph::random(seed, 2, width, true);
        let (history, position) = wander(&game, seed, walk);
        let Some(mut values) = values(&game, position, &history, depth - 1) else { return Ok(()) };
        values.sort_by_key(|(_, value)| -value);
        let options = EngineOptions { table_bytes: 0, lines, ..EngineOptions::default() };
        let mut engine = Engine::new(game, Empty, options);
        let mut last = Vec::new();
        let mut on_report = |report: &Report<Move>| {
            last.truncate(report.rank - 1);
            last.push(report.clone());
        };
        let limits = Limits::depth(depth);
        let best = engine.search(&position, &history, &limits, &mut on_report).unwrap();
        let found: Vec<i32> = last.iter().map(|report| report.value.hundredths()).collect();
        let expected: Vec<i32> = values.iter().map(|(_, value)| *value).take(lines).collect();
        prop_assert_eq!(found, expected);
        if let Some(first) = last.first() {
            prop_assert_eq!((&best.line, best.value), (&first.line, first.value));
        }
        let mut firsts: Vec<_> = last.iter().filter_map(Report::best).collect();
        firsts.sort_unstable();
        firsts.dedup();
        prop_assert_eq!(firsts.len(), last.len(), "every line has a first move of its own");
    }

    /// What is proven of a line or of some moves is true, and so is what the table keeps of it for
    /// the next search.
    #[test]
    fn proven_is_true_of_lines(
        seed: u64, width in 2u32..6, lines in 1usize..4, threads in 1usize..3, covered: bool,
        rounds in prop::collection::vec((0usize..4, prop::collection::vec(0usize..4, 0..3)), 1..16),
    ) {
        let game = Graph::random(seed, 2, width, true);
        let scores = game.scores();
        let last = SliceId(u32::from(covered));
        let oracle = UpTo { children: Scores { width, scores: scores.clone() }, last };
        let options = EngineOptions { threads, table_bytes: 1 << 16, lines, ..EngineOptions::default() };
        let mut engine = Engine::new(game.clone(), oracle, options);
        for (round, (walk, among)) in (0..).zip(rounds) {
            let (history, position) = wander(&game, seed ^ round, walk);
            let Some(values) = values(&game, position, &history, u32::MAX) else { continue };
            if values.is_empty() {
                continue;
            }
            let allowed: Vec<Move> =
                among.iter().filter_map(|&place| values.get(place)).map(|(mv, _)| *mv).collect();
            let left_out: Vec<Move> = match &allowed[..] {
                [] => Vec::new(),
                _ => values.iter().map(|(mv, _)| *mv).filter(|mv| !allowed.contains(mv)).collect(),
            };
            let mut taken = left_out.clone();
            let mut on_report = |report: &Report<Move>| {
                if report.rank == 1 {
                    taken.clone_from(&left_out);
                }
                // Without history, all moves together are worth the score of the position.
                let value = if history.is_empty() && taken.is_empty() {
                    100 * i32::from(scores[position as usize])
                } else {
                    best(&values, &taken)
                };
                is_true(report, value);
                let first = report.best().expect("a move");
                assert!(!taken.contains(&first), "{report:?}");
                taken.push(first);
            };
            let limits = Limits { nodes: Some(2000), among: Some(&among), ..Limits::default() };
            engine.search(&position, &history, &limits, &mut on_report).unwrap();
        }
    }
}

#[test]
fn some_of_the_moves() {
    let awari = Awari::new(6).unwrap();
    let start = awari.start().position;
    let options = EngineOptions { table_bytes: 1 << 20, ..EngineOptions::default() };
    let mut engine = Engine::new(awari, Empty, options);
    let mut best = |places: &[usize]| {
        let limits = Limits { among: Some(places), ..Limits::depth(4) };
        let report = engine.search(&start, &[], &limits, &mut |_| ()).unwrap();
        report.best().unwrap().0
    };
    for place in 0..6 {
        assert_eq!(best(&[place]), place as u8);
    }
    // Places without a move are ignored, and all moves are searched if no other is given.
    assert_eq!(best(&[7, 2]), 2);
    assert_eq!(best(&[7]), best(&[]));
    let limits = Limits { among: Some(&[1, 4]), ..Limits::depth(4) };
    let all = engine.search_all(&start, &[], &limits).unwrap();
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|(mv, value)| [1, 4].contains(&mv.0) && *value != Worth::default()));
}

/// From 6 the mover can bank 2 or go to 7; from 7 one loses 3 or goes back to 6. From 8 one goes to 6
/// or loses 1.
///
/// 7 is worth -2, because going to 6 lets the opponent bank 2. If the game has been at 6, going back
/// ends it there: with the bank left out, 6 is worth 0.
#[test]
fn moves_left_out_are_missing_at_a_repetition() {
    let bank = |gain| Step::new(0, gain, Turn::Passes);
    let mut steps = vec![vec![]; 6];
    steps.push(vec![bank(2), Step::quiet(7)]);
    steps.push(vec![bank(-3), Step::quiet(6)]);
    steps.push(vec![bank(-1), Step::quiet(6)]);
    steps.resize(12, vec![]);
    let nodes = steps.into_iter().map(|steps| Node { steps, score: 0 }).collect();
    let game = Graph::new(6, nodes);
    let options = EngineOptions { table_bytes: 1 << 16, ..EngineOptions::default() };
    let mut engine = Engine::new(game, Empty, options);
    let mut value = |position: u32, among: &[usize]| {
        let limits = Limits { among: Some(among), ..Limits::depth(20) };
        engine.search(&position, &[], &limits, &mut |_| ()).unwrap().value
    };
    assert_eq!(value(7, &[]), Worth::exact(-2));
    assert_eq!(value(6, &[1]), Worth::exact(0), "although 7 is known");
    assert_eq!(value(8, &[]), Worth::exact(-1), "although 6 was searched in part");
    assert_eq!(value(6, &[]), Worth::exact(2));
}

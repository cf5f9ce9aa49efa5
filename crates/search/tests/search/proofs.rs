//! Proof search against scores computed for whole games at once, and its proofs replayed.

use std::fmt::{Debug, Display};
use std::sync::atomic::AtomicBool;

use crate::graph::{Graph, Node, Scores};
use crate::replay::{check, proof};
use nutcracker_game::Random;
use nutcracker_game::{Game, Numbering, Rules, Score, SliceId, Step};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::morris::Morris;
use nutcracker_proof::Goal;
use nutcracker_retro::in_memory::sweep_slice;
use nutcracker_search::{Empty, ExactLimits, Oracle, Prover, SearchError, UpTo};
use proptest::prelude::*;

const BYTES: usize = 1 << 16;

/// Searches for proofs of all goals near a score, replays them, and counts what stays unknown.
fn all_goals<G: Game, O: Oracle<Error: Debug + Display>>(
    game: &G,
    oracle: &O,
    position: &G::Position,
    score: Score,
    limits: &ExactLimits<'_>,
) -> u32 {
    let mut unknown = 0;
    for k in [score - 1, score, score + 1, 0, 1] {
        for goal in [Goal::AtLeast(k), Goal::AtMost(k)] {
            let prover = Prover::new(game, oracle, limits.clone());
            unknown += u32::from(!one_goal(game, oracle, position, score, goal, prover));
        }
    }
    unknown
}

/// Searches for the proof of a goal and replays it; whether there was one.
fn one_goal<G: Game, O: Oracle<Error: Debug + Display>>(
    game: &G,
    oracle: &O,
    position: &G::Position,
    score: Score,
    goal: Goal,
    mut prover: Prover<'_, G, O>,
) -> bool {
    let Some((proven, file)) = proof(game, &mut prover, oracle, position, goal) else {
        return false;
    };
    assert_eq!(proven, goal.holds(score), "{goal:?} of {score} at {position:?}");
    let checked = check(game, oracle, &file);
    let claimed = if proven { goal } else { goal.opposite() };
    assert_eq!(checked.expect("a proof").goals, [claimed], "{goal:?} at {position:?}");
    true
}

/// The scores of a game's first slices.
fn solve<G: Game>(game: &G, slices: u32) -> Solved {
    let mut solved = Solved(Vec::new());
    for slice in (0..=slices).map(SliceId) {
        let scores = sweep_slice(game, slice, &solved).unwrap();
        solved.0.push(scores);
    }
    solved
}

struct Solved(Vec<Vec<i8>>);

impl nutcracker_game::Children for Solved {
    type Error = std::convert::Infallible;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error> {
        let start = start as usize;
        out.copy_from_slice(&self.0[slice.0 as usize][start..start + out.len()]);
        Ok(())
    }
}

/// Every position of some slices, over databases of those below.
fn every_position<G: Game>(game: &G, last: u32, databases: Option<u32>, nodes: u64) {
    let oracle = UpTo { children: solve(game, last), last: SliceId(databases.unwrap_or(0)) };
    let limits = ExactLimits { nodes, table_bytes: 1 << 18, stop: None };
    let (mut queries, mut unknown) = (0, 0);
    for slice in (databases.map_or(0, |last| last + 1)..=last).map(SliceId) {
        for index in 0..game.slice_len(slice) {
            let position = game.unrank(slice, index).unwrap();
            let score = Score::from(oracle.children.0[slice.0 as usize][index as usize]);
            queries += 10;
            unknown += match databases {
                Some(_) => all_goals(game, &oracle, &position, score, &limits),
                None => all_goals(game, &Empty, &position, score, &limits),
            };
        }
    }
    assert!(queries > 100 && unknown * 100 <= queries, "{unknown} of {queries} are unknown");
}

#[test]
fn awari() {
    every_position(&Awari::new(2).unwrap(), 6, None, 20_000);
    every_position(&Awari::new(3).unwrap(), 4, None, 20_000);
    every_position(&Awari::new(4).unwrap(), 4, Some(3), 20_000);
}

#[test]
fn kalah() {
    every_position(&Kalah::new(2, 3, false).unwrap(), 6, None, 20_000);
    every_position(&Kalah::new(3, 2, true).unwrap(), 5, Some(2), 20_000);
}

/// Three men's morris from its start over the databases of moving: won without flying, else drawn.
/// Images of one another have one line.
#[test]
fn depth_first_over_databases() {
    for (flying, score) in [(false, 1), (true, 0)] {
        let game = Morris::new(3, flying).unwrap();
        let moving = game.slice_named("3v3").unwrap();
        let oracle = UpTo { children: solve(&game, moving.0), last: moving };
        let start = game.start().position;
        for goal in [0, 1].map(Goal::AtLeast) {
            let limits = ExactLimits { table_bytes: 1 << 18, ..ExactLimits::default() };
            let mut prover = Prover::new(&game, &oracle, limits).depth_first(|_, _| ());
            let found = proof(&game, &mut prover, &oracle, &start, goal);
            let (proven, file) = found.expect("no limit was set");
            assert_eq!(proven, goal.holds(score), "flying {flying}, {goal}");
            check(&game, &oracle, &file).expect("a proof");
            // In the first version of the format only a position itself is shown.
            let text = String::from_utf8(file).expect("text");
            let (body, _) = text.rsplit_once("end\t").expect("an end");
            let body = body.replacen("nutcracker-proof\t2", "nutcracker-proof\t1", 1);
            let older = format!("{body}end\t{}\n", blake3::hash(body.as_bytes()));
            check(&game, &oracle, older.as_bytes()).expect_err("images are missing");
        }
    }
}

#[test]
fn depth_first_without_databases() {
    let kalah = Kalah::new(2, 2, false).unwrap();
    let solved = solve(&kalah, 8);
    for slice in (0..=8).map(SliceId) {
        for index in 0..kalah.slice_len(slice) {
            let position = kalah.unrank(slice, index).unwrap();
            let score = Score::from(solved.0[slice.0 as usize][index as usize]);
            for goal in [Goal::AtLeast(score), Goal::AtLeast(score + 1), Goal::AtMost(score)] {
                let limits = ExactLimits { table_bytes: 1 << 16, ..ExactLimits::default() };
                let last_first = |_: &_, promise: &mut Vec<i32>| promise.extend(0..2);
                let prover = Prover::new(&kalah, &Empty, limits).depth_first(last_first);
                assert!(one_goal(&kalah, &Empty, &position, score, goal, prover));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Where nothing repeats every question has an answer; where positions repeat none is wrong.
    #[test]
    fn depth_first(seed: u64, slices in 1u32..5, width in 1u32..14, cyclic: bool) {
        let game = Graph::random(seed, slices, width, cyclic);
        let scores = game.scores();
        let position = Random::new(seed).below(u64::from(game.len())) as u32;
        let score = scores[position as usize];
        for goal in [Goal::AtLeast(score), Goal::AtLeast(score + 1), Goal::AtMost(score - 1)] {
            let limits = ExactLimits { nodes: 20_000, table_bytes: BYTES, stop: None };
            let prover = Prover::new(&game, &Empty, limits).depth_first(|_, _| ());
            let found = one_goal(&game, &Empty, &position, score, goal, prover);
            prop_assert!(found || cyclic);
        }
    }

    #[test]
    fn graphs(seed: u64, slices in 1u32..5, width in 1u32..14, cyclic: bool, covered in 0u32..3) {
        let game = Graph::random(seed, slices, width, cyclic);
        let scores = game.scores();
        let limits = ExactLimits { nodes: 20_000, table_bytes: BYTES, stop: None };
        let mut random = Random::new(seed);
        for _ in 0..6 {
            let position = random.below(u64::from(game.len())) as u32;
            let score = scores[position as usize];
            let unknown = if covered < slices && slices > 1 {
                let children = Scores { width, scores: scores.clone() };
                let oracle = UpTo { children, last: SliceId(covered) };
                all_goals(&game, &oracle, &position, score, &limits)
            } else {
                all_goals(&game, &Empty, &position, score, &limits)
            };
            prop_assert_eq!(unknown, 0);
        }
    }

    /// Next to no table: never wrong, whatever is lost.
    #[test]
    fn forgetful(seed: u64, slices in 1u32..4, width in 1u32..8, cyclic: bool) {
        let game = Graph::random(seed, slices, width, cyclic);
        let scores = game.scores();
        let limits = ExactLimits { nodes: 5000, table_bytes: 0, stop: None };
        for position in 0..game.len() {
            all_goals(&game, &Empty, &position, scores[position as usize], &limits);
        }
    }

    /// A proof whose lines were changed and whose checksum was made right again is refused, or proves
    /// what is true.
    #[test]
    fn forged(seed: u64, width in 2u32..10, at: prop::sample::Index, what in 0..6, to in 0u32..30) {
        let game = Graph::random(seed, 3, width, true);
        let scores = game.scores();
        let position = game.len() - 1 - Random::new(seed).below(u64::from(width)) as u32;
        let goal = Goal::AtLeast(scores[position as usize]);
        let limits = ExactLimits { table_bytes: BYTES, ..ExactLimits::default() };
        let mut prover = Prover::new(&game, &Empty, limits);
        let (yes, file) = proof(&game, &mut prover, &Empty, &position, goal).unwrap();
        prop_assert!(yes);
        let text = String::from_utf8(file).unwrap();
        let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
        lines.pop();
        // The header has seven lines, the claim is the eighth.
        let place = 7 + at.index(lines.len() - 7);
        let mut fields: Vec<String> = lines[place].split('\t').map(ToOwned::to_owned).collect();
        let number = |text: &str| text.parse::<i32>().unwrap();
        match what {
            0 => drop(lines.remove(place)),
            1 => lines[7..].rotate_left(place - 7),
            _ => {
                match (what, fields[0].as_str()) {
                    (2, "claim") => fields[2] = (number(&fields[2]) + 1).to_string(),
                    (_, "claim") => fields[1] = "at-most".to_owned(),
                    (2, _) => fields[1] = (number(&fields[1]) + 1).to_string(),
                    (3, _) => fields[1] = (number(&fields[1]) - 1).to_string(),
                    (4, "play") => fields[3] = format!("0 to {to}"),
                    (4, _) => fields[0] = "play".to_owned(),
                    _ => fields[2] = (to % game.len()).to_string(),
                }
                lines[place] = fields.join("\t");
            }
        }
        let body = lines.join("\n") + "\n";
        let sealed = format!("{body}end\t{}\n", blake3::hash(body.as_bytes()));
        if let Ok(checked) = check(&game, &Empty, sealed.as_bytes()) {
            let true_goals = checked.goals.iter().all(|goal| goal.holds(scores[position as usize]));
            prop_assert!(true_goals, "{}", sealed);
        }
    }

    /// Two questions decide a score, whatever the guess, and one file has both proofs.
    #[test]
    fn scores_are_narrowed(seed: u64, width in 2u32..10, guess in -5i16..5) {
        let game = Graph::random(seed, 3, width, true);
        let position = game.len() - 1;
        let score = game.scores()[position as usize];
        let limits = ExactLimits { table_bytes: BYTES, ..ExactLimits::default() };
        let mut prover = Prover::new(&game, &Empty, limits);
        let mut asked = Vec::new();
        let bounds = prover.bounds(&position, guess, |ask| {
            assert!(!asked.contains(&ask));
            asked.push(ask);
        });
        prop_assert_eq!(bounds, Ok((score, score)));
    }
}

#[test]
fn limits_and_failures() {
    let game = Graph::random(7, 6, 40, true);
    let position = game.len() - 1;
    let goal = Goal::AtLeast(1);
    let free = ExactLimits { table_bytes: BYTES, ..ExactLimits::default() };
    let none = ExactLimits { nodes: 0, ..free.clone() };
    let stop = AtomicBool::new(true);
    let stopped = ExactLimits { stop: Some(&stop), ..free.clone() };
    let open = (0..game.len()).rev().find(|&p| game.steps(p).len() > 1).unwrap_or(position);
    for limits in [none, stopped] {
        let mut prover = Prover::new(&game, &Empty, limits);
        assert_eq!((prover.decide(&open, goal), prover.nodes()), (Ok(None), 0));
    }
    let oracle = UpTo { children: Scores { width: 40, scores: vec![] }, last: SliceId(4) };
    let mut prover = Prover::new(&game, &oracle, free);
    let failed = (0..game.len()).filter_map(|p| prover.decide(&p, goal).err());
    assert!(failed.collect::<Vec<_>>().contains(&SearchError::Oracle("no such score")));
}

#[test]
fn reports_come_now_and_then_and_can_end_a_search() {
    let kalah = Kalah::new(4, 3, false).unwrap();
    let mut reports = Vec::new();
    let mut prover = Prover::new(&kalah, &Empty, ExactLimits::default()).watched(|status| {
        assert!(status.proof > 0 && status.disproof > 0, "{status:?}");
        reports.push(status.nodes);
        reports.len() < 2
    });
    assert_eq!(prover.decide(&kalah.start().position, Goal::AtLeast(6)), Ok(None));
    drop(prover);
    assert_eq!(reports, [1023, 2047]);
}

/// Lines of play as long as one likes.
#[test]
fn long_lines_need_no_stack() {
    let mut nodes = vec![Node { steps: vec![], score: 1 }];
    nodes.extend((0..100_000).map(|next| Node { steps: vec![Step::quiet(next)], score: 0 }));
    nodes.truncate(100_000);
    let game = Graph::new(100, nodes);
    let mut prover = Prover::new(&game, &Empty, ExactLimits::default());
    let goal = Goal::AtLeast(0);
    let (yes, file) = proof(&game, &mut prover, &Empty, &99_999, goal).unwrap();
    // The other side has the last move.
    assert!(!yes);
    assert_eq!(check(&game, &Empty, &file).unwrap().nodes, 99_999);
}

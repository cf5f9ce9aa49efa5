//! Proof search against scores computed for whole games at once, and its proofs replayed.

use std::fmt::Debug;
use std::sync::atomic::AtomicBool;

use crate::graph::{Graph, Node, Scores};
use nutcracker_game::Random;
use nutcracker_game::{Game, Score, SliceId, Step, Turn};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_retro::in_memory::sweep_slice;
use nutcracker_search::{
    Empty, ExactLimits, Flaw, Goal, Oracle, Proof, ProofNode, Reply, SearchError, UpTo, Verdict,
    check_proof, prove,
};
use proptest::prelude::*;

const BYTES: usize = 1 << 16;

/// Searches for proofs of all goals near a score, replays them, and counts what stays unknown.
fn all_goals<G: Game, O: Oracle<Error: Debug + PartialEq>>(
    game: &G,
    oracle: &O,
    position: &G::Position,
    score: Score,
    limits: &ExactLimits<'_>,
) -> u32 {
    let mut unknown = 0;
    for k in [score - 1, score, score + 1, 0, 1] {
        for goal in [Goal::AtLeast(k), Goal::AtMost(k)] {
            let found = prove(game, oracle, position, goal, limits).unwrap();
            let (proof, proven) = match found.verdict {
                Verdict::Proven(proof) => (proof, true),
                Verdict::Disproven(proof) => (proof, false),
                Verdict::Unknown => {
                    unknown += 1;
                    continue;
                }
            };
            assert_eq!(proven, goal.holds(score), "{goal:?} of {score} at {position:?}");
            assert_eq!(proof.goal, if proven { goal } else { goal.opposite() });
            assert_eq!(check_proof(game, oracle, &proof), Ok(()), "{goal:?} at {position:?}");
        }
    }
    unknown
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

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

    /// A tampered proof is rejected, or still proves its claim.
    #[test]
    fn tampered(seed: u64, width in 2u32..10, at: prop::sample::Index, what in 0..6) {
        let game = Graph::random(seed, 3, width, true);
        let scores = game.scores();
        let position = game.len() - 1 - Random::new(seed).below(u64::from(width)) as u32;
        let goal = Goal::AtLeast(scores[position as usize]);
        let limits = ExactLimits { table_bytes: BYTES, ..ExactLimits::default() };
        let found = prove(&game, &Empty, &position, goal, &limits).unwrap();
        let Verdict::Proven(mut proof) = found.verdict else { panic!("it is true") };
        let len = proof.nodes.len();
        if len > 0 {
            let place = at.index(len);
            let node = &mut proof.nodes[place];
            match what {
                0 => drop(proof.nodes.remove(place)),
                1 => node.need += 1,
                2 => node.need -= 1,
                3 => {
                    node.reply = match node.reply {
                        Reply::Play(mv) => Reply::Play(mv + 1),
                        Reply::Any => Reply::Play(0),
                    };
                }
                4 => node.reply = Reply::Any,
                _ => node.position = (node.position + 1) % game.len(),
            }
        } else {
            proof.goal = Goal::AtLeast(scores[position as usize] + 1);
        }
        if check_proof(&game, &Empty, &proof).is_ok() {
            prop_assert!(proof.goal.holds(scores[position as usize]));
        }
    }
}

/// Four positions that go round; the one in the middle can be left for a gain of 2.
fn roundabout() -> Graph {
    let quiet = |next| Step::quiet(next);
    let out = |gain| Step::new(0, gain, Turn::Passes);
    let steps = vec![
        vec![],
        vec![],
        vec![],
        vec![],
        vec![quiet(5), out(-1)],
        vec![quiet(6)],
        vec![quiet(7), out(2)],
        vec![quiet(4)],
    ];
    let nodes = steps.into_iter().map(|steps| Node { steps, score: 0 }).collect();
    Graph::new(4, nodes)
}

fn proof(goal: Goal, root: u32, nodes: &[(u32, Score, Reply)]) -> Proof<u32> {
    let node = |&(position, need, reply)| ProofNode { position, need, reply };
    Proof { goal, root, nodes: nodes.iter().map(node).collect() }
}

#[test]
fn flawed_proofs_are_refused() {
    use Reply::{Any, Play};
    let game = roundabout();
    let check = |proof: &Proof<u32>| check_proof(&game, &Empty, proof);
    let win = proof(Goal::AtLeast(2), 4, &[(4, 2, Play(0)), (5, 2, Any), (6, 2, Play(1))]);
    assert_eq!(check(&win), Ok(()));
    // Going round is no way to win 2, and a good way not to lose.
    let round = |need| {
        let nodes = [(4, need, Play(0)), (5, need, Any), (6, need, Play(0)), (7, need, Any)];
        proof(Goal::AtLeast(need), 4, &nodes)
    };
    assert_eq!(check(&round(1)), Err(Flaw::Repeats { position: 4 }));
    assert_eq!(check(&round(0)), Ok(()));
    assert_eq!(
        check(&proof(Goal::AtLeast(2), 4, &[])),
        Err(Flaw::Missing { position: 4, need: 2 })
    );
    let lost = proof(Goal::AtLeast(0), 4, &[(4, 0, Play(1))]);
    assert_eq!(check(&lost), Err(Flaw::Wrong { position: 0, need: 1, score: 0 }));
    let none = proof(Goal::AtLeast(0), 4, &[(4, 0, Play(2))]);
    assert_eq!(check(&none), Err(Flaw::NoSuchMove { position: 4, place: 2 }));
    let twice = proof(Goal::AtLeast(0), 4, &[(4, 0, Play(0)), (4, 0, Play(1))]);
    assert_eq!(check(&twice), Err(Flaw::Twice { position: 4 }));
    // Where the game is over, "whatever is played" proves nothing.
    let over = proof(Goal::AtMost(-5), 0, &[(0, 5, Any)]);
    assert_eq!(check(&over), Err(Flaw::Wrong { position: 0, need: 5, score: 0 }));
    // Whose move it is cannot be changed.
    let turned = proof(Goal::AtLeast(0), 4, &[(4, 0, Any)]);
    assert!(matches!(check(&turned), Err(Flaw::Missing { .. })));
    let text = check(&round(1)).unwrap_err().to_string();
    assert_eq!(text, "play may come back to 4, which would end the game too early");
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
        let found = prove(&game, &Empty, &open, goal, &limits).unwrap();
        assert_eq!((found.verdict, found.nodes), (Verdict::Unknown, 0));
    }
    let oracle = UpTo { children: Scores { width: 40, scores: vec![] }, last: SliceId(4) };
    let failed = (0..game.len()).filter_map(|p| prove(&game, &oracle, &p, goal, &free).err());
    assert!(failed.collect::<Vec<_>>().contains(&SearchError::Oracle("no such score")));
}

/// Lines of play as long as one likes.
#[test]
fn long_lines_need_no_stack() {
    let mut nodes = vec![Node { steps: vec![], score: 1 }];
    nodes.extend((0..100_000).map(|next| Node { steps: vec![Step::quiet(next)], score: 0 }));
    nodes.truncate(100_000);
    let game = Graph::new(100, nodes);
    let found = prove(&game, &Empty, &99_999, Goal::AtLeast(0), &ExactLimits::default()).unwrap();
    let Verdict::Disproven(proof) = found.verdict else {
        panic!("the other side has the last move")
    };
    assert_eq!(check_proof(&game, &Empty, &proof), Ok(()));
}

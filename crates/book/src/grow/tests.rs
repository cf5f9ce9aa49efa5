use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::{
    ProptestConfig, Strategy as Generator, prop_assert, prop_assert_eq, proptest,
};

use super::{Book, Ended, NodeId, Plan, Turns, Worth};
use crate::store::{Batch, MemoryStore, Store};
use crate::strategy::{Player, Strategy};
use crate::toy::{Toy, ToyBook};

const ALL: [Strategy; 5] = [
    Strategy::BestFirst,
    Strategy::DropOut(Player::First),
    Strategy::DropOut(Player::Both),
    Strategy::Conspiracy,
    Strategy::Proof,
];

/// The true scores of a toy, by iteration from draws: repetition is a draw.
pub(crate) fn scores_of(toy: &Toy) -> Vec<i16> {
    // Wins and losses propagate from terminal positions; what they never reach is a draw.
    let mut score = vec![0; toy.moves.len()];
    for (&at, &end) in toy.over.iter() {
        score[at as usize] = end;
    }
    loop {
        let mut changed = false;
        for at in 0..toy.moves.len() {
            if toy.over.contains_key(&(at as u32)) || score[at] != 0 {
                continue;
            }
            let moves = &toy.moves[at];
            let win = moves.iter().any(|&to| score[to as usize] == -1);
            let loss = moves.iter().all(|&to| score[to as usize] == 1);
            if win || loss {
                score[at] = if win { 1 } else { -1 };
                changed = true;
            }
        }
        if !changed {
            return score;
        }
    }
}

/// A game on a random graph in which every position has a move or is terminal.
pub(crate) fn toys() -> impl Generator<Value = Toy> {
    let size = 24_u32;
    let moves = proptest::collection::vec(proptest::collection::vec(0..size, 1..4), size as usize);
    let ends = proptest::collection::hash_map(1..size, -1..=1_i16, 0..8);
    let guesses = proptest::collection::vec(-90..90, size as usize);
    (moves, ends, guesses).prop_map(move |(mut moves, ends, guesses)| {
        for list in &mut moves {
            list.sort_unstable();
            list.dedup();
        }
        for &end in ends.keys() {
            moves[end as usize].clear();
        }
        let guesses: HashMap<u32, i32> = (0..size).zip(guesses).collect();
        Toy { moves: moves.into(), over: ends.into(), guesses: guesses.into() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// For every graph and strategy: growth terminates, what is proven is true, a book grown to its
    /// end has solved its root, and the book is consistent throughout.
    #[test]
    fn any_graph_is_solved(toy in toys(), which in 0..5_usize, experts in 1..4_usize) {
        let truth = scores_of(&toy);
        let mut expert = toy.expert();
        let mut book =
            Book::create(toy.clone(), MemoryStore::new(), &0, &mut expert).unwrap();
        let plan = Plan { expansions: Some(1 + experts as u64), ..Plan::new(ALL[which]) };
        for _ in 0..60 {
            let mut experts: Vec<_> = (0..experts).map(|_| toy.expert()).collect();
            let ended = book.grow(&mut experts, &plan, &mut |_| {}).unwrap();
            let checked = book.check(&mut |_| {}).unwrap();
            prop_assert!(checked.flaws.is_empty(), "{:?}", checked.flaws);
            let mut from = 0;
            while let Some(id) = book.next_node(from).unwrap() {
                from = id + 1;
                let at = book.position(id).unwrap();
                let value = book.node(id).unwrap().value;
                let score = truth[at as usize];
                prop_assert!(value.lower <= score && score <= value.upper, "{at}: {value:?}");
            }
            if ended != Ended::Planned {
                prop_assert_eq!(ended, Ended::Solved);
                prop_assert_eq!(book.root_value().unwrap().score(), Some(truth[0]));
                return Ok(());
            }
        }
        prop_assert!(false, "it did not end");
    }
}

/// A tree of three moves a position, whose guesses depend only on the position.
fn tree() -> Toy {
    let count = 3_u32.pow(7);
    let mut toy = Toy::new(&[(count * 3 + 3, &[])]);
    let moves: Vec<Vec<u32>> = (0..count * 3 + 4)
        .map(|at| if at < count { vec![3 * at + 1, 3 * at + 2, 3 * at + 3] } else { vec![] })
        .collect();
    let guesses: HashMap<u32, i32> = (0..count * 3 + 4)
        .map(|at| (at, (at.wrapping_mul(2_654_435_761) >> 8) as i32 % 60))
        .collect();
    toy.moves = moves.into();
    toy.guesses = guesses.into();
    toy
}

#[test]
fn leaves_chosen_together_differ_and_begin_with_the_single_choice() {
    let toy = tree();
    for strategy in ALL {
        let mut book = toy.book(&[0, 1, 2, 3]);
        book.grow(
            &mut [toy.expert()],
            &Plan { expansions: Some(30), ..Plan::new(strategy) },
            &mut |_| {},
        )
        .unwrap();
        let alone = book.choose(strategy, 1).unwrap();
        let together = book.choose(strategy, 6).unwrap();
        assert_eq!(alone[0], together[0], "{strategy:?}");
        let different: std::collections::HashSet<NodeId> = together.iter().copied().collect();
        assert_eq!(different.len(), 6, "{strategy:?}");
        assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
    }
}

#[test]
fn several_experts_evaluate_each_position_once() {
    let toy = tree();
    let evaluations = Mutex::new(HashMap::new());
    let expert = || {
        crate::expert::FnExpert(|at: &u32| {
            *evaluations.lock().unwrap().entry(*at).or_insert(0) += 1;
            Worth::guess(toy.guesses[at])
        })
    };
    let mut book = Book::create(toy.clone(), MemoryStore::new(), &0, &mut toy.expert()).unwrap();
    let plan = Plan { expansions: Some(100), ..Plan::new(Strategy::DropOut(Player::Both)) };
    book.grow(&mut [expert(), expert(), expert()], &plan, &mut |_| {}).unwrap();
    assert_eq!(book.facts().expansions, 100);
    assert_eq!(book.facts().nodes, 301);
    assert!(evaluations.lock().unwrap().values().all(|&times| times == 1));
    assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
}

#[test]
fn omega_turns_the_book_from_broad_to_narrow() {
    let toy = tree();
    let depths: Vec<u32> = [0.0, 0.1, 1e6]
        .map(|omega| {
            let mut book = toy.book(&[]);
            book.tune(crate::Tuning { omega, ..Default::default() }).unwrap();
            let plan =
                Plan { expansions: Some(40), ..Plan::new(Strategy::DropOut(Player::Second)) };
            book.grow(&mut [toy.expert()], &plan, &mut |_| {}).unwrap();
            let mut deepest = 0;
            for id in 0..book.facts().next {
                deepest = deepest.max(book.node(id).unwrap().depth);
            }
            deepest
        })
        .into();
    assert!(depths[0] <= depths[1] && depths[1] <= depths[2], "{depths:?}");
    assert!(depths[0] < depths[2], "{depths:?}");
}

#[test]
fn strategies_take_turns_by_their_weights() {
    let mix = [(Strategy::BestFirst, 3.0), (Strategy::Proof, 1.0)];
    let mut turns = Turns::new(&mix);
    let drawn: Vec<Strategy> = (0..400).map(|_| turns.next()).collect();
    assert_eq!(drawn.iter().filter(|&&s| s == Strategy::Proof).count(), 100);
}

#[test]
fn fractional_depth_follows_forced_moves() {
    // 0 to 1 and 2; behind 1 every move is forced, behind 2 there are two equal ones.
    let toy = Toy::new(&[
        (0, &[1, 2]),
        (1, &[3]),
        (3, &[4]),
        (4, &[5]),
        (2, &[6, 7]),
        (6, &[8, 9]),
        (7, &[10, 11]),
        (8, &[12]),
    ]);
    let mut book = toy.book(&[0, 1, 2, 3, 4, 6, 7]);
    book.tune(crate::Tuning { fractional: Some(100), ..Default::default() }).unwrap();
    let one = book.find(&1).unwrap().unwrap();
    let two = book.find(&2).unwrap().unwrap();
    // Three forced moves deep, and still nearer than two free ones.
    assert_eq!(book.node(one).unwrap().costs[0], 30);
    assert_eq!(book.node(two).unwrap().costs[0], 2000);
    assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
}

/// A store that counts its commits.
struct Counted(MemoryStore, Arc<AtomicU64>);

impl Store for Counted {
    fn facts(&self) -> crate::Result<Option<Vec<u8>>> {
        self.0.facts()
    }
    fn find(&self, position: &str) -> crate::Result<Option<NodeId>> {
        self.0.find(position)
    }
    fn read(&self, id: NodeId, bytes: &mut Vec<u8>) -> crate::Result<bool> {
        self.0.read(id, bytes)
    }
    fn next(&self, from: NodeId) -> crate::Result<Option<(NodeId, Vec<u8>)>> {
        self.0.next(from)
    }
    fn len(&self) -> crate::Result<u64> {
        self.0.len()
    }
    fn commit(&mut self, batch: &Batch) -> crate::Result<()> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.commit(batch)
    }
    fn compact(&mut self) -> crate::Result<()> {
        self.0.compact()
    }
}

/// Pending changes are written while experts work, however long that takes.
#[test]
fn changes_are_written_during_a_long_search() {
    let toy = tree();
    let commits = Arc::new(AtomicU64::new(0));
    let store = Counted(MemoryStore::new(), Arc::clone(&commits));
    let mut book = Book::create(toy.clone(), store, &0, &mut toy.expert()).unwrap();
    book.expand_all(&[0], &mut [toy.expert()]).unwrap();
    let before = commits.load(Ordering::SeqCst);
    // The next evaluation ends only when the first expansion has been written.
    let patient = || {
        crate::expert::FnExpert(|at: &u32| {
            while commits.load(Ordering::SeqCst) == before {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            Worth::guess(toy.guesses[at])
        })
    };
    book.expand_all(&[1], &mut [patient(), patient()]).unwrap();
    assert_eq!(book.facts().expansions, 2);
}

/// The root already has a draw. In 3 the guess of its player is best with 6, which is proven to be
/// no better than a draw: nothing behind it can change the root.
#[test]
fn irrelevant_positions_are_not_expanded() {
    let toy = Toy::new(&[(0, &[1, 2]), (2, &[3, 9]), (3, &[6, 7]), (6, &[10, 11])])
        .guesses(&[(9, 10), (7, 50), (11, -90)])
        .over(&[(1, 0), (10, 0)]);
    for player in [Player::First, Player::Second, Player::Both] {
        for strategy in [Strategy::BestFirst, Strategy::DropOut(player)] {
            let mut book = toy.book(&[0, 2, 3, 6]);
            let mut chosen = Vec::new();
            for leaf in book.choose(strategy, 2).unwrap() {
                chosen.push(book.position(leaf).unwrap());
            }
            chosen.sort_unstable();
            assert_eq!(chosen, [7, 9], "{strategy:?}");
        }
    }
}

/// Leaves that are given are expanded, and no others: not when an expert fails, and also when the
/// start is solved.
#[test]
fn only_the_given_leaves_are_expanded() {
    let toy = tree();
    let fails_at = |bad: u32| {
        let guesses = toy.guesses.clone();
        crate::expert::FnExpert(move |at: &u32| {
            assert!(*at != bad, "an expert fails at {bad}");
            Worth::guess(guesses[at])
        })
    };
    let mut book = toy.book(&[0]);
    let before = book.facts().expansions;
    // The successors of 1 are 4 to 6, those of 2 are 7 to 9.
    let leaves = [1, 2].map(|at| book.find(&at).unwrap().unwrap());
    assert!(book.expand_all(&leaves, &mut [fails_at(5), fails_at(5)]).is_err());
    assert_eq!(book.facts().expansions, before + 1, "only 2 was expanded");
    assert!(book.find(&7).unwrap().is_some() && book.find(&4).unwrap().is_none());
    assert_eq!(book.open_jobs(), 0);
    let solved = Toy::new(&[(0, &[1, 2]), (2, &[3])]).over(&[(1, -1)]);
    let mut book = solved.book(&[0]);
    assert!(book.is_solved().unwrap());
    let two = book.find(&2).unwrap().unwrap();
    assert_eq!(book.expand_all(&[two], &mut [solved.expert(), solved.expert()]).unwrap(), 1);
}

#[test]
fn growth_without_an_expert_is_an_error() {
    let toy = tree();
    let mut book = toy.book(&[]);
    let mut none = vec![toy.expert()];
    none.clear();
    assert!(book.grow(&mut none, &Plan::new(Strategy::BestFirst), &mut |_| {}).is_err());
    assert!(book.expand_all(&[0], &mut none).is_err());
    assert_eq!((book.open_jobs(), book.facts().expansions), (0, 0));
}

//! What is chosen to play from a book.

use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

use super::{Player, Strategy};
use crate::book::Book;
use crate::facts::{Aim, Tuning, TuningChange};
use crate::grow::tests::toys;
use crate::grow::{Ended, Plan};
use crate::store::MemoryStore;
use crate::toy::{Toy, ToyBook};

/// A book to play from, with these positions expanded.
fn to_play(toy: &Toy, expanded: &[u32]) -> Book<Toy, MemoryStore> {
    let mut book = toy.book(expanded);
    book.tune(Tuning { aim: Aim::Play, ..Tuning::default() }).unwrap();
    book
}

/// The position that is expanded next.
fn next(book: &mut Book<Toy, MemoryStore>, strategy: Strategy) -> Option<u32> {
    let leaf = book.choose(strategy, 1).unwrap().pop()?;
    Some(book.position(leaf).unwrap())
}

/// The start is lost, by 1 and then 2. In 1 the opponent can also play 3, a proven error: 4 is a
/// draw there, and 5 is guessed to be better.
fn lost_start() -> Toy {
    Toy::new(&[(0, &[1]), (1, &[2, 3]), (3, &[4, 5]), (5, &[6])])
        .over(&[(2, -1), (4, 0)])
        .guesses(&[(5, -50)])
}

#[test]
fn proven_errors_are_covered_behind_a_solved_start() {
    for strategy in [
        Strategy::BestFirst,
        Strategy::DropOut(Player::First),
        Strategy::DropOut(Player::Both),
        Strategy::Conspiracy,
        Strategy::Proof,
    ] {
        let mut book = to_play(&lost_start(), &[0, 1, 3]);
        assert_eq!(book.root_value().unwrap().score(), Some(-1));
        assert_eq!(next(&mut book, strategy), Some(5), "{strategy:?}");
        // To solve the start, nothing is left to do.
        book.tune(Tuning::default()).unwrap();
        assert_eq!(next(&mut book, strategy), None, "{strategy:?}");
    }
    // The second player has won by the best move.
    let mut book = to_play(&lost_start(), &[0, 1, 3]);
    assert_eq!(next(&mut book, Strategy::DropOut(Player::Second)), None);
}

/// The start is a draw, by 1. The first player can avoid it by 2, where the opponent has a draw by
/// 4, and can avoid that by 5.
fn drawn_start() -> Toy {
    Toy::new(&[(0, &[1, 2]), (1, &[3]), (2, &[4, 5]), (5, &[6])])
        .over(&[(3, 0), (4, 0)])
        .guesses(&[(5, 50)])
}

#[test]
fn a_drawn_book_grows_where_a_player_avoids_the_draw() {
    for player in [Player::First, Player::Second, Player::Both] {
        let mut book = to_play(&drawn_start(), &[0, 1, 2]);
        assert_eq!(book.root_value().unwrap().score(), Some(0));
        for _ in 0..2 {
            assert_eq!(next(&mut book, Strategy::DropOut(player)), Some(5), "{player:?}");
        }
    }
}

/// In 1 the second player can draw by 3, or avoid that by 4. If draws are losses of the second
/// player 4 is next; if they are wins, 1 leads nowhere and 2 is next.
#[test]
fn draws_count_as_wins_and_losses_in_turn() {
    let toy = Toy::new(&[(0, &[1, 2]), (1, &[3, 4]), (2, &[5]), (4, &[6])])
        .over(&[(3, 0)])
        .guesses(&[(2, 30), (4, 10)]);
    let mut book = to_play(&toy, &[0, 1]);
    let chosen: Vec<_> = (0..4).map(|_| next(&mut book, Strategy::BestFirst).unwrap()).collect();
    assert!(chosen == [2, 4, 2, 4] || chosen == [4, 2, 4, 2], "{chosen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// For every graph: the leaf that the diagram names is expanded next, and drop-out expansion
    /// ends when an opponent can no longer leave the book before the end of the game.
    #[test]
    fn the_diagram_names_the_next_leaf(toy in toys(), first in proptest::bool::ANY) {
        let player = if first { Player::First } else { Player::Second };
        let strategy = Strategy::DropOut(player);
        let mut book = to_play(&toy, &[]);
        let tuning = TuningChange { aim: Some(Aim::Play), ..TuningChange::default() };
        let plan = Plan { expansions: Some(1), tuning, ..Plan::new(strategy) };
        for _ in 0..toy.moves.len() * 4 {
            let diagram = book.dropouts(player).unwrap();
            prop_assert_eq!(diagram.next.is_some(), diagram.frontier.is_some());
            let before = book.facts().expansions;
            let ended = book.grow(&mut [toy.expert()], &plan, &mut |_| {}).unwrap();
            if ended == Ended::Planned {
                if let Some(leaf) = diagram.next {
                    prop_assert_eq!(book.facts().expansions, before + 1);
                    prop_assert!(!book.node(leaf).unwrap().edges.is_empty(), "{leaf} was passed over");
                }
                continue;
            }
            let flaws = book.check(&mut |_| {}).unwrap().flaws;
            prop_assert!(flaws.is_empty(), "{:?}", flaws);
            let diagram = book.dropouts(player).unwrap();
            prop_assert!(diagram.open.is_empty(), "open: {:?}", diagram.open);
            prop_assert_eq!(diagram.next, None);
            return Ok(());
        }
        prop_assert!(false, "it did not end");
    }
}

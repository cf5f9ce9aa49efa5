use std::collections::HashMap;

use super::{Counted, Effort, NEVER, REPEATS, at_least, of_leaf};
use crate::grow::Plan;
use crate::node::{NodeId, State};
use crate::store::MemoryStore;
use crate::toy::{Toy, ToyBook};
use crate::{Book, Strategy};

/// A tree of three moves a position with all kinds of guesses, and some terminal positions.
fn tree() -> Toy {
    let inner = 3_u32.pow(6);
    let all = 3 * inner + 4;
    let mut toy = Toy::new(&[(all - 1, &[])]);
    let mixed = |at: u32| at.wrapping_mul(2_654_435_761) >> 8;
    let over: HashMap<u32, i16> = (40..all)
        .filter(|&at| at >= inner || mixed(at) % 7 == 0)
        .map(|at| (at, (at % 3) as i16 - 1))
        .collect();
    let children = |at: u32| (3 * at + 1..=3 * at + 3).collect();
    let inside = |at: u32| at < inner && !over.contains_key(&at);
    let moves: Vec<Vec<u32>> =
        (0..all).map(|at| if inside(at) { children(at) } else { vec![] }).collect();
    let guesses: HashMap<u32, i32> = (0..all).map(|at| (at, mixed(at) as i32 % 180 - 90)).collect();
    (toy.moves, toy.over, toy.guesses) = (moves.into(), over.into(), guesses.into());
    toy
}

/// The efforts of a tree, by their definition.
fn plain(book: &mut Book<Toy, MemoryStore>, aim: Counted, id: NodeId, threshold: i32) -> Effort {
    let node = book.node(id).unwrap().clone();
    if 200 * i32::from(node.value.lower) > threshold {
        return Effort { above: 0, below: NEVER };
    }
    if 200 * i32::from(node.value.upper) < threshold {
        return Effort { above: NEVER, below: 0 };
    }
    if node.state != State::Interior {
        return of_leaf(aim, &node.value, threshold);
    }
    let moves: Vec<Effort> =
        node.edges.iter().map(|edge| plain(book, aim, edge.child, -threshold)).collect();
    let above = moves.iter().map(|mv| mv.below).min().unwrap();
    let never = moves.iter().any(|mv| mv.above == NEVER);
    let below = if never { NEVER } else { moves.iter().map(|mv| mv.above).sum() };
    Effort { above, below }
}

/// Where every position is reached on one path, cached efforts equal their definition.
#[test]
fn efforts_of_a_tree_are_exact() {
    let toy = tree();
    for (strategy, aim) in
        [(Strategy::Proof, Counted::Prove), (Strategy::Conspiracy, Counted::Change)]
    {
        let mut book = toy.book(&[0]);
        let plan = Plan { expansions: Some(7), ..Plan::new(strategy) };
        for _ in 0..15 {
            book.grow(&mut [toy.expert()], &plan, &mut |_| {}).unwrap();
            if book.root_value().unwrap().is_solved() {
                break;
            }
            for threshold in [at_least(0), at_least(1)] {
                let root = book.root();
                let expected = plain(&mut book, aim, root, threshold);
                assert!(expected.above < REPEATS || expected.above == NEVER);
                let Book { valued, chooser, .. } = &mut book;
                chooser.efforts.refresh_ways(valued).unwrap();
                let kept = chooser.efforts.effort(valued, root, aim, threshold).unwrap();
                assert_eq!(kept, expected, "{strategy:?} {threshold}");
            }
        }
    }
}

/// What is banked on the way shifts the question: no bound is proven tighter than needed.
#[test]
fn moves_negate_and_shift_thresholds() {
    use nutcracker_game::Turn;
    let edge = |gain, turn| crate::node::Edge { child: 0, gain, turn };
    for gain in -3..4 {
        let after = |edge, threshold| super::after(&edge, threshold);
        let passed = after(edge(gain, Turn::Passes), at_least(1));
        for score in -9..9_i32 {
            // The question after the move is the same question.
            let above = 200 * (i32::from(gain) - score) > at_least(1);
            assert_eq!(above, 200 * score < passed, "{gain} {score}");
            let stays = after(edge(gain, Turn::Stays), at_least(1));
            assert_eq!(200 * (i32::from(gain) + score) > at_least(1), 200 * score > stays);
        }
    }
}

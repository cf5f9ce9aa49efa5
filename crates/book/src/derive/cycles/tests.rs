use crate::node::{CostKind, NEVER};
use crate::toy::{Toy, ToyBook};
use crate::value::Value;

/// The value of a position in the book.
fn value(book: &mut crate::Book<Toy, crate::store::MemoryStore>, at: u32) -> Value {
    let id = book.find(&at).unwrap().unwrap();
    book.node(id).unwrap().value
}

fn cycle(other: i32, own: i32) -> Value {
    Value::cycle(Some(other), Some(own), 1)
}

/// Figure 4.13: values in a cycle that are consistent and wrong.
#[test]
fn a_closed_cycle_is_found() {
    // A ring 0 to 3, each with an exit that is guessed to lose 1.
    let toy = Toy::new(&[(0, &[1, 4]), (1, &[2, 5]), (2, &[3, 6]), (3, &[0, 7])]).guesses(&[
        (1, -1),
        (2, 1),
        (3, -1),
        (4, 1),
        (5, 1),
        (6, 1),
        (7, 1),
    ]);
    let mut book = toy.book(&[0, 1, 2, 3]);
    // Locally all values are consistent; the check finds nothing.
    assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
    let found = book.find_cycles().unwrap();
    assert_eq!((found.parts, found.positions, found.held), (1, 4, 0));
    for at in 0..4 {
        assert_eq!(value(&mut book, at), cycle(1, -1), "position {at}");
    }
    assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
    // A second search changes nothing.
    assert_eq!(book.find_cycles().unwrap().changed, 0);
}

/// Figure 4.14 and the left half of 4.15 and 4.16: exits of different values.
#[test]
fn exits_become_attributes() {
    let toy = Toy::new(&[(0, &[1, 4]), (1, &[2, 5]), (2, &[3, 6]), (3, &[0, 7])]).guesses(&[
        (4, 4),
        (5, 2),
        (6, 3),
        (7, 1),
    ]);
    let mut book = toy.book(&[0, 1, 2, 3]);
    book.find_cycles().unwrap();
    for at in [0, 2] {
        assert_eq!(value(&mut book, at), cycle(1, -3));
        assert_eq!(value(&mut book, at + 1), cycle(3, -1));
    }
}

/// Figure 4.16: two cycles, of which the right one is nearer to a draw.
#[test]
fn two_cycles_under_one_root() {
    let toy = Toy::new(&[
        (0, &[1, 5]),
        (1, &[2, 9]),
        (2, &[3, 10]),
        (3, &[4, 11]),
        (4, &[1, 12]),
        (5, &[6, 13]),
        (6, &[7, 14]),
        (7, &[8, 15]),
        (8, &[5, 16]),
    ])
    .guesses(&[(9, 2), (10, 3), (11, 2), (12, 1), (13, 8), (14, 9), (15, 8), (16, 7)]);
    let mut book = toy.book(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let found = book.find_cycles().unwrap();
    assert_eq!((found.parts, found.positions), (2, 8));
    for (at, other, own) in [(1, 1, -2), (2, 2, -1), (3, 1, -2), (4, 2, -1)] {
        assert_eq!(value(&mut book, at), cycle(other, own));
        assert_eq!(value(&mut book, at + 4), cycle(other + 6, own - 6));
    }
    assert_eq!(value(&mut book, 0), cycle(2, -1));
}

/// Figure 4.17: the values of neighbours do not show which path leads to the best exit.
#[test]
fn two_cycles_through_one_position() {
    // 1 is A; the game returns to it through 2 and 3 or through 4 and 5.
    let toy = Toy::new(&[
        (0, &[1, 6]),
        (1, &[2, 4]),
        (2, &[3, 7]),
        (3, &[0]),
        (4, &[5, 8]),
        (5, &[0, 9]),
    ])
    .guesses(&[(6, 3), (7, 3), (8, 1), (9, 2)]);
    let mut book = toy.book(&[0, 1, 2, 3, 4, 5]);
    book.find_cycles().unwrap();
    for at in [0, 2, 4] {
        assert_eq!(value(&mut book, at), cycle(2, -1), "position {at}");
    }
    for at in [1, 3, 5] {
        assert_eq!(value(&mut book, at), cycle(1, -2), "position {at}");
    }
    // Drop-out expansion finds the best moves out of the cycle all the same: those to 8 and 9.
    let chosen = book.choose(crate::Strategy::DropOut(crate::Player::First), 1).unwrap();
    let leaves: Vec<u32> = chosen.iter().map(|&id| book.position(id).unwrap()).collect();
    assert!(matches!(leaves[..], [8 | 9]), "{leaves:?}");
}

/// Every exit loses: a draw. One side can leave: a bound.
#[test]
fn losing_exits_prove_a_draw() {
    let ring = [(0, &[1, 4][..]), (1, &[2, 5]), (2, &[3, 6]), (3, &[0, 7])];
    let toy = Toy::new(&ring).over(&[(4, 1), (5, 1), (6, 1), (7, 1)]);
    let mut book = toy.book(&[0, 1, 2, 3]);
    assert_eq!(value(&mut book, 0).score(), None);
    assert_eq!(book.find_cycles().unwrap().solved, 4);
    assert_eq!(value(&mut book, 0).score(), Some(0));
    let toy = Toy::new(&ring).over(&[(5, 1), (7, 1)]).guesses(&[(4, 3), (6, 2)]);
    let mut book = toy.book(&[0, 1, 2, 3]);
    book.find_cycles().unwrap();
    assert_eq!(value(&mut book, 0), Value::at_least(0, -2, 1));
    assert_eq!(value(&mut book, 1), Value::at_most(0, 2, 1));
    assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
}

/// One side can leave with a proven draw, the other only by losing. The rules for values alone
/// would never solve this.
#[test]
fn staying_or_leaving_with_a_draw_is_a_draw() {
    let toy = Toy::new(&[(0, &[1, 2]), (1, &[0, 3])]).over(&[(2, 1), (3, 0)]);
    let mut book = toy.book(&[0, 1]);
    book.find_cycles().unwrap();
    assert_eq!(value(&mut book, 0).score(), Some(0));
    assert_eq!(value(&mut book, 1).score(), Some(0));
}

/// An exit that wins is taken, cycle or not.
#[test]
fn a_winning_exit_is_taken() {
    let toy = Toy::new(&[(0, &[1, 2]), (1, &[0, 3])]).over(&[(2, -1)]).guesses(&[(3, 5)]);
    let mut book = toy.book(&[0, 1]);
    book.find_cycles().unwrap();
    assert_eq!(value(&mut book, 0).score(), Some(1));
}

/// Rings of odd length: the same position with the other side to move. Propagation could continue
/// forever; it terminates, and nothing wrong is proven.
#[test]
fn odd_cycles_settle() {
    for way_out in [-5, 0, 5] {
        let toy = Toy::new(&[(0, &[1, 3]), (1, &[2]), (2, &[0])]).guesses(&[
            (1, 7),
            (2, -9),
            (3, way_out),
        ]);
        let mut book = toy.book(&[0, 1, 2]);
        book.find_cycles().unwrap();
        assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty(), "{way_out}");
        let root = value(&mut book, 0);
        assert!(!root.is_solved());
        assert_eq!(root.estimate(), (-way_out).max(0), "{way_out}");
    }
    let toy = Toy::new(&[(0, &[1]), (1, &[2]), (2, &[0])]).guesses(&[(1, 7), (2, 7)]);
    let mut book = toy.book(&[0, 1, 2]);
    book.find_cycles().unwrap();
    assert_eq!(value(&mut book, 0).score(), Some(0));
}

/// A cycle whose last open leaf is solved: no cost may support itself around the cycle.
#[test]
fn costs_end_with_their_last_leaf() {
    let toy = Toy::new(&[(0, &[1]), (1, &[2, 4]), (2, &[3]), (3, &[0, 5]), (4, &[6])])
        .guesses(&[(4, -1)])
        .over(&[(5, 1), (6, -1)]);
    let mut book = toy.book(&[0, 1, 2, 3]);
    for metric in [CostKind::Book, CostKind::Opponent] {
        assert!(book.node(0).unwrap().cost(metric) < NEVER);
    }
    // 4 is a win for its mover, so a losing exit of 1.
    let four = book.find(&4).unwrap().unwrap();
    book.expand_all(&[four], &mut [toy.expert()]).unwrap();
    for metric in [CostKind::Book, CostKind::Opponent] {
        for at in 0..4 {
            let id = book.find(&at).unwrap().unwrap();
            assert_eq!(book.node(id).unwrap().cost(metric), NEVER, "{metric:?} of {at}");
        }
    }
    assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
    assert!(book.choose(crate::Strategy::DropOut(crate::Player::Both), 3).unwrap().is_empty());
    book.find_cycles().unwrap();
    assert_eq!(value(&mut book, 0).score(), Some(0));
}

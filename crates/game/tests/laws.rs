//! The laws hold for the games that keep them, and refuse those that break them. Symmetry and holes
//! are tested with king and rook against king, in `nutcracker-games`.

use nutcracker_game::toy::{Graph, Heap, Node, Taking};
use nutcracker_game::{SliceId, Step, Turn, law};

#[test]
fn heaps_keep_the_laws() {
    let report = law::check(&Heap, [SliceId(20)], 10).unwrap();
    assert!(report.exhaustive && report.positions == 21, "{report:?}");
    law::check(&Taking, [SliceId(20)], 10).unwrap();
}

/// Windows of slices assume that a move banks no more than the largest scores differ by.
#[test]
fn a_move_that_banks_more_than_scores_allow_is_refused() {
    let mut nodes = vec![Node::over(0); 2];
    nodes[1].steps.push(Step::new(0, 5, Turn::Passes));
    let breach = law::check(&Graph::new(1, nodes), [SliceId(1)], 10).unwrap_err().to_string();
    assert!(breach.contains("banks 5"), "{breach}");
}

//! The search against values computed for whole games at once.

use std::sync::atomic::AtomicBool;

use crate::graph::{Graph, Node, Scores};
use nutcracker_game::{Numbering, Rules, SliceId, Step, Turn};
use nutcracker_search::{Empty, ExactError, ExactLimits, Oracle, Search, UpTo, exact_value};
use proptest::prelude::*;

/// Searches every position and compares score and best moves with the true ones.
fn all_right<O: Oracle<Error: std::fmt::Debug>>(game: &Graph, oracle: &O, table_bytes: usize) {
    let bounds = game.bounds();
    assert!(bounds.iter().all(|(least, most)| least == most), "nothing repeats");
    let limits = ExactLimits { table_bytes, ..ExactLimits::default() };
    let mut search = Search::new(game, oracle, &limits);
    for position in 0..game.len() {
        let found = search.solve(&position).unwrap().expect("no limit");
        let (score, _) = bounds[position as usize];
        let best: Vec<usize> = (0..game.steps(position).len())
            .filter(|&mv| {
                let step = game.play(&position, &mv);
                step.value(bounds[step.next as usize].0) == score
            })
            .collect();
        assert_eq!((found.score, found.best), (score, best), "position {position} of {game:?}");
        assert_eq!(search.score(&position).unwrap(), Some(score));
    }
}

proptest! {
    #[test]
    fn without_databases(seed in any::<u64>(), slices in 1u32..6, width in 1u32..20) {
        all_right(&Graph::random(seed, slices, width, false), &Empty, 1 << 20);
    }

    #[test]
    fn with_next_to_no_table(seed in any::<u64>(), slices in 1u32..4, width in 1u32..8) {
        all_right(&Graph::random(seed, slices, width, false), &Empty, 0);
    }

    #[test]
    fn over_databases(seed in any::<u64>(), last in 0u32..6, width in 1u32..20) {
        let game = Graph::random(seed, 6, width, false);
        let scores = game.bounds().iter().map(|(score, _)| *score).collect();
        let children = Scores { width, scores };
        all_right(&game, &UpTo { children, last: SliceId(last) }, 1 << 20);
    }

    /// Games that repeat: no answer, or one that no repetition can change.
    #[test]
    fn no_wrong_answer(seed in any::<u64>(), slices in 1u32..6, width in 1u32..20) {
        let game = Graph::random(seed, slices, width, true);
        let bounds = game.bounds();
        for table_bytes in [0, 1 << 20] {
            let limits = ExactLimits { table_bytes, ..ExactLimits::default() };
            let mut search = Search::new(&game, &Empty, &limits);
            for position in 0..game.len() {
                match search.score(&position) {
                    Ok(score) => {
                        let (least, most) = bounds[position as usize];
                        prop_assert_eq!(least, most);
                        prop_assert_eq!(score, Some(least));
                    }
                    Err(error) => {
                        let ExactError::Repeats { slice } = error;
                        prop_assert!(slice <= game.slice_of(&position));
                    }
                }
            }
        }
    }
}

#[test]
fn a_repetition_is_named() {
    let to = |next| Node { steps: vec![Step::quiet(next)], score: 0 };
    let game = Graph::new(3, vec![to(1), to(2), to(0)]);
    let error = exact_value(&game, &0, &Empty, &ExactLimits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the game repeats positions above the databases; its value needs the databases of slice 0"
    );
}

#[test]
fn databases_stop_repetitions() {
    let to = |next| Node { steps: vec![Step::quiet(next)], score: 0 };
    let down = Node { steps: vec![Step::new(1, 2, Turn::Stays)], score: 0 };
    let game = Graph::new(2, vec![to(1), to(0), down]);
    let children = Scores { width: 2, scores: vec![0, 0] };
    let oracle = UpTo { children, last: SliceId(0) };
    let solved = exact_value(&game, &2, &oracle, &ExactLimits::default()).unwrap().unwrap();
    assert_eq!((solved.score, solved.best.as_slice()), (2, &[0][..]));
    assert!(solved.nodes > 0 && solved.probes > 0);
}

#[test]
fn an_oracle_may_fail() {
    let game = Graph::random(1, 4, 30, false);
    let oracle = UpTo { children: Scores { width: 30, scores: vec![] }, last: SliceId(2) };
    let failed = (0..game.len()).filter_map(|position| {
        exact_value(&game, &position, &oracle, &ExactLimits::default()).err()
    });
    let errors: Vec<_> = failed.collect();
    assert!(!errors.is_empty());
    assert!(errors.iter().all(|error| *error == ExactError::Oracle("no such score")));
}

#[test]
fn limits_are_kept() {
    let game = Graph::random(5, 40, 50, false);
    let free = |position| exact_value(&game, &position, &Empty, &ExactLimits::default()).unwrap();
    let hardest = |position: &u32| free(*position).map(|solved| solved.nodes);
    let position = (0..game.len()).max_by_key(hardest).unwrap();
    let free = free(position).unwrap();
    assert!(free.nodes > 200, "{} nodes are too few for this test", free.nodes);

    let stop = AtomicBool::new(true);
    let stopped = ExactLimits { stop: Some(&stop), ..ExactLimits::default() };
    assert_eq!(exact_value(&game, &position, &Empty, &stopped), Ok(None));

    // Results of an ended search help the next one.
    let limits = ExactLimits { nodes: 60, ..ExactLimits::default() };
    let mut search = Search::new(&game, &Empty, &limits);
    let mut calls = 1;
    let score = loop {
        if let Some(score) = search.score(&position).unwrap() {
            break score;
        }
        calls += 1;
        assert!(calls < 1000, "nothing is gained from one call to the next");
    };
    assert_eq!(score, free.score);
    assert!(calls > 1, "60 nodes are enough here");
}

#[test]
fn long_lines_need_no_stack() {
    let mut nodes = vec![Node { steps: vec![], score: 1 }];
    nodes.extend((0..300_000).map(|next| Node { steps: vec![Step::quiet(next)], score: 0 }));
    let game = Graph::new(100, nodes);
    let solved = exact_value(&game, &300_000, &Empty, &ExactLimits::default()).unwrap().unwrap();
    assert_eq!(solved.score, 1);
    let solved = exact_value(&game, &299_999, &Empty, &ExactLimits::default()).unwrap().unwrap();
    assert_eq!(solved.score, -1);
}

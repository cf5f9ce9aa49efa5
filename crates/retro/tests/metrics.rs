//! Distances, on a symmetric index with holes: king and rook against king.

use std::sync::Arc;

use crate::common::{Heap, disk};
use nutcracker_game::toy::{Graph, InMemory, Node};
use nutcracker_game::{Game, Metric, Numbering, SliceId};
use nutcracker_games::krk::Krk;
use nutcracker_games::othello::Othello;
use nutcracker_retro::check::check_slice;
use nutcracker_retro::in_memory::{States, sweep_metric};
use nutcracker_retro::{
    Silent, SolveError, SolveOptions, SolverName, fit_solvers, open_metric, solve, solve_slices,
};
use nutcracker_table::{Disk, HOLE, PackOptions, Reach, pack};

const KRK: SliceId = SliceId(1);

fn options(metric: Metric, solver: SolverName, threads: usize) -> SolveOptions {
    SolveOptions {
        metric: Some(metric),
        solver: Some(solver),
        ..SolveOptions::new(threads, "test")
    }
}

/// All values of a slice from its file, without holes.
fn values(metric: Metric, solver: SolverName, threads: usize) -> Vec<(u64, i16)> {
    let dir = tempfile::tempdir().unwrap();
    let options = options(metric, solver, threads);
    let reports = solve_slices(&Krk, &disk(), dir.path(), &[KRK], &options, &Silent).unwrap();
    assert_eq!(reports.len(), 2);
    let set = open_metric(&Krk, Some(metric), Arc::clone(&disk()), dir.path(), 1 << 20);
    let table = set.get(KRK.0).unwrap();
    assert_eq!(
        (table.header().name.as_str(), table.header().metric.as_str()),
        ("krk", metric.name())
    );
    assert_eq!(table.holes(), Krk.slice_len(KRK) - 28_056 - 21_959);
    let mut values = vec![0; Krk.slice_len(KRK) as usize];
    table.read(0, &mut values).unwrap();
    (0..)
        .zip(values)
        .filter(|&(index, _)| Krk.unrank(KRK, index).is_some())
        .map(|(index, value)| (index, i16::from(value)))
        .collect()
}

/// Published: Black to move loses in 0 to 16 moves in this many positions, and draws in 2,796;
/// White to move wins in 16 in 121.
#[test]
fn distances_to_mate_are_the_published_ones() {
    let lost =
        [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];
    let found = values(Metric::Dtw, SolverName::Memory, 2);
    let half = Krk.slice_len(KRK) / 2;
    let black = |value: i16| found.iter().filter(|&&(i, v)| i >= half && v == value).count();
    for (moves, expected) in lost.into_iter().enumerate() {
        assert_eq!(black(-(127 - moves as i16)), expected, "lost in {moves}");
    }
    assert_eq!(black(0), 2796);
    let white = found.iter().filter(|&&(i, v)| i < half && v == 128 - 16).count();
    assert_eq!(white, 121);
    assert!(found.iter().all(|&(i, v)| i >= half || v >= 128 - 16), "White always wins");
}

#[test]
fn sweeps_find_the_same_distances_as_counts() {
    for metric in [Metric::Wdl, Metric::Dtw, Metric::Dtc] {
        let counts = values(metric, SolverName::Memory, 1);
        assert!(counts == values(metric, SolverName::Memory, 3), "{metric} with threads");
        assert!(counts == values(metric, SolverName::Sweeps, 1), "{metric} by sweeps");
    }
}

/// Mirror images that share a number, and holes, are the same to every solver.
#[test]
fn every_solver_takes_symmetric_positions_and_holes() {
    let expected = values(Metric::Wdl, SolverName::Memory, 2);
    let fit = fit_solvers(&Krk, KRK, Some(Metric::Wdl));
    assert!(fit.len() >= 6, "{fit:?}");
    for solver in fit {
        assert!(values(Metric::Wdl, solver, 2) == expected, "{solver}");
    }
}

/// The only way to convert is to capture the rook, which draws: the end of the game comes first.
#[test]
fn who_wins_does_not_depend_on_the_metric() {
    let wdl = values(Metric::Wdl, SolverName::TwoBit, 2);
    let dtw = values(Metric::Dtw, SolverName::Memory, 2);
    assert_eq!(wdl.len(), dtw.len());
    assert!(wdl.iter().zip(&dtw).all(|(a, b)| a.1 == b.1.signum()));
    assert!(dtw == values(Metric::Dtc, SolverName::Memory, 2));
}

#[test]
fn a_heap_is_won_in_a_quarter_of_its_counters() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(Metric::Dtw, SolverName::Sweeps, 1);
    solve(&Heap, &disk(), dir.path(), SliceId(40), &options, &Silent).unwrap();
    let set = open_metric(&Heap, Some(Metric::Dtw), disk(), dir.path(), 0);
    for heap in 0..=40u32 {
        let distance = Metric::Dtw.distance(set.probe(heap, 0).unwrap().into()).unwrap();
        let expected = (heap % 4 != 0, heap.div_ceil(4) as u16);
        assert_eq!((distance.wins, distance.moves), expected, "{heap}");
    }
}

/// A chain in which every position has one move: the mover at the far end loses in 127 moves.
fn chain(moves: u32) -> Graph {
    let last = Node::over(-1);
    let mut nodes = vec![last];
    nodes.extend((0..moves).map(|to| Node::quiet(&[to])));
    Graph::new(moves + 1, nodes)
}

#[test]
fn a_distance_too_large_to_store_is_an_error_and_never_a_draw() {
    let solved = |moves| {
        let graph = chain(moves);
        std::panic::catch_unwind(move || {
            sweep_metric(&graph, Metric::Dtw, SliceId(0), &InMemory::default()).unwrap()
        })
    };
    // 253 plies: a win in 127 moves.
    assert_eq!(*solved(253).unwrap().last().unwrap(), 1);
    assert!(solved(254).is_err());
}

#[test]
fn solvers_that_cannot_count_moves_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for solver in [SolverName::TwoBit, SolverName::OneBit, SolverName::DualIndex, SolverName::Rows]
    {
        let options = options(Metric::Dtw, solver, 1);
        let error = solve_slices(&Krk, &disk(), dir.path(), &[KRK], &options, &Silent).unwrap_err();
        assert!(matches!(error, SolveError::Unfit { .. }), "{solver}: {error}");
    }
    let awari = nutcracker_games::awari::Awari::new(6).unwrap();
    let options = options(Metric::Dtw, SolverName::Memory, 1);
    let error = solve(&awari, &disk(), dir.path(), SliceId(3), &options, &Silent).unwrap_err();
    assert_eq!(error.to_string(), "tables of awari (pits=6) hold score, not dtw");
}

#[test]
fn states_that_do_not_fit_two_bytes_are_refused() {
    assert!(States::hold(127, 255) && !States::hold(127, 512));
}

/// The check refuses a value that is wrong, and counts that leave out a position or take in a hole.
#[test]
fn the_check_of_distances_and_holes_refuses_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(Metric::Dtw, SolverName::Memory, 2);
    solve_slices(&Krk, &disk(), dir.path(), &[KRK], &options, &Silent).unwrap();
    let open = || open_metric(&Krk, Some(Metric::Dtw), disk(), dir.path(), 1 << 20);
    let (path, header, mut right) = {
        let (set, mut values) = (open(), vec![0; Krk.slice_len(KRK) as usize]);
        let table = set.get(KRK.0).unwrap();
        table.read(0, &mut values).unwrap();
        (table.path().to_owned(), table.header().clone(), values)
    };
    for (index, value) in (0..).zip(&mut right) {
        if Krk.unrank(KRK, index).is_none() {
            *value = HOLE;
        }
    }
    let find = |target: i8| right.iter().position(|&value| value == target).unwrap();
    let (hole, drawn, lost) = (find(HOLE), find(0), find(-120));
    let refused = |change: &dyn Fn(&mut Vec<i8>)| {
        let mut values = right.clone();
        change(&mut values);
        std::fs::remove_file(&path).unwrap();
        pack(&Disk::default(), dir.path(), &header, &PackOptions::default(), &values).unwrap();
        [u64::MAX, 1 << 20].map(|memory| {
            let check = check_slice(&Krk, KRK, &open(), memory, 2, &Silent);
            check.err().map(|error| error.to_string())
        })
    };
    assert_eq!(refused(&|_| ()), [None, None]);
    for (change, what) in [
        (&(|values: &mut Vec<i8>| values[lost] += 1) as &dyn Fn(&mut Vec<i8>), "best move"),
        (&|values| values[lost] = 0, "best move"),
        (&|values| values[drawn] = HOLE, "counts other positions"),
        (&|values| values[hole] = 0, "counts other positions"),
    ] {
        for error in refused(change) {
            assert!(error.as_ref().is_some_and(|error| error.contains(what)), "{error:?}: {what}");
        }
    }
}

/// One pass over slices in which no position repeats gives the files of the other solvers.
#[test]
fn one_pass_solves_slices_without_cycles() {
    fn files<G: Game>(game: &G, last: u32, solver: Option<SolverName>) -> Vec<Vec<u8>> {
        let dir = tempfile::tempdir().unwrap();
        let options = SolveOptions { solver, ..SolveOptions::new(2, "test") };
        solve(game, &disk(), dir.path(), SliceId(last), &options, &Silent).unwrap();
        let set = open_metric(game, None, disk(), dir.path(), 0);
        let path = |slice| set.path(slice, Reach::Exact);
        (0..=last).map(|slice| std::fs::read(path(slice)).unwrap()).collect()
    }
    let othello = Othello::new(4).unwrap();
    assert!(fit_solvers(&othello, SliceId(1), None).contains(&SolverName::OnePass));
    assert!(files(&othello, 1, None) == files(&othello, 1, Some(SolverName::Memory)));
    assert!(files(&Heap, 9, None) == files(&Heap, 9, Some(SolverName::Sweeps)));
    for seed in 0..20 {
        let graph = Graph::random(seed, 4, 40, false);
        let one_pass = files(&graph.clone().acyclic(), 3, Some(SolverName::OnePass));
        assert!(one_pass == files(&graph, 3, Some(SolverName::Sweeps)), "seed {seed}");
    }
    let awari = nutcracker_games::awari::Awari::new(6).unwrap();
    assert!(!fit_solvers(&awari, SliceId(4), None).contains(&SolverName::OnePass));
}

/// A game that calls its slice acyclic and is wrong about it.
#[test]
fn a_cycle_where_the_game_claims_none_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let options = SolveOptions::new(1, "test");
    let cycle = Graph::new(2, vec![Node::quiet(&[1]), Node::quiet(&[0])]).acyclic();
    let error = solve(&cycle, &disk(), dir.path(), SliceId(0), &options, &Silent).unwrap_err();
    assert!(error.to_string().contains("repeat"), "{error}");
}

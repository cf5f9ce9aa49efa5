//! The in-memory solver against the plain one, against published counts, and against itself with
//! other numbers of threads and smaller worklists.

use std::collections::BTreeMap;

use crate::common::{Plain, disk, scores, solve_on};
use nutcracker_game::{Game, Metric, Numbering, PlainView, Rules, Score, SliceId, SliceView};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::othello::{Discs, Othello};
use nutcracker_retro::Silent;
use nutcracker_retro::in_memory::States;

fn agrees_with_the_plain_solver<G: Game>(game: &G, last: u32) {
    let plain = Plain::solve(game, last);
    let dir = tempfile::tempdir().unwrap();
    solve_on(game, &disk(), dir.path(), last, 2).unwrap();
    for slice in 0..=last {
        assert_eq!(
            scores(game, &disk(), dir.path(), slice),
            plain.0[slice as usize],
            "slice {slice} of {}",
            game.id()
        );
    }
}

#[test]
fn awari_agrees_with_the_plain_solver() {
    agrees_with_the_plain_solver(&Awari::new(6).unwrap(), 7);
    agrees_with_the_plain_solver(&Awari::new(5).unwrap(), 8);
    agrees_with_the_plain_solver(&Awari::new(4).unwrap(), 10);
    agrees_with_the_plain_solver(&Awari::new(3).unwrap(), 14);
    agrees_with_the_plain_solver(&Awari::new(2).unwrap(), 16);
}

#[test]
fn the_reachable_index_has_the_same_scores() {
    for (pits, last) in [(6, 9), (4, 10), (3, 14), (2, 16)] {
        let (all, some) = (Awari::new(pits).unwrap(), Awari::reachable(pits).unwrap());
        let (dir, small) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        solve_on(&all, &disk(), dir.path(), last, 2).unwrap();
        solve_on(&some, &disk(), small.path(), last, 2).unwrap();
        for slice in 0..=last {
            let expected = scores(&all, &disk(), dir.path(), slice);
            let found = scores(&some, &disk(), small.path(), slice);
            assert_eq!(found.len() as u64, some.slice_len(SliceId(slice)));
            for (index, score) in found.iter().enumerate() {
                let position = some.unrank(SliceId(slice), index as u64).unwrap();
                assert_eq!(*score, expected[all.rank(&position) as usize], "{position:?}");
            }
        }
    }
}

#[test]
fn kalah_agrees_with_the_plain_solver() {
    for empty_capture in [false, true] {
        for (pits, seeds, last) in [(2, 4, 16), (3, 2, 12), (4, 2, 9), (6, 2, 6)] {
            let kalah = Kalah::new(pits, seeds, empty_capture).unwrap();
            agrees_with_the_plain_solver(&kalah, last);
            agrees_with_the_plain_solver(&kalah.playing_on(), last);
        }
    }
}

/// The score by the definition alone, where nothing repeats.
fn minimax(othello: &Othello, discs: &Discs) -> Score {
    let mut steps = Vec::new();
    othello.steps(discs, &mut steps);
    othello.outcome(discs).unwrap_or_else(|| {
        let values = steps.iter().map(|step| step.value(minimax(othello, &step.next)));
        values.max().expect("a position that is not over has a move")
    })
}

#[test]
fn othello_agrees_with_the_plain_solver_and_with_minimax() {
    let othello = Othello::new(4).unwrap();
    agrees_with_the_plain_solver(&othello, 1);
    let dir = tempfile::tempdir().unwrap();
    solve_on(&othello, &disk(), dir.path(), 2, 2).unwrap();
    for slice in 0..=2 {
        let scores = scores(&othello, &disk(), dir.path(), slice);
        for (index, &score) in scores.iter().enumerate().step_by(211) {
            let discs = othello.unrank(SliceId(slice), index as u64).unwrap();
            assert_eq!(Score::from(score), minimax(&othello, &discs), "{discs:?}");
        }
    }
}

#[test]
fn awari_has_the_published_numbers_of_each_score() {
    let truth = include_str!("../../../tests/data/awari-scores.csv");
    let mut published: BTreeMap<u32, Vec<(i8, u64)>> = BTreeMap::new();
    for line in truth.lines().skip(1) {
        let fields: Vec<i64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        published.entry(fields[0] as u32).or_default().push((fields[1] as i8, fields[2] as u64));
    }
    let dir = tempfile::tempdir().unwrap();
    let reports = solve_on(&Awari::new(6).unwrap(), &disk(), dir.path(), 15, 2).unwrap();
    for report in reports {
        let counted: Vec<(i8, u64)> = report.histogram.iter().collect();
        assert_eq!(counted, published[&report.slice.0], "{} stones", report.slice);
    }
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let awari = Awari::new(6).unwrap();
    let one = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), one.path(), 11, 1).unwrap();
    for threads in [2, 3, 7] {
        let other = tempfile::tempdir().unwrap();
        solve_on(&awari, &disk(), other.path(), 11, threads).unwrap();
        for slice in 0..=11 {
            let name = format!("awari-{slice:02}.nut");
            let bytes = |dir: &std::path::Path| std::fs::read(dir.join(&name)).unwrap();
            assert_eq!(bytes(one.path()), bytes(other.path()), "{name} with {threads} threads");
        }
    }
}

/// Settles a slice with the given view and worklist, from the plain solver's smaller slices.
fn settled<V: SliceView>(
    view: &V,
    plain: &Plain,
    max: u8,
    threads: usize,
    worklist: usize,
) -> Vec<i8> {
    let states = States::new(view.len(), max, 6).unwrap();
    for part in 0..view.parts() {
        let Ok(()) = view.exits(Metric::Score, part, plain, |start, run| states.enter(start, run));
    }
    states.settle_within(view, threads, worklist, &Silent).unwrap();
    let mut scores = vec![0; view.len() as usize];
    states.scores(0, &mut scores);
    scores
}

#[test]
fn a_full_worklist_costs_sweeps_and_nothing_else() {
    let awari = Awari::new(6).unwrap();
    let plain = Plain::solve(&awari, 7);
    let view = awari.view(SliceId(7));
    for worklist in [1, 2, 50] {
        for threads in [1, 2, 3] {
            assert_eq!(settled(&view, &plain, 7, threads, worklist), plain.0[7]);
        }
    }
}

#[test]
fn the_view_by_tables_and_the_plain_view_give_the_same() {
    let awari = Awari::new(6).unwrap();
    let plain = Plain::solve(&awari, 7);
    let view = PlainView::new(awari, SliceId(7));
    assert_eq!(settled(&view, &plain, 7, 2, 4096), plain.0[7]);
}

#[test]
fn states_of_two_bytes_give_the_same_as_states_of_one() {
    // A larger bound on the scores than they need makes the states too many for a byte.
    let awari = Awari::new(6).unwrap();
    let plain = Plain::solve(&awari, 7);
    let view = awari.view(SliceId(7));
    assert_eq!(States::bytes_per_position(30, 6), 2);
    assert_eq!(settled(&view, &plain, 30, 2, 4096), plain.0[7]);
}

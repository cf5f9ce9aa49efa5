//! Databases on disk as an oracle.

use std::path::Path;
use std::sync::Arc;

use nutcracker_game::{Metric, Numbering, Rules, Score, SliceId, WinDistance};
use nutcracker_games::awari::Awari;
use nutcracker_games::krk::Krk;
use nutcracker_retro::{Silent, SolveOptions, open_metric, open_set, solve};
use nutcracker_search::player::Perfect;
use nutcracker_search::{
    Engine, EngineOptions, ExactLimits, Limits, Oracle, Probed, TableOracle, Worth, exact_value,
    known,
};
use nutcracker_table::{Disk, Reach, Storage};

fn oracle(game: &Awari, dir: &Path) -> TableOracle {
    TableOracle::new(Arc::new(open_set(game, Arc::new(Disk::default()), dir, 1 << 20))).unwrap()
}

#[test]
fn the_slices_with_an_exact_table_are_covered() {
    let awari = Awari::new(3).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let empty = oracle(&awari, dir.path());
    assert_eq!((empty.is_empty(), empty.covers(SliceId(0))), (true, false));

    let storage: Arc<dyn Storage> = Arc::new(Disk::default());
    let options = SolveOptions::new(1, "test");
    solve(&awari, &storage, dir.path(), SliceId(6), &options, &Silent).unwrap();
    let all = oracle(&awari, dir.path());
    assert_eq!(all.slices().collect::<Vec<_>>(), (0..=6).map(SliceId).collect::<Vec<_>>());
    assert!(all.covers(SliceId(6)) && !all.covers(SliceId(7)));
    let expected: Vec<Score> =
        (0..awari.slice_len(SliceId(6))).map(|i| all.set().probe(6, i).unwrap().into()).collect();
    let scores: Vec<Score> =
        (0..awari.slice_len(SliceId(6))).map(|i| all.score(SliceId(6), i).unwrap()).collect();
    assert_eq!(scores, expected);

    // A gap leaves out what is missing and no more.
    std::fs::remove_file(all.set().path(4, Reach::Exact)).unwrap();
    let some = oracle(&awari, dir.path());
    assert_eq!(some.slices().next_back(), Some(SliceId(6)));
    assert!(!some.covers(SliceId(4)) && some.covers(SliceId(5)));
    let six = |index| awari.unrank(SliceId(6), index).unwrap();
    assert_eq!(some.score(SliceId(6), 0).unwrap(), expected[0]);
    // With it, no player can go by databases alone.
    assert!(Perfect::new(awari.clone(), &all).reaches(&six(0)));
    assert!(!Perfect::new(awari.clone(), &some).reaches(&six(0)));

    // Over the databases of fewer stones, the search proves the database's score.
    std::fs::remove_file(all.set().path(6, Reach::Exact)).unwrap();
    let some = oracle(&awari, dir.path());
    for threads in [1, 2] {
        let options = EngineOptions { threads, table_bytes: 1 << 18, ..EngineOptions::default() };
        let mut engine = Engine::new(awari.clone(), &some, options);
        let (mut proved, mut probes) = (0, 0);
        for (index, &score) in (0..).zip(&expected) {
            let report =
                engine.search(&six(index), &[], &Limits::nodes(2000), &mut |_| ()).unwrap();
            let (lower, upper) = report.bounds;
            assert!(lower <= score && score <= upper, "{score}: {report:?}");
            proved += u64::from(report.value == Worth::exact(score));
            probes += report.probes;
        }
        assert!(probes > 0 && proved * 2 > awari.slice_len(SliceId(6)), "{proved} proved");
    }
}

/// A database of the position itself answers at once, and every move with it.
#[test]
fn what_is_covered_is_exact() {
    let awari = Awari::new(3).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(Disk::default());
    solve(&awari, &storage, dir.path(), SliceId(5), &SolveOptions::new(1, "test"), &Silent)
        .unwrap();
    let oracle = oracle(&awari, dir.path());
    let mut engine = Engine::new(awari.clone(), &oracle, EngineOptions::default());
    for index in 0..awari.slice_len(SliceId(5)) {
        let position = awari.unrank(SliceId(5), index).unwrap();
        let score = oracle.score(SliceId(5), index).unwrap();
        let report = engine.search(&position, &[], &Limits::depth(1), &mut |_| ()).unwrap();
        assert_eq!(report.value, Worth::exact(score));
        let all = engine.search_all(&position, &[], &Limits::depth(1)).unwrap();
        let best = all.first().map_or(Worth::exact(score), |(_, value)| *value);
        assert_eq!(best, Worth::exact(score));
        assert!(all.iter().all(|(_, value)| value.is_exact()));
        assert_eq!(all.is_empty(), report.line.is_empty());
    }
}

/// A search adds scores up: a win in 12 moves is a win, not 116 points.
#[test]
fn a_distance_answers_with_its_score() {
    for metric in [Metric::Dtw, Metric::Dtc] {
        let dir = tempfile::tempdir().unwrap();
        let storage: Arc<dyn Storage> = Arc::new(Disk::default());
        let options = SolveOptions { metric: Some(metric), ..SolveOptions::new(1, "test") };
        solve(&Krk, &storage, dir.path(), SliceId(1), &options, &Silent).unwrap();
        let set = open_metric(&Krk, Some(metric), storage, dir.path(), 1 << 20);
        let oracle = TableOracle::new(Arc::new(set)).unwrap();
        let start = Krk.start().position;
        let (slice, index) = (Krk.slice_of(&start), Krk.rank(&start));
        assert_eq!(oracle.set().probe(slice.0, index).unwrap(), 116);
        assert_eq!(oracle.score(slice, index).unwrap(), 1);
        let shared: Arc<Option<&TableOracle>> = Arc::new(Some(&oracle));
        assert!(shared.covers(slice) && !Arc::new(None::<&TableOracle>).covers(slice));
        assert_eq!(
            (shared.metric(slice).unwrap(), shared.score(slice, index).unwrap()),
            (metric, 1)
        );
        let distance = shared.distance(slice, index).unwrap();
        assert_eq!(distance, Some(WinDistance { wins: true, moves: 12 }));
        let drawn = shared.distance(SliceId(0), 0).unwrap();
        assert_eq!(drawn, None);

        // The position and its moves have distances; slower moves are not best.
        let probe = |position: &_| Probed::probe(&Krk, oracle.set(), position).unwrap();
        let value = probe(&start);
        assert_eq!(value.worth, Worth::by(metric, 116));
        let mut steps = Vec::new();
        Krk.steps(&start, &mut steps);
        let moves: Vec<Worth> =
            steps.iter().map(|step| probe(&step.next).worth.through(step)).collect();
        assert_eq!(Worth::best(&moves), value.worth);
        let wins = |mv: &&Worth| mv.score() == Some(1);
        let best = moves.iter().filter(|mv| value.is_reached_by(**mv) == Some(true));
        assert!(best.clone().all(|mv| mv.distance == value.worth.distance));
        assert!(best.count() < moves.iter().filter(wins).count());
        let mated = Krk.parse("Kb6 Rh8 ka8 b").unwrap().position;
        assert_eq!(Krk.outcome(&mated), Some(-1));
        assert_eq!(oracle.score(slice, Krk.rank(&mated)).unwrap(), -1);
    }
}

/// Positions that no move leads to have no number; their scores follow from those of their moves.
#[test]
fn a_position_without_a_number_is_known_through_its_moves() {
    let (all, reachable) = (Awari::new(3).unwrap(), Awari::reachable(3).unwrap());
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [whole, reduced] = [(&all, &dirs[0]), (&reachable, &dirs[1])].map(|(game, dir)| {
        let storage: Arc<dyn Storage> = Arc::new(Disk::default());
        let options = SolveOptions::new(1, "test");
        solve(game, &storage, dir.path(), SliceId(6), &options, &Silent).unwrap();
        oracle(game, dir.path())
    });
    let mut left_out = 0;
    for index in 0..all.slice_len(SliceId(6)) {
        let position = all.unrank(SliceId(6), index).unwrap();
        let score = whole.score(SliceId(6), index).unwrap();
        assert_eq!(known(&reachable, &reduced, &position).unwrap(), Some(score), "{position:?}");
        if !reachable.is_indexed(&position) {
            left_out += 1;
            let limits = ExactLimits::default();
            let solved = exact_value(&reachable, &position, &reduced, &limits).unwrap().unwrap();
            assert_eq!((solved.score, solved.nodes), (score, 0), "nothing has to be searched");
        }
    }
    assert!(left_out > 0);
}

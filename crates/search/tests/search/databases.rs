//! Databases on disk as an oracle.

use std::path::Path;
use std::sync::Arc;

use nutcracker_game::{Numbering, Score, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_retro::{Silent, SolveOptions, open_set, solve};
use nutcracker_search::{Engine, EngineOptions, Limits, Oracle, TableOracle, Worth};
use nutcracker_table::{Disk, Reach, Storage};

fn oracle(game: &Awari, dir: &Path) -> TableOracle {
    TableOracle::new(Arc::new(open_set(game, Arc::new(Disk::default()), dir, 1 << 20))).unwrap()
}

#[test]
fn slices_without_a_gap_are_covered() {
    let awari = Awari::new(3).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let empty = oracle(&awari, dir.path());
    assert_eq!((empty.last(), empty.covers(SliceId(0))), (None, false));

    let storage: Arc<dyn Storage> = Arc::new(Disk::default());
    let options = SolveOptions::new(1, "test");
    solve(&awari, &storage, dir.path(), SliceId(6), &options, &Silent).unwrap();
    let all = oracle(&awari, dir.path());
    assert_eq!(all.last(), Some(SliceId(6)));
    assert!(all.covers(SliceId(6)) && !all.covers(SliceId(7)));
    let expected: Vec<Score> =
        (0..awari.slice_len(SliceId(6))).map(|i| all.set().probe(6, i).unwrap().into()).collect();
    let scores: Vec<Score> =
        (0..awari.slice_len(SliceId(6))).map(|i| all.score(SliceId(6), i).unwrap()).collect();
    assert_eq!(scores, expected);

    // Over the databases of fewer stones, what the search proves is what the database says.
    std::fs::remove_file(all.set().path(5, Reach::Exact)).unwrap();
    let some = oracle(&awari, dir.path());
    assert_eq!(some.last(), Some(SliceId(4)));
    for threads in [1, 2] {
        let options = EngineOptions { threads, table_bytes: 1 << 18, ..EngineOptions::default() };
        let mut engine = Engine::new(awari.clone(), &some, options);
        let (mut proved, mut probes) = (0, 0);
        for (index, &score) in (0..).zip(&expected) {
            let position = awari.unrank(SliceId(6), index).unwrap();
            let report = engine.search(&position, &[], &Limits::nodes(2000), &mut |_| ()).unwrap();
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

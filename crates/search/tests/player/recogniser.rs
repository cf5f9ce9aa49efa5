//! Recognisers against every position of a database.

use std::sync::Arc;

use nutcracker_game::{Metric, Numbering, Recognised};
use nutcracker_games::GAMES;
use nutcracker_games::chess::{Chess, ChessPosition};
use nutcracker_retro::{Silent, SolveOptions, open_metric};
use nutcracker_search::{Answers, Recognition, TableOracle};
use nutcracker_table::{Disk, Storage};

use crate::reference::solve;

/// Any function is a recogniser: here, one that takes every position for a draw, and one that knows
/// the positions in which a rook is lost at once.
#[test]
fn claims_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let (slice, oracle) = solve("krk", Metric::Dtw, dir.path());
    let part = Chess.parts(slice).pop().unwrap();
    let measure = |recognise: &dyn Fn(&ChessPosition) -> Recognised| {
        let range = part.range.clone();
        let found = Recognition::measure(&Chess, &oracle, slice, range, recognise, &mut |_| ());
        found.unwrap().unwrap()
    };
    // Published: 28,056 positions with Black to move, of which 2,796 are drawn and 27 mated.
    let all = measure(&|_| Recognised::Draw);
    assert_eq!(all.draws, Answers { right: 2_796, ..Answers::default() });
    assert_eq!(all.all(false), Answers { wrong: 25_260, ..Answers::default() });
    assert_eq!((all.all(true), all.examples.len()), (Answers::default(), 10));
    let mated = measure(&|_| Recognised::loss(0));
    assert_eq!(mated.all(false), Answers { right: 27, open: 0, wrong: 25_233 });
    let none = measure(&|_| Recognised::Unknown);
    assert_eq!(none.draws.open + none.all(false).open, 28_056);
    assert_eq!(none.examples, []);
}

#[expect(clippy::default_trait_access, reason = "these tests do not depend on the type's crate")]
#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn two_knights_are_recognised_without_an_error() {
    // The knights' side to move, then the other: wins and losses that are recognised. Losses of the
    // first and wins of the second are all there are, as published.
    let expected = [("knnkb", [[251, 51], [109, 56]]), ("knnkn", [[251, 56], [293, 54]])];
    for (class, expected) in expected {
        let dir = tempfile::tempdir().unwrap();
        let game = GAMES.info("chess").unwrap().game(&Default::default()).unwrap();
        let disk: Arc<dyn Storage> = Arc::new(Disk { map: true });
        let options = SolveOptions { verify: false, ..SolveOptions::new(2, "test") };
        let slices = Chess.select(class).unwrap();
        game.solve_slices(&disk, dir.path(), &slices, &options, &Silent).unwrap();
        let set = open_metric(&Chess, Some(Metric::Dtw), disk, dir.path(), 1 << 26);
        let oracle = TableOracle::new(Arc::new(set)).unwrap();
        let slice = Chess.slice_named(class).unwrap();
        for (part, expected) in Chess.parts(slice).into_iter().zip(expected) {
            let recognise =
                |position: &ChessPosition| Chess.recognise(position).expect("a recogniser");
            let found =
                Recognition::measure(&Chess, &oracle, slice, part.range, &recognise, &mut |_| ());
            let found = found.unwrap().unwrap();
            let results = [found.all(true), found.draws, found.all(false)];
            assert!(results.iter().all(|answers| answers.wrong == 0), "{found:?}");
            assert_eq!([results[0].right, results[2].right], expected);
            assert!(results[1].right > 2 * results[1].open, "{found:?}");
        }
    }
}

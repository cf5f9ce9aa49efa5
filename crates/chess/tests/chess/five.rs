//! Endings of five men solved and checked, compared with the figures of J. Tamplin and G. Haworth,
//! Chess Endgames: Data and Strategy (2003), and of E. Heinz (2003) for two knights.

use std::path::Path;

use nutcracker_chess::Chess;
use nutcracker_game::{Metric, Numbering, Rules};

use super::solved::{DTC, compare, compare_in, row, solve, values};

/// Published: mates in at most four and seven moves.
#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn two_knights_against_a_minor_piece() {
    let dir = tempfile::tempdir().unwrap();
    for (name, longest) in [("knnkb", 4), ("knnkn", 7)] {
        compare(DTC, Metric::Dtc, name);
        solve(name, Metric::Dtw, dir.path());
        let slice = Chess.slice_named(name).unwrap();
        let found = row(slice, Metric::Dtw, dir.path())[0].map(|(_, moves)| moves);
        assert_eq!(found, Some(longest), "{name}");
    }
}

#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn queen_and_rook_against_rook() {
    compare(DTC, Metric::Dtc, "kqrkr");
}

/// From databases in the directory that `CHESS` names. Published of one position, too: the rook and
/// bishop convert at ply 117.
#[test]
#[ignore = "needs databases that take half an hour; scripts/test-long builds them"]
fn rook_and_another_man_against_rook() {
    let dir = std::env::var("CHESS").expect("CHESS names a directory with databases");
    let dir = Path::new(&dir);
    for name in ["krrkr", "krbkr", "krnkr", "krpkr"] {
        compare_in(DTC, Metric::Dtc, name, dir);
    }
    let position = Chess.parse("8/3B4/8/1R6/5r2/8/3K4/5k2 w - -").unwrap().position;
    let slice = Chess.slice_of(&position);
    let value = values(slice, Metric::Dtc, dir)[Chess.rank(&position) as usize];
    let distance = Metric::Dtc.distance(value.into()).unwrap();
    assert_eq!((distance.wins, distance.moves), (true, 59));
}

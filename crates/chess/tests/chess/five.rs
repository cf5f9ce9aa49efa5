//! Endings of five men solved and checked, compared with the figures of J. Tamplin and G. Haworth,
//! Chess Endgames: Data and Strategy (2003), and of E. Heinz (2003) for two knights.

use nutcracker_chess::Chess;
use nutcracker_game::{Metric, Numbering};

use super::solved::{DTC, compare, row, solve};

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

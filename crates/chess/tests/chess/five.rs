//! Endings of five men solved and checked, compared with the figures of J. Tamplin and G. Haworth,
//! Chess Endgames: Data and Strategy (2003), and of E. Heinz (2003) for two knights.

use std::path::{Path, PathBuf};

use nutcracker_chess::Chess;
use nutcracker_game::{Metric, Numbering};
use nutcracker_retro::folder;

use super::solved::{DTC, DTZ, compare, compare_in, row, solve};

const DTZ50: &str = include_str!("dtz50.txt");

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

/// The directory with databases of a metric, in the one that `CHESS` names.
pub fn built(metric: Metric) -> PathBuf {
    let dir = std::env::var("CHESS").expect("CHESS names a directory with databases");
    Path::new(&dir).join(folder(&Chess, metric))
}

#[test]
#[ignore = "needs databases that take half an hour; scripts/test-long builds them"]
fn rook_and_another_man_against_rook() {
    for name in ["krrkr", "krbkr", "krnkr", "krpkr"] {
        compare_in(DTC, Metric::Dtc, name, &built(Metric::Dtc));
    }
    compare_in(DTZ, Metric::Dtz, "krpkr", &built(Metric::Dtz));
}

/// Compares two knights with the tables of some metrics: where the last of them has no row, an ending
/// is as in the one before.
fn two_knights(metric: Metric, tables: &[&str]) {
    for name in ["knnkq", "knnkr", "knnkb", "knnkn", "knnkp"] {
        let has_row = |rows: &&&str| rows.contains(&name.to_uppercase());
        let rows = tables.iter().rfind(has_row).expect("a row");
        compare_in(rows, metric, name, &built(metric));
    }
}

#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn conversions_of_two_knights_against_a_man() {
    two_knights(Metric::Dtc, &[DTC]);
}

#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn zeroing_moves_of_two_knights_against_a_man() {
    two_knights(Metric::Dtz, &[DTC, DTZ]);
}

#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn zeroing_moves_of_two_knights_under_the_rule_of_fifty_moves() {
    two_knights(Metric::DtzIn(50), &[DTC, DTZ, DTZ50]);
}

#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn rook_and_bishop_against_rook_under_the_rule_of_fifty_moves() {
    compare_in(DTC, Metric::Dtz, "krbkr", &built(Metric::Dtz));
    compare_in(DTZ50, Metric::DtzIn(50), "krbkr", &built(Metric::DtzIn(50)));
}

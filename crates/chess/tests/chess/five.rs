//! Endings of five men solved and checked, compared with the figures of J. Tamplin and G. Haworth,
//! Chess Endgames: Data and Strategy (2003), and of E. Heinz (2003) for two knights.

use std::path::Path;

use nutcracker_chess::Chess;
use nutcracker_game::{Metric, Numbering, Rules};

use super::solved::{DTC, DTZ, compare, compare_in, row, solve, values, weight};

/// What a table says of a position, in moves of the winner.
fn moves(position: &str, metric: Metric, dir: &Path) -> Option<(bool, u16)> {
    let position = Chess.parse(position).unwrap().position;
    let slice = Chess.slice_of(&position);
    let value = values(slice, metric, dir)[Chess.rank(&position) as usize];
    metric.distance(value.into()).map(|distance| (distance.wins, distance.moves))
}

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

/// Tables 3 and 6 and position BB-N: 143 plies to mate, 119 to a conversion or a zeroing move. Under
/// the rule of fifty moves, 3,993,656 positions with White to move are drawn and not won, and
/// 7,852,543 with Black to move.
#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn two_bishops_against_a_knight() {
    let position = "8/8/8/7B/4k3/4B3/3K4/1n6 w - -";
    let solved = |metric: Metric, expected: Option<(bool, u16)>| {
        let dir = tempfile::tempdir().unwrap();
        solve("kbbkn", metric, dir.path());
        assert_eq!(moves(position, metric, dir.path()), expected, "{metric}");
        dir
    };
    solved(Metric::Dtw, Some((true, 72)));
    let dtc = solved(Metric::Dtc, Some((true, 60)));
    compare_in(DTC, Metric::Dtc, "kbbkn", dtc.path());
    let free = solved(Metric::Dtz, Some((true, 60)));
    let limited = solved(Metric::DtzIn(50), None);
    let slice = Chess.slice_named("kbbkn").unwrap();
    let expected = [(347_796, 50), (485_538, 50), (44, 0), (222, 1)].map(Some);
    assert_eq!(row(slice, Metric::DtzIn(50), limited.path()), expected);
    let free = values(slice, Metric::Dtz, free.path());
    let limited = values(slice, Metric::DtzIn(50), limited.path());
    let drawn = Chess.parts(slice).into_iter().map(|part| {
        let lost = part
            .range
            .clone()
            .filter(|&index| free[index as usize] != 0 && limited[index as usize] == 0);
        lost.filter_map(|index| Chess.unrank(slice, index)).map(|found| weight(&found)).sum::<u64>()
    });
    assert_eq!(drawn.collect::<Vec<_>>(), [3_993_656, 7_852_543]);
}

#[test]
#[ignore = "takes an hour; scripts/test-long runs it"]
fn rook_and_pawn_against_rook() {
    compare(DTC, Metric::Dtc, "krpkr");
    compare(DTZ, Metric::Dtz, "krpkr");
}

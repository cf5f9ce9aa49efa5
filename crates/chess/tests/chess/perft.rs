//! Lines of play, as many programs have counted them.

use nutcracker_chess::Chess;
use nutcracker_game::{Rules, perft::perft};

/// Counts of lines from 1 move on.
fn check(text: &str, counts: &[u64]) {
    let position = Chess.parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).position;
    for (depth, &expected) in (1..).zip(counts) {
        assert_eq!(perft(&Chess, &position, depth), expected, "{text} to depth {depth}");
    }
}

/// Lines of one length.
fn check_at(text: &str, depth: u32, expected: u64) {
    let position = Chess.parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).position;
    assert_eq!(perft(&Chess, &position, depth), expected, "{text} to depth {depth}");
}

#[test]
fn from_the_start() {
    let start = Chess.start();
    assert_eq!(Chess.format(&start), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -");
    check(&Chess.format(&start), &[20, 400, 8_902, 197_281, 4_865_609]);
}

/// The positions of the Chess Programming Wiki.
#[test]
fn from_the_usual_test_positions() {
    check(
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2_039, 97_862, 4_085_603],
    );
    check("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624]);
    let counts = [6, 264, 9_467, 422_333];
    check("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &counts);
    check("r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", &counts);
    check(
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        &[44, 1_486, 62_379, 2_103_487],
    );
    check(
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2_079, 89_890, 3_894_594],
    );
}

/// Where generators usually go wrong: captures in passing that open a line, castling through or out
/// of check, promotions with and without check, stalemates.
#[test]
fn from_positions_with_one_difficulty_each() {
    check_at("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6, 1_134_888);
    check_at("8/8/4k3/8/2p5/8/B2P2K1/8 w - - 0 1", 6, 1_015_133);
    check_at("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6, 1_440_467);
    check_at("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6, 661_072);
    check_at("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 6, 803_711);
    check_at("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 4, 1_274_206);
    check_at("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 4, 1_720_476);
    check_at("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6, 3_821_001);
    check_at("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 5, 1_004_658);
    check_at("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6, 217_342);
    check_at("8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6, 92_683);
    check_at("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6, 2_217);
    check_at("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7, 567_584);
    check_at("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4, 23_527);
}

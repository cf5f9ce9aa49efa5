//! FEN and names of moves: what is written is read back, and what is wrong is said.

use nutcracker_chess::{Chess, ChessPosition};
use nutcracker_game::{MoveError, Notation, Rules, Situation, find_move};

fn read(text: &str) -> Situation<ChessPosition> {
    Chess.parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The names of the legal moves, in the order in which they are found.
fn names(situation: &Situation<ChessPosition>) -> Vec<String> {
    let mut moves = Vec::new();
    Chess.moves(&situation.position, &mut moves);
    let name = |mv| Chess.format_move(situation, mv, &Chess.play(&situation.position, mv));
    moves.iter().map(name).collect()
}

/// The position after moves.
fn after(text: &str, moves: &str) -> String {
    let mut situation = read(text);
    for name in moves.split_whitespace() {
        let place = find_move(&Chess, &situation, name).unwrap_or_else(|error| panic!("{error}"));
        let mut moves = Vec::new();
        Chess.moves(&situation.position, &mut moves);
        let step = Chess.play(&situation.position, &moves[place]);
        situation = Chess.advance(&situation, &step);
    }
    Chess.format(&situation)
}

#[test]
fn positions_are_written_as_they_are_read() {
    for text in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "r3k2r/8/8/8/8/8/8/R3K2R b Kq -",
        "8/8/8/8/8/1k6/8/K1q5 w - -",
        "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6",
    ] {
        assert_eq!(Chess.format(&read(text)), text);
    }
    // Numbers of moves, and rights that are left out.
    let [numbered, short] = ["8/8/8/8/8/1k6/8/K1q5 w - - 0 80", "8/8/8/8/8/1k6/8/K1q5 w"].map(read);
    assert_eq!(numbered, short);
    // No pawn can capture there: the position is that without the square.
    assert_eq!(after("4k3/8/8/8/8/8/4P3/4K3 w - -", "e4"), "4k3/8/8/8/4P3/8/8/4K3 b - -");
    assert_eq!(Chess.format(&read("4k3/8/8/8/4P3/8/8/4K3 b - e3")), "4k3/8/8/8/4P3/8/8/4K3 b - -");
    // Pinned along the rank by the rook once both pawns are gone.
    let pinned = "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3";
    assert_eq!(Chess.format(&read(pinned)), "8/8/8/8/k2Pp2Q/8/8/3K4 b - -");
}

#[test]
fn special_moves() {
    let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";
    assert_eq!(after(both, "O-O O-O-O"), "2kr3r/8/8/8/8/8/8/R4RK1 w - -");
    assert_eq!(after(both, "e1c1 e8g8"), "r4rk1/8/8/8/8/8/8/2KR3R w - -");
    assert_eq!(after(both, "Rxa8+"), "R3k2r/8/8/8/8/8/8/4K2R b Kk -");
    assert_eq!(after("4k3/3p4/8/4P3/8/8/8/4K3 b - -", "d5 exd6"), "4k3/8/3P4/8/8/8/8/4K3 b - -");
    assert_eq!(after("4k3/8/8/8/4p3/8/3P4/4K3 w - -", "d2d4 e4d3"), "4k3/8/8/8/8/3p4/8/4K3 w - -");
    assert_eq!(after("8/P7/8/8/8/8/k7/2K5 w - -", "a8=R+"), "R7/8/8/8/8/8/k7/2K5 b - -");
    assert_eq!(after("8/P7/8/8/8/8/k7/2K5 w - -", "a7a8n"), "N7/8/8/8/8/8/k7/2K5 b - -");
}

#[test]
fn names_tell_moves_apart() {
    let has = |text: &str, name: &str| {
        let names = names(&read(text));
        assert!(names.iter().any(|found| found == name), "{text}: {name} is not in {names:?}");
    };
    has("4k3/8/8/8/8/8/4K3/R6R w - -", "Rad1");
    has("R7/8/2k5/8/8/7K/8/R7 w - -", "R8a5");
    has("k7/8/8/1Q3Q2/8/8/8/1Q5K w - -", "Qb5d3");
    has("4k3/8/8/8/2N1N3/8/8/4K3 w - -", "Ned6+");
    has("6k1/5ppp/8/8/8/8/8/R3K3 w - -", "Ra8#");
    has("8/4P1k1/8/8/8/8/8/4K3 w - -", "e8=N+");
    has("r3k3/1P6/8/8/8/8/8/4K3 w - -", "bxa8=Q+");
    // The knight on e2 is pinned and cannot go to c3.
    has("4r2k/8/8/8/8/8/4N3/N3K3 w - -", "Nb3");
    has("4r2k/8/8/8/2N5/8/4N3/4K3 w - -", "Ne3");
    let start = Chess.start();
    for text in ["e4", "e2e4", "Nf3", "g1f3", "nf3"] {
        assert!(find_move(&Chess, &start, text).is_ok(), "{text}");
    }
    assert!(matches!(find_move(&Chess, &start, "e5"), Err(MoveError::Illegal { .. })));
    let promotes = read("8/P7/8/8/8/8/k7/2K5 w - -");
    assert!(matches!(find_move(&Chess, &promotes, "a8"), Err(MoveError::Ambiguous { .. })));
}

/// As people and other programs write moves.
#[test]
fn moves_are_read_in_other_spellings() {
    let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";
    for (text, spelled, expected) in [
        (castles, "0-0", "O-O"),
        (castles, "0-0-0", "O-O-O"),
        (castles, "O-O!", "O-O"),
        ("4k3/8/8/8/8/8/8/4K1N1 w - -", "Nge2!?", "Ne2"),
        ("4k3/8/8/8/8/8/8/R3K2R w - -", "Rh1h8+", "Rh8+"),
        ("4k3/8/8/3p4/8/2N5/8/4K3 w - -", "Nd5", "Nxd5"),
        ("4k3/8/8/3p4/8/2N5/8/4K3 w - -", "N:d5", "Nxd5"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - -", "e8N", "e8=N+"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - -", "e8(N)+", "e8=N+"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - -", "Ra8+", "Ra8#"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "exd6e.p.", "exd6"),
    ] {
        let at = read(text);
        let place = find_move(&Chess, &at, spelled).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(names(&at)[place], expected, "{spelled}");
    }
    let knights = read("4k3/8/8/8/8/5N2/8/1N2K3 w - -");
    assert!(matches!(find_move(&Chess, &knights, "Nd2"), Err(MoveError::Ambiguous { .. })));
    // Marks alone are no move, even where there is only one.
    assert!(find_move(&Chess, &read("k7/2Q5/8/8/8/8/8/7K b - -"), "!?").is_err());
    for (text, spelled) in [
        ("4k3/8/8/8/8/8/8/4K3 w - -", "0-0"),
        ("4k3/8/3p4/4P3/8/8/8/4K3 w - -", "d6"),
        ("4k3/8/8/8/8/8/8/4K1N1 w - -", "Nfe2"),
        ("4k3/8/8/8/8/8/8/4K1N1 w - -", "Be2"),
        ("4k3/8/8/8/8/8/8/4K1N1 w - -", "é"),
    ] {
        assert!(find_move(&Chess, &read(text), spelled).is_err(), "{spelled}");
    }
}

#[test]
fn the_end_of_the_game() {
    let outcome = |text: &str| Chess.outcome(&read(text).position);
    assert_eq!(outcome("R5k1/5ppp/8/8/8/8/8/4K3 b - -"), Some(-1));
    assert_eq!(outcome("7k/5Q2/8/8/8/8/8/4K3 b - -"), Some(0));
    assert_eq!(outcome("7k/8/8/8/8/8/8/4K3 b - -"), None);
}

/// The plies since a zeroing move are kept with a position, and left out where there are none.
#[test]
fn the_clock_of_a_position_is_kept() {
    let text = "8/8/8/8/8/3k4/8/K1R5 w - - 72 1";
    let at = read(text);
    assert_eq!((at.quiet, Chess.format(&at)), (72, text.to_owned()));
    assert_eq!(Chess.format_in(&at, Notation::Uci).as_deref(), Some(text));
    let new = read("8/8/8/8/8/3k4/8/K1R5 w - - 0 9");
    assert_eq!(Chess.format(&new), "8/8/8/8/8/3k4/8/K1R5 w - -");
    let uci = Chess.format_in(&new, Notation::Uci);
    assert_eq!(uci.as_deref(), Some("8/8/8/8/8/3k4/8/K1R5 w - - 0 1"));
}

#[test]
fn what_is_wrong_is_said_in_one_sentence() {
    for (text, reason) in [
        ("", "a position is a board"),
        ("8/8/8/8/8/4k3/8/R3K3", "a position is a board"),
        (
            "8/8/8/8/8/4k3/8/R3K3 w - - 99",
            "the move counters at the end of a position are two numbers",
        ),
        ("8/8/8/8/8/4k3/8/R3K3 w - - 0 1 extra", "not \"0 1 extra\""),
        ("8/8/8/8/8/4k3/8/R3K3 w - - x y", "not \"x y\""),
        ("8/8/8/8/8/4k3/8/R3K3 w - - -1 0", "not \"-1 0\""),
        ("8/8/8/8/8/4k3/8/R3K3 w - - 12345678901234567890 1", "two numbers up to 65535"),
        ("8/8/8/8/8/3Kk3/8/8 w - -", "the kings stand next to each other"),
        ("8/8/8/8/8/8/8 w - -", "8 ranks, not 7"),
        ("k7/8/8/8/8/8/8/7 w - -", "rank 1 does not have 8 squares"),
        ("k7/8/8/8/8/8/8/K8 w - -", "rank 1 does not have 8 squares"),
        ("k7/8/8/8/8/8/8/K9 w - -", "9 empty squares do not fit a rank of 8"),
        ("k7/8/8/8/8/8/8/X7 w - -", "'X' is no man"),
        ("k7/8/8/8/8/8/8/8 w - -", "White has no king"),
        ("kk6/8/8/8/8/8/8/K7 w - -", "Black has 2 kings, not one"),
        ("k6P/8/8/8/8/8/8/K7 w - -", "a pawn stands on the first or the last rank"),
        ("k7/8/8/8/8/8/8/K7 x - -", "w or b is to move"),
        ("k7/8/8/8/8/8/8/K6R b X -", "castling rights are some of KQkq"),
        ("4k3/8/8/8/8/8/8/4K2R w Q -", "castling right Q needs a king on e1 and a rook on a1"),
        ("4k3/8/8/8/8/8/8/4K2R w KK -", "castling right K is there twice"),
        ("k6R/8/8/8/8/8/8/K7 w - -", "the side that is not to move is in check"),
        ("8/8/8/8/8/8/8/Kk6 b - -", "the kings stand next to each other"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - e6", "no pawn has passed over e6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d3", "no pawn has passed over \"d3\""),
        ("k7/PPPPPPPP/P7/8/8/8/8/K7 w - -", "White has more than 8 pawns"),
        ("k7/PPPPPPPP/8/8/8/8/8/KQQ5 w - -", "more men than eight pawns can become"),
        ("🂡/8/8/8/8/8/8/8 w - -", "is no man"),
    ] {
        let error = Chess.parse(text).expect_err(text).to_string();
        assert!(error.contains(reason), "{text}: {error}");
        assert!(!error.contains('\n'));
    }
}

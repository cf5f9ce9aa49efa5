//! Positions, games and the protocol as other programs write them.

use std::fs;

use crate::harness::{PROGRAM, Place, Run};

/// A game as Aualé writes it.
const OGN: &str = "[Variant \"Oware Abapa\"]
[Event \"?\"]
[Site \"?\"]
[Date \"2024.05.01\"]
[Round \"?\"]
[South \"Ama\"]
[North \"Kofi\"]
[Result \"*\"]

1. F f 2. B e 3. B c { an idea } 4. D a
";

/// The same board in all notations.
const BOARDS: [(&str, &str); 4] = [
    ("own", "0,0,1,0,3,2/2,1,1,0,0,0 S 20-18"),
    ("auale", "0-0-1-0-3-2-2-1-1-0-0-0-20-18-S"),
    ("playstrategy", "3,1S,1S,2S/2,1S,1,3S,2S 20 18 S 1"),
    ("openspiel", "0 | 20 18 | 0 0 1 0 3 2 2 1 1 0 0 0"),
];

fn path(place: &Place, name: &str) -> String {
    place.path().join(name).to_string_lossy().into_owned()
}

/// Annotates a game, quickly.
fn annotate(place: &Place, file: &str, more: &[&str]) -> Run {
    place.run(&[&["annotate", file, "--depth", "1", "--threads", "1"], more].concat())
}

#[test]
fn positions_are_read_and_written() {
    let place = Place::with_awari(10);
    let probe = |args: &[&str]| place.run(&[&["probe", "awari"], args].concat());
    let expected = probe(&[BOARDS[0].1, "--format", "json"]).json();
    let moves = [
        ("own", ["C1", "E3x5", "F2x5"]),
        ("auale", ["C", "E", "F"]),
        ("playstrategy", ["c1d1", "e1e2", "f1e2"]),
        ("openspiel", ["2", "4", "5"]),
    ];
    for (_, board) in BOARDS {
        assert_eq!(probe(&[board, "--format", "json"]).json(), expected, "{board}");
        for ((notation, written), (_, names)) in BOARDS.into_iter().zip(moves) {
            let answer = probe(&[board, "--format", "json", "--notation", notation]).json();
            assert_eq!(answer["position"], written, "{board}");
            assert_eq!(answer["value"], expected["value"]);
            let mut found: Vec<&str> = answer["moves"]
                .as_array()
                .expect("moves")
                .iter()
                .map(|mv| mv["move"].as_str().expect("a name"))
                .collect();
            found.sort_unstable();
            assert_eq!(found, names, "{notation}");
            let text = probe(&[board, "--notation", notation]).success().stdout;
            assert!(text.starts_with(&format!("{written}\n")), "{text}");
        }
    }
    // Many at once.
    let lines: String = BOARDS.iter().flat_map(|(_, board)| [*board, "\n"]).collect();
    let all = place.talk(&["probe", "awari", "-", "--notation", "auale"], &lines).success().stdout;
    let rows: Vec<&str> = all.lines().skip(1).collect();
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| *row == rows[0] && row.contains(BOARDS[1].1)), "{all}");
    // Moves from there, in any notation.
    for ((_, board), mv) in BOARDS.into_iter().zip(["C1", "C", "c1d1", "2"]) {
        let later = probe(&[&format!("{board} moves {mv}"), "--format", "json"]).json();
        assert_eq!(later["position"], "0,0,0,1,3,2/2,1,1,0,0,0 N 20-18");
    }
}

#[test]
fn wrong_positions_are_refused() {
    let place = Place::new();
    for (board, why) in [
        ("0-0-1-0-3-2-2-1-1-0-0-0-20-18-W", "the side to move is S or N, not \"W\"; a position"),
        ("0-0-1-0-3-20-18-S", "a board of Aualé has 12 pits and two stores"),
        ("3,1S,1S,2S/2,1S 20 18 S 1", "South has 6 pits, and \"2,1S\" has 3; a position"),
        ("0 | 20 | 0 0 1 0 3 2 2 1 1 0 0 0", "a board of OpenSpiel is 0 or 1 for the mover"),
        ("startpos moves FfF", "move 3: \"F\" is not a legal move here; legal are A, B, C, D, E"),
    ] {
        let error = place.run(&["probe", "awari", board]).usage_error();
        assert!(error.contains(why), "{error}");
    }
    let error = place.run(&["probe", "kalah", "--notation", "openspiel", "x"]).usage_error();
    assert!(error.contains("OpenSpiel has no notation for kalah"), "{error}");
    let error = place.run(&["probe", "awari", "--notation", "wiki", "x"]).usage_error();
    assert!(error.contains("a notation is own, auale, playstrategy, openspiel or uci"), "{error}");
}

#[test]
fn games_are_annotated_and_translated() {
    let place = Place::new();
    let file = path(&place, "game.ogn");
    fs::write(&file, OGN).expect("a file");
    let said = annotate(&place, &file, &[]).success().stdout;
    assert!(
        said.starts_with("South (Ama) against North (Kofi): the game was not finished"),
        "{said}"
    );
    let expected = annotate(&place, &file, &["--format", "json"]).json();
    assert_eq!(expected["game"], "oware");
    assert_eq!(expected["moves"].as_array().map(Vec::len), Some(8));
    for notation in ["own", "auale", "playstrategy", "openspiel"] {
        let written = ["--format", "record", "--notation", notation];
        let text = annotate(&place, &file, &written).success().stdout;
        let other = path(&place, notation);
        fs::write(&other, &text).expect("a file");
        let again = annotate(&place, &other, &["--format", "json"]).json();
        assert_eq!(again["moves"], expected["moves"], "{text}");
        if notation != "openspiel" {
            let words: Vec<&str> = text.split_whitespace().collect();
            assert!(words.join(" ").contains("an idea") && text.contains("Ama"), "{text}");
        }
    }
    // Games that are only moves.
    for moves in ["FfBeBcDa", "0,0/0\n", "5 5 1 4 1 2 3 0"] {
        fs::write(&file, moves).expect("a file");
        let error = annotate(&place, &file, &[]).failure();
        assert!(error.contains("no tag names the game"), "{error}");
    }
    let named = annotate(&place, &file, &["--game", "oware", "--format", "json"]).json();
    assert_eq!(named["moves"], expected["moves"]);
    // A game that was over for others is not open.
    fs::write(&file, OGN.replace("\"*\"", "\"26-22\"")).expect("a file");
    let said = annotate(&place, &file, &[]).success().stdout;
    assert!(said.contains("South won 26-22"), "{said}");
}

#[test]
fn wrong_games_are_refused() {
    let place = Place::new();
    let file = path(&place, "game.ogn");
    for (text, why) in [
        (
            OGN.replace("3. B c", "3. c c"),
            "cannot be replayed: line 10: move 5: \"c\" is not a legal",
        ),
        (OGN.replace("D a", "D a (never"), "is not a record: line 10: a variation is opened"),
        (
            OGN.replace("4. D a", "4. Q"),
            "cannot be replayed: line 10: move 7: \"Q\" is not a legal",
        ),
        (
            OGN.replace("\"*\"]", "\"*\"]\n[FEN \"4-4\"]"),
            "cannot be replayed: line 9: its position:",
        ),
    ] {
        fs::write(&file, text).expect("a file");
        let error = annotate(&place, &file, &[]).failure();
        assert!(error.contains(why), "{error}");
    }
    fs::write(&file, "[Game \"kalah\"]\n\n1. C4x1+ *\n").expect("a file");
    let error =
        annotate(&place, &file, &["--format", "record", "--notation", "auale"]).usage_error();
    assert!(error.contains("Aualé has no notation for kalah"), "{error}");
    let error = annotate(&place, &file, &["--notation", "auale"]).usage_error();
    assert!(error.contains("--notation is for --format record"), "{error}");
}

#[test]
fn games_are_imported_into_a_book() {
    let place = Place::in_memory();
    let book = path(&place, "awari.book");
    place.run(&["book", "new", "awari", "--depth", "0", "--book", &book]).success();
    let import = |file: &str| place.run(&["book", "import", "--book", &book, file, "--depth", "0"]);
    let games = path(&place, "game.ogn");
    fs::write(&games, OGN.replace("Oware Abapa", "Awari")).expect("a file");
    let said = import(&games).success().stdout;
    assert!(said.starts_with("1 game, "), "{said}");
    let known = said.rsplit(", ").next().map(ToOwned::to_owned);
    // The same game in other notations adds nothing.
    for text in [
        "FfBeBcDa\nF f B e\n",
        "5 5 1 4 1 2 3 0",
        "[Variant \"Awari\"]\n\n1. f1c2 a2d1 2. b1f2 b2c1 *",
        "startpos moves FfBe",
        "[Meta]\n[Game]\nawari()\n[State]\n5\n5\n",
    ] {
        fs::write(&games, text).expect("a file");
        let said = import(&games).success().stdout;
        assert!(said.contains(" 0 positions expanded"), "{text}: {said}");
        assert_eq!(said.rsplit(", ").next().map(ToOwned::to_owned), known, "{text}");
    }
    for (text, why) in [
        ("FfBe\nFfFf\n", "game.ogn line 2: move 3: \"F\" is not a legal move"),
        ("[Variant \"Oware Abapa\"]\n\n1. F f", "game.ogn game 1: it is a game of \"oware\""),
    ] {
        fs::write(&games, text).expect("a file");
        let error = import(&games).failure();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn the_dialect_of_auale() {
    let place = Place::new();
    let script = "uci\nposition startpos\ngo depth 2\n";
    let auale = ["engine", "oware", "--threads", "1", "--dialect", "auale"];
    let said = place.talk(&auale, script).success().stdout;
    let best = said.lines().last().expect("an answer");
    let words: Vec<&str> = best.split(' ').collect();
    assert!(matches!(words[..], ["bestmove", mv] | ["bestmove", mv, "ponder", _] if mv.len() == 1));
    assert!(said.contains(" pv ") && !said.contains("proven"), "{said}");
    let over = "position fen 0-0-0-0-0-1-1-0-0-0-0-0-23-23-S moves F\ngo depth 2\n";
    let said = place.talk(&["engine", "oware"], over).success().stdout;
    assert!(said.ends_with("bestmove 0000\n"), "{said}");
    let error = place.run(&["engine", "kalah", "--dialect", "auale"]).usage_error();
    assert!(error.contains("Aualé has no notation for kalah"), "{error}");
}

/// Our engine as a program that speaks Aualé's dialect, and a program of a few lines.
#[test]
#[cfg(unix)]
fn matches_in_the_dialect_of_auale() {
    let place = Place::new();
    let record = path(&place, "match.txt");
    let ours = format!("cmd:'{PROGRAM}' engine oware --threads 1 --level 1 --dialect auale");
    let spoken = format!("dialect=auale,{ours}");
    let common = ["match", "oware", "--games", "2", "--record", &record, "--format", "json"];
    let none = serde_json::json!({"a": 0, "b": 0});
    for players in [&["random", &spoken][..], &["random", &ours, "--engine-dialect", "auale"]] {
        let result = place.run(&[&common[..], players].concat()).json();
        assert_eq!((&result["games"], &result["faults"]), (&2.into(), &none), "{result}");
    }
    // All of them to the end: no move was late, and none was refused.
    let games = fs::read_to_string(&record).expect("records");
    assert_eq!(
        (games.matches("[Score ").count(), games.matches(" loses").count()),
        (4, 0),
        "{games}"
    );
    // It plays the first move that it knows, which is soon illegal: its letters are understood, and
    // the answer names them.
    let simple = r#"dialect=auale,cmd:sh -c 'while read -r l; do case "$l" in uci) echo uciok;; isready) echo readyok;; position*" "moves*) m=a;; position*) m=A;; go*) echo bestmove $m;; quit) exit;; esac; done'"#;
    let run = place.run(&["match", "oware", "random", simple, "--games", "2", "--record", &record]);
    let run = run.success();
    assert!(run.stderr.contains("answered an illegal move"), "{}", run.stderr);
    let error =
        place.run(&["match", "kalah", "random", &spoken, "--record", &record]).usage_error();
    assert!(error.contains("Aualé has no notation for kalah"), "{error}");
}

//! Games and books: learning, records, the options of the protocol, and proofs of what a book knows.

use std::io::Write;
use std::process::Stdio;

use crate::harness::{Place, Run};

const KALAH: [&str; 5] = ["kalah", "--pits", "3", "--seeds", "2"];

/// A place with a book of kalah that has only its start.
fn new() -> (Place, String) {
    let place = Place::in_memory();
    let file = place.path().join("some.book").to_str().expect("UTF-8").to_owned();
    place
        .run(&[&["book", "new"], &KALAH[..], &["--depth", "0", "--book", &file]].concat())
        .success();
    (place, file)
}

fn nodes(place: &Place, file: &str) -> u64 {
    let facts = place.run(&["book", "stats", "--book", file, "--format", "json"]).json();
    facts["total"]["nodes"].as_u64().unwrap_or_else(|| panic!("{facts}"))
}

fn in_order(place: &Place, file: &str) {
    let text = place.run(&["book", "check", "--book", file]).success().stdout;
    assert!(text.ends_with("all in order\n"), "{text}");
}

/// Talks to the engine; it is closed after the last line.
fn engine(place: &Place, more: &[&str], lines: &str) -> Run {
    let mut command = place.command(&[&["engine"], &KALAH[..], more].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("it reads");
    place.read(child.wait_with_output().expect("it ends"))
}

#[test]
fn a_match_is_learned() {
    let (place, file) = new();
    let record = place.path().join("games.txt").to_str().expect("UTF-8").to_owned();
    let learn = ["--learn", &file, "--learn-depth", "1", "--opening-moves", "0"];
    let players = ["depth=2", "random", "--games", "4", "--record", &record];
    place.run(&[&["match"], &KALAH[..], &players, &learn].concat()).success();
    // At least the positions of one game and their successors.
    assert!(nodes(&place, &file) > 10);
    in_order(&place, &file);
}

#[test]
fn a_game_in_the_terminal_is_learned() {
    let (place, file) = new();
    let opponent = ["--side", "north", "--level", "perfect", "--depth", "1"];
    let learn = ["--learn", &file, "--learn-depth", "1"];
    // The same move again and again: what is not legal is refused, and the others are tried.
    let moves = "a\nb\nc\n".repeat(30);
    let args = [&["play"], &KALAH[..], &opponent, &learn].concat();
    let said = place.talk(&args, &moves).success().stdout;
    assert!(said.contains("the book has learned"), "{said}");
    assert!(nodes(&place, &file) > 6);
    in_order(&place, &file);
}

#[test]
fn an_engine_learns_its_games() {
    let (place, file) = new();
    let learn = ["--learn", file.as_str(), "--learn-depth", "1"];
    let game = "ucinewgame\nposition startpos\ngo depth 1\n";
    engine(&place, &learn, game).success();
    // The start has three moves; the position after the engine's, where the game was given up, is
    // expanded too.
    assert!(nodes(&place, &file) > 4);
    in_order(&place, &file);
}

#[test]
fn records_are_imported() {
    let (place, file) = new();
    let record = place.path().join("games.txt").to_str().expect("UTF-8").to_owned();
    let to_record = ["--record", &record, "--opening-moves", "0"];
    let players = ["depth=2", "depth=1", "--games", "2"];
    place.run(&[&["match"], &KALAH[..], &players, &to_record].concat()).success();
    let import = ["book", "import", "--book", file.as_str(), record.as_str(), "--depth", "1"];
    let text = place.run(&import).success().stdout;
    assert!(text.starts_with("2 games, "), "{text}");
    let known = nodes(&place, &file);
    assert!(known > 10);
    in_order(&place, &file);
    // The same games again add nothing.
    place.run(&import).success();
    assert_eq!(nodes(&place, &file), known);
    // A game of another kind is refused, with its number.
    let other = std::fs::read_to_string(&record).unwrap().replace("\"kalah\"", "\"awari\"");
    std::fs::write(&record, other).unwrap();
    let why = place.run(&import).failure();
    assert!(why.contains("game 1: it is a game of \"awari\""), "{why}");
}

/// Ctrl-C ends an import after the game at hand, and what was added stays.
#[test]
#[cfg(unix)]
fn an_import_that_is_stopped_keeps_its_games() {
    let place = Place::in_memory();
    let path = |name: &str| place.path().join(name).to_str().expect("UTF-8").to_owned();
    let (file, games) = (path("awari.book"), path("games.txt"));
    place.run(&["book", "new", "awari", "--depth", "0", "--book", &file]).success();
    let mut lines = Vec::new();
    for first in ["A", "B", "C", "D", "E", "F"] {
        lines.extend(["a", "b", "c", "d", "e", "f"].map(|second| format!("{first} {second}\n")));
    }
    std::fs::write(&games, lines.concat()).expect("a file");
    let before = nodes(&place, &file);
    let import = ["book", "import", "--book", file.as_str(), games.as_str(), "--depth"];
    let mut child = place.spawn(&[&import[..], &["12"]].concat());
    // It listens to signals once the book is open.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(child.try_wait().expect("a child").is_none(), "too fast to be stopped");
    let kill = format!("kill -INT {}", child.id());
    std::process::Command::new("sh").args(["-c", &kill]).status().expect("a shell");
    let run = place.read(child.wait_with_output().expect("it ends"));
    assert_eq!((run.code, run.stdout.as_str()), (Some(130), ""), "{}", run.stderr);
    assert!(run.stderr.contains("the same command continues from here"), "{}", run.stderr);
    assert!(nodes(&place, &file) > before);
    place.run(&[&import[..], &["1"]].concat()).success();
    in_order(&place, &file);
}

/// What a book has proven can be shown to others, and only that.
#[test]
fn a_book_is_proven() {
    let (place, file) = new();
    let proof = place.path().join("proof.txt").to_str().expect("UTF-8").to_owned();
    let prove = ["book", "proof", "--book", file.as_str(), "--proof", proof.as_str()];
    let why = place.run(&prove).failure();
    assert!(why.contains("has proven nothing"), "{why}");
    let expand = ["book", "expand", "--book", file.as_str(), "--strategy", "proof", "--depth", "0"];
    place.run(&expand).success();
    let shown = place.run(&["book", "show", "--book", &file, "--format", "json"]).json();
    assert_eq!(shown["value"]["lower"], shown["value"]["upper"], "{shown}");
    let text = place.run(&prove).success().stdout;
    assert!(text.contains("proof.txt"), "{text}");
    let verify = ["verify", "--proof", proof.as_str()];
    place.run(&verify).success();
    // A proof with another claim is refused.
    let points = shown["value"]["lower"].as_i64().unwrap();
    let whole = std::fs::read_to_string(&proof).unwrap();
    let claim = |points: i64| format!("claim\tat-least\t{points}\n");
    let forged = whole.replacen(&claim(points), &claim(points + 1), 1);
    assert_ne!(forged, whole, "{whole}");
    std::fs::write(&proof, forged).unwrap();
    place.run(&verify).failure();
}

/// The options of a book over the protocol.
#[test]
fn the_protocol_has_options_of_the_book() {
    let (place, file) = new();
    let expand = ["book", "expand", "--book", file.as_str(), "--strategy", "proof", "--depth", "0"];
    place.run(&expand).success();
    let said = |lines: &str| {
        let lines = format!("uci\n{lines}position startpos\ngo depth 1\n");
        engine(&place, &[], &lines).success().stdout
    };
    let from_book = |text: &str| text.contains("info string book move\n");
    let none = said("");
    for name in ["OwnBook", "BookFile", "BookDraws", "BookPublicDraws", "BookVariety"] {
        assert!(none.contains(&format!("option name {name} ")), "{none}");
    }
    assert!(!from_book(&none), "{none}");
    let with = format!("setoption name BookFile value {file}\n");
    assert!(from_book(&said(&with)));
    for more in ["BookDraws value win", "BookPublicDraws value loss", "BookVariety value 0.5"] {
        assert!(from_book(&said(&format!("{with}setoption name {more}\n"))), "{more}");
    }
    assert!(!from_book(&said(&format!("{with}setoption name OwnBook value false\n"))));
    assert!(!from_book(&said(&format!("{with}setoption name BookFile value <empty>\n"))));
    // What makes no sense is said, and changes nothing.
    for wrong in ["BookDraws value maybe", "BookVariety value x", "OwnBook value 1"] {
        let text = said(&format!("{with}setoption name {wrong}\n"));
        assert!(from_book(&text) && text.contains("info string "), "{wrong}: {text}");
    }
}

//! `nutcracker book`.

use std::io::Write;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{Place, Run};

const KALAH: [&str; 5] = ["kalah", "--pits", "3", "--seeds", "2"];

fn book(place: &Place, verb: &str, more: &[&str]) -> Run {
    place.run(&[&["book", verb], &KALAH[..], more].concat())
}

/// A place with a book of kalah that has grown a little.
fn grown() -> Place {
    let place = Place::in_memory();
    book(&place, "new", &["--depth", "0"]).success();
    let more = ["--depth", "0", "--expansions", "12", "--threads", "1", "--omega", "0.5"];
    book(&place, "expand", &more).success();
    place
}

/// The book of the place.
fn file(place: &Place) -> String {
    let file = place.path().join("kalah-pits3-empty-captureno-play-onno-seeds2.book");
    file.to_str().expect("UTF-8").to_owned()
}

/// A command about a book that is named, without its game.
fn about(place: &Place, verb: &str, file: &str, more: &[&str]) -> Run {
    place.run(&[&["book", verb, "--book", file], more].concat())
}

fn in_order(run: Run) {
    let text = run.success().stdout;
    assert!(text.ends_with("all in order\n"), "{text}");
}

#[test]
fn a_book_grows_until_it_is_solved() {
    let place = grown();
    let more =
        ["--depth", "2", "--strategy", "drop-out:1,proof:3", "--threads", "1", "--format", "json"];
    let json = book(&place, "expand", &more).json();
    assert_eq!(json["ended"], "solved");
    assert_eq!(json["lower"], json["upper"]);
    let shown = book(&place, "show", &["--format", "json"]).json();
    assert_eq!(shown["value"]["lower"], json["lower"]);
    assert!(shown["moves"].as_array().unwrap().iter().any(|mv| mv["best"] == true));
    in_order(book(&place, "check", &[]));
    let text = book(&place, "cycles", &[]).success().stdout;
    assert_snapshot!(text, @"0 positions in 0 sets that lead to each other; 0 values changed, 0 solved");
    let again = book(&place, "expand", &["--time", "1h"]).success().stdout;
    assert!(again.contains("the start position is solved"), "{again}");
}

#[test]
fn times_are_written_as_everywhere() {
    let place = grown();
    // The last is the longest.
    for time in ["250ms", "1m30s", "0", "1000d"] {
        let more = ["--depth", "0", "--expansions", "1", "--time", time];
        book(&place, "expand", &more).success();
    }
}

#[test]
fn a_book_is_shown() {
    let place = grown();
    assert_snapshot!("book_show", book(&place, "show", &[]).success().stdout);
    assert_snapshot!("book_show_move", book(&place, "show", &["A"]).success().stdout);
    assert_snapshot!("book_line", book(&place, "line", &["--most", "2"]).success().stdout);
    let json = ["--most", "2", "--format", "json"];
    let lines = book(&place, "line", &json).json();
    let text = book(&place, "line", &["--most", "2"]).success().stdout;
    let names = |line: &Value| {
        let moves: Vec<&str> = line.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        moves.join(" ")
    };
    let named: Vec<String> = lines["lines"].as_array().unwrap().iter().map(names).collect();
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), named);
    assert_eq!(
        format!("value {}", lines["value"]["text"].as_str().unwrap()),
        text.lines().next().unwrap()
    );
    let checked = book(&place, "check", &["--format", "json"]).json();
    let nodes = book(&place, "stats", &["--format", "json"]).json()["total"]["nodes"].clone();
    assert_eq!(checked, serde_json::json!({ "nodes": nodes, "flaws": [] }));
    assert_snapshot!("book_stats", book(&place, "stats", &[]).success().stdout);
    let stats = book(&place, "stats", &["--format", "json"]).json();
    let rows = stats["depths"].as_array().unwrap();
    let nodes: u64 = rows.iter().map(|row| row["nodes"].as_u64().unwrap()).sum();
    assert_eq!(stats["total"]["nodes"], nodes);
    let svg = book(&place, "stats", &["--format", "svg"]).success().stdout;
    for (depth, row) in rows.iter().enumerate() {
        let one = if row["nodes"] == 1 { "node" } else { "nodes" };
        let tip = format!("depth {depth}: {} {one}, {} solved<", row["nodes"], row["solved"]);
        assert!(svg.contains(&tip), "{tip}\n{svg}");
    }
    let exported = book(&place, "export", &[]).success().stdout;
    assert_eq!(exported.lines().count() as u64, nodes + 1);
    let head: Vec<&str> = exported.lines().take(2).collect();
    assert_snapshot!("book_export", head.join("\n"));
    let dot = book(&place, "export", &["--format", "dot", "--plies", "1"]).success().stdout;
    assert_snapshot!("book_dot", dot);
}

/// The game and its options come from the book.
#[test]
fn a_book_knows_its_game() {
    let place = grown();
    let file = &file(&place);
    let shown = book(&place, "show", &[]).success().stdout;
    assert_eq!(about(&place, "show", file, &[]).success().stdout, shown);
    assert_eq!(about(&place, "show", file, &["kalah"]).success().stdout, shown);
    assert_eq!(about(&place, "show", file, &["kalah", "--pits", "3"]).success().stdout, shown);
    let moved = book(&place, "show", &["A"]).success().stdout;
    assert_eq!(about(&place, "show", file, &["A"]).success().stdout, moved);
    assert_eq!(about(&place, "show", file, &["kalah", "A"]).success().stdout, moved);
    about(&place, "expand", file, &["--depth", "0", "--expansions", "1"]).success();
    in_order(about(&place, "check", file, &[]));
    let refused = [
        about(&place, "show", file, &["awari"]),
        about(&place, "show", file, &["--pits", "4"]),
        about(&place, "show", file, &["kalah", "--seeds", "3"]),
        about(&place, "show", file, &["--play-on"]),
        about(&place, "stats", file, &["--size", "6"]),
        place.run(&["book", "show"]),
    ];
    let refused: Vec<String> = refused.into_iter().map(Run::usage_error).collect();
    assert_snapshot!("book_conflicts", refused.concat());
    // A rule that the file names only by leaving it out.
    let other = place.path().join("on.book");
    let other = other.to_str().expect("UTF-8");
    let rules = ["kalah", "--pits", "3", "--seeds", "1", "--play-on", "--depth", "0"];
    about(&place, "new", other, &rules).success();
    about(&place, "expand", other, &["--depth", "0", "--expansions", "3"]).success();
    in_order(about(&place, "check", other, &[]));
}

/// An exported book is the same book again.
#[test]
fn an_exported_book_is_imported() {
    let place = grown();
    let exported = book(&place, "export", &[]).success().stdout;
    let lines = place.path().join("book.jsonl");
    let lines = lines.to_str().expect("UTF-8");
    std::fs::write(lines, &exported).unwrap();
    let again = place.path().join("again.book");
    let again = again.to_str().expect("UTF-8");
    let text = about(&place, "import", again, &[lines]).success().stdout;
    assert_snapshot!("book_import", text);
    assert_eq!(about(&place, "export", again, &[]).success().stdout, exported);
    in_order(about(&place, "check", again, &[]));
    // Into the book that it came from: nothing changes.
    about(&place, "import", &file(&place), &[lines]).success();
    assert_eq!(book(&place, "export", &[]).success().stdout, exported);

    // A position is declared won that is not.
    let forged = exported.replacen("\"own\":{\"points\":", "\"own\":{\"lower\":9,\"points\":", 1);
    assert_ne!(forged, exported);
    std::fs::write(lines, &forged).unwrap();
    std::fs::remove_file(again).unwrap();
    let run = about(&place, "import", again, &[lines]).success();
    assert_snapshot!("book_import_untrusted", run.stderr);
    let shown = about(&place, "show", again, &["--format", "json"]).json();
    assert_eq!(shown["value"]["lower"], -8, "as before");
    std::fs::remove_file(again).unwrap();
    about(&place, "import", again, &[lines, "--trust"]).success();
    let shown = about(&place, "show", again, &["--format", "json"]).json();
    assert_eq!(shown["value"]["lower"], 9);

    // Files that are no books leave nothing behind.
    std::fs::remove_file(again).unwrap();
    let cut: Vec<&str> = exported.lines().collect();
    let wrong = [
        "{}".to_owned(),
        exported.replacen("\"format\":1", "\"format\":2", 1),
        cut[..cut.len() - 1].join("\n"),
        exported.replacen("\"start\":true", "\"start\":false", 1),
        exported.replacen("\"position\":\"2", "\"position\":\"x", 1),
    ];
    let mut refused = String::new();
    for text in wrong {
        std::fs::write(lines, text).unwrap();
        let run = about(&place, "import", again, &[lines]);
        refused.push_str(run.stderr.lines().last().expect("a sentence"));
        refused.push('\n');
        assert!(run.code != Some(0) && !std::path::Path::new(again).exists(), "{}", run.stdout);
    }
    assert_snapshot!("book_import_refusals", refused);
}

#[test]
fn two_books_are_merged() {
    let place = Place::in_memory();
    let path = |name: &str| place.path().join(name).to_str().expect("UTF-8").to_owned();
    let (left, right) = (path("left.book"), path("right.book"));
    for (file, strategy) in [(&left, "best-first"), (&right, "drop-out")] {
        about(&place, "new", file, &[&KALAH[..], &["--depth", "0"]].concat()).success();
        let more = ["--depth", "0", "--threads", "1", "--expansions", "15", "--strategy", strategy];
        about(&place, "expand", file, &more).success();
    }
    let positions = |file: &str| -> std::collections::BTreeSet<String> {
        let lines = about(&place, "export", file, &[]).success().stdout;
        let position = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["position"].as_str().unwrap().to_owned()
        };
        lines.lines().skip(1).map(position).collect()
    };
    let union: std::collections::BTreeSet<String> =
        positions(&left).union(&positions(&right)).cloned().collect();
    about(&place, "merge", &left, &[&right]).success();
    assert_eq!(positions(&left), union);
    assert!(union.len() > positions(&right).len());
    in_order(about(&place, "check", &left, &[]));

    let other = path("other.book");
    about(&place, "new", &other, &["kalah", "--pits", "3", "--seeds", "1"]).success();
    let refused = [
        about(&place, "merge", &left, &[&other]).usage_error(),
        about(&place, "merge", &left, &[&left]).usage_error(),
        about(&place, "merge", &left, &[]).usage_error(),
        about(&place, "merge", &left, &["nowhere.book"]).failure(),
    ];
    assert_snapshot!("book_merge_refusals", refused.concat());
}

#[test]
fn drop_outs_are_drawn() {
    let place = grown();
    for player in ["first", "second"] {
        let run = |format| {
            book(&place, "dropout", &["--player", player, "--format", format]).success().stdout
        };
        let (csv, svg) = (run("csv"), run("svg"));
        for line in csv.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let value: f64 = cells[1].parse().unwrap();
            let tip = format!("ply {}, value {value:+.2}: {} lea", cells[0], cells[2]);
            assert!(svg.contains(&tip), "{tip}\n{svg}");
        }
        assert_snapshot!(format!("book_dropout_{player}"), csv + &run("table"));
    }
}

#[test]
fn games_are_imported() {
    let place = grown();
    let file = place.path().join("games");
    std::fs::write(&file, "# one game\n\nA\n").unwrap();
    let text = book(&place, "import", &[file.to_str().unwrap(), "--depth", "0"]).success().stdout;
    assert_snapshot!("book_import_games", text);
    std::fs::write(&file, "A Z\n").unwrap();
    let why = book(&place, "import", &[file.to_str().unwrap(), "--depth", "0"]).failure();
    assert!(why.contains("line 1") && why.contains("\"Z\" is not a legal move"), "{why}");
    in_order(book(&place, "check", &[]));
}

#[test]
fn databases_answer_and_prune() {
    let place = Place::new();
    book(&place, "new", &["--depth", "0"]).success();
    book(&place, "expand", &["--depth", "0", "--expansions", "60", "--threads", "1"]).success();
    let why = book(&place, "prune", &[]).failure();
    assert!(why.contains("there are no databases"), "{why}");
    let solve = [&["solve"], &KALAH[..], &["--up-to", "8"]].concat();
    place.run(&solve).success();
    assert_snapshot!("book_prune", book(&place, "prune", &[]).success().stdout);
    in_order(book(&place, "check", &[]));
    book(&place, "compact", &[]).success();
    let json = book(&place, "expand", &["--depth", "0", "--strategy", "proof", "--format", "json"]);
    assert_eq!(json.json()["ended"], "solved");
}

#[test]
fn the_shell_reads_from_a_pipe() {
    let place = grown();
    let args = [&["book", "shell"], &KALAH[..], &["--depth", "0"]].concat();
    let mut command = place.command(&args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = "help\nnext\nexpand\nlook\nup\nroot\nline\nset 50\ndeviation\nforce A\nnext proof\n\
                 next best-first\ncycles\nstats\ncheck\nnonsense\nquit\nnever read\n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let run = place.read(child.wait_with_output().unwrap());
    assert!(run.stderr.contains("\"nonsense\" is not a legal move"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert_snapshot!("book_shell", run.success().stdout);
    in_order(book(&place, "check", &[]));
}

#[test]
fn other_games_have_books() {
    let place = Place::new();
    for (game, start) in [("awari", Some("2,2,2,2,2,2/2,2,2,2,2,2 S")), ("othello", None)] {
        let mut args = vec!["book", "new", game, "--depth", "0"];
        if let Some(start) = start {
            args.extend(["--start", start]);
        }
        place.run(&args).success();
        let grow = ["book", "expand", game, "--depth", "0", "--nodes", "300"];
        place.run(&grow).success();
        in_order(place.run(&["book", "check", game]));
    }
    let new = ["book", "new", "checkers", "--openings", "ballots", "--depth", "0"];
    let said = place.run(&new).success().stdout;
    assert!(said.contains("and 173 other positions"), "{said}");
    in_order(place.run(&["book", "check", "checkers"]));
}

#[test]
fn refusals() {
    let place = grown();
    let refused = [
        book(&place, "new", &[]).usage_error(),
        book(&place, "show", &["Q9"]).usage_error(),
        book(&place, "show", &["--position", "x"]).usage_error(),
        book(&place, "expand", &["--strategy", "luck"]).usage_error(),
        book(&place, "expand", &["--time", "soon"]).usage_error(),
        book(&place, "expand", &["--time", "200000000000000d"]).usage_error(),
        place.run(&["serve", "--grow", "x", "--time", "200000000000000d"]).usage_error(),
        book(&place, "expand", &["--omega", "nan"]).usage_error(),
        book(&place, "import", &[]).usage_error(),
        place.run(&["book", "show", "awari"]).failure(),
        place.run(&["book", "show", "nuts"]).usage_error(),
    ];
    assert_snapshot!("book_refusals", refused.concat());
    // The book of one start is not that of another.
    let other = ["kalah", "--pits", "3", "--seeds", "3"];
    place.run(&[&["book", "new"], &other[..], &["--depth", "0"]].concat()).success();
    let shown = place.run(&[&["book", "show"], &other[..]].concat()).success().stdout;
    assert!(shown.contains("3,3,3/3,3,3"), "{shown}");
}

#[test]
fn players_follow_a_book() {
    let place = grown();
    let more = ["--depth", "2", "--strategy", "proof", "--threads", "1"];
    book(&place, "expand", &more).success();
    let shown = book(&place, "show", &["--format", "json"]).json();
    let best: Vec<&str> = shown["moves"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|mv| mv["best"] == true)
        .map(|mv| mv["move"].as_str().unwrap())
        .collect();
    let file = std::fs::read_dir(place.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "book"))
        .expect("a book");
    let with_book = ["--book", file.to_str().unwrap()];

    let mut command = place.command(&[&["engine"], &KALAH[..], &with_book].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"position startpos\ngo depth 1\n").unwrap();
    let output = place.read(child.wait_with_output().unwrap()).success().stdout;
    let played = output.lines().find_map(|line| line.strip_prefix("bestmove ")).expect("a move");
    assert!(best.iter().any(|name| played.starts_with(name)), "{output} {best:?}");
    assert!(output.contains("info string book move\n"), "{output}");

    let north = ["--side", "north", "--level", "perfect", "--depth", "1"];
    let played = place.talk(&[&["play"], &KALAH[..], &with_book, &north].concat(), "quit\n");
    let output = played.success().stdout;
    let said = best.iter().any(|name| output.contains(&format!("plays {name}, from the book\n")));
    assert!(said, "{output} {best:?}");

    let record = place.path().join("games.txt");
    let to_record = ["--record", record.to_str().unwrap(), "--format", "json"];
    let contest = ["depth=1", "random", "--games", "4", "--opening-moves", "0"];
    let args = [&["match"], &KALAH[..], &contest, &with_book, &to_record].concat();
    assert!(place.run(&args).json().is_object());
    let none = ["engine", "kalah", "--book", "nowhere.book"];
    let why = place.run(&none).failure();
    assert!(why.contains("nowhere.book"), "{why}");
}

/// Opponents know a draw that was played in public, and prepare for nothing in a game that was won.
#[test]
fn only_drawn_games_are_marked_as_public() {
    let place = grown();
    let record = place.path().join("games.txt");
    let record = record.to_str().expect("a path");
    let contest = ["depth=2", "depth=1", "--games", "6", "--seed", "1", "--record", record];
    place.run(&[&["match"], &KALAH[..], &contest].concat()).success();
    let text = std::fs::read_to_string(record).expect("a record");
    let games: Vec<String> =
        text.split("[Game ").skip(1).map(|game| format!("[Game {game}")).collect();
    let is_drawn = |game: &&String| game.contains("[Result \"1/2-1/2\"]");
    let (drawn, decided): (Vec<&String>, Vec<&String>) = games.iter().partition(is_drawn);
    assert!(!drawn.is_empty() && !decided.is_empty(), "{text}");
    for (games, marked) in [(decided, false), (drawn, true)] {
        let games: String = games.into_iter().map(String::as_str).collect();
        std::fs::write(record, games).expect("a record");
        book(&place, "import", &[record, "--depth", "0"]).success();
        let nodes = book(&place, "export", &[]).success().stdout;
        assert!(nodes.contains("\"public\":false"), "{nodes}");
        assert_eq!(nodes.contains("\"public\":true"), marked, "{nodes}");
    }
}

#[test]
fn queries_leave_the_file_as_it_is() {
    let place = grown();
    let file = place.path().join("small.book");
    let named = ["--book", file.to_str().expect("a path")];
    book(&place, "new", &[&["--depth", "0"], &named[..]].concat()).success();
    let before = std::fs::read(&file).expect("a book");
    let changed = || file.metadata().and_then(|data| data.modified()).expect("a time");
    let time = changed();
    for verb in ["show", "line", "stats", "export", "dropout", "check"] {
        book(&place, verb, &named).success();
    }
    let record = place.path().join("games.txt");
    let contest =
        ["--games", "1", "depth=1", "depth=1", "--record", record.to_str().expect("a path")];
    place.run(&[&["match"], &KALAH[..], &contest, &named].concat()).success();
    assert_eq!(std::fs::read(&file).expect("a book"), before);
    assert_eq!(changed(), time);
}

#[test]
fn a_damaged_book_is_one_sentence() {
    let place = Place::new();
    let file = place.path().join("small.book");
    let named = ["--book", file.to_str().expect("a path")];
    book(&place, "new", &[&["--depth", "0"], &named[..]].concat()).success();
    let bytes = std::fs::read(&file).expect("a book");
    let mut errors = Vec::new();
    // Where a page begins there is its kind, which redb takes on trust.
    for at in [0].into_iter().chain((4096..bytes.len()).step_by(4096)) {
        let mut copy = bytes.clone();
        copy[at] ^= 0x40;
        std::fs::write(&file, copy).expect("a file");
        let run = book(&place, "export", &named);
        if run.code != Some(0) {
            errors.push(run.failure());
        }
    }
    assert!(errors.len() >= 3, "{errors:?}");
    for error in errors {
        let advice = error.trim_end().ends_with("; restore it from a copy");
        assert!(error.contains("the book is damaged: ") && advice, "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

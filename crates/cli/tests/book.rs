//! `nutcracker book`.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::{Place, Run};

const KALAH: [&str; 5] = ["kalah", "--pits", "3", "--seeds", "2"];

fn book(place: &Place, verb: &str, more: &[&str]) -> Run {
    place.run(&[&["book", verb], &KALAH[..], more].concat())
}

/// A place with a book of kalah that has grown a little.
fn grown() -> Place {
    let place = Place::new();
    let text = book(&place, "new", &["--depth", "0"]).success().stdout;
    assert!(text.contains("a book of kalah"), "{text}");
    let more = ["--depth", "0", "--expansions", "12", "--threads", "2", "--omega", "0.5"];
    let text = book(&place, "expand", &more).success().stdout;
    assert!(text.contains("as planned"), "{text}");
    place
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
    let text = book(&place, "check", &[]).success().stdout;
    assert!(text.ends_with("all in order\n"), "{text}");
    let text = book(&place, "cycles", &[]).success().stdout;
    assert!(text.starts_with("0 positions"), "{text}");
    let again = book(&place, "expand", &["--time", "1h"]).success().stdout;
    assert!(again.contains("the start position is solved"), "{again}");
}

#[test]
fn times_are_written_as_everywhere() {
    let place = grown();
    for time in ["250ms", "1m30s", "0"] {
        let more = ["--depth", "0", "--expansions", "1", "--time", time];
        book(&place, "expand", &more).success();
    }
}

#[test]
fn a_book_is_shown() {
    let place = grown();
    let table = book(&place, "show", &[]).success().stdout;
    assert!(table.contains("move") && table.contains("opponent"), "{table}");
    let lines = book(&place, "line", &["--most", "2"]).success().stdout;
    assert!(lines.lines().count() >= 2, "{lines}");
    let first = lines.lines().nth(1).unwrap().split(' ').next().unwrap().to_owned();
    book(&place, "show", &[&first]).success();
    let stats = book(&place, "stats", &["--format", "json"]).json();
    let rows = stats["depths"].as_array().unwrap();
    let nodes: u64 = rows.iter().map(|row| row["nodes"].as_u64().unwrap()).sum();
    assert_eq!(stats["total"]["nodes"], nodes);
    assert!(book(&place, "stats", &[]).success().stdout.contains("predecessors"));
    let exported = book(&place, "export", &[]).success().stdout;
    assert_eq!(exported.lines().count() as u64, nodes);
    let root: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    assert_eq!((&root["depth"], &root["state"]), (&0.into(), &"interior".into()));
    let dot = book(&place, "export", &["--format", "dot", "--plies", "1"]).success().stdout;
    assert!(dot.starts_with("digraph") && dot.contains("->"), "{dot}");
}

#[test]
fn drop_outs_are_drawn() {
    let place = grown();
    for player in ["first", "second"] {
        let run = |format| book(&place, "dropout", &["--player", player, "--format", format]);
        assert!(run("svg").success().stdout.starts_with("<svg "));
        assert!(run("csv").success().stdout.starts_with("depth,value,leaves,solved\n"));
        assert!(run("table").success().stdout.starts_with("value "));
    }
}

#[test]
fn games_are_imported() {
    let place = grown();
    let file = place.path().join("games");
    std::fs::write(&file, "# one game\n\nA\n").unwrap();
    let text = book(&place, "import", &[file.to_str().unwrap(), "--depth", "0"]).success().stdout;
    assert!(text.starts_with("1 games, "), "{text}");
    std::fs::write(&file, "A Z\n").unwrap();
    let why = book(&place, "import", &[file.to_str().unwrap(), "--depth", "0"]).failure();
    assert!(why.contains("line 1") && why.contains("\"Z\" is not a legal move"), "{why}");
    assert!(book(&place, "check", &[]).success().stdout.ends_with("all in order\n"));
}

#[test]
fn databases_answer_and_prune() {
    let place = Place::new();
    book(&place, "new", &["--depth", "0"]).success();
    book(&place, "expand", &["--depth", "0", "--expansions", "60"]).success();
    let why = book(&place, "prune", &[]).failure();
    assert!(why.contains("there are no databases"), "{why}");
    let solve = [&["solve"], &KALAH[..], &["--up-to", "8"]].concat();
    place.run(&solve).success();
    let text = book(&place, "prune", &[]).success().stdout;
    assert!(text.contains("nodes dropped"), "{text}");
    assert!(book(&place, "check", &[]).success().stdout.ends_with("all in order\n"));
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
    let run = run.success();
    assert!(run.stdout.contains(" 0 flaws"), "{}", run.stdout);
    assert!(book(&place, "check", &[]).success().stdout.ends_with("all in order\n"));
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
        let text = place.run(&["book", "check", game]).success().stdout;
        assert!(text.ends_with("all in order\n"), "{text}");
    }
}

#[test]
fn refusals() {
    let place = grown();
    let refused = [
        (book(&place, "new", &[]).usage_error(), "already exists"),
        (book(&place, "show", &["Q9"]).usage_error(), "is not a legal move"),
        (book(&place, "show", &["--position", "x"]).usage_error(), "nutcracker: "),
        (book(&place, "expand", &["--strategy", "luck"]).usage_error(), "no strategy"),
        (book(&place, "expand", &["--time", "soon"]).usage_error(), "is not a time"),
        (book(&place, "expand", &["--omega", "nan"]).usage_error(), "--omega"),
        (place.run(&["book", "show", "awari"]).failure(), "book new"),
        (place.run(&["book", "show", "nuts"]).usage_error(), "there is no game"),
    ];
    for (text, part) in refused {
        assert!(text.contains(part), "{text}");
    }
    // The book of one game is not the book of another.
    let file = place.path().join("kalah-pits3-empty-captureno-play-onno-seeds2.book");
    let file = file.to_str().expect("UTF-8");
    let why = place.run(&["book", "show", "awari", "--book", file]).usage_error();
    assert!(why.contains("the book is for kalah"), "{why}");
    // Nor is the book of one start that of another.
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

    let record = place.path().join("games.txt");
    let to_record = ["--record", record.to_str().unwrap(), "--format", "json"];
    let contest = ["depth=1", "random", "--games", "4", "--opening-moves", "0"];
    let args = [&["match"], &KALAH[..], &contest, &with_book, &to_record].concat();
    assert!(place.run(&args).json().is_object());
    let none = ["engine", "kalah", "--book", "nowhere.book"];
    let why = place.run(&none).failure();
    assert!(why.contains("nowhere.book"), "{why}");
}

//! Books in PostgreSQL: the same as in a file, with processes killed and servers restarted.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nutcracker_postgres::testing::{Durable, Server};

use crate::harness::{Place, Run};
use crate::serve::{Serving, end, get, start};

/// A game that is solved at once, and one that takes some seconds.
const SMALL: [&str; 5] = ["kalah", "--pits", "3", "--seeds", "2"];
const LARGER: [&str; 5] = ["kalah", "--pits", "4", "--seeds", "4"];
/// How they are grown: always in the same way.
const QUICK: [&str; 6] = ["--depth", "0", "--strategy", "proof", "--threads", "1"];
const SLOW: [&str; 6] = ["--depth", "9", "--strategy", "proof", "--threads", "1"];

fn url(server: &Server, name: &str) -> String {
    format!("{}&book={name}", server.url())
}

fn book(place: &Place, verb: &str, book: &str, more: &[&str]) -> Run {
    place.run(&[&["book", verb, "--book", book], more].concat())
}

/// The same game grown in a file, exported.
fn expected(place: &Place, game: &[&str], growth: &[&str]) -> String {
    let file = place.path().join("expected.book");
    let file = file.to_str().expect("UTF-8");
    book(place, "new", file, &[game, &growth[..2]].concat()).success();
    book(place, "expand", file, growth).success();
    book(place, "export", file, &[]).success().stdout
}

fn in_order(place: &Place, url: &str) {
    let text = book(place, "check", url, &[]).success().stdout;
    assert!(text.ends_with("all in order\n"), "{text}");
}

/// Starts to grow a book, and waits until it has grown.
fn growing(place: &Place, url: &str, more: &[&str]) -> Serving {
    let args = [&["book", "expand", "--book", url], more].concat();
    let before = nodes(place, url);
    let mut command = place.command(&args);
    let child: Child =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut child = Serving(child);
    while nodes(place, url) == before {
        assert!(child.0.try_wait().expect("a child").is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn nodes(place: &Place, url: &str) -> u64 {
    let stats = book(place, "stats", url, &["--format", "json"]).json();
    stats["total"]["nodes"].as_u64().expect("a number")
}

#[test]
fn a_book_in_postgresql_is_the_same_as_in_a_file() {
    let Some(server) = Server::start(Durable::No) else { return };
    let place = Place::in_memory();
    let expected = expected(&place, &SMALL, &QUICK);
    let first = url(&server, "kalah");
    let missing = book(&place, "stats", &first, &[]).failure();
    assert!(missing.contains("there is no book postgres://postgres@/postgres?host="), "{missing}");
    book(&place, "new", &first, &[&SMALL[..], &["--depth", "0"]].concat()).success();
    book(&place, "expand", &first, &QUICK).success();
    assert!(book(&place, "export", &first, &[]).success().stdout == expected);
    in_order(&place, &first);
    let again = book(&place, "new", &first, &SMALL).usage_error();
    assert!(again.contains("already exists; choose another name"), "{again}");
    let compacted = book(&place, "compact", &first, &[]).success().stdout;
    assert_eq!(compacted, "vacuumed; PostgreSQL uses the space again\n");
    // Two books in a database, one made of the other.
    let exported = place.path().join("exported.json");
    let json = book(&place, "export", &first, &["--format", "json"]).success().stdout;
    std::fs::write(&exported, &json).expect("a file");
    let second = url(&server, "other-kalah");
    let exported = exported.to_str().expect("UTF-8");
    book(&place, "import", &second, &[exported]).success();
    let copied = book(&place, "export", &second, &["--format", "json"]).success().stdout;
    assert_eq!(copied.lines().count(), json.lines().count());
    in_order(&place, &second);
    let merged = book(&place, "merge", &second, &[&first]).success().stdout;
    assert!(merged.starts_with("0 new nodes"), "{merged}");
    // The password is nowhere.
    for wrong in ["postgres://me:secret@127.0.0.1:1/b", "postgres://me:secret@h:port/b"] {
        let refused = book(&place, "stats", wrong, &[]).failure();
        assert!(!refused.contains("secret"), "{refused}");
    }
}

#[test]
fn growth_survives_kills_and_restarts() {
    let Some(server) = Server::start(Durable::No) else { return };
    let place = Place::in_memory();
    let expected = expected(&place, &LARGER, &SLOW);
    let kept = url(&server, "kept");
    book(&place, "new", &kept, &[&LARGER[..], &["--depth", "0"]].concat()).success();
    // Killed: nothing that was committed is lost.
    for _ in 0..2 {
        let mut child = growing(&place, &kept, &["--depth", "9", "--threads", "1"]);
        let refused = book(&place, "expand", &kept, &QUICK).failure();
        assert!(refused.contains("is in use by another process"), "{refused}");
        let before = nodes(&place, &kept);
        child.0.kill().expect("it is killed");
        child.0.wait().expect("it ends");
        in_order(&place, &kept);
        assert!(nodes(&place, &kept) >= before);
        book(&place, "cycles", &kept, &[]).success();
    }
    // The database is restarted: it goes on, and ends as if nothing had happened.
    let restarted = url(&server, "restarted");
    book(&place, "new", &restarted, &[&LARGER[..], &SLOW[..2]].concat()).success();
    let mut child = growing(&place, &restarted, &SLOW);
    let mut restarts = 0;
    while restarts < 4 && child.0.try_wait().expect("a child").is_none() {
        server.stop();
        std::thread::sleep(Duration::from_millis(100));
        server.restart();
        std::thread::sleep(Duration::from_millis(200));
        restarts += 1;
    }
    assert!(restarts > 0);
    let ended = child.0.wait().expect("it ends");
    assert!(ended.success(), "{ended}");
    assert!(book(&place, "export", &restarted, &[]).success().stdout == expected);
    in_order(&place, &restarted);
}

/// Waits until an answer has something in it.
fn until(address: &str, uri: &str, done: impl Fn(&str) -> bool) {
    let began = Instant::now();
    loop {
        let answer = get(address, uri);
        if done(&answer) {
            return;
        }
        assert!(began.elapsed() < Duration::from_mins(1), "{answer}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_second_server_takes_over() {
    let Some(server) = Server::start(Durable::No) else { return };
    let place = Place::in_memory();
    let shared = url(&server, "shared");
    book(&place, "new", &shared, &[&LARGER[..], &["--depth", "0"]].concat()).success();
    let uri = "/api/v1/games/kalah/book?options=pits=4,seeds=4";
    let grow =
        |more: &[&str]| start(&place, &[&["--grow", &shared, "--depth", "0"], more].concat());
    // The first grows slowly to play; the second would solve it.
    let (mut first, one) = grow(&["--threads", "1"]);
    until(&one, uri, |answer| answer.contains("\"growing\":true"));
    let (mut second, two) = grow(&["--strategy", "proof", "--threads", "1"]);
    let nodes = |answer: &str| {
        let at = answer.split_once("\"nodes\":").map(|(_, rest)| rest.to_owned());
        let digits = at.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect());
        digits.and_then(|digits: String| digits.parse::<u64>().ok()).unwrap_or(0)
    };
    // It reads what the first writes.
    let before = nodes(&get(&two, uri));
    until(&two, uri, |answer| nodes(answer) > before && answer.contains("\"growing\":false"));
    first.0.kill().expect("it is killed");
    first.0.wait().expect("it ends");
    until(&two, uri, |answer| {
        answer.contains("\"growing\":true") || answer.contains("\"exact\":true")
    });
    assert_eq!(end(&mut second), Some(0));
    in_order(&place, &shared);
}

/// A person waits for an answer: what is gone is said at once, and what comes back is used again.
#[test]
fn a_request_does_not_wait_for_a_database_that_is_gone() {
    let Some(server) = Server::start(Durable::No) else { return };
    let place = Place::in_memory();
    let shown = url(&server, "shown");
    book(&place, "new", &shown, &[&LARGER[..], &["--depth", "0"]].concat()).success();
    let (_serving, address) = start(&place, &["--grow", &shown, "--depth", "0", "--threads", "1"]);
    let uri = "/api/v1/games/kalah/book?options=pits=4,seeds=4";
    until(&address, uri, |answer| answer.contains("\"growing\":true"));
    server.stop();
    // Growth notices it first.
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    let answer = get(&address, uri);
    let waited = began.elapsed();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(waited < Duration::from_secs(20), "{waited:?}");
    server.restart();
    until(&address, uri, |answer| answer.starts_with("HTTP/1.1 200 "));
}

//! `serve` as it is started and ended.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command};

use crate::harness::Place;

/// A server that does not outlive its test, also where that fails: it would keep ports, books and
/// inherited locks.
pub struct Serving(pub Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server and waits for the address it prints.
pub fn start(place: &Place, more: &[&str]) -> (Serving, String) {
    let child = place.spawn(&[&["serve", "--listen", "127.0.0.1:0"], more].concat());
    let mut child = Serving(child);
    let mut line = String::new();
    let stdout = child.0.stdout.as_mut().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
    let address = address.expect("an address").to_owned();
    (child, address)
}

pub fn get(address: &str, uri: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(stream, "GET {uri} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[cfg(unix)]
pub fn end(Serving(child): &mut Serving) -> Option<i32> {
    let signalled =
        Command::new("kill").arg(child.id().to_string()).status().expect("a signal is sent");
    assert!(signalled.success());
    child.wait().expect("it ends").code()
}

#[cfg(unix)]
#[test]
fn it_serves_what_probe_prints_and_ends_on_a_signal() {
    let place = Place::with_awari(6);
    let (mut child, address) = start(&place, &[]);
    let position = "0,0,1,0,1,2/0,1,1,0,0,0 S 20-22";
    let probed = place.run(&["probe", "awari", position, "--format", "json"]).json();
    let uri = format!("/api/v1/games/awari/probe?position={}", position.replace(' ', "%20"));
    let answer = get(&address, &uri);
    let expected = format!("\"value\":{{\"points\":{},\"exact\":true,", probed["value"]["points"]);
    assert!(answer.contains(&expected), "{answer}");
    assert!(get(&address, "/").contains("<title>Nutcracker</title>"));
    assert_eq!(end(&mut child), Some(0));
}

#[cfg(unix)]
#[test]
fn a_book_grows_while_it_is_served() {
    let place = Place::new();
    place.run(&["book", "new", "kalah", "--pits", "3", "--seeds", "2"]).success();
    let book = place.path().join("kalah-pits3-empty-captureno-play-onno-seeds2.book");
    let book = book.to_str().expect("UTF-8");
    let (mut child, address) =
        start(&place, &["--grow", book, "--strategy", "proof", "--depth", "0"]);
    let uri = "/api/v1/games/kalah/book?options=pits=3,seeds=2";
    let solved = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let answer = get(&address, uri);
        answer.contains("\"exact\":true") && answer.contains("\"growing\":false")
    });
    assert!(solved, "{}", get(&address, uri));
    // Another process explains in a sentence why it cannot open the book.
    let refused = place.run(&["book", "stats", "kalah", "--pits", "3", "--seeds", "2"]).failure();
    assert!(
        refused.contains("kalah-pits3-empty-captureno-play-onno-seeds2.book is in use"),
        "{refused}"
    );
    assert_eq!(end(&mut child), Some(0));
    let refused =
        place.run(&["serve", "--listen", "127.0.0.1:0", "--grow", "nowhere.book"]).failure();
    assert!(refused.contains("there is no book nowhere.book"), "{refused}");
}

/// The rules that a book names only by leaving them out are found, and the longest time is no limit.
#[cfg(unix)]
#[test]
fn a_book_of_other_rules_grows_while_it_is_served() {
    let place = Place::in_memory();
    let book = place.path().join("on.book");
    let book = book.to_str().expect("UTF-8");
    let rules = ["kalah", "--pits", "2", "--seeds", "1", "--play-on", "--depth", "0"];
    place.run(&[&["book", "new", "--book", book], &rules[..]].concat()).success();
    let growth = ["--strategy", "proof", "--depth", "0", "--time", "1000d"];
    let (mut child, address) = start(&place, &[&["--grow", book], &growth[..]].concat());
    let uri = "/api/v1/games/kalah/book?options=pits=2,seeds=1,play-on=yes";
    let solved = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let answer = get(&address, uri);
        answer.contains("\"exact\":true") && answer.contains("\"growing\":false")
    });
    assert!(solved, "{}", get(&address, uri));
    assert_eq!(end(&mut child), Some(0));
}

#[test]
fn usage_errors_are_reported() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    let refused = place.run(&["serve", "--listen", &taken]).failure();
    assert!(refused.contains("choose another with --listen"), "{refused}");
    let refused = place.run(&["serve", "--listen", "nowhere"]).usage_error();
    assert!(refused.contains("--listen"), "{refused}");
    let refused = place.run(&["serve", "--cors", "example.org"]).usage_error();
    assert!(refused.contains("https://example.org"), "{refused}");
}

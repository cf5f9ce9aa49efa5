//! A server and workers as processes: they are killed, restarted, and refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nutcracker_postgres::testing::{Durable, Server};
use serde_json::{Value, json};

use crate::harness::Place;
use crate::tls_relay;

/// A process that does not outlive its test.
struct Process(Child);

impl Process {
    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.0.id().to_string()]).status();
        assert!(sent.expect("a signal is sent").success());
    }

    /// Ends it without any chance to tidy up.
    fn kill(mut self) {
        self.0.kill().expect("a signal is sent");
        self.0.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const RULES: [&str; 5] = ["kalah", "--pits", "3", "--seeds", "2"];

/// A book, a file of tokens, and a port that stays the same when the server is started again.
struct Ground {
    place: Place,
    book: String,
    port: u16,
    token: String,
}

impl Ground {
    fn new() -> Self {
        let place = Place::in_memory();
        let book = place.path().join("k.book").to_str().expect("UTF-8").to_owned();
        Ground::with(place, book)
    }

    /// With a book elsewhere.
    fn with(place: Place, book: String) -> Self {
        let ground = Ground { port: free_port(), token: String::new(), place, book };
        let new = [&["book", "new", "--book", &ground.book, "--depth", "0"], &RULES[..]].concat();
        ground.place.run(&new).success();
        let token = ground.issue("ann", "work");
        Ground { token, ..ground }
    }

    fn file(&self, name: &str) -> String {
        self.place.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    fn issue(&self, name: &str, role: &str) -> String {
        let tokens = self.file("tokens");
        let args = ["token", "new", name, "--role", role, "--tokens", &tokens];
        self.place.run(&args).success().stdout.trim().to_owned()
    }

    /// Starts the server and waits until it listens.
    fn serve(&self, more: &[&str]) -> Process {
        self.serve_at(self.port, more)
    }

    fn serve_at(&self, port: u16, more: &[&str]) -> Process {
        let (listen, tokens) = (format!("127.0.0.1:{port}"), self.file("tokens"));
        let args = ["serve", "--listen", &listen, "--grow", &self.book, "--tokens", &tokens];
        let growth = ["--strategy", "proof", "--depth", "0"];
        let mut child = self.place.spawn(&[&args[..], &growth[..], more].concat());
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        assert!(line.starts_with("http://"), "{line}");
        Process(child)
    }

    fn worker(&self, name: &str, more: &[&str]) -> Process {
        let url = format!("http://127.0.0.1:{}", self.port);
        let mut command = self.worker_of(&url, name, more);
        Process(command.spawn().expect("the program starts"))
    }

    fn worker_of(&self, url: &str, name: &str, more: &[&str]) -> Command {
        let args = ["worker", url, "--name", name, "--threads", "1"];
        let mut command = self.place.command(&[&args[..], more].concat());
        command.env("NUTCRACKER_TOKEN", &self.token);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    fn status(&self) -> Option<Value> {
        let answer = get(self.port, "/api/v1/fleet/status")?;
        serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
    }

    fn post(&self, what: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let (length, token) = (body.len(), &self.token);
        write!(
            stream,
            "POST /api/v1/fleet/{what} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             authorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        )
        .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// Waits until the state of the fleet is as it should be.
    fn wait(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..1200 {
            if let Some(status) = self.status().filter(|status| is_so(status)) {
                return status;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{what} does not happen: {:?}", self.status());
    }

    /// The book is whole, and solved as one process solves it.
    fn check(&self) {
        let book = &self.book;
        self.place.run(&["book", "check", "--book", book]).success();
        let alone = self.file("alone.book");
        let new = [&["book", "new", "--book", &alone, "--depth", "0"], &RULES[..]].concat();
        self.place.run(&new).success();
        let expand = |book: &str| {
            let args = ["book", "expand", "--book", book, "--strategy", "proof", "--depth", "0"];
            self.place.run(&[&args[..], &["--format", "json"]].concat()).json()
        };
        let (ours, other) = (expand(book), expand(&alone));
        for field in ["ended", "lower", "upper"] {
            assert_eq!(ours[field], other[field], "{field}");
        }
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn get(port: u16, uri: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET {uri} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

fn solved(status: &Value) -> bool {
    status["ended"] == "the book is solved"
}

/// A worker that is killed loses its lease, not the book's work.
#[cfg(unix)]
#[test]
fn a_killed_worker_costs_a_lease() {
    let ground = Ground::new();
    let mut server = ground.serve(&["--lease", "1s"]);
    // One takes the first job and is never heard of again; another one is killed in between.
    ground.wait("a job", |status| status["ready"].as_u64() > Some(0));
    let taken = ground.post("acquire", r#"{"protocol":1,"name":"gone","positions":5}"#);
    assert!(taken.contains("\"positions\":["), "{taken}");
    let lost = ground.worker("lost", &["--depth", "0"]);
    ground.wait("the first lease to expire", |status| status["expired"].as_u64() > Some(0));
    ground.wait("work", |status| status["book"]["expansions"].as_u64() > Some(0));
    lost.kill();
    let quick = ground.worker("quick", &["--depth", "0"]);
    let status = ground.wait("the end", solved);
    assert!(status["workers"].as_array().is_some_and(|all| all.len() >= 2), "{status}");
    // Ctrl-C: it says what it did, and what it returned.
    quick.signal("-INT");
    let mut quick = quick;
    let mut said = String::new();
    quick.0.stderr.as_mut().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!(quick.0.wait().expect("it ends").code(), Some(130), "{said}");
    assert!(said.contains("nutcracker: stopped: ") && said.contains("jobs accepted"), "{said}");
    assert!(!said.contains(&ground.token), "{said}");
    server.signal("-TERM");
    assert_eq!(server.0.wait().expect("it ends").code(), Some(0));
    ground.check();
}

/// A server that is killed and started again goes on where it was; its workers wait for it.
#[cfg(unix)]
#[test]
fn a_killed_server_loses_nothing() {
    let ground = Ground::new();
    // Jobs in an answer that a killed server did not send are free again when their leases end.
    let mut server = ground.serve(&["--lease", "2s"]);
    let _workers = [ground.worker("a", &["--depth", "0"]), ground.worker("b", &["--depth", "0"])];
    let mut before = 0;
    for _ in 0..3 {
        let status = ground.wait("growth", |status| {
            status["book"]["expansions"].as_u64() > Some(before) || solved(status)
        });
        before = status["book"]["expansions"].as_u64().expect("a number");
        server.kill();
        server = ground.serve(&["--lease", "2s"]);
        let after = ground.wait("a start", |_| true)["book"]["expansions"].as_u64();
        assert!(after >= Some(before), "{after:?} after {before}");
    }
    ground.wait("the end", solved);
    server.signal("-TERM");
    server.0.wait().expect("it ends");
    ground.check();
}

/// Two servers with one book in PostgreSQL: the second waits, and takes the fleet over when the first
/// is killed; PostgreSQL itself is restarted in between.
#[cfg(unix)]
#[test]
fn a_second_server_takes_the_fleet_over() {
    let Some(postgres) = Server::start(Durable::No) else { return };
    let mut ground = Ground::with(Place::in_memory(), format!("{}&book=fleet", postgres.url()));
    let first = ground.serve(&["--lease", "2s"]);
    ground.wait("a job", |status| status["ready"].as_u64() > Some(0));
    let second = free_port();
    let mut standby = ground.serve_at(second, &["--lease", "2s"]);
    let other = format!("http://127.0.0.1:{second}");
    let taken = ground.post("acquire", r#"{"protocol":1,"name":"gone","positions":5}"#);
    assert!(taken.contains("\"positions\":["), "{taken}");
    let _workers = ["a", "b"].map(|name| ground.worker(name, &[&other, "--depth", "0"]));
    ground.wait("growth", |status| status["book"]["expansions"].as_u64() > Some(0));
    postgres.stop();
    std::thread::sleep(Duration::from_millis(200));
    postgres.restart();
    let before = ground
        .wait("growth", |status| status["book"]["expansions"].as_u64() > Some(2) || solved(status));
    // The second hands out nothing while the first does.
    let owner = std::mem::replace(&mut ground.port, second);
    let refused = ground.post("acquire", r#"{"protocol":1,"name":"c","positions":5}"#);
    assert!(refused.contains("503") && refused.contains("another server grows"), "{refused}");
    first.kill();
    assert!(get(owner, "/health").is_none());
    let after = ground.wait("the end", solved);
    assert!(after["book"]["expansions"].as_u64() >= before["book"]["expansions"].as_u64());
    standby.signal("-TERM");
    assert_eq!(standby.0.wait().expect("it ends").code(), Some(0));
    ground.check();
}

/// A bound counts if its proof replays and is of that position; else it is a guess.
#[test]
fn proofs_are_replayed() {
    let ground = Ground::new();
    let _server = ground.serve(&[]);
    ground.wait("a job", |status| status["ready"].as_u64() > Some(0));
    let answer = ground.post("acquire", r#"{"protocol":1,"name":"w","positions":5}"#);
    let body = answer.split_once("\r\n\r\n").expect("a body").1;
    let work: Value = serde_json::from_str(body).expect("JSON");
    let job = &work["jobs"][0];
    let positions: Vec<&str> =
        job["positions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(positions.len() >= 2, "{job}");
    let file = ground.file("proof.txt");
    let more = [positions[0], "--proof", &file, "--format", "json"];
    let proven = ground.place.run(&[&["prove"], &RULES[..], &more[..]].concat()).json();
    let proof = std::fs::read_to_string(&file).expect("a proof");
    let score = proven["lower"].as_i64().expect("a score");
    assert_eq!(proven["upper"].as_i64(), Some(score), "{proven}");
    // The proof of the first position proves nothing about the second.
    let values: Vec<Value> = positions
        .iter()
        .enumerate()
        .map(|(place, position)| match place {
            0 | 1 => {
                json!({ "position": position, "lower": score, "upper": score, "proof": proof })
            }
            _ => json!({ "position": position, "guess": 0.5 }),
        })
        .collect();
    let results = json!([{ "job": job["job"], "values": values }]);
    let body = json!({ "protocol": 1, "name": "w", "positions": 0, "results": results });
    let taken = ground.post("submit", &body.to_string());
    assert!(taken.contains("\"accepted\""), "{taken}");
    let status = ground.wait("it is applied", |status| status["book"]["expansions"] == 1);
    assert_eq!(status["accounts"][0]["broken_proofs"], 1, "{status}");
    for (place, position) in positions.iter().enumerate() {
        let position = position.replace(' ', "%20");
        let uri =
            format!("/api/v1/games/kalah/book/node?options=pits=3,seeds=2&position={position}");
        let node = get(ground.port, &uri).expect("an answer");
        assert_eq!(node.contains("\"exact\":true"), place == 0, "{position}: {node}");
    }
}

#[test]
fn refusals_are_sentences() {
    let ground = Ground::new();
    let url = format!("http://127.0.0.1:{}", ground.port);
    let tokens = ground.file("tokens");
    let refused = ground.place.run(&["worker", &url]).usage_error();
    assert!(refused.contains("a token is needed"), "{refused}");
    let refused = ground.place.run(&["worker", "nowhere", "--token", "x"]).usage_error();
    assert!(refused.contains("is no address"), "{refused}");
    let again = ["token", "new", "ann", "--tokens", &tokens];
    assert!(ground.place.run(&again).usage_error().contains("there is a token \"ann\" already"));
    let listed = ground.place.run(&["token", "list", "--tokens", &tokens]).success().stdout;
    assert!(listed.contains("ann") && listed.contains("work") && !listed.contains("nut_"));
    let server = ground.serve(&[]);
    let wrong = ground.place.run(&["worker", &url, "--token", "nut_wrong"]).failure();
    assert!(wrong.contains("the token is unknown or revoked"), "{wrong}");
    ground.place.run(&["token", "revoke", "ann", "--tokens", &tokens]).success();
    let revoked = ground.place.run(&["worker", &url, "--token", &ground.token]).failure();
    assert!(revoked.contains("the token is unknown or revoked"), "{revoked}");
    let token = ground.issue("bob", "propose");
    let weak = ground.place.run(&["worker", &url, "--token", &token]).failure();
    assert!(weak.contains("the token has the role propose"), "{weak}");
    drop(server);
    let refused = ground.place.run(&["serve", "--tokens", &tokens]).usage_error();
    assert!(refused.contains("--grow"), "{refused}");
}

/// A worker trusts the certificates that the system does, and no others.
#[test]
fn workers_use_https() {
    let ground = Ground::new();
    let _server = ground.serve(&[]);
    let url = format!("https://localhost:{}", tls_relay::start(ground.port));
    let trusting = |certificate: &str, name: &str| {
        let certificates = ground.file(&format!("{name}.pem"));
        std::fs::write(&certificates, certificate).expect("a file");
        let mut command = ground.worker_of(&url, name, &["--depth", "2"]);
        command.env("SSL_CERT_FILE", certificates).env_remove("SSL_CERT_DIR");
        Process(command.spawn().expect("the program starts"))
    };
    let mut stranger = trusting(tls_relay::OTHER, "stranger");
    let mut line = String::new();
    let stderr = stranger.0.stderr.take().expect("a pipe");
    BufReader::new(stderr).read_line(&mut line).expect("a line");
    assert!(line.contains("does not answer") && line.contains("certificate"), "{line}");
    let _worker = trusting(tls_relay::CERTIFICATE, "friend");
    ground.wait("the end", solved);
}

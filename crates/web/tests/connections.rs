//! Real connections: streams, slow clients, and the end.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use nutcracker_book::store::{self, Access};
use nutcracker_web::{App, Config, Server};
use serde_json::Value;

use crate::common::{book, config, run};

/// Serves while `client` runs on a thread of its own, then stops.
fn serving(config: Config, client: impl FnOnce(SocketAddr) + Send + 'static) {
    run(async {
        let app = App::new(config).expect("a server");
        let server = Server::bind(app).await.expect("an address");
        let address = server.address().expect("an address");
        let (done, wait) = tokio::sync::oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let _done = done;
            client(address);
        });
        server
            .run(async {
                let _ = wait.await;
            })
            .await;
        assert!(thread.join().is_ok());
    });
}

fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).expect("a connection")
}

fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = connect(address);
    stream.write_all(request.as_bytes()).expect("a request is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn get(address: SocketAddr, uri: &str) -> String {
    exchange(
        address,
        &format!("GET {uri} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"),
    )
}

/// A request for a search of ten minutes.
const SEARCH: &[u8] =
    b"GET /api/v1/games/awari/search?seconds=600 HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// Begins a search.
fn search(address: SocketAddr) -> TcpStream {
    let mut stream = connect(address);
    stream.write_all(SEARCH).expect("a request is sent");
    stream
}

/// Reads until a text has come, and gives what came.
fn read_until(stream: &mut TcpStream, text: &str) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    // Streams are kept alive: a read that comes is not yet what is awaited.
    let end = Instant::now() + Duration::from_mins(1);
    let (mut read, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let found = String::from_utf8_lossy(&read).into_owned();
        if found.contains(text) {
            return found;
        }
        assert!(Instant::now() < end, "no {text:?} in {found}");
        let length = stream.read(&mut piece).unwrap_or_else(|error| panic!("{error}: {found}"));
        assert!(length > 0, "no {text:?} in {found}");
        read.extend_from_slice(&piece[..length]);
    }
}

#[test]
fn a_small_set_is_built_with_progress() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut config = config();
    config.data = dir.path().to_owned();
    serving(config, |address| {
        let body = r#"{"game":"awari","options":"pits=2"}"#;
        let order = format!(
            "POST /api/v1/jobs HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = exchange(address, &order);
        assert!(answer.starts_with("HTTP/1.1 202") && answer.contains("location: /api/v1/jobs/1"));
        let events = get(address, "/api/v1/jobs/1/events");
        assert!(events.contains("text/event-stream"));
        let last = events.lines().filter_map(|line| line.strip_prefix("data:")).next_back();
        let job: Value = serde_json::from_str(last.expect("an event").trim()).expect("JSON");
        assert_eq!((&job["state"], &job["slices"][16]), (&"done".into(), &"16".into()));
        assert_eq!(job["solved"], job["total"]);
        let start = get(address, "/api/v1/games/awari/probe?options=pits=2");
        assert!(start.contains("\"exact\":true"), "{start}");
    });
    drop(dir);
}

#[test]
fn a_server_for_others_builds_nothing() {
    let mut config = config();
    config.builds = false;
    serving(config, |address| {
        let order = "POST /api/v1/jobs HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: 16\r\n\r\n{\"game\":\"awari\"}";
        let answer = exchange(address, order);
        assert!(answer.starts_with("HTTP/1.1 409") && answer.contains("/api#not-building"));
    });
}

#[test]
fn slow_and_broken_clients_are_dropped() {
    let mut config = config();
    config.limits.client_time = Duration::from_millis(100);
    config.limits.request_time = Duration::from_millis(200);
    serving(config, |address| {
        // Never finishes its head: the server ends the connection.
        let mut stream = connect(address);
        stream.write_all(b"GET / HT").expect("a piece is sent");
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        // Never sends a request, or never another one.
        let _ = connect(address).read_to_end(&mut rest);
        let mut stream = connect(address);
        stream
            .write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .expect("a request is sent");
        let _ = stream.read_to_end(&mut rest);
        // Announces a body that is too large: it is not awaited.
        let answer = exchange(
            address,
            "POST /api/v1/games/awari/probe HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/json\r\ncontent-length: 99999999999999\r\n\r\n{",
        );
        assert!(answer.contains("413") && answer.contains("/api#too-large"), "{answer}");
        // Never sends its body: a problem.
        let answer = exchange(
            address,
            "POST /api/v1/games/awari/probe HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/json\r\ncontent-length: 50\r\n\r\n{",
        );
        assert!(answer.contains("408") && answer.contains("/api#too-slow"), "{answer}");
        for nonsense in ["\0\u{1}\r\n\r\n", "GET  / \r\n\r\n", "POST / HTTP/9.9\r\n\r\n"] {
            let mut stream = connect(address);
            stream.write_all(nonsense.as_bytes()).expect("nonsense is sent");
            let _ = stream.read_to_end(&mut rest);
        }
        assert!(get(address, "/health").starts_with("HTTP/1.1 200"));
    });
}

#[test]
fn a_search_ends_when_its_client_goes_away() {
    let mut config = config();
    config.limits.searches = 1;
    config.limits.search_time = Duration::from_mins(10);
    config.limits.request_time = Duration::from_mins(10);
    serving(config, |address| {
        // Each of them has the only slot after the one before has disconnected.
        for _ in 0..3 {
            read_until(&mut search(address), "event: report");
        }
    });
}

#[test]
fn a_search_is_told_its_place_in_the_line() {
    let mut config = config();
    config.limits.searches = 1;
    config.limits.search_time = Duration::from_mins(10);
    serving(config, |address| {
        let mut first = search(address);
        read_until(&mut first, "event: report");
        let mut second = search(address);
        assert!(read_until(&mut second, "\"place\":1}").contains("event: queued"));
        let mut third = search(address);
        read_until(&mut third, "\"place\":2}");
        drop(second);
        read_until(&mut third, "\"place\":1}");
        drop(first);
        read_until(&mut third, "event: report");
    });
}

#[test]
fn one_client_does_not_take_every_slot() {
    let mut config = config();
    config.limits.search_time = Duration::from_mins(10);
    serving(config, |address| {
        // Each begins when the one before has its slot or its place: requests on connections of
        // their own may overtake one another.
        let mut searches = Vec::new();
        for event in ["event: report", "event: report", "event: queued", "event: queued"] {
            let mut stream = search(address);
            read_until(&mut stream, event);
            searches.push(stream);
        }
        // Another address has slots of its own. On Linux all of 127.0.0.0/8 is this machine.
        #[cfg(target_os = "linux")]
        {
            let mut other = connect_from(([127, 0, 0, 2], 0).into(), address);
            other.write_all(SEARCH).expect("a request is sent");
            read_until(&mut other, "event: report");
        }
    });
}

/// A connection from an address of this machine.
#[cfg(target_os = "linux")]
fn connect_from(source: SocketAddr, address: SocketAddr) -> TcpStream {
    let stream = run(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind(source)?;
        socket.connect(address).await?.into_std()
    });
    let stream = stream.expect("a connection");
    stream.set_nonblocking(false).expect("it blocks");
    stream
}

#[test]
fn databases_answer_while_every_search_slot_is_taken() {
    let mut config = config();
    config.limits.searches = 2;
    config.limits.queue_time = Duration::from_millis(200);
    serving(config, |address| {
        let mut searches: Vec<TcpStream> = (0..2).map(|_| search(address)).collect();
        for stream in &mut searches {
            read_until(stream, "event: report");
        }
        let position = "position=0,0,1,0,1,2/0,1,2,0,0,0%20S%2020-21";
        for uri in [
            format!("/api/v1/games/awari/reply?{position}"),
            format!("/api/v1/games/awari/reply?{position}&level=3"),
            "/api/v1/games/awari/random?slice=7".to_owned(),
            "/api/v1/games/awari/slices".to_owned(),
            format!("/api/v1/games/awari/line?{position}&moves=F2"),
            format!("/api/v1/games/awari/best-line?{position}"),
            "/api/v1/games/kalah/book?options=pits=3,seeds=2".to_owned(),
            "/api/v1/games/kalah/reply?options=pits=3,seeds=2&book=true".to_owned(),
        ] {
            let answer = get(address, &uri);
            assert!(answer.starts_with("HTTP/1.1 200"), "{uri}: {answer}");
        }
        // What has to be searched waits, and is refused at last.
        let answer = get(address, "/api/v1/games/awari/reply");
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
        drop(searches);
        let answer = get(address, "/api/v1/games/awari/reply");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    });
}

#[test]
fn a_malformed_head_is_answered() {
    serving(config(), |address| {
        let many = "x: 1\r\n".repeat(150);
        let [long, longer] = [70_000, 400_000].map(|length| "a".repeat(length));
        for (head, status) in [
            ("\u{1}\u{2}\r\n\r\n".to_owned(), "400"),
            ("GET  / \r\n\r\n".to_owned(), "400"),
            ("GET / HTTP/9.9\r\n\r\n".to_owned(), "400"),
            ("GET / HTTP/1.1\r\nhost localhost\r\n\r\n".to_owned(), "400"),
            (format!("GET /health HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"), "431"),
            (format!("GET /health HTTP/1.1\r\nhost: localhost\r\nx: {longer}\r\n\r\n"), "431"),
            (format!("GET /{long} HTTP/1.1\r\nhost: localhost\r\n\r\n"), "414"),
        ] {
            let mut stream = connect(address);
            // The server may answer before it has read all of it.
            let _ = stream.write_all(head.as_bytes());
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            let answer = String::from_utf8_lossy(&answer);
            let shown: String = head.chars().take(60).collect();
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{shown:?}: {answer:?}");
        }
    });
}

#[test]
fn an_idle_book_is_closed() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = book(dir.path());
    let mut config = config();
    dir.path().clone_into(&mut config.data);
    config.limits.book_idle = Duration::from_millis(50);
    serving(config, move |address| {
        let uri = "/api/v1/games/kalah/book?options=pits=3,seeds=2";
        let open = || store::open(&file.as_path().into(), Access::Write, 1 << 20);
        for _ in 0..2 {
            assert!(get(address, uri).starts_with("HTTP/1.1 200"));
            while open().is_err() {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        // If another process has it open, the response is an error.
        let held = loop {
            match open() {
                Ok(store) => break store,
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let answer = get(address, uri);
        assert!(answer.starts_with("HTTP/1.1 409") && answer.contains("/api#book-in-use"));
        drop(held);
        assert!(get(address, uri).starts_with("HTTP/1.1 200"));
    });
    drop(dir);
}

#[test]
fn shutdown_is_graceful() {
    let (sender, receiver) = mpsc::channel();
    serving(config(), move |address| {
        // An idle connection does not hold the server up.
        let mut idle = connect(address);
        idle.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .expect("a request is sent");
        let mut first = [0; 12];
        idle.read_exact(&mut first).expect("an answer");
        assert_eq!(&first, b"HTTP/1.1 200");
        sender.send((idle, address)).expect("the receiver waits");
    });
    let (mut idle, address) = receiver.recv().expect("a connection");
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).expect("the connection is closed");
    assert!(TcpStream::connect(address).is_err(), "the server no longer listens");
}

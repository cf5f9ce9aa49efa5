//! The configuration of a server.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nutcracker_any::{GameInfo, Registry};

use crate::explorer::Grow;
use crate::fleet::FleetConfig;

/// How to serve.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen at.
    pub listen: SocketAddr,
    /// The games there are.
    pub games: Registry,
    /// Games that files describe, shown before the others.
    pub files: Vec<FileGame>,
    /// The directory with the databases of all games.
    pub data: PathBuf,
    /// How commands that advice names are told that directory: ` --data DIR`, or nothing.
    pub data_option: String,
    /// The free bytes of the disk of a path, where they are known: what needs more is not advised.
    pub free_disk: fn(&Path) -> Option<u64>,
    /// Origins whose pages may read answers, as browsers write them: `https://example.org`.
    pub cors: Vec<String>,
    /// Names of this server beside its addresses. A server that only this machine can reach refuses
    /// requests to other names; one that others can reach does so where this is not empty.
    pub hosts: Vec<String>,
    /// Whether databases may be built on request.
    pub builds: bool,
    /// The program and its version, for manifests.
    pub program: String,
    /// A book to grow while it is served.
    pub grow: Option<Grow>,
    /// Workers that grow it instead of engines of this process.
    pub fleet: Option<FleetConfig>,
    /// Limits of requests and connections.
    pub limits: Limits,
}

impl Config {
    /// A server at an address over a directory; building is allowed if only this machine can
    /// connect.
    pub fn new(listen: SocketAddr, games: Registry, data: impl Into<PathBuf>) -> Self {
        Config {
            listen,
            games,
            files: Vec::new(),
            data: data.into(),
            data_option: String::new(),
            free_disk: |_| None,
            cors: Vec::new(),
            hosts: Vec::new(),
            builds: listen.ip().is_loopback(),
            program: concat!("nutcracker ", env!("CARGO_PKG_VERSION")).to_owned(),
            grow: None,
            fleet: None,
            limits: Limits::default(),
        }
    }

    /// Whether requests to names that are not listed are refused.
    pub fn checks_host(&self) -> bool {
        self.listen.ip().is_loopback() || !self.hosts.is_empty()
    }
}

/// A game that a file describes: one of the registry under some options, with a title of its own.
#[derive(Clone, Debug)]
pub struct FileGame {
    /// Its title, such as the name of the file.
    pub title: String,
    /// The game, with the options that are given.
    pub info: &'static GameInfo,
}

/// Limits. Every queue, buffer and wait of the server is bounded here.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Positions in one request.
    pub batch: usize,
    /// Bytes of a position or of a line of moves.
    pub text_bytes: usize,
    /// Moves of a line, given or requested.
    pub plies: usize,
    /// Searches and scans that run at the same time.
    pub searches: usize,
    /// How many of them may be of one client, which is an address.
    pub searches_per_client: usize,
    /// Searches and scans that may wait for a slot.
    pub waiting: usize,
    /// How many of them may be of one client.
    pub waiting_per_client: usize,
    /// How long a request waits for a slot; a stream that tells its place waits as long as it takes.
    pub queue_time: Duration,
    /// Requests that read databases and books at the same time; they never wait for a search.
    pub reads: usize,
    /// How long a search, scan or read may take.
    pub search_time: Duration,
    /// How long the review of a game may take.
    pub review_time: Duration,
    /// How long a request may take, its body included.
    pub request_time: Duration,
    /// How long a client may take to send a request's head, or to read the response.
    pub client_time: Duration,
    /// Open connections; more wait.
    pub connections: usize,
    /// Games with other than the default options kept open.
    pub open_games: usize,
    /// Bytes of decoded scores kept for each open game.
    pub cache_bytes: u64,
    /// How long an idle book stays open; no other process can open it meanwhile.
    pub book_idle: Duration,
    /// Positions that a set built on request may have.
    pub build_positions: u64,
    /// How long connections may finish what they do when the server stops.
    pub shutdown_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            body_bytes: 1 << 20,
            batch: 10_000,
            text_bytes: 4096,
            plies: 1000,
            searches: 4,
            searches_per_client: 2,
            waiting: 256,
            waiting_per_client: 16,
            queue_time: Duration::from_secs(20),
            reads: 64,
            search_time: Duration::from_secs(20),
            review_time: Duration::from_mins(2),
            request_time: Duration::from_secs(30),
            client_time: Duration::from_secs(20),
            connections: 1024,
            open_games: 16,
            cache_bytes: 64 << 20,
            book_idle: Duration::from_secs(3),
            build_positions: 300_000_000,
            shutdown_time: Duration::from_secs(5),
        }
    }
}

//! A server in the process, over small databases.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use nutcracker_book::expert::StaticExpert;
use nutcracker_book::grow::Plan;
use nutcracker_book::store;
use nutcracker_book::{Book, Strategy};
use nutcracker_game::{Rules, SliceId};
use nutcracker_games::GAMES;
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_retro::{Silent, SolveOptions, solve};
use nutcracker_table::{Disk, Storage};
use nutcracker_web::routes::router;
use nutcracker_web::{App, Config};
use serde_json::Value;
use tower::ServiceExt;

/// The last slice of awari and of kalah.
pub const LAST: u32 = 7;

/// Databases of awari and kalah, made once.
pub fn data() -> &'static Path {
    static DATA: OnceLock<PathBuf> = OnceLock::new();
    DATA.get_or_init(|| {
        let dir =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("explorer-{}", std::process::id()));
        // A process of an earlier run may have had the same number.
        let _ = std::fs::remove_dir_all(&dir);
        let disk: Arc<dyn Storage> = Arc::new(Disk::default());
        let options = SolveOptions::new(2, "test");
        let awari = Awari::new(6).expect("six pits");
        let folder = dir.join("awari-pits6");
        solve(&awari, &disk, &folder, SliceId(LAST), &options, &Silent).expect("awari is solved");
        let kalah = Kalah::new(6, 4, false).expect("kalah");
        let folder = dir.join("kalah-pits6-empty-captureno-play-onno");
        solve(&kalah, &disk, &folder, SliceId(LAST), &options, &Silent).expect("kalah is solved");
        book(&dir);
        dir
    })
}

/// A small book of kalah with three pits and two seeds; gives its file.
pub fn book(dir: &Path) -> PathBuf {
    let kalah = Kalah::new(3, 2, false).expect("kalah");
    let file = dir.join(nutcracker_book::file_name(&kalah));
    let store = store::create(&file.as_path().into(), 1 << 20).expect("a file");
    let mut expert = StaticExpert(kalah.clone());
    let start = kalah.start().position;
    let mut book = Book::create(kalah, store, &start, &mut expert).expect("a book");
    let plan = Plan { expansions: Some(12), ..Plan::new(Strategy::Proof) };
    book.grow(&mut [expert], &plan, &mut |_| {}).expect("it grows");
    file
}

/// A server over the databases.
pub fn config() -> Config {
    let mut config = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, data());
    "test".clone_into(&mut config.program);
    config
}

pub fn server(config: Config) -> Router {
    let app = App::new(config).expect("a server");
    router(&app)
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// The kind of problem it is.
    pub fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json");
        let body = self.json();
        assert_eq!(body["status"], self.status.as_u16());
        body["type"].as_str().expect("a type").to_owned()
    }
}

/// Sends a request, to this machine if it names no host.
pub async fn send(server: &Router, mut request: Request<Body>) -> Answer {
    let host = request.headers_mut().entry("host");
    host.or_insert(axum::http::HeaderValue::from_static("localhost"));
    let response = server.clone().oneshot(request).await.expect("an answer");
    let (parts, body) = response.into_parts();
    let body = body.collect().await.expect("a body").to_bytes().to_vec();
    Answer { status: parts.status, headers: parts.headers, body }
}

pub async fn get(server: &Router, uri: &str) -> Answer {
    send(server, Request::get(uri).body(Body::empty()).expect("a request")).await
}

pub async fn post(server: &Router, uri: &str, body: impl Into<Body>) -> Answer {
    let request = Request::post(uri).header("content-type", "application/json");
    send(server, request.body(body.into()).expect("a request")).await
}

/// Runs something that waits.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}

/// The data of the events with a name.
pub fn events(body: &str, name: &str) -> Vec<Value> {
    let parts = body.split("\n\n").filter_map(|event| event.split_once("\ndata: "));
    parts
        .filter(|(head, _)| *head == format!("event: {name}"))
        .map(|(_, data)| serde_json::from_str(data).expect("JSON"))
        .collect()
}

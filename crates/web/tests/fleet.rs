//! Workers over real connections.

use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request;
use nutcracker_any::AnyGame;
use nutcracker_book::expert::{ExpertSettings, FnExpert, StaticExpert};
use nutcracker_book::grow::Plan;
use nutcracker_book::{Book, Strategy, store};
use nutcracker_engine::Experts;
use nutcracker_fleet::dispatcher::Settings;
use nutcracker_fleet::protocol::Status;
use nutcracker_fleet::tokens::{self, Role};
use nutcracker_fleet::worker::{self, Caller, Summary, Worker};
use nutcracker_game::{Evaluate, Rules};
use nutcracker_games::GAMES;
use nutcracker_games::kalah::Kalah;
use nutcracker_search::Worth;
use nutcracker_web::explorer::Grow;
use nutcracker_web::routes::router;
use nutcracker_web::{App, Config, FleetConfig, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{Answer, run, send};

/// A directory with a book of kalah and tokens of each role.
struct Ground {
    dir: TempDir,
    /// Propose, work, administer.
    tokens: [String; 3],
}

impl Ground {
    fn new(pits: usize, seeds: usize) -> Self {
        Self::after(pits, seeds, 0)
    }

    /// With a book that starts after this many moves, each the first legal one.
    fn after(pits: usize, seeds: usize, plies: usize) -> Self {
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        let dir = dir.expect("a directory");
        let kalah = Kalah::new(pits, seeds, false).expect("kalah");
        let file = dir.path().join(nutcracker_book::file_name(&kalah));
        let store = store::create(&file.as_path().into(), 1 << 20).expect("a file");
        let mut start = kalah.start().position;
        for _ in 0..plies {
            let mut steps = Vec::new();
            kalah.steps(&start, &mut steps);
            start = steps.first().expect("a move").next;
        }
        Book::create(kalah.clone(), store, &start, &mut StaticExpert(kalah)).expect("a book");
        let tokens = Role::ALL.map(|role| {
            tokens::issue(&dir.path().join("tokens"), role.name(), role).expect("a token")
        });
        Ground { dir, tokens }
    }

    fn config(&self, change: impl FnOnce(&mut Settings)) -> Config {
        let files = std::fs::read_dir(self.dir.path()).expect("a directory");
        let mut files = files.map(|entry| entry.expect("a file").path());
        let book = files.find(|path| path.extension().is_some_and(|end| end == "book"));
        let address = "127.0.0.1:0".parse().expect("an address");
        let mut config = Config::new(address, GAMES, self.dir.path());
        let mut settings = Settings { program: "test".to_owned(), ..Settings::default() };
        change(&mut settings);
        config.grow = Some(Grow {
            book: book.expect("a book").into(),
            plan: Plan::new(Strategy::BestFirst),
            experts: Experts {
                specs: Vec::new(),
                settings: ExpertSettings {
                    depth: 0,
                    search_nodes: None,
                    probe_depth: 0,
                    table_bytes: 1 << 20,
                },
                threads: 1,
            },
        });
        config.fleet = Some(FleetConfig { tokens: self.dir.path().join("tokens"), settings });
        config
    }
}

/// Serves while `client` runs, then ends in order.
fn serving<T: Send + 'static>(
    config: Config,
    client: impl FnOnce(SocketAddr, Arc<App>) -> T + Send + 'static,
) -> T {
    run(async {
        let app = App::new(config).expect("a server");
        let growing = app.grow().expect("a book").expect("it grows");
        let server = Server::bind(Arc::clone(&app)).await.expect("an address");
        let address = server.address().expect("an address");
        let (done, wait) = tokio::sync::oneshot::channel::<()>();
        let shared = Arc::clone(&app);
        let thread = std::thread::spawn(move || {
            let _done = done;
            client(address, shared)
        });
        let stop = async {
            let _ = wait.await;
        };
        server.run(stop).await;
        app.close();
        growing.join().expect("no panic").expect("it grew");
        thread.join().expect("the client succeeds")
    })
}

fn status(app: &App) -> Status {
    app.fleet().expect("a fleet").desk.status().expect("a status")
}

/// A worker whose expert takes some time for each position.
fn slow_worker(
    address: SocketAddr,
    token: &str,
    name: &str,
    pause: Duration,
    stop: &AtomicBool,
) -> Summary {
    let servers = [format!("http://{address}")];
    let caller = Caller::new(&servers, token, "test").expect("a caller");
    let settings = worker::Settings {
        name: name.to_owned(),
        program: "test".to_owned(),
        batch: Duration::from_secs(1),
    };
    let mut worker = Worker::new(caller, settings, stop);
    let work = worker.connect(&mut |_| ()).expect("it is let in").expect("not stopped");
    let (info, options) = GAMES.identified(&work.game, &work.start).expect("a game");
    let game = info.game(&options).expect("a game");
    let evaluated = game.clone();
    let expert = FnExpert(move |position: &<AnyGame as Rules>::Position| {
        std::thread::sleep(pause);
        Worth::guess(evaluated.evaluate(position, evaluated.fitted()))
    });
    worker.run(&game, &mut [expert], &|_, _| None, &mut |_| ()).expect("it works")
}

/// Expansions of so many workers in some seconds, from the time on that all are busy.
fn growth(workers: usize, seconds: u64) -> u64 {
    let ground = Ground::new(6, 4);
    let (config, token) = (ground.config(|_| ()), ground.tokens[1].clone());
    serving(config, move |address, app| {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for n in 0..workers {
                let (token, stop) = (&token, &stop);
                let name = format!("w{n}");
                let pause = Duration::from_millis(40);
                scope.spawn(move || slow_worker(address, token, &name, pause, stop));
            }
            // A book has one leaf at the beginning: first there must be some for all.
            while status(&app).book.expansions < 8 {
                std::thread::sleep(Duration::from_millis(20));
            }
            let (before, began) = (status(&app).book.expansions, Instant::now());
            std::thread::sleep(Duration::from_secs(seconds));
            let grown = status(&app).book.expansions - before;
            let rate = grown as f64 / began.elapsed().as_secs_f64();
            stop.store(true, Relaxed);
            (rate * seconds as f64).round() as u64
        })
    })
}

/// Experts that sleep need no processor: three of them do three times as much.
#[test]
fn three_workers_are_faster_than_one() {
    let one = growth(1, 6);
    let three = growth(3, 6);
    assert!(one > 0 && 2 * three >= 5 * one, "one: {one}, three: {three}");
}

/// A worker that is stopped returns what is unfinished.
#[test]
fn a_stopped_worker_returns_its_jobs() {
    let ground = Ground::new(6, 4);
    let (config, token) = (ground.config(|_| ()), ground.tokens[1].clone());
    serving(config, move |address, app| {
        let (stop, pause) = (AtomicBool::new(false), Duration::from_millis(300));
        let summary = std::thread::scope(|scope| {
            let worker = scope.spawn(|| slow_worker(address, &token, "w", pause, &stop));
            while status(&app).out == 0 {
                std::thread::sleep(Duration::from_millis(5));
            }
            stop.store(true, Relaxed);
            worker.join().expect("no panic")
        });
        assert!(summary.returned > 0 && summary.abandoned == 0, "{summary:?}");
        assert_eq!(status(&app).out, 0);
    });
}

fn request(method: &str, uri: &str, token: Option<&str>, body: &Value) -> Request<Body> {
    let mut request =
        Request::builder().method(method).uri(uri).header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
    request.body(body).expect("a request")
}

/// Every route with every role: what is allowed is answered, the rest is refused.
#[test]
fn roles_allow_what_they_say() {
    let worker = json!({ "protocol": 1, "name": "w" });
    let with = |more: Value| {
        let mut body = worker.clone();
        for (name, value) in more.as_object().expect("an object") {
            body[name] = value.clone();
        }
        body
    };
    let fleet = "/api/v1/fleet";
    // With the least role: 0 for none, then propose, work, administer.
    let routes = [
        ("GET", format!("{fleet}/status"), Value::Null, 0),
        ("POST", format!("{fleet}/propose"), json!({ "moves": "" }), 1),
        ("POST", format!("{fleet}/acquire"), with(json!({ "positions": 0 })), 2),
        ("POST", format!("{fleet}/submit"), with(json!({ "positions": 0, "results": [] })), 2),
        ("POST", format!("{fleet}/beat"), with(json!({ "jobs": [] })), 2),
        ("POST", format!("{fleet}/abort"), with(json!({ "jobs": [] })), 2),
        ("GET", format!("{fleet}/workers"), Value::Null, 3),
        ("POST", format!("{fleet}/workers/work/unban"), Value::Null, 3),
        ("POST", format!("{fleet}/workers/nobody/ban"), json!({}), 3),
    ];
    for public in [false, true] {
        let ground = Ground::new(3, 2);
        let config = ground.config(|settings| settings.public_proposals = public);
        let (tokens, routes) = (ground.tokens.clone(), routes.clone());
        serving(config, move |_, app| {
            run(async {
                let server = router(&app);
                for (method, uri, body, least) in routes {
                    let least = if public && uri.ends_with("propose") { 0 } else { least };
                    for role in 0..=3_usize {
                        let token = role.checked_sub(1).map(|place| tokens[place].as_str());
                        let answer = send(&server, request(method, &uri, token, &body)).await;
                        let status = answer.status.as_u16();
                        let what = format!("{method} {uri} as {role}: {status}");
                        if role >= least {
                            // The last route is allowed, and there is no such account.
                            let found = if uri.contains("nobody") { 404 } else { 200 };
                            assert_eq!(status, found, "{what}");
                        } else {
                            let expected = if role == 0 { 401 } else { 403 };
                            assert_eq!(status, expected, "{what}");
                            assert!(answer.problem().starts_with("/api#"), "{what}");
                        }
                    }
                    if least > 0 {
                        for wrong in ["", "nut_", &tokens[2][..20], "x y"] {
                            let request = request(method, &uri, Some(wrong), &body);
                            let answer = send(&server, request).await;
                            assert_eq!(answer.status, 401, "{method} {uri} with {wrong:?}");
                            assert_eq!(answer.header("www-authenticate"), "Bearer");
                        }
                    }
                }
            });
        });
    }
}

/// Anyone may propose where the server allows it, legal lines only, and nothing else.
#[test]
fn proposals_without_a_token() {
    let ground = Ground::new(3, 2);
    let config = ground.config(|settings| settings.public_proposals = true);
    serving(config, move |_, app| {
        run(async {
            let server = router(&app);
            let propose = async |moves: &str| -> Answer {
                let body = json!({ "moves": moves });
                send(&server, request("POST", "/api/v1/fleet/propose", None, &body)).await
            };
            assert_eq!(propose("Z9").await.problem(), "/api#no-such-move");
            assert_eq!(propose(&"A ".repeat(5000)).await.problem(), "/api#too-many");
            assert_eq!(propose("A").await.status, 200);
            let moves: Value = propose("A").await.json();
            assert!(moves["waiting"].as_u64().is_some());
        });
    });
}

/// A line begins where the book does, and waits until it is in the book.
#[test]
fn proposals_begin_at_the_start_of_the_book() {
    let ground = Ground::after(3, 2, 1);
    let config = ground.config(|settings| settings.public_proposals = true);
    serving(config, move |_, app| {
        run(async {
            let server = router(&app);
            let body = json!({ "moves": "" });
            let proposed =
                send(&server, request("POST", "/api/v1/fleet/propose", None, &body)).await;
            assert_eq!(proposed.status, 200);
            assert_eq!(proposed.json()["waiting"], 1);
        });
        // The keeper has looked at it when the table has jobs, and again some rounds later.
        let began = Instant::now();
        while status(&app).ready == 0 && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(600));
        assert_eq!(status(&app).proposals, 1, "no worker has expanded it");
    });
}

/// A database that is away for longer than its connections are patient: growth goes on when it is
/// back, without a restart of the server.
#[cfg(unix)]
#[test]
fn growth_outlives_its_database() {
    use nutcracker_book::store::Location;
    use nutcracker_fleet::protocol::{Acquire, Hello, JobResult, PositionValue, Submit, VERSION};
    use nutcracker_postgres::testing::{Durable, Server as Postgres};

    let Some(postgres) = Postgres::start(Durable::No) else { return };
    let ground = Ground::new(3, 2);
    let place = Location::from(format!("{}&book=fleet", postgres.url()));
    let place = place.with_patience(Duration::from_millis(500));
    let kalah = Kalah::new(3, 2, false).expect("kalah");
    let store = store::create(&place, 1 << 20).expect("a book");
    let start = kalah.start().position;
    drop(Book::create(kalah.clone(), store, &start, &mut StaticExpert(kalah)).expect("a book"));
    let mut config = ground.config(|_| ());
    config.grow.as_mut().expect("it grows").book = place;
    serving(config, move |_, app| {
        let fleet = app.fleet().expect("a fleet");
        let worker = Hello { protocol: VERSION, name: "1".to_owned(), ..Hello::default() };
        // Does one job if it gets one; whether the book has grown.
        let work = || {
            let request = Acquire { worker: worker.clone(), positions: 1 };
            let Ok(work) = fleet.desk.acquire("ann", &request) else { return false };
            let guess = |position: String| PositionValue {
                position,
                guess: Some(0.0),
                ..PositionValue::default()
            };
            let results = work.jobs.into_iter().map(|job| JobResult {
                job: job.job,
                values: job.positions.into_iter().map(guess).collect(),
            });
            let submit =
                Submit { worker: worker.clone(), results: results.collect(), positions: 0 };
            let _ = fleet.desk.submit("ann", submit);
            std::thread::sleep(Duration::from_millis(50));
            true
        };
        let grows_to = |expansions: u64| {
            let began = Instant::now();
            while app.fleet().expect("a fleet").desk.status().map_or(0, |one| one.book.expansions)
                < expansions
            {
                assert!(began.elapsed() < Duration::from_mins(2), "it does not grow");
                if !work() {
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
        };
        grows_to(2);
        postgres.stop();
        std::thread::sleep(Duration::from_secs(4));
        postgres.restart();
        grows_to(5);
    });
}

/// A server without a fleet says so; the page asks first.
#[test]
fn a_server_without_a_fleet() {
    let dir = tempfile::tempdir().expect("a directory");
    let config = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, dir.path());
    run(async {
        let server = router(&App::new(config).expect("a server"));
        let get = async |uri: &str| send(&server, request("GET", uri, None, &Value::Null)).await;
        assert_eq!(get("/api/v1/fleet/status").await.problem(), "/api#no-fleet");
        assert!(get("/api/v1/fleet/status?optional=true").await.json().is_null());
        assert_eq!(get("/fleet").await.status, 200);
        assert!(!get("/metrics").await.text().contains("nutcracker_fleet"));
    });
}

/// What is logged, at the most talkative level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// No token, right or wrong, is in the log, in answers or in the metrics; the state is in all.
#[test]
fn tokens_are_in_no_log() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let ground = Ground::new(3, 2);
    let (config, tokens) = (ground.config(|_| ()), ground.tokens.clone());
    let secrets = tokens.clone();
    let said = serving(config, move |_, app| {
        // Everything in this thread, so that all of it is logged here.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        tracing_subscriber_guard(subscriber, || {
            runtime.expect("a runtime").block_on(async {
                let server = router(&app);
                let body = json!({ "protocol": 1, "name": "w", "positions": 4 });
                let mut said = String::new();
                for token in [&tokens[0], &tokens[1], &format!("{}0", tokens[1])] {
                    let uri = "/api/v1/fleet/acquire";
                    let answer = send(&server, request("POST", uri, Some(token), &body)).await;
                    said += &answer.text();
                }
                for uri in ["/metrics", "/api/v1/fleet/status"] {
                    let answer = send(&server, request("GET", uri, None, &Value::Null)).await;
                    assert_eq!(answer.status, 200);
                    said += &answer.text();
                }
                said
            })
        })
    });
    let logged = String::from_utf8_lossy(&log.0.lock().expect("no panic")).into_owned();
    assert!(logged.contains("the token is unknown"), "{logged}");
    assert!(said.contains("nutcracker_fleet_workers 1\n"), "{said}");
    assert!(said.contains("nutcracker_fleet_jobs_out ") && said.contains("\"growth\":["));
    for token in &secrets {
        let secret = &token["nut_".len()..];
        assert!(!logged.contains(secret) && !said.contains(secret));
    }
}

fn tracing_subscriber_guard<T>(
    subscriber: impl Into<tracing::Dispatch>,
    work: impl FnOnce() -> T,
) -> T {
    tracing::dispatcher::with_default(&subscriber.into(), work)
}

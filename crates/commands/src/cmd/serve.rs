//! `nutcracker serve`: the explorer in the browser, and the HTTP interface.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nutcracker_book::store::Location;
use nutcracker_engine::parse_time;
use nutcracker_fleet::dispatcher::Settings;
use nutcracker_web::explorer::ExplorerError;
use nutcracker_web::problem::chain;
use nutcracker_web::{App, Config, FileGame, FleetConfig, Server};
use tracing_subscriber::filter::LevelFilter;

use crate::args::{Data, games};
use crate::cmd::book::expand::Growth;
use crate::failure::Failure;
use crate::{machine, note, print};

/// Show every position's exact value in the browser
///
/// Serves the explorer and its HTTP interface on this machine: a board on which every move carries
/// its value, the databases, and play against them. Where there are no databases yet, the page
/// offers to build the small ones. The interface is described at /api, and counters for Prometheus
/// are at /metrics.
///
/// Listens on the loopback interface unless --listen is given. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve awari
  nutcracker serve --open
  nutcracker serve my-game.toml --open

Then, or in another terminal:
  curl \"http://127.0.0.1:4848/api/v1/games/awari/probe?position=0,0,1,0,3,2/2,1,1,0,0,0\"")]
pub struct Args {
    /// Files that describe games, to be shown before the others
    #[arg(value_name = "GAME.toml")]
    files: Vec<PathBuf>,
    /// The address and port to listen at; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4848")]
    listen: SocketAddr,
    #[command(flatten)]
    data: Data,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Let pages of this origin read answers, such as `https://example.org`, or * for all; may be
    /// given more than once
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin)]
    cors: Vec<String>,
    /// A name of this server beside its address, such as `nuts.example.org`; may be given more than
    /// once. Requests to other names are refused on the loopback interface, and wherever this is
    /// given: a page of another site could else reach the server by DNS rebinding
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// What is logged to standard error: off, error, warn, info or debug
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    log: LevelFilter,
    /// Grow this book while serving it, with the options of `book expand`; one in PostgreSQL that
    /// another process grows is served, and grown as soon as that process ends
    #[arg(long, value_name = "BOOK")]
    grow: Option<Location>,
    #[command(flatten, next_help_heading = "With --grow")]
    growth: Growth,
    #[command(flatten, next_help_heading = "With --grow and --tokens")]
    fleet: FleetArgs,
}

/// Workers that grow a book.
#[derive(Clone, Debug, clap::Args)]
struct FleetArgs {
    /// Let workers with a token of this file grow the book (`nutcracker token`, `nutcracker
    /// worker`). This process then only checks and applies what they say: --threads has no effect,
    /// and --depth is that of the engine which decides where workers disagree
    #[arg(long, value_name = "FILE", requires = "grow")]
    tokens: Option<PathBuf>,
    /// Let anyone propose positions, without a token
    #[arg(long, requires = "tokens")]
    public_proposals: bool,
    /// The share of jobs that is given to a second worker, to compare the two
    #[arg(long, value_name = "SHARE", default_value_t = 0.03, value_parser = parse_share, requires = "tokens")]
    audit: f64,
    /// How long a job is a worker's without a heartbeat
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_lease, requires = "tokens")]
    lease: Duration,
}

impl FleetArgs {
    fn config(self, program: &str) -> Option<FleetConfig> {
        let settings = Settings {
            lease: self.lease,
            // A heartbeat may be lost a few times.
            beat: self.lease / 5,
            audit: self.audit,
            public_proposals: self.public_proposals,
            program: program.to_owned(),
        };
        self.tokens.map(|tokens| FleetConfig { tokens, settings })
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1, such as 0.03".to_owned()),
    }
}

fn parse_lease(text: &str) -> Result<Duration, String> {
    let lease = parse_time(text).map_err(|error| error.to_string())?;
    let range = Duration::from_secs(1)..=Duration::from_hours(24);
    if range.contains(&lease) { Ok(lease) } else { Err("a lease is 1s to 24h".to_owned()) }
}

impl Args {
    /// Serves until it is interrupted.
    pub fn run(self) -> Result<(), Failure> {
        tracing_subscriber::fmt()
            .with_max_level(self.log)
            .with_writer(io::stderr)
            .with_target(false)
            .init();
        // A panic in one request must not end the others: it is logged and counted.
        std::panic::set_hook(Box::new(|panic| {
            if nutcracker_book::store::catches_panics() {
                return;
            }
            let what = panic.to_string().replace('\n', " ");
            tracing::error!("internal error, please report it: {what}");
        }));
        let data_option = self.data.option();
        let files =
            self.files.iter().map(|path| described(path)).collect::<Result<_, Failure>>()?;
        let mut config = Config::new(self.listen, games(), self.data.data);
        config.files = files;
        config.free_disk = machine::free_disk;
        // Who cannot reach this machine gets no paths of it.
        if self.listen.ip().is_loopback() {
            config.data_option = data_option;
        }
        config.cors = self.cors;
        config.hosts = self.host;
        config.grow = self.grow.map(|book| self.growth.beside_serving(book)).transpose()?;
        config.program = format!("nutcracker {}", env!("CARGO_PKG_VERSION"));
        config.fleet = self.fleet.config(&config.program);
        let data = config.data.display().to_string();
        let app = App::new(config).map_err(|error| whole(&error))?;
        let growing = app.grow().map_err(|error| whole(&error))?;
        let failed = |error: io::Error| Failure::Failed(format!("cannot serve: {error}"));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(workers())
            .enable_all()
            .build()
            .map_err(failed)?;
        let outcome = runtime.block_on(async {
            let server = Server::bind(Arc::clone(&app)).await.map_err(|error| {
                Failure::Failed(format!(
                    "cannot listen at {}: {error}; choose another with --listen",
                    self.listen
                ))
            })?;
            let stop = interrupted().map_err(failed)?;
            let address = server.address().map_err(failed)?;
            let page = format!("http://{address}/");
            print(&format!("{page}\n"))?;
            note(&format!("Serving {data}; Ctrl-C ends it."));
            if self.open && !open(&page) {
                note("No browser could be started; open the address above.");
            }
            server.run(stop).await;
            Ok(())
        });
        // A book that grows is written before the end.
        app.close();
        if let Some(Ok(Err(error))) = growing.map(std::thread::JoinHandle::join) {
            return Err(whole(&error));
        }
        // A running build is not waited for: what is finished is on disk.
        runtime.shutdown_background();
        outcome
    }
}

/// The game that a file describes, under the name of the file.
fn described(path: &Path) -> Result<FileGame, Failure> {
    if path.extension().is_none_or(|end| end != "toml") {
        return Err(Failure::Usage(format!(
            "{} is no file of a game, whose name ends in .toml; games with a name are all shown",
            path.display()
        )));
    }
    let info = (games().read)(path).map_err(Failure::Failed)?;
    let title = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(FileGame { title, info })
}

/// The whole error: the operator of a server may see its paths.
fn whole(error: &ExplorerError) -> Failure {
    let cause = std::error::Error::source(error);
    Failure::Failed(cause.map_or_else(|| error.to_string(), chain))
}

/// Threads for connections: half of the cores. The others are left to searches and builds; on two
/// cores one such thread serves more probes than two.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}

/// Ready when a signal requests the process to end.
#[cfg(unix)]
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    use crate::interrupt::ignores_hangup;
    use tokio::signal::unix::{SignalKind, signal};
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
    if !ignores_hangup() {
        kinds.push(SignalKind::hangup());
    }
    let mut signals = kinds.into_iter().map(signal).collect::<io::Result<Vec<_>>>()?;
    Ok(std::future::poll_fn(move |context| {
        // Each is polled, so that each wakes this task.
        let received: Vec<bool> =
            signals.iter_mut().map(|one| one.poll_recv(context).is_ready()).collect();
        if received.contains(&true) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    }))
}

/// Ready when a signal requests the process to end.
#[cfg(not(unix))]
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

fn open(page: &str) -> bool {
    let programs: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        &["explorer"]
    } else {
        &["xdg-open", "x-www-browser", "sensible-browser"]
    };
    programs.iter().any(|program| {
        let mut command = Command::new(program);
        command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    })
}

fn parse_origin(text: &str) -> Result<String, String> {
    let is_origin = |rest: &str| {
        !rest.is_empty()
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b))
    };
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    if text == "*" || rest.is_some_and(is_origin) {
        Ok(text.to_owned())
    } else {
        Err("an origin is a scheme and a host, such as https://example.org, or *".to_owned())
    }
}

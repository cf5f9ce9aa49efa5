//! State shared by all requests.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use nutcracker_any::{Options, UnknownGame};
use tokio::sync::Semaphore;

use crate::config::Config;
use crate::explorer::{self, Budget, Explorer, ExplorerError, Shelves};
use crate::fleet::Fleet;
use crate::job::Jobs;
use crate::lru::Lru;
use crate::metrics::Metrics;
use crate::problem::{Kind, Problem, chain};
use crate::queue::{Capacity, Queue, Ticket};

/// The thread that grows a book.
pub type Growing = JoinHandle<Result<(), ExplorerError>>;

/// The state of a server.
#[derive(Debug)]
pub struct App {
    /// Its configuration.
    pub config: Config,
    /// Every game with its default options.
    usual: Vec<(&'static str, Arc<Explorer>)>,
    /// Games with other options, by name and options; the most recently used stay open.
    special: Mutex<Lru<(String, String), Arc<Explorer>>>,
    /// Their books.
    shelves: Shelves,
    /// Slots for searches.
    searches: Arc<Queue>,
    /// Permits to read databases and books off the threads that serve connections.
    reads: Arc<Semaphore>,
    /// Workers that grow a book, from the time on that it grows.
    fleet: OnceLock<Arc<Fleet>>,
    /// Databases being built.
    pub jobs: Jobs,
    /// Counters.
    pub metrics: Metrics,
    /// Set when the server stops: streams end.
    closing: AtomicBool,
}

impl App {
    /// The state over a configuration. No file is touched yet.
    pub fn new(config: Config) -> Result<Arc<Self>, ExplorerError> {
        let limits = config.limits;
        let shelves = Shelves::default();
        let usual = config
            .games
            .iter()
            .map(|info| Ok((info.name, explorer::open(info, &Options::new(), &config, &shelves)?)))
            .collect::<Result<_, ExplorerError>>()?;
        Ok(Arc::new(App {
            usual,
            shelves,
            special: Mutex::new(Lru::new(limits.open_games)),
            searches: Queue::new(Capacity {
                running: limits.searches,
                running_per_client: limits.searches_per_client,
                waiting_per_client: limits.waiting_per_client,
                waiting: limits.waiting,
            }),
            reads: Arc::new(Semaphore::new(limits.reads)),
            fleet: OnceLock::new(),
            jobs: Jobs::default(),
            metrics: Metrics::default(),
            closing: AtomicBool::new(false),
            config,
        }))
    }

    /// A game by its name and its options, `pits=4,empty-capture=yes`.
    pub fn game(&self, name: &str, options: Option<&str>) -> Result<Arc<Explorer>, ExplorerError> {
        let options = options.unwrap_or_default();
        if options.is_empty()
            && let Some((_, game)) = self.usual.iter().find(|(usual, _)| *usual == name)
        {
            return Ok(Arc::clone(game));
        }
        let parsed = parse_options(options)?;
        let info = self.config.games.info(name)?;
        // However they are written, the same options are one game with one cache.
        let written = explorer::canonical(info, &parsed);
        if written.is_empty() {
            return self.game(name, None);
        }
        let key = (name.to_owned(), written);
        if let Some(game) = self.special().get(&key) {
            return Ok(Arc::clone(game));
        }
        let game = explorer::open(info, &parsed, &self.config, &self.shelves)?;
        // Another request may have opened it meanwhile: all use the same.
        Ok(Arc::clone(self.special().get_or_insert(key, game)))
    }

    /// Every game that is open.
    pub fn open_games(&self) -> Vec<Arc<Explorer>> {
        let usual = self.usual.iter().map(|(_, game)| Arc::clone(game));
        usual.chain(self.special().values().map(Arc::clone)).collect()
    }

    fn special(&self) -> std::sync::MutexGuard<'_, Lru<(String, String), Arc<Explorer>>> {
        self.special.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a search or scan of a client off the threads that serve connections, when it has a slot.
    /// Its budget ends when the client disconnects.
    pub async fn run_search<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        client: IpAddr,
        work: impl FnOnce(&Budget) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Problem> {
        let mut ticket = self.line_up(client)?;
        let queue_time = self.config.limits.queue_time;
        if tokio::time::timeout(queue_time, ticket.turn()).await.is_err() {
            return Err(busy());
        }
        run_blocking(ticket, self.config.limits.search_time, work).await
    }

    /// Runs work that only reads databases and books, in the same way: it never waits for searches.
    pub async fn run_read<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        work: impl FnOnce(&Budget) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = Arc::clone(&self.reads).acquire_owned();
        // It is its turn soon, or the request times out.
        let Ok(Ok(permit)) = tokio::time::timeout(self.config.limits.request_time, turn).await
        else {
            return Err(busy());
        };
        run_blocking(permit, self.config.limits.search_time, work).await
    }

    /// A place in the line for a search of a client.
    pub fn line_up(&self, client: IpAddr) -> Result<Ticket, Problem> {
        self.searches.enter(client).map_err(|_| busy())
    }

    /// Whether the server stops.
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Begins to grow the book that the configuration names, if it names one; the thread ends with
    /// [`App::close`].
    pub fn grow(self: &Arc<Self>) -> Result<Option<Growing>, ExplorerError> {
        let Some(grow) = self.config.grow.clone() else { return Ok(None) };
        let facts = explorer::facts_of(&grow.book)?;
        let start = facts.start.clone().unwrap_or_default();
        let (info, options) = self.config.games.identified(&facts.game, &start)?;
        // Under the default options the page finds the book without naming them.
        let usual = self.game(info.name, None)?;
        let game = if usual.shows(&info.game(&options)?) {
            usual
        } else {
            self.game(info.name, Some(&options.to_string()))?
        };
        let fleet = match &self.config.fleet {
            Some(config) => {
                let names = (facts.game, start);
                let fleet = Fleet::open(config, &grow, Arc::clone(&game), names)?;
                Some(Arc::clone(self.fleet.get_or_init(|| Arc::new(fleet))))
            }
            None => None,
        };
        let app = Arc::clone(self);
        let thread = std::thread::Builder::new().name("grow".to_owned());
        let spawned = thread.spawn(move || {
            let grown = match fleet {
                Some(fleet) => game.tend(&grow, &fleet.desk, &app.closing),
                None => game.grow(&grow, &app.closing),
            };
            grown.inspect_err(|error| {
                tracing::error!(book = %grow.book, "the book stopped growing: {}", chain(error));
            })
        });
        spawned.map(Some).map_err(ExplorerError::System)
    }

    /// The fleet, if there is one.
    pub fn fleet(&self) -> Option<Arc<Fleet>> {
        self.fleet.get().map(Arc::clone)
    }

    /// Closes idle books, so that other processes can open them.
    pub fn release_books(&self) {
        self.shelves.release(self.config.limits.book_idle);
    }

    /// Ends all streams.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }
}

fn busy() -> Problem {
    Problem::new(Kind::Busy, "too many searches are running; try again soon")
}

/// Runs work on a thread of its own, which holds the permit as long as it runs.
async fn run_blocking<T: Send + 'static, E: Into<Problem> + Send + 'static>(
    permit: impl Send + 'static,
    time: Duration,
    work: impl FnOnce(&Budget) -> Result<T, E> + Send + 'static,
) -> Result<T, Problem> {
    let stop = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(Arc::clone(&stop));
    let budget = Budget::new(time, stop);
    let work = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work(&budget)
    });
    match work.await {
        Ok(result) => result.map_err(Into::into),
        Err(error) => {
            let detail = "internal error; please report it with the request";
            Err(Problem::new(Kind::Internal, detail).because(error.to_string()))
        }
    }
}

/// Ends a search when its client has disconnected.
#[derive(Debug)]
pub struct StopOnDrop(pub Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads `pits=4,empty-capture=yes`; `no` is as if the option was absent.
pub fn parse_options(text: &str) -> Result<Options, UnknownGame> {
    if text.len() > 400 {
        return Err(UnknownGame::Options("the options are longer than any game has".to_owned()));
    }
    Ok(Options::from_text(text))
}

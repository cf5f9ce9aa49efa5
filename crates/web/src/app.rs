//! State shared by all requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use nutcracker_any::{Options, UnknownGame};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::Config;
use crate::explorer::{self, Budget, Explorer, ExplorerError, Shelves};
use crate::fleet::Fleet;
use crate::job::Jobs;
use crate::lru::Lru;
use crate::metrics::Metrics;
use crate::problem::{Kind, Problem, chain};

/// How long a request waits for a permit before it is refused.
const QUEUE_TIME: Duration = Duration::from_secs(2);

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
    /// Permits to search.
    searches: Arc<Semaphore>,
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
            .map(|info| {
                let game = explorer::open(
                    info,
                    &Options::new(),
                    &config.data,
                    limits.cache_bytes,
                    &shelves,
                )?;
                Ok((info.name, game))
            })
            .collect::<Result<_, ExplorerError>>()?;
        Ok(Arc::new(App {
            usual,
            shelves,
            special: Mutex::new(Lru::new(limits.open_games)),
            searches: Arc::new(Semaphore::new(limits.searches)),
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
        let limits = self.config.limits;
        let game =
            explorer::open(info, &parsed, &self.config.data, limits.cache_bytes, &self.shelves)?;
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

    /// Runs a search or scan off the threads that serve connections, when a permit is free. Its
    /// budget ends when the client disconnects.
    pub async fn run_search<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        work: impl FnOnce(&Budget) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Problem> {
        self.run_blocking(&self.searches, QUEUE_TIME, work).await
    }

    /// Runs work that only reads databases and books, in the same way: it never waits for searches.
    pub async fn run_read<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        work: impl FnOnce(&Budget) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Problem> {
        // It is its turn soon, or the request times out.
        self.run_blocking(&self.reads, self.config.limits.request_time, work).await
    }

    async fn run_blocking<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        permits: &Arc<Semaphore>,
        queue: Duration,
        work: impl FnOnce(&Budget) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Problem> {
        let (search, _stop) = permit(permits, queue, self.config.limits.search_time).await?;
        let work = tokio::task::spawn_blocking(move || work(search.budget()));
        match work.await {
            Ok(result) => result.map_err(Into::into),
            Err(error) => Err(Problem::new(
                Kind::Internal,
                "internal error; please report it with the request",
            )
            .because(error.to_string())),
        }
    }

    /// A permit to search for some time, when one is free; the search ends early when the second of
    /// the two is dropped.
    pub async fn begin(&self, time: Duration) -> Result<(Search, StopOnDrop), Problem> {
        permit(&self.searches, QUEUE_TIME, time).await
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

/// A permit, when one is free within the time of the queue.
async fn permit(
    permits: &Arc<Semaphore>,
    queue: Duration,
    time: Duration,
) -> Result<(Search, StopOnDrop), Problem> {
    let turn = Arc::clone(permits).acquire_owned();
    let Ok(Ok(permit)) = tokio::time::timeout(queue, turn).await else {
        return Err(Problem::new(Kind::Busy, "too many searches are running; try again soon"));
    };
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget::new(time, Arc::clone(&stop));
    Ok((Search { budget, _permit: permit }, StopOnDrop(stop)))
}

/// A permit to search, with its budget.
#[derive(Debug)]
pub struct Search {
    budget: Budget,
    _permit: OwnedSemaphorePermit,
}

impl Search {
    /// Its time limit.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Ends it.
    pub fn end(&self) {
        self.budget.flag().store(true, Ordering::Relaxed);
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
    if text.len() > 200 {
        return Err(UnknownGame::Options("the options are longer than any game has".to_owned()));
    }
    Ok(Options::from_text(text))
}

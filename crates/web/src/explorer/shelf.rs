//! The books of all games: each is opened once, on its first request, and closed when it has been
//! idle for a while, as no other process can write it meanwhile.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use nutcracker_any::AnyGame;
use nutcracker_book::store::{self, Access, AnyStore, Location};
use nutcracker_book::{Book, BookError, StoredBook};
use nutcracker_game::Rules;

use super::Explorer;
use super::error::ExplorerError;

/// Pages of a book's file kept in memory, in bytes.
pub(super) const CACHE: usize = 64 << 20;
/// Nodes of a book kept in memory.
const ROOM: usize = 200_000;
/// How long a request waits for a database that has gone away.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a request waits for a book that is growing.
const BUSY: Duration = Duration::from_secs(5);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The books of all games by their files, whatever options lead to them.
#[derive(Default)]
pub struct Shelves(Mutex<HashMap<PathBuf, Place>>);

/// A shelf, as what it is and as what can be closed.
struct Place {
    shelf: Arc<dyn Any + Send + Sync>,
    book: Arc<dyn Idle>,
}

impl fmt::Debug for Shelves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(lock(&self.0).keys()).finish()
    }
}

impl Shelves {
    pub(super) fn at(&self, file: PathBuf) -> Arc<Shelf> {
        let mut shelves = lock(&self.0);
        if let Some(known) = shelves.get(&file).map(|place| Arc::clone(&place.shelf))
            && let Ok(shelf) = known.downcast()
        {
            return shelf;
        }
        let shelf = Arc::new(Shelf::new(file.clone()));
        let (any, book) = (Arc::clone(&shelf), Arc::clone(&shelf));
        shelves.insert(file, Place { shelf: any, book });
        shelf
    }

    /// Closes the books that have been idle this long.
    pub fn release(&self, idle: Duration) {
        let books: Vec<_> = lock(&self.0).values().map(|place| Arc::clone(&place.book)).collect();
        for book in books {
            book.release(idle);
        }
    }
}

/// Something that is closed when it is not used.
trait Idle: Send + Sync {
    fn release(&self, idle: Duration);
}

/// A book that several requests use.
pub(super) type SharedBook = Arc<Mutex<StoredBook<AnyGame>>>;

/// A book, what it was opened for, and when it was last used.
struct Opened {
    book: SharedBook,
    access: Access,
    used: Instant,
}

/// A book that is opened on its first request.
pub(super) struct Shelf {
    location: Mutex<Location>,
    book: Mutex<Option<Opened>>,
    pub(super) growing: AtomicBool,
}

impl Shelf {
    fn new(file: PathBuf) -> Self {
        Shelf {
            location: Mutex::new(file.into()),
            book: Mutex::default(),
            growing: AtomicBool::new(false),
        }
    }

    pub(super) fn set_location(&self, location: &Location) {
        lock(&self.location).clone_from(location);
        self.close();
    }

    /// Closes the book; the next request opens it again.
    pub(super) fn close(&self) {
        *lock(&self.book) = None;
    }
}

impl Idle for Shelf {
    fn release(&self, idle: Duration) {
        lock(&self.book).take_if(|opened| {
            Arc::strong_count(&opened.book) == 1 && opened.used.elapsed() >= idle
        });
    }
}

impl Explorer {
    /// The book, which is opened first if it is not, or not for this.
    pub(super) fn book(&self, access: Access) -> Result<SharedBook, ExplorerError> {
        let mut place = lock(&self.shelf.book);
        if access == Access::Write
            && let Some(reading) = place.take_if(|opened| opened.access == Access::Read)
        {
            // It cannot be opened again while a request still reads it.
            while Arc::strong_count(&reading.book) > 1 {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let opened = match &mut *place {
            Some(opened) => opened,
            empty => {
                let mut location = lock(&self.shelf.location).clone();
                if access == Access::Read {
                    location = location.with_patience(PATIENCE);
                }
                let book = store::open(&location, access, CACHE)
                    .and_then(|store| Book::open(self.game.clone(), store, ROOM))
                    .map_err(|error| self.book_error(error))?;
                let book = Arc::new(Mutex::new(book));
                empty.insert(Opened { book, access, used: Instant::now() })
            }
        };
        opened.used = Instant::now();
        Ok(Arc::clone(&opened.book))
    }

    /// A store that was opened for writing takes the place of one that was only read.
    pub(super) fn place(&self, store: AnyStore) -> Result<SharedBook, ExplorerError> {
        let book = Book::open(self.game.clone(), store, ROOM);
        let book = Arc::new(Mutex::new(book.map_err(|error| self.book_error(error))?));
        let opened =
            Opened { book: Arc::clone(&book), access: Access::Write, used: Instant::now() };
        *lock(&self.shelf.book) = Some(opened);
        Ok(book)
    }

    /// The book as soon as it is free. Growth keeps it for moments, but for as long as its database
    /// does not answer.
    fn borrowed<'a>(
        &self,
        book: &'a Mutex<StoredBook<AnyGame>>,
    ) -> Result<MutexGuard<'a, StoredBook<AnyGame>>, ExplorerError> {
        let began = Instant::now();
        loop {
            match book.try_lock() {
                Ok(book) => return Ok(book),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if began.elapsed() < BUSY => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(ExplorerError::Busy(format!(
                        "the book of {} is busy, perhaps because its database does not answer; try \
                         again later",
                        self.game.id()
                    )));
                }
            }
        }
    }

    /// Reads the book; its newest state, if another process writes it.
    pub(super) fn with_book<T>(
        &self,
        work: impl FnOnce(&mut StoredBook<AnyGame>) -> Result<T, BookError>,
    ) -> Result<T, ExplorerError> {
        let book = self.book(Access::Read)?;
        let mut book = self.borrowed(&book)?;
        let result = book.refresh().and_then(|_| work(&mut book));
        result.map_err(|error| self.book_error(error))
    }
}

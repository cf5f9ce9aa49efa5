//! The option that names a book to play from.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use nutcracker_any::AnyGame;
use nutcracker_book::store::RedbStore;
use nutcracker_book::{Book, DEFAULT_ROOM};

use crate::failure::Failure;

/// Pages of the book's file kept in memory, in bytes.
const CACHE: usize = 64 << 20;

/// Which book to play from.
#[derive(Clone, Debug, clap::Args)]
pub struct BookOption {
    /// A book to play from as long as it lasts, as `nutcracker book` makes them
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
}

/// A book that several players use.
pub type SharedBook = Arc<Mutex<Book<AnyGame, RedbStore>>>;

impl BookOption {
    /// The book, if there is to be one.
    pub fn open(&self, game: &AnyGame) -> Result<Option<SharedBook>, Failure> {
        let Some(path) = &self.book else { return Ok(None) };
        let store = RedbStore::open(path, CACHE)?;
        let book = Book::open(game.clone(), store, DEFAULT_ROOM)?;
        Ok(Some(Arc::new(Mutex::new(book))))
    }
}

//! Players that follow a book as long as it lasts.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use nutcracker_book::learn::{Guide, Style};
use nutcracker_book::store::RedbStore;
use nutcracker_book::{Book, BookError, DEFAULT_ROOM};
use nutcracker_engine::grammar::{Go, Info, OptionLine};
use nutcracker_engine::{Pace, Played, Player, PlayerError, Thought};
use nutcracker_game::Random;
use nutcracker_game::{Game, Score, Side};

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

impl BookOption {
    /// The book, if there is to be one.
    pub fn open<G: Game>(&self, game: &G) -> Result<Option<Shelf<G>>, Failure> {
        let Some(path) = &self.book else { return Ok(None) };
        let store = RedbStore::open(path, CACHE)?;
        let book = Book::open(game.clone(), store, DEFAULT_ROOM)?;
        Ok(Some(Shelf(Arc::new(Mutex::new(book)))))
    }
}

/// A book that several players use.
pub struct Shelf<G: Game>(Arc<Mutex<Book<G, RedbStore>>>);

impl<G: Game> Shelf<G> {
    /// A player that follows the book, and another player where the book ends.
    pub fn player(&self, inner: Box<dyn Player<G>>, seed: u64) -> Box<dyn Player<G>> {
        Box::new(Booked {
            book: Arc::clone(&self.0),
            guide: Guide::new(Style::default()),
            random: Random::new(seed),
            inner,
        })
    }
}

struct Booked<G: Game> {
    book: Arc<Mutex<Book<G, RedbStore>>>,
    guide: Guide,
    random: Random,
    inner: Box<dyn Player<G>>,
}

impl<G: Game> fmt::Debug for Booked<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Booked").field("guide", &self.guide).finish_non_exhaustive()
    }
}

impl<G: Game> Booked<G> {
    /// The book's move, if it has one here.
    fn book_move(&mut self, played: &Played<G>) -> Result<Option<G::Move>, BookError> {
        let now = played.now();
        // Poisoned only after a panic that was already reported.
        let mut book = self.book.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(id) = book.find(&now.position)? else { return Ok(None) };
        let lead = if now.mover == Side::First { played.lead() } else { -played.lead() };
        let ahead = lead as Score;
        let choices = self.guide.choices(&mut book, id, ahead)?;
        let choice = Guide::pick(&choices, self.random.unit());
        Ok(choice.and_then(|choice| played.legal().get(choice.place).copied()))
    }
}

impl<G: Game> Player<G> for Booked<G> {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.guide = Guide::new(Style::default());
        self.inner.new_game()
    }

    fn options(&self) -> Vec<OptionLine> {
        self.inner.options()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        self.inner.set_option(name, value)
    }

    fn choose(
        &mut self,
        played: &Played<G>,
        go: &Go,
        pace: &Pace,
        on_info: &mut dyn FnMut(&Info),
    ) -> Result<Thought<G::Move>, PlayerError> {
        match self.book_move(played) {
            Ok(Some(mv)) => Ok(Thought::only(mv)),
            Ok(None) => self.inner.choose(played, go, pace, on_info),
            Err(error) => Err(PlayerError::Other(error.to_string())),
        }
    }
}

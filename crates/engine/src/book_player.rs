//! A player that follows a book as long as it lasts.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use nutcracker_book::learn::{Guide, Style};
use nutcracker_book::store::Store;
use nutcracker_book::{Book, BookError};
use nutcracker_game::{Game, Random, Score, Side};

use crate::grammar::{Go, Info, OptionLine};
use crate::{Pace, Played, Player, PlayerError, Thought};

/// A player that takes its moves from a book, and asks another player where the book has none.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use nutcracker_book::Book;
/// use nutcracker_book::expert::StaticExpert;
/// use nutcracker_book::store::MemoryStore;
/// use nutcracker_engine::grammar::Go;
/// use nutcracker_engine::{Blind, BookPlayer, Pace, Played, Player};
/// use nutcracker_game::{Rules, Side};
/// use nutcracker_games::kalah::Kalah;
///
/// let kalah = Kalah::new(3, 2, false)?;
/// let start = kalah.start().position;
/// let mut expert = StaticExpert(kalah.clone());
/// let book = Book::create(kalah.clone(), MemoryStore::new(), &start, &mut expert)?;
/// // Several players can share a book.
/// let book = Arc::new(Mutex::new(book));
/// let mut player = BookPlayer::new(book, Blind::new(1), 1);
/// // This book has the start position only: the move is that of the other player.
/// let go = Go::default();
/// let played = Played::from_start(kalah);
/// let thought = player.choose(&played, &go, &Pace::new(&go, Side::First), &mut |_| {})?;
/// assert!(played.legal().contains(&thought.best));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BookPlayer<G: Game, S: Store, P> {
    book: Arc<Mutex<Book<G, S>>>,
    guide: Guide,
    random: Random,
    otherwise: P,
}

impl<G: Game, S: Store, P> fmt::Debug for BookPlayer<G, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BookPlayer").field("guide", &self.guide).finish_non_exhaustive()
    }
}

impl<G: Game, S: Store, P> BookPlayer<G, S, P> {
    /// A player with this book. The same seed makes the same choices among equal moves.
    pub fn new(book: Arc<Mutex<Book<G, S>>>, otherwise: P, seed: u64) -> Self {
        let guide = Guide::new(Style::default());
        BookPlayer { book, guide, random: Random::new(seed), otherwise }
    }

    /// The book's move, if it has one here.
    fn book_move(&mut self, played: &Played<G>) -> Result<Option<G::Move>, BookError> {
        let now = played.now();
        // Poisoned only after a panic that was already reported.
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(id) = book.find(&now.position)? else { return Ok(None) };
        let lead = if now.mover == Side::First { played.lead() } else { -played.lead() };
        let ahead = lead as Score;
        let choices = self.guide.choices(&mut book, id, ahead)?;
        let choice = Guide::pick(&choices, self.random.unit());
        Ok(choice.and_then(|choice| played.legal().get(choice.place).copied()))
    }
}

impl<G: Game, S: Store + Send, P: Player<G>> Player<G> for BookPlayer<G, S, P> {
    fn name(&self) -> String {
        self.otherwise.name()
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.guide = Guide::new(Style::default());
        self.otherwise.new_game()
    }

    fn options(&self) -> Vec<OptionLine> {
        self.otherwise.options()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        self.otherwise.set_option(name, value)
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
            Ok(None) => self.otherwise.choose(played, go, pace, on_info),
            Err(error) => Err(PlayerError::Other(error.to_string())),
        }
    }
}

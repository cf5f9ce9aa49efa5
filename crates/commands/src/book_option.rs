//! Options of players that use a book: which one, how moves are chosen from it, what it learns.

use std::sync::{Arc, Mutex};

use nutcracker_any::AnyGame;
use nutcracker_book::expert::{Expert, ExpertSettings};
use nutcracker_book::play::{DrawAs, Style, parse_points};
use nutcracker_book::store::{self, Access, AnyStore, Location};
use nutcracker_book::value::Hundredths;
use nutcracker_book::{Book, BookError, DEFAULT_ROOM};
use nutcracker_engine::Learner;
use nutcracker_game::Rules;

use crate::databases::Databases;
use crate::failure::Failure;

/// Pages of the book's file kept in memory, in bytes.
const CACHE: usize = 64 << 20;
/// Transposition table of the engine that evaluates what a game did not play, in bytes.
const LEARN_TABLE: usize = 16 << 20;

/// Which book to play from, and how.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Opening book")]
pub struct BookOption {
    /// A book to play from as long as it lasts, as `nutcracker book` makes them
    #[arg(long, value_name = "BOOK")]
    book: Option<Location>,
    /// A book that every finished game is added to, with what was not played evaluated; it is made
    /// if it does not exist, and played from unless --book names another
    #[arg(long, value_name = "BOOK")]
    learn: Option<Location>,
    /// Plies of the search that evaluates positions for --learn
    #[arg(long, value_name = "PLIES", default_value_t = 4)]
    learn_depth: u32,
    #[command(flatten)]
    style: StyleOptions,
}

/// How moves are chosen from a book; what is not given stays as it is.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct StyleOptions {
    /// What a proven draw counts as: win, loss, or points such as -0.5
    #[arg(long = "book-draws", value_name = "AS", allow_hyphen_values = true)]
    pub draws: Option<DrawAs>,
    /// The same for draws of public games, which opponents may know
    #[arg(long = "book-public-draws", value_name = "AS", allow_hyphen_values = true)]
    pub public_draws: Option<DrawAs>,
    /// How many points worse than the best a book move may be, over the whole game
    #[arg(long = "book-variety", value_name = "POINTS", value_parser = parse_variety)]
    pub variety: Option<Hundredths>,
}

/// A tolerance in points, 0 or more.
pub fn parse_variety(text: &str) -> Result<Hundredths, String> {
    match parse_points(text)? {
        points if points >= 0 => Ok(points),
        _ => Err("a tolerance is 0 or more".to_owned()),
    }
}

impl StyleOptions {
    /// A style after these changes.
    pub fn of(self, style: Style) -> Style {
        let private_draws = self.draws.unwrap_or(style.private_draws);
        Style {
            private_draws,
            public_draws: self.public_draws.or(self.draws).unwrap_or(style.public_draws),
            epsilon: self.variety.unwrap_or(style.epsilon),
        }
    }
}

/// A book that several players use.
pub type SharedBook = nutcracker_engine::SharedBook<AnyGame, AnyStore>;

/// What learns games.
pub type AnyLearner = Learner<AnyGame, AnyStore, Box<dyn Expert<AnyGame> + Send>>;

/// A book to play from, with the style of its players, and what learns.
#[derive(Debug, Default)]
pub struct Books {
    /// The book to play from.
    pub book: Option<SharedBook>,
    /// How moves are chosen.
    pub style: Style,
    /// What learns finished games.
    pub learner: Option<AnyLearner>,
}

impl BookOption {
    /// The books.
    pub fn open(&self, game: &AnyGame, databases: &Arc<Databases>) -> Result<Books, Failure> {
        let style = self.style.of(Style::default());
        let mut learner = None;
        let mut book = None;
        if let Some(location) = &self.learn {
            let mut expert = self.expert(game, databases);
            let learning = match store::open(location, Access::Write, CACHE) {
                Err(BookError::Missing(_)) => {
                    let store = store::create(location, CACHE)?;
                    Book::create(game.clone(), store, &game.start().position, &mut expert)?
                }
                store => Book::open(game.clone(), store?, DEFAULT_ROOM)?,
            };
            let learning = Arc::new(Mutex::new(learning));
            book = Some(Arc::clone(&learning));
            learner = Some(Learner::new(learning, expert));
        }
        if let Some(other) = self.book.as_ref().filter(|book| Some(*book) != self.learn.as_ref()) {
            book = Some(open_book(game, other)?);
        }
        Ok(Books { book, style, learner })
    }

    /// What evaluates positions that a game did not play.
    fn expert(
        &self,
        game: &AnyGame,
        databases: &Arc<Databases>,
    ) -> Box<dyn Expert<AnyGame> + Send> {
        let settings = ExpertSettings {
            depth: self.learn_depth,
            search_nodes: None,
            probe_depth: 0,
            table_bytes: LEARN_TABLE,
        };
        settings.expert(game, Some(Arc::clone(databases)))
    }
}

/// Opens a book to play from.
pub fn open_book(game: &AnyGame, location: &Location) -> Result<SharedBook, BookError> {
    let store = store::open(location, Access::Read, CACHE)?;
    Ok(Arc::new(Mutex::new(Book::open(game.clone(), store, DEFAULT_ROOM)?)))
}

//! A player that follows a book as long as it lasts.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use nutcracker_book::play::{DrawAs, Guide, Style, parse_points};
use nutcracker_book::store::Store;
use nutcracker_book::{Book, BookError};
use nutcracker_game::{Game, Random, Score, Side};
use nutcracker_search::{Oracle, known};

use crate::{OptionKind, Played, Player, PlayerError, PlayerOption, Request, Thought};

/// A player that takes its moves from a book, and asks another player where the book has none or
/// databases know the position: what they contain is exact, and a player realises it.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use nutcracker_book::Book;
/// use nutcracker_book::expert::StaticExpert;
/// use nutcracker_book::store::MemoryStore;
/// use nutcracker_engine::{Blind, BookPlayer, MoveLimits, Pace, Played, Player, Request};
/// use nutcracker_game::{Rules, Side};
/// use nutcracker_games::kalah::Kalah;
/// use nutcracker_search::Empty;
///
/// let kalah = Kalah::new(3, 2, false)?;
/// let start = kalah.start().position;
/// let mut expert = StaticExpert(kalah.clone());
/// let book = Book::create(kalah.clone(), MemoryStore::new(), &start, &mut expert)?;
/// // Several players can share a book.
/// let book = Arc::new(Mutex::new(book));
/// let mut player = BookPlayer::new(Some(book), Arc::new(Empty), Blind::new(1), 1);
/// // This book has the start position only: the move is that of the other player.
/// let (played, limits) = (Played::from_start(kalah), MoveLimits::depth(1));
/// let pace = Pace::new(&limits, Side::First);
/// let (played, pace, among) = (&played, &pace, &[][..]);
/// let thought = player.choose(Request { played, limits, pace, among, on_progress: &mut |_| () })?;
/// assert!(played.legal().contains(&thought.best));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BookPlayer<G: Game, S: Store, O, P> {
    /// The book, unless none is used.
    book: Option<SharedBook<G, S>>,
    is_used: bool,
    style: Style,
    guide: Guide,
    random: Random,
    oracle: Arc<O>,
    otherwise: P,
    opener: Option<BookOpener<G, S>>,
}

/// A book that several players use.
pub type SharedBook<G, S> = Arc<Mutex<Book<G, S>>>;

/// Opens the book with a name; the error is one sentence.
pub type BookOpener<G, S> = Box<dyn Fn(&str) -> Result<SharedBook<G, S>, String> + Send>;

impl<G: Game, S: Store, O, P> fmt::Debug for BookPlayer<G, S, O, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BookPlayer").field("guide", &self.guide).finish_non_exhaustive()
    }
}

impl<G: Game, S: Store, O: Oracle, P> BookPlayer<G, S, O, P>
where
    O::Error: fmt::Display,
{
    /// A player with this book. The same seed makes the same choices among equal moves.
    pub fn new(book: Option<SharedBook<G, S>>, oracle: Arc<O>, otherwise: P, seed: u64) -> Self {
        let style = Style::default();
        BookPlayer {
            book,
            is_used: true,
            style,
            guide: Guide::new(style),
            random: Random::new(seed),
            oracle,
            otherwise,
            opener: None,
        }
    }

    /// The same with another style.
    #[must_use]
    pub fn with_style(self, style: Style) -> Self {
        BookPlayer { style, guide: Guide::new(style), ..self }
    }

    /// The same with a way to open another book, by the option `BookFile`.
    #[must_use]
    pub fn with_opener(self, opener: BookOpener<G, S>) -> Self {
        BookPlayer { opener: Some(opener), ..self }
    }

    /// The book's move, if it has one here.
    fn book_move(&mut self, played: &Played<G>) -> Result<Option<G::Move>, BookError> {
        let now = played.now();
        let Some(book) = self.book.as_ref().filter(|_| self.is_used) else { return Ok(None) };
        if self.oracle.bounds(played.game().slice_of(&now.position)) {
            return Ok(None);
        }
        let score = known(played.game(), &*self.oracle, &now.position);
        if score.map_err(|error| BookError::Expert(error.to_string()))?.is_some() {
            return Ok(None);
        }
        // Poisoned only after a panic that was already reported.
        let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(id) = book.find(&now.position)? else { return Ok(None) };
        let lead = if now.mover == Side::First { played.lead() } else { -played.lead() };
        let earlier = played.situations().iter().filter(|at| at.mover != now.mover);
        let history: Vec<G::Position> = earlier.map(|at| at.position).collect();
        let choices = self.guide.choices(&mut book, id, lead as Score, &history)?;
        let place = self.random.below(choices.len().max(1) as u64) as usize;
        Ok(choices.get(place).and_then(|choice| played.legal().get(choice.place).copied()))
    }

    /// Sets an option of the book; `None` if it is not one.
    fn set_book_option(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        let set = match name.to_ascii_lowercase().as_str() {
            "ownbook" => match value {
                "true" | "false" => {
                    self.is_used = value == "true";
                    Ok(())
                }
                _ => Err(format!("{name} is true or false, not {value:?}")),
            },
            "bookfile" => match &self.opener {
                _ if value.is_empty() || value == NO_BOOK => {
                    self.book = None;
                    Ok(())
                }
                Some(open) => open(value).map(|book| self.book = Some(book)),
                None => Err("no other book can be opened here".to_owned()),
            },
            "bookdraws" => value.parse().map(|draws: DrawAs| {
                (self.style.public_draws, self.style.private_draws) = (draws, draws);
            }),
            "bookpublicdraws" => value.parse().map(|draws| self.style.public_draws = draws),
            "bookvariety" => parse_points(value).map(|points| self.style.epsilon = points.max(0)),
            _ => return None,
        };
        self.guide = Guide::new(self.style);
        Some(set)
    }
}

/// The value of `BookFile` that stands for no book, as text options cannot be empty.
const NO_BOOK: &str = "<empty>";

impl<G: Game, S: Store + Send, O, P: Player<G>> Player<G> for BookPlayer<G, S, O, P>
where
    O: Oracle<Error: fmt::Display> + Send + Sync,
{
    fn name(&self) -> String {
        self.otherwise.name()
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.guide.restart();
        self.otherwise.new_game()
    }

    fn options(&self) -> Vec<PlayerOption> {
        let text = |default: String| OptionKind::Text { default };
        let draws = self.style.private_draws.to_string();
        let public = self.style.public_draws.to_string();
        let variety = f64::from(self.style.epsilon) / 100.0;
        let mut options = self.otherwise.options();
        options.extend([
            PlayerOption::new("OwnBook", OptionKind::Switch { default: self.is_used }),
            PlayerOption::new("BookDraws", text(draws)),
            PlayerOption::new("BookPublicDraws", text(public)),
            PlayerOption::new("BookVariety", text(variety.to_string())),
        ]);
        if self.opener.is_some() {
            options.push(PlayerOption::new("BookFile", text(NO_BOOK.to_owned())));
        }
        options
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        match self.set_book_option(name, value.unwrap_or_default()) {
            Some(set) => set,
            None => self.otherwise.set_option(name, value),
        }
    }

    fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
        match self.book_move(request.played) {
            Ok(Some(mv)) if request.among.is_empty() || request.among.contains(&mv) => {
                Ok(Thought { from_book: true, ..Thought::only(mv) })
            }
            Ok(_) => self.otherwise.choose(request),
            Err(error) => Err(PlayerError::Other(error.to_string())),
        }
    }
}

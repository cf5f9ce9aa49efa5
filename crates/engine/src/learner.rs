//! Learning from games as they end.

use std::fmt;

use nutcracker_book::expert::Expert;
use nutcracker_book::grow::SharedBook as _;
use nutcracker_book::learn::{expand_now, learn};
use nutcracker_book::store::Store;
use nutcracker_book::{Book, BookError};
use nutcracker_game::Game;

use crate::book_player::SharedBook;
use crate::{Played, Player, PlayerError, PlayerOption, Request, Thought};

/// Adds games to a book, with all their deviations.
pub struct Learner<G: Game, S: Store, E> {
    book: SharedBook<G, S>,
    expert: E,
}

impl<G: Game, S: Store, E> fmt::Debug for Learner<G, S, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Learner").finish_non_exhaustive()
    }
}

impl<G: Game, S: Store, E: Expert<G> + Send> Learner<G, S, E> {
    /// For games that are added to this book; the expert evaluates deviations.
    pub fn new(book: SharedBook<G, S>, expert: E) -> Self {
        Learner { book, expert }
    }

    /// Adds a game, from its first position on that is in the book; returns the number of positions
    /// expanded. Where it was given up before its end, the last position is expanded too.
    ///
    /// Others can use the book while the expert searches.
    pub fn learn(&mut self, played: &Played<G>) -> Result<u64, BookError> {
        let (book, experts) = (&*self.book, std::slice::from_mut(&mut self.expert));
        for (ply, at) in played.situations().iter().enumerate() {
            let Some(start) = book.with(|book| book.find(&at.position))? else { continue };
            let drawn = played.final_margin() == Some(0);
            let mut expanded = learn(book, start, &played.moves()[ply..], drawn, experts)?;
            let last = book.with(|book| book.find(&played.now().position))?;
            if played.ending().is_none()
                && let Some(last) = last
            {
                expanded += expand_now(book, last, experts)?;
            }
            book.with(Book::commit)?;
            return Ok(expanded);
        }
        Ok(0)
    }
}

/// A player whose games are learned when it is told that a new one begins, and at the end: a
/// protocol does not say when a game ends. A game that begins without such a word is played first:
/// the clock runs while it is the player's turn.
pub struct LearningPlayer<G: Game, S: Store, E: Expert<G> + Send, P> {
    player: P,
    learner: Learner<G, S, E>,
    /// The game so far, with the player's last move.
    game: Option<Played<G>>,
    /// Earlier games that are not learned yet.
    finished: Vec<Played<G>>,
    on_error: Box<dyn Fn(&BookError) + Send>,
}

impl<G: Game, S: Store, E: Expert<G> + Send, P> fmt::Debug for LearningPlayer<G, S, E, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LearningPlayer").finish_non_exhaustive()
    }
}

impl<G: Game, S: Store, E: Expert<G> + Send, P> LearningPlayer<G, S, E, P> {
    /// A player with a learner; `on_error` hears why a game could not be learned, which ends no
    /// game.
    pub fn new(
        player: P,
        learner: Learner<G, S, E>,
        on_error: Box<dyn Fn(&BookError) + Send>,
    ) -> Self {
        LearningPlayer { player, learner, game: None, finished: Vec::new(), on_error }
    }

    fn learn(&mut self) {
        for played in self.finished.drain(..).chain(self.game.take()) {
            if let Err(error) = self.learner.learn(&played) {
                (self.on_error)(&error);
            }
        }
    }
}

impl<G: Game, S: Store, E: Expert<G> + Send, P> Drop for LearningPlayer<G, S, E, P> {
    fn drop(&mut self) {
        self.learn();
    }
}

impl<G, S, E, P> Player<G> for LearningPlayer<G, S, E, P>
where
    G: Game,
    S: Store + Send,
    E: Expert<G> + Send,
    P: Player<G>,
{
    fn name(&self) -> String {
        self.player.name()
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.learn();
        self.player.new_game()
    }

    fn options(&self) -> Vec<PlayerOption> {
        self.player.options()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        self.player.set_option(name, value)
    }

    fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
        let mut played = request.played.clone();
        let follows = self.game.as_ref().is_some_and(|game| {
            played.start() == game.start() && played.moves().starts_with(game.moves())
        });
        if !follows {
            self.finished.extend(self.game.take());
        }
        let thought = self.player.choose(request)?;
        played.play(thought.best);
        self.game = Some(played);
        Ok(thought)
    }
}

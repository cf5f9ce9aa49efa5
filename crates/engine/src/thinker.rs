//! A player on a thread of its own, which can think in the opponent's time.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};

use nutcracker_game::{Game, Rules};

use crate::{AnswerWhen, MoveLimits, Pace, Played, Player, PlayerError, Request, Thought};

/// A player on a thread of its own.
///
/// ```
/// use nutcracker_engine::{Blind, MoveLimits, Played, Thinker};
/// use nutcracker_games::awari::Awari;
///
/// let mut played = Played::from_start(Awari::new(6).unwrap());
/// let mut player = Blind::new(1);
/// std::thread::scope(|scope| {
///     let mut thinker = Thinker::start(scope, &mut player)?;
///     let limits = MoveLimits::depth(1);
///     let thought = thinker.choose(&played, limits)?;
///     played.play(thought.best);
///     // While the opponent thinks, it considers what to do after the reply it expects.
///     let expected = played.legal()[0];
///     thinker.ponder(&played, expected, limits);
///     played.play(expected);
///     assert!(played.legal().contains(&thinker.choose(&played, limits)?.best));
///     Ok(())
/// })
/// # .map_err(|error: nutcracker_engine::PlayerError| error.to_string()).unwrap();
/// ```
#[derive(Debug)]
pub struct Thinker<G: Game> {
    orders: Sender<Order<G>>,
    answers: Receiver<Answer<G>>,
    /// The game it expects, if it thinks about one, and the end of that search.
    pondering: Option<(Played<G>, Arc<Pace>)>,
}

#[derive(Debug)]
enum Order<G: Game> {
    NewGame,
    Choose(Box<Played<G>>, MoveLimits, Arc<Pace>),
}

/// A move; `None` if none was requested.
type Answer<G> = Result<Option<Thought<<G as Rules>::Move>>, PlayerError>;

impl<G: Game> Thinker<G> {
    /// Starts the thread; it ends with this object.
    pub fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        player: &'env mut dyn Player<G>,
    ) -> Result<Self, PlayerError> {
        let (orders, received) = channel();
        let (sender, answers) = channel();
        let work = move || run(player, &received, &sender);
        match Builder::new().spawn_scoped(scope, work) {
            Ok(_) => Ok(Thinker { orders, answers, pondering: None }),
            Err(error) => Err(PlayerError::Other(format!("cannot start a thread: {error}"))),
        }
    }

    /// The following calls belong to another game.
    pub fn new_game(&mut self) -> Result<(), PlayerError> {
        self.stop_pondering();
        self.send(Order::NewGame);
        self.receive().map(|_| ())
    }

    /// A move for a game that has not ended. If it is the game expected while pondering, what was
    /// found so far counts.
    pub fn choose(
        &mut self,
        played: &Played<G>,
        limits: MoveLimits,
    ) -> Result<Thought<G::Move>, PlayerError> {
        let expected = |(expected, _): &mut (Played<G>, _)| expected.moves() == played.moves();
        if let Some((_, pace)) = self.pondering.take_if(expected) {
            pace.ponder_hit();
        } else {
            self.stop_pondering();
            let pace = Arc::new(Pace::new(&limits, played.now().mover));
            self.send(Order::Choose(Box::new(played.clone()), limits, pace));
        }
        self.receive()?.ok_or(PlayerError::Over)
    }

    /// Thinks about its answer to a reply that it expects from the side to move, until
    /// [`choose`](Thinker::choose) tells what was played. The limits are those of the answer. Does
    /// nothing where no answer would be due.
    pub fn ponder(&mut self, played: &Played<G>, reply: G::Move, limits: MoveLimits) {
        self.stop_pondering();
        if !played.legal().contains(&reply) {
            return;
        }
        let mut expected = played.clone();
        expected.play(reply);
        let mover = expected.now().mover;
        if mover == played.now().mover || expected.ending().is_some() {
            return;
        }
        let limits = MoveLimits { answer: AnswerWhen::PonderHit, ..limits };
        let pace = Arc::new(Pace::new(&limits, mover));
        self.send(Order::Choose(Box::new(expected.clone()), limits, Arc::clone(&pace)));
        self.pondering = Some((expected, pace));
    }

    /// Ends a search in the opponent's time; what it has found is lost, except in the tables.
    fn stop_pondering(&mut self) {
        if let Some((_, pace)) = self.pondering.take() {
            pace.stop();
            // The move is for a game that was not played, and so is an error.
            let _ = self.receive();
        }
    }

    fn send(&self, order: Order<G>) {
        // If the thread has ended, `receive` reports it.
        let _ = self.orders.send(order);
    }

    fn receive(&self) -> Answer<G> {
        let ended = |_| PlayerError::Other("the player's thread has ended".to_owned());
        self.answers.recv().map_err(ended)?
    }
}

impl<G: Game> Drop for Thinker<G> {
    fn drop(&mut self) {
        if let Some((_, pace)) = &self.pondering {
            pace.stop();
        }
    }
}

/// Carries out orders until there can be no more.
fn run<G: Game>(
    player: &mut dyn Player<G>,
    orders: &Receiver<Order<G>>,
    answers: &Sender<Answer<G>>,
) {
    while let Ok(order) = orders.recv() {
        let answer = match order {
            Order::NewGame => player.new_game().map(|()| None),
            Order::Choose(played, limits, pace) => {
                let (played, pace) = (&*played, &*pace);
                let request =
                    Request { played, limits, pace, among: &[], on_progress: &mut |_| () };
                player.choose(request).map(Some)
            }
        };
        if answers.send(answer).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use nutcracker_games::awari::Awari;
    use nutcracker_search::{Empty, EngineOptions};

    use super::*;
    use crate::{Searcher, Settings};

    fn searcher() -> Searcher<Awari, Empty> {
        let search = EngineOptions { table_bytes: 1 << 20, ..EngineOptions::default() };
        let settings = Settings { search, ..Settings::default() };
        Searcher::new(Awari::new(6).expect("six pits"), Arc::new(Empty), "test", settings)
    }

    /// It answers when its own time is over, and has thought in the opponent's as well.
    #[test]
    fn the_expected_move_starts_the_clock() {
        let mut player = searcher();
        let mut played = Played::from_start(Awari::new(6).expect("six pits"));
        let limits = MoveLimits::time(Duration::from_millis(300));
        std::thread::scope(|scope| {
            let mut thinker = Thinker::start(scope, &mut player).expect("a thread");
            let reply = played.legal()[0];
            thinker.ponder(&played, reply, limits);
            std::thread::sleep(Duration::from_millis(400));
            played.play(reply);
            let started = Instant::now();
            let thought = thinker.choose(&played, limits).expect("a move");
            let used = started.elapsed();
            assert!(used >= Duration::from_millis(150), "its clock ran before its turn: {used:?}");
            assert!(played.legal().contains(&thought.best));
        });
    }

    /// A time for one move is used, not half of it. A busy machine only takes longer.
    #[test]
    fn the_time_of_a_move_is_used() {
        let mut player = searcher();
        let played = Played::from_start(Awari::new(6).expect("six pits"));
        std::thread::scope(|scope| {
            let mut thinker = Thinker::start(scope, &mut player).expect("a thread");
            let started = Instant::now();
            let limits = MoveLimits::time(Duration::from_millis(300));
            thinker.choose(&played, limits).expect("a move");
            let used = started.elapsed();
            assert!(used >= Duration::from_millis(240), "{used:?}");
        });
    }

    /// A player that says when it begins, and thinks until it is stopped.
    struct Diligent {
        begun: Sender<()>,
        moves: usize,
    }

    impl Player<Awari> for Diligent {
        fn name(&self) -> String {
            "diligent".to_owned()
        }

        fn choose(
            &mut self,
            request: Request<'_, Awari>,
        ) -> Result<Thought<<Awari as Rules>::Move>, PlayerError> {
            self.moves += 1;
            request.pace.during(|| {
                let _ = self.begun.send(());
                while !request.pace.is_over() {
                    std::thread::yield_now();
                }
            });
            Ok(Thought::only(request.played.legal()[0]))
        }
    }

    /// The search of the opponent's time is the search of the move: nothing begins anew.
    #[test]
    fn the_opponents_time_is_gained() {
        let (begun, has_begun) = channel();
        let mut player = Diligent { begun, moves: 0 };
        let mut played = Played::from_start(Awari::new(6).expect("six pits"));
        let limits = MoveLimits::time(Duration::from_millis(20));
        std::thread::scope(|scope| {
            let mut thinker = Thinker::start(scope, &mut player).expect("a thread");
            let reply = played.legal()[0];
            thinker.ponder(&played, reply, limits);
            // The opponent moves only when it thinks already, however busy the machine is.
            has_begun.recv().expect("it thinks in the opponent's time");
            played.play(reply);
            let thought = thinker.choose(&played, limits).expect("a move");
            assert!(played.legal().contains(&thought.best));
        });
        assert_eq!(player.moves, 1, "one search");
    }

    /// Another move than the expected one stops the search; the answer is for the game played.
    #[test]
    fn another_move_stops_it() {
        let mut player = searcher();
        let start = Played::from_start(Awari::new(6).expect("six pits"));
        let legal = start.legal();
        std::thread::scope(|scope| {
            let mut thinker = Thinker::start(scope, &mut player).expect("a thread");
            for mv in &legal[1..] {
                // Without a limit, only a stop ends it.
                thinker.ponder(&start, legal[0], MoveLimits::default());
                let mut next = start.clone();
                next.play(*mv);
                let thought = thinker.choose(&next, MoveLimits::depth(3)).expect("a move");
                assert!(next.legal().contains(&thought.best));
            }
            thinker.ponder(&start, legal[0], MoveLimits::default());
            thinker.new_game().expect("a new game");
            // It ends with the object, too.
            thinker.ponder(&start, legal[0], MoveLimits::default());
        });
    }

    /// Where the same side moves again, there is nothing to expect.
    #[test]
    fn an_extra_turn_is_not_pondered() {
        let kalah = nutcracker_games::kalah::Kalah::new(6, 4, false).expect("kalah");
        let played = Played::from_start(kalah.clone());
        let settings = Settings::default();
        let mut player = Searcher::new(kalah, Arc::new(Empty), "test", settings);
        std::thread::scope(|scope| {
            let mut thinker = Thinker::start(scope, &mut player).expect("a thread");
            let again = played.find("C4").expect("it ends in the store");
            thinker.ponder(&played, again, MoveLimits::default());
            assert!(thinker.pondering.is_none());
        });
    }
}

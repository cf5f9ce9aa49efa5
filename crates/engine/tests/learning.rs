//! Players that learn from their games.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use nutcracker_book::Book;
use nutcracker_book::Strategy;
use nutcracker_book::expert::{FnExpert, StaticExpert};
use nutcracker_book::grow::{Ended, Plan};
use nutcracker_book::store::MemoryStore;
use nutcracker_engine::{
    Blind, BookPlayer, Contest, Ending, Learner, MoveLimits, Played, Searcher, Seat, Settings,
};
use nutcracker_game::{Rules, Side, Situation};
use nutcracker_games::awari::Awari;
use nutcracker_games::halves::Board;
use nutcracker_search::{Empty, EngineOptions, Worth};

/// The exact score of a position with few stones.
fn score(awari: &Awari, start: &Situation<Board>) -> i16 {
    let mut expert = StaticExpert(awari.clone());
    let mut book =
        Book::create(awari.clone(), MemoryStore::new(), &start.position, &mut expert).unwrap();
    let ended = book.grow(&mut [expert], &Plan::new(Strategy::Proof), &mut |_| {}).unwrap();
    assert_eq!(ended, Ended::Solved);
    book.root_value().unwrap().score().unwrap()
}

/// A learner's games against an opponent that always answers alike.
#[derive(Default)]
struct Games {
    lost: u32,
    repeated: u32,
    /// The learner's margin in the last game.
    last: i32,
}

/// In a game with cycles: no game is lost twice.
fn learn(start: &str) -> Games {
    let awari = Awari::new(3).unwrap();
    let start = awari.parse(start).unwrap();
    let learner_side = if score(&awari, &start) >= 0 { Side::First } else { Side::Second };
    let bad = |board: &Board| {
        let sum = |half: &[u8]| half.iter().map(|&n| i32::from(n)).sum::<i32>();
        Worth::guess(10 * (sum(&board.own) - sum(&board.other)))
    };
    let book = Book::create(awari.clone(), MemoryStore::new(), &start.position, &mut FnExpert(bad))
        .unwrap();
    let book = Arc::new(Mutex::new(book));
    let mut learner = Learner::new(Arc::clone(&book), FnExpert(bad));
    let mut lost = HashSet::new();
    let mut games = Games::default();
    for _ in 0..40 {
        let search = EngineOptions { table_bytes: 1 << 20, ..EngineOptions::default() };
        let settings = Settings { search, ..Settings::default() };
        let mut opponent = Searcher::new(awari.clone(), Arc::new(Empty), "search", settings);
        let mut player =
            BookPlayer::new(Some(Arc::clone(&book)), Arc::new(Empty), Blind::new(1), 1);
        let ours = Seat::new(&mut player, MoveLimits::depth(1));
        let theirs = Seat::new(&mut opponent, MoveLimits::depth(9));
        let seats = if learner_side == Side::First { [ours, theirs] } else { [theirs, ours] };
        let finished = Contest::default().play(Played::new(awari.clone(), start), seats);
        assert!(finished.fault.is_none(), "{:?}", finished.fault);
        let played = finished.played;
        games.repeated += u32::from(played.ending() == Some(Ending::Repeated));
        let margin = played.final_margin().unwrap();
        games.last = if learner_side == Side::First { margin } else { -margin };
        if games.last < 0 {
            games.lost += 1;
            assert!(lost.insert(played.moves().to_vec()), "lost before: {:?}", played.names());
        }
        learner.learn(&played).unwrap();
    }
    let checked = book.lock().unwrap().check(&mut |_| {}).unwrap();
    assert!(checked.flaws.is_empty(), "{:?}", checked.flaws);
    games
}

/// Though every deviation is evaluated badly, in the end no game is lost.
#[test]
fn no_game_with_cycles_is_lost_twice() {
    let starts =
        ["1,2,1/2,1,1 S", "2,1,0/1,2,2 S", "0,2,2/2,1,1 S", "2,0,2/1,1,2 S", "3,1,0/2,0,2 S"];
    let (mut lost, mut repeated) = (0, 0);
    for start in starts {
        let games = learn(start);
        assert!(games.last >= 0, "{start}: after {} losses it still loses", games.lost);
        (lost, repeated) = (lost + games.lost, repeated + games.repeated);
    }
    assert!(lost > 0, "such an evaluation should lose to begin with");
    assert!(repeated > 0, "no game repeated a position");
}

/// Where databases know the position, they decide, and not the book.
#[test]
fn databases_come_before_the_book() {
    use nutcracker_engine::{Pace, Player, Request};
    use nutcracker_game::{Score, SliceId};
    use nutcracker_search::Oracle;

    /// Knows every position.
    struct Everything;
    impl Oracle for Everything {
        type Error = std::convert::Infallible;
        fn covers(&self, _: SliceId) -> bool {
            true
        }
        fn score(&self, _: SliceId, _: u64) -> Result<Score, Self::Error> {
            Ok(0)
        }
    }

    let awari = Awari::new(3).unwrap();
    let start = awari.start().position;
    let mut expert = StaticExpert(awari.clone());
    let mut book = Book::create(awari.clone(), MemoryStore::new(), &start, &mut expert).unwrap();
    book.expand_all(&[0], &mut [expert]).unwrap();
    let book = Arc::new(Mutex::new(book));
    let played = Played::from_start(awari);
    let limits = MoveLimits::depth(1);
    let pace = Pace::new(&limits, Side::First);
    let asked = |player: &mut dyn Player<Awari>| {
        let request =
            Request { played: &played, limits, pace: &pace, among: &[], on_progress: &mut |_| {} };
        player.choose(request).unwrap().best
    };
    // The other player always plays the same move; the book prefers another one.
    let first = played.legal()[0];
    let by_book =
        asked(&mut BookPlayer::new(Some(Arc::clone(&book)), Arc::new(Empty), Only(first), 1));
    let by_databases =
        asked(&mut BookPlayer::new(Some(book), Arc::new(Everything), Only(first), 1));
    assert_ne!(by_book, first);
    assert_eq!(by_databases, first);
}

/// Always plays the same move.
struct Only(<Awari as Rules>::Move);

impl nutcracker_engine::Player<Awari> for Only {
    fn name(&self) -> String {
        "only".to_owned()
    }

    fn choose(
        &mut self,
        _: nutcracker_engine::Request<'_, Awari>,
    ) -> Result<nutcracker_engine::Thought<<Awari as Rules>::Move>, nutcracker_engine::PlayerError>
    {
        Ok(nutcracker_engine::Thought::only(self.0))
    }
}

/// A book of awari with three pits, its start expanded, and a game of two moves.
fn small() -> (Arc<Mutex<Book<Awari, MemoryStore>>>, Played<Awari>) {
    let awari = Awari::new(3).unwrap();
    let start = awari.start().position;
    let mut expert = StaticExpert(awari.clone());
    let mut book = Book::create(awari.clone(), MemoryStore::new(), &start, &mut expert).unwrap();
    book.expand_all(&[0], &mut [expert]).unwrap();
    let mut played = Played::from_start(awari);
    for _ in 0..2 {
        let mv = played.legal()[0];
        played.play(mv);
    }
    (Arc::new(Mutex::new(book)), played)
}

/// Others can use the book while a game is learned and its expert searches.
#[test]
fn a_learner_does_not_hold_the_book() {
    let (book, played) = small();
    let seen = Arc::clone(&book);
    let mut asked = 0;
    let expert = FnExpert(|_: &Board| {
        asked += 1;
        assert!(seen.try_lock().is_ok(), "the book is held");
        Worth::guess(0)
    });
    assert!(Learner::new(book, expert).learn(&played).unwrap() > 0);
    assert!(asked > 0);
}

/// A game that begins without a word is not learned while the clock runs, but afterwards.
#[test]
fn nothing_is_learned_during_a_move() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use nutcracker_engine::{LearningPlayer, Pace, Player, Request};

    let (book, played) = small();
    let first = Played::from_start(Awari::new(3).unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let expert = FnExpert(move |_: &Board| {
        count.fetch_add(1, Ordering::Relaxed);
        Worth::guess(0)
    });
    let learner = Learner::new(book, expert);
    let mv = *played.legal().first().unwrap();
    let on_error = Box::new(|error: &nutcracker_book::BookError| panic!("{error}"));
    let mut player = LearningPlayer::new(Only(mv), learner, on_error);
    let limits = MoveLimits::depth(1);
    for game in [&played, &first, &played] {
        let pace = Pace::new(&limits, Side::First);
        let request =
            Request { played: game, limits, pace: &pace, among: &[], on_progress: &mut |_| {} };
        player.choose(request).unwrap();
        assert_eq!(asked.load(Ordering::Relaxed), 0);
    }
    player.new_game().unwrap();
    assert!(asked.load(Ordering::Relaxed) > 0);
}

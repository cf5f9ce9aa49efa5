//! Growth as a protocol: jobs are applied in any order or abandoned, commits fail, and books have
//! several starts.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nutcracker_book::expert::{Expert, StaticExpert};
use nutcracker_book::grow::{Ended, Plan};
use nutcracker_book::store::{Batch, MemoryStore, Store};
use nutcracker_book::{Book, BookError, Job, Player, Strategy};
use nutcracker_game::{Game, Random, Rules};
use nutcracker_games::awari::Awari;
use nutcracker_games::halves::Board;
use nutcracker_games::kalah::Kalah;
use nutcracker_search::Worth;

const STRATEGIES: [Strategy; 5] = [
    Strategy::BestFirst,
    Strategy::DropOut(Player::First),
    Strategy::DropOut(Player::Both),
    Strategy::Conspiracy,
    Strategy::Proof,
];

/// What the expert says of the positions of a job.
fn values<G: Game>(expert: &mut impl Expert<G>, job: &Job<G::Position>) -> HashMap<String, Worth> {
    let one =
        |(key, position): &(String, G::Position)| (key.clone(), expert.evaluate(position).unwrap());
    job.wanted.iter().map(one).collect()
}

fn in_order<G: Game, S: Store>(book: &mut Book<G, S>) {
    let checked = book.check(&mut |_| {}).unwrap();
    assert!(checked.flaws.is_empty(), "{:?}", checked.flaws);
}

/// Several jobs are open at any time; the next to be applied is any of them, and every fourth one is
/// given back. The book is in order after each, and in the end solved as ever.
#[test]
fn jobs_are_applied_in_any_order() {
    let awari = Awari::new(3).unwrap();
    let start = awari.parse("1,2,1/2,1,1 S").unwrap().position;
    let mut expert = StaticExpert(awari.clone());
    let mut plain = Book::create(awari.clone(), MemoryStore::new(), &start, &mut expert).unwrap();
    plain
        .grow(&mut [StaticExpert(awari.clone())], &Plan::new(Strategy::Proof), &mut |_| {})
        .unwrap();
    let score = plain.root_value().unwrap().score();
    assert!(score.is_some());
    for (place, strategy) in STRATEGIES.into_iter().enumerate() {
        let mut random = Random::new(place as u64 + 1);
        let mut book =
            Book::create(awari.clone(), MemoryStore::new(), &start, &mut expert).unwrap();
        let mut open: Vec<Job<Board>> = Vec::new();
        for turn in 0.. {
            assert!(turn < 20_000, "{strategy:?} does not end");
            if book.is_solved().unwrap() {
                break;
            }
            open.extend(book.propose(strategy, 4 - open.len().min(3)).unwrap());
            if open.is_empty() {
                book.find_cycles().unwrap();
                continue;
            }
            let job = open.swap_remove(random.below(open.len() as u64) as usize);
            if random.below(4) == 0 {
                book.abandon(job.id).unwrap();
            } else {
                assert!(book.apply(job.id, &values::<Awari>(&mut expert, &job)).unwrap());
                if book.cycles_are_due() {
                    book.find_cycles().unwrap();
                }
            }
            if turn < 300 || turn % 50 == 0 {
                in_order(&mut book);
            }
        }
        for job in open {
            book.abandon(job.id).unwrap();
        }
        assert_eq!((book.open_jobs(), book.root_value().unwrap().score()), (0, score));
        in_order(&mut book);
    }
}

/// A store that refuses the next commits.
struct Fails(MemoryStore, Arc<AtomicUsize>);

impl Store for Fails {
    fn facts(&self) -> nutcracker_book::Result<Option<Vec<u8>>> {
        self.0.facts()
    }
    fn find(&self, position: &str) -> nutcracker_book::Result<Option<u64>> {
        self.0.find(position)
    }
    fn read(&self, id: u64, bytes: &mut Vec<u8>) -> nutcracker_book::Result<bool> {
        self.0.read(id, bytes)
    }
    fn next(&self, from: u64) -> nutcracker_book::Result<Option<(u64, Vec<u8>)>> {
        self.0.next(from)
    }
    fn len(&self) -> nutcracker_book::Result<u64> {
        self.0.len()
    }
    fn commit(&mut self, batch: &Batch) -> nutcracker_book::Result<()> {
        if self.1.load(Ordering::Relaxed) > 0 {
            self.1.fetch_sub(1, Ordering::Relaxed);
            return Err(BookError::Store("no space is left".to_owned()));
        }
        self.0.commit(batch)
    }
    fn compact(&mut self) -> nutcracker_book::Result<()> {
        self.0.compact()
    }
}

/// After a commit that failed nothing is lost: the next one writes everything.
#[test]
fn a_failed_commit_is_made_up_for() {
    let kalah = Kalah::new(3, 2, false).unwrap();
    let start = kalah.start().position;
    let refused = Arc::new(AtomicUsize::new(0));
    let mut expert = StaticExpert(kalah.clone());
    let store = Fails(MemoryStore::new(), Arc::clone(&refused));
    let mut book = Book::create(kalah.clone(), store, &start, &mut expert).unwrap();
    let mut other = Book::create(kalah.clone(), MemoryStore::new(), &start, &mut expert).unwrap();
    for _ in 0..30 {
        for job in other.propose(Strategy::BestFirst, 1).unwrap() {
            other.apply(job.id, &values::<Kalah>(&mut expert, &job)).unwrap();
        }
        for job in book.propose(Strategy::BestFirst, 1).unwrap() {
            book.apply(job.id, &values::<Kalah>(&mut expert, &job)).unwrap();
        }
        refused.store(1, Ordering::Relaxed);
        assert!(book.commit().is_err());
        in_order(&mut book);
        book.commit().unwrap();
        other.commit().unwrap();
        in_order(&mut book);
        assert_eq!(book.facts(), other.facts());
    }
    for id in 0..book.facts().next {
        assert_eq!(book.node(id).unwrap(), other.node(id).unwrap(), "{id}");
    }
}

/// All start positions of a book are solved, by every strategy, each as if it were the only one.
#[test]
fn several_starts_grow_together() {
    let awari = Awari::new(3).unwrap();
    let starts = ["1,2,1/2,1,1 S", "2,1,0/1,2,2 S", "0,2,2/2,1,1 S"]
        .map(|text| awari.parse(text).unwrap().position);
    let new = |start: &Board| {
        let mut expert = StaticExpert(awari.clone());
        Book::create(awari.clone(), MemoryStore::new(), start, &mut expert).unwrap()
    };
    let solve = |book: &mut Book<Awari, MemoryStore>, strategy| {
        let mut experts = [StaticExpert(awari.clone()), StaticExpert(awari.clone())];
        let ended = book.grow(&mut experts, &Plan::new(strategy), &mut |_| {}).unwrap();
        assert_eq!(ended, Ended::Solved, "{strategy:?}");
        in_order(book);
    };
    let scores = starts.map(|start| {
        let mut book = new(&start);
        solve(&mut book, Strategy::Proof);
        book.root_value().unwrap().score()
    });
    for strategy in STRATEGIES {
        let mut book = new(&starts[0]);
        for start in &starts[1..] {
            book.add_start(start, &mut StaticExpert(awari.clone())).unwrap();
        }
        // One after the other gets its turn, or the nearest of all.
        let plan = Plan { expansions: Some(30), ..Plan::new(strategy) };
        book.grow(&mut [StaticExpert(awari.clone())], &plan, &mut |_| {}).unwrap();
        for start in &starts {
            let id = book.find(start).unwrap().unwrap();
            assert!(!book.node(id).unwrap().edges.is_empty(), "{strategy:?} left out a start");
        }
        solve(&mut book, strategy);
        for (start, score) in starts.iter().zip(scores) {
            let id = book.find(start).unwrap().unwrap();
            assert_eq!(book.node(id).unwrap().value.score(), score, "{strategy:?}");
        }
    }
}

/// Whoever reads a book goes on while an expert searches: this one ends its search only when the
/// book was read meanwhile.
#[test]
fn readers_go_on_while_an_expert_searches() {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    use nutcracker_book::expert::FnExpert;
    use nutcracker_book::grow::grow;

    let kalah = Kalah::new(3, 2, false).unwrap();
    let start = kalah.start().position;
    let mut expert = StaticExpert(kalah.clone());
    let book =
        Mutex::new(Book::create(kalah.clone(), MemoryStore::new(), &start, &mut expert).unwrap());
    let (reads, changed, over) = (Mutex::new(0_u64), Condvar::new(), AtomicBool::new(false));
    let patient = || {
        FnExpert(|_: &Board| {
            let reads = reads.lock().unwrap();
            let before = *reads;
            let most = Duration::from_mins(1);
            let waited = changed.wait_timeout_while(reads, most, |reads| *reads == before);
            assert!(!waited.unwrap().1.timed_out(), "nobody could read the book");
            Worth::guess(0)
        })
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                assert!(book.lock().unwrap().root_value().is_ok());
                *reads.lock().unwrap() += 1;
                changed.notify_all();
                std::thread::yield_now();
            }
        });
        let plan = Plan { expansions: Some(20), ..Plan::new(Strategy::BestFirst) };
        let ended = grow(&book, &mut [patient(), patient()], &plan, &mut |_| {});
        over.store(true, Ordering::Relaxed);
        assert_eq!(ended.unwrap(), Ended::Planned);
    });
}

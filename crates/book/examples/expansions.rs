//! Expansions a second with an engine that takes no time, and how much of the time is the store's:
//! `cargo run --release -p nutcracker-book --example expansions -- 200000 drop-out 300000`
//! (expansions, strategy, nodes kept in memory).

use std::cell::Cell;
use std::time::{Duration, Instant};

use nutcracker_book::expert::{Ask, Opinion};
use nutcracker_book::grow::Plan;
use nutcracker_book::node::NodeId;
use nutcracker_book::store::{Batch, RedbStore, Store};
use nutcracker_book::{Book, BookError, DEFAULT_ROOM, Player, Strategy};
use nutcracker_game::Game;
use nutcracker_games::awari::Awari;
use nutcracker_games::halves::Board;

/// How often something was done, and how long it took together.
#[derive(Clone, Copy, Default)]
struct Spent {
    times: u64,
    time: Duration,
}

impl Spent {
    fn since(self, before: Spent) -> Spent {
        Spent { times: self.times - before.times, time: self.time.saturating_sub(before.time) }
    }

    fn micros(self) -> f64 {
        1e6 * self.time.as_secs_f64()
    }
}

/// A store with a clock.
struct Timed<'a> {
    store: RedbStore,
    looks: &'a Cell<Spent>,
    commits: &'a Cell<Spent>,
}

fn timed<T>(spent: &Cell<Spent>, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = work();
    let Spent { times, time } = spent.get();
    spent.set(Spent { times: times + 1, time: time + began.elapsed() });
    done
}

impl Store for Timed<'_> {
    fn facts(&self) -> Result<Option<Vec<u8>>, BookError> {
        self.store.facts()
    }
    fn find(&self, position: &str) -> Result<Option<NodeId>, BookError> {
        timed(self.looks, || self.store.find(position))
    }
    fn get(&self, id: NodeId) -> Result<Option<Vec<u8>>, BookError> {
        timed(self.looks, || self.store.get(id))
    }
    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>, BookError> {
        timed(self.looks, || self.store.next(from))
    }
    fn len(&self) -> Result<u64, BookError> {
        self.store.len()
    }
    fn commit(&mut self, batch: &Batch) -> Result<(), BookError> {
        timed(self.commits, || self.store.commit(batch))
    }
    fn compact(&mut self) -> Result<(), BookError> {
        self.store.compact()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let count: u64 = args.next().map_or(Ok(200_000), |text| text.parse())?;
    let strategy = match args.next().as_deref() {
        None | Some("drop-out") => Strategy::DropOut(Player::Both),
        Some("best-first") => Strategy::BestFirst,
        Some("conspiracy") => Strategy::Conspiracy,
        Some("proof") => Strategy::Proof,
        Some(other) => return Err(format!("there is no strategy {other}").into()),
    };
    let room: usize = args.next().map_or(Ok(DEFAULT_ROOM), |text| text.parse())?;
    let awari = Awari::new(6)?;
    let start = awari.start().position;
    // A guess that depends on the position alone, and on nothing that it is worth.
    let mut expert = Ask(|board: &Board| {
        let mixed = (u64::from_le_bytes(board.own)
            ^ u64::from_le_bytes(board.other).rotate_left(23))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Opinion::Guess((mixed >> 40) as i32 % 200)
    });
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("book");
    let (looks, commits) = (Cell::default(), Cell::default());
    let timed = |store| Timed { store, looks: &looks, commits: &commits };
    let store = RedbStore::create(&path, 256 << 20)?;
    drop(Book::create(awari.clone(), timed(store), &start, &mut expert)?);
    let mut book = Book::open(awari, timed(RedbStore::open(&path, 256 << 20)?), room)?;
    let part = (count / 10).max(1);
    println!(
        "{:>10} {:>9} {:>8} {:>8} {:>10} {:>10} {:>10} {:>8}",
        "expansions",
        "nodes",
        "µs each",
        "look-ups",
        "µs each",
        "look-ups µs",
        "commits µs",
        "rest µs"
    );
    let all = Instant::now();
    while book.facts().expansions < count {
        let before = (looks.get(), commits.get());
        let began = Instant::now();
        let plan = Plan { expansions: Some(part), ..Plan::new(strategy) };
        book.grow(std::slice::from_mut(&mut expert), &plan, &mut |_| {})?;
        let whole = 1e6 * began.elapsed().as_secs_f64() / part as f64;
        let (looks, commits) = (looks.get().since(before.0), commits.get().since(before.1));
        let (look, commit) = (looks.micros() / part as f64, commits.micros() / part as f64);
        println!(
            "{:>10} {:>9} {whole:>8.1} {:>8.1} {:>10.2} {look:>10.1} {commit:>10.1} {:>8.1}",
            book.facts().expansions,
            book.facts().nodes,
            looks.times as f64 / part as f64,
            looks.micros() / looks.times.max(1) as f64,
            whole - look - commit,
        );
    }
    let seconds = all.elapsed().as_secs_f64();
    println!("{count} expansions in {seconds:.1} s: {:.0} a second", count as f64 / seconds);
    Ok(())
}

//! Expansions a second with an engine that takes no time, and where the time of an expansion goes:
//! `cargo run --release -p nutcracker-book --example expansions -- 200000 drop-out 300000`
//! (expansions, strategy, nodes kept in memory), and with a fourth argument in a book that is made
//! there, such as `postgres:///nutcracker?book=speed`, instead of a temporary file.
//!
//! Times are processor times, so that other load and waits for the disk do not count; those of the
//! last two lines are elapsed times.

use std::cell::Cell;
use std::time::{Duration, Instant};

use nutcracker_book::expert::FnExpert;
use nutcracker_book::grow::Plan;
use nutcracker_book::node::NodeId;
use nutcracker_book::store::{self, Access, AnyStore, Batch, Location, Store};
use nutcracker_book::{Book, BookError, DEFAULT_ROOM, Facts, Strategy};
use nutcracker_game::Rules;
use nutcracker_games::awari::Awari;
use nutcracker_games::halves::Board;
use nutcracker_search::Worth;
use rustix::time::{ClockId, clock_gettime};

/// About what a node takes in memory.
const NODE_BYTES: usize = 350;

/// How often an operation ran, and its total time.
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

/// A store that measures the time of its operations.
struct Timed<'a> {
    store: AnyStore,
    looks: &'a Cell<Spent>,
    reads: &'a Cell<Spent>,
    commits: &'a Cell<Spent>,
}

/// The processor time of this thread.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn timed<T>(spent: &Cell<Spent>, work: impl FnOnce() -> T) -> T {
    let began = now();
    let done = work();
    let Spent { times, time } = spent.get();
    spent.set(Spent { times: times + 1, time: time + now().saturating_sub(began) });
    done
}

/// Nanoseconds of a dependent read in this many bytes of memory: its address is the result of the
/// read before.
fn memory_read(bytes: usize) -> f64 {
    const LINE: usize = 64;
    const READS: usize = 200_000;
    let lines = (bytes / LINE).max(2);
    // One cycle through all cache lines in random order (Sattolo).
    let mut next: Vec<[u64; LINE / 8]> = (0..lines as u64).map(|at| [at; LINE / 8]).collect();
    let mut random = 1_u64;
    for at in (1..lines).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        next.swap(at, (random >> 33) as usize % at);
    }
    let began = now();
    let mut at = 0;
    for _ in 0..READS {
        at = next[at][0] as usize;
    }
    std::hint::black_box(at);
    1e9 * now().saturating_sub(began).as_secs_f64() / READS as f64
}

impl Store for Timed<'_> {
    fn facts(&self) -> Result<Option<Vec<u8>>, BookError> {
        self.store.facts()
    }
    fn find(&self, position: &str) -> Result<Option<NodeId>, BookError> {
        timed(self.looks, || self.store.find(position))
    }
    fn read(&self, id: NodeId, bytes: &mut Vec<u8>) -> Result<bool, BookError> {
        timed(self.reads, || self.store.read(id, bytes))
    }
    fn prefers_batches(&self) -> bool {
        self.store.prefers_batches()
    }
    fn find_many(&self, positions: &[&str]) -> Result<Vec<Option<NodeId>>, BookError> {
        timed(self.looks, || self.store.find_many(positions))
    }
    fn read_many(&self, ids: &[NodeId]) -> Result<Vec<Option<Vec<u8>>>, BookError> {
        timed(self.reads, || self.store.read_many(ids))
    }
    fn next(&self, from: NodeId) -> Result<Option<(NodeId, Vec<u8>)>, BookError> {
        timed(self.reads, || self.store.next(from))
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
    let strategy: Strategy = args.next().as_deref().unwrap_or("drop-out").parse()?;
    let room: usize = args.next().map_or(Ok(DEFAULT_ROOM), |text| text.parse())?;
    let awari = Awari::new(6)?;
    let start = awari.start().position;
    // A guess that depends only on the position, and is unrelated to its true value.
    let mut expert = FnExpert(|board: &Board| {
        let mixed = (u64::from_le_bytes(board.own)
            ^ u64::from_le_bytes(board.other).rotate_left(23))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Worth::guess((mixed >> 40) as i32 % 200)
    });
    let dir = tempfile::tempdir()?;
    let file = || dir.path().join("book").into();
    let place = args.next().map_or_else(file, Location::from);
    let (looks, reads, commits) = (Cell::default(), Cell::default(), Cell::default());
    let timed = |store| Timed { store, looks: &looks, reads: &reads, commits: &commits };
    let store = store::create(&place, 256 << 20)?;
    drop(Book::create(awari.clone(), timed(store), &start, &mut expert)?);
    let mut book = Book::open(awari, timed(store::open(&place, Access::Write, 256 << 20)?), room)?;
    let part = (count / 10).max(1);
    println!(
        "Of an expansion: µs, look-ups by position, nodes read, commits, and the rest, which is the \
         work on nodes.\nA read is one from memory of the size of the nodes in it."
    );
    println!(
        "{:>10} {:>9} {:>6} {:>16} {:>16} {:>7} {:>7} {:>8} {:>8} {:>8}",
        "expansions",
        "nodes",
        "µs",
        "look-ups, µs",
        "reads, µs",
        "commits",
        "rest",
        "touched",
        "ns each",
        "read ns"
    );
    let all = Instant::now();
    while book.facts().expansions < count {
        let before = (looks.get(), reads.get(), commits.get(), book.traffic());
        let began = now();
        let plan = Plan { expansions: Some(part), ..Plan::new(strategy) };
        book.grow(std::slice::from_mut(&mut expert), &plan, &mut |_| {})?;
        let each = 1.0 / part as f64;
        let whole = 1e6 * now().saturating_sub(began).as_secs_f64() * each;
        let (looks, reads) = (looks.get().since(before.0), reads.get().since(before.1));
        let commits = commits.get().since(before.2);
        let rest = whole - (looks.micros() + reads.micros() + commits.micros()) * each;
        let touched = (book.traffic().touched - before.3.touched) as f64 * each;
        let kept = book.facts().nodes.min(room as u64) as usize;
        println!(
            "{:>10} {:>9} {whole:>6.1} {:>8.1} {:>7.1} {:>8.2} {:>7.1} {:>7.1} {rest:>7.1} \
             {touched:>8.1} {:>8.1} {:>8.1}",
            book.facts().expansions,
            book.facts().nodes,
            looks.times as f64 * each,
            looks.micros() * each,
            reads.times as f64 * each,
            reads.micros() * each,
            commits.micros() * each,
            1e3 * rest / touched,
            memory_read(kept * NODE_BYTES),
        );
    }
    let seconds = all.elapsed().as_secs_f64();
    println!("{count} expansions in {seconds:.1} s: {:.0} a second", count as f64 / seconds);
    drop(book);
    let store = store::open(&place, Access::Read, 256 << 20)?;
    let nodes = Facts::of(&store)?.next;
    // Scattered over the whole book, each once.
    let ids: Vec<NodeId> = (0..nodes.min(10_000)).map(|at| at * 7_919 % nodes).collect();
    let began = Instant::now();
    for &id in &ids {
        store.get(id)?.ok_or("a node is missing")?;
    }
    let alone = began.elapsed();
    let began = Instant::now();
    for ids in ids.chunks(1000) {
        store.read_many(ids)?;
    }
    let each = |time: Duration| 1e6 * time.as_secs_f64() / ids.len() as f64;
    println!(
        "a node read alone: {:.1} µs, one of 1,000 read together: {:.1} µs",
        each(alone),
        each(began.elapsed())
    );
    Ok(())
}

//! How long a move from a large book takes, from opening the book on:
//! `cargo run --release -p nutcracker-book --example moves -- 1000000 5000`
//! (nodes of the book, moves).
//!
//! The book is one of awari, grown without a search. Each move is that of a random position of the
//! book which has moves; before every hundredth the book is opened anew, so that nothing is in
//! memory but what the system keeps of its file.

use std::error::Error;
use std::time::{Duration, Instant};

use nutcracker_book::expert::StaticExpert;
use nutcracker_book::grow::Plan;
use nutcracker_book::node::State;
use nutcracker_book::play::{Guide, Style};
use nutcracker_book::store::{self, Access, Location};
use nutcracker_book::{Book, DEFAULT_ROOM, Strategy};
use nutcracker_game::{Random, Rules};
use nutcracker_games::awari::Awari;

/// Memory for the pages of the file.
const CACHE: usize = 64 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let nodes = args.next().unwrap_or(Ok(1_000_000))?;
    let count = args.next().unwrap_or(Ok(5000))?;
    let dir = tempfile::tempdir()?;
    let location = Location::from(dir.path().join("awari.book"));
    let awari = Awari::new(6)?;
    let start = awari.start().position;
    let mut expert = StaticExpert(awari.clone());
    let store = store::create(&location, CACHE)?;
    let mut book = Book::create(awari.clone(), store, &start, &mut expert)?;
    let plan = Plan { nodes: Some(nodes), ..Plan::new("drop-out".parse::<Strategy>()?) };
    book.grow(&mut [expert], &plan, &mut |_| ())?;
    let next = book.facts().next;
    println!("{} nodes", book.facts().nodes);
    drop(book);

    let store = store::open(&location, Access::Read, CACHE)?;
    let mut book = Book::open(awari, store, DEFAULT_ROOM)?;
    let mut random = Random::new(1);
    let mut times: Vec<Duration> = Vec::new();
    let mut cold: Vec<Duration> = Vec::new();
    while times.len() < count as usize {
        let id = random.below(next);
        if book.node(id)?.state != State::Interior {
            continue;
        }
        let position = book.position(id)?;
        let opened = times.len().is_multiple_of(100);
        if opened {
            let store = store::open(&location, Access::Read, CACHE);
            book = Book::open(book.game().clone(), store?, DEFAULT_ROOM)?;
        }
        let began = Instant::now();
        let id = book.find(&position)?.ok_or("it was in the book")?;
        let choices = Guide::new(Style::default()).choices(&mut book, id, 0, &[])?;
        let time = began.elapsed();
        assert!(!choices.is_empty());
        times.push(time);
        if opened {
            cold.push(time);
        }
    }
    for (what, times) in [("all moves", &mut times), ("the first after opening", &mut cold)] {
        times.sort_unstable();
        let at =
            |share: f64| 1e6 * times[(share * (times.len() - 1) as f64) as usize].as_secs_f64();
        println!(
            "{what}: median {:.0} µs, 99% below {:.0} µs, longest {:.0} µs",
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
    Ok(())
}

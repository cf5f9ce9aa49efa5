//! Expansions a second with an engine that takes no time:
//! `cargo run --release -p nutcracker-book --example expansions -- 200000 drop-out`.

use std::time::Instant;

use nutcracker_book::expert::{Ask, Opinion};
use nutcracker_book::grow::Plan;
use nutcracker_book::store::RedbStore;
use nutcracker_book::{Book, Player, Strategy};
use nutcracker_game::Game;
use nutcracker_games::awari::Awari;
use nutcracker_games::halves::Board;

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
    let store = RedbStore::create(&dir.path().join("book"), 256 << 20)?;
    let mut book = Book::create(awari, store, &start, &mut expert)?;
    let part = (count / 10).max(1);
    println!("{:>10} {:>10} {:>14} {:>14}", "expansions", "nodes", "a second", "μs each");
    let all = Instant::now();
    while book.facts().expansions < count {
        let began = Instant::now();
        let plan = Plan { expansions: Some(part), ..Plan::new(strategy) };
        book.grow(std::slice::from_mut(&mut expert), &plan, &mut |_| {})?;
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{:>10} {:>10} {:>14.0} {:>14.1}",
            book.facts().expansions,
            book.facts().nodes,
            part as f64 / seconds,
            1e6 * seconds / part as f64,
        );
    }
    let seconds = all.elapsed().as_secs_f64();
    println!("{count} expansions in {seconds:.1} s: {:.0} a second", count as f64 / seconds);
    Ok(())
}

//! A process that grows a book is killed at random moments: afterwards the book is whole, and at
//! most the last group of expansions is missing.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nutcracker_book::store::RedbStore;
use nutcracker_book::{Book, DEFAULT_ROOM, Player, Strategy};
use nutcracker_game::Rules;
use nutcracker_games::awari::Awari;
use nutcracker_search::Worth;

const CHILD: &str = "NUTCRACKER_BOOK_TEST_CHILD";

fn guess(text: &str) -> Worth {
    let mixed = text.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31) ^ u32::from(byte));
    Worth::guess((mixed >> 8) as i32 % 300)
}

fn open(path: &Path) -> Book<Awari, RedbStore> {
    let awari = Awari::new(6).unwrap();
    Book::open(awari, RedbStore::open(path, 1 << 22).unwrap(), DEFAULT_ROOM).unwrap()
}

/// Not a test: the killed process. It prints how many expansions are durable.
#[test]
fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let mut book = open(Path::new(&path));
    loop {
        for leaf in book.choose(Strategy::DropOut(Player::Both), 1).unwrap() {
            let wanted = book.wanted(leaf).unwrap();
            let values: HashMap<String, Worth> =
                wanted.into_iter().map(|(key, _)| (key.clone(), guess(&key))).collect();
            book.expand(leaf, &values).unwrap();
        }
        if book.commit_if_due().unwrap() {
            let mut out = std::io::stdout();
            writeln!(out, "\ndurable {}", book.facts().expansions).unwrap();
            out.flush().unwrap();
        }
    }
}

#[test]
fn a_kill_loses_at_most_the_last_group() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("book");
    let awari = Awari::new(6).unwrap();
    let start = awari.start().position;
    let store = RedbStore::create(&path, 1 << 22).unwrap();
    let mut expert = nutcracker_book::expert::StaticExpert(awari.clone());
    drop(Book::create(awari, store, &start, &mut expert).unwrap());

    let mut before = 0;
    for millis in [350, 40, 615, 130, 480, 7] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        // Killed some time after its first commit, so that there is something to lose.
        let (sender, first) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            let mut last = 0;
            for line in out.lines().map_while(Result::ok) {
                if let Some(count) = line.strip_prefix("durable ") {
                    last = count.parse::<u64>().unwrap();
                    let _ = sender.send(());
                }
            }
            last
        });
        first.recv().unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
        let durable = reader.join().unwrap();
        let mut book = open(&path);
        let there = book.facts().expansions;
        assert!(there >= durable && there > before, "{there} of {durable}, {before} before");
        let checked = book.check(&mut |_| {}).unwrap();
        assert!(checked.flaws.is_empty(), "{:?}", checked.flaws);
        before = there;
    }
}

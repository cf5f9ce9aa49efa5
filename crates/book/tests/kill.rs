//! A process that grows a book is killed at random moments: afterwards the book is whole, and at
//! most the last group of expansions is missing.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nutcracker_book::store::{self, Access};
use nutcracker_book::{Book, DEFAULT_ROOM, Player, StoredBook, Strategy};
use nutcracker_game::Rules;
use nutcracker_games::awari::Awari;
use nutcracker_search::Worth;

const CHILD: &str = "NUTCRACKER_BOOK_TEST_CHILD";

fn guess(text: &str) -> Worth {
    let mixed = text.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31) ^ u32::from(byte));
    Worth::guess((mixed >> 8) as i32 % 300)
}

fn open(path: &Path, access: Access) -> StoredBook<Awari> {
    let awari = Awari::new(6).unwrap();
    let store = store::open(&path.into(), access, 1 << 22).unwrap();
    Book::open(awari, store, DEFAULT_ROOM).unwrap()
}

/// Not a test: the killed process. It prints how many expansions are durable.
#[test]
fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let mut book = open(Path::new(&path), Access::Write);
    loop {
        for job in book.propose(Strategy::DropOut(Player::Both), 2).unwrap() {
            let wanted = job.wanted.into_iter();
            let values: HashMap<String, Worth> =
                wanted.map(|(key, _)| (key.clone(), guess(&key))).collect();
            assert!(book.apply(job.id, &values).unwrap());
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
    let store = store::create(&path.as_path().into(), 1 << 22).unwrap();
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
        // Reading it repairs it first.
        let mut book = open(&path, Access::Read);
        let there = book.facts().expansions;
        assert!(there >= durable && there > before, "{there} of {durable}, {before} before");
        let checked = book.check(&mut |_| {}).unwrap();
        assert!(checked.flaws.is_empty(), "{:?}", checked.flaws);
        before = there;
    }
}

//! A book's file with a changed byte: a check and an export either give what they gave before, or
//! say that the book is damaged.

use std::collections::BTreeMap;
use std::path::Path;

use nutcracker_book::expert::StaticExpert;
use nutcracker_book::grow::Plan;
use nutcracker_book::node::Node;
use nutcracker_book::store::{self, Access};
use nutcracker_book::{Book, BookError, StoredBook, Strategy};
use nutcracker_game::Rules;
use nutcracker_games::kalah::Kalah;

const CACHE: usize = 1 << 20;

fn kalah() -> Kalah {
    Kalah::new(3, 2, false).unwrap()
}

fn open(path: &Path, access: Access) -> Result<StoredBook<Kalah>, BookError> {
    Book::open(kalah(), store::open(&path.into(), access, CACHE)?, 1000)
}

/// A book with several commits, so that its file has pages with older versions of nodes.
fn grow(path: &Path) {
    let mut expert = StaticExpert(kalah());
    let store = store::create(&path.into(), CACHE).unwrap();
    let start = kalah().start().position;
    let mut book = Book::create(kalah(), store, &start, &mut expert).unwrap();
    for _ in 0..20 {
        let plan = Plan { expansions: Some(6), ..Plan::new(Strategy::Proof) };
        book.grow(std::slice::from_mut(&mut expert), &plan, &mut |_| {}).unwrap();
        book.commit().unwrap();
    }
}

/// All nodes.
fn export(path: &Path) -> Result<Vec<Node>, BookError> {
    let mut book = open(path, Access::Read)?;
    let (mut nodes, mut from) = (Vec::new(), 0);
    while let Some(id) = book.next_node(from)? {
        from = id + 1;
        nodes.push(book.node(id)?.clone());
    }
    Ok(nodes)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Same,
    Damaged,
    Wrong,
    Panicked,
    Failed,
}

fn outcome<T: PartialEq>(before: &T, work: impl FnOnce() -> Result<T, BookError>) -> Outcome {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Err(_) => Outcome::Panicked,
        Ok(Err(BookError::Corrupt(_))) => Outcome::Damaged,
        Ok(Err(error)) => {
            eprintln!("{error}");
            Outcome::Failed
        }
        Ok(Ok(after)) if after == *before => Outcome::Same,
        Ok(Ok(_)) => Outcome::Wrong,
    }
}

/// Changes single bytes, each for itself: every `stride`-th of those that are not zero, and about
/// this many of the others, most of which are free space. Returns how often a check and an export had
/// which outcomes.
fn sweep(stride: usize, zeros: usize) -> BTreeMap<(Outcome, Outcome), u64> {
    // As the commands do: a panic that a store catches is not reported.
    std::panic::set_hook(Box::new(|panic| {
        if !store::catches_panics() {
            eprintln!("{panic}");
        }
    }));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("book");
    grow(&path);
    let bytes = std::fs::read(&path).unwrap();
    let nodes = export(&path).unwrap();
    let check = || {
        let checked = open(&path, Access::Read)?.check(&mut |_| {})?;
        match checked.flaws.first() {
            None => Ok(checked.nodes),
            Some(flaw) => Err(BookError::Corrupt(flaw.what.clone())),
        }
    };
    let count = nodes.len() as u64;
    assert_eq!(check().unwrap(), count);
    let mut outcomes = BTreeMap::new();
    let (used, zero): (Vec<usize>, Vec<usize>) = (0..bytes.len()).partition(|&at| bytes[at] != 0);
    let some = zero.iter().step_by((zero.len() / zeros).max(1));
    for &at in used.iter().step_by(stride).chain(some) {
        let mut copy = bytes.clone();
        // Any change, but always the same one.
        copy[at] ^= ((at * 37) % 255 + 1) as u8;
        std::fs::write(&path, &copy).unwrap();
        let both = (outcome(&count, check), outcome(&nodes, || export(&path)));
        let fine = |outcome| matches!(outcome, Outcome::Same | Outcome::Damaged);
        assert!(fine(both.0) && fine(both.1), "byte {at}: {both:?}");
        *outcomes.entry(both).or_insert(0) += 1;
    }
    outcomes
}

#[test]
fn a_changed_byte_is_noticed_or_does_not_matter() {
    let outcomes = sweep(41, 100);
    assert!(outcomes.contains_key(&(Outcome::Damaged, Outcome::Damaged)), "{outcomes:?}");
}

/// All that are not zero, and many others; prints how often which outcome occurred.
#[test]
#[ignore = "takes minutes"]
fn every_changed_byte_is_noticed_or_does_not_matter() {
    for ((check, export), files) in sweep(1, 20_000) {
        println!("check {check:?}, export {export:?}: {files}");
    }
}

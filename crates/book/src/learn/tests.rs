use std::collections::HashSet;

use nutcracker_game::Rules as _;
use nutcracker_game::{Side, Situation};
use nutcracker_games::kalah::Kalah;
use nutcracker_search::Worth;
use nutcracker_search::{Empty, ExactLimits, exact_value};

use super::*;
use crate::expert::FnExpert;
use crate::play::{Guide, Style};
use crate::store::MemoryStore;
use crate::toy::{Toy, ToyBook};

/// A match of a learner against a perfect, deterministic opponent: as long as there is an
/// alternative, no game is lost twice in the same way.
#[test]
fn no_game_is_lost_twice_in_the_same_way() {
    let kalah = Kalah::new(3, 3, false).unwrap();
    let start = kalah.start();
    // The learner takes the side that can at least draw.
    let value = exact_value(&kalah, &start.position, &Empty, &ExactLimits::default());
    let learner = if value.unwrap().unwrap().score >= 0 { Side::First } else { Side::Second };
    // A weak evaluation: the seeds in its own pits.
    let expert = || {
        FnExpert(|board: &nutcracker_games::halves::Board| {
            let sum = |half: &[u8]| half.iter().map(|&n| i32::from(n)).sum::<i32>();
            Worth::guess(10 * (sum(&board.own) - sum(&board.other)))
        })
    };
    let mut book =
        Book::create(kalah.clone(), MemoryStore::new(), &start.position, &mut expert()).unwrap();
    let mut lost: HashSet<Vec<u8>> = HashSet::new();
    let mut games = 0;
    let (mut losses, mut last) = (0, 0.0);
    while games < 60 {
        games += 1;
        let (line, result) = play(&kalah, &mut book, learner);
        book.learn(0, &line, false, &mut [expert()]).unwrap();
        last = result;
        if result < 0.0 {
            losses += 1;
            assert!(lost.insert(line), "game {games} was lost before");
        }
    }
    assert!(losses > 0, "a poor judge should lose to begin with");
    assert!(last >= 0.0, "after {losses} losses in {games} games it still loses");
    assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
}

/// A game, and how far the learner was ahead at its end.
fn play(kalah: &Kalah, book: &mut Book<Kalah, MemoryStore>, learner: Side) -> (Vec<u8>, f64) {
    let mut at = kalah.start();
    let mut line = Vec::new();
    let mut guide = Guide::new(Style::default());
    while kalah.outcome(&at.position).is_none() {
        let mv = if at.mover == learner {
            ours(kalah, book, &mut guide, &at)
        } else {
            exact_value(kalah, &at.position, &Empty, &ExactLimits::default()).unwrap().unwrap().best
                [0]
        };
        line.push(mv);
        at = kalah.advance(&at, &kalah.play(&at.position, &mv));
    }
    let score = kalah.outcome(&at.position).unwrap();
    let [first, second] = kalah.final_result(&at, score).unwrap();
    let ahead = if learner == Side::First { first - second } else { second - first };
    (line, ahead)
}

fn ours(
    kalah: &Kalah,
    book: &mut Book<Kalah, MemoryStore>,
    guide: &mut Guide,
    at: &Situation<nutcracker_games::halves::Board>,
) -> u8 {
    let mut moves = Vec::new();
    kalah.moves(&at.position, &mut moves);
    if let Some(id) = book.find(&at.position).unwrap() {
        let [own, other] = at.banked_by_mover().unwrap();
        let choices = guide.choices(book, id, own as i16 - other as i16, &[]).unwrap();
        if let Some(choice) = choices.first() {
            return moves[choice.place];
        }
    }
    moves[0]
}

#[test]
fn deviations_are_what_no_game_has_played() {
    let toy = Toy::new(&[(0, &[1, 2, 3])]).over(&[(1, 0), (2, 0)]).guesses(&[(3, 30)]);
    let mut book = toy.book(&[0]);
    book.learn(0, &[1], true, &mut [toy.expert()]).unwrap();
    assert_eq!(book.best_deviation(0).unwrap(), Some(2));
    book.learn(0, &[3], false, &mut [toy.expert()]).unwrap();
    assert_eq!(book.best_deviation(0).unwrap(), None);
    assert!(book.learn(0, &[9], false, &mut [toy.expert()]).is_err());
}

/// A game leads through a leaf that others evaluate at the moment: it is expanded here, and their
/// result changes nothing any more.
#[test]
fn a_claimed_leaf_is_learned_too() {
    let toy = Toy::new(&[(0, &[1, 2]), (1, &[3]), (3, &[4])]).guesses(&[(3, 30)]);
    let mut book = toy.book(&[0]);
    let one = book.find(&1).unwrap().unwrap();
    let job = book.claim(one).unwrap().unwrap();
    assert_eq!(book.learn(0, &[1, 3], false, &mut [toy.expert()]).unwrap(), 1);
    let three = book.find(&3).unwrap().expect("behind the claimed leaf");
    assert!(book.node(three).unwrap().marks.played);
    let values = job.wanted.into_iter().map(|(key, _)| (key, Worth::guess(-90))).collect();
    assert!(!book.apply(job.id, &values).unwrap());
    assert_eq!(book.node(three).unwrap().own.heuristic, 30);
    assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
}

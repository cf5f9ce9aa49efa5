use std::collections::HashSet;

use nutcracker_game::Rules as _;
use nutcracker_game::{Side, Situation};
use nutcracker_games::kalah::Kalah;
use nutcracker_search::Worth;
use nutcracker_search::{Empty, ExactLimits, exact_value};

use super::*;
use crate::expert::FnExpert;
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
        book.learn(&line, true, &mut [expert()]).unwrap();
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
        let choices = guide.choices(book, id, own as i16 - other as i16).unwrap();
        if let Some(choice) = Guide::pick(&choices, 0.0) {
            return moves[choice.place];
        }
    }
    moves[0]
}

/// Two draws, one of them known to the public, beside a guess.
fn drawish() -> (Toy, Book<Toy, MemoryStore>) {
    let toy = Toy::new(&[(0, &[1, 2, 3])]).over(&[(1, 0), (2, 0)]).guesses(&[(3, 30)]);
    let mut book = toy.book(&[0]);
    book.learn(&[1], true, &mut [toy.expert()]).unwrap();
    (toy, book)
}

fn best(book: &mut Book<Toy, MemoryStore>, style: Style) -> Vec<usize> {
    let choices = Guide::new(style).choices(book, 0, 0).unwrap();
    choices.iter().map(|choice| choice.place).collect()
}

#[test]
fn draws_count_as_configured() {
    let (_, mut book) = drawish();
    let style = |public_draws, private_draws| Style { public_draws, private_draws, epsilon: 0 };
    let zero = DrawAs::Worth(0);
    // The guess is -0.30: any draw is better, unless draws are losses.
    assert_eq!(best(&mut book, style(zero, zero)), [0, 1]);
    assert_eq!(best(&mut book, style(DrawAs::Loss, DrawAs::Loss)), [2]);
    assert_eq!(best(&mut book, style(DrawAs::Loss, zero)), [1]);
    assert_eq!(best(&mut book, style(DrawAs::Loss, DrawAs::Win)), [1]);
    assert_eq!(best(&mut book, style(DrawAs::Win, DrawAs::Loss)), [0]);
    // A threshold: the guess is good enough.
    assert_eq!(best(&mut book, style(DrawAs::Worth(-50), DrawAs::Worth(-50))), [2]);
}

#[test]
fn deviations_are_what_no_game_has_played() {
    let (toy, mut book) = drawish();
    assert_eq!(book.best_deviation(0).unwrap(), Some(2));
    book.learn(&[3], false, &mut [toy.expert()]).unwrap();
    assert_eq!(book.best_deviation(0).unwrap(), None);
    assert!(book.learn(&[9], false, &mut [toy.expert()]).is_err());
}

/// Behind the first move there are three equal lines, behind the second one: with a tolerance each
/// of the four is equally likely.
#[test]
fn every_principal_variation_is_equally_likely() {
    let toy = Toy::new(&[(0, &[1, 2]), (1, &[3]), (3, &[4, 5, 6]), (2, &[7])]).guesses(&[
        (4, -10),
        (5, -10),
        (6, -10),
        (7, 12),
    ]);
    let mut book = toy.book(&[0, 1, 2, 3]);
    let style = Style { epsilon: 5, ..Style::default() };
    let mut guide = Guide::new(style);
    let choices = guide.choices(&mut book, 0, 0).unwrap();
    let lines: Vec<(usize, f64)> = choices.iter().map(|c| (c.place, c.lines)).collect();
    assert_eq!(lines, [(0, 3.0), (1, 1.0)]);
    let picked: Vec<usize> = [0.0, 0.3, 0.74, 0.76, 0.99]
        .map(|random| Guide::pick(&choices, random).unwrap().place)
        .into();
    assert_eq!(picked, [0, 0, 0, 1, 1]);
    // Without tolerance the better move alone is left.
    assert_eq!(best(&mut book, Style::default()), [1]);
    // A promised value is kept: 12 was available, so 10 is outside a tolerance of 1.
    let mut guide = Guide { style: Style { epsilon: 1, ..style }, best: Some(12) };
    assert_eq!(guide.choices(&mut book, 0, 0).unwrap().len(), 1);
}

/// The banked points decide what a score is worth.
#[test]
fn banked_points_count() {
    let toy = Toy::new(&[(0, &[1, 2])]).over(&[(1, 1)]).guesses(&[(2, 20)]);
    let mut book = toy.book(&[0]);
    // A loss by one after being two ahead is a win, and better than a guess.
    let choices = Guide::new(Style::default()).choices(&mut book, 0, 2).unwrap();
    assert_eq!((choices[0].place, choices[0].worth), (0, WIN));
    let choices = Guide::new(Style::default()).choices(&mut book, 0, 0).unwrap();
    assert_eq!(choices[0].place, 1);
}

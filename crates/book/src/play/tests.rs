use std::collections::HashMap;

use nutcracker_game::{Game, Random, Rules, Score, Side, Situation, Turn};
use nutcracker_games::awari::Awari;
use proptest::prelude::{ProptestConfig, prop_assert, proptest};

use super::*;
use crate::expert::StaticExpert;
use crate::grow::tests::{scores_of, toys};
use crate::grow::{Ended, Plan};
use crate::store::MemoryStore;
use crate::strategy::{Player, Strategy};
use crate::toy::{Toy, ToyBook};

/// Two draws, one of them known to the public, beside a guess.
fn drawish() -> Book<Toy, MemoryStore> {
    let toy = Toy::new(&[(0, &[1, 2, 3])]).over(&[(1, 0), (2, 0)]).guesses(&[(3, 30)]);
    let mut book = toy.book(&[0]);
    book.learn(0, &[1], true, &mut [toy.expert()]).unwrap();
    book
}

fn best(book: &mut Book<Toy, MemoryStore>, style: Style) -> Vec<usize> {
    let choices = Guide::new(style).choices(book, 0, 0, &[]).unwrap();
    choices.iter().map(|choice| choice.place).collect()
}

#[test]
fn draws_count_as_configured() {
    let mut book = drawish();
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
fn moves_within_the_tolerance_are_played_until_it_is_used_up() {
    let toy = Toy::new(&[(0, &[1, 2, 3])]).guesses(&[(1, -10), (2, -12), (3, 40)]);
    let mut book = toy.book(&[0]);
    let style = |epsilon| Style { epsilon, ..Style::default() };
    assert_eq!(best(&mut book, style(0)), [1]);
    assert_eq!(best(&mut book, style(5)), [0, 1]);
    // A promised value is kept: 15 was available, so 10 is outside a tolerance of 4.
    let mut guide = Guide { style: style(4), best: Some(15) };
    assert_eq!(guide.choices(&mut book, 0, 0, &[]).unwrap().len(), 1);
}

/// The banked points decide what a score is worth.
#[test]
fn banked_points_count() {
    let toy = Toy::new(&[(0, &[1, 2])]).over(&[(1, 1)]).guesses(&[(2, 20)]);
    let mut book = toy.book(&[0]);
    // A loss by one after being two ahead is a win, as is anything else.
    let style = Style { epsilon: 200, ..Style::default() };
    let choices = Guide::new(style).choices(&mut book, 0, 2, &[]).unwrap();
    let worths: Vec<Hundredths> = choices.iter().map(|choice| choice.worth).collect();
    assert_eq!(worths, [WIN + 100, WIN + 180]);
    let choices = Guide::new(Style::default()).choices(&mut book, 0, 0, &[]).unwrap();
    assert_eq!(choices[0].place, 1);
}

/// A bound is a proof: it decides before any guess, though the score is open.
#[test]
fn bounds_come_before_guesses() {
    // 1 is at most a loss of its mover behind 4; 2 is a better guess, 3 is proven to lose.
    let toy = Toy::new(&[(0, &[1, 2, 3]), (1, &[4]), (3, &[5, 6])])
        .over(&[(4, 1), (5, -1)])
        .guesses(&[(2, -90), (6, 80)]);
    let mut book = toy.book(&[0, 1, 3]);
    assert_eq!(best(&mut book, Style::default()), [0]);
    // Without the won move, any guess is better than the lost one.
    let toy = Toy::new(&[(0, &[2, 3]), (3, &[5, 6])]).over(&[(5, -1)]).guesses(&[(2, 95), (6, 9)]);
    let mut book = toy.book(&[0, 3]);
    assert_eq!(best(&mut book, Style::default()), [0]);
}

/// A book whose root is solved, by the evaluation alone.
fn solved_awari(
    start: &str,
) -> (Awari, Situation<<Awari as Rules>::Position>, Book<Awari, MemoryStore>) {
    let awari = Awari::new(6).unwrap();
    let start = awari.parse(start).unwrap();
    let mut expert = StaticExpert(awari.clone());
    let mut book =
        Book::create(awari.clone(), MemoryStore::new(), &start.position, &mut expert).unwrap();
    let plan = Plan { expansions: Some(20_000), ..Plan::new(Strategy::DropOut(Player::Both)) };
    assert_eq!(book.grow(&mut [expert], &plan, &mut |_| {}).unwrap(), Ended::Solved);
    (awari, start, book)
}

/// Plays the first side by the book, the other by `reply`; returns what the first side gained.
fn play_out<G: Game>(
    book: &mut Book<G, MemoryStore>,
    start: Situation<G::Position>,
    style: Style,
    random: &mut Random,
    mut reply: impl FnMut(&Situation<G::Position>, &[G::Move], &mut Random) -> G::Move,
) -> i32 {
    let game = book.game().clone();
    let mut guide = Guide::new(style);
    let (mut at, mut gained, mut history) = (start, 0, Vec::new());
    loop {
        let sign = if at.mover == Side::First { 1 } else { -1 };
        if let Some(score) = game.outcome(&at.position) {
            return gained + sign * i32::from(score);
        }
        if history.contains(&(at.position, at.mover)) {
            // A repetition: nothing more is gained.
            return gained;
        }
        let mut legal = Vec::new();
        game.moves(&at.position, &mut legal);
        let node = book.find(&at.position).unwrap();
        let mv = match node {
            Some(id) if sign > 0 => {
                let ahead = gained as Score;
                let other = |&(position, mover): &(G::Position, Side)| {
                    (mover != at.mover).then_some(position)
                };
                let earlier: Vec<G::Position> = history.iter().filter_map(other).collect();
                let choices = guide.choices(book, id, ahead, &earlier).unwrap();
                let count = choices.len() as u64;
                choices.get(random.below(count.max(1)) as usize).map(|choice| legal[choice.place])
            }
            _ => None,
        };
        let mv = mv.unwrap_or_else(|| reply(&at, &legal, random));
        let step = game.play(&at.position, &mv);
        gained += sign * i32::from(step.gain);
        history.push((at.position, at.mover));
        at = Situation {
            position: step.next,
            mover: if step.turn == Turn::Passes { at.mover.other() } else { at.mover },
            ..at
        };
    }
}

/// In awari a score that is only kept is lost by repetition: the book makes progress.
#[test]
fn a_proven_score_is_realised() {
    let (awari, start, mut book) = solved_awari("0,1,0,1,1,1/0,0,0,0,0,1 S");
    assert_eq!(book.root_value().unwrap().score(), Some(5));
    // The replies that led a player without progress round in a circle.
    let names = ["a", "b", "f", "c", "d", "e"];
    // Also if a point may be conceded.
    for (seed, points) in (0..300).flat_map(|seed| [(seed, 0), (seed, 1)]) {
        let mut random = Random::new(seed);
        let mut next = 0;
        let style = Style { epsilon: 100 * points, ..Style::default() };
        let gained = play_out(&mut book, start, style, &mut random, |at, legal, random| {
            next += 1;
            let wanted = names.get(next - 1).filter(|_| seed % 2 == 0);
            let by_name = wanted.and_then(|name| nutcracker_game::find_move(&awari, at, name).ok());
            legal[by_name.unwrap_or_else(|| random.below(legal.len() as u64) as usize)]
        });
        assert!(gained >= 5 - points, "seed {seed}, {points} conceded: {gained}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// On any graph, with cycles: whatever the opponent plays, a solved book yields its score, if a
    /// draw is as good as a win. Otherwise a draw may be given up for a better guess.
    #[test]
    fn any_solved_book_yields_its_score(toy in toys(), seed in 0..1000_u64) {
        let truth = scores_of(&toy);
        let mut book =
            Book::create(toy.clone(), MemoryStore::new(), &0, &mut toy.expert()).unwrap();
        let plan = Plan::new(Strategy::Proof);
        book.grow(&mut [toy.expert()], &plan, &mut |_| {}).unwrap();
        let mut random = Random::new(seed);
        let draws = DrawAs::Win;
        let style = Style { public_draws: draws, private_draws: draws, epsilon: 0 };
        for _ in 0..10 {
            let start = Situation::new(0, Side::First);
            let gained = play_out(&mut book, start, style, &mut random, |_, legal, random| {
                legal[random.below(legal.len() as u64) as usize]
            });
            prop_assert!(gained >= i32::from(truth[0]), "{gained} of {}", truth[0]);
        }
    }
}

/// A move takes the position and its successors, however large or deep the book is.
#[test]
fn a_move_needs_no_more_than_the_successors() {
    // A line of 1,000 positions, each with a way out, that ends in a win.
    let last = 1000;
    let moves: Vec<Vec<u32>> = (0..=2 * last)
        .map(|at| if at < last { vec![at + 1, last + 1 + at] } else { vec![] })
        .collect();
    let mut toy = Toy::new(&[(2 * last, &[])]);
    toy.moves = moves.into();
    toy.over = HashMap::from([(last, 1)]).into();
    let all: Vec<u32> = (0..last).collect();
    let mut book = toy.book(&all);
    let before = book.traffic().touched;
    assert!(!best(&mut book, Style::default()).is_empty());
    assert!(book.traffic().touched - before < 20);
}

//! The player that sets traps gains more than the one that does not, and gives up nothing.

use nutcracker_game::{Game, Score};
use nutcracker_search::player::{Fallible, Level, Perfect, Random};

use crate::play::{By, Player, any_position, game, moves};
use crate::solved::{self, Solved};

/// What a position is worth to somebody who looks `depth` plies ahead and counts what is banked.
fn count<G: Game>(rules: &G, position: &G::Position, depth: u32) -> Score {
    if let Some(score) = rules.outcome(position) {
        return score;
    }
    if depth == 0 {
        return 0;
    }
    let all = moves(rules, position);
    let values = all.iter().map(|mv| {
        let step = rules.play(position, mv);
        step.value(count(rules, &step.next, depth - 1))
    });
    values.max().expect("the game is not over")
}

/// The moves as somebody sees them who looks `depth` plies ahead.
fn shallow<G: Game>(rules: &G, position: &G::Position, depth: u32) -> Vec<(G::Move, i32)> {
    let value = |mv: G::Move| {
        let step = rules.play(position, &mv);
        (mv, 100 * i32::from(step.value(count(rules, &step.next, depth - 1))))
    };
    moves(rules, position).into_iter().map(value).collect()
}

/// What the perfect player gains over the exact score, setting traps or not, in `games` games from
/// both sides against somebody who looks `depth` plies ahead.
fn gained<G: Game>(
    rules: &G,
    solved: &Solved,
    slices: std::ops::RangeInclusive<u32>,
    games: u32,
    depth: u32,
    traps: bool,
) -> i32 {
    let sharp = Fallible::new(rules, Level::PERFECT);
    let mut random = Random::new(12);
    let mut perfect = Perfect::new(rules.clone(), solved);
    let mut opponent = By(|position: &_, _: &[_]| {
        sharp.choose(&shallow(rules, position, depth), &mut random).unwrap().0
    });
    let mut player = By(|position: &_, history: &_| {
        let see = |position: &_| Ok(shallow(rules, position, depth));
        let mv = match traps {
            true => perfect.choose_trappy(position, history, &sharp, see),
            false => perfect.choose(position, history),
        };
        mv.unwrap()
    });
    let mut seeds = Random::new(13);
    let mut sum = 0;
    for _ in 0..games {
        let start = any_position(rules, slices.clone(), &mut seeds);
        let score = solved.of(rules, &start);
        let players: [&mut dyn Player<G>; 2] = [&mut player, &mut opponent];
        let first = game(rules, solved, &start, players).first - score;
        let players: [&mut dyn Player<G>; 2] = [&mut opponent, &mut player];
        let second = score - game(rules, solved, &start, players).first;
        assert!(first >= 0 && second >= 0, "{start:?}: {first}, {second}");
        sum += i32::from(first + second);
    }
    sum
}

/// Prints the figures of `docs/player.md`.
#[test]
fn traps_pay_and_cost_nothing() {
    let (awari, awaris) = solved::awari();
    let (kalah, kalahs) = solved::kalah();
    let games = 1000;
    let mean = |sum: i32| f64::from(sum) / f64::from(2 * games);
    for depth in 1..=3 {
        let [plain, trappy] =
            [false, true].map(|traps| gained(awari, awaris, 8..=12, games, depth, traps));
        println!("awari, {depth} plies: {:.2} plain, {:.2} trappy", mean(plain), mean(trappy));
        //A
        let [plain, trappy] =
            [false, true].map(|traps| gained(kalah, kalahs, 7..=11, games, depth, traps));
        println!("kalah, {depth} plies: {:.2} plain, {:.2} trappy", mean(plain), mean(trappy));
        //B
    }
}

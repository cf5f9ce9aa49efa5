//! The player that sets traps gains more than the one that does not, and gives up nothing.

use std::ops::RangeInclusive;

use nutcracker_game::Random;
use nutcracker_game::{Game, Score, SliceId};
use nutcracker_search::player::{Fallible, Level, Perfect};

use crate::play::{By, Player, any_position, game, moves};
use crate::solved::{self, Solved};

/// A player that searches a fixed number of plies, counts what is banked, and knows the scores of
/// the slices up to one.
struct ShallowSearch<'a, G> {
    rules: &'a G,
    solved: &'a Solved,
    depth: u32,
    known: SliceId,
}

impl<G: Game> ShallowSearch<'_, G> {
    fn score(&self, position: &G::Position, depth: u32) -> Score {
        if let Some(score) = self.rules.outcome(position) {
            return score;
        }
        if self.rules.slice_of(position) <= self.known {
            return self.solved.of(self.rules, position);
        }
        if depth == 0 {
            return 0;
        }
        let all = moves(self.rules, position);
        let values = all.iter().map(|mv| {
            let step = self.rules.play(position, mv);
            step.value(self.score(&step.next, depth - 1))
        });
        values.max().expect("the game is not over")
    }

    /// The moves with the values it sees.
    fn values(&self, position: &G::Position) -> Vec<(G::Move, i32)> {
        let value = |mv: G::Move| {
            let step = self.rules.play(position, &mv);
            (mv, 100 * i32::from(step.value(self.score(&step.next, self.depth - 1))))
        };
        moves(self.rules, position).into_iter().map(value).collect()
    }
}

/// What the perfect player gains over the exact score, setting traps or not, in two games from each
/// of `starts` positions, one from either side.
fn gained<G: Game>(
    shallow: &ShallowSearch<'_, G>,
    slices: &RangeInclusive<u32>,
    starts: u32,
    traps: bool,
) -> Vec<f64> {
    let ShallowSearch { rules, solved, .. } = *shallow;
    let sharp = Fallible::new(rules, Level::PERFECT);
    let mut random = Random::new(21);
    let mut perfect = Perfect::new(rules.clone(), solved);
    let mut opponent =
        By(|position: &_, _: &[_]| sharp.choose(&shallow.values(position), &mut random).unwrap().0);
    let mut player = By(|position: &_, history: &_| {
        let see = |position: &_| Ok(shallow.values(position));
        let mv = if traps {
            perfect.choose_trappy(position, history, &sharp, see)
        } else {
            perfect.choose(position, history)
        };
        mv.unwrap()
    });
    let mut seeds = Random::new(22);
    let mut gained = Vec::new();
    for _ in 0..starts {
        let start = any_position(rules, slices.clone(), &mut seeds);
        let score = solved.of(rules, &start);
        let players: [&mut dyn Player<G>; 2] = [&mut player, &mut opponent];
        let first = game(rules, solved, &start, players).first - score;
        let players: [&mut dyn Player<G>; 2] = [&mut opponent, &mut player];
        let second = score - game(rules, solved, &start, players).first;
        assert!(first >= 0 && second >= 0, "{start:?}: {first}, {second}");
        gained.push(f64::from(first + second) / 2.0);
    }
    gained
}

/// What traps gain a game on average against a player that searches two plies, over opponents with
/// more and more databases of their own. Prints the figures of `docs/player.md`.
fn traps_gain<G: Game>(
    name: &str,
    (rules, solved): (&G, &Solved),
    slices: RangeInclusive<u32>,
) -> f64 {
    let starts = 1500;
    let mut sum = 0.0;
    for known in [0, 5, 7, 9] {
        let shallow = ShallowSearch { rules, solved, depth: 2, known: SliceId(known) };
        let [plain, trappy] = [false, true].map(|traps| gained(&shallow, &slices, starts, traps));
        let mean = |values: &[f64]| values.iter().sum::<f64>() / f64::from(starts);
        let more: Vec<f64> =
            trappy.iter().zip(&plain).map(|(trappy, plain)| trappy - plain).collect();
        let middle = mean(&more);
        let squares: Vec<f64> = more.iter().map(|more| (more - middle).powi(2)).collect();
        let error = (mean(&squares) / f64::from(starts)).sqrt();
        println!(
            "| {name} | {known} | {:.2} | {:.2} | {:+.2} ± {error:.2} |",
            mean(&plain),
            mean(&trappy),
            middle
        );
        sum += middle;
    }
    sum
}

#[test]
fn traps_pay_and_cost_nothing() {
    assert!(traps_gain("awari", solved::awari(), 10..=12) > 0.0);
    assert!(traps_gain("kalah", solved::kalah(), 9..=11) > 0.0);
}

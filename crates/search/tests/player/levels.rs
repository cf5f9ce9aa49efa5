//! Players that err: as often and as badly as their level implies.

use nutcracker_game::Game;
use nutcracker_game::Random;
use nutcracker_search::player::{Fallible, Level, Perfect};
use proptest::prelude::*;

use crate::play::{By, any_position, game};
use crate::solved::{self, Solved};

type Values = Vec<(usize, i32)>;

fn values() -> impl Strategy<Value = Values> {
    prop::collection::vec(-4800..4800i32, 1..20)
        .prop_map(|values| values.into_iter().enumerate().collect())
}

proptest! {
    #[test]
    fn probabilities_are_probabilities(values in values(), competence in 0.0..40.0f64) {
        let chances = Fallible::with_competence(competence, 48).probabilities(&values);
        prop_assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        for (a, b) in values.iter().zip(&chances).flat_map(|a| {
            values.iter().zip(&chances).map(move |b| (a, b))
        }) {
            // A larger value is likelier, an equal one as likely.
            prop_assert!((a.0.1 <= b.0.1) == (a.1 <= b.1) || competence < 1e-3);
        }
    }

    /// The best moves gain with competence, and what is lost on average falls.
    #[test]
    fn competence_pays(values in values(), less in 0.0..20.0f64, more in 0.001..20.0f64) {
        let best = values.iter().map(|(_, value)| *value).max().unwrap();
        let [weak, strong] = [less, less + more].map(|c| Fallible::with_competence(c, 48));
        let chance = |player: Fallible| {
            let chances = player.probabilities(&values);
            let is_best = |(chance, (_, value)): (f64, &(usize, i32))| {
                (*value == best).then_some(chance)
            };
            chances.into_iter().zip(&values).filter_map(is_best).sum::<f64>()
        };
        prop_assert!(chance(weak) <= chance(strong) + 1e-12);
        let [weak, strong] = [weak, strong].map(|player| player.expected_loss(&values, &values));
        prop_assert!(strong <= weak + 1e-9);
        if values.iter().any(|(_, value)| *value != best) && weak > 1e-3 {
            prop_assert!(strong < weak);
        }
    }

    /// A loss counts by its share of what the game is about.
    #[test]
    fn a_level_means_the_same_in_every_game(values in values(), level in 0usize..10, times in 2i16..10) {
        let level = Level::all().nth(level).unwrap();
        let larger: Values =
            values.iter().map(|&(mv, value)| (mv, value * i32::from(times))).collect();
        let here = Fallible::with_competence(level.competence(), 10).probabilities(&values);
        let there = Fallible::with_competence(level.competence(), 10 * times).probabilities(&larger);
        for (here, there) in here.iter().zip(there) {
            prop_assert!((here - there).abs() < 1e-9);
        }
    }
}

#[test]
fn extremes() {
    let values = [('a', 0), ('b', 100), ('c', 100), ('d', -300)];
    let blind = Fallible::with_competence(0.0, 48).probabilities(&values);
    assert_eq!(blind, [0.25; 4]);
    let perfect = Fallible::with_competence(f64::INFINITY, 48).probabilities(&values);
    assert_eq!(perfect, [0.0, 0.5, 0.5, 0.0]);
    let nothing: [(char, i32); 0] = [];
    assert_eq!(Fallible::with_competence(1.0, 48).choose(&nothing, &mut Random::new(0)), None);
    assert!(Fallible::with_competence(f64::INFINITY, 0).expected_loss(&values, &values) < 1e-12);
}

#[test]
fn levels_are_read_and_written() {
    for level in Level::all().chain([Level::PERFECT]) {
        assert_eq!(level.to_string().parse(), Ok(level));
    }
    assert_eq!(Level::all().count(), 10);
    let competences: Vec<f64> = Level::all().map(Level::competence).collect();
    assert!(competences.is_sorted_by(|a, b| a < b));
    for text in ["0", "11", "", "-1", "Perfect", "3.5", "999"] {
        assert_eq!(
            text.parse::<Level>(),
            Err(format!("a level is 1 to 10 or perfect, not {text}"))
        );
    }
}

#[test]
fn choices_are_as_frequent_as_probable() {
    let values = [(0, 250), (1, 200), (2, 150), (3, 150), (4, -50), (5, -800)];
    let (samples, mut random) = (40_000, Random::new(8));
    for level in Level::all() {
        let player = Fallible::with_competence(level.competence(), 48);
        let mut counts = [0u32; 6];
        for _ in 0..samples {
            counts[player.choose(&values, &mut random).unwrap().0] += 1;
        }
        for (chance, count) in player.probabilities(&values).into_iter().zip(counts) {
            let expected = chance * f64::from(samples);
            let deviation = (expected * (1.0 - chance)).sqrt();
            assert!(
                (f64::from(count) - expected).abs() <= 4.0 * deviation + 1.0,
                "level {level}: {count} instead of {expected:.1} plus or minus {deviation:.1}"
            );
        }
    }
}

/// What each level loses with a move on average, in hundredths of a point.
fn mean_losses<G: Game>(
    rules: &G,
    solved: &Solved,
    slices: std::ops::RangeInclusive<u32>,
) -> Vec<f64> {
    let player = Perfect::new(rules.clone(), solved);
    let mut seeds = Random::new(9);
    let mut losses = vec![0.0; Level::all().count()];
    let positions = 2000;
    for _ in 0..positions {
        let position = any_position(rules, slices.clone(), &mut seeds);
        let values: Vec<_> = player.values(&position, &[]).unwrap();
        let values: Vec<_> = values.iter().map(|v| (v.mv, 100 * i32::from(v.value))).collect();
        for (level, sum) in Level::all().zip(&mut losses) {
            *sum += Fallible::new(rules, level).expected_loss(&values, &values);
        }
    }
    losses.iter().map(|sum| sum / f64::from(positions)).collect()
}

/// Prints the table of `docs/player.md`; what it asserts is that a level is worth something.
#[test]
fn every_level_loses_less_than_the_one_below() {
    let (awari, awaris) = solved::awari();
    let (kalah, kalahs) = solved::kalah();
    let awari = mean_losses(awari, awaris, 10..=12);
    let kalah = mean_losses(kalah, kalahs, 9..=11);
    println!("| level | competence | awari | kalah |");
    for (level, (a, k)) in Level::all().zip(awari.iter().zip(&kalah)) {
        println!("| {level} | {:.2} | {:.3} | {:.3} |", level.competence(), a / 100.0, k / 100.0);
    }
    for losses in [awari, kalah] {
        assert!(losses.is_sorted_by(|a, b| a > b), "{losses:?}");
    }
}

/// In whole games against the perfect player, moving first and moving second.
#[test]
fn stronger_levels_keep_more_of_a_game() {
    let (awari, solved) = solved::awari();
    let mut perfect = Perfect::new(awari.clone(), solved);
    let mut knows = Perfect::new(awari.clone(), solved);
    let mut lost = Vec::new();
    // Level 9 errs so rarely that it takes more games to see it.
    let (games, levels) = if std::env::var_os("NUTCRACKER_LONG").is_some() {
        (300, &["1", "3", "5", "7", "9", "perfect"][..])
    } else {
        (100, &["1", "3", "5", "7", "perfect"][..])
    };
    for level in levels {
        let fallible = Fallible::new(awari, level.parse().unwrap());
        let (mut seeds, mut random) = (Random::new(10), Random::new(11));
        let mut errs = By(|position: &_, history: &_| {
            knows.choose_fallible(position, history, &fallible, &mut random).unwrap()
        });
        let mut sum = 0;
        for _ in 0..games / 2 {
            let start = any_position(awari, 8..=12, &mut seeds);
            let score = i32::from(solved.of(awari, &start));
            let first = game(awari, solved, &start, [&mut errs, &mut perfect]).first;
            let second = game(awari, solved, &start, [&mut perfect, &mut errs]).first;
            sum += score - i32::from(first) + i32::from(second) - score;
        }
        println!("level {level}: {:.2} stones lost a game", f64::from(sum) / f64::from(games));
        lost.push(sum);
    }
    assert!(lost.is_sorted_by(|a, b| a > b), "{lost:?}");
    assert_eq!(lost.last(), Some(&0));
}

//! Subtraction games: lost positions by solving and by Grundy values.

use nutcracker_any::{Options, Registered};
use nutcracker_game::{Metric, Numbering, Rules, SliceId, law};
use nutcracker_games::subtraction::Subtraction;
use nutcracker_retro::{SolverName, fit_solvers};

use crate::solved::solved;

const ALL: SliceId = SliceId(0);

fn subtraction(take: &[usize], piles: usize, largest: usize) -> Subtraction {
    Subtraction::new(take, piles, largest).unwrap()
}

/// The Grundy values of single piles: each is the least that no move leads to.
fn grundy(take: &[usize], largest: usize) -> Vec<u32> {
    let mut values: Vec<u32> = Vec::new();
    for pile in 0..=largest {
        let reached: Vec<u32> =
            take.iter().filter(|&&n| n <= pile).map(|n| values[pile - n]).collect();
        let least = (0..=reached.len() as u32).find(|value| !reached.contains(value));
        values.push(least.unwrap());
    }
    values
}

/// Several piles are lost where the Grundy values of their piles cancel out.
#[test]
fn several_piles_are_the_sum_of_single_ones() {
    for (take, piles, largest) in [
        (&[1, 2, 3][..], 3, 10),
        (&[1, 3, 4], 2, 40),
        (&[2, 3], 4, 9),
        (&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 3, 12),
        (&[2, 5, 7], 1, 250),
    ] {
        let game = subtraction(take, piles, largest);
        let grundy = grundy(take, largest);
        let values = solved(&game, Metric::Wdl, None, ALL).remove(0);
        for (index, &value) in (0..).zip(&values) {
            let at = game.unrank(ALL, index).unwrap();
            let sum = at[..piles].iter().fold(0, |sum, &pile| sum ^ grundy[usize::from(pile)]);
            assert_eq!(value == -1, sum == 0, "{at:?} of {}", game.id());
        }
    }
}

/// With 1 to 3 counters taken, every fourth pile is lost; with 1, 3 and 4, two of seven.
#[test]
fn single_piles_are_periodic() {
    for (take, lost, period) in [(&[1, 2, 3][..], &[0][..], 4), (&[1, 3, 4], &[0, 2], 7)] {
        let game = subtraction(take, 1, 100);
        let values = solved(&game, Metric::Dtw, None, ALL).remove(0);
        for (pile, &value) in values.iter().enumerate() {
            assert_eq!(value < 0, lost.contains(&(pile % period)), "{pile}");
        }
    }
}

#[test]
fn laws_hold() {
    for (take, piles, largest, positions) in
        [(&[1, 2, 3][..], 3, 6, 84), (&[2, 3], 2, 12, 91), (&[1, 4], 5, 4, 126), (&[3], 1, 9, 10)]
    {
        let game = subtraction(take, piles, largest);
        let report = law::check(&game, [ALL], u64::MAX).unwrap();
        assert!(report.exhaustive && report.unmoves > 0);
        assert_eq!(report.positions, positions);
    }
}

#[test]
fn every_solver_finds_the_same() {
    let game = subtraction(&[1, 2, 4], 3, 8);
    for (metric, least) in [(Metric::Dtw, 3), (Metric::Wdl, 7)] {
        let expected = solved(&game, metric, Some(SolverName::OnePass), ALL);
        let fit = fit_solvers(&game, ALL, Some(metric));
        assert!(fit.len() >= least, "{fit:?}");
        for solver in fit {
            assert!(solved(&game, metric, Some(solver), ALL) == expected, "{solver}");
        }
    }
}

#[test]
fn options_and_refusals() {
    let game = |name: &str, value: &str| {
        let mut options = Options::new();
        options.set(name, value);
        Subtraction::from_options(&options).map(|game| game.id().to_string())
    };
    let expected = "subtraction (take=1+3+4,piles=3,largest=10)";
    for list in ["1,3,4", "4+3+1", "3 1 4 1"] {
        assert_eq!(game("take", list).unwrap(), expected);
    }
    for (name, value, message) in [
        ("take", "1,x", "--take has whole numbers with + or commas between, not \"1,x\""),
        ("take", "0", "one to 64 numbers may be taken, and none of them is 0"),
        ("piles", "9", "subtraction has 1 to 8 piles, not 9"),
        ("largest", "84", "the largest of 3 piles has 1 to 83 counters, not 84"),
    ] {
        assert_eq!(game(name, value).unwrap_err(), message);
    }
}

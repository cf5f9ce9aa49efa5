//! Ratings of several players from the matches between them.

use crate::{Elo, Tally};

/// Elo for one unit of the logistic scale.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
/// Steps of the iteration, which converges in a few.
const STEPS: usize = 100;
/// The 97.5 % quantile of the normal distribution.
const TWO_SIDED_95: f64 = 1.959_964;

/// The ratings of players, by their order: the most likely ones by the model of Bradley and Terry,
/// relative to the mean of all players, with 95 % intervals.
///
/// Games from one opening are not independent, so that a match counts as many games as a coin would
/// have to be tossed for the same standard error. One drawn game is added to every match: a player
/// that has won everything then has a rating, too.
///
/// ```
/// use nutcracker_engine::{Tally, ratings};
///
/// let mut tally = Tally::default();
/// for _ in 0..100 {
///     tally.add_pair(&[1.0, 0.5]);
/// }
/// let mut even = Tally::default();
/// even.add_pair(&[1.0, 0.0]);
/// // The first player beats both others, which are equal.
/// let list = ratings(3, &[(0, 1, &tally), (0, 2, &tally), (1, 2, &even)]);
/// assert!(list[0].low > list[1].high);
/// assert!((list[1].difference - list[2].difference).abs() < 1e-6);
/// assert!(list.iter().map(|elo| elo.difference).sum::<f64>().abs() < 1e-6);
/// ```
///
/// # Panics
/// Where a match names a player that there is not.
pub fn ratings(players: usize, matches: &[(usize, usize, &Tally)]) -> Vec<Elo> {
    let games: Vec<Games> = matches
        .iter()
        .map(|&(a, b, tally)| {
            let (score, tosses) = (tally.score(), tally.tosses());
            Games { a, b, tosses: tosses + 1.0, won: score * tosses + 0.5 }
        })
        .collect();
    let mut strength = vec![0.0; players];
    for _ in 0..STEPS {
        let (gradient, information) = slope(&strength, &games);
        let inverse = inverted(information);
        for (place, row) in inverse.iter().enumerate() {
            let step: f64 = row.iter().zip(&gradient).map(|(a, b)| a * b).sum();
            // Far from the maximum the full step would overshoot.
            strength[place] += step.clamp(-1.0, 1.0);
        }
    }
    let mean = strength.iter().sum::<f64>() / players.max(1) as f64;
    let inverse = inverted(slope(&strength, &games).1);
    let all = players as f64;
    (0..players)
        .map(|place| {
            // The constant direction was given weight only to make the matrix invertible.
            let variance = (inverse[place][place] - 1.0 / (all * all)).max(0.0);
            let half = TWO_SIDED_95 * variance.sqrt() * SCALE;
            let difference = (strength[place] - mean) * SCALE;
            Elo { difference, low: difference - half, high: difference + half }
        })
        .collect()
}

/// What two players have played: independent games, and how many the first one won.
struct Games {
    a: usize,
    b: usize,
    tosses: f64,
    won: f64,
}

/// The gradient of the log likelihood, and the information, with ones added everywhere: only
/// differences of strength are determined.
fn slope(strength: &[f64], games: &[Games]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let count = strength.len();
    let (mut gradient, mut information) = (vec![0.0; count], vec![vec![1.0; count]; count]);
    for &Games { a, b, tosses, won } in games {
        let expected = 1.0 / (1.0 + (strength[b] - strength[a]).exp());
        gradient[a] += won - tosses * expected;
        gradient[b] -= won - tosses * expected;
        let weight = tosses * expected * (1.0 - expected);
        for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
            information[row][column] += sign * weight;
        }
    }
    (gradient, information)
}

/// The inverse by Gauss and Jordan, with pivots.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let count = matrix.len();
    let mut inverse = vec![vec![0.0; count]; count];
    for (place, row) in inverse.iter_mut().enumerate() {
        row[place] = 1.0;
    }
    for column in 0..count {
        let size = |row: &usize| matrix[*row][column].abs();
        let pivot = (column..count).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(column);
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        // A player without any games has no information; its rating stays that of the others.
        let divisor = matrix[column][column];
        if divisor.abs() < 1e-12 {
            continue;
        }
        for place in 0..count {
            matrix[column][place] /= divisor;
            inverse[column][place] /= divisor;
        }
        for row in (0..count).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for place in 0..count {
                matrix[row][place] -= factor * matrix[column][place];
                inverse[row][place] -= factor * inverse[column][place];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(pairs: usize, results: [f64; 2]) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..pairs {
            tally.add_pair(&results);
        }
        tally
    }

    #[test]
    fn two_players_have_the_difference_of_their_match() {
        let mut match_ = Tally::default();
        for place in 0..1000 {
            match_.add_pair(if place % 2 == 0 { &[1.0, 1.0] } else { &[1.0, 0.0] });
        }
        let list = ratings(2, &[(0, 1, &match_)]);
        let difference = list[0].difference - list[1].difference;
        assert!((difference - match_.elo().difference).abs() < 2.0, "{list:?}");
        // The interval of a rating relative to the mean is half as wide as that of the difference.
        let width = (list[0].high - list[0].low) * 2.0;
        let expected = match_.elo().high - match_.elo().low;
        assert!((width / expected - 1.0).abs() < 0.05, "{width} and {expected}");
    }

    #[test]
    fn indirect_results_count() {
        let better = tally(200, [1.0, 0.5]);
        let list = ratings(3, &[(0, 1, &better), (1, 2, &better)]);
        let step = better.elo().difference;
        assert!((list[0].difference - list[2].difference - 2.0 * step).abs() < 10.0, "{list:?}");
        assert!(list.iter().all(|elo| elo.low < elo.difference && elo.difference < elo.high));
    }

    #[test]
    fn winning_everything_is_finite() {
        let list = ratings(2, &[(0, 1, &tally(10, [1.0, 1.0]))]);
        assert!(list[0].difference.is_finite() && list[0].difference > 200.0, "{list:?}");
        assert_eq!(ratings(0, &[]).len(), 0);
    }
}

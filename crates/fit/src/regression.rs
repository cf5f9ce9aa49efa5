//! Weights that turn features into values: least squares, and Kendall's tau.
//!
//! Least squares finds weights whose guesses are near the values; what a search needs most is that
//! guesses come in the right order, which Kendall's tau measures and [`climb`] improves. Nothing
//! here depends on a game: [`Samples`] are rows of features with the values they should give.
//!
//! ```
//! use nutcracker_fit::regression::{Quality, Samples, least_squares};
//!
//! let mut samples = Samples::new(2);
//! for i in 0..20i16 {
//!     let (a, b) = (f32::from(i % 5), f32::from(i % 3));
//!     samples.push(&[a, b], 2.0 * f64::from(a) - f64::from(b));
//! }
//! let weights = least_squares(&samples, 1e-9).unwrap();
//! assert!((weights[0] - 2.0).abs() < 1e-6 && (weights[1] + 1.0).abs() < 1e-6);
//! let quality = Quality::of(&samples.guesses(&weights), samples.targets());
//! // Guesses at equal values differ by rounding, and such pairs count as not tied in one list
//! // only.
//! assert!(quality.r_squared > 0.999 && quality.tau.unwrap() > 0.95);
//! ```

use std::cmp::Ordering;

use nutcracker_game::Random;

/// Rows of features, and the value each should give.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    width: usize,
    rows: Vec<f32>,
    targets: Vec<f64>,
}

impl Samples {
    /// No samples yet, with `width` features each.
    pub fn new(width: usize) -> Self {
        Samples { width, rows: Vec::new(), targets: Vec::new() }
    }

    /// Adds a sample.
    ///
    /// # Panics
    /// If the row has another number of features.
    pub fn push(&mut self, row: &[f32], target: f64) {
        assert_eq!(row.len(), self.width, "a sample has as many features as the others");
        self.rows.extend_from_slice(row);
        self.targets.push(target);
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The features of a sample.
    pub fn row(&self, place: usize) -> &[f32] {
        &self.rows[place * self.width..][..self.width]
    }

    /// The values.
    pub fn targets(&self) -> &[f64] {
        &self.targets
    }

    /// The samples at the places that `selected` accepts.
    #[must_use]
    pub fn select(&self, selected: impl Fn(usize) -> bool) -> Samples {
        let mut chosen = Samples::new(self.width);
        for place in (0..self.len()).filter(|&place| selected(place)) {
            chosen.push(self.row(place), self.targets[place]);
        }
        chosen
    }

    /// The guess for every sample by these weights.
    pub fn guesses(&self, weights: &[f64]) -> Vec<f64> {
        (0..self.len())
            .map(|place| self.row(place).iter().zip(weights).map(|(&x, w)| f64::from(x) * w).sum())
            .collect()
    }
}

/// How good guesses are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quality {
    /// Kendall's tau-b between guesses and values; `None` where all of either are equal.
    pub tau: Option<f64>,
    /// The root of the mean square of the errors.
    pub rmse: f64,
    /// The part of the values' variance that the guesses explain; below 0 where the mean would be
    /// a better guess, 0 where the values do not vary.
    pub r_squared: f64,
}

impl Quality {
    /// Of guesses at these values.
    pub fn of(guesses: &[f64], targets: &[f64]) -> Self {
        let n = targets.len().max(1) as f64;
        let mean = targets.iter().sum::<f64>() / n;
        let errors: f64 = guesses.iter().zip(targets).map(|(g, t)| (g - t).powi(2)).sum();
        let spread: f64 = targets.iter().map(|t| (t - mean).powi(2)).sum();
        Quality {
            tau: kendall_tau(guesses, targets),
            rmse: (errors / n).sqrt(),
            r_squared: if spread > 0.0 { 1.0 - errors / spread } else { 0.0 },
        }
    }
}

/// The weights with the least sum of squared errors; `None` where there is nothing to fit.
///
/// `ridge` draws every weight towards 0, by as much as that many samples would: features that are
/// always 0 get weight 0, and identical features share their weight.
pub fn least_squares(samples: &Samples, ridge: f64) -> Option<Vec<f64>> {
    let k = samples.width;
    if samples.is_empty() || k == 0 {
        return None;
    }
    let mut products = vec![0.0; k * k];
    let mut weights = vec![0.0; k];
    for (place, &target) in samples.targets.iter().enumerate() {
        let row = samples.row(place);
        for (i, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            let x = f64::from(x);
            weights[i] += x * target;
            for (sum, &y) in products[i * k..].iter_mut().zip(&row[..=i]) {
                *sum += x * f64::from(y);
            }
        }
    }
    for i in 0..k {
        products[i * k + i] += ridge;
    }
    cholesky(&mut products, k)?;
    // L z = b, then Lᵀ w = z.
    for i in 0..k {
        let known: f64 = (0..i).map(|j| products[i * k + j] * weights[j]).sum();
        weights[i] = (weights[i] - known) / products[i * k + i];
    }
    for i in (0..k).rev() {
        let known: f64 = (i + 1..k).map(|j| products[j * k + i] * weights[j]).sum();
        weights[i] = (weights[i] - known) / products[i * k + i];
    }
    Some(weights)
}

/// Replaces the lower half of a symmetric matrix by L with L Lᵀ equal to it; `None` where it is
/// not positive definite.
fn cholesky(matrix: &mut [f64], k: usize) -> Option<()> {
    for i in 0..k {
        for j in 0..=i {
            let known: f64 = (0..j).map(|m| matrix[i * k + m] * matrix[j * k + m]).sum();
            let rest = matrix[i * k + j] - known;
            matrix[i * k + j] = if i == j {
                // Rounding may leave a tiny residue instead of 0.
                if rest <= 1e-12 * matrix[i * k + i].abs() {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / matrix[j * k + j]
            };
        }
    }
    Some(())
}

/// Kendall's tau-b: the share of pairs in the same order minus that of pairs in opposite order,
/// with ties taken into account; `None` where all of `a` or all of `b` are equal.
///
/// Knight's way: sort by `a`, then count the exchanges that sorting by `b` takes.
pub fn kendall_tau(a: &[f64], b: &[f64]) -> Option<f64> {
    // Zeros of either sign are one number.
    let mut pairs: Vec<(f64, f64)> = a.iter().zip(b).map(|(x, y)| (x + 0.0, y + 0.0)).collect();
    pairs.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)));
    let all = pairs_of(pairs.len());
    let ties_a = ties(&pairs, |x, y| x.0.total_cmp(&y.0));
    let ties_both = ties(&pairs, |x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)));
    let mut order: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let mut space = order.clone();
    let exchanges = sort_counting(&mut order, &mut space);
    let ties_b = ties(&order, f64::total_cmp);
    let (left, right) = (all - ties_a, all - ties_b);
    if left == 0 || right == 0 {
        return None;
    }
    let difference = (all + ties_both) as f64 - (ties_a + ties_b + 2 * exchanges) as f64;
    Some(difference / (left as f64 * right as f64).sqrt())
}

fn pairs_of(n: usize) -> u64 {
    let n = n as u64;
    n * n.saturating_sub(1) / 2
}

/// Pairs of equal things in a sorted list.
fn ties<T>(sorted: &[T], order: impl Fn(&T, &T) -> Ordering) -> u64 {
    sorted.chunk_by(|x, y| order(x, y).is_eq()).map(|run| pairs_of(run.len())).sum()
}

/// Sorts, and counts the pairs that stood in the wrong order.
fn sort_counting(list: &mut [f64], space: &mut [f64]) -> u64 {
    let n = list.len();
    if n < 2 {
        return 0;
    }
    let middle = n / 2;
    let (left, right) = list.split_at_mut(middle);
    let mut exchanges = sort_counting(left, space) + sort_counting(right, space);
    let (mut i, mut j) = (0, 0);
    for slot in &mut space[..n] {
        let from_right =
            i == left.len() || (j < right.len() && right[j].total_cmp(&left[i]).is_lt());
        *slot = if from_right {
            exchanges += (left.len() - i) as u64;
            j += 1;
            right[j - 1]
        } else {
            i += 1;
            left[i - 1]
        };
    }
    list.copy_from_slice(&space[..n]);
    exchanges
}

/// Weights with a higher tau, found by changing one weight at a time, and scaled such that their
/// guesses fit the values best; `rounds` times through all weights, with smaller changes where
/// nothing helped.
///
/// Tau depends on the order alone, so it may prefer other weights than least squares does.
#[must_use]
pub fn climb(samples: &Samples, weights: &[f64], rounds: u32) -> Vec<f64> {
    let mut best = weights.to_vec();
    let mut guesses = samples.guesses(&best);
    let mut tau = kendall_tau(&guesses, samples.targets()).unwrap_or(-1.0);
    let largest = best.iter().fold(0.0f64, |most, w| most.max(w.abs())).max(1e-3);
    let mut share = 0.25;
    for _ in 0..rounds {
        let mut improved = false;
        for (i, weight) in best.iter_mut().enumerate() {
            let change = share * weight.abs().max(0.05 * largest);
            for change in [change, -change] {
                let shifted: Vec<f64> = guesses
                    .iter()
                    .enumerate()
                    .map(|(place, guess)| guess + change * f64::from(samples.row(place)[i]))
                    .collect();
                let now = kendall_tau(&shifted, samples.targets()).unwrap_or(-1.0);
                if now > tau {
                    (tau, guesses) = (now, shifted);
                    *weight += change;
                    improved = true;
                    break;
                }
            }
        }
        if !improved {
            share /= 2.0;
        }
    }
    let square: f64 = guesses.iter().map(|g| g * g).sum();
    let product: f64 = guesses.iter().zip(samples.targets()).map(|(g, t)| g * t).sum();
    if square > 0.0 && product > 0.0 {
        for weight in &mut best {
            *weight *= product / square;
        }
    }
    best
}

/// Whether a group of samples is held out of the fit: `share` of all groups are, always the same
/// ones for a seed. Samples that depend on each other belong to one group.
pub fn is_held_out(group: u64, share: f64, seed: u64) -> bool {
    Random::new(seed ^ group.wrapping_mul(0xD134_2543_DE82_EF95)).unit() < share
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tau-b by its definition.
    fn tau_by_pairs(a: &[f64], b: &[f64]) -> Option<f64> {
        let (mut s, mut left, mut right) = (0i64, 0i64, 0i64);
        for i in 0..a.len() {
            for j in 0..i {
                let x = i64::from(a[i] > a[j]) - i64::from(a[i] < a[j]);
                let y = i64::from(b[i] > b[j]) - i64::from(b[i] < b[j]);
                s += x * y;
                left += x * x;
                right += y * y;
            }
        }
        (left > 0 && right > 0).then(|| s as f64 / ((left as f64).sqrt() * (right as f64).sqrt()))
    }

    proptest! {
        #[test]
        fn tau_agrees_with_its_definition(
            pairs in prop::collection::vec((-6i32..6, -9i32..9), 0..120),
        ) {
            let a: Vec<f64> = pairs.iter().map(|p| f64::from(p.0)).collect();
            let b: Vec<f64> = pairs.iter().map(|p| f64::from(p.1) / 3.0).collect();
            match (kendall_tau(&a, &b), tau_by_pairs(&a, &b)) {
                (Some(fast), Some(slow)) => prop_assert!((fast - slow).abs() < 1e-9),
                (fast, slow) => prop_assert_eq!(fast, slow),
            }
        }
    }

    #[test]
    fn order_and_its_opposite() {
        let up: Vec<f64> = (0..100).map(f64::from).collect();
        let down: Vec<f64> = up.iter().map(|x| -x).collect();
        assert_eq!(kendall_tau(&up, &up), Some(1.0));
        assert_eq!(kendall_tau(&up, &down), Some(-1.0));
        assert_eq!(kendall_tau(&up, &[3.0; 100]), None);
        assert_eq!(kendall_tau(&[], &[]), None);
    }

    /// Features and values with a little noise, from weights.
    fn made_up(weights: &[f64], n: usize, noise: f64, seed: u64) -> Samples {
        let mut random = Random::new(seed);
        let mut unit = || (random.bits() >> 40) as f32 / (1 << 24) as f32 - 0.5;
        let mut samples = Samples::new(weights.len());
        for _ in 0..n {
            let row: Vec<f32> = weights.iter().map(|_| unit()).collect();
            let exact: f64 = row.iter().zip(weights).map(|(&x, w)| f64::from(x) * w).sum();
            let target = exact + noise * f64::from(unit());
            samples.push(&row, target);
        }
        samples
    }

    #[test]
    fn weights_are_found_again() {
        let weights = [3.0, -1.0, 0.5, 0.0];
        let samples = made_up(&weights, 5_000, 0.1, 7);
        let fitted = least_squares(&samples, 1e-6).unwrap();
        for (found, weight) in fitted.iter().zip(weights) {
            assert!((found - weight).abs() < 0.02, "{fitted:?}");
        }
        let quality = Quality::of(&samples.guesses(&fitted), samples.targets());
        assert!(quality.r_squared > 0.99 && quality.tau.unwrap() > 0.95, "{quality:?}");
        let noise = 0.1 / 12f64.sqrt();
        assert!((quality.rmse - noise).abs() < 0.1 * noise, "{quality:?}");
    }

    #[test]
    fn ridge_settles_what_the_samples_leave_open() {
        // The second feature repeats the first, the third carries no information.
        let mut samples = Samples::new(3);
        for i in 0..50i16 {
            let x = f32::from(i);
            samples.push(&[x, x, 0.0], 4.0 * f64::from(x));
        }
        assert_eq!(least_squares(&samples, 0.0), None);
        let weights = least_squares(&samples, 1e-3).unwrap();
        assert!((weights[0] - 2.0).abs() < 1e-3 && (weights[1] - 2.0).abs() < 1e-3, "{weights:?}");
        assert!(weights[2].abs() < 1e-9);
        assert_eq!(least_squares(&Samples::new(3), 1.0), None);
    }

    #[test]
    fn climbing_never_lowers_tau() {
        let samples = made_up(&[2.0, -1.0, 0.7], 400, 0.5, 3);
        let start = [1.0, 0.0, 0.0];
        let tau = |weights: &[f64]| kendall_tau(&samples.guesses(weights), samples.targets());
        let climbed = climb(&samples, &start, 20);
        assert!(tau(&climbed) > tau(&start).map(|tau| tau + 0.1), "{climbed:?}");
        // The order is right, and so is the scale.
        assert!((climbed[0] - 2.0).abs() < 0.3, "{climbed:?}");
    }

    #[test]
    fn about_the_share_is_held_out() {
        let held = (0..10_000).filter(|&group| is_held_out(group, 0.2, 5)).count();
        assert!((1_800..2_200).contains(&held), "{held}");
        assert!((0..1000).all(|g| is_held_out(g, 0.2, 5) == is_held_out(g, 0.2, 5)));
        assert!((0..1000).any(|g| is_held_out(g, 0.2, 5) != is_held_out(g, 0.2, 6)));
    }
}

//! The result of a match: the difference in Elo, with its confidence interval.

/// The results of a match for its first player, by pairs of games from one opening.
///
/// The two games of a pair share the opening, so pairs are independent of each other and games are
/// not: the variance is estimated over pairs.
///
/// ```
/// use nutcracker_engine::Tally;
///
/// let mut tally = Tally::default();
/// for _ in 0..10 {
///     tally.add_pair(&[1.0, 0.5]);
///     tally.add_pair(&[0.0, 1.0]);
/// }
/// assert_eq!((tally.wins(), tally.draws(), tally.losses()), (20, 10, 10));
/// let elo = tally.elo();
/// assert!(elo.low < elo.difference && elo.difference < elo.high);
/// assert_eq!(elo.difference.round(), 89.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tally {
    wins: u64,
    draws: u64,
    losses: u64,
    /// The mean result of each pair.
    pairs: Vec<f64>,
}

/// A difference in Elo with the ends of its 95 % interval; infinite where one side won everything.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elo {
    /// The estimate.
    pub difference: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The 97.5 % quantile of the normal distribution.
const TWO_SIDED_95: f64 = 1.959_964;

impl Tally {
    /// The games from one opening: 1 for a win, 0.5 for a draw, 0 for a loss.
    pub fn add_pair(&mut self, results: &[f64]) {
        for &result in results {
            if result > 0.75 {
                self.wins += 1;
            } else if result < 0.25 {
                self.losses += 1;
            } else {
                self.draws += 1;
            }
        }
        if !results.is_empty() {
            self.pairs.push(results.iter().sum::<f64>() / results.len() as f64);
        }
    }

    /// Games won.
    pub fn wins(&self) -> u64 {
        self.wins
    }

    /// Games drawn.
    pub fn draws(&self) -> u64 {
        self.draws
    }

    /// Games lost.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The mean result of a game; one half where there are none.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + 0.5 * self.draws as f64) / games as f64,
        }
    }

    /// The standard error of the score.
    fn error(&self) -> f64 {
        let n = self.pairs.len() as f64;
        let mean = self.pairs.iter().sum::<f64>() / n.max(1.0);
        let squares: f64 = self.pairs.iter().map(|pair| (pair - mean).powi(2)).sum();
        // One more pair a quarter off, so that a few equal results do not look certain.
        ((squares + 1.0 / 16.0) / n.max(1.0) / n.max(1.0)).sqrt()
    }

    /// The difference in Elo that follows from the score, with its 95 % interval.
    pub fn elo(&self) -> Elo {
        let score = self.score();
        let (low, high) = self.interval(score);
        Elo { difference: elo(score), low: elo(low), high: elo(high) }
    }

    /// The number of independent coin tosses with the same standard error.
    pub(crate) fn tosses(&self) -> f64 {
        let pairs = self.pairs.len() as f64;
        let spread = self.score() * (1.0 - self.score());
        if pairs == 0.0 || spread <= 0.0 {
            return pairs;
        }
        (spread / self.error().powi(2)).max(1.0)
    }

    /// Wilson's interval of the score, for the number of coin tosses with the variance of the
    /// pairs: unlike the normal approximation it stays within 0 and 1, and is accurate near them.
    fn interval(&self, score: f64) -> (f64, f64) {
        let pairs = self.pairs.len() as f64;
        if pairs == 0.0 {
            return (0.0, 1.0);
        }
        let spread = score * (1.0 - score);
        let n = self.tosses();
        let z2 = TWO_SIDED_95 * TWO_SIDED_95;
        let middle = (score + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = TWO_SIDED_95 / (1.0 + z2 / n) * (spread / n + z2 / (4.0 * n * n)).sqrt();
        // At the ends the interval ends there too, except for rounding.
        let low = if score <= 0.0 { 0.0 } else { (middle - half).max(0.0) };
        let high = if score >= 1.0 { 1.0 } else { (middle + half).min(1.0) };
        (low, high)
    }

    /// The probability that the first player is the stronger one.
    pub fn superiority(&self) -> f64 {
        if self.pairs.is_empty() { 0.5 } else { normal((self.score() - 0.5) / self.error()) }
    }

    /// Whether the interval excludes equal strength.
    pub fn is_significant(&self) -> bool {
        let Elo { low, high, .. } = self.elo();
        low > 0.0 || high < 0.0
    }
}

/// The difference in Elo at which this score is expected.
fn elo(score: f64) -> f64 {
    // Avoids minus zero.
    400.0 * (score / (1.0 - score)).log10() + 0.0
}

/// The normal distribution, to seven digits (Abramowitz and Stegun 26.2.17).
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let tail = series.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    let tail = tail * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nutcracker_game::Random;

    fn tally(pairs: &[[f64; 2]]) -> Tally {
        let mut tally = Tally::default();
        for pair in pairs {
            tally.add_pair(pair);
        }
        tally
    }

    #[test]
    fn known_figures() {
        assert!((elo(0.75) - 190.848_5).abs() < 1e-3);
        assert!((normal(0.0) - 0.5).abs() < 1e-7);
        assert!((normal(1.96) - 0.975_002).abs() < 1e-5);
        assert!((normal(-3.0) - 0.001_349_9).abs() < 1e-6);
    }

    #[test]
    fn no_games_give_no_estimate() {
        let none = Tally::default();
        assert_eq!(
            none.elo(),
            Elo { difference: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY }
        );
        assert!((none.superiority() - 0.5).abs() < 1e-9 && !none.is_significant());
    }

    #[test]
    fn all_won_all_drawn_and_single_games() {
        let won = tally(&[[1.0, 1.0]; 20]);
        let elo = won.elo();
        assert!(elo.difference.is_infinite() && elo.low > 100.0 && elo.low.is_finite());
        assert!(elo.high.is_infinite() && elo.high > 0.0);
        assert!(won.is_significant() && won.superiority() > 0.999);
        let drawn = tally(&[[0.5, 0.5]; 20]);
        let elo = drawn.elo();
        assert!(elo.difference.abs() < 1e-9 && elo.low < -1.0 && elo.high > 1.0);
        assert!(!drawn.is_significant());
        let one = tally(&[[1.0, 0.0]]);
        assert!(one.elo().low < -100.0 && !one.is_significant());
        let lost = tally(&[[0.0, 0.0]; 9]);
        assert!(lost.elo().high < 0.0 && lost.elo().low == f64::NEG_INFINITY);
    }

    /// Of many matches between players with a known true score, 95 in 100 have it within the
    /// interval, whether or not the openings favour a side.
    #[test]
    fn intervals_have_their_coverage() {
        let mut chance = Random::new(7);
        for (win, draw, opening) in [(0.4, 0.3, 0.0), (0.6, 0.1, 0.3), (0.33, 0.34, 0.33)] {
            let truth = win + 0.5 * draw;
            let mut within = 0;
            for _ in 0..1000 {
                let mut match_ = Tally::default();
                for _ in 0..60 {
                    let bias = if chance.unit() < 0.5 { opening } else { -opening };
                    let mut game = |bias: f64| {
                        let draw_at = win + bias;
                        match chance.unit() {
                            x if x < draw_at => 1.0,
                            x if x < draw_at + draw => 0.5,
                            _ => 0.0,
                        }
                    };
                    let pair = [game(bias), game(-bias)];
                    match_.add_pair(&pair);
                }
                let (low, high) = match_.interval(match_.score());
                within += u32::from((low..=high).contains(&truth));
            }
            assert!((925..=990).contains(&within), "{within} of 1000 for {truth}");
        }
    }
}

//! Strategies as successive filters of moves by metrics, after Tamplin and Haworth: `Z50- M-` keeps
//! the moves that minimise DTZ50, and of these the ones that minimise DTM.

use std::fmt;
use std::str::FromStr;

use nutcracker_game::{Game, Metric, Score, Step};

use super::PlayerError;
use super::distance::values_of_steps;
use crate::Oracle;

/// Filters of moves, one after the other.
///
/// A filter is a metric (`M` to mate or the end of the game, `C` to a conversion, `Z` to a zeroing
/// move, `Z50` the same under a rule of fifty moves, `R` the smallest such rule, `H50` both) and what
/// it does:
///
/// - `-` keeps the wins that are nearest;
/// - `+` keeps those that are farthest away;
/// - `o` guards: it keeps the wins that surely come before the rule allows a claim, or if there are
///   none, the nearest.
///
/// Every filter first keeps the best result by its metric. The loser holds out: `-` is `+` for it.
///
/// ```
/// use nutcracker_search::player::Strategy;
///
/// let strategy: Strategy = "Zo Z50- M-".parse().unwrap();
/// assert_eq!(strategy.to_string(), "Zo Z50- M-");
/// assert_eq!("SZoZ50-M-".parse(), Ok(strategy));
/// assert!("M".parse::<Strategy>().unwrap_err().starts_with("a strategy is"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    filters: Vec<(Metric, How)>,
}

/// What a filter does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Minimise,
    Maximise,
    Guard,
}

/// Moves that are left, with their values.
type Kept<M> = Vec<(M, Score)>;

/// The rule where a strategy names none.
const FIFTY: u8 = 50;

impl Strategy {
    /// The metric of every filter.
    pub fn metrics(&self) -> impl Iterator<Item = Metric> {
        self.filters.iter().map(|(metric, _)| *metric)
    }

    /// The moves of the rule: that of the first metric under one, else fifty.
    pub fn rule(&self) -> u8 {
        let rule = |metric| match metric {
            Metric::DtzIn(moves) | Metric::Dth(moves) if moves > 0 => Some(moves),
            _ => None,
        };
        self.metrics().find_map(rule).unwrap_or(FIFTY)
    }

    /// The moves that are left of a position, each with its value by the first metric. `oracles` has
    /// databases for each filter, `repeats` knows moves that end the game by a repetition, and `quiet`
    /// is the number of plies since the last zeroing move. `None` where databases do not reach.
    pub fn keep<G: Game, O: Oracle>(
        &self,
        game: &G,
        oracles: &[O],
        position: &G::Position,
        repeats: &dyn Fn(&G::Position) -> bool,
        quiet: u32,
    ) -> Result<Option<Kept<G::Move>>, PlayerError<O::Error>> {
        let mut moves = Vec::new();
        game.moves(position, &mut moves);
        let steps: Vec<_> = moves.iter().map(|mv| game.play(position, mv)).collect();
        let mut left: Vec<usize> = (0..moves.len()).collect();
        let mut first = None;
        let claim = (2 * u32::from(self.rule())).saturating_sub(quiet);
        for ((metric, how), oracle) in self.filters.iter().zip(oracles) {
            let slice = game.slice_of(position);
            if !oracle.covers(slice)
                || oracle.metric(slice).map_err(PlayerError::Oracle)? != *metric
            {
                return Ok(None);
            }
            let values = values_of_steps(game, oracle, *metric, &steps)?;
            let Some(mut values) = values else { return Ok(None) };
            for (value, step) in values.iter_mut().zip(&steps) {
                if repeats(&step.next) {
                    *value = 0;
                }
            }
            let in_time = |(value, step): (&Score, &Step<G::Position>)| {
                let ends = metric.restarts(step) || game.outcome(&step.next).is_some();
                latest(*metric, *value, ends) <= claim
            };
            let in_time: Vec<bool> = values.iter().zip(&steps).map(in_time).collect();
            filter(*how, &in_time, &values, &mut left);
            first.get_or_insert(values);
        }
        let Some(values) = first else { return Ok(None) };
        Ok(Some(left.into_iter().map(|place| (moves[place], values[place])).collect()))
    }
}

/// The plies within which a move worth `value` surely comes to what the metric counts to, with this
/// move; `ends` where the move itself does.
fn latest(metric: Metric, value: Score, ends: bool) -> u32 {
    let Some(distance) = metric.distance(value) else { return 0 };
    // It is the winner that mates, but the loser may be the one to convert or zero, a ply later.
    let loser_may = distance.wins && metric != Metric::Dtw && !ends;
    u32::from(distance.plies()) + u32::from(loser_may)
}

/// Keeps some of the places in `left`; `in_time` are those that come before a draw can be claimed.
fn filter(how: How, in_time: &[bool], values: &[Score], left: &mut Vec<usize>) {
    let result = left.iter().map(|&place| values[place].signum()).max().unwrap_or(0);
    left.retain(|&place| values[place].signum() == result);
    if result == 0 {
        return;
    }
    if how == How::Guard && left.iter().any(|&place| in_time[place]) {
        left.retain(|&place| result < 0 || in_time[place]);
        return;
    }
    // Larger is nearer for a winner, and farther for a loser.
    let all = left.iter().map(|&place| values[place]);
    let wanted = if result > 0 && how == How::Maximise { all.min() } else { all.max() };
    left.retain(|&place| Some(values[place]) == wanted);
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "a strategy is metrics M, C, Z, R, ZN or HN with N from 1 to 126, each with - (nearest), \
                 + (farthest) or o (guard), as in \"Z50- M-\", not {text:?}"
            )
        };
        let letters: Vec<char> = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let mut rest = letters.as_slice();
        // The paper writes an S before them all.
        if let [] | ['S', 'M' | 'C' | 'Z' | 'R' | 'H', ..] = rest {
            rest = rest.get(1..).unwrap_or_default();
        }
        let mut filters = Vec::new();
        while let [name, after @ ..] = rest {
            let digits = after.iter().take_while(|letter| letter.is_ascii_digit()).count();
            let number: String = after[..digits].iter().collect();
            let metric = match (name.to_ascii_uppercase(), number.as_str()) {
                ('M', "") => "dtw".to_owned(),
                ('C', "") => "dtc".to_owned(),
                ('R', "") => "dtr".to_owned(),
                ('Z', _) => format!("dtz{number}"),
                ('H', _) => format!("dth{number}"),
                _ => return Err(wrong()),
            };
            let metric = metric.parse().map_err(|_| wrong())?;
            let how = match after.get(digits) {
                Some('-' | '−') => How::Minimise,
                Some('+') => How::Maximise,
                Some('o' | '°') => How::Guard,
                _ => return Err(wrong()),
            };
            filters.push((metric, how));
            rest = &after[digits + 1..];
        }
        if filters.is_empty() { Err(wrong()) } else { Ok(Strategy { filters }) }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (metric, how)) in self.filters.iter().enumerate() {
            let space = if place > 0 { " " } else { "" };
            let name = match metric {
                Metric::Dtw => "M".to_owned(),
                other => other.name().trim_start_matches("dt").to_ascii_uppercase(),
            };
            let how = match how {
                How::Minimise => "-",
                How::Maximise => "+",
                How::Guard => "o",
            };
            write!(f, "{space}{name}{how}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wins in 3, 5 and 8 moves, a draw, and a loss in 4.
    const VALUES: [Score; 5] = [125, 123, 120, 0, -123];

    fn kept(how: How, claim: u32, mut left: Vec<usize>) -> Vec<usize> {
        let in_time = VALUES.map(|value| latest(Metric::Dtz, value, false) <= claim);
        filter(how, &in_time, &VALUES, &mut left);
        left
    }

    #[test]
    fn filters_keep_what_they_say() {
        let all = || (0..5).collect::<Vec<_>>();
        assert_eq!(kept(How::Minimise, 100, all()), [0]);
        assert_eq!(kept(How::Maximise, 100, all()), [2]);
        // At most 6, 10 and 16 plies: what comes in time is kept, or the nearest.
        assert_eq!(kept(How::Guard, 16, all()), [0, 1, 2]);
        assert_eq!(kept(How::Guard, 15, all()), [0, 1]);
        assert_eq!(kept(How::Guard, 10, all()), [0, 1]);
        assert_eq!(kept(How::Guard, 9, all()), [0]);
        assert_eq!(kept(How::Guard, 3, all()), [0]);
        assert_eq!(kept(How::Minimise, 100, vec![3, 4]), [3]);
        assert_eq!(kept(How::Guard, 1, vec![4]), [4]);
    }

    /// A win in m moves takes 2m - 1 plies, or one more where the loser has to make the move that counts.
    #[test]
    fn the_loser_may_be_the_one_to_zero() {
        assert_eq!(latest(Metric::Dtz, 125, false), 6);
        assert_eq!(latest(Metric::Dtw, 125, false), 5);
        assert_eq!(latest(Metric::Dtz, 127, true), 1);
        assert_eq!(latest(Metric::Dtc, -124, false), 6);
    }

    #[test]
    fn a_loser_holds_out() {
        let values = [-126, -120];
        for how in [How::Minimise, How::Maximise] {
            let mut left = vec![0, 1];
            filter(how, &[true; 2], &values, &mut left);
            assert_eq!(left, [1]);
        }
    }

    #[test]
    fn what_is_no_strategy_is_refused_in_a_sentence() {
        for text in ["", "S", "M", "M-Q-", "Z999-", "M50-", "Z50", "-", "H-"] {
            let error = text.parse::<Strategy>().expect_err(text);
            assert!(!error.contains('\n') && error.starts_with("a strategy is"), "{error}");
        }
        assert_eq!("z- r- h50o".parse::<Strategy>().unwrap().to_string(), "Z- R- H50o");
    }
}

//! What a position is worth: the one type for it, with its text and its JSON form.

#[cfg(feature = "serde")]
mod json;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use nutcracker_game::{Metric, Score, Step, Turn};

/// What a position is worth to its mover, from here on: what is proven, what is guessed, and in
/// how many moves it is realised, each where it is known.
///
/// Bounds are proven: they rest on the rules and on databases alone, never on an evaluation or on
/// a move left out. Where they meet, the score is known.
///
/// # Text form
/// | known | text |
/// |---|---|
/// | the score | `+3`, `0`, `-2` |
/// | with a distance | `win in 13`, `loss in 4`, `win, conversion in 5`, `win by a rule of 10 or 11` |
/// | a bound | `≥ 3`, `≤ -10`, `0 to 3` |
/// | a guess | `~+1.25` |
/// | a guess between bounds | `~+1.25, ≥ 0`, `~+1.25, ≤ 3`, `~+1.25, 0 to 3` |
/// | from a database that was not checked | `+3, unchecked` |
///
/// # JSON form
/// With the feature `serde`; fields that are not known are left out:
///
/// ```json
/// {"points":2.5,"exact":false,"lower":1,"upper":4,"guess":2.5,"text":"~+2.50, 1 to 4"}
/// {"points":1,"exact":true,"lower":1,"upper":1,"distance":{"moves":13,"metric":"dtw"},
///  "text":"win in 13"}
/// ```
///
/// `points` is always present: the one number for charts and comparisons. `"checked":false` is
/// present where the worth rests on a database that was not checked.
///
/// ```
/// use nutcracker_search::{Kind, Worth};
///
/// assert_eq!(Worth::exact(-2).to_string(), "-2");
/// assert_eq!(Worth::at_least(3).to_string(), "≥ 3");
/// assert_eq!(Worth::guess(125).to_string(), "~+1.25");
/// assert_eq!(Worth::between(0, 3).with_guess(125).to_string(), "~+1.25, 0 to 3");
/// assert_eq!((Worth::exact(-2).hundredths(), Worth::at_least(3).kind()), (-200, Kind::AtLeast));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Worth {
    /// Proven: the score is this or more.
    pub lower: Option<Score>,
    /// Proven: the score is this or less.
    pub upper: Option<Score>,
    /// A guess, in hundredths of a point, within the bounds; none where the score is known.
    pub guess: Option<i32>,
    /// How far away the win or loss is.
    pub distance: Option<Distance>,
    /// Whether it rests on a database that was not checked.
    pub unchecked: bool,
}

/// How many moves a win or loss takes, and to where they are counted. Who wins is in the score of the
/// [`Worth`] it belongs to; [`WinDistance`](nutcracker_game::WinDistance) has the winner itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Distance {
    /// Moves of the winner.
    pub moves: u16,
    /// To where they are counted: [`Dtw`](Metric::Dtw), the end of the game, [`Dtc`](Metric::Dtc),
    /// the next conversion, or [`Dtz`](Metric::Dtz), the next zeroing move.
    pub metric: Metric,
    /// Whether it may be one more: the smallest rule under which a position is won does not say
    /// whether the move that leads there has to count, too.
    pub or_one_more: bool,
}

impl Distance {
    /// Moves by a metric.
    pub fn new(moves: u16, metric: Metric) -> Self {
        Distance { moves, metric, or_one_more: false }
    }

    /// The distance that a value stands for by this metric, if it does.
    fn of(metric: Metric, value: Score) -> Option<Self> {
        metric.distance(value).map(|distance| Distance::new(distance.moves, metric))
    }

    /// Whether it is a smallest rule.
    fn is_rule(self) -> bool {
        matches!(self.metric, Metric::Dth(limit) if self.moves > limit.into())
    }

    /// The most moves that it may be.
    fn most(self) -> u16 {
        self.moves + u16::from(self.or_one_more)
    }

    /// The moves in words: `13`, `10 or 11`.
    pub fn in_words(self) -> String {
        if self.or_one_more {
            format!("{} or {}", self.moves, self.most())
        } else {
            self.moves.to_string()
        }
    }

    /// Whether a move with this distance takes as long as its position, whose result it keeps. `None`
    /// where that is not certain.
    pub(crate) fn is_that_of(self, position: Distance) -> Option<bool> {
        if self.most() < position.moves || position.most() < self.moves {
            return Some(false);
        }
        (!self.or_one_more && !position.or_one_more).then_some(true)
    }

    /// The value that stands for this distance of a win or loss; `None` where there is none, as
    /// for moves that do not fit.
    fn value(self, wins: bool) -> Option<Score> {
        let moves = i32::from(self.moves);
        let value = Score::try_from(if wins { 128 - moves } else { moves - 127 }).ok()?;
        let is_its = Self::of(self.metric, value).is_some_and(|its| its.moves == self.moves);
        (is_its && (value > 0) == wins).then_some(value)
    }
}

/// How the one number of a [`Worth`] relates to the score.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// It is the score.
    Exact,
    /// The score is this or more.
    AtLeast,
    /// The score is this or less.
    AtMost,
    /// Nothing is proven about it.
    Guess,
}

impl Kind {
    /// The name, as in records: `exact`, `at-least`, `at-most`, `guess`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::AtLeast => "at-least",
            Kind::AtMost => "at-most",
            Kind::Guess => "guess",
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Kind::Exact, Kind::AtLeast, Kind::AtMost, Kind::Guess]
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| format!("{text:?} is not exact, at-least, at-most or guess"))
    }
}

/// A score in hundredths of a point.
fn hundredths(score: Score) -> i32 {
    100 * i32::from(score)
}

impl Worth {
    /// The score.
    pub fn exact(score: Score) -> Self {
        Worth::between(score, score)
    }

    /// This or more.
    pub fn at_least(score: Score) -> Self {
        Worth { lower: Some(score), ..Worth::default() }
    }

    /// This or less.
    pub fn at_most(score: Score) -> Self {
        Worth { upper: Some(score), ..Worth::default() }
    }

    /// From `lower` to `upper`.
    pub fn between(lower: Score, upper: Score) -> Self {
        Worth { lower: Some(lower), upper: Some(upper), ..Worth::default() }
    }

    /// A guess, in hundredths of a point.
    pub fn guess(hundredths: i32) -> Self {
        Worth { guess: Some(hundredths), ..Worth::default() }
    }

    /// With a guess in hundredths of a point, moved into the bounds; unchanged where the score is
    /// known.
    #[must_use]
    pub fn with_guess(self, guess: i32) -> Self {
        if self.is_exact() {
            return self;
        }
        let guess = self.lower.map_or(guess, |lower| guess.max(hundredths(lower)));
        let guess = self.upper.map_or(guess, |upper| guess.min(hundredths(upper)));
        Worth { guess: Some(guess), ..self }
    }

    /// The same with the mean of its guess and that of the iteration before. At the horizon the side
    /// to move looks better than it is, so that guesses of odd and even depths differ; the mean of
    /// two does not depend on which came last.
    #[must_use]
    pub fn averaged(self, before: Worth) -> Self {
        match self.guess {
            Some(guess) => self.with_guess((guess + before.hundredths()).div_euclid(2)),
            None => self,
        }
    }

    /// With the moves that the win or loss takes.
    #[must_use]
    pub fn with_distance(self, distance: Distance) -> Self {
        Worth { distance: Some(distance), ..self }
    }

    /// Bounds and a guess in hundredths, for a position whose scores lie within ±`max`: a bound
    /// that every such position keeps carries no information.
    pub(crate) fn of(guess: i32, lower: Score, upper: Score, max: Score) -> Self {
        if lower == upper {
            return Worth::exact(lower);
        }
        let lower = (lower > -max).then_some(lower);
        let upper = (upper < max).then_some(upper);
        Worth { lower, upper, ..Worth::default() }.with_guess(guess)
    }

    /// With the bounds of another statement about the same position, where they are closer.
    #[must_use]
    pub fn narrowed(self, other: Worth) -> Self {
        let lower = self.lower.max(other.lower);
        let upper = self
            .upper
            .map_or(other.upper, |upper| Some(other.upper.map_or(upper, |other| other.min(upper))));
        let unchecked = self.unchecked || other.unchecked;
        let closer = Worth { lower, upper, unchecked, ..self };
        match self.guess {
            Some(guess) => Worth { guess: None, ..closer }.with_guess(guess),
            None => closer,
        }
    }

    /// The score, where it is known.
    pub fn score(self) -> Option<Score> {
        self.lower.filter(|_| self.is_exact())
    }

    /// Whether the score is known.
    pub fn is_exact(self) -> bool {
        self.lower.is_some() && self.lower == self.upper
    }

    /// How [`hundredths`](Worth::hundredths) relates to the score.
    pub fn kind(self) -> Kind {
        let number = self.hundredths();
        match (self.lower, self.upper) {
            _ if self.is_exact() => Kind::Exact,
            (Some(lower), _) if number <= hundredths(lower) => Kind::AtLeast,
            (_, Some(upper)) if number >= hundredths(upper) => Kind::AtMost,
            _ => Kind::Guess,
        }
    }

    /// The score or the bound that [`kind`](Worth::kind) speaks of; `None` for a guess.
    pub fn proven(self) -> Option<Score> {
        match self.kind() {
            Kind::Exact | Kind::AtLeast => self.lower,
            Kind::AtMost => self.upper,
            Kind::Guess => None,
        }
    }

    /// Whether the one number is proven to be the score or a bound of it.
    pub fn is_proven(self) -> bool {
        self.kind() != Kind::Guess
    }

    /// One number for comparisons, in hundredths of a point: the score, else the guess, else a
    /// bound.
    pub fn hundredths(self) -> i32 {
        let bound = || self.lower.or(self.upper).map(hundredths);
        let score = self.score().map(hundredths);
        score.or(self.guess).or_else(bound).unwrap_or(0)
    }

    /// The same in points.
    pub fn points(self) -> f64 {
        f64::from(self.hundredths()) / 100.0
    }

    /// A key that sorts the best first: by the number, and of equal ones that which may be more.
    /// Of wins the shortest comes first, of losses the longest.
    pub fn order(self) -> impl Ord {
        let rank = match self.kind() {
            Kind::AtLeast => 3,
            Kind::Exact => 2,
            Kind::Guess => 1,
            Kind::AtMost => 0,
        };
        let number = self.hundredths();
        // What may be one more comes between that and what is.
        let length = |distance: Distance| i32::from(distance.moves) + i32::from(distance.most());
        let moves = self.distance.map_or(0, length);
        Reverse((number, rank, if number > 0 { -moves } else { moves }))
    }

    /// The meaning of a value by a metric.
    pub fn by(metric: Metric, value: Score) -> Self {
        Worth { distance: Distance::of(metric, value), ..Worth::exact(metric.score(value)) }
    }

    /// The worth of a move from a position with this one: none wins under a smaller rule than the
    /// position needs, nor loses only under a larger one.
    #[must_use]
    pub fn from(self, position: Worth) -> Self {
        let (Some(distance), Some(before)) = (self.distance, position.distance) else {
            return self;
        };
        let same = distance.metric == before.metric && self.score() == position.score();
        if !same || !distance.is_rule() || !before.is_rule() {
            return self;
        }
        let exact = |moves| Distance { moves, or_one_more: before.or_one_more, ..distance };
        let distance = match self.score() {
            Some(1..) if distance.most() <= before.moves => exact(before.moves),
            Some(..=-1) if distance.moves >= before.most() => exact(before.moves),
            _ => distance,
        };
        Worth { distance: Some(distance), ..self }
    }

    /// The worth of a move to its mover when the next position has this one. Which moves count
    /// for its distance depends on the metric.
    #[must_use]
    pub fn through<P>(self, step: &Step<P>) -> Self {
        let value = |(distance, score): (Distance, Score)| {
            let metric = distance.metric;
            Some((distance, metric.value(step, distance.value(score > 0)?)))
        };
        let reached = self.distance.zip(self.score()).and_then(value);
        if let Some((Distance { metric: Metric::DtzIn(_), .. }, 0)) = reached {
            // Won or lost after the move, and one move too late for the rule.
            return Worth { unchecked: self.unchecked, ..Worth::exact(0) };
        }
        let distance = reached.and_then(|(distance, value)| {
            let metric = distance.metric;
            let reached = Distance::of(metric, value)?;
            // After a zeroing move the count restarts, and a mate is a mate.
            let counts = reached.is_rule() && distance.moves > 0 && !metric.restarts(step);
            Some(Distance { or_one_more: counts || distance.or_one_more, ..reached })
        });
        let bank = hundredths(step.gain);
        let value = |score| step.value(score);
        match step.turn {
            Turn::Passes => Worth {
                lower: self.upper.map(value),
                upper: self.lower.map(value),
                guess: self.guess.map(|guess| bank - guess),
                distance,
                unchecked: self.unchecked,
            },
            Turn::Stays => Worth {
                lower: self.lower.map(value),
                upper: self.upper.map(value),
                guess: self.guess.map(|guess| bank + guess),
                distance,
                unchecked: self.unchecked,
            },
        }
    }

    /// What is known of a position whose moves have these worths; nothing without moves. It has a
    /// distance where all moves are known and all that are as good have one.
    pub fn best(moves: &[Worth]) -> Self {
        let lower = moves.iter().filter_map(|mv| mv.lower).max();
        // One move without an upper bound leaves the position without one.
        let upper = moves.iter().map(|mv| mv.upper).collect::<Option<Vec<_>>>();
        let upper = upper.and_then(|upper| upper.into_iter().max());
        let guess = moves.iter().any(|mv| mv.guess.is_some());
        let unchecked = moves.iter().any(|mv| mv.unchecked);
        let best = Worth { lower, upper, unchecked, ..Worth::default() };
        match moves.iter().map(|mv| mv.hundredths()).max() {
            Some(number) if guess => best.with_guess(number),
            _ => Worth { distance: best.score().and_then(|score| soonest(moves, score)), ..best },
        }
    }
}

/// The distance of the best of the moves, whose score is given.
fn soonest(moves: &[Worth], score: Score) -> Option<Distance> {
    if !moves.iter().all(|mv| mv.is_exact()) {
        return None;
    }
    let as_good = moves.iter().filter(|mv| mv.score() == Some(score));
    let counted: Option<Vec<&Worth>> =
        as_good.map(|mv| mv.distance.is_some().then_some(mv)).collect();
    let best = counted?.into_iter().min_by_key(|mv| mv.order())?.distance?;
    let mut others = moves.iter().filter_map(|mv| mv.distance);
    others.all(|other| other.metric == best.metric).then_some(best)
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_value(f)?;
        f.write_str(if self.unchecked { ", unchecked" } else { "" })
    }
}

impl Worth {
    fn fmt_value(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(score), Some(distance)) = (self.score(), self.distance) {
            let (Distance { moves, metric, .. }, text) = (distance, distance.in_words());
            let outcome = match score.signum() {
                1 => "win",
                -1 => "loss",
                _ => return f.write_str("draw"),
            };
            return match metric {
                Metric::Dtc => write!(f, "{outcome}, conversion in {text}"),
                Metric::Dtz | Metric::DtzIn(_) => write!(f, "{outcome}, zeroing in {text}"),
                Metric::Dth(limit) if moves <= limit.into() => {
                    write!(f, "{outcome}, zeroing in {text}")
                }
                Metric::Dth(_) => write!(f, "{outcome} by a rule of {text}"),
                _ => write!(f, "{outcome} in {text}"),
            };
        }
        // A guess on a bound adds nothing to it.
        let guess = self.guess.filter(|_| self.kind() == Kind::Guess);
        if let Some(guess) = guess {
            write!(f, "~{:+.2}", f64::from(guess) / 100.0)?;
        }
        let comma = if guess.is_some() { ", " } else { "" };
        match (self.lower, self.upper) {
            (Some(0), Some(0)) => f.write_str("0"),
            (Some(lower), Some(upper)) if lower == upper => write!(f, "{lower:+}"),
            (Some(lower), Some(upper)) => write!(f, "{comma}{lower} to {upper}"),
            (Some(lower), None) => write!(f, "{comma}≥ {lower}"),
            (None, Some(upper)) => write!(f, "{comma}≤ {upper}"),
            (None, None) if guess.is_none() => f.write_str("?"),
            (None, None) => Ok(()),
        }
    }
}

//! Values of positions in a book, and their propagation from successors.
//!
//! A [`Value`] holds what is proven (two bounds), a guess (an attribute in hundredths of a point)
//! and, for positions in a cycle, the values at which each side could leave it. With scores of -1,
//! 0 and +1 these are the values of a win-draw-loss game:
//!
//! | value | lower | upper | attribute | cycle |
//! |---|---|---|---|---|
//! | win, draw, loss | s | s | 100 s | |
//! | heuristic h | -1 | 1 | h | |
//! | at least draw, ≥\|a | 0 | 1 | a | |
//! | at most draw, ≤\|a | -1 | 0 | a | |
//! | cycle draw, 0\|+h1\|-h2 | -1 | 1 | 0 | other h1, own -h2 |
//!
//! With more scores, bounds are at-least-k and at-most-k, and a cycle has a centre: the value of
//! staying in it forever, 0 in the cycle and something else before a capture on the way there.

use nutcracker_game::{Score, Turn};
use nutcracker_search::Worth;

/// Hundredths of a point of score.
pub type Hundredths = i32;

/// A score in hundredths.
fn hundredths(score: Score) -> Hundredths {
    100 * Hundredths::from(score)
}

/// The value of a position, from its mover's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// Proven: the score is this or more.
    pub lower: Score,
    /// Proven: the score is this or less.
    pub upper: Score,
    /// Guessed: the score, or the estimate of the best option beside a proven one.
    pub heuristic: Hundredths,
    /// How the cycle could be left, if the value is that of a cycle.
    pub cycle: Option<Cycle>,
}

/// How a cycle could be left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cycle {
    /// The value of staying.
    pub centre: Score,
    /// The least value, for the mover, at which the opponent leaves the cycle: more than the
    /// centre. `None` if each exit loses for the opponent.
    pub other: Option<Hundredths>,
    /// The largest value at which the mover leaves the cycle: less than the centre. `None` if each
    /// exit loses.
    pub own: Option<Hundredths>,
}

impl Value {
    /// A score that is proven.
    pub fn exact(score: Score) -> Self {
        Value { lower: score, upper: score, heuristic: hundredths(score), cycle: None }
    }

    /// A guess; scores lie within ±`max`.
    pub fn guess(heuristic: Hundredths, max: Score) -> Self {
        Value { lower: -max, upper: max, heuristic, cycle: None }
    }

    /// At least `score`, with an option estimated at `heuristic`.
    pub fn at_least(score: Score, heuristic: Hundredths, max: Score) -> Self {
        Value { lower: score, upper: max, heuristic, cycle: None }.normal()
    }

    /// At most `score`, where the opponent has an option estimated at `heuristic`.
    pub fn at_most(score: Score, heuristic: Hundredths, max: Score) -> Self {
        Value { lower: -max, upper: score, heuristic, cycle: None }.normal()
    }

    /// A cycle that the opponent leaves at `other` and the mover at `own`.
    pub fn cycle(other: Option<Hundredths>, own: Option<Hundredths>, max: Score) -> Self {
        let cycle = Cycle { centre: 0, other, own };
        Value { lower: -max, upper: max, heuristic: 0, cycle: Some(cycle) }
    }

    /// The proven score, if the bounds meet.
    pub fn score(&self) -> Option<Score> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Whether the score is proven.
    pub fn is_solved(&self) -> bool {
        self.lower == self.upper
    }

    /// One number for comparisons: the attribute clamped to the bounds. So a position with a proven
    /// draw is worth at least 0, whatever its other options are estimated at.
    pub fn estimate(&self) -> Hundredths {
        let heuristic = self.cycle.map_or(self.heuristic, |cycle| hundredths(cycle.centre));
        heuristic.clamp(hundredths(self.lower), hundredths(self.upper).max(hundredths(self.lower)))
    }

    /// The value of a move for its mover when the position after it has this one.
    #[must_use]
    pub fn through(&self, gain: Score, turn: Turn) -> Self {
        let bank = hundredths(gain);
        match turn {
            Turn::Passes => Value {
                lower: gain - self.upper,
                upper: gain - self.lower,
                heuristic: bank - self.heuristic,
                cycle: self.cycle.map(|cycle| Cycle {
                    centre: gain - cycle.centre,
                    other: cycle.own.map(|own| bank - own),
                    own: cycle.other.map(|other| bank - other),
                }),
            },
            Turn::Stays => Value {
                lower: gain + self.lower,
                upper: gain + self.upper,
                heuristic: bank + self.heuristic,
                cycle: self.cycle.map(|cycle| Cycle {
                    centre: gain + cycle.centre,
                    other: cycle.other.map(|other| bank + other),
                    own: cycle.own.map(|own| bank + own),
                }),
            },
        }
    }

    /// The same from the opponent's point of view.
    #[must_use]
    pub fn negated(&self) -> Self {
        self.through(0, Turn::Passes)
    }

    /// Narrowed by other proven bounds; `None` if they contradict.
    pub fn within(&self, lower: Score, upper: Score) -> Option<Self> {
        self.within_open(lower, upper).map(Value::normal)
    }

    /// Narrowed by other proven bounds, with open cycles left open.
    pub(crate) fn within_open(&self, lower: Score, upper: Score) -> Option<Self> {
        let (lower, upper) = (self.lower.max(lower), self.upper.min(upper));
        (lower <= upper).then_some(Value { lower, upper, ..*self })
    }

    /// The normal form of each value: bounds that meet are a score, and a cycle that a side leaves
    /// only by losing is a bound.
    #[must_use]
    pub fn normal(self) -> Self {
        if self.lower >= self.upper {
            return Value::exact(self.lower);
        }
        let Some(Cycle { centre, other, own }) = self.cycle else { return self };
        let plain = Value { cycle: None, ..self };
        if self.lower > centre || self.upper < centre {
            return Value { heuristic: self.estimate(), ..plain };
        }
        let other = other.filter(|_| self.lower < centre);
        let own = own.filter(|_| self.upper > centre);
        match (other, own) {
            (Some(_), Some(_)) => self,
            (None, Some(own)) => Value { lower: centre, heuristic: own, ..plain },
            (Some(other), None) => Value { upper: centre, heuristic: other, ..plain },
            (None, None) => Value::exact(centre),
        }
    }

    /// The value of a [`Worth`] from another source, where scores lie within ±`max`; `None` if its
    /// bounds contradict each other.
    pub fn from_worth(worth: Worth, max: Score) -> Option<Self> {
        if let Some(score) = worth.score() {
            return Some(Value::exact(score));
        }
        let lower = worth.lower.unwrap_or(-max).clamp(-max, max);
        Value::guess(worth.hundredths(), max).within(lower, worth.upper.unwrap_or(max))
    }

    /// The value in the form shared by the whole program; scores lie within ±`max`.
    pub fn worth(&self, max: Score) -> Worth {
        let worth = Worth {
            lower: (self.lower > -max || self.is_solved()).then_some(self.lower),
            upper: (self.upper < max || self.is_solved()).then_some(self.upper),
            ..Worth::default()
        };
        worth.with_guess(self.estimate())
    }

    /// For people: the text of its [`worth`](Value::worth), then the attributes that only a book
    /// has, as in `≥ 0 (else ~-0.30)` and `~+0.00 (cycle, +1.10 or -0.70)`.
    pub fn text(&self, max: Score) -> String {
        let points = |h: Hundredths| format!("{:+.2}", f64::from(h) / 100.0);
        let worth = self.worth(max);
        match self.cycle {
            _ if worth.is_exact() => worth.to_string(),
            Some(Cycle { other, own, .. }) => {
                let end = |h: Option<Hundredths>| h.map_or("never".to_owned(), points);
                format!("{worth} (cycle, {} or {})", end(other), end(own))
            }
            None if self.heuristic != self.estimate() => {
                format!("{worth} (else ~{})", points(self.heuristic))
            }
            None => worth.to_string(),
        }
    }
}

/// The value of a position from those of its moves, from the mover's point of view, in any order;
/// `None` without moves. Proofs, guesses and cycles are distinguished.
pub fn propagate(moves: impl IntoIterator<Item = Value>) -> Option<Value> {
    let moves: Vec<Value> = moves.into_iter().map(Value::normal).collect();
    Some(propagate_open(&moves)?.normal())
}

/// [`propagate`] with cycles left open: a missing attribute may still be found. Only the search for
/// cycles, which starts from nothing, needs that.
pub(crate) fn propagate_open(moves: &[Value]) -> Option<Value> {
    let lower = moves.iter().map(|v| v.lower).max()?;
    let upper = moves.iter().map(|v| v.upper).max()?;
    if lower == upper {
        return Some(Value::exact(lower));
    }
    // A move that cannot be better than what is proven adds nothing.
    let open = || moves.iter().filter(|v| v.upper > lower);
    let worth = |v: &Value| match v.cycle {
        Some(cycle) => hundredths(cycle.centre),
        // Where the opponent can hold the score down and another move may do better, the opponent
        // is assumed to hold it down.
        None if v.upper < upper => v.heuristic.min(hundredths(v.upper)),
        None => v.heuristic,
    };
    let heuristic = open().map(worth).max()?;
    let plain = Value { lower, upper, heuristic, cycle: None };
    let Some(centre) = open().filter_map(|v| v.cycle).map(|cycle| cycle.centre).max() else {
        return Some(plain);
    };
    let mut found = Cycle { centre, other: None, own: None };
    let mut stays = lower < centre;
    for v in open() {
        match v.cycle {
            Some(cycle) if cycle.centre == centre => {
                found.other = match (found.other, cycle.other) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
                found.own = found.own.max(cycle.own);
            }
            // An exit that is proven to be worse than the cycle.
            None if v.upper < centre => {}
            _ => {
                stays &= worth(v) < hundredths(centre) && v.upper != centre;
                found.own = found.own.max(Some(worth(v)));
            }
        }
    }
    Some(if stays { Value { cycle: Some(found), ..plain } } else { plain })
}

#[cfg(test)]
mod tests;

//! What a search says of a position.

use std::fmt;

use nutcracker_game::{Score, Step, Turn};

/// The value of a position to its mover, from here on: what is known, or what is guessed.
///
/// All but [`Heuristic`](Value::Heuristic) are proven: they rest on the rules and on databases
/// alone, never on an evaluation or on a move left out.
///
/// ```
/// use nutcracker_search::Value;
///
/// assert!(Value::AtLeast(3).is_proven());
/// assert_eq!(Value::Exact(-2).hundredths(), -200);
/// assert_eq!(Value::Exact(-2).to_string(), "-2");
/// assert_eq!(Value::Heuristic(125).to_string(), "~+1.25");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The score.
    Exact(Score),
    /// The score is this or more.
    AtLeast(Score),
    /// The score is this or less.
    AtMost(Score),
    /// A guess, in hundredths of a point.
    Heuristic(i32),
}

impl Value {
    /// Whether nothing is guessed.
    pub fn is_proven(self) -> bool {
        !matches!(self, Value::Heuristic(_))
    }

    /// The number, in hundredths of a point.
    pub fn hundredths(self) -> i32 {
        match self {
            Value::Exact(score) | Value::AtLeast(score) | Value::AtMost(score) => {
                100 * i32::from(score)
            }
            Value::Heuristic(hundredths) => hundredths,
        }
    }

    /// The value of a move to its mover when the next position has this one.
    #[must_use]
    pub fn through<P>(self, step: &Step<P>) -> Self {
        match (self, step.turn) {
            (Value::Exact(score), _) => Value::Exact(step.value(score)),
            (Value::AtLeast(score), Turn::Stays) | (Value::AtMost(score), Turn::Passes) => {
                Value::AtLeast(step.value(score))
            }
            (Value::AtMost(score), Turn::Stays) | (Value::AtLeast(score), Turn::Passes) => {
                Value::AtMost(step.value(score))
            }
            (Value::Heuristic(guess), Turn::Passes) => {
                Value::Heuristic(100 * i32::from(step.gain) - guess)
            }
            (Value::Heuristic(guess), Turn::Stays) => {
                Value::Heuristic(100 * i32::from(step.gain) + guess)
            }
        }
    }

    /// What proven bounds and a guess between them come to: the score where the bounds meet, a
    /// bound where the guess is on it, else the guess. A bound that every position of the slice
    /// keeps, `-max` or `max`, says nothing.
    pub(crate) fn of(guess: i32, lower: Score, upper: Score, max: Score) -> Self {
        if lower == upper {
            return Value::Exact(lower);
        }
        if guess <= 100 * i32::from(lower) && lower > -max {
            Value::AtLeast(lower)
        } else if guess >= 100 * i32::from(upper) && upper < max {
            Value::AtMost(upper)
        } else {
            Value::Heuristic(guess)
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Exact(0) => f.write_str("0"),
            Value::Exact(score) => write!(f, "{score:+}"),
            Value::AtLeast(score) => write!(f, "≥ {score}"),
            Value::AtMost(score) => write!(f, "≤ {score}"),
            Value::Heuristic(guess) => write!(f, "~{:+.2}", f64::from(guess) / 100.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_turns_with_the_turn() {
        let capture = Step::new((), 2, Turn::Passes);
        let again = Step::new((), 1, Turn::Stays);
        assert_eq!(Value::AtMost(-4).through(&capture), Value::AtLeast(6));
        assert_eq!(Value::AtMost(-4).through(&again), Value::AtMost(-3));
        assert_eq!(Value::Exact(-4).through(&Step::quiet(())), Value::Exact(4));
        assert_eq!(Value::Heuristic(50).through(&capture), Value::Heuristic(150));
    }

    #[test]
    fn bounds_that_say_nothing_are_no_bounds() {
        assert_eq!(Value::of(-500, -5, 5, 5), Value::Heuristic(-500));
        assert_eq!(Value::of(-400, -4, 5, 5), Value::AtLeast(-4));
        assert_eq!(Value::of(300, -4, 3, 5), Value::AtMost(3));
        assert_eq!(Value::of(0, 2, 2, 5), Value::Exact(2));
        assert_eq!(Value::of(120, 1, 2, 5), Value::Heuristic(120));
    }
}

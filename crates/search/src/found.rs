//! The result of searching a position, and the same from the view of the move before.

use nutcracker_game::{Score, Step, Turn};

use crate::path::{FREE, Place};

/// The result of a search of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    /// In hundredths, between the proven bounds.
    pub value: i32,
    pub lower: Score,
    pub upper: Score,
    /// The first places of the path that these depend on.
    pub value_from: Place,
    pub lower_from: Place,
    pub upper_from: Place,
}

impl Found {
    pub(crate) fn exact(score: Score, from: Place) -> Self {
        Found {
            value: 100 * i32::from(score),
            lower: score,
            upper: score,
            value_from: from,
            lower_from: from,
            upper_from: from,
        }
    }

    /// A guess that depends on no path, put between bounds that do not either.
    pub(crate) fn guess(value: i32, (lower, upper): (Score, Score)) -> Self {
        // Not `clamp`, which panics if the bounds cross, as they may with a wrong oracle.
        let value = value.max(100 * i32::from(lower)).min(100 * i32::from(upper));
        Found { value, lower, upper, value_from: FREE, lower_from: FREE, upper_from: FREE }
    }

    /// The same for the side that makes the move leading here.
    pub(crate) fn through<P>(self, step: &Step<P>) -> Self {
        let gain = 100 * i32::from(step.gain);
        match step.turn {
            Turn::Passes => Found {
                value: gain - self.value,
                lower: step.gain - self.upper,
                upper: step.gain - self.lower,
                value_from: self.value_from,
                lower_from: self.upper_from,
                upper_from: self.lower_from,
            },
            Turn::Stays => Found {
                value: gain + self.value,
                lower: step.gain + self.lower,
                upper: step.gain + self.upper,
                ..self
            },
        }
    }
}

/// The window with which the next position is searched.
pub(crate) fn window_after<P>(step: &Step<P>, alpha: i32, beta: i32) -> (i32, i32) {
    let gain = 100 * i32::from(step.gain);
    match step.turn {
        Turn::Passes => (gain - beta, gain - alpha),
        Turn::Stays => (alpha - gain, beta - gain),
    }
}

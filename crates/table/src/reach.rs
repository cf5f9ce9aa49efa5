//! The range of scores that a table distinguishes.

use std::fmt;
use std::num::NonZeroU8;

use serde::{Deserialize, Serialize};

use crate::format::MAX_RANGE;

/// The range of scores that a table distinguishes. A wider reach is greater, and
/// [`Exact`](Reach::Exact) is the greatest.
///
/// In files and in JSON it is one byte, the *window*: 0 for exact scores, K for scores clipped to
/// -K..=K.
///
/// ```
/// use nutcracker_table::Reach;
/// let four = Reach::from(4);
/// assert!(four.serves(Reach::from(3)) && !four.serves(Reach::Exact));
/// assert!(Reach::Exact.serves(four));
/// assert_eq!((u8::from(four), u8::from(Reach::Exact)), (4, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "u8", into = "u8")]
pub enum Reach {
    /// Scores are clipped to -K..=K: a score of K stands for K or more.
    Within(NonZeroU8),
    /// Every score is exact.
    Exact,
}

impl Reach {
    /// The reach that is needed for scores from `-need` to `need`: at least 1, and exact from the
    /// largest score that a table can hold.
    pub fn needed(need: u8) -> Self {
        match NonZeroU8::new(need.max(1)) {
            Some(need) if need.get() < MAX_RANGE => Reach::Within(need),
            _ => Reach::Exact,
        }
    }

    /// Whether a table with this reach distinguishes all scores that `need` does.
    pub fn serves(self, need: Reach) -> bool {
        self >= need
    }

    /// The largest absolute stored score where scores lie within ±`range`.
    pub fn bound(self, range: u8) -> u8 {
        match self {
            Reach::Within(window) => window.get().min(range),
            Reach::Exact => range,
        }
    }

    /// Whether every score is exact.
    pub fn is_exact(self) -> bool {
        self == Reach::Exact
    }
}

/// From the byte form: 0 is exact.
impl From<u8> for Reach {
    fn from(window: u8) -> Self {
        NonZeroU8::new(window).map_or(Reach::Exact, Reach::Within)
    }
}

/// The byte form: 0 is exact.
impl From<Reach> for u8 {
    fn from(reach: Reach) -> Self {
        match reach {
            Reach::Within(window) => window.get(),
            Reach::Exact => 0,
        }
    }
}

/// As in "the table has ...": `exact scores`, `window 4`.
impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reach::Within(window) => write!(f, "window {window}"),
            Reach::Exact => f.write_str("exact scores"),
        }
    }
}

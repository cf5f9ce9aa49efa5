//! Players that err on purpose, to an adjustable degree.

use std::fmt;
use std::str::FromStr;

use nutcracker_game::{Game, Random};

/// How strong a player is: 1 to 10, or perfect.
///
/// ```
/// use nutcracker_search::player::Level;
///
/// let level: Level = "3".parse().unwrap();
/// assert!(level < Level::PERFECT);
/// assert_eq!("11".parse::<Level>().unwrap_err(), "a level is 1 to 10 or perfect, not 11");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(u8);

/// The competence of each level: steps of about the same number of Elo points in awari, as `match
/// --ladder` measures them. Beyond the last one errors are too rare to make a difference.
const COMPETENCES: [f64; 10] = [0.2, 0.4, 0.6, 0.8, 1.05, 1.33, 1.65, 2.1, 2.9, 4.3];

/// The share of a blind player's errors that a player of this competence makes where databases count
/// moves: levels share them out evenly between a blind player and a perfect one.
fn share(competence: f64) -> f64 {
    let steps = COMPETENCES.len() as f64 + 1.0;
    let above = COMPETENCES.partition_point(|&level| level < competence);
    let Some(&next) = COMPETENCES.get(above) else {
        // Beyond the strongest level, ever closer to none.
        return COMPETENCES[COMPETENCES.len() - 1] / competence / steps;
    };
    let before = above.checked_sub(1).map_or(0.0, |place| COMPETENCES[place]);
    1.0 - (above as f64 + (competence - before) / (next - before)) / steps
}

impl Level {
    /// Errs most.
    pub const WEAKEST: Level = Level(1);
    /// The strongest that errs.
    pub const STRONGEST: Level = Level(10);
    /// Never errs.
    pub const PERFECT: Level = Level(11);

    /// All levels that err, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (Self::WEAKEST.0..=Self::STRONGEST.0).map(Level)
    }

    /// How many plies ahead a player of this level looks where databases do not reach and nothing
    /// else is asked for; `None` for the perfect one, which is limited by its time alone. It belongs
    /// to the level: a level is as strong with much time as with little.
    pub fn depth(self) -> Option<u32> {
        (self < Self::PERFECT).then_some(6)
    }

    /// The share of a blind player's errors that it makes where databases count moves: 10/11 for level
    /// 1, and so on down to 1/11 and 0.
    pub fn share(self) -> f64 {
        share(self.competence())
    }

    /// The competence where values are points; infinite for the perfect one.
    pub fn competence(self) -> f64 {
        COMPETENCES.get(usize::from(self.0 - Self::WEAKEST.0)).copied().unwrap_or(f64::INFINITY)
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "perfect" {
            return Ok(Self::PERFECT);
        }
        let number =
            text.parse().ok().filter(|n| (Self::WEAKEST.0..=Self::STRONGEST.0).contains(n));
        number.map(Level).ok_or_else(|| format!("a level is 1 to 10 or perfect, not {text}"))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::PERFECT { f.write_str("perfect") } else { write!(f, "{}", self.0) }
    }
}

/// The reference model of a fallible player, after Haworth and Andrist: a move that loses `x` is
/// chosen with a probability proportional to `(x + k)^-c`.
///
/// Players differ only in their competence `c`: 0 chooses blindly, and the larger it is, the rarer
/// are errors, large ones above all; infinite, there are none. The loss `x` is a share of the most
/// a game is worth, and `k` is a fiftieth: so losing a fiftieth of what the game is about is `2^-c`
/// times as likely as losing nothing, in every game.
///
/// ```
/// use nutcracker_game::Random;
/// use nutcracker_search::player::{Fallible, Level};
///
/// // Three moves and their values in hundredths of a point, in a game about 50 points.
/// let values = [("best", 300), ("fair", 200), ("poor", -100)];
/// let player = Fallible::with_competence(1.0, 50);
/// let chances: Vec<f64> = player.probabilities(&values);
/// assert!((chances[0] / chances[1] - 2.0).abs() < 1e-9);
/// assert!((chances[0] / chances[2] - 5.0).abs() < 1e-9);
///
/// let (mv, _) = player.choose(&values, &mut Random::new(1)).unwrap();
/// assert!(["best", "fair", "poor"].contains(&mv));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fallible {
    competence: f64,
    /// The loss that is `2^-c` times as likely as none, in hundredths of a point.
    unit: f64,
}

/// The share of the most a game is worth that doubles what the power is taken of: `k`.
const UNIT: f64 = 0.02;

impl Fallible {
    /// The player of this level in this game; the most the game is worth is the largest score that
    /// its start position's slice allows.
    pub fn new<G: Game>(game: &G, level: Level) -> Self {
        let most = game.max_score(game.slice_of(&game.start().position));
        Fallible::with_competence(level.competence(), most)
    }

    /// The player of this competence, at least 0, in a game that is worth `most` points at most.
    pub fn with_competence(competence: f64, most: nutcracker_game::Score) -> Self {
        Fallible { competence: competence.max(0.0), unit: 100.0 * UNIT * f64::from(most.max(1)) }
    }

    /// The competence.
    pub fn competence(&self) -> f64 {
        self.competence
    }

    /// How often this player's moves are not the best where databases count moves, as a share of how
    /// often those of a blind player are not.
    pub fn share(&self) -> f64 {
        share(self.competence)
    }

    /// The probability of each move, from the values of all in hundredths of a point.
    pub fn probabilities<M>(&self, values: &[(M, i32)]) -> Vec<f64> {
        let Some(best) = values.iter().map(|(_, value)| *value).max() else {
            return Vec::new();
        };
        let weights: Vec<f64> = values
            .iter()
            .map(|(_, value)| {
                // Compared before it is raised: one to an infinite power is not one everywhere.
                if *value == best {
                    return 1.0;
                }
                let loss = (f64::from(best) - f64::from(*value)) / self.unit;
                (1.0 + loss).powf(-self.competence)
            })
            .collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// Chooses a move; `None` where there is none.
    pub fn choose<M: Copy>(&self, values: &[(M, i32)], random: &mut Random) -> Option<(M, i32)> {
        let mut left = random.unit();
        let chances = self.probabilities(values);
        for (choice, chance) in values.iter().zip(&chances) {
            left -= chance;
            if left < 0.0 {
                return Some(*choice);
            }
        }
        // Rounding has left a little over.
        values.iter().copied().max_by_key(|&(_, value)| value)
    }

    /// What this player loses on average, in hundredths of a point, if it goes by the values in
    /// `seen` while those in `truth` are right. Moves that `seen` does not list are not played.
    pub fn expected_loss<M: PartialEq>(&self, truth: &[(M, i32)], seen: &[(M, i32)]) -> f64 {
        let Some(best) = truth.iter().map(|(_, value)| *value).max() else {
            return 0.0;
        };
        let loss = |mv: &M| {
            let value =
                truth.iter().find(|(other, _)| other == mv).map_or(best, |(_, value)| *value);
            f64::from(best) - f64::from(value)
        };
        let chances = self.probabilities(seen);
        seen.iter().zip(chances).map(|((mv, _), chance)| chance * loss(mv)).sum()
    }
}

//! What the number of a position in a table means.

use std::fmt;
use std::sync::LazyLock;

use crate::{ParseError, Score, Step, Turn};

/// What a table holds for each of its positions.
///
/// A distance is stored as a score: a win in m of the winner's moves as `128 - m`, a loss in m as
/// `-(127 - m)`, a draw as 0. Larger is better for the mover, a byte holds it, and the value of a
/// position is the best value of its moves, as with scores.
///
/// | value | meaning | plies to the end |
/// |---|---|---|
/// | 127 | the mover wins with the next move | 1 |
/// | 128 - m | the mover wins with the m-th own move, m = 1 to 127 | 2m - 1 |
/// | 0 | draw | |
/// | -(127 - m) | the mover loses by the opponent's m-th move, m = 0 to 126 | 2m |
/// | -127 | the mover has lost | 0 |
///
/// ```
/// use nutcracker_game::{WinDistance, Metric};
///
/// // Checkmated; the move before it wins in one; before that, every move loses to it.
/// let mated = Metric::Dtw.over(-1);
/// let mates = Metric::Dtw.inside(mated);
/// let before = Metric::Dtw.inside(mates);
/// assert_eq!([mated, mates, before], [-127, 127, -126]);
/// assert_eq!(Metric::Dtw.distance(before), Some(WinDistance { wins: false, moves: 1 }));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Metric {
    /// Points that the mover will bank from here on minus those of the opponent.
    #[default]
    Score,
    /// The score that the mover can force without relying on a repetition, where a repetition is
    /// worth what the rules [say](crate::Rules::repeated): a lower bound of the score. What the
    /// opponent can force is the best that the mover can hope for, one move on: see
    /// [`upper_bound`](crate::upper_bound).
    Forced,
    /// Win, draw or loss.
    Wdl,
    /// The winner's moves to the end of the game: distance to win, in chess to mate.
    Dtw,
    /// The winner's moves to a [conversion](Step::converts) or the end of the game. A loser that
    /// has to convert is 0 moves away.
    Dtc,
    /// The winner's moves to a [zeroing](Step::zeroes) move or the end of the game. A loser that
    /// has to make one is 0 moves away.
    Dtz,
    /// As [`Dtz`](Metric::Dtz) under a rule of this many moves, 1 to [`MOST_MOVES`]: a win counts
    /// only if every zeroing move, now and later, comes within twice as many plies after the one
    /// before.
    DtzIn(u8),
    /// As [`DtzIn`](Metric::DtzIn) where that is won, else the smallest number of moves under whose
    /// rule it is, which is larger. With 0 all values are such numbers: distance by the rule.
    Dth(u8),
}

/// The largest number of moves of a rule under which [`Metric::DtzIn`] can be stored.
pub const MOST_MOVES: u8 = 126;

/// The names of metrics with a number: `dtz1`, `dth1` and so on.
static NUMBERED: LazyLock<Vec<[String; 2]>> =
    LazyLock::new(|| (0..=MOST_MOVES).map(|n| [format!("dtz{n}"), format!("dth{n}")]).collect());

/// The winner, and the number of the winner's moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WinDistance {
    /// Whether the side to move wins.
    pub wins: bool,
    /// The winner's moves.
    pub moves: u16,
}

impl WinDistance {
    /// The moves of both sides together.
    pub fn plies(self) -> u16 {
        2 * self.moves - u16::from(self.wins)
    }
}

/// The value of a win that is nearest, and of a loss that is nearest with the other sign.
const NEAREST: Score = 127;

impl Metric {
    /// All of them but those with a number.
    pub const ALL: [Metric; 6] =
        [Metric::Score, Metric::Forced, Metric::Wdl, Metric::Dtw, Metric::Dtc, Metric::Dtz];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Score => "score",
            Metric::Forced => "forced",
            Metric::Wdl => "wdl",
            Metric::Dtw => "dtw",
            Metric::Dtc => "dtc",
            Metric::Dtz => "dtz",
            Metric::Dth(0) => "dtr",
            Metric::DtzIn(moves) => &NUMBERED[usize::from(moves.min(MOST_MOVES))][0],
            Metric::Dth(moves) => &NUMBERED[usize::from(moves.min(MOST_MOVES))][1],
        }
    }

    /// Whether a game that lists these metrics has this one: with [`Dtz`](Metric::Dtz) it has those
    /// with a number, too.
    pub fn is_among(self, listed: &[Metric]) -> bool {
        listed.contains(&if self.counts_to_zeroing() { Metric::Dtz } else { self })
    }

    /// The names of the metrics that a game with these listed has, as people call them.
    pub fn names(listed: &[Metric], name: impl Fn(Metric) -> &'static str) -> String {
        let mut names: Vec<&str> = listed.iter().map(|&metric| name(metric)).collect();
        if listed.contains(&Metric::Dtz) {
            names.extend(["dtzN", "dthN", "dtr"]);
        }
        names.join(", ")
    }

    /// Whether zeroing moves restart the count.
    pub const fn counts_to_zeroing(self) -> bool {
        matches!(self, Metric::Dtz | Metric::DtzIn(_) | Metric::Dth(_))
    }

    /// Whether every move of the winner that is best brings the end of the count nearer.
    pub const fn counts_down(self) -> bool {
        self.is_distance() && !matches!(self, Metric::Dth(_))
    }

    /// Whether values count moves.
    pub const fn is_distance(self) -> bool {
        matches!(self, Metric::Dtw | Metric::Dtc) || self.counts_to_zeroing()
    }

    /// Whether values are points that are banked, or bounds of them.
    pub const fn is_points(self) -> bool {
        matches!(self, Metric::Score | Metric::Forced)
    }

    /// The largest value in a slice whose largest score is `max_score`.
    pub const fn largest(self, max_score: Score) -> Score {
        if self.is_distance() { NEAREST } else { max_score }
    }

    /// The value of a position where the game is over with this score of the side to move.
    pub const fn over(self, outcome: Score) -> Score {
        if self.is_distance() { NEAREST * outcome.signum() } else { outcome }
    }

    /// The value of a quiet move to a position with this value for its own mover. A child that is
    /// won in 127 moves makes a loss too far away to store, which reads as 0 here: see
    /// [`is_too_far`](Metric::is_too_far).
    #[inline]
    pub const fn inside(self, next: Score) -> Score {
        match self {
            Metric::Score | Metric::Forced | Metric::Wdl => -next,
            _ if next > 0 => 1 - next,
            // The winner's next move would come too late.
            Metric::DtzIn(limit) if -next <= NEAREST - limit as Score => 0,
            // Under a rule of more moves, the position before needs the same rule at least.
            Metric::Dth(limit) if next < 0 && -next < NEAREST - limit as Score => 1 - next,
            _ => -next,
        }
    }

    /// The value of a move that restarts the count to a position with this value for its own mover.
    const fn restarted(self, next: Score) -> Score {
        match self {
            Metric::Dth(limit) if next > 0 && next <= NEAREST - limit as Score => 1 - next,
            Metric::Dth(limit) if next < 0 && -next < NEAREST - limit as Score => 1 - next,
            _ => -NEAREST * next.signum(),
        }
    }

    /// Whether a position whose best move is worth `best` may have the value `stored`.
    ///
    /// Distances are the same, with two exceptions. A loser with as many moves of the winner ahead
    /// as a rule allows may be saved by being the one to zero, one ply too late: then it is a draw.
    /// And under a rule of more moves than a phase takes, moves only tell the fewest.
    pub fn agrees(self, stored: Score, best: Score) -> bool {
        let limit = match self {
            Metric::DtzIn(limit) | Metric::Dth(limit) => Score::from(limit),
            _ => return stored == best,
        };
        let (last_win, last_loss) = (NEAREST + 1 - limit, limit - NEAREST);
        match self {
            _ if stored == best => true,
            Metric::DtzIn(_) => best == last_loss && stored == 0,
            // Farther away is more for a loser, and less for a winner.
            _ if best < 0 => best >= last_loss && (best + 1..0).contains(&stored),
            _ => best < last_win && (1..best).contains(&stored),
        }
    }

    /// The value of a loss that a position may not have although its best move is worth it: see
    /// [`agrees`](Metric::agrees).
    pub fn last_loss(self) -> Option<Score> {
        match self {
            Metric::DtzIn(limit) | Metric::Dth(limit) => Some(Score::from(limit) - NEAREST),
            _ => None,
        }
    }

    /// Whether a move restarts the count, so that only the winner matters after it.
    #[inline]
    pub const fn restarts<P>(self, step: &Step<P>) -> bool {
        match self {
            Metric::Dtc => step.converts,
            _ => step.zeroes && self.counts_to_zeroing(),
        }
    }

    /// The value of any move to a position with this value for its own mover; `restarts` says
    /// whether the move is one that this metric counts to.
    #[inline]
    pub fn through(self, gain: Score, turn: Turn, restarts: bool, next: Score) -> Score {
        match (self, turn) {
            (Metric::Score | Metric::Forced | Metric::Wdl, Turn::Passes) => gain - next,
            (Metric::Score | Metric::Forced | Metric::Wdl, Turn::Stays) => gain + next,
            (Metric::Dtw, Turn::Passes) => self.inside(next),
            (_, Turn::Passes) if restarts => self.restarted(next),
            (_, Turn::Passes) => self.inside(next),
            (_, Turn::Stays) if restarts && self != Metric::Dtw => NEAREST * next.signum(),
            // The mover's own move counts where the mover wins.
            (_, Turn::Stays) => next - Score::from(next > 0),
        }
    }

    /// [`through`](Metric::through) a step.
    #[inline]
    pub fn value<P>(self, step: &Step<P>, next: Score) -> Score {
        self.through(step.gain, step.turn, self.restarts(step), next)
    }

    /// Whether a move of value `value` to a position with value `next` only looks like a draw: its
    /// distance is too large to store.
    #[inline]
    pub const fn is_too_far(self, value: Score, next: Score) -> bool {
        self.is_distance() && value == 0 && next != 0 && !matches!(self, Metric::DtzIn(_))
    }

    /// The score a value stands for: itself, or for distances 1, 0 or -1.
    pub const fn score(self, value: Score) -> Score {
        if self.is_distance() { value.signum() } else { value }
    }

    /// The distance a value stands for; `None` for draws, and for metrics that count no moves.
    pub fn distance(self, value: Score) -> Option<WinDistance> {
        if !self.is_distance() || value == 0 {
            return None;
        }
        let moves = if value > 0 { NEAREST + 1 - value } else { NEAREST + value };
        Some(WinDistance { wins: value > 0, moves: moves as u16 })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Metric {
    type Err = ParseError;

    /// In letters of either case; `dtm`, distance to mate, is chess's name of `dtw`.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let small = text.to_ascii_lowercase();
        let name = if small == "dtm" { "dtw" } else { &small };
        let numbers = (1..=MOST_MOVES).flat_map(|n| [Metric::DtzIn(n), Metric::Dth(n)]);
        let mut all = Metric::ALL.into_iter().chain([Metric::Dth(0)]).chain(numbers);
        all.find(|metric| metric.name() == name).ok_or_else(|| {
            ParseError::new(format!(
                "a metric is score, wdl, dtw (dtm), dtc, dtz, dtr, dtzN or dthN with N from 1 to \
                 {MOST_MOVES}, not {text:?}"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distance_has_a_value_of_its_own() {
        for metric in [Metric::Dtw, Metric::Dtc, Metric::Dtz] {
            for value in -127..=127 {
                let Some(distance) = metric.distance(value) else {
                    assert_eq!(value, 0);
                    continue;
                };
                // One quiet move back: the winner's moves count, the loser's do not.
                let before = metric.inside(value);
                if metric.is_too_far(before, value) {
                    assert_eq!((distance.wins, distance.moves), (true, 127));
                    continue;
                }
                let expected = WinDistance {
                    wins: !distance.wins,
                    moves: distance.moves + u16::from(!distance.wins),
                };
                assert_eq!(metric.distance(before), Some(expected));
                assert_eq!(expected.plies(), distance.plies() + 1);
            }
        }
    }

    #[test]
    fn a_conversion_restarts_the_count() {
        for next in [1, 50, 127] {
            assert_eq!(Metric::Dtc.through(0, Turn::Passes, true, next), -127);
            assert_eq!(Metric::Dtc.through(0, Turn::Passes, true, -next), 127);
            assert_eq!(Metric::Dtc.through(0, Turn::Passes, false, -next), next);
            let push = Step::quiet(()).zeroing();
            assert_eq!(
                (Metric::Dtz.value(&push, next), Metric::Dtz.value(&push, -next)),
                (-127, 127)
            );
            assert_eq!(Metric::Dtc.value(&push, -next), next);
        }
    }

    #[test]
    fn names_are_read_back() {
        let numbered = [Metric::DtzIn(50), Metric::Dth(50), Metric::Dth(0), Metric::DtzIn(126)];
        for metric in Metric::ALL.into_iter().chain(numbered) {
            assert_eq!(metric.name().parse(), Ok(metric));
        }
        assert_eq!((Metric::Dth(0).name(), Metric::DtzIn(9).name()), ("dtr", "dtz9"));
        assert!("dtz0".parse::<Metric>().is_err() && "dtz127".parse::<Metric>().is_err());
        assert_eq!(["dtm", "DTM"].map(str::parse), [Ok(Metric::Dtw), Ok(Metric::Dtw)]);
        assert_eq!(["DTZ", "Dtz50"].map(str::parse), [Ok(Metric::Dtz), Ok(Metric::DtzIn(50))]);
        assert!("dtx".parse::<Metric>().is_err());
    }
}

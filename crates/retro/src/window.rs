//! How much of the scores is wanted, and what that needs of smaller slices.

use nutcracker_game::{Game, Metric, Score, SliceId};
use nutcracker_table::Reach;

/// How much of the scores is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Window {
    /// Exact scores.
    #[default]
    Full,
    /// Whether the score of the largest slice is at least k or at most -k, for k up to this; of
    /// smaller slices, what that needs.
    Top(u8),
    /// What decides every game that starts with this many stones.
    Game(u32),
}

impl Window {
    /// The largest k that matters in a slice when `last` is the largest.
    pub fn of<G: Game>(self, game: &G, metric: Metric, slice: SliceId, last: SliceId) -> u8 {
        if metric.is_distance() {
            return metric.largest(game.max_score(slice)) as u8;
        }
        let max = i64::from(game.max_score(slice));
        let top = match self {
            Window::Full => max,
            Window::Top(k) => i64::from(k) + i64::from(game.max_score(last)) - max,
            Window::Game(stones) => i64::from(stones) + 1 - max,
        };
        top.clamp(i64::from(max > 0), max) as u8
    }

    /// The slices to be solved up to `last`: no game of G stones has G - 1 left.
    pub fn slices(self, last: SliceId) -> impl Iterator<Item = SliceId> {
        let left_out = match self {
            Window::Game(stones) => stones.checked_sub(1),
            _ => None,
        };
        (0..=last.0).filter(move |slice| Some(*slice) != left_out).map(SliceId)
    }
}

/// How exact scores of a slice are that are found up to ±`top`.
pub(crate) fn reach<G: Game>(game: &G, metric: Metric, slice: SliceId, top: u8) -> Reach {
    let largest = metric.largest(game.max_score(slice));
    Reach::from(if i16::from(top) < largest { top } else { 0 })
}

/// To what size scores of `child` are needed when those of `slice` are wanted up to ±`k`: a move
/// from one to the other banks no more than the difference of their largest scores.
pub(crate) fn needed<G: Game>(game: &G, slice: SliceId, child: SliceId, k: Score) -> u8 {
    let gain = game.max_score(slice) - game.max_score(child);
    (k + gain).clamp(0, 127) as u8
}

//! The range of scores to compute, and what that needs of smaller slices.

use nutcracker_game::{Game, Metric, Score, SliceId, closure};
use nutcracker_table::Reach;

/// The range of scores to compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Window {
    /// Exact scores.
    #[default]
    Full,
    /// Whether the score of the largest slice is at least k or at most -k, for k up to this; of
    /// smaller slices, what that needs.
    Top(u8),
    /// What decides every game that starts in this slice, by
    /// [`score_window`](nutcracker_game::Numbering::score_window).
    Start(SliceId),
}

impl Window {
    /// The largest k that matters in a slice when `last` is the largest.
    pub fn of<G: Game>(self, game: &G, metric: Metric, slice: SliceId, last: SliceId) -> u8 {
        if metric.is_distance() || metric == Metric::Forced {
            return metric.largest(game.max_score(slice)) as u8;
        }
        let max = game.max_score(slice);
        let top = match self {
            Window::Full => max,
            Window::Top(k) => Score::from(k) + game.max_score(last) - max,
            Window::Start(start) => game.score_window(slice, start),
        };
        top.clamp(Score::from(max > 0), max) as u8
    }
}

/// The slices to be solved where these are selected, in an order in which they can be: with all
/// that their moves can lead to, and without what no game from the start of the window leads to.
pub(crate) fn slices<G: Game>(game: &G, selected: &[SliceId], window: Window) -> Vec<SliceId> {
    let mut slices = closure(game, selected.iter().copied());
    if let Window::Start(start) = window {
        let played = closure(game, [start]);
        slices.retain(|slice| played.contains(slice));
    }
    slices
}

/// How exact scores of a slice are that are found up to ±`top`.
pub(crate) fn reach<G: Game>(game: &G, metric: Metric, slice: SliceId, top: u8) -> Reach {
    let largest = metric.largest(game.max_score(slice));
    Reach::from(if i16::from(top) < largest { top } else { 0 })
}

/// To what size scores of `child` are needed to compute those of `slice` up to ±`k`: a move from
/// one to the other banks no more than the difference of their largest scores.
pub(crate) fn needed<G: Game>(game: &G, slice: SliceId, child: SliceId, k: Score) -> u8 {
    let gain = game.max_score(slice) - game.max_score(child);
    (k + gain).clamp(0, 127) as u8
}

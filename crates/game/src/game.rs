//! A game that can be solved: rules, numbering, and the views through which solvers and the check
//! walk its slices.

use crate::{ForwardView, Numbering, RowMoves, SliceId, SliceView};

/// A game with everything that solving needs.
///
/// # Required
/// [`View`](Game::View) with [`view_within`](Game::view_within), and [`Forward`](Game::Forward)
/// with [`forward_within`](Game::forward_within). A game without views of its own gets both from
/// [`plain_views!`](crate::plain_views), which takes [`PlainView`](crate::PlainView) for them.
///
/// # Optional
/// | what | fallback |
/// |---|---|
/// | [`view_bytes`](Game::view_bytes), [`forward_bytes`](Game::forward_bytes) | the views have no tables |
/// | [`covered_by_tables`](Game::covered_by_tables) | tables of any size cover all positions |
/// | [`HAS_ZEROING`](Game::HAS_ZEROING) | the game does not have the metric `dtz` |
/// | [`zeroing_view`](Game::zeroing_view) | no move that stays in a slice zeroes |
/// | [`HAS_BOUNDS`](Game::HAS_BOUNDS) | scores are no bounds |
/// | [`row_moves`](Game::row_moves) | the solver by rows does not apply to the game |
pub trait Game: Numbering {
    /// How solvers walk through a slice.
    type View: SliceView + 'static;
    /// How the check, and solvers that walk forward, traverse a slice.
    type Forward: ForwardView<Position = Self::Position>;

    /// Whether tables may hold bounds ([`Metric::Forced`](crate::Metric::Forced)). For other games,
    /// what computes and checks bounds is not compiled.
    const HAS_BOUNDS: bool = false;

    /// Whether tables may hold distances to zeroing moves ([`Metric::Dtz`](crate::Metric::Dtz) and
    /// those with a limit of moves). For other games, what computes and checks them is not compiled.
    const HAS_ZEROING: bool = false;

    /// Whether tables hold bounds. Only a game whose tables are computed by the code of another has
    /// another answer than [`HAS_BOUNDS`](Game::HAS_BOUNDS).
    fn has_bounds(&self) -> bool {
        Self::HAS_BOUNDS
    }

    /// The solver's view of a slice with look-up tables of at most `bytes`; positions that the
    /// tables do not cover are computed by the rules, which is slower and gives the same result.
    fn view_within(&self, slice: SliceId, bytes: u64) -> Self::View;
    /// The forward view of a slice with look-up tables of at most `bytes`.
    fn forward_within(&self, slice: SliceId, bytes: u64) -> Self::Forward;

    /// The solver's view of a slice.
    fn view(&self, slice: SliceId) -> Self::View {
        self.view_within(slice, u64::MAX)
    }
    /// The forward view of a slice.
    fn forward(&self, slice: SliceId) -> Self::Forward {
        self.forward_within(slice, u64::MAX)
    }
    /// The solver's view of a slice for [`Metric::Dtz`](crate::Metric::Dtz), in which moves that
    /// [zero](crate::Step::zeroes) leave the slice, if only to come back to it: what they are worth is
    /// read. `None` for a slice in which no such move stays: there it is the usual view.
    fn zeroing_view(&self, _slice: SliceId) -> Option<Self::View> {
        None
    }
    /// Bytes of the look-up tables of [`view`](Game::view).
    fn view_bytes(&self, _slice: SliceId) -> u64 {
        0
    }
    /// Bytes of the look-up tables of [`forward`](Game::forward).
    fn forward_bytes(&self, _slice: SliceId) -> u64 {
        0
    }
    /// Fraction of the slice's positions covered when the look-up tables of both views together
    /// are limited to `bytes`.
    fn covered_by_tables(&self, _slice: SliceId, _bytes: u64) -> f64 {
        1.0
    }
    /// The slice as a sowing game: two halves, and moves that map rows of boards to rows. Only
    /// games that return it can be solved by rows.
    fn row_moves(&self, _slice: SliceId) -> Option<Box<dyn RowMoves>> {
        None
    }
}

/// Implements [`Game`] by [`PlainView`](crate::PlainView) for a game with
/// [`Numbering`](crate::Numbering).
#[macro_export]
macro_rules! plain_views {
    // The items alone, for an `impl` that overrides something else.
    (@views) => {
        type View = $crate::PlainView<Self>;
        type Forward = $crate::PlainView<Self>;

        fn view_within(&self, slice: $crate::SliceId, _: u64) -> $crate::PlainView<Self> {
            $crate::PlainView::new(self.clone(), slice)
        }
        fn forward_within(&self, slice: $crate::SliceId, _: u64) -> $crate::PlainView<Self> {
            $crate::PlainView::new(self.clone(), slice)
        }
    };
    ($game:ty) => {
        impl $crate::Game for $game {
            $crate::plain_views!(@views);
        }
    };
}

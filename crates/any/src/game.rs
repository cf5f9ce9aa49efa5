//! The game whose type is known only at run time.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use nutcracker_game::{
    Deck, Evaluate, ForwardView, Game, GameId, IndexMatrix, Metric, Notation, Numbering,
    ParseError, Part, Properties, Recognised, RowMoves, Rules, Score, Side, Situation, SliceId,
    Step,
};

use crate::erased::{Concrete, Erased};
use crate::loops::Loops;
use crate::views::{AnyForward, AnyView, Views};
use crate::{AnyMove, AnyPosition};

/// Any game.
///
/// It implements the traits of a game by virtual calls, one position at a time, and its methods
/// below by code that was compiled for the game itself.
#[derive(Clone)]
pub struct AnyGame {
    game: Arc<dyn Erased>,
    /// The inner loops that were compiled for the game.
    pub(crate) loops: Option<Arc<dyn Loops>>,
    /// The views of its own by which it is solved where it has no such loops.
    pub(crate) views: Option<Arc<dyn Views>>,
}

impl AnyGame {
    /// A game with inner loops of its own, which take seconds to compile.
    pub fn new<G: Evaluate>(game: G) -> Self {
        let loops: Arc<dyn Loops> = Arc::new(Concrete(game.clone()));
        AnyGame { loops: Some(loops), ..AnyGame::small(game) }
    }

    /// A game with the inner loops of another one that has the same id, rules and numbers, so that
    /// they are compiled once for both.
    pub fn with_loops<G: Evaluate>(game: G, same: AnyGame) -> Self {
        AnyGame { loops: same.loops, ..AnyGame::small(game) }
    }

    /// A game that is solved and searched by virtual calls: slower, and compiled in no time.
    pub fn small<G: Evaluate>(game: G) -> Self {
        AnyGame { game: Arc::new(Concrete(game)), loops: None, views: None }
    }

    /// A game that is solved through its own views by virtual calls, one for each position: nearly as
    /// fast as loops of its own, and compiled in no time.
    pub fn viewed<G: Evaluate>(game: G) -> Self
    where
        G::Forward: ForwardView<Key = G::Position> + 'static,
    {
        let views: Arc<dyn Views> = Arc::new(Concrete(game.clone()));
        AnyGame { views: Some(views), ..AnyGame::small(game) }
    }

    /// Why the game has no databases of a metric, in a sentence, if it has none.
    pub fn check_metric(&self, metric: Metric) -> Result<(), String> {
        if metric.is_among(self.metrics()) {
            return Ok(());
        }
        let (name, names) = (self.metric_name(metric), self.metric_names());
        Err(format!("{} has no metric {name}; it has {names}", self.id()))
    }
}

impl fmt::Debug for AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.game.fmt(f)
    }
}

/// Methods that are passed on.
macro_rules! forward {
    ($(fn $name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)+) => {
        $(fn $name(&self $(, $argument: $type)*) $(-> $result)? {
            self.game.$name($($argument),*)
        })+
    };
}

impl Rules for AnyGame {
    type Position = AnyPosition;
    type Move = AnyMove;

    forward! {
        fn id(&self) -> GameId;
        fn outcome(&self, position: &AnyPosition) -> Option<Score>;
        fn moves(&self, position: &AnyPosition, out: &mut Vec<AnyMove>);
        fn play(&self, position: &AnyPosition, mv: &AnyMove) -> Step<AnyPosition>;
        fn start(&self) -> Situation<AnyPosition>;
        fn parse(&self, text: &str) -> Result<Situation<AnyPosition>, ParseError>;
        fn format(&self, situation: &Situation<AnyPosition>) -> String;
        fn format_move(
            &self, situation: &Situation<AnyPosition>, mv: &AnyMove, step: &Step<AnyPosition>
        ) -> String;
        fn format_in(
            &self, situation: &Situation<AnyPosition>, notation: Notation
        ) -> Option<String>;
        fn format_move_in(
            &self, situation: &Situation<AnyPosition>, mv: &AnyMove, step: &Step<AnyPosition>,
            notation: Notation
        ) -> Option<String>;
        fn other_name(
            &self, situation: &Situation<AnyPosition>, mv: &AnyMove
        ) -> Option<String>;
        fn is_spelled(
            &self, situation: &Situation<AnyPosition>, mv: &AnyMove, text: &str
        ) -> bool;
        fn start_options(&self) -> String;
        fn decks(&self) -> &'static [Deck];
        fn steps(&self, position: &AnyPosition, out: &mut Vec<Step<AnyPosition>>);
        fn expand(
            &self, position: &AnyPosition, out: &mut Vec<Step<AnyPosition>>
        ) -> Option<Score>;
        fn repeated(&self, position: &AnyPosition) -> Score;
        fn occurrences(&self) -> usize;
        fn end_name(&self, position: &AnyPosition) -> Option<&'static str>;
        fn draw(&self, situation: &Situation<AnyPosition>) -> String;
        fn side_name(&self, side: Side) -> &'static str;
        fn final_result(
            &self, situation: &Situation<AnyPosition>, score: Score
        ) -> Option<[f64; 2]>;
        fn advance(
            &self, situation: &Situation<AnyPosition>, step: &Step<AnyPosition>
        ) -> Situation<AnyPosition>;
    }
}

impl Numbering for AnyGame {
    forward! {
        fn largest_slice(&self) -> SliceId;
        fn slice_of(&self, position: &AnyPosition) -> SliceId;
        fn slice_len(&self, slice: SliceId) -> u64;
        fn rank(&self, position: &AnyPosition) -> u64;
        fn unrank(&self, slice: SliceId, index: u64) -> Option<AnyPosition>;
        fn index_scheme(&self) -> &'static str;
        fn max_score(&self, slice: SliceId) -> Score;
        fn max_moves(&self, slice: SliceId) -> u16;
        fn max_internal_moves(&self, slice: SliceId) -> u16;
        fn is_hole(&self, slice: SliceId, index: u64) -> bool;
        fn holes(&self, slice: SliceId, range: Range<u64>, visit: &mut dyn FnMut(u64));
        fn metrics(&self) -> &'static [Metric];
        fn metric_name(&self, metric: Metric) -> &'static str;
        fn properties(&self) -> Properties;
        fn has_database(&self, slice: SliceId) -> bool;
        fn has_databases(&self) -> bool;
        fn slice_name(&self, slice: SliceId) -> String;
        fn slice_named(&self, name: &str) -> Option<SliceId>;
        fn below(&self, slice: SliceId) -> Vec<SliceId>;
        fn select(&self, text: &str) -> Result<Vec<SliceId>, ParseError>;
        fn slice_unit(&self) -> &'static str;
        fn slice_title(&self, slice: SliceId) -> Option<String>;
        fn parts(&self, slice: SliceId) -> Vec<Part>;
        fn is_acyclic(&self, slice: SliceId) -> bool;
        fn score_window(&self, slice: SliceId, start: SliceId) -> Score;
        fn canonical(&self, position: &AnyPosition) -> AnyPosition;
        fn images(&self, position: &AnyPosition) -> u32;
        fn recognise(&self, position: &AnyPosition) -> Option<Recognised>;
        fn beyond(&self, position: &AnyPosition) -> Option<String>;
        fn is_indexed(&self, position: &AnyPosition) -> bool;
        fn next_index(&self, slice: SliceId, index: u64, position: &mut AnyPosition);
        fn unmoves(&self, position: &AnyPosition, out: &mut Vec<AnyPosition>);
        fn second_rank(&self, position: &AnyPosition) -> u64;
        fn second_unrank(&self, slice: SliceId, index: u64) -> Option<AnyPosition>;
        fn matrices(&self, slice: SliceId) -> Vec<IndexMatrix>;
        fn second_next(&self, slice: SliceId, index: u64, position: &mut AnyPosition);
    }
}

/// The views are plain ones, or the game's own. What the game says about its own views is passed on,
/// so that estimates are those of the loops that run. Bounds are computed and checked by a game's own
/// loops alone.
impl Game for AnyGame {
    type View = AnyView;
    type Forward = AnyForward;

    // For the games without loops of their own.
    const HAS_ZEROING: bool = true;

    fn view_within(&self, slice: SliceId, bytes: u64) -> AnyView {
        AnyView::new(self, slice, bytes)
    }
    fn zeroing_view(&self, slice: SliceId) -> Option<AnyView> {
        AnyView::zeroing(self, slice)
    }
    fn forward_within(&self, slice: SliceId, bytes: u64) -> AnyForward {
        AnyForward::new(self, slice, bytes)
    }

    forward! {
        fn has_bounds(&self) -> bool;
        fn view_bytes(&self, slice: SliceId) -> u64;
        fn forward_bytes(&self, slice: SliceId) -> u64;
        fn covered_by_tables(&self, slice: SliceId, bytes: u64) -> f64;
        fn row_moves(&self, slice: SliceId) -> Option<Box<dyn RowMoves>>;
    }
}

impl Evaluate for AnyGame {
    forward! {
        fn feature_names(&self) -> &'static [&'static str];
        fn features(&self, position: &AnyPosition, out: &mut [f32]);
        fn fitted(&self) -> &[f32];
        fn evaluate(&self, position: &AnyPosition, weights: &[f32]) -> i32;
        fn promise(
            &self, position: &AnyPosition, mv: &AnyMove, step: &Step<AnyPosition>
        ) -> i32;
        fn is_unquiet(&self, position: &AnyPosition) -> bool;
    }
}

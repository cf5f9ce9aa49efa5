//! The traits of a game as virtual calls.

use std::fmt;
use std::ops::Range;

use nutcracker_game::{
    Deck, Evaluate, GameId, IndexMatrix, Metric, Notation, ParseError, Part, Properties,
    Recognised, RowMoves, Score, Side, Situation, SliceId, Step,
};

use crate::{AnyMove, AnyPosition};

/// What [`Rules`](nutcracker_game::Rules), [`Numbering`](nutcracker_game::Numbering),
/// [`Game`](nutcracker_game::Game) and [`Evaluate`] have, with positions of any game. Each method
/// means what the method of the same name means there.
pub(crate) trait Erased: fmt::Debug + Send + Sync {
    fn id(&self) -> GameId;
    fn outcome(&self, position: &AnyPosition) -> Option<Score>;
    fn moves(&self, position: &AnyPosition, out: &mut Vec<AnyMove>);
    fn play(&self, position: &AnyPosition, mv: &AnyMove) -> Step<AnyPosition>;
    fn start(&self) -> Situation<AnyPosition>;
    fn parse(&self, text: &str) -> Result<Situation<AnyPosition>, ParseError>;
    fn format(&self, situation: &Situation<AnyPosition>) -> String;
    fn format_move(
        &self,
        situation: &Situation<AnyPosition>,
        mv: &AnyMove,
        step: &Step<AnyPosition>,
    ) -> String;
    fn format_in(&self, situation: &Situation<AnyPosition>, notation: Notation) -> Option<String>;
    fn format_move_in(
        &self,
        situation: &Situation<AnyPosition>,
        mv: &AnyMove,
        step: &Step<AnyPosition>,
        notation: Notation,
    ) -> Option<String>;
    fn other_name(&self, situation: &Situation<AnyPosition>, mv: &AnyMove) -> Option<String>;
    fn is_spelled(&self, situation: &Situation<AnyPosition>, mv: &AnyMove, text: &str) -> bool;
    fn start_options(&self) -> String;
    fn decks(&self) -> &'static [Deck];
    fn expand(&self, position: &AnyPosition, out: &mut Vec<Step<AnyPosition>>) -> Option<Score>;
    fn steps(&self, position: &AnyPosition, out: &mut Vec<Step<AnyPosition>>);
    fn repeated(&self, position: &AnyPosition) -> Score;
    fn occurrences(&self) -> usize;
    fn end_name(&self, position: &AnyPosition) -> Option<&'static str>;
    fn draw(&self, situation: &Situation<AnyPosition>) -> String;
    fn side_name(&self, side: Side) -> &'static str;
    fn final_result(&self, situation: &Situation<AnyPosition>, score: Score) -> Option<[f64; 2]>;
    fn advance(
        &self,
        situation: &Situation<AnyPosition>,
        step: &Step<AnyPosition>,
    ) -> Situation<AnyPosition>;

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

    fn has_bounds(&self) -> bool;
    fn view_bytes(&self, slice: SliceId) -> u64;
    fn forward_bytes(&self, slice: SliceId) -> u64;
    fn covered_by_tables(&self, slice: SliceId, bytes: u64) -> f64;
    fn row_moves(&self, slice: SliceId) -> Option<Box<dyn RowMoves>>;

    fn feature_names(&self) -> &'static [&'static str];
    fn features(&self, position: &AnyPosition, out: &mut [f32]);
    fn fitted(&self) -> &[f32];
    fn evaluate(&self, position: &AnyPosition, weights: &[f32]) -> i32;
    fn promise(&self, position: &AnyPosition, mv: &AnyMove, step: &Step<AnyPosition>) -> i32;
    fn is_unquiet(&self, position: &AnyPosition) -> bool;
}

/// A step between positions of any game.
fn any_step<P: crate::Value>(step: Step<P>) -> Step<AnyPosition> {
    let Step { next, gain, turn, converts, zeroes } = step;
    Step { next: AnyPosition::new(next), gain, turn, converts, zeroes }
}

fn own_step<P: crate::Value>(step: &Step<AnyPosition>) -> Step<P> {
    let Step { next, gain, turn, converts, zeroes } = *step;
    Step { next: *next.get(), gain, turn, converts, zeroes }
}

fn any_situation<P: crate::Value>(situation: &Situation<P>) -> Situation<AnyPosition> {
    let Situation { position, mover, banked, quiet } = *situation;
    Situation { position: AnyPosition::new(position), mover, banked, quiet }
}

fn own_situation<P: crate::Value>(situation: &Situation<AnyPosition>) -> Situation<P> {
    let Situation { position, mover, banked, quiet } = *situation;
    Situation { position: *position.get(), mover, banked, quiet }
}

/// A game behind [`Erased`], whose methods have the names of the game's own.
#[derive(Debug)]
pub(crate) struct Concrete<G>(pub(crate) G);

impl<G: Evaluate> Erased for Concrete<G> {
    fn id(&self) -> GameId {
        self.0.id()
    }
    fn outcome(&self, position: &AnyPosition) -> Option<Score> {
        self.0.outcome(position.get())
    }
    fn moves(&self, position: &AnyPosition, out: &mut Vec<AnyMove>) {
        let mut moves = Vec::new();
        self.0.moves(position.get(), &mut moves);
        out.extend(moves.into_iter().map(AnyMove::new));
    }
    fn play(&self, position: &AnyPosition, mv: &AnyMove) -> Step<AnyPosition> {
        any_step(self.0.play(position.get(), mv.get()))
    }
    fn start(&self) -> Situation<AnyPosition> {
        any_situation(&self.0.start())
    }
    fn parse(&self, text: &str) -> Result<Situation<AnyPosition>, ParseError> {
        self.0.parse(text).as_ref().map(any_situation).map_err(Clone::clone)
    }
    fn format(&self, situation: &Situation<AnyPosition>) -> String {
        self.0.format(&own_situation(situation))
    }
    fn format_move(
        &self,
        situation: &Situation<AnyPosition>,
        mv: &AnyMove,
        step: &Step<AnyPosition>,
    ) -> String {
        self.0.format_move(&own_situation(situation), mv.get(), &own_step(step))
    }
    fn format_in(&self, situation: &Situation<AnyPosition>, notation: Notation) -> Option<String> {
        self.0.format_in(&own_situation(situation), notation)
    }
    fn format_move_in(
        &self,
        situation: &Situation<AnyPosition>,
        mv: &AnyMove,
        step: &Step<AnyPosition>,
        notation: Notation,
    ) -> Option<String> {
        let (situation, step) = (own_situation(situation), own_step(step));
        self.0.format_move_in(&situation, mv.get(), &step, notation)
    }
    fn other_name(&self, situation: &Situation<AnyPosition>, mv: &AnyMove) -> Option<String> {
        self.0.other_name(&own_situation(situation), mv.get())
    }
    fn is_spelled(&self, situation: &Situation<AnyPosition>, mv: &AnyMove, text: &str) -> bool {
        self.0.is_spelled(&own_situation(situation), mv.get(), text)
    }
    fn start_options(&self) -> String {
        self.0.start_options()
    }
    fn decks(&self) -> &'static [Deck] {
        self.0.decks()
    }
    fn expand(&self, position: &AnyPosition, out: &mut Vec<Step<AnyPosition>>) -> Option<Score> {
        let mut steps = Vec::new();
        let outcome = self.0.expand(position.get(), &mut steps);
        out.extend(steps.into_iter().map(any_step));
        outcome
    }
    fn steps(&self, position: &AnyPosition, out: &mut Vec<Step<AnyPosition>>) {
        let mut steps = Vec::new();
        self.0.steps(position.get(), &mut steps);
        out.extend(steps.into_iter().map(any_step));
    }
    fn repeated(&self, position: &AnyPosition) -> Score {
        self.0.repeated(position.get())
    }
    fn occurrences(&self) -> usize {
        self.0.occurrences()
    }
    fn end_name(&self, position: &AnyPosition) -> Option<&'static str> {
        self.0.end_name(position.get())
    }
    fn draw(&self, situation: &Situation<AnyPosition>) -> String {
        self.0.draw(&own_situation(situation))
    }
    fn side_name(&self, side: Side) -> &'static str {
        self.0.side_name(side)
    }
    fn final_result(&self, situation: &Situation<AnyPosition>, score: Score) -> Option<[f64; 2]> {
        self.0.final_result(&own_situation(situation), score)
    }
    fn advance(
        &self,
        situation: &Situation<AnyPosition>,
        step: &Step<AnyPosition>,
    ) -> Situation<AnyPosition> {
        any_situation(&self.0.advance(&own_situation(situation), &own_step(step)))
    }

    fn largest_slice(&self) -> SliceId {
        self.0.largest_slice()
    }
    fn slice_of(&self, position: &AnyPosition) -> SliceId {
        self.0.slice_of(position.get())
    }
    fn slice_len(&self, slice: SliceId) -> u64 {
        self.0.slice_len(slice)
    }
    fn rank(&self, position: &AnyPosition) -> u64 {
        self.0.rank(position.get())
    }
    fn unrank(&self, slice: SliceId, index: u64) -> Option<AnyPosition> {
        self.0.unrank(slice, index).map(AnyPosition::new)
    }
    fn index_scheme(&self) -> &'static str {
        self.0.index_scheme()
    }
    fn max_score(&self, slice: SliceId) -> Score {
        self.0.max_score(slice)
    }
    fn max_moves(&self, slice: SliceId) -> u16 {
        self.0.max_moves(slice)
    }
    fn max_internal_moves(&self, slice: SliceId) -> u16 {
        self.0.max_internal_moves(slice)
    }
    fn is_hole(&self, slice: SliceId, index: u64) -> bool {
        self.0.is_hole(slice, index)
    }
    fn holes(&self, slice: SliceId, range: Range<u64>, visit: &mut dyn FnMut(u64)) {
        self.0.holes(slice, range, visit);
    }
    fn metrics(&self) -> &'static [Metric] {
        self.0.metrics()
    }
    fn metric_name(&self, metric: Metric) -> &'static str {
        self.0.metric_name(metric)
    }
    fn properties(&self) -> Properties {
        self.0.properties()
    }
    fn has_database(&self, slice: SliceId) -> bool {
        self.0.has_database(slice)
    }
    fn has_databases(&self) -> bool {
        self.0.has_databases()
    }
    fn slice_name(&self, slice: SliceId) -> String {
        self.0.slice_name(slice)
    }
    fn slice_named(&self, name: &str) -> Option<SliceId> {
        self.0.slice_named(name)
    }
    fn below(&self, slice: SliceId) -> Vec<SliceId> {
        self.0.below(slice)
    }
    fn select(&self, text: &str) -> Result<Vec<SliceId>, ParseError> {
        self.0.select(text)
    }
    fn slice_unit(&self) -> &'static str {
        self.0.slice_unit()
    }
    fn slice_title(&self, slice: SliceId) -> Option<String> {
        self.0.slice_title(slice)
    }
    fn parts(&self, slice: SliceId) -> Vec<Part> {
        self.0.parts(slice)
    }
    fn is_acyclic(&self, slice: SliceId) -> bool {
        self.0.is_acyclic(slice)
    }
    fn score_window(&self, slice: SliceId, start: SliceId) -> Score {
        self.0.score_window(slice, start)
    }
    fn canonical(&self, position: &AnyPosition) -> AnyPosition {
        AnyPosition::new(self.0.canonical(position.get()))
    }
    fn images(&self, position: &AnyPosition) -> u32 {
        self.0.images(position.get())
    }
    fn recognise(&self, position: &AnyPosition) -> Option<Recognised> {
        self.0.recognise(position.get())
    }
    fn beyond(&self, position: &AnyPosition) -> Option<String> {
        self.0.beyond(position.get())
    }
    fn is_indexed(&self, position: &AnyPosition) -> bool {
        self.0.is_indexed(position.get())
    }
    fn next_index(&self, slice: SliceId, index: u64, position: &mut AnyPosition) {
        let mut own = *position.get();
        self.0.next_index(slice, index, &mut own);
        *position = AnyPosition::new(own);
    }
    fn unmoves(&self, position: &AnyPosition, out: &mut Vec<AnyPosition>) {
        let mut before = Vec::new();
        self.0.unmoves(position.get(), &mut before);
        out.extend(before.into_iter().map(AnyPosition::new));
    }
    fn second_rank(&self, position: &AnyPosition) -> u64 {
        self.0.second_rank(position.get())
    }
    fn second_unrank(&self, slice: SliceId, index: u64) -> Option<AnyPosition> {
        self.0.second_unrank(slice, index).map(AnyPosition::new)
    }
    fn matrices(&self, slice: SliceId) -> Vec<IndexMatrix> {
        self.0.matrices(slice)
    }
    fn second_next(&self, slice: SliceId, index: u64, position: &mut AnyPosition) {
        let mut own = *position.get();
        self.0.second_next(slice, index, &mut own);
        *position = AnyPosition::new(own);
    }

    fn view_bytes(&self, slice: SliceId) -> u64 {
        self.0.view_bytes(slice)
    }
    fn forward_bytes(&self, slice: SliceId) -> u64 {
        self.0.forward_bytes(slice)
    }
    fn covered_by_tables(&self, slice: SliceId, bytes: u64) -> f64 {
        self.0.covered_by_tables(slice, bytes)
    }
    fn row_moves(&self, slice: SliceId) -> Option<Box<dyn RowMoves>> {
        self.0.row_moves(slice)
    }
    fn has_bounds(&self) -> bool {
        self.0.has_bounds()
    }

    fn feature_names(&self) -> &'static [&'static str] {
        self.0.feature_names()
    }
    fn features(&self, position: &AnyPosition, out: &mut [f32]) {
        self.0.features(position.get(), out);
    }
    fn fitted(&self) -> &[f32] {
        self.0.fitted()
    }
    fn evaluate(&self, position: &AnyPosition, weights: &[f32]) -> i32 {
        self.0.evaluate(position.get(), weights)
    }
    fn promise(&self, position: &AnyPosition, mv: &AnyMove, step: &Step<AnyPosition>) -> i32 {
        self.0.promise(position.get(), mv.get(), &own_step(step))
    }
    fn is_unquiet(&self, position: &AnyPosition) -> bool {
        self.0.is_unquiet(position.get())
    }
}

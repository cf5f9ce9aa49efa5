//! Games drawn on paper: some positions, some moves, and evaluations of the others.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{
    GameId, Numbering, ParseError, Rules, Score, Side, Situation, SliceId, Step, plain_views,
};

/// A game of wins, draws and losses on a graph, of which only a part is drawn: positions without
/// moves that are not over stand for more.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    /// Where the moves of each position lead.
    pub moves: Arc<Vec<Vec<u32>>>,
    /// Where it is over.
    pub over: Arc<HashMap<u32, Score>>,
    /// Evaluations of positions; 0 where none is given.
    pub guesses: Arc<HashMap<u32, i32>>,
}

impl Sketch {
    /// A game with these moves.
    pub fn new(moves: &[(u32, &[u32])]) -> Self {
        let last = moves.iter().flat_map(|(at, to)| to.iter().chain([at])).max();
        let mut all = vec![Vec::new(); last.map_or(0, |&last| last as usize + 1)];
        for (at, to) in moves {
            all[*at as usize] = to.to_vec();
        }
        Sketch { moves: Arc::new(all), ..Sketch::default() }
    }

    /// The same with guesses.
    #[must_use]
    pub fn guesses(mut self, guesses: &[(u32, i32)]) -> Self {
        self.guesses = Arc::new(guesses.iter().copied().collect());
        self
    }

    /// The same with ends.
    #[must_use]
    pub fn over(mut self, over: &[(u32, Score)]) -> Self {
        self.over = Arc::new(over.iter().copied().collect());
        self
    }
}

impl Rules for Sketch {
    type Position = u32;
    type Move = u32;

    fn id(&self) -> GameId {
        GameId::new("toy", "")
    }
    fn outcome(&self, at: &u32) -> Option<Score> {
        self.over.get(at).copied()
    }
    fn moves(&self, &at: &u32, out: &mut Vec<u32>) {
        out.extend(&self.moves[at as usize]);
    }
    fn play(&self, _: &u32, &to: &u32) -> Step<u32> {
        Step::quiet(to)
    }
    fn start(&self) -> Situation<u32> {
        Situation::new(0, Side::First)
    }
    fn parse(&self, text: &str) -> Result<Situation<u32>, ParseError> {
        let at = text.parse().map_err(|_| ParseError::new("a position is a number"))?;
        Ok(Situation::new(at, Side::First))
    }
    fn format(&self, situation: &Situation<u32>) -> String {
        situation.position.to_string()
    }
    fn format_move(&self, _: &Situation<u32>, to: &u32, _: &Step<u32>) -> String {
        to.to_string()
    }
}

impl Numbering for Sketch {
    fn largest_slice(&self) -> SliceId {
        SliceId(0)
    }
    fn slice_of(&self, _: &u32) -> SliceId {
        SliceId(0)
    }
    fn slice_len(&self, _: SliceId) -> u64 {
        self.moves.len() as u64
    }
    fn rank(&self, &at: &u32) -> u64 {
        at.into()
    }
    fn unrank(&self, _: SliceId, index: u64) -> Option<u32> {
        Some(index as u32)
    }
    fn index_scheme(&self) -> &'static str {
        "toy-1"
    }
    fn max_score(&self, _: SliceId) -> Score {
        1
    }
    fn max_moves(&self, _: SliceId) -> u16 {
        self.moves.iter().map(Vec::len).max().unwrap_or(0) as u16
    }
}

plain_views!(Sketch);

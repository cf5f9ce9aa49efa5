//! Games on paper, for tests: any graph of positions.

use std::collections::HashMap;
use std::sync::Arc;

use nutcracker_game::{Game, GameId, ParseError, PlainView, Score, Side, Situation, SliceId, Step};

use crate::expert::{Ask, Opinion};
use crate::graph::Book;
use crate::store::MemoryStore;

/// A game of wins, draws and losses on a graph.
#[derive(Clone, Debug, Default)]
pub struct Toy {
    pub moves: Arc<Vec<Vec<u32>>>,
    /// Where it is over.
    pub over: Arc<HashMap<u32, Score>>,
    /// What positions look worth; 0 where nothing is said.
    pub guesses: Arc<HashMap<u32, i32>>,
}

impl Toy {
    pub fn new(moves: &[(u32, &[u32])]) -> Self {
        let last = moves.iter().flat_map(|(at, to)| to.iter().chain([at])).max().unwrap();
        let mut all = vec![Vec::new(); *last as usize + 1];
        for (at, to) in moves {
            all[*at as usize] = to.to_vec();
        }
        Toy { moves: Arc::new(all), ..Toy::default() }
    }

    pub fn guesses(mut self, guesses: &[(u32, i32)]) -> Self {
        self.guesses = Arc::new(guesses.iter().copied().collect());
        self
    }

    pub fn over(mut self, over: &[(u32, Score)]) -> Self {
        self.over = Arc::new(over.iter().copied().collect());
        self
    }

    pub fn expert(&self) -> Ask<impl FnMut(&u32) -> Opinion + Send + use<>> {
        let guesses = self.guesses.clone();
        Ask(move |at: &u32| Opinion::Guess(guesses.get(at).copied().unwrap_or(0)))
    }

    /// A book from position 0 with these positions expanded.
    pub fn book(&self, expanded: &[u32]) -> Book<Toy, MemoryStore> {
        let mut expert = self.expert();
        let mut book = Book::create(self.clone(), MemoryStore::new(), &0, &mut expert).unwrap();
        for at in expanded {
            let id = book.find(at).unwrap().expect("not reached yet");
            book.expand_all(&[id], &mut [&mut expert]).unwrap();
        }
        book
    }
}

impl<F: FnMut(&u32) -> Opinion> crate::expert::Expert<Toy> for &mut Ask<F> {
    fn look(&mut self, position: &u32) -> crate::Result<Opinion> {
        Ok(self.0(position))
    }
}

impl Game for Toy {
    type Position = u32;
    type Move = u32;
    type View = PlainView<Self>;
    type Forward = PlainView<Self>;
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
    fn unrank(&self, _: SliceId, index: u64) -> u32 {
        index as u32
    }
    fn max_score(&self, _: SliceId) -> Score {
        1
    }
    fn max_moves(&self) -> u8 {
        255
    }
    fn index_scheme(&self) -> &'static str {
        "toy-1"
    }
    fn view(&self, slice: SliceId) -> PlainView<Self> {
        PlainView::new(self.clone(), slice)
    }
    fn forward(&self, slice: SliceId) -> PlainView<Self> {
        PlainView::new(self.clone(), slice)
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

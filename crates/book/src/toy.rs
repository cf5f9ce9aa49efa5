//! Books over small hand-made graphs, for tests.

pub use nutcracker_game::toy::Sketch as Toy;
use nutcracker_search::Worth;

use crate::book::Book;
use crate::expert::FnExpert;
use crate::store::MemoryStore;

/// Books of a sketched game.
pub trait ToyBook {
    /// The expert that returns the sketch's guesses.
    fn expert(&self) -> FnExpert<impl FnMut(&u32) -> Worth + Send + use<Self>>;
    /// A book from position 0 with these positions expanded.
    fn book(&self, expanded: &[u32]) -> Book<Toy, MemoryStore>;
}

impl ToyBook for Toy {
    fn expert(&self) -> FnExpert<impl FnMut(&u32) -> Worth + Send + use<>> {
        let guesses = self.guesses.clone();
        FnExpert(move |at: &u32| Worth::guess(guesses.get(at).copied().unwrap_or(0)))
    }

    fn book(&self, expanded: &[u32]) -> Book<Toy, MemoryStore> {
        let mut expert = self.expert();
        let mut book = Book::create(self.clone(), MemoryStore::new(), &0, &mut expert).unwrap();
        for at in expanded {
            let id = book.find(at).unwrap().expect("not reached yet");
            book.expand_all(&[id], &mut [&mut expert]).unwrap();
        }
        book
    }
}

impl<F: FnMut(&u32) -> Worth> crate::expert::Expert<Toy> for &mut FnExpert<F> {
    fn evaluate(&mut self, position: &u32) -> crate::Result<Worth> {
        Ok(self.0(position))
    }
}

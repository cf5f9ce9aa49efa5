//! Games that are nothing but a graph: every shape a game can have, and then some.

pub use nutcracker_game::toy::{Graph, Node};
use nutcracker_game::{Children, Score, SliceId};

/// The scores of a graph as databases.
pub struct Scores {
    pub width: u32,
    pub scores: Vec<Score>,
}

impl Children for Scores {
    type Error = &'static str;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error> {
        let first = slice.0 as usize * self.width as usize + start as usize;
        let scores = self.scores.get(first..first + out.len()).ok_or("no such score")?;
        for (out, &score) in out.iter_mut().zip(scores) {
            *out = score as i8;
        }
        Ok(())
    }
}

//! Small games for tests and examples, each with a property that solvers and searches must get
//! right. Behind the feature `toy`.
//!
//! | game | what it is for |
//! |---|---|
//! | [`Heap`] | the shortest game: one position a slice, no cycles, distances |
//! | [`Taking`] | banked points, and moves that keep the turn |
//! | [`Graph`] | any graph of positions, also random ones: cycles, gains, ends of every kind |
//! | [`Sketch`] | a few positions written down by hand, for opening books |

mod graph;
mod heap;
mod sketch;

pub use graph::{Graph, Node};
pub use heap::{Heap, Taking};
pub use sketch::Sketch;

use crate::{Children, SliceId};

/// The values of slices in memory, by slice and number.
#[derive(Clone, Debug, Default)]
pub struct InMemory(pub Vec<Vec<i8>>);

impl Children for InMemory {
    type Error = std::convert::Infallible;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error> {
        let start = start as usize;
        out.copy_from_slice(&self.0[slice.0 as usize][start..start + out.len()]);
        Ok(())
    }
}

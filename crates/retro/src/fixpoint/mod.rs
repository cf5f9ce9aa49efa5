//! Phase 2: values spread inside the slice, from conversions alone.

pub mod memory;
pub mod sweep;

/// The scores of a solved slice, wherever its solver keeps them.
#[derive(Debug)]
pub enum Solved {
    /// As states of the in-memory solver.
    States(memory::States),
    /// As they are.
    Plain(Vec<i8>),
}

impl Solved {
    /// Writes the scores of consecutive positions.
    pub fn scores(&self, start: u64, out: &mut [i8]) {
        match self {
            Solved::States(states) => states.scores(start, out),
            Solved::Plain(scores) => {
                out.copy_from_slice(&scores[start as usize..start as usize + out.len()]);
            }
        }
    }
}

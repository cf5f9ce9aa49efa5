//! Phase 2: values spread inside the slice, from conversions alone.

pub mod changes;
pub mod follow;
pub mod levels;
pub mod memory;
pub mod rows;
pub mod sweep;

use crate::store::disk::{Bytes, ScratchError};

/// The scores of a solved slice, wherever its solver keeps them.
#[derive(Debug)]
pub enum Solved {
    /// As states of the in-memory solver.
    States(memory::States),
    /// As rows of bits.
    Rows(Box<rows::RowStates>),
    /// As rows of bits in files.
    RowFiles(Box<rows::RowFiles>),
    /// As they are.
    Plain(Vec<i8>),
    /// In a file.
    File(Bytes),
}

impl Solved {
    /// Writes the scores of consecutive positions.
    pub fn scores(&self, start: u64, out: &mut [i8]) -> Result<(), ScratchError> {
        match self {
            Solved::File(file) => file.read(start, out)?,
            Solved::States(states) => states.scores(start, out),
            Solved::Rows(states) => states.scores(start, out),
            Solved::RowFiles(files) => files.scores(start, out)?,
            Solved::Plain(scores) => {
                out.copy_from_slice(&scores[start as usize..start as usize + out.len()]);
            }
        }
        Ok(())
    }
}

//! A slice solved by rows with all its bits in memory.

mod passes;
mod propagate;
mod states;
mod team;

pub use states::RowStates;

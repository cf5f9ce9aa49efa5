//! A slice solved by rows with all its bits in memory.

mod part;
mod passes;
mod propagate;
mod states;
mod team;

pub use part::Exchange;
pub use states::RowStates;

pub(super) use part::{ChangedWord, Owners, Part, tell_all};
pub(super) use passes::{Settling, settle_all};

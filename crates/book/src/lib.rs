//! Opening books.

mod backup;
mod cache;
pub mod check;
mod cost;
pub mod cycles;
mod error;
pub mod expert;
mod facts;
mod graph;
pub mod grow;
pub mod learn;
pub mod node;
mod select;
pub mod store;
#[cfg(test)]
mod toy;
pub mod value;

pub use error::{BookError, Result};
pub use facts::{Facts, Tuning};
pub use graph::{Book, DEFAULT_ROOM};
pub use select::{Player, Strategy};

//! Opening books that grow by themselves, from the start of a game towards its databases.
//!
//! A [`Book`] is a graph of positions in a [`store`]. It [grows](Book::grow) leaf by leaf: a
//! [`Strategy`] chooses a leaf, an [expert](expert::Expert) looks at its successors, and what it
//! says rises to everything that leads there as a [value](value::Value), in which proofs, guesses
//! and cycles are kept apart. Where the book meets databases the game is solved. Playing from a
//! book is [`learn::Guide`].
//!
//! # Example
//! Kalah with three pits and two seeds, solved from the empty book by an expert who knows nothing.
//!
//! ```
//! use nutcracker_book::expert::Glance;
//! use nutcracker_book::grow::{Ended, Plan};
//! use nutcracker_book::store::MemoryStore;
//! use nutcracker_book::{Book, Strategy};
//! use nutcracker_game::Rules;
//! use nutcracker_games::kalah::Kalah;
//!
//! let kalah = Kalah::new(3, 2, false)?;
//! let start = kalah.start().position;
//! let mut expert = Glance(kalah.clone());
//! let mut book = Book::create(kalah, MemoryStore::new(), &start, &mut expert)?;
//! let ended = book.grow(&mut [expert], &Plan::new(Strategy::Proof), &mut |_| {})?;
//! assert_eq!(ended, Ended::Solved);
//! assert!(book.root_value()?.score().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backup;
mod cache;
pub mod check;
mod cost;
pub mod cycles;
mod effort;
mod error;
pub mod expert;
mod facts;
mod graph;
pub mod grow;
pub mod learn;
pub mod node;
mod prune;
pub mod report;
mod select;
pub mod store;
#[cfg(test)]
mod toy;
pub mod value;

pub use cache::Traffic;
pub use error::{BookError, Result};
pub use facts::{Facts, Tuning};
pub use graph::{Book, DEFAULT_ROOM, file_name};
pub use select::{Player, Strategy};

//! Opening books that grow automatically, from the start of a game towards its databases.
//!
//! A [`Book`] is a graph of positions in a [`store`]. It [grows](Book::grow) leaf by leaf: a
//! [`Strategy`] chooses a leaf, an [expert](expert::Expert) evaluates its successors, and their
//! [values](value::Value), in which proofs, guesses and cycles are distinguished, are propagated to
//! all predecessors. Where the book meets databases the game is solved. [`learn::Guide`] plays from
//! a book.
//!
//! # Example
//! Kalah with three pits and two seeds, solved from the empty book by the game's evaluation alone.
//!
//! ```
//! use nutcracker_book::expert::StaticExpert;
//! use nutcracker_book::grow::{Ended, Plan};
//! use nutcracker_book::store::MemoryStore;
//! use nutcracker_book::{Book, Strategy};
//! use nutcracker_game::Rules;
//! use nutcracker_games::kalah::Kalah;
//!
//! let kalah = Kalah::new(3, 2, false)?;
//! let start = kalah.start().position;
//! let mut expert = StaticExpert(kalah.clone());
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
pub use report::DropOut;
pub use select::{Player, Strategy};

//! Opening books that grow automatically, from the start of a game towards its databases.
//!
//! A [`Book`] is a graph of positions in a [`store`]. It [grows](Book::grow) leaf by leaf: a
//! [`Strategy`] chooses a leaf, an [expert](expert::Expert) evaluates its successors, and their
//! [values](value::Value), in which proofs, guesses and cycles are distinguished, are propagated to
//! all predecessors. Where the book meets databases the game is solved. [`play::Guide`] plays from
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

mod book;
mod cache;
mod certificate;
pub mod check;
mod derive;
mod error;
pub mod expert;
mod facts;
mod graph;
pub mod grow;
mod jobs;
pub mod learn;
mod merge;
pub mod node;
pub mod play;
mod prune;
pub mod report;
mod revise;
pub mod store;
mod strategy;
#[cfg(test)]
mod toy;
pub mod value;

pub use book::Book;
pub use cache::Traffic;
pub use certificate::BookStrategy;
pub use derive::cycles;
pub use error::{BookError, Result};
pub use facts::{Aim, Facts, Tuning, TuningChange};
pub use graph::{DEFAULT_ROOM, file_name};
pub use jobs::{Job, JobId, Wanted};
pub use merge::Entry;
pub use report::DropOut;
pub use strategy::{Player, Strategy};

/// A book in a store of any kind.
pub type StoredBook<G> = Book<G, store::AnyStore>;

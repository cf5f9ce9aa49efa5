//! Proof files: a strategy that reaches a score, written so that anyone can check it.
//!
//! A proof claims that the mover of a position gets at least, or at most, some score. It lists the
//! positions that arise when the proving side follows its strategy: with the move to play where that
//! side is to move, with all moves where the other side is. Ends of the game, what can be lost at
//! most, and databases, named by the digests of their files, decide the rest. docs/proof-format.md
//! describes the file, and why the check suffices, for those who want to write another one.
//!
//! | what | for what |
//! |---|---|
//! | [`ProofWriter`] | writes the strategy of anything that implements [`Strategy`] |
//! | [`ProofReader`] | reads a file, and checks it in one pass |
//! | [`Tables`] | the databases: [`TableFiles`], or [`NoTables`] |
//!
//! The crate depends on the rules of games and on the reader of database files alone: no search can
//! lend the check its errors.

mod check;
mod flaw;
mod goal;
mod header;
mod lines;
mod strategy;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

pub use check::{Checked, ProofReader};
pub use flaw::{Fault, Flaw};
pub use goal::{Claim, Goal};
pub use header::{Header, VERSION};
pub use strategy::{Reply, Strategy};
pub use tables::{NoTables, TableFiles, Tables, TablesError};
pub use writer::{ProofWriter, WriteError, Written};

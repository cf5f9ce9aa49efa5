//! One test program for all searches: it is linked once.

mod databases;
mod engine;
mod exact;
mod graph;
mod lines;
mod minimax;
mod proofs;
mod replay;
mod signature;

//! Database files: written, read, damaged.

mod damage;
mod directory;
mod fault;
mod lease;
mod names;
mod probe;
mod roundtrip;
mod window;

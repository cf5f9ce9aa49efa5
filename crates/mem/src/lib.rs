//! Huge arrays in memory: small numbers packed into atomic words on huge pages.
//!
//! ```
//! use nutcracker_mem::Packed;
//!
//! let states: Packed<8> = Packed::zeroed(1_000_000)?;
//! states.set(42, 7);
//! // Several threads may do this at once; nothing is lost.
//! assert_eq!(states.update(42, |old| Some(old + 1)), Some(7));
//! assert_eq!(states.get(42), 8);
//! # Ok::<(), nutcracker_mem::OutOfMemory>(())
//! ```

mod map;
mod packed;

pub use map::{OutOfMemory, Words, available_memory, prefetch, reserve};
pub use packed::Packed;

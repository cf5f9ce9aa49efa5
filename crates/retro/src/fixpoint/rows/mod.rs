//! Games of sowing solved by whole rows: up to 64 positions with one instruction.
//!
//! All boards with the same mover's half are a row of bits. A move turns that half into one other
//! half and adds a fixed pattern to the opponent's, which keeps the order: so what is known of the
//! successors of a row is a part of another row, moved together by a mask. A second copy of what is
//! new, by the opponent's half, makes these rows contiguous.

mod allotment;
mod blocks;
mod clock;
mod compress;
mod events;
mod exits;
mod files;
mod kernel;
mod look;
mod moves;
mod needs;
mod passes;
mod shape;
mod singles;
mod slices;
mod states;
mod stream;
mod streaming;
mod team;
mod transpose;

pub(crate) use compress::fast_here;
pub use files::RowFiles;
pub(crate) use needs::Needs;
pub use passes::RowWork;
pub use states::RowStates;
pub use streaming::Streaming;

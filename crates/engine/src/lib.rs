//! The engine protocol: our player behind a pair of pipes, other programs as players of ours; and
//! what games between them need: clocks, time controls, records, and what a match says.
//!
//! - [`grammar`]: the lines of the protocol;
//! - [`serve`]: any [`Player`] as an engine on a reader and a writer;
//! - [`External`]: any program that speaks the protocol as a [`Player`];
//! - [`TimeControl`], [`Clock`], [`Allotment`], [`Pace`]: what there is, what is left, what to use,
//!   when to end;
//! - [`record`]: games as text;
//! - [`Tally`]: Elo with its interval.
//!
//! The protocol is described in `docs/protocol.md`.

mod client;
mod clock;
mod control;
pub mod grammar;
mod pace;
mod played;
mod player;
mod process;
pub mod record;
mod server;
mod tally;

pub use client::{External, Patience};
pub use clock::{Allotment, Clock, OVERHEAD, TimeLost};
pub use control::{ControlError, GameLimit, Reserve, TimeControl};
pub use pace::Pace;
pub use played::{Ending, MoveError, Played};
pub use player::{Chance, Player, PlayerError, Random, Thought};
pub use server::{Identity, serve};
pub use tally::{Elo, Tally};

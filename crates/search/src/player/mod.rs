//! Players: one that is perfect, some that err on purpose, and one that sets traps.
//!
//! - [`Perfect`] plays by databases. It never gives away a score, and it finds a line that realises
//!   it where moves that keep the score could go round in circles.
//! - [`Fallible`] chooses among valued moves at random, the worse the rarer; a [`Level`] sets how
//!   rare, and means the same in every game.
//! - [`Reference`] does so where databases count moves: by how far away wins and losses are. An
//!   [`Analyser`] tells its competence from its moves, a [`Chain`] how long it takes to win, and
//!   [`Trials`] how often it errs in a class.
//! - [`Adviser`] asks databases where they reach and searches elsewhere, for all of these.
//! - [`traps`] finds which of several equal moves a shallow opponent is likely to answer wrongly.

mod adviser;
mod bounded;
mod class;
mod distance;
mod fallible;
mod markov;
mod perfect;
mod realise;
mod reference;
mod strategy;
mod trappy;
mod trials;

pub use adviser::{Advice, Adviser, Chosen, Manner, Source};
pub use class::{SlicePart, part_of, reached};
pub use fallible::{Fallible, Level};
pub use markov::{Chain, play_out, survey};
pub use perfect::{Keeping, Perfect, PlayerError, Valued};
pub use reference::{Analyser, Prospect, Reference};
pub use strategy::Strategy;
pub use trappy::{Trap, traps};
pub use trials::Trials;

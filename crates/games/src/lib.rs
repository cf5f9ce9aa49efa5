//! The games of Nutcracker, one folder each, and the registry that turns a name into a type.

pub mod awari;
pub mod halves;
pub mod kalah;
pub mod krk;
pub mod othello;
pub mod registry;

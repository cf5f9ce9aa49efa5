//! Forward search: what a position is worth, as far as search can find out.
//!
//! | what | for what | how |
//! |---|---|---|
//! | [`Engine`] | play and analysis of any game within any limits | alpha-beta, iterative deepening, all cores |
//! | [`Prover`] | "does the mover get at least k?", with a strategy that becomes a proof file | df-pn, or depth first |
//! | [`exact_value`], [`Search`] | the score of a position of a game that does not repeat | MTD(f) |
//! | [`start_value`] | the score of the start position | its database, else MTD(f) |
//!
//! All of them probe an [`Oracle`] for known scores, such as a directory of databases
//! ([`TableOracle`]). What is proven is kept apart from what is guessed: a [`Worth`] records which
//! it is, and nothing proven rests on an evaluation, on a move left out, or on what holds for one
//! path only.
//!
//! # Values
//! Values are those of the side to move, from the position on: what the mover will bank minus what
//! the other will. A position that repeats is worth 0 from there, or what the rules say
//! ([`repeated`](nutcracker_game::Rules::repeated)): then a value depends on the positions before,
//! databases hold bounds ([`known_bounds`]), and what is proven counts the game so far.

mod alphabeta;
mod bounds;
mod depth_first;
mod dfpn;
mod exact;
mod exact_table;
mod forced;
mod found;
mod hash;
mod known;
mod limits;
mod lines;
pub mod noise;
mod oracle;
mod order;
mod path;
pub mod player;
mod pool;
mod probed;
mod proof_table;
mod proven;
mod recognition;
mod report;
mod start_value;
mod table_oracle;
mod tt;
mod worth;

pub use dfpn::{Halt, ProofStatus, Prover};
pub use exact::{ExactError, ExactLimits, Search, Solved, exact_value};
pub use forced::{forced_in_words, known_bounds};
pub use known::{database_reply, known};
pub use limits::{EngineOptions, Limits};
pub use oracle::{Empty, Oracle, UpTo};
pub use pool::{Engine, SearchError};
pub use probed::Probed;
pub use proven::Proven;
pub use recognition::{Answers, Recognition};
pub use report::{Compared, MoveValues, Report};
pub use start_value::{StartLimits, StartValue, start_value};
pub use table_oracle::TableOracle;
pub use worth::{Distance, Kind, Worth};
